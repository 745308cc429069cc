//! Reviews of games. Stored engine work is reused; the rest is done by the analyst.

use std::{convert::Infallible, io, path::PathBuf, sync::Arc};

use centipawn_engine::{Analyst, AnalystError};
use centipawn_judge::{Failure, FindJob, Finder, Found, PositionCount};
use centipawn_pgn::{Game, Games, Sources, read_ahead};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Job, Outcome, Problem, ProblemCount, Provenance, Reporter};
use centipawn_review::{Event, Review, ReviewOptions};
use centipawn_store::Store;

use super::{
    failing::{Failing, Failures},
    review_store::KeptFindings,
};
use crate::{
    engine::{Crew, Recipe, Work, move_number},
    provenance::provenance,
};

/// The resources of [`review_files`].
pub struct ReviewResources<'a> {
    /// The analyst that evaluates positions.
    pub analyst: &'a dyn Analyst,
    /// Policy networks that judge the ease of every move; empty for no ease.
    pub networks: &'a [Network],
    /// The store that keeps the engine work of each game for later reviews; `None` computes it
    /// every time.
    pub store: Option<Arc<Store>>,
}

/// How a review ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReviewEnd {
    /// Games reviewed, and problems reported.
    pub outcome: Outcome,
    /// Earlier results that a cancelled review did not replace.
    pub kept: Vec<PathBuf>,
}

/// The output of [`review_files`]; `()` discards the games. The crate `site` writes annotated
/// games, documents and pages.
pub trait ReviewOutput {
    /// The reason why a game cannot be written.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Adds a reviewed game.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    fn game(&mut self, review: &Review) -> Result<(), Self::Error>;

    /// Adds a game that could not be reviewed.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    fn unreviewed(&mut self, game: &Game) -> Result<(), Self::Error>;

    /// Puts everything in place. If `cancel` is set, earlier results stay instead, and their paths
    /// are returned.
    ///
    /// # Errors
    ///
    /// A result cannot be written.
    fn finish(self, cancel: &Cancel) -> Result<Vec<PathBuf>, Self::Error>;
}

impl ReviewOutput for () {
    type Error = Infallible;

    fn game(&mut self, _: &Review) -> Result<(), Infallible> {
        Ok(())
    }

    fn unreviewed(&mut self, _: &Game) -> Result<(), Infallible> {
        Ok(())
    }

    fn finish(self, _: &Cancel) -> Result<Vec<PathBuf>, Infallible> {
        Ok(Vec::new())
    }
}

/// The reason why a review ended early; results of games before that are written, except over
/// earlier results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError<E> {
    /// A result cannot be written.
    #[error(transparent)]
    Output(E),
    /// The caller's `show` failed.
    #[error("cannot print the summary")]
    Show(#[source] io::Error),
    /// Several consecutive games could not be reviewed.
    #[error(transparent)]
    Failing(#[from] Failing),
}

/// Returns the provenance of review documents, without the analyst: options, files with their
/// hashes, networks.
pub fn review_provenance(
    options: &ReviewOptions,
    sources: &Sources,
    networks: &[Network],
) -> Provenance {
    provenance(&Recipe::Review(options.clone()), sources, networks)
}

/// The engine work of a review: [`Work`] on games.
struct Finding<'a> {
    options: &'a ReviewOptions,
    finder: Finder<'a>,
    kept: &'a KeptFindings<'a>,
}

impl Work for Finding<'_> {
    type Item = Game;
    type Answer = Found;

    fn recipe(&self) -> Recipe {
        Recipe::Review(self.options.clone())
    }

    fn job(&self, game: Game) -> impl Job<Output = Found> {
        self.kept.job(FindJob::new(self.finder, game), self.finder)
    }

    fn game<'i>(&self, game: &'i Game) -> Option<&'i Game> {
        Some(game)
    }

    fn is_known(&self, game: &Game) -> bool {
        self.kept
            .has(&FindJob::new(self.finder, game.clone()), self.finder)
    }

    fn item(&self, game: Game, _: u64) -> Option<Game> {
        Some(game)
    }

    fn unanswered(&self, game: Game, error: AnalystError) -> Option<Found> {
        let game = Arc::new(game);
        let failure = Failure {
            game: Arc::clone(&game),
            ply: move_number(&game, 0),
            source: error.into(),
        };
        Some(Found {
            game,
            findings: Err(failure),
        })
    }
}

/// Has `crew` review all games of `sources`, in their order; writes each to `outputs` and passes it
/// to `show`.
///
/// Games that cannot be read or reviewed are reported and skipped. After an error, and after
/// `cancel` is set, the games finished by then are written, except over earlier results. If no game
/// was reviewed, earlier results stay.
///
/// ```
/// use std::sync::Arc;
///
/// use centipawn_engine::Limit;
/// use centipawn_judge::JudgeOptions;
/// use centipawn_pgn::{Dialect, Sources};
/// use centipawn_progress::{Cancel, ProblemCount, Silent};
/// use centipawn_work::{
///     engine::{ReviewResources, Threads, review_files},
///     library::NoEngine,
/// };
///
/// # let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// let sources = Sources::expand(&[format!("{root}/tests/data/lichess.pgn")])?;
/// let options = JudgeOptions {
///     reuse_evals: Some(Dialect::Auto),
///     ..JudgeOptions::new(Limit::Nodes(100_000))
/// };
/// let resources = ReviewResources {
///     analyst: &NoEngine,   // all positions have evaluations
///     networks: &[],
///     store: None,
/// };
/// let (crew, cancel) = (Threads::new(2), Cancel::new());
/// let problems = Arc::new(ProblemCount::new(Silent));
/// let options = options.into();
/// let mut plies = 0;
/// let count = |review: &centipawn_review::Review| {
///     plies += review.plies.len();
///     Ok(())
/// };
/// let end = review_files(&sources, &options, &resources, (), &crew, &cancel, &problems, count)?;
/// assert_eq!(end.outcome.done, 1);
/// assert!(plies > 20);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ReviewError`]: a result cannot be written or shown, or several consecutive games fail.
#[expect(
    clippy::too_many_arguments,
    reason = "what, by whom, where to, for whom"
)]
pub fn review_files<R: Reporter + 'static, O: ReviewOutput>(
    sources: &Sources,
    options: &ReviewOptions,
    resources: &ReviewResources<'_>,
    outputs: O,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
    show: impl FnMut(&Review) -> io::Result<()>,
) -> Result<ReviewEnd, ReviewError<O::Error>> {
    let kept = KeptFindings::new(resources.store.clone(), reporter);
    review_with(
        &kept, sources, options, resources, outputs, crew, cancel, reporter, show,
    )
}

/// Like [`review_files`], but a game of which the store has a review by an engine is not searched
/// again, whatever the limit and the number of lines of that review were. Of several reviews, that
/// with the most lines serves, then that of the longest search.
///
/// # Errors
///
/// Those of [`review_files`].
#[expect(
    clippy::too_many_arguments,
    reason = "what, by whom, where to, for whom"
)]
pub fn review_files_once<R: Reporter + 'static, O: ReviewOutput>(
    sources: &Sources,
    options: &ReviewOptions,
    resources: &ReviewResources<'_>,
    outputs: O,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
    show: impl FnMut(&Review) -> io::Result<()>,
) -> Result<ReviewEnd, ReviewError<O::Error>> {
    let kept = KeptFindings::new(resources.store.clone(), reporter).taking_any(true);
    review_with(
        &kept, sources, options, resources, outputs, crew, cancel, reporter, show,
    )
}

#[expect(
    clippy::too_many_arguments,
    reason = "what, by whom, where to, for whom"
)]
fn review_with<R: Reporter + 'static, O: ReviewOutput>(
    kept: &KeptFindings<'_>,
    sources: &Sources,
    options: &ReviewOptions,
    resources: &ReviewResources<'_>,
    mut outputs: O,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
    mut show: impl FnMut(&Review) -> io::Result<()>,
) -> Result<ReviewEnd, ReviewError<O::Error>> {
    let ReviewResources {
        analyst, networks, ..
    } = resources;
    // Stop the games under way if the caller cancels, and also after an error.
    let stop = cancel.child();
    let count = PositionCount::new(reporter).passes(options.judge.passes());
    count.count_sources(sources.clone(), &stop);
    let finder = Finder {
        analyst: *analyst,
        networks,
        options: &options.judge,
        count: &count,
    };
    let games = read_ahead(Games::new(sources, Arc::clone(reporter)), &stop);
    let work = Finding {
        options,
        finder,
        kept,
    };

    let (mut done, mut failures, mut failed) = (0, Failures::of("games"), None);
    let is_cut_off = crew.run(&work, games, &stop, |found| {
        let event = Event::of(found, &count, options);
        // After an error, discard answers that were still in progress.
        if failed.is_some() {
            return;
        }
        let is_failing = failures.add(matches!(event, Event::Failed(_)));
        let result = match event {
            Event::Reviewed(review) => {
                done += 1;
                outputs
                    .game(&review)
                    .map_err(ReviewError::Output)
                    .and_then(|()| show(&review).map_err(ReviewError::Show))
            }
            Event::Failed(failure) => {
                reporter.problem(&failure.problem());
                match is_failing {
                    Err(error) => Err(error.into()),
                    Ok(()) => outputs
                        .unreviewed(&failure.game)
                        .map_err(ReviewError::Output),
                }
            }
        };
        if let Err(error) = result {
            failed = Some(error);
            stop.set();
        }
    });
    // Stop counting the positions of further games, because the run is over.
    stop.set();
    let cancelled = cancel.is_set() || is_cut_off && failed.is_none();
    // If games are missing, do not replace the results of an earlier run.
    let is_whole = !cancelled && failed.is_none();
    let finish = |outputs: O| {
        outputs
            .finish(if is_whole { cancel } else { &stop })
            .map_err(ReviewError::Output)
    };
    let kept = if done > 0 {
        finish(outputs)
    } else {
        Ok(Vec::new())
    };
    if let (Some(_), Ok(kept)) = (&failed, &kept) {
        for path in kept {
            reporter.problem(&Problem::warning(format_args!(
                "{} is unchanged",
                path.display()
            )));
        }
    }
    match (failed, kept) {
        // Report the first error only, because later ones are its consequences.
        (Some(error), _) | (None, Err(error)) => Err(error),
        (None, Ok(kept)) => Ok(ReviewEnd {
            outcome: Outcome {
                done,
                skipped: reporter.errors(),
                cancelled,
            },
            kept,
        }),
    }
}

/// Reports that reviews are no longer kept.
pub(crate) fn report_store_failure(reporter: &dyn Reporter, error: impl std::fmt::Display) {
    reporter.problem(&Problem::error(format_args!(
        "{error}; from here on reviews are not kept"
    )));
}
