//! A running program, whose output is read line by line with a deadline for every wait.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use centipawn_progress::{Cancel, OnSet, text::printable};

use crate::{find::EngineCommand, group};

/// Maximum length of a line in bytes; the rest is dropped. The longest lines of engines are
/// variations of a few hundred moves.
const LONGEST_LINE: usize = 1 << 16;
/// Number of unread lines after which the engine blocks.
const LINES_AHEAD: usize = 1024;

/// The result of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Line(String),
    /// The deadline passed before a line arrived.
    Nothing,
    /// The output is closed; no more lines will come.
    End,
}

enum Output {
    Line(String),
    Complaint(String),
    End,
}

/// A running program. Dropping it sends `quit`, then kills the program and all that it started.
#[derive(Debug)]
pub(crate) struct Process {
    reins: Arc<Reins>,
    stdin: Option<ChildStdin>,
    output: Receiver<Output>,
    /// The last line of standard error.
    complaint: Option<String>,
    quit_within: Duration,
    ended: bool,
    /// Kills the program when the work is cancelled.
    _on_cancel: OnSet,
}

/// Holds the child process until it is waited for, so that another thread can kill it.
#[derive(Debug)]
struct Reins(Mutex<Option<Held>>);

#[derive(Debug)]
struct Held {
    child: Child,
    mark: group::Mark,
    guard: Option<group::Guard>,
}

impl Process {
    /// Starts the program. Setting `cancel` kills it, now or later.
    pub(crate) fn spawn(
        command: &EngineCommand,
        quit_within: Duration,
        cancel: &Cancel,
    ) -> io::Result<Self> {
        let mut spawning = Command::new(&command.program);
        spawning
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        group::detach(&mut spawning);
        let mark = group::Mark::on(&mut spawning);
        let mut child = spawning.spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let guard = group::Guard::of(&child, &mark);
        let reins = Arc::new(Reins(Mutex::new(Some(Held { child, mark, guard }))));
        let on_cancel = kill_on(cancel, &reins);
        let (sender, output) = sync_channel(LINES_AHEAD);
        let process = Self {
            reins,
            stdin,
            output,
            complaint: None,
            quit_within,
            ended: false,
            _on_cancel: on_cancel,
        };
        if let Some(stderr) = stderr {
            let sender = sender.clone();
            thread::Builder::new()
                .name("engine errors".to_owned())
                .spawn(move || forward(stderr, &sender, Output::Complaint))?;
        }
        if let Some(stdout) = stdout {
            thread::Builder::new()
                .name("engine output".to_owned())
                .spawn(move || {
                    forward(stdout, &sender, Output::Line);
                    // The receiver is gone if the process was dropped.
                    let _ = sender.send(Output::End);
                })?;
        }
        Ok(process)
    }

    /// Kills the program when `cancel` is set, until the guard is dropped.
    pub(crate) fn kill_on(&self, cancel: &Cancel) -> OnSet {
        kill_on(cancel, &self.reins)
    }

    /// Hands over the input, for another thread; [`send`](Self::send) then writes nothing.
    pub(crate) fn take_input(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Writes whole lines. If the program has ended, the next [`listen`](Self::listen) reports it.
    pub(crate) fn send(&mut self, lines: &str) {
        if let Some(stdin) = &mut self.stdin
            && stdin
                .write_all(lines.as_bytes())
                .and_then(|()| stdin.flush())
                .is_err()
        {
            self.stdin = None;
        }
    }

    /// Returns the next line of output.
    pub(crate) fn listen(&mut self, deadline: Instant) -> Received {
        while !self.ended {
            match self
                .output
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(Output::Line(line)) => return Received::Line(line),
                Ok(Output::Complaint(line)) => self.note(line),
                Ok(Output::End) | Err(RecvTimeoutError::Disconnected) => self.ended = true,
                Err(RecvTimeoutError::Timeout) => return Received::Nothing,
            }
        }
        Received::End
    }

    fn note(&mut self, complaint: String) {
        if !complaint.trim().is_empty() {
            self.complaint = Some(complaint);
        }
    }

    /// After [`Received::End`]: how the program ended, and the last line of its standard error.
    pub(crate) fn post_mortem(&mut self) -> (String, Option<String>) {
        // A program that closes its output normally ends immediately.
        let deadline = Instant::now() + Duration::from_secs(1);
        let ended = self.reins.wait_until(deadline);
        let status = self.reins.reap();
        // This loop ends, because the program and its children are dead and standard error is
        // closed.
        while let Ok(output) = self
            .output
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            if let Output::Complaint(line) = output {
                self.note(line);
            }
        }
        let status = match status {
            Some(status) if ended => status.to_string(),
            Some(_) => "it closed its output and was killed".to_owned(),
            None => "it was killed before".to_owned(),
        };
        // Remove control characters, because the message is printed on a terminal.
        (status, self.complaint.as_deref().map(printable))
    }

    /// Kills the program and all that it started.
    pub(crate) fn kill(&mut self) {
        self.stdin = None;
        self.reins.reap();
    }

    /// Sends `quit` and closes the program's input.
    pub(crate) fn dismiss(&mut self) {
        self.send("quit\n");
        self.stdin = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.reins.is_held() {
            self.dismiss();
            let deadline = Instant::now() + self.quit_within;
            // Read the remaining lines, because a full pipe would keep the program from ending.
            while let Received::Line(_) = self.listen(deadline) {}
            self.reins.reap();
        }
    }
}

impl Reins {
    fn child(&self) -> MutexGuard<'_, Option<Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_held(&self) -> bool {
        self.child().is_some()
    }

    fn kill(&self) {
        if let Some(held) = self.child().as_mut() {
            group::kill(&mut held.child);
        }
    }

    /// Kills the process group and marked processes outside it, then waits for the program, so that
    /// no zombie remains. `None` if that was done before.
    fn reap(&self) -> Option<ExitStatus> {
        let mut held = self.child();
        let Held {
            mut child,
            mark,
            guard,
        } = held.take()?;
        group::kill(&mut child);
        mark.kill();
        // End the guard before the wait: afterwards the group's id may belong to other processes.
        if let Some(guard) = guard {
            guard.end();
        }
        child.wait().ok()
    }

    /// Returns whether the program ended by itself before the deadline.
    fn wait_until(&self, deadline: Instant) -> bool {
        loop {
            if self
                .child()
                .as_mut()
                .is_none_or(|held| group::has_ended(&mut held.child))
            {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn kill_on(cancel: &Cancel, reins: &Arc<Reins>) -> OnSet {
    let reins = Arc::downgrade(reins);
    cancel.on_set(move || {
        if let Some(reins) = reins.upgrade() {
            reins.kill();
        }
    })
}

/// Sends each line of `stream`, truncated to [`LONGEST_LINE`], until the stream ends or the
/// receiver is gone.
fn forward(stream: impl Read, sender: &SyncSender<Output>, wrap: fn(String) -> Output) {
    let mut stream = BufReader::new(stream);
    let mut line: Vec<u8> = Vec::new();
    loop {
        let bytes = match stream.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        line.extend_from_slice(&part[..part.len().min(LONGEST_LINE - line.len())]);
        let used = part.len() + usize::from(end.is_some());
        stream.consume(used);
        if end.is_some() {
            if sender.send(wrap(text(&line))).is_err() {
                return;
            }
            line.clear();
        }
    }
    if !line.is_empty() {
        let _ = sender.send(wrap(text(&line)));
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}
