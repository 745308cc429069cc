//! Why the wrapper ends.

use std::io;

use centipawn_engine::{AnalystError, ExternalError};

/// Why the wrapper ended before the GUI sent `quit`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UciError {
    /// The engine cannot be started, or does not have an option that it should begin with.
    #[error(transparent)]
    Start(#[from] AnalystError),
    /// The engine ended before `uciok`.
    #[error("{engine} ended before uciok ({status}){}", .stderr.as_ref().map_or_else(String::new, |line| format!(", saying {line:?}")))]
    NoHandshake {
        /// Its command.
        engine: String,
        /// How it ended.
        status: String,
        /// The last line of its standard error.
        stderr: Option<String>,
    },
    /// The engine crashed again and again.
    #[error("{engine} crashed {crashes} times in a row ({status})")]
    Crashes {
        /// Its command.
        engine: String,
        /// How often.
        crashes: u32,
        /// How it ended last.
        status: String,
    },
    /// Lichess refuses the engine.
    #[error(transparent)]
    Lichess(#[from] ExternalError),
    /// The GUI's commands cannot be read.
    #[error("cannot read commands: {0}")]
    Read(#[source] io::Error),
}
