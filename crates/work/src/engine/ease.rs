//! Ease of positions, and of all positions of games.

use std::{io, sync::Arc};

use centipawn_core::History;
use centipawn_engine::{Analyst, AnalystError};
use centipawn_judge::{
    PositionCount,
    ease::{EaseJob, EaseJudge, EaseOptions, EaseOutcome},
};
use centipawn_pgn::{Game, Games, read_ahead};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Job, Outcome, Problem, ProblemCount, Provenance, Reporter};

use super::failing::{Failing, Failures};
use crate::{
    engine::{Crew, PositionInput, Recipe, Work},
    provenance::provenance,
};

/// The resources of [`judge_ease`].
pub struct EaseResources<'a> {
    /// The policy networks, at least one.
    pub networks: &'a [Network],
    /// The analyst that evaluates positions; `None` if only the games' own evaluations are used.
    pub analyst: Option<&'a dyn Analyst>,
}

/// The reason why judging ease stopped early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EaseError {
    /// Looking ahead works neither in games nor without an analyst.
    #[error("option `ahead` is for positions, and needs an engine for the replies")]
    Ahead,
    /// The analyst failed for all positions of several consecutive games or positions.
    #[error(transparent)]
    Failing(#[from] Failing),
    /// The caller's `show` failed.
    #[error("cannot print")]
    Show(#[source] io::Error),
}

impl EaseError {
    /// Returns whether the request is impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Ahead)
    }
}

impl EaseResources<'_> {
    /// Returns the provenance of documents: options, files with their hashes, analyst, networks.
    pub fn provenance(&self, options: &EaseOptions, input: &PositionInput) -> Provenance {
        let engine = self.analyst.map(Analyst::identity);
        provenance(
            &Recipe::Ease(options.clone()),
            &input.sources(),
            self.networks,
        )
        .engine(engine, options.limits())
    }
}

/// A game or a position whose ease is judged.
enum EaseItem {
    Game(Game),
    Position(History),
}

/// The [`Work`] of judging ease. Its items are numbered from 1.
struct Judging<'a> {
    options: &'a EaseOptions,
    judge: EaseJudge<'a>,
    count: &'a PositionCount<'a>,
}

impl Work for Judging<'_> {
    type Item = (EaseItem, u64);
    type Answer = EaseOutcome;

    fn recipe(&self) -> Recipe {
        Recipe::Ease(self.options.clone())
    }

    fn job(&self, (item, number): (EaseItem, u64)) -> impl Job<Output = EaseOutcome> {
        match item {
            EaseItem::Game(game) => {
                EaseJob::of_game(self.judge, self.count, number, game, self.options)
            }
            EaseItem::Position(position) => {
                EaseJob::of_position(self.judge, self.count, number, position, self.options)
            }
        }
    }

    fn game<'i>(&self, (item, _): &'i Self::Item) -> Option<&'i Game> {
        match item {
            EaseItem::Game(game) => Some(game),
            EaseItem::Position(_) => None,
        }
    }

    fn position<'i>(&self, (item, _): &'i Self::Item) -> Option<&'i History> {
        match item {
            EaseItem::Game(_) => None,
            EaseItem::Position(position) => Some(position),
        }
    }

    fn item(&self, game: Game, number: u64) -> Option<Self::Item> {
        Some((EaseItem::Game(game), number))
    }

    fn unanswered(&self, (item, number): Self::Item, error: AnalystError) -> Option<EaseOutcome> {
        let game = match item {
            EaseItem::Game(game) => Some(Arc::new(game)),
            EaseItem::Position(_) => None,
        };
        let moments = vec![None; game.as_ref().map_or(1, |game| game.plies.len())];
        Some(EaseOutcome {
            number,
            game,
            moments,
            failures: vec![error.into()],
        })
    }
}

/// Has `crew` judge the ease of everything in `input`, and calls `show` with each game and
/// position, in the order of the input.
///
/// Items that cannot be read or judged are reported and skipped, but the run ends if the analyst
/// fails at several in a row. After `cancel` is set, unfinished games are left out.
///
/// # Errors
///
/// [`EaseError`], for a request that is impossible or an error of `show`.
pub fn judge_ease<R: Reporter + 'static>(
    input: PositionInput,
    options: &EaseOptions,
    resources: &EaseResources<'_>,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
    mut show: impl FnMut(&EaseOutcome) -> io::Result<()>,
) -> Result<Outcome, EaseError> {
    let EaseResources { networks, analyst } = *resources;
    if options.ahead > 1 && (analyst.is_none() || matches!(input, PositionInput::Games(_))) {
        return Err(EaseError::Ahead);
    }
    let stop = cancel.child();
    let count = PositionCount::new(reporter);
    let mut failures = Failures::of(match input {
        PositionInput::Positions(_) => "positions",
        PositionInput::Games(_) => "games",
    });
    let items: Box<dyn Iterator<Item = (EaseItem, u64)> + Send> = match input {
        PositionInput::Positions(positions) => Box::new(
            positions
                .read(&stop, reporter)
                .map(EaseItem::Position)
                .zip(1..),
        ),
        PositionInput::Games(sources) => {
            count.count_sources(sources.clone(), &stop);
            let games = read_ahead(Games::new(&sources, Arc::clone(reporter)), &stop);
            Box::new(games.map(EaseItem::Game).zip(1..))
        }
    };
    let work = Judging {
        options,
        judge: options.judge(networks, analyst),
        count: &count,
    };
    let (mut done, mut failed) = (0, None);
    crew.run(&work, items, &stop, |judged: EaseOutcome| {
        if failed.is_some() {
            return;
        }
        report(&judged, reporter);
        // After a cancel, answers are also missing, but this is not a failure.
        if !stop.is_set()
            && let Err(failing) = failures.add(judged.is_unanswered())
        {
            failed = Some(failing.into());
            stop.set();
            return;
        }
        if let Some(title) = judged.title() {
            count.add_game(&title);
        }
        if judged.has_no_evaluations() {
            return;
        }
        done += u64::from(judged.moments.iter().any(Option::is_some));
        if let Err(error) = show(&judged) {
            failed = Some(EaseError::Show(error));
            stop.set();
        }
    });
    stop.set();
    match failed {
        Some(error) => Err(error),
        None => Ok(Outcome {
            done,
            skipped: reporter.errors(),
            cancelled: cancel.is_set(),
        }),
    }
}

/// Reports positions that could not be judged, and games without any evaluation.
fn report(judged: &EaseOutcome, reporter: &dyn Reporter) {
    for failure in &judged.failures {
        reporter.problem(&Problem::error(failure));
    }
    if let Some(title) = judged.title().filter(|_| judged.has_no_evaluations()) {
        let problem = format!("{title}: the game has no evaluations, and no engine is given");
        reporter.problem(&Problem::error(problem));
    }
}
