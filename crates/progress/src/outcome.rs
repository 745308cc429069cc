//! The outcome of a command or a job.

use serde::{Deserialize, Serialize};

/// The outcome of a command or a job: the numbers of done and skipped items, and whether it was
/// cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Number of items done: games, positions or puzzles.
    pub done: u64,
    /// Number of items that had to be skipped: games, files or positions. Each was reported as a
    /// problem.
    pub skipped: u64,
    /// Whether the work was cancelled before its end. Items that were done are kept.
    pub cancelled: bool,
}

impl Outcome {
    /// Returns whether every item was done.
    pub fn is_whole(&self) -> bool {
        self.skipped == 0 && !self.cancelled
    }

    /// Adds the outcomes of two parts of the work.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            done: self.done + other.done,
            skipped: self.skipped + other.skipped,
            cancelled: self.cancelled || other.cancelled,
        }
    }
}
