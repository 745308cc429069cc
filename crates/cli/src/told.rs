//! Problems of a scan, told one by one as long as that helps.

use std::sync::atomic::{AtomicU64, Ordering};

use centipawn_pgn::Problem;

use crate::text::plural;

/// So many games that cannot be read are told; `pgn check` lists them all.
const GAMES: u64 = 20;

/// Counts what was told.
#[derive(Default)]
pub(crate) struct Told(AtomicU64);

impl Told {
    /// Whether a problem is one to tell: of a source always, of a game while there were few.
    pub(crate) fn is_due(&self, problem: &Problem) -> bool {
        matches!(problem, Problem::Source(_)) || self.0.fetch_add(1, Ordering::Relaxed) < GAMES
    }

    /// What is to be said in the end of those that were not told.
    pub(crate) fn rest(&self) -> Option<String> {
        let more = self.0.load(Ordering::Relaxed).checked_sub(GAMES).filter(|more| *more > 0)?;
        Some(format!("{} cannot be read; `centipawn pgn check` lists them all", plural(more, "more game")))
    }
}
