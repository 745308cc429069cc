//! Giving up on an engine that answers nothing.

/// Consecutive failures after which work is given up.
const MOST: u32 = 5;

/// Several consecutive games or puzzles could not be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MOST} {0} in a row failed; is the engine in order?")]
pub struct Failing(&'static str);

/// A counter of consecutive failures.
pub(super) struct Failures {
    /// The plural noun for the items in the message, such as "games".
    what: &'static str,
    in_a_row: u32,
}

impl Failures {
    pub(super) fn of(what: &'static str) -> Self {
        Self { what, in_a_row: 0 }
    }

    /// Counts the next game or puzzle.
    ///
    /// # Errors
    ///
    /// [`Failing`], if it is one failure too many.
    pub(super) fn add(&mut self, has_failed: bool) -> Result<(), Failing> {
        self.in_a_row = if has_failed { self.in_a_row + 1 } else { 0 };
        if self.in_a_row < MOST {
            Ok(())
        } else {
            Err(Failing(self.what))
        }
    }
}
