//! Exit statuses, the same for every command.

use std::{fmt, io, process::ExitCode};

use centipawn_progress::FileError;
use centipawn_work::scan::PartError;

use crate::flags::with_flags;

/// An exit status other than success.
#[derive(Clone, Copy)]
pub(crate) struct Status(u8);

/// Done, but some input was skipped; messages report it.
pub(crate) const SKIPPED: Status = Status(1);
/// Wrong usage of the program, such as an invalid flag.
pub(crate) const USAGE: Status = Status(2);
/// Failed, for instance because of a missing engine or file.
pub(crate) const FAILED: Status = Status(3);
/// Interrupted; finished results are saved.
pub(crate) const INTERRUPTED: Status = Status(130);

impl Status {
    /// Returns the operating system's number.
    pub(crate) fn code(self) -> u8 {
        self.0
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.0)
    }
}

/// An error in the arguments, rather than in the input.
#[derive(Debug)]
struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Returns an error whose status is [`USAGE`].
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}

/// Returns whether the error only means that the reader closed standard output, as in `centipawn …
/// | head`.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(is_closed)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

/// Returns whether a result cannot be written. An output pipe whose reader stalled until the work
/// was cancelled does not count.
pub(crate) fn is_of_files(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<FileError>()
            .is_some_and(|error| !error.is_cancelled())
    })
}

/// Returns an error with its causes on one line; a cause that the text before it contains is not
/// repeated. Options are named as flags.
pub(crate) fn message(error: &anyhow::Error) -> String {
    error
        .chain()
        .map(|cause| with_flags(&cause.to_string()))
        .fold(String::new(), |text, cause| match &*text {
            "" => cause,
            _ if text.contains(&cause) => text,
            _ => format!("{text}: {cause}"),
        })
}

/// Returns the status of an error.
pub(crate) fn status(error: &anyhow::Error) -> Status {
    let of_files = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<FileError>()
            .is_some_and(FileError::is_usage)
            || cause
                .downcast_ref::<PartError>()
                .is_some_and(PartError::is_usage)
    };
    let is_usage = error.is::<Usage>() || error.chain().any(of_files);
    if is_usage { USAGE } else { FAILED }
}
