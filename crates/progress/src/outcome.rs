//! How work ended.

use serde::{Deserialize, Serialize};

/// How a piece of work ended: the numbers of done and skipped items, and whether it was cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Items done: games, positions or puzzles.
    pub done: u64,
    /// Things that could not be done: games, files, positions. Each was reported.
    pub skipped: u64,
    /// Whether the work was cancelled before its end; what was done is kept.
    pub cancelled: bool,
}

impl Outcome {
    /// Whether everything was done.
    pub fn is_whole(&self) -> bool {
        self.skipped == 0 && !self.cancelled
    }

    /// The outcome of two pieces of work together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            done: self.done + other.done,
            skipped: self.skipped + other.skipped,
            cancelled: self.cancelled || other.cancelled,
        }
    }
}
