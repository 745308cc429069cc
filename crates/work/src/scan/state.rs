//! Scans as values: counts over many games, with states that merge.

use centipawn_calibrate::{
    balance::{BalanceOptions, Matches},
    engine_match::MatchGames,
    human::{HumanCountOptions, HumanGames},
    material::{self, Collection},
    wdl::{self, Counted, FenCounters},
};
use centipawn_pgn::{Dialect, Impossible, Merge, ScanOptions, ScanReport, Shard, Sources, Stats, Unreadable};
use centipawn_progress::Outcome;
use serde::{Deserialize, Serialize};

use crate::PartError;

/// A count over many games. The [`ScanState`]s of parts of the games merge to that of all games.
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
    /// Contents of games: results, names, evaluations.
    PgnStats(StatsScan),
    /// Evaluated positions for a win/draw/loss model.
    WdlCount(WdlCountScan),
    /// Evaluations and results of engines, for their win-draw balance.
    Balance(BalanceScan),
    /// Results of a match or tournament.
    Match(MatchScan),
    /// Rows of material for piece values.
    Material(MaterialScan),
    /// Evaluated positions of games between humans.
    Human(HumanScan),
}

/// A scan for [`Stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatsScan {
    /// How evaluations are written; by default detected for each file.
    pub evals: Dialect,
}

/// The options of counting what games contain: the recipe of `pgn stats --json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatsRunOptions {
    /// Which part of the games to read; all by default.
    pub shard: Shard,
    /// How games are counted.
    pub count: StatsScan,
}

/// A scan for [`Counted`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlCountScan {
    /// How evaluations are written; by default detected for each file.
    pub evals: Dialect,
    /// How games are counted.
    #[serde(flatten)]
    pub options: wdl::CountOptions,
}

/// A scan for [`Matches`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BalanceScan {
    /// How evaluations are written; by default detected for each file.
    pub evals: Dialect,
    /// How games are counted.
    #[serde(flatten)]
    pub options: BalanceOptions,
}

/// A scan for [`MatchGames`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchScan {
    /// How evaluations are written; by default detected for each file.
    pub evals: Dialect,
}

/// A scan for a [`Collection`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MaterialScan {
    /// How evaluations are written; by default detected for each file.
    pub evals: Dialect,
    /// How games are counted.
    #[serde(flatten)]
    pub options: material::CountOptions,
}

/// A scan for [`HumanGames`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HumanScan {
    /// How evaluations are written; by default detected for each file.
    pub evals: Dialect,
    /// Which games and positions count.
    #[serde(flatten)]
    pub options: HumanCountOptions,
}

/// The state of a [`Scan`] after some or all of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanState {
    /// Of [`Scan::PgnStats`].
    PgnStats(Stats),
    /// Of [`Scan::WdlCount`].
    WdlCount(Counted),
    /// Of [`Scan::Balance`]; to be [finished](Matches::finish) after the last merge.
    Balance(Matches),
    /// Of [`Scan::Match`].
    Match(MatchGames),
    /// Of [`Scan::Material`].
    Material(Collection),
    /// Of [`Scan::Human`].
    Human(HumanGames),
}

/// A scan's state, with a report on the games and files read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scanned {
    /// The state.
    pub state: ScanState,
    /// Games and files read, and those that could not be read.
    pub report: ScanReport,
}

/// Why a scan cannot continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// A game or file cannot be read, and the scan is [strict](ScanOptions::strict).
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The scan names a book of start positions that the caller did not give.
    #[error("the book of start positions {name} is needed")]
    NoBook {
        /// The book's name.
        name: String,
    },
    /// A part cannot be written, or parts do not merge.
    #[error("{0}")]
    Part(#[from] PartError),
    /// A scan ended with the state of another.
    #[error("a scan ended with the state of another one; please report this")]
    State,
}

/// An attempt to merge states of two different scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these are states of two different scans")]
pub struct DifferentScans;

impl Scanned {
    /// Adds the state of a later part of the games.
    ///
    /// # Errors
    ///
    /// [`DifferentScans`]; then `self` is unchanged.
    pub fn merge(&mut self, later: Self) -> Result<(), DifferentScans> {
        match (&mut self.state, later.state) {
            (ScanState::PgnStats(own), ScanState::PgnStats(later)) => own.merge(later),
            (ScanState::WdlCount(own), ScanState::WdlCount(later)) => own.merge(later),
            (ScanState::Balance(own), ScanState::Balance(later)) => own.merge(later),
            (ScanState::Match(own), ScanState::Match(later)) => own.merge(later),
            (ScanState::Material(own), ScanState::Material(later)) => own.merge(later),
            (ScanState::Human(own), ScanState::Human(later)) => own.merge(later),
            _ => return Err(DifferentScans),
        }
        self.report.merge(later.report);
        Ok(())
    }

    /// Checks that a scan can end in this state, since a file may be damaged or forged.
    ///
    /// # Errors
    ///
    /// [`Impossible`]: values that no scan can produce.
    pub fn check(&self) -> Result<(), Impossible> {
        let report = &self.report;
        report.check()?;
        match &self.state {
            ScanState::PgnStats(stats) => stats.check(report),
            ScanState::WdlCount(counted) => counted.check(report),
            ScanState::Balance(matches) => matches.check(report),
            ScanState::Match(games) => games.check(report),
            ScanState::Material(collection) => collection.check(report),
            ScanState::Human(games) => games.check(report),
        }
    }

    /// Games read, skipped, cancelled.
    pub fn outcome(&self) -> Outcome {
        self.report.outcome()
    }
}

/// Runs a scan on all games of `sources`, or on one [shard](ScanOptions::shard) of them. The scan's dialect overrides that
/// of `options`; `book` is the one that [`wdl::CountOptions::fens`] names.
///
/// After a cancel the state covers the first games only, and the report records that the scan was cancelled.
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
        Scan::Match(MatchScan { evals }) => {
            let (games, report) = MatchGames::count(sources, &reading(*evals))?;
            (ScanState::Match(games), report)
        }
        Scan::Material(MaterialScan { evals, options }) => {
            let (collection, report) = material::count(sources, &reading(*evals), options)?;
            (ScanState::Material(collection), report)
        }
        Scan::Human(HumanScan { evals, options }) => {
            let (games, report) = HumanGames::count(sources, &reading(*evals), options)?;
            (ScanState::Human(games), report)
        }
    };
    Ok(Scanned { state, report })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_travel_as_json() {
        let rows = wdl::GroupRows { by: wdl::By::Move, within: (20, 70), units: wdl::Units::of_stockfish("18") };
        let engine = "Stockfish.*".parse().ok();
        let count = wdl::CountOptions { engine, groups: vec![rows], ..wdl::CountOptions::default() };
        let not_won = vec!["Season 9:17".parse().unwrap()];
        for scan in [
            Scan::PgnStats(StatsScan { evals: Dialect::Tcec }),
            Scan::WdlCount(WdlCountScan { options: count, ..WdlCountScan::default() }),
            Scan::Balance(BalanceScan {
                options: BalanceOptions { not_won, ..BalanceOptions::default() },
                ..BalanceScan::default()
            }),
            Scan::Match(MatchScan { evals: Dialect::Engine }),
            Scan::Material(MaterialScan {
                options: material::CountOptions {
                    search: Some(material::SearchCurve::ByDialect),
                    ..material::CountOptions::default()
                },
                ..MaterialScan::default()
            }),
            Scan::Human(HumanScan {
                options: HumanCountOptions { seconds: Some(6600.0), ..HumanCountOptions::default() },
                ..HumanScan::default()
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
