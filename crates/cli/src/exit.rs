//! Exit statuses, the same for every command.

use std::{fmt, process::ExitCode};

/// A status other than success.
#[derive(Clone, Copy)]
pub(crate) struct Status(u8);

/// Done, but some input was skipped; the messages say what.
pub(crate) const SKIPPED: Status = Status(1);
/// Wrong usage.
pub(crate) const USAGE: Status = Status(2);
/// It could not be done: no engine, no file.
pub(crate) const FAILED: Status = Status(3);
/// Interrupted; what was done is saved.
pub(crate) const INTERRUPTED: Status = Status(130);

impl Status {
    /// As the operating system has it.
    pub(crate) fn code(self) -> u8 {
        self.0
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.0)
    }
}

/// An error in how the program was called, rather than in what it found.
#[derive(Debug)]
struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error whose status is [`USAGE`].
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}

/// The status of an error.
pub(crate) fn status(error: &anyhow::Error) -> Status {
    if error.is::<Usage>() { USAGE } else { FAILED }
}
