//! The library file: everything of a library as one file of JSON lines. docs/store.md describes it.

mod read;
mod records;
mod write;

use std::{fmt, io};

use centipawn_review::rooms::LIBRARY_VERSION;
use centipawn_store::StoreError;

use super::LibraryError;

pub use read::{ImportedLibrary, is_library};
pub use write::{LibraryExport, LibraryFormat};

/// Numbers of objects in a library file, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct LibraryCounts {
    /// Number of games.
    pub games: u64,
    /// Number of findings of games.
    pub findings: u64,
    /// Number of games with the user's own symbols and comments.
    pub notes: u64,
    /// Number of reviews and searches for puzzles.
    pub jobs: u64,
    /// Number of batches.
    pub batches: u64,
    /// Number of puzzles.
    pub puzzles: u64,
    /// Number of attempts at puzzles.
    pub attempts: u64,
    /// Number of evaluated positions.
    pub evaluations: u64,
}

impl LibraryCounts {
    /// Returns the number of objects of all kinds.
    pub fn sum(&self) -> u64 {
        self.games
            + self.findings
            + self.notes
            + self.jobs
            + self.batches
            + self.puzzles
            + self.attempts
            + self.evaluations
    }
}

/// The reason why a library file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryFileError {
    /// The file is no library file.
    #[error(
        "{name} is not a library file: {reason}; `centipawn store export FILE.jsonl.gz` writes one"
    )]
    NotALibrary {
        /// The file.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The file has a newer version of the format.
    #[error(
        "{name} is a library file of version {found}; this program reads version {LIBRARY_VERSION}, \
         so update it"
    )]
    Newer {
        /// The file.
        name: String,
        /// The version of the file.
        found: u32,
    },
    /// The file cannot be read or written.
    #[error("{name}: {error}")]
    Io {
        /// The file.
        name: String,
        /// The underlying error.
        error: io::Error,
    },
    /// The library cannot be read or written.
    #[error(transparent)]
    Library(#[from] LibraryError),
}

impl From<StoreError> for LibraryFileError {
    fn from(error: StoreError) -> Self {
        Self::Library(error.into())
    }
}

fn io_error(name: &str, error: io::Error) -> LibraryFileError {
    LibraryFileError::Io {
        name: name.to_owned(),
        error,
    }
}

fn not_a_library(name: &str, reason: &dyn fmt::Display) -> LibraryFileError {
    LibraryFileError::NotALibrary {
        name: name.to_owned(),
        reason: reason.to_string(),
    }
}
