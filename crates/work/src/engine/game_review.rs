//! The review of one game, for a caller who watches it: a page shows each position as soon as it is
//! evaluated.

use centipawn_judge::{
    FindJob, FindStep, Finder, Found, FoundPosition, GameFindings, JudgeOptions, PositionCount,
};
use centipawn_pgn::Game;
use centipawn_progress::{Cancel, Cancelled, Job, Next, Reporter};
use centipawn_review::{Event, FindingsDocument, ReviewOptions};
use centipawn_store::{Store, StoreError};

use super::review_store::{KeptFindJob, KeptFindings};
use crate::engine::{Crew, Recipe, ReviewResources, Work};

/// Reviews one game; `watch` receives each position, from any thread and in any order. Findings
/// come from the store if it has them, and then nothing is watched.
///
/// `None` if `cancel` was set; the evaluations up to then are in the store.
pub fn review_game(
    game: Game,
    options: &ReviewOptions,
    resources: &ReviewResources<'_>,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    watch: &(dyn Fn(FoundPosition) + Sync),
) -> Option<Event> {
    let ReviewResources {
        analyst,
        networks,
        store,
    } = resources;
    let count = PositionCount::new(reporter);
    count.set_total(game.plies.len() as u64);
    let finder = Finder {
        analyst: *analyst,
        networks,
        options: &options.judge,
        count: &count,
    };
    let kept = KeptFindings::new(store.clone(), reporter);
    let mut event = None;
    crew.run(
        &Watched {
            options,
            finder,
            kept: &kept,
            watch,
        },
        std::iter::once(game),
        cancel,
        |found| {
            event = Some(Event::of(found, &count, options));
        },
    );
    event
}

/// Returns the key under which the store keeps the findings of a game; `None` if they are not kept,
/// since they need no engine. May start the engine, whose name is part of the key.
pub fn find_key(
    game: &Game,
    options: &JudgeOptions,
    resources: &ReviewResources<'_>,
) -> Option<String> {
    let ReviewResources {
        analyst,
        networks,
        store,
    } = resources;
    let reporter = centipawn_progress::Silent;
    let count = PositionCount::new(&reporter);
    let finder = Finder {
        analyst: *analyst,
        networks,
        options,
        count: &count,
    };
    KeptFindings::new(store.clone(), &reporter).key(&FindJob::new(finder, game.clone()), finder)
}

/// Returns the findings of a game under a key of [`find_key`]; `None` if the store has none that
/// this program can read.
///
/// # Errors
///
/// [`StoreError`] when the store cannot be read.
pub(crate) fn stored_findings(
    store: &Store,
    game: &Game,
    key: &str,
) -> Result<Option<GameFindings>, StoreError> {
    let document = store.find_findings(&game.to_string(), key)?;
    let document = document.and_then(|text| serde_json::from_str::<FindingsDocument>(&text).ok());
    Ok(document.and_then(|document| document.read(game).ok()))
}

/// The engine work of a review, watched.
struct Watched<'a> {
    options: &'a ReviewOptions,
    finder: Finder<'a>,
    kept: &'a KeptFindings<'a>,
    watch: &'a (dyn Fn(FoundPosition) + Sync),
}

impl Work for Watched<'_> {
    type Item = Game;
    type Answer = Found;

    fn recipe(&self) -> Recipe {
        Recipe::Review(self.options.clone())
    }

    fn job(&self, game: Game) -> impl Job<Output = Found> {
        WatchedJob {
            job: self.kept.job(FindJob::new(self.finder, game), self.finder),
            watch: self.watch,
        }
    }
}

struct WatchedJob<'a> {
    job: KeptFindJob<'a>,
    watch: &'a (dyn Fn(FoundPosition) + Sync),
}

impl Job for WatchedJob<'_> {
    type Step = FindStep;
    type Output = Found;

    fn next(&self) -> Next<FindStep> {
        self.job.next()
    }

    fn perform(&self, step: FindStep) -> Result<(), Cancelled> {
        let (ply, is_proof) = (step.ply(), step.is_proof());
        self.job.perform(step)?;
        let work = self.job.work();
        // A proof searches its position again, so report the position only for the first search.
        if let Some(findings) = work.found(ply).filter(|_| !is_proof) {
            (self.watch)(FoundPosition {
                ply,
                findings,
                curve: work.curve(),
            });
        }
        Ok(())
    }

    fn finish(&self) -> Found {
        self.job.finish()
    }
}
