//! Counting over many games: states that merge, and the results of states.
//!
//! A [`Scan`] counts something on all cores. Its states merge: over threads, over
//! [shards](centipawn_pgn::Shard), over machines. `gather` is the one way to a state, from games or
//! from files of parts; then comes the fit.

mod balance;
mod counts_sum;
mod fishtest;
mod gather;
mod human;
mod human_check;
mod input_hashes;
mod match_games;
mod material;
mod part;
mod stats;
mod stockfish;
mod wdl_compare;
mod wdl_count;
mod wdl_fit;
mod wdl_run;

use centipawn_calibrate::wdl::FenCounters;
use centipawn_pgn::{Impossible, Merge, ScanOptions, ScanReport, Sources, Unreadable};
use serde::{Serialize, de::DeserializeOwned};

pub use balance::{
    BalanceChoice, BalanceCurveError, BalanceError, BalanceRunOptions, BalanceScan, Balances,
    balance, balance_evaluated,
};
pub use counts_sum::{CountsSum, CountsSumError};
pub use fishtest::{FishtestFilter, FishtestFilterError};
pub(crate) use gather::{Gathered, named_games};
pub use human::{
    CollectHumanError, CollectedHumanGames, HumanRunOptions, HumanScan,
    collect_evaluated_human_games, collect_human_games, earlier_human_report, write_human_report,
};
pub use human_check::{CheckHumanError, check_human_curve};
pub(crate) use input_hashes::InputHashes;
pub use match_games::{MatchGamesError, MatchResult, MatchRunOptions, MatchScan, match_games};
pub(crate) use material::has_rows;
pub use material::{
    CollectError, CollectedRows, CompareCollectionsError, ComparedCollections, MATERIAL_FILES,
    MaterialError, MaterialRequest, MaterialResult, MaterialRunOptions, MaterialScan, TermTwice,
    compare_collections, material_rows, rows_format, write_material,
};
pub use part::{PartError, PartHeader, part_header};
pub use stats::{GameStats, StatsRunOptions, StatsScan, count_stats};
pub use stockfish::{CheckoutError, Revision, StockfishRevisions};
pub use wdl_compare::{
    CompareModelsError, ComparedModel, ComparedModels, WdlCompareOptions, compare, compare_models,
    read_counts,
};
pub use wdl_count::{CountGamesError, CountedGames, WdlCountScan, WdlGamesOptions, count_games};
pub use wdl_fit::{
    FitEachError, FittedModel, FittedModels, KnownCounts, KnownCountsError, WdlFitOptions, fit_each,
};
pub use wdl_run::{WdlRun, WdlRunError, WdlRunOptions, wdl_run};

/// A count over many games: how they are counted, with the state that counting leads to.
///
/// The states of parts of the games merge to that of all games, also when another machine counted
/// a part, since a state is a document.
///
/// ```
/// use centipawn_pgn::{Merge, ScanOptions, Shard, Sources};
/// use centipawn_work::scan::{Scan, StatsScan};
///
/// # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// let sources = Sources::expand(&[games])?;
/// let scan = StatsScan::default();
/// let part = |index| {
///     let options = ScanOptions { shard: Shard::new(index, 2)?, ..ScanOptions::default() };
///     Ok::<_, Box<dyn std::error::Error>>(scan.run(None, &sources, &options)?)
/// };
/// let (mut sum, _) = part(1)?;
/// sum.merge(part(2)?.0);
/// let (whole, report) = scan.run(None, &sources, &ScanOptions::default())?;
/// assert_eq!(sum, whole);
/// StatsScan::check(&whole, &report)?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub trait Scan: Serialize + DeserializeOwned + Default + Clone {
    /// The sum over all games.
    type State: Merge + Serialize + DeserializeOwned;

    /// The name of the state in the file of a part.
    const NAME: &'static str;

    /// The commands whose parts have this state.
    const COMMANDS: &'static [&'static str];

    /// Options for which merging has no default, as JSON pointers: if they differ from those of the
    /// parts, the parts cannot be used.
    const STRICT: &'static [&'static str] = &[];

    /// Counts all games of `sources`, or one [shard](ScanOptions::shard) of them. The dialect of
    /// the scan overrides that of `options`. `book` is the one that
    /// [`CountOptions::fens`](centipawn_calibrate::wdl::CountOptions::fens) names; only counts for
    /// win/draw/loss models have one.
    ///
    /// After a cancel the state covers the first games only, and the report records that the scan
    /// was cancelled.
    ///
    /// # Errors
    ///
    /// [`ScanError`].
    fn run(
        &self,
        book: Option<&FenCounters>,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(Self::State, ScanReport), ScanError>;

    /// Checks that a scan can end in this state, since a file may be damaged or forged.
    ///
    /// # Errors
    ///
    /// [`Impossible`]: values that no scan can produce.
    fn check(state: &Self::State, report: &ScanReport) -> Result<(), Impossible>;

    /// Returns the same options, with everything counted that any result of the parts may need.
    fn for_part(&self) -> Self {
        self.clone()
    }

    /// Returns the requested options, completed by those of the parts where only the parts can know
    /// them.
    fn beside(&self, _of_parts: &Self) -> Self {
        self.clone()
    }

    /// Returns the options of the parts, completed by those requested for the results alone.
    fn for_results(self, _asked: &Self) -> Self {
        self
    }
}

/// The reason why a scan cannot continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// A game or file cannot be read, and the scan is [strict](ScanOptions::strict).
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The scan names a book of start positions that the caller did not give.
    #[error("the book of start positions {name} is needed")]
    NoBook {
        /// The name of the book.
        name: String,
    },
    /// A part cannot be written, or parts do not merge.
    #[error("{0}")]
    Part(#[from] PartError),
}
