//! The work itself, as values that a command line, a web page, a worker and a notebook all run.
//!
//! A [`Scan`] counts something over many games on all cores. [`ScanState`]s merge: over threads, over
//! [shards](centipawn_pgn::Shard), over machines. [`run_scan`] returns one; [`wdl_run`] and [`write_material`] turn it into
//! results.

mod balance_run;
mod counts_sum;
mod crew;
mod door;
mod ease;
mod game_review;
mod gather;
mod human_evaluate;
mod human_run;
mod input_hashes;
pub mod library;
mod material_run;
mod mine;
mod mine_text;
mod part;
mod perform;
mod policy_run;
mod positions;
mod provenance;
mod puzzles;
mod rate;
mod recipe;
mod resources;
mod review;
mod review_store;
mod scan;
mod stats_run;
mod stockfish;
mod table;
mod verify;
mod verify_text;
mod wdl_compare;
mod wdl_count;
mod wdl_fit;
mod wdl_run;

pub use balance_run::{BalanceChoice, BalanceCurveError, BalanceError, BalanceRunOptions, Balances, balance};
pub use counts_sum::{CountsSum, CountsSumError};
pub use crew::{Crew, Threads, Work};
pub use door::{Finished, Inputs, Run};
pub use ease::{EaseError, EaseResources, judge_ease};
pub use game_review::{FoundPosition, find_key, review_game, stored_findings};
pub use gather::{Gathered, ScanRequest, WdlGamesOptions};
pub use human_evaluate::{HumanEvaluateOptions, HumanEvaluation, evaluate_human_games};
pub use human_run::{
    CollectHumanError, CollectedHumanGames, HUMAN_REPORT_FILES, HumanRunOptions, collect_human_games,
    earlier_human_report, write_human_report,
};
pub use input_hashes::InputHashes;
pub use material_run::{
    CollectError, CollectedRows, CompareCollectionsError, ComparedCollections, MATERIAL_FILES, MaterialError,
    MaterialRequest, MaterialResult, MaterialRunOptions, TermTwice, compare_collections, has_rows, material_rows,
    rows_format, write_material,
};
pub use mine::{MineResources, MineSummary, VerdictCount, mine_files, mine_game, move_number};
pub use mine_text::candidate_lines;
pub use part::{PartError, PartHeader, part_header};
pub use perform::{game_key, is_fleet_work, nodes_of_game, perform};
pub use policy_run::{AnswerPlace, NetworkAnswer, NetworkEvent, PolicyOptions, run_networks};
pub use positions::{BadPosition, PositionInput, PositionInputError, parse_position};
pub use puzzles::read_puzzles;
pub use rate::rate_puzzles;
pub use recipe::Recipe;
pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
pub use review::{ReviewEnd, ReviewError, ReviewResources, review_files, review_provenance};
pub use scan::{
    BalanceScan, DifferentScans, HumanScan, MaterialScan, Scan, ScanError, ScanState, Scanned, StatsRunOptions,
    StatsScan, WdlCountScan, run_scan,
};
pub use stats_run::count_stats;
pub use stockfish::{CheckoutError, Revision, StockfishRevisions};
pub use table::{
    GameRow, PlyExport, PlyExportError, PlyExportOptions, ReviewTable, StoredColumn, Table, Values, columns,
    comment_dialect, eval_columns, export_plies, game_id, judged_plies, result,
};
pub use verify::{VerifiedPuzzle, VerifyResources, VerifySummary, verify_puzzles};
pub use wdl_compare::{CompareModelsError, WdlCompareOptions, compare_models, read_counts};
pub use wdl_count::{CountGamesError, CountedGames, count_games};
pub use wdl_fit::{FitEachError, FittedModel, FittedModels, KnownCounts, KnownCountsError, WdlFitOptions, fit_each};
pub use wdl_run::{WdlRun, WdlRunError, WdlRunOptions, wdl_run};
