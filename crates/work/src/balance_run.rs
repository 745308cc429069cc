//! Win-draw balances of engines: the recipe, and counting with reports.

use centipawn_calibrate::balance::{Bootstrap, Matches};
use centipawn_pgn::{ScanOptions, ScanReport, Shard, Sources};
use centipawn_progress::Reporter;
use serde::{Deserialize, Serialize};

use crate::{BalanceScan, Scan, ScanError, ScanState, run_scan};

/// From games to balances: the recipe of `balance --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BalanceRunOptions {
    /// Which part of the games to read; all by default.
    pub shard: Shard,
    /// How games are counted.
    pub count: BalanceScan,
    /// How intervals are computed.
    pub bootstrap: Bootstrap,
}

/// Counts games for balances. Unreadable games are reported, the first ones individually, and skipped.
///
/// # Errors
///
/// [`ScanError`].
pub fn count_matches(
    sources: &Sources,
    scan: &BalanceScan,
    options: &ScanOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<(Matches, ScanReport), ScanError> {
    let options = ScanOptions { reporter: Some(reporter), ..*options };
    let scanned = run_scan(&Scan::Balance(scan.clone()), None, sources, &options)?;
    let mut matches = match scanned.state {
        ScanState::Balance(matches) => matches,
        _ => Matches::default(),
    };
    matches.finish(&scan.options);
    Ok((matches, scanned.report))
}
