//! A crew whose engines are on other machines.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use centipawn_engine::{Analyst, Identity};
use centipawn_policy::{Network, is_network_name};
use centipawn_progress::{Cancel, Problem, Progress, Unit, text::plural};
use centipawn_store::{Replay, Transcript};
use centipawn_work::engine::{Crew, Followed, Follower, Recipe, Work, game_key, nodes_of_game};
use sqlx::{Row as _, postgres::PgRow};

use crate::{
    Fleet, FleetError, Need, RunId,
    database::{Patience, sql},
    proof::prove,
    run::{LONGEST, LONGEST_COMPRESSED, decompress},
    spill::{Spill, SpilledGame},
    submit::RunSpec,
};

/// Maximum number of answers fetched in one request, and their maximum size in bytes. An answer
/// that begins within this size is still fetched.
const FETCHED: i64 = 32;
const FETCHED_BYTES: i64 = LONGEST as i64;

/// Pauses between requests for the next answer. They get longer while no answer arrives, so that
/// waiting submitters do not load the database.
pub(crate) const LOOK: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

/// Pause between checks for tasks whose games must be sent again.
const REFILL: Duration = Duration::from_secs(5);

/// Time after which a run without a suitable worker is reported.
const ALONE: Duration = Duration::from_secs(20);

/// Options of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubmitOptions {
    /// Whether to return after the submission, without waiting for answers. Default false.
    pub submit_only: bool,
    /// Number of games in each task. With `None`, the default, a task takes about a minute.
    pub task_size: Option<usize>,
    /// Priority of the run; runs with a higher priority are served first. Default 0.
    pub priority: i32,
}

/// A [`Crew`] that runs the engine work on other machines.
///
/// [`run`](Crew::run) submits the games of all items. As soon as the answers for the next game have
/// arrived, the same work runs on them here, in the order of the items, so the results are the same
/// as with threads. The work must ask [`analyst`](Self::analyst). Answers stay in the database: if
/// the same run is submitted again, its answers are collected again.
pub struct FleetCrew {
    fleet: Arc<Fleet>,
    need: Need,
    proof: Vec<String>,
    options: SubmitOptions,
    replay: Arc<Replay>,
    outcome: Mutex<Result<Option<RunId>, FleetError>>,
}

impl std::fmt::Debug for FleetCrew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetCrew")
            .field("fleet", &self.fleet)
            .field("need", &self.need)
            .finish_non_exhaustive()
    }
}

impl FleetCrew {
    /// Creates a crew for work with an analyst of this identity and with these networks. Asks
    /// `engine` the test questions, to which the engine of each worker must give the same answers.
    ///
    /// # Errors
    ///
    /// [`FleetError::NetworkName`] for a network that workers could not find, and the errors of
    /// `engine`.
    pub fn new(
        fleet: Arc<Fleet>,
        identity: &Identity,
        engine: &dyn Analyst,
        networks: &[Network],
        options: SubmitOptions,
    ) -> Result<Self, FleetError> {
        let need = Need {
            engine: identity.clone(),
            networks: networks.iter().map(Network::provenance).collect(),
        };
        if let Some(network) = need
            .networks
            .iter()
            .find(|network| !is_network_name(&network.name))
        {
            return Err(FleetError::NetworkName {
                name: network.name.clone(),
            });
        }
        let replay = Arc::new(Replay::new(Arc::new(identity.clone())));
        Ok(Self {
            fleet,
            need,
            proof: prove(engine)?,
            options,
            replay,
            outcome: Mutex::new(Ok(None)),
        })
    }

    /// Returns the analyst that the work must ask. It replays the answers of the workers' engines.
    pub fn analyst(&self) -> Arc<Replay> {
        Arc::clone(&self.replay)
    }

    /// Returns the number of the run, after [`run`](Crew::run); `None` before.
    ///
    /// # Errors
    ///
    /// The error because of which the run was not submitted, or not followed to its end.
    pub fn outcome(&self) -> Result<Option<RunId>, FleetError> {
        self.outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
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
            let is_stored = !self.options.submit_only && work.is_known(&item);
            spill.push(&SpilledGame::new(
                game,
                nodes_of_game(&recipe, game),
                is_stored,
            ))?;
        }
        if cancel.is_set() {
            return Err(FleetError::Cancelled);
        }
        if spill.games == 0 {
            return Ok(());
        }
        let spec = self.spec(&recipe);
        let run = if spill.wanted > 0 {
            Some(self.fleet.submit(&spec, &mut spill, cancel)?)
        } else {
            None
        };
        self.set_outcome(Ok(run));
        if self.options.submit_only {
            Ok(())
        } else {
            self.follow(run, &spec, work, &mut spill, cancel, each)
        }
    }

    /// Reports the progress of the run until the first game is delivered. From then on, the work on
    /// the delivered games reports its own progress.
    fn report(&self, run: RunId, look: &Look, games: u64) {
        self.fleet.reporter().progress(&Progress {
            done: look.answered,
            total: Some(games),
            unit: Unit::Games,
            games: 0,
            label: format!("run {run} of the fleet"),
        });
    }

    fn spec(&self, recipe: &Recipe) -> RunSpec {
        RunSpec {
            recipe: serde_json::to_string(recipe).unwrap_or_default(),
            need: self.need.clone(),
            proof: self.proof.clone(),
            game_key: game_key(recipe, &self.need.engine, &self.need.networks),
            priority: self.options.priority,
            task_size: self.options.task_size,
        }
    }

    /// Calls `each` with the answers of all games, in order, as they arrive. Games whose answers
    /// the submitter's store has are delivered without waiting.
    fn follow<W: Work>(
        &self,
        run: Option<RunId>,
        spec: &RunSpec,
        work: &W,
        spill: &mut Spill,
        cancel: &Cancel,
        mut each: impl FnMut(W::Answer),
    ) -> Result<(), FleetError> {
        let mut games = spill.read()?.peekable();
        let (mut delivered, mut idle, mut alone) = (0, 0, Alone::default());
        let (mut refilled, mut redone) = (Instant::now(), None);
        let total = spill.games;
        let service = run.map_or_else(
            || "the fleet".to_owned(),
            |run| format!("the fleet (run {run})"),
        );
        let follower = Follower::new(work, &self.replay, service);
        let mut deliver = |game: SpilledGame, number: u64, answer: Option<Answer>| {
            let item = work
                .item(game.read()?, number)
                .ok_or(FleetError::NotAGame)?;
            let followed = answer.map_or(Followed::Known, Answer::followed);
            let is_cancelled = follower.deliver(item, followed, cancel, &mut each);
            if is_cancelled {
                Err(FleetError::Cancelled)
            } else {
                Ok(())
            }
        };
        while delivered < total {
            if cancel.is_set() {
                return Err(FleetError::Cancelled);
            }
            while let Some(game) =
                games.next_if(|game| game.as_ref().is_ok_and(|game| game.is_stored))
            {
                delivered += 1;
                deliver(game?, delivered, None)?;
            }
            let Some(run) = run.filter(|_| delivered < total) else {
                break;
            };
            let look = self.fleet.look(run, delivered, cancel)?;
            redone.get_or_insert(look.redone);
            alone.look(self, run, cancel)?;
            if look.hollow > 0 && refilled.elapsed() > REFILL {
                refilled = Instant::now();
                self.fleet
                    .refill_run(run, spec, spill, Patience::Until(cancel))?;
            }
            if delivered == 0 {
                self.report(run, &look, total);
            }
            let before = delivered;
            for answer in look.answers {
                let is_ready = |game: &std::io::Result<SpilledGame>| {
                    answer.is_some() || game.as_ref().is_ok_and(|game| game.is_stored)
                };
                let Some(game) = games.next_if(is_ready) else {
                    break;
                };
                let game = game?;
                delivered += 1;
                let answer = if game.is_stored { None } else { answer };
                deliver(game, delivered, answer)?;
            }
            if delivered > before {
                idle = 0;
            } else {
                cancel.wait(LOOK[idle.min(LOOK.len() - 1)]);
                idle += 1;
            }
        }
        let (Some(run), Some(redone)) = (run, redone) else {
            return Ok(());
        };
        let again = self
            .fleet
            .look(run, total, cancel)?
            .redone
            .saturating_sub(redone);
        if again > 0 {
            self.warn(format_args!(
                "run {run}: the answers for {} were made again, because their worker was set \
                 aside; some may have been collected before: run the same command again for the \
                 right ones",
                plural(again, "game")
            ));
        }
        Ok(())
    }
}

impl Crew for FleetCrew {
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

/// Reports once that no worker serves a run, with the reason.
#[derive(Debug)]
struct Alone {
    next_look: Instant,
    is_reported: bool,
}

impl Default for Alone {
    fn default() -> Self {
        Self {
            next_look: Instant::now() + ALONE,
            is_reported: false,
        }
    }
}

impl Alone {
    fn look(&mut self, crew: &FleetCrew, run: RunId, cancel: &Cancel) -> Result<(), FleetError> {
        if Instant::now() < self.next_look {
            return Ok(());
        }
        self.next_look = Instant::now() + ALONE;
        let reason = crew.fleet.why_it_waits(run, Patience::Until(cancel))?;
        match reason {
            Some(ref reason) if !self.is_reported => {
                crew.warn(format_args!("run {run} waits: {reason}"));
            }
            None if self.is_reported => crew.warn(format_args!("run {run} is served now")),
            _ => {}
        }
        self.is_reported = reason.is_some();
        Ok(())
    }
}

/// The result for a game: its answers, or the reason why there are none.
struct Answer {
    document: Option<Vec<u8>>,
    /// Without a document, the reason; with a document, the remedy to suggest if the document is
    /// damaged.
    reason: String,
}

/// The progress of a run, with its next answers.
pub(crate) struct Look {
    /// The next answers in order; `None` for a game that is still in progress.
    answers: Vec<Option<Answer>>,
    /// Number of games with an answer.
    answered: u64,
    /// Number of tasks whose games must be sent again.
    hollow: u64,
    /// Number of games whose answers were discarded because their worker was set aside.
    redone: u64,
}

impl Look {
    /// Returns the number of leading games that are finished.
    #[cfg(test)]
    pub(crate) fn ready(&self) -> usize {
        self.answers
            .iter()
            .take_while(|answer| answer.is_some())
            .count()
    }
}

impl Answer {
    fn followed(self) -> Followed {
        self.into_transcript()
            .map_or_else(Followed::Failed, Followed::Answered)
    }

    fn into_transcript(self) -> Result<Transcript, String> {
        let Some(document) = self.document else {
            return Err(self.reason);
        };
        let remedy = &self.reason;
        let bytes =
            decompress(&document).ok_or_else(|| format!("the answer is damaged; {remedy}"))?;
        drop(document);
        Transcript::from_bytes(&bytes)
            .map_err(|error| format!("the answer cannot be read: {error}; {remedy}"))
    }
}

impl Fleet {
    /// Fetches the answers of the games after the first `delivered`, and the progress of the run.
    pub(crate) fn look(
        &self,
        run: RunId,
        delivered: u64,
        cancel: &Cancel,
    ) -> Result<Look, FleetError> {
        let (state, look) = self.transact(
            "collect answers",
            Patience::Until(cancel),
            async |connection| {
                let state = sql("SELECT r.state, r.redone, t.answered, t.hollow \
                 FROM centipawn_fleet.run r CROSS JOIN LATERAL \
                 (SELECT coalesce(sum(answered), 0)::bigint AS answered, \
                     coalesce(sum(hollow), 0)::bigint AS hollow \
                 FROM centipawn_fleet.tally WHERE run = r.id) t WHERE r.id = $1")
                .bind(run.0);
                let Some(row) = state.fetch_optional(&mut *connection).await? else {
                    return Ok((None, None));
                };
                let count = |column: &str| {
                    Ok::<u64, sqlx::Error>(row.try_get::<i64, _>(column)?.max(0).cast_unsigned())
                };
                let (answered, hollow, redone) =
                    (count("answered")?, count("hollow")?, count("redone")?);
                let state: String = row.try_get("state")?;
                // Numbers of items have no gaps, so the answers can be returned as a list. The list
                // ends at the first game that is still in progress.
                let rows = sql(
                    "WITH next AS (SELECT number, key, task FROM centipawn_fleet.item \
                 WHERE run = $1 AND number > $2 ORDER BY number LIMIT $3), \
                 sized AS (SELECT next.*, CAST(octet_length(a.document) AS BIGINT) AS bytes, \
                     SUM(LEAST(coalesce(octet_length(a.document), 0), $4)) \
                     OVER (ORDER BY next.number \
                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before \
                     FROM next LEFT JOIN centipawn_fleet.answer a ON a.key = next.key) \
                 SELECT CASE WHEN s.bytes <= $4 THEN a.document END AS document, \
                     p.state, p.number, p.reason, s.bytes FROM sized s \
                 LEFT JOIN centipawn_fleet.answer a ON a.key = s.key \
                 LEFT JOIN centipawn_fleet.task p ON p.run = $1 AND p.number = s.task \
                 WHERE COALESCE(s.before, 0) < $5 ORDER BY s.number",
                )
                .bind(run.0)
                .bind(delivered as i64)
                .bind(FETCHED)
                .bind(LONGEST_COMPRESSED as i64)
                .bind(FETCHED_BYTES)
                .fetch_all(connection)
                .await?;
                let answers = rows
                    .iter()
                    .map(|row| answer(run, row))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok((
                    Some(state),
                    Some(Look {
                        answers,
                        answered,
                        hollow,
                        redone,
                    }),
                ))
            },
        )?;
        match (state.as_deref(), look) {
            (Some("cancelled"), _) => Err(FleetError::RunCancelled { run }),
            (Some(_), Some(look)) => Ok(look),
            _ => Err(FleetError::NoRun { run }),
        }
    }
}

/// Returns `None` for a game that is still in progress.
fn answer(run: RunId, row: &PgRow) -> Result<Option<Answer>, sqlx::Error> {
    let document: Option<Vec<u8>> = row.try_get("document")?;
    let state: Option<String> = row.try_get("state")?;
    let number: Option<i32> = row.try_get("number")?;
    let reason: Option<String> = row.try_get("reason")?;
    let (number, reason) = (number.unwrap_or_default(), reason.unwrap_or_default());
    let length: Option<i64> = row.try_get("bytes")?;
    let remedy =
        format!("`centipawn fleet retry {run}` and then the same command have it made again");
    if let (None, Some(length)) = (&document, length) {
        let reason = format!(
            "the answer has {length} bytes, and at most {LONGEST_COMPRESSED} are read; {remedy}"
        );
        return Ok(Some(Answer { document, reason }));
    }
    let reason = match (&document, state.as_deref()) {
        (Some(_), _) => remedy,
        (None, Some("waiting" | "hollow")) => return Ok(None),
        (None, Some("parked")) => {
            format!(
                "task {number} is parked: {reason}; after the repair: `centipawn fleet retry \
                 {run}`"
            )
        }
        (None, Some(_)) => format!("the answers of task {number} are gone; {remedy}"),
        (None, None) => "an earlier answer was used, and it is gone; the same command has it made \
             again"
            .to_owned(),
    };
    Ok(Some(Answer { document, reason }))
}
