//! Counting over many games: states that merge, and the results of states.
//!
//! A [`Scan`] counts something on all cores. [`ScanState`]s merge: over threads, over [shards](centipawn_pgn::Shard), over machines.
//! `gather` is the one way to a state, from games or from files of parts; then comes the fit.

mod balance;
mod counts_sum;
mod gather;
mod human;
mod input_hashes;
mod match_games;
mod material;
mod part;
mod state;
mod stats;
mod stockfish;
mod wdl_compare;
mod wdl_count;
mod wdl_fit;
mod wdl_run;

pub use balance::{
    BalanceChoice, BalanceCurveError, BalanceError, BalanceRunOptions, Balances, balance, balance_evaluated,
};
pub use counts_sum::{CountsSum, CountsSumError};
pub use gather::WdlGamesOptions;
pub(crate) use gather::{Gathered, named_games};
pub use human::{
    CollectHumanError, CollectedHumanGames, HUMAN_REPORT_FILES, HumanRunOptions, collect_evaluated_human_games,
    collect_human_games, earlier_human_report, write_human_report,
};
pub(crate) use input_hashes::InputHashes;
pub use match_games::{MatchGamesError, MatchResult, MatchRunOptions, match_games};
pub use material::{
    CollectError, CollectedRows, CompareCollectionsError, ComparedCollections, MATERIAL_FILES, MaterialError,
    MaterialRequest, MaterialResult, MaterialRunOptions, TermTwice, compare_collections, has_rows, material_rows,
    rows_format, write_material,
};
pub use part::{PartError, PartHeader, part_header};
pub use state::{
    BalanceScan, DifferentScans, HumanScan, MatchScan, MaterialScan, Scan, ScanError, ScanState, Scanned,
    StatsRunOptions, StatsScan, WdlCountScan, run_scan,
};
pub use stats::{GameStats, count_stats};
pub use stockfish::{CheckoutError, Revision, StockfishRevisions};
pub use wdl_compare::{
    CompareModelsError, ComparedModel, ComparedModels, WdlCompareOptions, compare, compare_models, read_counts,
};
pub use wdl_count::{CountGamesError, CountedGames, count_games};
pub use wdl_fit::{FitEachError, FittedModel, FittedModels, KnownCounts, KnownCountsError, WdlFitOptions, fit_each};
pub use wdl_run::{WdlRun, WdlRunError, WdlRunOptions, wdl_run};
