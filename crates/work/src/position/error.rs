//! Why there is no index, or no answer.

use std::{io, path::PathBuf};

use centipawn_pgn::Unreadable;
use centipawn_progress::FileError;
use parquet::errors::ParquetError;

use crate::{engine::BadPosition, scan::ScanError};

/// The reason why an index cannot be built or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionIndexError {
    /// The index cannot be opened or read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
    /// The file is a Parquet file, but not an index of this version.
    #[error("{} is not an index of positions: {reason}; `centipawn position index` makes one", path.display())]
    Foreign {
        /// Path of the file.
        path: PathBuf,
        /// The difference from this version's format, in words.
        reason: String,
    },
    /// The content of the index is inconsistent.
    #[error("{} is damaged: {reason}; make the index again", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The contradiction, in words.
        reason: String,
    },
    /// The inputs have no games.
    #[error("there is no game to index, so {} is not written", output.display())]
    NoGames {
        /// Path of the output file.
        output: PathBuf,
    },
    /// Some inputs are games, others are indexes.
    #[error("give games or indexes, not both: {} is an index", index.display())]
    Both {
        /// Path of the first index among the inputs.
        index: PathBuf,
    },
    /// Games would count twice.
    #[error("{name} is in {} and in {}, so its games would count twice", first.display(), second.display())]
    Twice {
        /// The file of games.
        name: String,
        /// Path of one index with these games.
        first: PathBuf,
        /// Path of the other index with these games.
        second: PathBuf,
    },
    /// Two sources have the same content, so their games would count twice in the index.
    #[error(
        "{name} has the same content as {original}, so its games would count twice: leave one of them out"
    )]
    Copy {
        /// The file of games.
        name: String,
        /// Name of the earlier source with the same content.
        original: String,
    },
    /// Indexes of shards are merged all at once.
    #[error(
        "an index of a shard is merged with those of all other shards of the same games, in one call"
    )]
    Shards,
    /// An index is merged whole.
    #[error("an index has no shards, leave option `shard` out")]
    Whole,
    /// The temporary file beside the output cannot be written or read.
    #[error("cannot keep sorted positions in a temporary file in {}: {error}", folder.display())]
    Temporary {
        /// The folder of the output file.
        folder: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
    /// The index cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: ParquetError,
    },
    /// The output cannot be opened or moved to its place.
    #[error("{0}")]
    File(#[from] FileError),
    /// The scan cannot continue.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// The reason why there are no statistics of a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// The text is no position.
    #[error(transparent)]
    Position(#[from] BadPosition),
    /// Only standard chess is counted.
    #[error("the position is of Chess960; only positions of standard chess are counted")]
    Chess960,
    /// An index cannot be used.
    #[error("{0}")]
    Index(#[from] PositionIndexError),
    /// The scan cannot continue.
    #[error(transparent)]
    Scan(#[from] ScanError),
}
