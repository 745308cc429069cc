//! Output to pipes and devices, whose readers may stall.

use std::{
    collections::VecDeque,
    fmt, fs,
    io::{self, BufWriter, Write},
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{Cancel, Cancelled};

/// Bytes that are collected before they are handed over, and the most that the thread writes at
/// once.
const BLOCK: usize = 64 << 10;
/// Maximum number of blocks that wait for being written.
const WAITING: usize = 8;
/// How often a wait checks for cancellation.
const LOOK_UP: Duration = Duration::from_millis(50);
/// How long after a cancel the reader may take for another block. A reader that goes on receives
/// everything.
const GRACE: Duration = Duration::from_millis(500);

/// An output that is written on another thread, since opening a pipe blocks until it has a reader,
/// and writing into it blocks while the reader does not read. Once the [`Cancel`] is set, nothing
/// waits longer for a reader that stalls.
///
/// [`flush`](Write::flush) returns when everything is written.
pub(crate) struct StreamWriter {
    shared: Arc<Shared>,
    cancel: Cancel,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    blocks: VecDeque<Vec<u8>>,
    /// Whether the thread writes a block, or flushes the output.
    is_busy: bool,
    /// Whether no more blocks follow.
    is_closed: bool,
    /// Counts what the thread completes, to distinguish a slow reader from one that stalls.
    steps: u64,
    /// Whether the reader stalled after a cancel. In this case no call waits for it again.
    is_given_up: bool,
    /// The error that ended the thread.
    error: Option<(io::ErrorKind, Option<i32>, String)>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut Queue)) {
        change(&mut self.queue());
        self.changed.notify_all();
    }

    /// Returns the next block to write; `None` after the last one.
    fn next(&self) -> Option<Vec<u8>> {
        let mut queue = self.queue();
        loop {
            if let Some(block) = queue.blocks.pop_front() {
                queue.is_busy = true;
                return Some(block);
            }
            if queue.is_closed {
                return None;
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn write_all(&self, open: impl FnOnce() -> io::Result<Box<dyn Write>>) -> io::Result<()> {
        let mut out = open()?;
        while let Some(block) = self.next() {
            let mut rest = &*block;
            while !rest.is_empty() {
                match out.write(rest) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(written) => {
                        rest = &rest[written..];
                        self.update(|queue| queue.steps += 1);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            out.flush()?;
            self.update(|queue| (queue.is_busy, queue.steps) = (false, queue.steps + 1));
        }
        Ok(())
    }
}

impl Queue {
    fn check(&self) -> io::Result<()> {
        match &self.error {
            Some((_, Some(code), _)) => Err(io::Error::from_raw_os_error(*code)),
            Some((kind, None, text)) => Err(io::Error::new(*kind, text.clone())),
            None if self.is_given_up => Err(io::Error::other(Cancelled)),
            None => Ok(()),
        }
    }
}

impl StreamWriter {
    /// Opens an output on another thread. An error of opening it comes from writing.
    pub(crate) fn new(
        cancel: &Cancel,
        open: impl FnOnce() -> io::Result<Box<dyn Write>> + Send + 'static,
    ) -> Self {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            let ended = own.write_all(open);
            own.update(|queue| {
                queue.is_busy = false;
                queue.error = ended
                    .err()
                    .map(|error| (error.kind(), error.raw_os_error(), error.to_string()));
            });
        });
        Self {
            shared,
            cancel: cancel.clone(),
        }
    }

    /// Waits until `is_so`, or fails with the thread's error, or with [`Cancelled`] if after a
    /// cancel the reader stalls.
    fn wait(&self, is_so: impl Fn(&Queue) -> bool) -> io::Result<MutexGuard<'_, Queue>> {
        let mut queue = self.shared.queue();
        let (mut steps, mut since) = (queue.steps, None);
        loop {
            queue.check()?;
            if is_so(&queue) {
                return Ok(queue);
            }
            if self.cancel.is_set() {
                let now = Instant::now();
                let began = since.filter(|_| queue.steps == steps).unwrap_or(now);
                if now.duration_since(began) >= GRACE {
                    queue.is_given_up = true;
                    return Err(io::Error::other(Cancelled));
                }
                (steps, since) = (queue.steps, Some(began));
            }
            queue = self
                .shared
                .changed
                .wait_timeout(queue, LOOK_UP)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Write for StreamWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let block = &bytes[..bytes.len().min(BLOCK)];
        if !block.is_empty() {
            self.wait(|queue| queue.blocks.len() < WAITING)?
                .blocks
                .push_back(block.to_vec());
            self.shared.changed.notify_all();
        }
        Ok(block.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait(|queue| queue.blocks.is_empty() && !queue.is_busy)
            .map(drop)
    }
}

impl Drop for StreamWriter {
    /// Waits until everything is written. Errors are ignored here: a caller that needs them flushes
    /// before.
    fn drop(&mut self) {
        let _ = self.flush();
        self.shared.update(|queue| queue.is_closed = true);
    }
}

impl fmt::Debug for StreamWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWriter").finish_non_exhaustive()
    }
}

/// Returns the standard output. If it is a pipe whose reader stalls, writing fails soon after
/// `cancel` is set.
pub fn standard_output(cancel: &Cancel) -> Box<dyn Write + Send> {
    if may_stall() {
        let out = StreamWriter::new(cancel, || Ok(Box::new(io::stdout())));
        return Box::new(BufWriter::with_capacity(BLOCK, out));
    }
    Box::new(BufWriter::new(io::stdout()))
}

/// Returns whether standard output is neither a file nor a terminal.
#[cfg(unix)]
fn may_stall() -> bool {
    use std::{io::IsTerminal as _, os::fd::AsFd as _};
    let out = io::stdout();
    let about = out
        .as_fd()
        .try_clone_to_owned()
        .and_then(|out| fs::File::from(out).metadata());
    !out.is_terminal() && about.is_ok_and(|about| !about.is_file())
}

#[cfg(not(unix))]
fn may_stall() -> bool {
    false
}

/// Opens a pipe or a device for writing.
pub(crate) fn open_stream(path: &Path, cancel: &Cancel) -> io::Result<Box<dyn Write + Send>> {
    let open = |path: &Path| fs::OpenOptions::new().write(true).open(path);
    if is_pipe(path) {
        let path = path.to_owned();
        let out = StreamWriter::new(cancel, move || Ok(Box::new(open(&path)?)));
        return Ok(Box::new(BufWriter::with_capacity(BLOCK, out)));
    }
    // Open devices here: this does not block, and an error is returned at once.
    let out = open(path)?;
    Ok(Box::new(BufWriter::with_capacity(
        BLOCK,
        StreamWriter::new(cancel, move || Ok(Box::new(out))),
    )))
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// An output that accepts one block for each message of the test.
    struct Gated(mpsc::Receiver<()>, Arc<Mutex<Vec<u8>>>);

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.1.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gated(cancel: &Cancel) -> (StreamWriter, mpsc::Sender<()>, Arc<Mutex<Vec<u8>>>) {
        let (gate, allowed) = mpsc::channel();
        let written = Arc::default();
        let out = Gated(allowed, Arc::clone(&written));
        (
            StreamWriter::new(cancel, move || Ok(Box::new(out))),
            gate,
            written,
        )
    }

    #[test]
    fn a_flush_waits_for_the_reader() {
        let (mut out, gate, written) = gated(&Cancel::new());
        for _ in 0..3 {
            out.write_all(b"line\n").unwrap();
        }
        thread::spawn(move || (0..3).for_each(|_| gate.send(()).unwrap()));
        out.flush().unwrap();
        assert_eq!(*written.lock().unwrap(), b"line\nline\nline\n");
    }

    #[test]
    fn a_cancel_ends_the_wait_for_a_reader_that_stalls() {
        let cancel = Cancel::new();
        let (mut out, _gate, _) = gated(&cancel);
        let soon = cancel.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            soon.set();
        });
        let begin = Instant::now();
        let block = vec![0; BLOCK];
        let error = (0..100).find_map(|_| out.write_all(&block).err()).unwrap();
        assert!(crate::is_cancelled(&error), "{error}");
        assert!(out.flush().is_err());
        assert!(begin.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_reader_that_goes_on_receives_everything_after_a_cancel() {
        let cancel = Cancel::new();
        cancel.set();
        let (mut out, gate, written) = gated(&cancel);
        thread::spawn(move || {
            for _ in 0..20 {
                thread::sleep(Duration::from_millis(40));
                gate.send(()).unwrap();
            }
        });
        for _ in 0..20 {
            out.write_all(b"x").unwrap();
        }
        out.flush().unwrap();
        assert_eq!(written.lock().unwrap().len(), 20);
    }

    #[test]
    fn an_error_of_the_reader_stays() {
        let (mut out, gate, _) = gated(&Cancel::new());
        drop(gate);
        out.write_all(b"x").unwrap();
        for _ in 0..2 {
            assert_eq!(out.flush().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        }
    }
}
