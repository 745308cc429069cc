//! Flags and commands of earlier versions: hidden from the help; their error names the new one.

use std::{ffi::OsString, process::ExitCode};

use anyhow::Result;
use clap::Args;

use crate::exit::usage;

/// A parser for a flag that was renamed.
pub(crate) fn renamed<T>(new: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |_| Err(format!("this flag is called {new} now"))
}

/// A command that was renamed, with any arguments.
#[derive(Args)]
pub(crate) struct RenamedCommand {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

impl RenamedCommand {
    pub(crate) fn refuse(&self, new: &str) -> Result<ExitCode> {
        Err(usage(format!("this command is called `{new}` now")))
    }
}
