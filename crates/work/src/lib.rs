//! The work itself, as values: what a command line, a page, a worker and a notebook all run.

mod counting_analyst;
mod ease;
mod mine;
mod provenance;
mod puzzles;
mod rate;
mod review;
mod review_store;
mod verify;

use std::sync::Arc;

pub use ease::{EaseError, EaseInput, EaseResources, judge_ease};
pub use mine::{MineResources, MineSummary, VerdictCount, mine_games, move_number};
pub use puzzles::read_puzzles;
pub use rate::rate_puzzles;
pub use review::{ReviewEnd, ReviewError, ReviewResources, review_files, review_provenance};
pub use verify::{VerifiedPuzzle, VerifySummary, verify_puzzles};

/// Who evaluates, as provenance has it.
fn identity(analyst: &dyn centipawn_engine::Analyst) -> Arc<centipawn_progress::Identity> {
    let who = analyst.identity();
    Arc::new(centipawn_progress::Identity {
        name: who.name.clone(),
        author: who.author.clone(),
        options: who.options.clone(),
    })
}
