//! An engine whose lines are passed on unparsed, for programs between an engine and a GUI.

use std::{
    io::{self, Write as _},
    process::ChildStdin,
    time::{Duration, Instant},
};

use centipawn_progress::Cancel;

use crate::{
    AnalystError, EngineCommand, Patience,
    process::{Process, Received},
};

/// Duration of a single wait for a line. Another wait follows unless the work is cancelled.
const WAIT: Duration = Duration::from_secs(1);

/// The output of a running engine, line by line. Dropping it ends the engine, and kills it if it
/// does not end by itself.
///
/// ```
/// use centipawn_engine::{Cancel, RawEngine, find};
///
/// # let Ok(command) = find("stockfish") else { return Ok(()) };
/// # /*
/// let command = find("stockfish")?;
/// # */
/// let (mut engine, mut input) = RawEngine::start(&command, &Cancel::new())?;
/// input.send("uci\n")?;
/// let mut lines = std::iter::from_fn(|| engine.next_line());
/// assert!(lines.any(|line| line == "uciok"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RawEngine {
    process: Process,
    cancel: Cancel,
}

/// The input of a running engine. Dropping it closes the input, so that most engines end.
#[derive(Debug)]
pub struct RawInput(ChildStdin);

impl RawEngine {
    /// Starts the program and sends nothing. Setting `cancel` kills it.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Start`].
    pub fn start(
        command: &EngineCommand,
        cancel: &Cancel,
    ) -> Result<(Self, RawInput), AnalystError> {
        let failed = |reason: String| AnalystError::Start {
            engine: command.to_string(),
            reason,
        };
        let mut process = Process::spawn(command, Patience::default().quit, cancel)
            .map_err(|error| failed(error.to_string()))?;
        let input = process
            .take_input()
            .ok_or_else(|| failed("it has no input".to_owned()))?;
        Ok((
            Self {
                process,
                cancel: cancel.clone(),
            },
            RawInput(input),
        ))
    }

    /// Returns the next line without its line break; `None` once the output is closed or `cancel`
    /// is set. Waits without a time limit.
    pub fn next_line(&mut self) -> Option<String> {
        loop {
            match self.process.listen(Instant::now() + WAIT) {
                Received::Line(line) => return Some(line),
                // A process that left the engine's group may keep the output open, so check for a
                // cancel.
                Received::Nothing if self.cancel.is_set() => return None,
                Received::Nothing => {}
                Received::End => return None,
            }
        }
    }

    /// After the last line: how the program ended, and the last line of its standard error.
    pub fn post_mortem(&mut self) -> (String, Option<String>) {
        self.process.post_mortem()
    }
}

impl RawInput {
    /// Writes whole lines.
    ///
    /// # Errors
    ///
    /// The program has ended or closed its input.
    pub fn send(&mut self, lines: &str) -> io::Result<()> {
        self.0
            .write_all(lines.as_bytes())
            .and_then(|()| self.0.flush())
    }
}
