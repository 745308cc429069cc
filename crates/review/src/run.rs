//! Reviews many games with one analyst: positions in parallel, results in order.

use centipawn_engine::Analyst;
use centipawn_judge::{Failure, FindJob, Finder, Found, PositionCount};
use centipawn_pgn::Game;
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Reporter, run_jobs};

use crate::{Review, ReviewOptions};

/// The outcome of a game in [`review_games`].
#[derive(Debug)]
pub enum Event {
    /// A game was reviewed.
    Reviewed(Box<Review>),
    /// A game could not be reviewed; the run goes on.
    Failed(Failure),
}

/// Reviews games, with as many positions at a time as the analyst answers in parallel.
///
/// The positions of all games form one queue, so a single long game keeps every engine as busy as a
/// thousand short ones. Only a few games are in memory at a time. `each` runs on the calling
/// thread, in the order of the games.
///
/// `networks` are those that [`JudgeOptions::ease`](centipawn_judge::JudgeOptions::ease) names.
/// Once `cancel` is set, or the analyst is closed, no further question is asked and unfinished
/// games are left out. Returns whether the run was cancelled.
pub fn review_games(
    games: impl Iterator<Item = Game> + Send,
    analyst: &dyn Analyst,
    networks: &[Network],
    options: &ReviewOptions,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    mut each: impl FnMut(Event),
) -> bool {
    let count = PositionCount::new(reporter).passes(options.judge.passes());
    let finder = Finder {
        analyst,
        networks,
        options: &options.judge,
        count: &count,
    };
    let jobs = games.map(|game| FindJob::new(finder, game));
    run_jobs(jobs, finder.analyst.parallelism(), cancel, |found| {
        each(Event::of(found, finder.count, options));
    })
}

impl Event {
    /// Judges the findings of a game by these options and counts the game, or passes on the
    /// failure.
    pub fn of(found: Found, count: &PositionCount<'_>, options: &ReviewOptions) -> Self {
        let Found { game, findings } = found;
        match findings {
            Ok(findings) => {
                let review = Review::judge(game, &findings, options);
                count.add_game(&review.title());
                Event::Reviewed(Box::new(review))
            }
            Err(failure) => Event::Failed(failure),
        }
    }
}
