//! Ratings of puzzles.

use centipawn_progress::{
    Cancel, Job, Outcome, Problem, ProblemCount, Progress, Reporter, Unit, single_step,
};
use centipawn_puzzle::{
    Puzzle,
    rating::{RateOptions, Rater},
};

use crate::engine::{Crew, Recipe, Work};

/// Rating: [`Work`] on puzzles.
struct Rating<'a> {
    options: &'a RateOptions,
    rater: &'a Rater,
    problems: &'a dyn Reporter,
}

impl Work for Rating<'_> {
    type Item = Puzzle;
    type Answer = Option<Puzzle>;

    fn recipe(&self) -> Recipe {
        Recipe::Rate(*self.options)
    }

    fn job(&self, puzzle: Puzzle) -> impl Job<Output = Option<Puzzle>> {
        single_step(puzzle, |mut puzzle| {
            if self.options.concerns(&puzzle)
                && let Err(error) = self.rater.rate(&mut puzzle)
            {
                self.problems.problem(&Problem::error(format_args!(
                    "puzzle {}: {error}",
                    puzzle.id
                )));
            }
            Some(puzzle)
        })
    }
}

/// Lets `crew` rate puzzles, and calls `on_puzzle` with each, in order, on the calling thread.
///
/// Puzzles that the options do not [concern](RateOptions::concerns) pass unchanged. Puzzles that
/// cannot be rated are reported and pass unchanged, too. After `cancel` is set, the run ends as
/// soon as the puzzles in progress are done.
pub fn rate_puzzles(
    puzzles: impl Iterator<Item = Puzzle> + Send,
    options: &RateOptions,
    rater: &Rater,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    mut on_puzzle: impl FnMut(&Puzzle),
) -> Outcome {
    let problems = ProblemCount::new(reporter);
    let work = Rating {
        options,
        rater,
        problems: &problems,
    };
    let mut done = 0;
    let cancelled = crew.run(&work, puzzles, cancel, |puzzle| {
        let Some(puzzle) = puzzle else { return };
        done += 1;
        let progress = Progress {
            done,
            total: None,
            unit: Unit::Puzzles,
            games: 0,
            label: puzzle.id.clone(),
        };
        problems.progress(&progress);
        on_puzzle(&puzzle);
    });
    Outcome {
        done,
        skipped: problems.errors(),
        cancelled: cancelled || cancel.is_set(),
    }
}
