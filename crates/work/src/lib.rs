//! The work itself, as values: what a command line, a page, a worker and a notebook all run.

mod ease;
mod mine;
mod policy_run;
mod provenance;
mod puzzles;
mod rate;
mod resources;
mod review;
mod review_store;
mod verify;

pub use ease::{EaseError, EaseInput, EaseResources, judge_ease};
pub use mine::{MineResources, MineSummary, VerdictCount, mine_games, move_number};
pub use policy_run::{NetworkAnswer, NetworkEvent, run_networks};
pub use puzzles::read_puzzles;
pub use rate::rate_puzzles;
pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
pub use review::{ReviewEnd, ReviewError, ReviewResources, review_files, review_provenance};
pub use verify::{VerifiedPuzzle, VerifySummary, verify_puzzles};
