//! Why counts cannot be read.

use std::io;

use centipawn_pgn::Impossible;

/// Why counts cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountsError {
    /// An I/O error.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// JSON that is not of counts.
    #[error(
        "line {line}: {what}; counts are written {{\"('W', 34, 58, 112)\": 17, …}} (result, move, material, evaluation)"
    )]
    Json {
        /// The line, from 1.
        line: u64,
        /// The problem there.
        what: String,
    },
    /// A file of counts that is damaged or incomplete.
    #[error("the file is damaged or incomplete: {0}; count the games again")]
    Damaged(&'static str),
    /// Counts that no games have.
    #[error("no games have these counts: {0}; count the games again")]
    Impossible(#[from] Impossible),
    /// Neither format of counts.
    #[error("this is not a file of counts; `centipawn wdl count` writes them from games")]
    Unknown,
}
