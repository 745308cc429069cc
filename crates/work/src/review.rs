//! Reviews of files of games: the engine work from the store where it was done before, from the analyst elsewhere.

use std::{io, sync::Arc};

use centipawn_engine::Analyst;
use centipawn_pgn::{Game, Games, Sources, read_ahead};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Job, Outcome, Problem, ProblemCount, Provenance, Reporter};
use centipawn_review::{Event, FindJob, Finder, Found, OutputError, Outputs, PositionCount, Review, ReviewOptions};
use centipawn_store::Store;

use crate::{Crew, Recipe, Work, provenance::provenance, review_store::KeptFindings};

/// After this many games in a row that failed, all the rest will.
const FAILURES_TO_GIVE_UP: u32 = 5;

/// What a review works with.
pub struct ReviewResources<'a> {
    /// Evaluates positions.
    pub analyst: &'a dyn Analyst,
    /// Judge every move's ease; none if empty.
    pub networks: &'a [Network],
    /// Where the engine work of a game is kept, and found by a later review; without one it is done anew.
    pub store: Option<Arc<Store>>,
}

/// How a review ended.
#[derive(Debug)]
pub struct ReviewEnd {
    /// Games reviewed, problems that were reported.
    pub outcome: Outcome,
    /// Earlier results that stay in their places, as the review was cancelled.
    pub kept: Vec<std::path::PathBuf>,
}

/// A review that ended early; what was done before is in its place.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// A result cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A review cannot be shown.
    #[error("cannot print the summary")]
    Show(#[source] io::Error),
    /// Many games in a row could not be reviewed.
    #[error("{FAILURES_TO_GIVE_UP} games in a row failed; is the engine in order?")]
    Failing,
}

/// Where documents of reviews come from, before anybody was asked: the options, the files with their hashes, the networks.
pub fn review_provenance(options: &ReviewOptions, sources: &Sources, networks: &[Network]) -> Provenance {
    provenance(&Recipe::Review(options.clone()), sources, networks)
}

/// The engine work of a review, with what it takes.
struct Finding<'a> {
    finder: Finder<'a>,
    kept: &'a KeptFindings<'a>,
}

impl Work for Finding<'_> {
    type Item = Game;
    type Answer = Found;

    fn recipe(&self) -> Recipe {
        Recipe::Review(self.finder.options.clone())
    }

    fn job(&self, game: Game) -> impl Job<Output = Found> {
        self.kept.job(FindJob::new(self.finder, game), self.finder)
    }
}

/// Has `crew` review all games of `sources`, in their order: each is written to `outputs` and given to `show`.
///
/// A game that cannot be read or reviewed is reported and skipped. After `cancel` is set the games finished by then are
/// written, where no earlier results stand. Where no game was reviewed, earlier results stay.
///
/// # Errors
///
/// [`ReviewError`]: a result cannot be written or shown, or one game after another fails.
#[expect(clippy::too_many_arguments, reason = "what, by whom, where to, for whom")]
pub fn review_files<R: Reporter + 'static>(
    sources: &Sources,
    options: &ReviewOptions,
    resources: &ReviewResources<'_>,
    mut outputs: Outputs,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
    mut show: impl FnMut(&Review) -> io::Result<()>,
) -> Result<ReviewEnd, ReviewError> {
    let ReviewResources { analyst, networks, store } = resources;
    // Ends with an error as well as by the caller's will.
    let stop = cancel.child();
    let count = PositionCount::new(reporter);
    count.count_sources(sources.clone(), &stop);
    let finder = Finder { analyst: *analyst, networks, options, count: &count };
    let kept = KeptFindings::new(store.clone(), reporter);
    let games = read_ahead(Games::new(sources, Arc::clone(reporter)), &stop);
    let work = Finding { finder, kept: &kept };

    let (mut done, mut failures_in_a_row, mut failed) = (0, 0, None);
    crew.run(&work, games, &stop, |found| {
        let result = match Event::of(found, finder) {
            // What was under way when an error ended the run is of no more use.
            _ if failed.is_some() => return,
            Event::Reviewed(review) => {
                done += 1;
                failures_in_a_row = 0;
                outputs
                    .game(&review)
                    .map_err(ReviewError::Output)
                    .and_then(|()| show(&review).map_err(ReviewError::Show))
            }
            Event::Failed(failure) => {
                reporter.problem(&failure.problem());
                failures_in_a_row += 1;
                match failures_in_a_row {
                    FAILURES_TO_GIVE_UP => Err(ReviewError::Failing),
                    _ => outputs.unreviewed(&failure.game).map_err(ReviewError::Output),
                }
            }
        };
        if let Err(error) = result {
            failed = Some(error);
            stop.set();
        }
    });
    // Nothing is counted any more for a run that is over.
    stop.set();
    let kept = if done > 0 { outputs.finish(cancel)? } else { Vec::new() };
    match failed {
        Some(error) => Err(error),
        None => {
            Ok(ReviewEnd { outcome: Outcome { done, skipped: reporter.errors(), cancelled: cancel.is_set() }, kept })
        }
    }
}

/// Reports that reviews are no longer kept.
pub(crate) fn report_store_failure(reporter: &dyn Reporter, error: impl std::fmt::Display) {
    reporter.problem(&Problem::error(format_args!("{error}; from here on reviews are not kept")));
}
