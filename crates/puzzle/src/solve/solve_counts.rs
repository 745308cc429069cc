//! Counts the puzzles of a session.

use super::Attempt;

/// Numbers of puzzles by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SolveCounts {
    /// Number of puzzles solved without a mistake or a hint.
    pub at_once: u64,
    /// Number of puzzles solved with hints, without a mistake.
    pub with_hints: u64,
    /// Number of puzzles solved after mistakes.
    pub after_mistakes: u64,
    /// Number of puzzles whose solution was shown.
    pub shown: u64,
    /// Number of skipped puzzles.
    pub skipped: u64,
}

impl SolveCounts {
    /// Counts a solved puzzle. Returns `Solved`, `Solved with hints` or `Solved after mistakes`.
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
