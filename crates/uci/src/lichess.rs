//! An external engine for Lichess' analysis board: the wrapper does the work that the board
//! requests.

use std::{
    io::{self, Read, Write},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

use centipawn_engine::{ExternalEngine, ExternalError, Work, WorkLimits};
use centipawn_progress::Cancel;

use crate::{Config, UciError, run};

/// Pauses after consecutive failures, in seconds. The last pause repeats.
const PAUSES: [u64; 5] = [1, 2, 5, 10, 30];
/// Interval between checks for a cancel.
const LOOK: Duration = Duration::from_millis(100);

/// Serves a registered engine until `cancel` is set. `report` receives a sentence for each failure
/// after which the service continues.
///
/// # Errors
///
/// [`UciError`] if the engine fails, or if Lichess permanently refuses the engine.
pub fn serve_lichess(
    config: &Config,
    external: &ExternalEngine,
    report: &dyn Fn(&str),
    cancel: &Cancel,
) -> Result<(), UciError> {
    let cancel = &cancel.child();
    let (commands, input) = channel();
    let (output, lines) = channel();
    let input = Commands {
        input,
        rest: Vec::new(),
        cancel: cancel.clone(),
    };
    thread::scope(|scope| {
        let wrapper = scope.spawn(move || {
            run(
                config,
                input,
                &mut Lines {
                    output,
                    rest: Vec::new(),
                },
                cancel,
            )
        });
        let mut board = Board {
            commands,
            lines,
            session: String::new(),
            options: Vec::new(),
        };
        let served = board.serve(external, report, cancel);
        drop(board);
        cancel.set();
        let ran = wrapper
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        served.and(ran)
    })
}

/// The connection between the board and the wrapper.
struct Board {
    commands: Sender<String>,
    lines: Receiver<String>,
    session: String,
    /// The options with the values that were sent last.
    options: Vec<(&'static str, u32)>,
}

impl Board {
    fn serve(
        &mut self,
        external: &ExternalEngine,
        report: &dyn Fn(&str),
        cancel: &Cancel,
    ) -> Result<(), UciError> {
        self.send("uci");
        while self.line(cancel).is_some_and(|line| line != "uciok") {}
        let mut failures = 0;
        while !cancel.is_set() && !self.is_over() {
            let work = match external.work() {
                Ok(work) => work,
                Err(error) if error.is_transient() => {
                    report(&error.to_string());
                    cancel.wait(Duration::from_secs(PAUSES[failures.min(PAUSES.len() - 1)]));
                    failures += 1;
                    continue;
                }
                Err(error) => return Err(UciError::Lichess(error)),
            };
            failures = 0;
            if let Some(work) = work
                && let Err(error) = self.analyse(external, &work, cancel)
            {
                // The board has requested other work or was closed, which is not a problem.
                if !matches!(error, ExternalError::Request { .. }) {
                    report(&error.to_string());
                }
            }
        }
        Ok(())
    }

    fn send(&self, command: &str) {
        // Ignore the error: if the wrapper has ended, reading its lines reports the end.
        let _ = self.commands.send(format!("{command}\n"));
    }

    /// Returns whether the wrapper has ended.
    fn is_over(&self) -> bool {
        loop {
            match self.lines.try_recv() {
                Ok(_) => {}
                Err(std::sync::mpsc::TryRecvError::Empty) => return false,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => return true,
            }
        }
    }

    /// Returns the next line; `None` after the end of the wrapper or a cancel.
    fn line(&self, cancel: &Cancel) -> Option<String> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) if !cancel.is_set() => {}
                Err(_) => return None,
            }
        }
    }

    fn analyse(
        &mut self,
        external: &ExternalEngine,
        work: &Work,
        cancel: &Cancel,
    ) -> Result<(), ExternalError> {
        let limits = &work.work;
        for (name, value) in [
            ("Threads", limits.threads),
            ("Hash", limits.hash),
            ("MultiPV", limits.multi_pv),
        ] {
            if !self.options.contains(&(name, value)) {
                self.options.retain(|(own, _)| *own != name);
                self.options.push((name, value));
                self.send(&format!("setoption name {name} value {value}"));
            }
        }
        if self.session != limits.session_id {
            self.session.clone_from(&limits.session_id);
            self.send("ucinewgame");
        }
        self.send(&position(limits));
        self.send(&go(limits));
        let mut answer = Answer {
            board: self,
            cancel,
            rest: Vec::new(),
            is_done: false,
        };
        let sent = external.answer(&work.id, &mut answer);
        let is_done = answer.is_done;
        if !is_done {
            self.send("stop");
            while self
                .line(cancel)
                .is_some_and(|line| !line.starts_with("bestmove"))
            {}
        }
        sent
    }
}

/// Builds the `position` command. Line breaks in texts from the site are removed, because they
/// would start further commands.
fn position(limits: &WorkLimits) -> String {
    let mut command = format!("position fen {}", limits.initial_fen);
    if !limits.moves.is_empty() {
        command += " moves";
        limits
            .moves
            .iter()
            .for_each(|mv| command += &format!(" {mv}"));
    }
    command
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect()
}

fn go(limits: &WorkLimits) -> String {
    match limits {
        WorkLimits {
            movetime: Some(time),
            ..
        } => format!("go movetime {time}"),
        WorkLimits {
            depth: Some(depth), ..
        } => format!("go depth {depth}"),
        WorkLimits {
            nodes: Some(nodes), ..
        } => format!("go nodes {nodes}"),
        _ => "go infinite".to_owned(),
    }
}

/// Reads the lines of one analysis, up to `bestmove`, as a file.
struct Answer<'a> {
    board: &'a Board,
    cancel: &'a Cancel,
    rest: Vec<u8>,
    is_done: bool,
}

impl Read for Answer<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() && !self.is_done {
            let Some(line) = self.board.line(self.cancel) else {
                break;
            };
            self.is_done = line.starts_with("bestmove");
            let is_for_board = line.starts_with("info ") && !line.starts_with("info string");
            if is_for_board || self.is_done {
                self.rest = format!("{line}\n").into_bytes();
            }
        }
        Ok(take(&mut self.rest, buffer))
    }
}

/// Reads the commands for the wrapper, as a file.
struct Commands {
    input: Receiver<String>,
    rest: Vec<u8>,
    cancel: Cancel,
}

impl Read for Commands {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.input.recv_timeout(LOOK) {
                Ok(command) => self.rest = command.into_bytes(),
                Err(RecvTimeoutError::Timeout) if !self.cancel.is_set() => {}
                Err(_) => return Ok(0),
            }
        }
        Ok(take(&mut self.rest, buffer))
    }
}

/// Splits the wrapper's output into messages of one line.
struct Lines {
    output: Sender<String>,
    rest: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line[..end]).into_owned();
            self.output
                .send(line)
                .map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn take(rest: &mut Vec<u8>, buffer: &mut [u8]) -> usize {
    let count = rest.len().min(buffer.len());
    buffer[..count].copy_from_slice(&rest[..count]);
    rest.drain(..count);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_converted_to_uci_commands() {
        let limits = WorkLimits {
            session_id: "s".to_owned(),
            threads: 1,
            hash: 16,
            multi_pv: 1,
            variant: "chess".to_owned(),
            initial_fen: "8/8/8/8/8/8/8/8 w - - 0 1\nquit".to_owned(),
            moves: vec!["e2e4".to_owned()],
            movetime: None,
            depth: Some(12),
            nodes: None,
        };
        assert_eq!(
            position(&limits),
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1 quit moves e2e4"
        );
        assert_eq!(go(&limits), "go depth 12");
        assert_eq!(
            go(&WorkLimits {
                depth: None,
                ..limits
            }),
            "go infinite"
        );
    }
}
