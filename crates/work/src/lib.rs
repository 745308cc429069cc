//! The work itself, as values that a command line, a web page, a worker and a notebook all run.
//!
//! A [`Scan`] counts something over many games on all cores. [`ScanState`]s merge: over threads, over
//! [shards](centipawn_pgn::Shard), over machines. [`run_scan`] returns one; [`wdl_run`] and [`write_report`] turn it into
//! results.

mod balance_run;
mod crew;
mod ease;
mod input_hashes;
mod material_run;
mod mine;
mod policy_run;
mod provenance;
mod puzzles;
mod rate;
mod recipe;
mod resources;
mod review;
mod review_store;
mod scan;
mod verify;
mod wdl_count;
mod wdl_run;

pub use balance_run::{BalanceRunOptions, count_matches};
pub use crew::{Crew, Threads, Work};
pub use ease::{EaseError, EaseInput, EaseResources, judge_ease};
pub use input_hashes::InputHashes;
pub use material_run::{
    CollectError, CollectedRows, MaterialRunOptions, REPORT_FILES, collect_rows, has_rows, rows_format,
    write_comparison, write_report,
};
pub use mine::{MineResources, MineSummary, VerdictCount, mine_files, move_number};
pub use policy_run::{NetworkAnswer, NetworkEvent, run_networks};
pub use puzzles::read_puzzles;
pub use rate::rate_puzzles;
pub use recipe::Recipe;
pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
pub use review::{ReviewEnd, ReviewError, ReviewResources, review_files, review_provenance};
pub use scan::{
    BalanceScan, DifferentScans, MaterialScan, Scan, ScanError, ScanState, Scanned, StatsRunOptions, StatsScan,
    WdlCountScan, run_scan,
};
pub use verify::{VerifiedPuzzle, VerifyResources, VerifySummary, verify_puzzles};
pub use wdl_count::{CountGamesError, CountedGames, count_games, select_games};
pub use wdl_run::{WdlRun, WdlRunError, WdlRunOptions, wdl_run};
