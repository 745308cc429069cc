//! The error type of the wrapper.

use std::io;

use centipawn_engine::{AnalystError, ExternalError};

/// The reason why the wrapper ended before the GUI sent `quit`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UciError {
    /// The engine cannot be started, or does not have an option that was set for its start.
    #[error(transparent)]
    Start(#[from] AnalystError),
    /// The engine ended before `uciok`.
    #[error("{engine} ended before uciok ({status}){}", .stderr.as_ref().map_or_else(String::new, |line| format!(", saying {line:?}")))]
    NoHandshake {
        /// The engine's command.
        engine: String,
        /// The engine's exit status.
        status: String,
        /// The last line of the engine's standard error.
        stderr: Option<String>,
    },
    /// The engine crashed several times in a row.
    #[error("{engine} crashed {crashes} times in a row ({status})")]
    Crashes {
        /// The engine's command.
        engine: String,
        /// Number of crashes.
        crashes: u32,
        /// The engine's last exit status.
        status: String,
    },
    /// Lichess refuses the engine.
    #[error(transparent)]
    Lichess(#[from] ExternalError),
    /// The commands of the GUI cannot be read.
    #[error("cannot read commands: {0}")]
    Read(#[source] io::Error),
}
