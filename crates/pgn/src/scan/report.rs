//! What is told of a scan.

use std::{collections::BTreeMap, time::Duration};

use crate::{GameError, SourceError};

/// What a scan has read, and what it could not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Games shown.
    pub games: u64,
    /// Plies of their main lines.
    pub plies: u64,
    /// Games that cannot be read, by the [name](crate::GameErrorKind::name) of what is wrong with them.
    pub errors: BTreeMap<&'static str, u64>,
    /// Sources that could be read, to their end.
    pub sources: u64,
    /// Sources that cannot be opened, or not be read to their end.
    pub failed_sources: u64,
    /// Bytes of text, decompressed.
    pub text: u64,
    /// Whether it was cancelled: then this is of a beginning of the input.
    pub cancelled: bool,
    /// How long it took.
    pub elapsed: Duration,
}

impl Report {
    /// Games that cannot be read.
    pub fn bad_games(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// How far a scan is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of files read; compressed ones where they are.
    pub bytes: u64,
    /// Bytes that all sources have; `None` with standard input among them.
    pub total: Option<u64>,
    /// Games shown.
    pub games: u64,
    /// Time since the beginning.
    pub elapsed: Duration,
    /// What is read now.
    pub source: String,
}

impl Progress {
    /// Bytes of files a second so far.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Time to the end at this rate, if the end is known.
    pub fn remaining(&self) -> Option<Duration> {
        let left = self.total?.saturating_sub(self.bytes);
        Duration::try_from_secs_f64(left as f64 / self.rate().max(1.0)).ok()
    }
}

/// A game or a source that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// A game; it is left out.
    #[error("{source_name}: {error}")]
    Game {
        /// The path, or "standard input".
        source_name: String,
        /// What is wrong with it, and where.
        #[source]
        error: GameError,
    },
    /// A source; of what was read before, whole games count.
    #[error(transparent)]
    Source(#[from] SourceError),
}
