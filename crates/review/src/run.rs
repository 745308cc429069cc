//! Many games through one analyst: positions are worked on in parallel, games come out in order.

use std::sync::Arc;

use centipawn_engine::Analyst;
use centipawn_pgn::Game;
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Job, Reporter, run_jobs};

use crate::{Failure, FindJob, Finder, Found, PositionCount, Review, ReviewOptions, judge_game};

/// What comes of a game in [`review_games`].
#[derive(Debug)]
pub enum Event {
    /// A game is done.
    Reviewed(Box<Review>),
    /// A game could not be reviewed; the others go on.
    Failed(Failure),
}

/// Reviews games as they come, asking the analyst about as many positions at once as it can answer.
///
/// All positions of all games stand in one line, so a single long game keeps every engine as busy as a thousand short ones.
/// Few games are held at a time, however many there are. `each` is called on this thread, in the order of the games.
///
/// `networks` are those that [`ReviewOptions::ease`] names. After `cancel` is set no further question is asked; games that are
/// not finished by then are left out. An analyst that is closed ends the run too. Returns whether it was cancelled.
pub fn review_games(
    games: impl Iterator<Item = Game> + Send,
    analyst: &dyn Analyst,
    networks: &[Network],
    options: &ReviewOptions,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    each: impl FnMut(Event),
) -> bool {
    let count = PositionCount::new(reporter);
    let finder = Finder { analyst, networks, options, count: &count };
    review_jobs(games.map(|game| FindJob::new(finder, game)), finder, cancel, each)
}

/// The same with jobs that find in another way, such as from a store.
pub fn review_jobs<J: Job<Output = Found>>(
    jobs: impl Iterator<Item = J> + Send,
    finder: Finder<'_>,
    cancel: &Cancel,
    mut each: impl FnMut(Event),
) -> bool {
    run_jobs(jobs, finder.analyst.parallelism(), cancel, |Found { game, findings }| match findings {
        Ok(findings) => {
            let review = judge_game(Arc::clone(&game), &findings, finder.options);
            finder.count.add_game(&review.title());
            each(Event::Reviewed(Box::new(review)));
        }
        Err(failure) => each(Event::Failed(failure)),
    })
}
