//! Why there is no index, or no answer.

use std::{io, path::PathBuf};

use centipawn_pgn::Unreadable;
use centipawn_progress::FileError;
use parquet::errors::ParquetError;

use crate::{engine::BadPosition, scan::ScanError};

/// Why an index cannot be built or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionIndexError {
    /// It cannot be opened or read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// A Parquet file, but no index of this version.
    #[error("{} is not an index of positions: {reason}; `centipawn position index` makes one", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is different.
        reason: String,
    },
    /// Its content contradicts itself.
    #[error("{} is damaged: {reason}; make the index again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The inputs have no games.
    #[error("there is no game to index, so {} is not written", output.display())]
    NoGames {
        /// The file that would be written.
        output: PathBuf,
    },
    /// Some inputs are games, others indexes.
    #[error("give games or indexes, not both: {} is an index", index.display())]
    Both {
        /// The first index.
        index: PathBuf,
    },
    /// Games would count twice.
    #[error("{name} is in {} and in {}, so its games would count twice", first.display(), second.display())]
    Twice {
        /// The file of games.
        name: String,
        /// An index that has it.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
    },
    /// Games would count twice, in one index.
    #[error(
        "{name} has the same content as {original}, so its games would count twice: leave one of them out"
    )]
    Copy {
        /// The file of games.
        name: String,
        /// The one before it.
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
        /// Its folder.
        folder: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// The index cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
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

/// Why there are no statistics of a position.
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
