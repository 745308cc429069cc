//! The session of every command: common flags, the terminal, Ctrl-C.

use std::{
    io, panic,
    process::ExitCode,
    sync::{Arc, OnceLock},
    thread,
};

use anyhow::{Context as _, Result};
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Cancel, Outcome, Placed, Placement};
use centipawn_store::PARQUET_THREAD;

use crate::{
    args::Shared,
    exit,
    flags::with_flags,
    terminal::{Terminal, shown_columns},
    text::plural,
};

/// One run of the program.
pub(crate) struct Session {
    /// Whether only answers and errors are printed.
    pub(crate) quiet: bool,
    terminal: Arc<Terminal>,
    cancel: Cancel,
    /// Whether Ctrl-C sets `cancel`.
    listens: OnceLock<()>,
}

impl Session {
    pub(crate) fn new(shared: &Shared) -> Self {
        let cancel = Cancel::new();
        let terminal = Arc::new(Terminal::new(shared.progress, shared.quiet, cancel.clone()));
        Self {
            quiet: shared.quiet,
            terminal,
            cancel,
            listens: OnceLock::new(),
        }
    }

    /// Returns the cancel that Ctrl-C or a request to terminate sets. Before the first call of this
    /// method, Ctrl-C ends the program immediately, as usual; after it, the first Ctrl-C ends work
    /// in an orderly way, and the second ends the program.
    pub(crate) fn cancel(&self) -> Result<&Cancel> {
        if self.listens.get().is_some() {
            return Ok(&self.cancel);
        }
        let set = self.cancel.clone();
        let end = move || {
            if set.is_set() {
                std::process::exit(i32::from(exit::INTERRUPTED.code()));
            }
            set.set();
        };
        listen(end).context("cannot listen for Ctrl-C")?;
        self.listens.get_or_init(|| ());
        Ok(&self.cancel)
    }

    /// Returns whether the user pressed Ctrl-C.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_set()
    }

    /// Returns where work reports progress and problems.
    pub(crate) fn reporter(&self) -> &Arc<Terminal> {
        &self.terminal
    }

    /// Prints a part of the answer on standard output, without tearing the progress line.
    pub(crate) fn print(&self, text: &str) -> Result<()> {
        self.terminal.print(text).context("cannot print")
    }

    /// Prints a text on standard output. Names of options become flags, and lines are wrapped to
    /// the terminal.
    pub(crate) fn print_words(&self, text: &str) -> Result<()> {
        let text = with_flags(text);
        match shown_columns() {
            Some(width) => self.print(&printer::within(&text, width)),
            None => self.print(&text),
        }
    }

    /// Prints the answer: the document with `--json`, otherwise the text.
    pub(crate) fn answer(
        &self,
        is_json: bool,
        document: impl FnOnce() -> String,
        words: impl FnOnce() -> String,
    ) -> Result<()> {
        match is_json {
            true => self.print(&document()),
            false => self.print_words(&words()),
        }
    }

    /// Prints a note on standard error, unless `--quiet` is given.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.terminal.note(&with_flags(text));
        }
    }

    /// Puts a result in its place. After Ctrl-C an earlier result stays, and a note reports its
    /// path.
    pub(crate) fn place(&self, file: AtomicFile) -> Result<()> {
        self.place_all([file])
    }

    /// Puts results that belong together in their places, all or none. After Ctrl-C earlier results
    /// stay, and notes report their paths.
    pub(crate) fn place_all(&self, files: impl IntoIterator<Item = AtomicFile>) -> Result<()> {
        let mut results = Placement::new(&self.cancel);
        for file in files {
            results.add(file);
        }
        results
            .place()?
            .into_iter()
            .for_each(|path| self.report_kept(Placed::Kept(path)));
        Ok(())
    }

    /// Reports an earlier result that a cancelled run did not replace.
    pub(crate) fn report_kept(&self, placed: Placed) {
        if let Placed::Kept(path) = placed {
            self.terminal
                .note(&format!("{} is unchanged", path.display()));
        }
    }

    /// Returns the exit status of finished work, after a closing line if something was skipped or
    /// left undone: "3 games reviewed; 1 problem, listed above". `what` is a singular noun
    /// ("game"), `verb` a participle ("reviewed").
    pub(crate) fn exit(&self, outcome: Outcome, what: &str, verb: &str) -> ExitCode {
        let Outcome {
            done,
            skipped,
            cancelled,
        } = outcome;
        let status = self.code(outcome);
        if cancelled || self.is_cancelled() {
            self.terminal
                .note(&format!("interrupted; finished: {}", plural(done, what)));
        } else if done > 0 && skipped > 0 {
            let problems = plural(skipped, "problem");
            self.terminal.note(&format!(
                "{} {verb}; {problems}, listed above",
                plural(done, what)
            ));
        }
        status
    }

    /// Returns the exit status of commands whose answer reports the skipped items. After Ctrl-C a
    /// closing line is printed.
    pub(crate) fn status(&self, outcome: Outcome) -> ExitCode {
        self.status_or(
            outcome,
            "a result is only of the games that were read before",
        )
    }

    /// Returns the exit status of commands that write either complete files or none. After Ctrl-C a
    /// closing line is printed.
    pub(crate) fn status_of_files(&self, outcome: Outcome) -> ExitCode {
        self.status_or(outcome, "no file was written")
    }

    fn status_or(&self, outcome: Outcome, interrupted: &str) -> ExitCode {
        if outcome.cancelled || self.is_cancelled() {
            self.terminal.note(&format!("interrupted; {interrupted}"));
        }
        self.code(outcome)
    }

    fn code(&self, outcome: Outcome) -> ExitCode {
        let Outcome {
            done,
            skipped,
            cancelled,
        } = outcome;
        self.terminal.finish(outcome);
        match (done, skipped) {
            _ if cancelled || self.is_cancelled() => exit::INTERRUPTED.into(),
            (_, 0) => ExitCode::SUCCESS,
            (0, _) => exit::FAILED.into(),
            _ => exit::SKIPPED.into(),
        }
    }
}

/// Calls `end` for each Ctrl-C, Ctrl-\, closed terminal and request to terminate. A file that grows
/// beyond the size that the system allows becomes an error like a full disk, instead of ending the
/// program.
#[cfg(unix)]
fn listen(end: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ},
        iterator::Signals,
    };
    // Leave signals ignored that the parent process ignores: SIGHUP under `nohup`, SIGINT of
    // background jobs of a script.
    let ignored = ignored_signals();
    let all = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ];
    let mut signals = Signals::new(
        all.into_iter()
            .filter(|signal| ignored >> (signal - 1) & 1 == 0),
    )?;
    let all = move || {
        signals
            .forever()
            .filter(|signal| *signal != SIGXFSZ)
            .for_each(|_| end());
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(all)
        .map(drop)
}

/// Returns the ignored signals as Linux lists them, signal 1 in the lowest bit; 0 on other systems.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

#[cfg(not(unix))]
fn listen(end: impl Fn() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(end).map_err(io::Error::other)
}

/// Silences panics of the Parquet reader. A damaged file may cause one; it is caught and reported
/// as an error of that file.
pub(crate) fn quieten_caught_panics() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        if thread::current().name() != Some(PARQUET_THREAD) {
            print(about);
        }
    }));
}

impl Drop for Session {
    fn drop(&mut self) {
        self.terminal.clear();
    }
}
