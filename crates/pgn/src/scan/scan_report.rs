//! The counts of a scan.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use centipawn_progress::Outcome;
use serde::{Deserialize, Serialize};

use super::Merge;

/// What a scan read, and what it could not read. Reports of parts [merge](Merge).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScanReport {
    /// Games shown.
    pub games: u64,
    /// Plies of their main lines.
    pub plies: u64,
    /// Unreadable games, by the [name](crate::GameErrorKind::name) of what is wrong with them.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// Sources that were read to their end.
    pub sources: u64,
    /// Sources that cannot be opened, or not be read to their end.
    pub failed_sources: u64,
    /// Bytes of text, decompressed.
    pub text: u64,
    /// Whether it was cancelled: then these are the counts of a beginning of the input.
    pub cancelled: bool,
    /// How long it took; not written, since it differs between equal scans.
    #[serde(skip)]
    pub elapsed: Duration,
}

impl ScanReport {
    /// Unreadable games.
    pub fn bad_games(&self) -> u64 {
        self.errors.values().sum()
    }

    /// What became of the scan: games are done, unreadable games and sources skipped.
    pub fn outcome(&self) -> Outcome {
        Outcome { done: self.games, skipped: self.bad_games() + self.failed_sources, cancelled: self.cancelled }
    }
}

impl Merge for ScanReport {
    /// Adds counts and times. A source that several parts read is counted by each.
    fn merge(&mut self, later: Self) {
        self.games += later.games;
        self.plies += later.plies;
        for (kind, count) in later.errors {
            *self.errors.entry(kind).or_default() += count;
        }
        self.sources += later.sources;
        self.failed_sources += later.failed_sources;
        self.text += later.text;
        self.cancelled |= later.cancelled;
        self.elapsed += later.elapsed;
    }
}
