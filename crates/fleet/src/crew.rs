//! A crew of other machines.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use centipawn_engine::{Analyst, AnalystError, Identity};
use centipawn_policy::{Network, is_network_name};
use centipawn_progress::{Cancel, Problem, run_jobs};
use centipawn_store::{Replay, Transcript};
use centipawn_work::{Crew, Recipe, Work, game_key, nodes_of_game};
use sqlx::{Row as _, postgres::PgRow};

use crate::{
    Fleet, FleetError, Need, RunId,
    database::{Patience, sql},
    proof::prove,
    run::{LONGEST, LONGEST_COMPRESSED, decompress},
    spill::{Spill, SpilledGame},
    submit::RunSpec,
};

/// Answers fetched at once, and their bytes: those after the first that exceeds them are fetched next.
const FETCHED: i64 = 32;
const FETCHED_BYTES: i64 = LONGEST as i64;

/// Pauses between looks for the next answer: short while answers come, longer while none does.
const LOOK: [Duration; 4] =
    [Duration::from_millis(200), Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

/// A run without any worker is reported after this time.
const ALONE: Duration = Duration::from_secs(20);

/// How a run is submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubmitOptions {
    /// Whether to end after the submission, without waiting for answers. Default false.
    pub submit_only: bool,
    /// Games in each task; `None`, the default, for as many as take about a minute.
    pub task_size: Option<usize>,
    /// Runs of a higher priority are served first. Default 0.
    pub priority: i32,
}

/// A [`Crew`] whose engine work other machines do.
///
/// [`run`](Crew::run) submits the games of all items, and follows: as soon as the answers for a game are there, the same work
/// runs on them here, in the order of the items, so that the result is the same as with threads. The work must ask
/// [`analyst`](Self::analyst). Answers stay in the database: the same run, submitted again, is collected again.
pub struct FleetCrew<'a> {
    fleet: Arc<Fleet>,
    need: Need,
    networks: &'a [Network],
    proof: Vec<String>,
    options: SubmitOptions,
    replay: Arc<Replay>,
    outcome: Mutex<Result<Option<RunId>, FleetError>>,
}

impl std::fmt::Debug for FleetCrew<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetCrew").field("fleet", &self.fleet).field("need", &self.need).finish_non_exhaustive()
    }
}

impl<'a> FleetCrew<'a> {
    /// A crew for work with an analyst of this identity and these networks. Asks `engine` for the answers that a worker's engine
    /// must give as well.
    ///
    /// # Errors
    ///
    /// [`FleetError::NetworkName`] and those of `engine`.
    pub fn new(
        fleet: Arc<Fleet>,
        identity: &Identity,
        engine: &dyn Analyst,
        networks: &'a [Network],
        options: SubmitOptions,
    ) -> Result<Self, FleetError> {
        let need = Need { engine: identity.clone(), networks: networks.iter().map(Network::provenance).collect() };
        if let Some(network) = need.networks.iter().find(|network| !is_network_name(&network.name)) {
            return Err(FleetError::NetworkName { name: network.name.clone() });
        }
        let replay = Arc::new(Replay::new(Arc::new(identity.clone())));
        Ok(Self { fleet, need, networks, proof: prove(engine)?, options, replay, outcome: Mutex::new(Ok(None)) })
    }

    /// The analyst that the work must ask: it answers as the workers' engines did.
    pub fn analyst(&self) -> Arc<Replay> {
        Arc::clone(&self.replay)
    }

    /// The run, after [`run`](Crew::run); `None` before.
    ///
    /// # Errors
    ///
    /// Why the run was not submitted or followed to its end.
    pub fn outcome(&self) -> Result<Option<RunId>, FleetError> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_outcome(&self, outcome: Result<Option<RunId>, FleetError>) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
    }

    fn warn(&self, text: std::fmt::Arguments<'_>) {
        self.fleet.reporter().problem(&Problem::warning(text));
    }

    fn submit_and_follow<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item>,
        cancel: &Cancel,
        each: impl FnMut(W::Answer),
    ) -> Result<(), FleetError> {
        let recipe = work.recipe();
        let mut spill = Spill::new()?;
        for item in items {
            let game = work.game(&item).ok_or(FleetError::NotAGame)?;
            spill.push(&SpilledGame::new(game, nodes_of_game(&recipe, game)))?;
        }
        if cancel.is_set() {
            return Err(FleetError::Cancelled);
        }
        if spill.games == 0 {
            return Ok(());
        }
        let run = self.fleet.submit(&self.spec(&recipe), &mut spill, cancel)?;
        self.set_outcome(Ok(Some(run)));
        if self.options.submit_only { Ok(()) } else { self.follow(run, work, &mut spill, cancel, each) }
    }

    fn spec(&self, recipe: &Recipe) -> RunSpec {
        RunSpec {
            recipe: serde_json::to_string(recipe).unwrap_or_default(),
            need: self.need.clone(),
            proof: self.proof.clone(),
            game_key: game_key(recipe, &self.need.engine, self.networks),
            priority: self.options.priority,
            task_size: self.options.task_size,
        }
    }

    /// Calls `each` with the answers of all games, in order, as they come.
    fn follow<W: Work>(
        &self,
        run: RunId,
        work: &W,
        spill: &mut Spill,
        cancel: &Cancel,
        mut each: impl FnMut(W::Answer),
    ) -> Result<(), FleetError> {
        let mut games = spill.read()?;
        let (mut delivered, mut idle, mut alone) = (0, 0, Alone::default());
        let total = spill.games;
        while delivered < total {
            if cancel.is_set() {
                return Err(FleetError::Cancelled);
            }
            let ready = self.fleet.ready(run, delivered, cancel)?;
            alone.look(self, run, cancel)?;
            if ready.is_empty() {
                cancel.wait(LOOK[idle.min(LOOK.len() - 1)]);
                idle += 1;
                continue;
            }
            idle = 0;
            for answer in ready {
                let Some(game) = games.next() else { return Ok(()) };
                let game = game.and_then(|game| game.read())?;
                delivered += 1;
                let item = work.item(game, delivered).ok_or(FleetError::NotAGame)?;
                match answer.into_transcript() {
                    Ok(transcript) => {
                        self.replay.load(transcript);
                        if run_jobs(std::iter::once(work.job(item)), 1, cancel, &mut each) {
                            return Err(FleetError::Cancelled);
                        }
                    }
                    Err(reason) => {
                        let service = format!("the fleet (run {run})");
                        if let Some(answer) = work.unanswered(item, AnalystError::Service { service, reason }) {
                            each(answer);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Crew for FleetCrew<'_> {
    fn run<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item> + Send,
        cancel: &Cancel,
        each: impl FnMut(W::Answer),
    ) -> bool {
        match self.submit_and_follow(work, items, cancel, each) {
            Ok(()) => false,
            Err(FleetError::Cancelled) if cancel.is_set() => {
                if let Ok(Some(run)) = self.outcome() {
                    self.warn(format_args!(
                        "run {run} continues on its workers; the same command collects its results"
                    ));
                }
                true
            }
            Err(error) => {
                self.set_outcome(Err(error));
                true
            }
        }
    }
}

/// Reports once that no worker serves a run, and why.
#[derive(Debug)]
struct Alone {
    next_look: Instant,
    is_reported: bool,
}

impl Default for Alone {
    fn default() -> Self {
        Self { next_look: Instant::now() + ALONE, is_reported: false }
    }
}

impl Alone {
    fn look(&mut self, crew: &FleetCrew<'_>, run: RunId, cancel: &Cancel) -> Result<(), FleetError> {
        if Instant::now() < self.next_look {
            return Ok(());
        }
        self.next_look = Instant::now() + ALONE;
        let reason = crew.fleet.why_it_waits(run, Patience::Until(cancel))?;
        match reason {
            Some(ref reason) if !self.is_reported => crew.warn(format_args!("run {run} waits: {reason}")),
            None if self.is_reported => crew.warn(format_args!("run {run} is served again")),
            _ => {}
        }
        self.is_reported = reason.is_some();
        Ok(())
    }
}

/// What there is for a game.
struct Answer {
    document: Option<Vec<u8>>,
    /// Why there is no answer.
    reason: String,
}

impl Answer {
    fn into_transcript(self) -> Result<Transcript, String> {
        let Some(document) = self.document else { return Err(self.reason) };
        let bytes = decompress(&document).ok_or("the answer is damaged")?;
        drop(document);
        Transcript::from_bytes(&bytes).map_err(|error| format!("the answer cannot be read: {error}"))
    }
}

impl Fleet {
    /// The answers of the games after `delivered` that are decided, without a gap.
    fn ready(&self, run: RunId, delivered: u64, cancel: &Cancel) -> Result<Vec<Answer>, FleetError> {
        let (state, rows) = self.transact("collect answers", Patience::Until(cancel), async |connection| {
            let state = sql("SELECT state FROM centipawn_fleet.run WHERE id = $1").bind(run.0);
            let state: Option<String> =
                state.fetch_optional(&mut *connection).await?.map(|row| row.try_get(0)).transpose()?;
            // Numbers are counted, not looked for: the first that is not decided ends the list.
            let rows = sql("WITH next AS (SELECT number, key, task FROM centipawn_fleet.item \
                 WHERE run = $1 AND number > $2 ORDER BY number LIMIT $3), \
                 sized AS (SELECT next.*, CAST(octet_length(a.document) AS BIGINT) AS bytes, \
                     SUM(LEAST(octet_length(a.document), $4)) OVER (ORDER BY next.number \
                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before \
                     FROM next LEFT JOIN centipawn_fleet.answer a ON a.key = next.key) \
                 SELECT CASE WHEN s.bytes <= $4 THEN a.document END, p.state, p.number, p.reason, s.bytes FROM sized s \
                 LEFT JOIN centipawn_fleet.answer a ON a.key = s.key \
                 LEFT JOIN centipawn_fleet.task p ON p.run = $1 AND p.number = s.task \
                 WHERE COALESCE(s.before, 0) < $5 ORDER BY s.number")
            .bind(run.0)
            .bind(delivered as i64)
            .bind(FETCHED)
            .bind(LONGEST_COMPRESSED as i64)
            .bind(FETCHED_BYTES)
            .fetch_all(connection)
            .await?;
            Ok((state, rows.iter().map(answer).collect::<Result<Vec<_>, _>>()?))
        })?;
        match state.as_deref() {
            None => Err(FleetError::NoRun { run }),
            Some("cancelled") => Err(FleetError::RunCancelled { run }),
            _ => Ok(rows.into_iter().map_while(|answer| answer).collect()),
        }
    }
}

/// `None` for a game that is not decided.
fn answer(row: &PgRow) -> Result<Option<Answer>, sqlx::Error> {
    let document: Option<Vec<u8>> = row.try_get(0)?;
    let state: Option<String> = row.try_get(1)?;
    let number: Option<i32> = row.try_get(2)?;
    let reason: Option<String> = row.try_get(3)?;
    let (number, reason) = (number.unwrap_or_default(), reason.unwrap_or_default());
    let length: Option<i64> = row.try_get(4)?;
    if let (None, Some(length)) = (&document, length) {
        let reason = format!("the answer has {length} bytes, and at most {LONGEST_COMPRESSED} are read");
        return Ok(Some(Answer { document, reason }));
    }
    let reason = match (&document, state.as_deref()) {
        (Some(_), _) => String::new(),
        (None, Some("waiting")) => return Ok(None),
        (None, Some("parked")) => format!("task {number} is parked: {reason}"),
        (None, Some(_)) => format!("the answers of task {number} are gone"),
        (None, None) => "an earlier answer was used, and it is gone".to_owned(),
    };
    Ok(Some(Answer { document, reason }))
}
