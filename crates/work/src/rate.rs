//! Ratings of puzzles.

use centipawn_progress::{Cancel, Outcome, Problem, ProblemCount, Progress, Reporter, Unit, in_order};
use centipawn_puzzle::{
    Puzzle,
    rating::{RateOptions, Rater},
};

/// Estimates how hard puzzles are, on `threads` threads (0 counts as 1), and calls `on_puzzle` with each, in their order, on this thread.
///
/// Puzzles that the options do not [concern](RateOptions::concerns) pass as they are; so do those that cannot be rated, each of
/// which is reported. Setting `cancel` ends the run after the puzzles under way.
pub fn rate_puzzles(
    puzzles: impl Iterator<Item = Puzzle> + Send,
    options: &RateOptions,
    rater: &Rater,
    threads: usize,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    mut on_puzzle: impl FnMut(&Puzzle),
) -> Outcome {
    let problems = ProblemCount::new(reporter);
    let work = |mut puzzle: Puzzle| {
        if options.concerns(&puzzle)
            && let Err(error) = rater.rate(&mut puzzle)
        {
            problems.problem(&Problem::error(format_args!("puzzle {}: {error}", puzzle.id)));
        }
        Some(puzzle)
    };
    let mut done = 0;
    let cancelled = in_order(puzzles, threads, cancel, work, |puzzle| {
        done += 1;
        let progress = Progress { done, total: None, unit: Unit::Puzzles, games: 0, label: puzzle.id.clone() };
        problems.progress(&progress);
        on_puzzle(&puzzle);
    });
    Outcome { done, skipped: problems.errors(), cancelled: cancelled || cancel.is_set() }
}
