//! Options of a scan.

use std::num::NonZeroUsize;

use centipawn_progress::{Cancel, Reporter};

use super::{Shard, StreamHashes, Unreadable};
use crate::{Dialect, cut};

/// Options of [`scan`](crate::scan()).
#[derive(Clone, Copy)]
pub struct ScanOptions<'a> {
    /// Number of threads; `None`, the default, uses one per core.
    pub threads: Option<NonZeroUsize>,
    /// The dialect of all evaluations; [`Dialect::Auto`], the default, detects it for each file
    /// from its first games.
    pub dialect: Dialect,
    /// Whether the first unreadable game or file ends the scan. Default no.
    pub strict: bool,
    /// Whether to check variations too, and report all that is kept as text, as
    /// [`check`](crate::check) does. Default no: only losses of a game's tags and main line are
    /// reported.
    pub thorough: bool,
    /// The part of the games to read. Default [all](Shard::ALL).
    pub shard: Shard,
    /// Maximum size of a game in bytes, at most 1 GiB. Default 8 MiB.
    pub limit: usize,
    /// Number of bytes of text that a thread takes at a time, at most 1 GiB. Default 2 MiB.
    pub block: usize,
    /// Called for each unreadable game, part of a game and file, in input order; at most
    /// [`ERRORS_LISTED`](Self::ERRORS_LISTED) games of a file are passed on, while the
    /// [`ScanReport`](crate::ScanReport) counts all. Default none.
    pub on_unreadable: Option<&'a (dyn Fn(&Unreadable) + Sync)>,
    /// Receives progress about ten times a second, in bytes of files. Without
    /// [`on_unreadable`](Self::on_unreadable) it also receives unreadable games and files, as
    /// reported by [`FirstUnreadable`]. Default none.
    ///
    /// [`FirstUnreadable`]: crate::FirstUnreadable
    pub reporter: Option<&'a dyn Reporter>,
    /// When set, the scan ends soon, with the games read so far. Default none.
    pub cancel: Option<&'a Cancel>,
    /// Receives hashes of the sources that can be read only once. Default none.
    pub streams: Option<&'a StreamHashes>,
}

impl ScanOptions<'_> {
    /// Maximum number of unreadable games of a file that are passed on individually.
    pub const ERRORS_LISTED: usize = 10_000;
}

impl Default for ScanOptions<'_> {
    fn default() -> Self {
        Self {
            threads: None,
            dialect: Dialect::Auto,
            strict: false,
            thorough: false,
            shard: Shard::ALL,
            limit: cut::LIMIT,
            block: 2 << 20,
            on_unreadable: None,
            reporter: None,
            cancel: None,
            streams: None,
        }
    }
}
