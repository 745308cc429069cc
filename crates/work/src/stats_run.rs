//! What games contain: counting, and merging of parts.

use centipawn_pgn::{ScanOptions, Stats, Unreadable};
use centipawn_progress::{Problem, Reporter};

use crate::{
    Gathered, ScanError, ScanRequest, StatsScan,
    gather::{gather, named_games},
};

/// Counts what games contain, or merges parts. Unreadable files are reported; unreadable games are only counted.
///
/// # Errors
///
/// [`ScanError`].
pub fn count_stats(
    request: &ScanRequest<'_>,
    scan: StatsScan,
    options: &ScanOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<Gathered<StatsScan, Stats>, ScanError> {
    let on_unreadable = |unreadable: &Unreadable| {
        if let Unreadable::Source(_) = unreadable {
            reporter.problem(&Problem::from(unreadable));
        }
    };
    let options = ScanOptions { on_unreadable: Some(&on_unreadable), reporter: Some(reporter), ..*options };
    gather(request, &scan, None, &options, || Ok(named_games(request.games, reporter)))
}
