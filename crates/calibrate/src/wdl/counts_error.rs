//! The error of reading counts.

use std::io;

use centipawn_pgn::Impossible;

/// Why counts cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountsError {
    /// An I/O error.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The text is JSON, but not of counts.
    #[error(
        "line {line}: {what}; counts are written {{\"('W', 34, 58, 112)\": 17, …}} (result, move, material, evaluation)"
    )]
    Json {
        /// Number of the line, from 1.
        line: u64,
        /// The problem in that line.
        what: String,
    },
    /// The compact file is damaged or incomplete. The value describes the damage.
    #[error("the file is damaged or incomplete: {0}; count the games again")]
    Damaged(&'static str),
    /// No games can have these counts.
    #[error("no games have these counts: {0}; count the games again")]
    Impossible(#[from] Impossible),
    /// The input is in neither of the two formats.
    #[error("this is not a file of counts; `centipawn wdl count` writes them from games")]
    Unknown,
}
