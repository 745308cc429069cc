//! What the user types, a line at a time.

use std::{
    io::{self, IsTerminal as _, Write},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use centipawn_progress::Cancel;

use crate::text::printable;

/// A parsed line.
pub(super) enum Command {
    Move(String),
    Hint,
    Answer,
    Skip,
    Board,
    Help,
    Quit,
}

/// Standard input, read by a separate thread, so that Ctrl-C ends the waiting.
pub(super) struct Input {
    lines: Receiver<io::Result<String>>,
    cancel: Cancel,
    /// Whether to print lines that come from a pipe, which the terminal does not echo.
    echo: bool,
}

impl Input {
    pub(super) fn new(cancel: Cancel) -> Self {
        let (sender, lines) = mpsc::sync_channel(1);
        thread::spawn(move || {
            for line in io::stdin().lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            lines,
            cancel,
            echo: !io::stdin().is_terminal(),
        }
    }

    /// Returns the next command; empty lines are skipped. `None` at the end of the input and after
    /// Ctrl-C.
    pub(super) fn next(&self, out: &mut impl Write) -> io::Result<Option<Command>> {
        loop {
            write!(out, "> ")?;
            out.flush()?;
            let Some(line) = self.line() else {
                writeln!(out)?;
                return Ok(None);
            };
            let line = line?;
            let line = line.trim();
            if self.echo {
                writeln!(out, "{}", printable(line))?;
            }
            return Ok(Some(match line.to_ascii_lowercase().as_str() {
                "" => continue,
                "hint" | "h" => Command::Hint,
                "answer" | "a" => Command::Answer,
                "skip" | "s" => Command::Skip,
                "board" => Command::Board,
                "help" | "?" => Command::Help,
                "quit" | "q" | "exit" => Command::Quit,
                _ => Command::Move(line.to_owned()),
            }));
        }
    }

    fn line(&self) -> Option<io::Result<String>> {
        while !self.cancel.is_set() {
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        None
    }
}
