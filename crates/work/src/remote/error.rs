//! Why work through an executor ends.

use centipawn_engine::AnalystError;

/// The reason why work through an executor ends early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The executor runs no more tasks.
    #[error(
        "the executor is broken ({reason}) while it had {tasks}; make a new one and run this again"
    )]
    Broken {
        /// The message of the executor.
        reason: String,
        /// The tasks that were in progress, one of which may be the cause.
        tasks: String,
    },
    /// A worker does not do the work: its version, engine, networks or files are others.
    #[error("the worker {worker} refuses the work: {reason}")]
    Refused {
        /// The worker's name.
        worker: String,
        /// The reason, in words.
        reason: String,
    },
    /// An answer has a form that no worker of this version produces.
    #[error("the answer of a worker cannot be read: {reason}")]
    Damaged {
        /// The reason, in words.
        reason: String,
    },
    /// Items of this work cannot be sent in tasks.
    #[error("this work is not done through an executor")]
    NotSent,
    /// The engine of this machine failed.
    #[error(transparent)]
    Engine(#[from] AnalystError),
}
