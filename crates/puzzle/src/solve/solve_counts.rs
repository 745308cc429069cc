//! How a sitting went.

use super::Attempt;

/// Counts of puzzles by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SolveCounts {
    /// Solved without a mistake or a hint.
    pub at_once: u64,
    /// Solved with hints, without a mistake.
    pub with_hints: u64,
    /// Solved after mistakes.
    pub after_mistakes: u64,
    /// Not solved: the solver asked for the solution.
    pub shown: u64,
    /// Left for the next puzzle.
    pub skipped: u64,
}

impl SolveCounts {
    /// Counts a solved puzzle; returns `Solved`, `Solved with hints` or `Solved after mistakes`.
    pub fn solved(&mut self, attempt: &Attempt<'_>) -> &'static str {
        let (how, count) = match (attempt.mistakes(), attempt.hints()) {
            (0, 0) => ("Solved", &mut self.at_once),
            (0, _) => ("Solved with hints", &mut self.with_hints),
            (_, _) => ("Solved after mistakes", &mut self.after_mistakes),
        };
        *count += 1;
        how
    }
}
