//! Why counts cannot be read.

use std::io;

/// Counts that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CountsError {
    /// The input fails.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is JSON, but not of counts.
    #[error(
        "line {line}: {what}; counts are written {{\"('W', 34, 58, 112)\": 17, …}} (result, move, material, evaluation)"
    )]
    Json {
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        what: String,
    },
    /// It begins like a file of counts, but does not go on like one.
    #[error("the file is damaged or not whole: {0}; count the games again")]
    Damaged(&'static str),
    /// Something else.
    #[error("this is no file of counts; `centipawn wdl count` writes them from games")]
    Unknown,
}
