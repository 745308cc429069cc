//! How a scan reads.

use std::num::NonZeroUsize;

use centipawn_progress::{Cancel, Reporter};

use super::{Shard, Unreadable};
use crate::{Dialect, cut};

/// How to [`scan`](crate::scan()).
#[derive(Clone, Copy)]
pub struct ScanOptions<'a> {
    /// Threads to work with; `None`, the default: one a core.
    pub threads: Option<NonZeroUsize>,
    /// The dialect of all evaluations; [`Dialect::Auto`], the default: found for each file from its first games.
    pub dialect: Dialect,
    /// Whether the first unreadable game or file ends the scan; not by default.
    pub strict: bool,
    /// Which part of the games to read; by default [all](Shard::ALL).
    pub shard: Shard,
    /// Bytes that a game may have, at most 1 GiB; 8 MiB by default.
    pub limit: usize,
    /// Bytes of text that a thread takes at a time, at most 1 GiB; 2 MiB by default.
    pub block: usize,
    /// Called for each unreadable game and file, in the order of the input; for no more than
    /// [`ERRORS_LISTED`](Self::ERRORS_LISTED) games of a file, while the [`ScanReport`](crate::ScanReport) counts all.
    pub on_unreadable: Option<&'a (dyn Fn(&Unreadable) + Sync)>,
    /// Hears of progress, about ten times a second, in bytes of files. Without
    /// [`on_unreadable`](Self::on_unreadable) it hears of unreadable games and files too, as [`FirstUnreadable`] reports them.
    ///
    /// [`FirstUnreadable`]: crate::FirstUnreadable
    pub reporter: Option<&'a dyn Reporter>,
    /// Once it is set, the scan ends soon, with the games up to there.
    pub cancel: Option<&'a Cancel>,
}

impl ScanOptions<'_> {
    /// Unreadable games of a file that are passed on one by one.
    pub const ERRORS_LISTED: usize = 10_000;
}

impl Default for ScanOptions<'_> {
    fn default() -> Self {
        Self {
            threads: None,
            dialect: Dialect::Auto,
            strict: false,
            shard: Shard::ALL,
            limit: cut::LIMIT,
            block: 2 << 20,
            on_unreadable: None,
            reporter: None,
            cancel: None,
        }
    }
}
