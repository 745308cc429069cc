//! Many games through one analyst: positions are worked on in parallel, games come out in order.

use centipawn_engine::Analyst;
use centipawn_pgn::Game;
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Reporter, run_jobs};

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
    mut each: impl FnMut(Event),
) -> bool {
    let count = PositionCount::new(reporter);
    let finder = Finder { analyst, networks, options, count: &count };
    let jobs = games.map(|game| FindJob::new(finder, game));
    run_jobs(jobs, finder.analyst.parallelism(), cancel, |found| each(Event::of(found, finder)))
}

impl Event {
    /// What came of the engine work on a game: its review, judged by the finder's options, or the failure.
    pub fn of(found: Found, finder: Finder<'_>) -> Self {
        let Found { game, findings } = found;
        match findings {
            Ok(findings) => {
                let review = judge_game(game, &findings, finder.options);
                finder.count.add_game(&review.title());
                Event::Reviewed(Box::new(review))
            }
            Err(failure) => Event::Failed(failure),
        }
    }
}
