//! Scans as values: what is counted over many games, and its state, which adds up.

use centipawn_calibrate::{
    balance::{BalanceOptions, Matches},
    material::{self, Collection},
    wdl::{self, Counted, FenCounters},
};
use centipawn_pgn::{Dialect, Merge, ScanOptions, ScanReport, Shard, Sources, Stats, Unreadable};
use centipawn_progress::Outcome;
use serde::{Deserialize, Serialize};

/// What is counted over many games. Its [`ScanState`] of parts of the games merges to that of the whole.
///
/// ```
/// use centipawn_pgn::{ScanOptions, Shard, Sources};
/// use centipawn_work::{Scan, ScanState, StatsScan, run_scan};
///
/// # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// let sources = Sources::expand(&[games])?;
/// let scan: Scan = serde_json::from_str(r#"{ "scan": "pgn-stats" }"#)?;
/// let part = |index| {
///     let shard = Shard::new(index, 2)?;
///     Ok::<_, Box<dyn std::error::Error>>(run_scan(&scan, None, &sources, &ScanOptions { shard, ..ScanOptions::default() })?)
/// };
/// let mut sum = part(1)?;
/// sum.merge(part(2)?)?;
/// let whole = run_scan(&scan, None, &sources, &ScanOptions::default())?;
/// assert_eq!(sum.state, whole.state);
/// # assert_eq!(scan, Scan::PgnStats(StatsScan::default()));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "scan", rename_all = "kebab-case")]
pub enum Scan {
    /// What is in games: results, names, evaluations.
    PgnStats(StatsScan),
    /// Evaluated positions for a win/draw/loss model.
    WdlCount(WdlCountScan),
    /// What engines hoped for and got, for their win-draw balance.
    Balance(BalanceScan),
    /// Rows of material for piece values.
    Material(MaterialScan),
}

/// A scan for [`Stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatsScan {
    /// How evaluations are written; by default found for each file.
    pub evals: Dialect,
}

/// From games to their counts: the recipe of `pgn stats --json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatsRunOptions {
    /// Which part of the games; all by default.
    pub shard: Shard,
    /// How games are counted.
    pub count: StatsScan,
}

/// A scan for [`Counted`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlCountScan {
    /// How evaluations are written; by default found for each file.
    pub evals: Dialect,
    /// How games are counted.
    #[serde(flatten)]
    pub options: wdl::CountOptions,
}

/// A scan for [`Matches`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BalanceScan {
    /// How evaluations are written; by default found for each file.
    pub evals: Dialect,
    /// How games are counted.
    #[serde(flatten)]
    pub options: BalanceOptions,
}

/// A scan for a [`Collection`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MaterialScan {
    /// How evaluations are written; by default found for each file.
    pub evals: Dialect,
    /// How games are counted.
    #[serde(flatten)]
    pub options: material::CountOptions,
}

/// The state of a [`Scan`] of some of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanState {
    /// Of [`Scan::PgnStats`].
    PgnStats(Stats),
    /// Of [`Scan::WdlCount`].
    WdlCount(Counted),
    /// Of [`Scan::Balance`]; to be [finished](Matches::finish) when all parts are merged.
    Balance(Matches),
    /// Of [`Scan::Material`].
    Material(Collection),
}

/// The state with the counts of what was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scanned {
    /// The state.
    pub state: ScanState,
    /// What was read, and what could not be read.
    pub report: ScanReport,
}

/// Why a scan cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// A game or file cannot be read, and the scan is [strict](ScanOptions::strict).
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The scan names a book of start positions, which is not here.
    #[error("the book of start positions {name} is needed")]
    NoBook {
        /// The book's name.
        name: String,
    },
}

/// States of two different scans, which do not add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these are states of two different scans")]
pub struct DifferentScans;

impl Scanned {
    /// Adds the state of a part that follows.
    ///
    /// # Errors
    ///
    /// [`DifferentScans`]; then nothing is added.
    pub fn merge(&mut self, later: Self) -> Result<(), DifferentScans> {
        match (&mut self.state, later.state) {
            (ScanState::PgnStats(own), ScanState::PgnStats(later)) => own.merge(later),
            (ScanState::WdlCount(own), ScanState::WdlCount(later)) => own.merge(later),
            (ScanState::Balance(own), ScanState::Balance(later)) => own.merge(later),
            (ScanState::Material(own), ScanState::Material(later)) => own.merge(later),
            _ => return Err(DifferentScans),
        }
        self.report.merge(later.report);
        Ok(())
    }

    /// What became of the games.
    pub fn outcome(&self) -> Outcome {
        self.report.outcome()
    }
}

/// Runs a scan on all games of `sources`, or on a [shard](ScanOptions::shard) of them. The scan's dialect replaces that of
/// `options`; `book` is what [`wdl::CountOptions::fens`] names.
///
/// Cancelled, it gives the state of a beginning of the games, and the report says so.
///
/// # Errors
///
/// [`ScanError`].
pub fn run_scan(
    scan: &Scan,
    book: Option<&FenCounters>,
    sources: &Sources,
    options: &ScanOptions<'_>,
) -> Result<Scanned, ScanError> {
    let reading = |dialect| ScanOptions { dialect, ..*options };
    let (state, report) = match scan {
        Scan::PgnStats(StatsScan { evals }) => {
            let (stats, report) = Stats::of(sources, &reading(*evals))?;
            (ScanState::PgnStats(stats), report)
        }
        Scan::WdlCount(WdlCountScan { evals, options }) => {
            if let (Some(wanted), None) = (&options.fens, book) {
                return Err(ScanError::NoBook { name: wanted.name.clone() });
            }
            let (counted, report) = wdl::count(sources, &reading(*evals), options, book)?;
            (ScanState::WdlCount(counted), report)
        }
        Scan::Balance(BalanceScan { evals, options }) => {
            let (matches, report) = Matches::count_part(sources, &reading(*evals), options)?;
            (ScanState::Balance(matches), report)
        }
        Scan::Material(MaterialScan { evals, options }) => {
            let (collection, report) = material::count(sources, &reading(*evals), options)?;
            (ScanState::Material(collection), report)
        }
    };
    Ok(Scanned { state, report })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_travel_as_json() {
        let resamples = wdl::ResampleOptions { seed: 3, ..wdl::ResampleOptions::default() };
        let engine = "Stockfish.*".parse().ok();
        let count = wdl::CountOptions { engine, resamples: Some(resamples), ..wdl::CountOptions::default() };
        let not_won = vec!["Season 9:17".parse().unwrap()];
        for scan in [
            Scan::PgnStats(StatsScan { evals: Dialect::Tcec }),
            Scan::WdlCount(WdlCountScan { options: count, ..WdlCountScan::default() }),
            Scan::Balance(BalanceScan {
                options: BalanceOptions { not_won, ..BalanceOptions::default() },
                ..BalanceScan::default()
            }),
            Scan::Material(MaterialScan {
                options: material::CountOptions {
                    search: Some(material::SearchCurve::ByDialect),
                    ..material::CountOptions::default()
                },
                ..MaterialScan::default()
            }),
        ] {
            let json = serde_json::to_string(&scan).unwrap();
            assert_eq!(serde_json::from_str::<Scan>(&json).unwrap(), scan, "{json}");
        }
    }

    #[test]
    fn different_scans_do_not_add_up() {
        let stats = || Scanned { state: ScanState::PgnStats(Stats::default()), report: ScanReport::default() };
        let counts = Scanned { state: ScanState::WdlCount(Counted::default()), report: ScanReport::default() };
        assert_eq!(stats().merge(counts), Err(DifferentScans));
        assert_eq!(stats().merge(stats()), Ok(()));
    }
}
