//! Decoding the frames of a Zstandard file side by side.
//!
//! A file may consist of any number of frames, each compressed independently, as pzstd writes them
//! and `cat` makes them.

mod span;
mod state;
mod walk;

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
};

use crate::{pieces::PIECE, source::decoding_error};
use span::Span;
use state::{Next, State, Step};
use walk::Walk;

/// Limits of decoding, in bytes unless noted.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Minimum compressed size of a span: smaller frames are grouped, and one thread decodes the
    /// group.
    span: u64,
    /// A larger frame, compressed, and all after it are decoded by one thread at a time, and so are
    /// frames with a larger window.
    frame: u64,
    /// Maximum window size for decoding by several threads; Zstandard's level 19 uses this window.
    window: u64,
    /// Size of a chunk of decoded text in bytes.
    chunk: usize,
    /// Maximum number of chunks decoded ahead of the reader.
    chunks: usize,
}

const LIMITS: Limits = Limits {
    span: 256 << 10,
    frame: 64 << 20,
    window: 8 << 20,
    chunk: 256 << 10,
    chunks: 256,
};

/// The text of a file, whose frames other threads can decode [ahead](Frames::ahead) of the one that
/// reads it.
///
/// Its bytes and errors are those of one decoder that reads the whole file in
/// [pieces](crate::pieces).
pub(crate) struct FrameReader {
    frames: Arc<Frames>,
    chunk: Vec<u8>,
    at: usize,
}

/// The frames of a file, shared by the threads that decode them.
pub(crate) struct Frames {
    file: Arc<File>,
    /// Counts the bytes read.
    read: Arc<AtomicU64>,
    /// Size of a chunk in bytes.
    chunk: usize,
    state: Mutex<State>,
    /// Notified when something is decoded or found.
    changed: Condvar,
}

type Decoder = Box<zstd::Decoder<'static, Span>>;

/// The next chunk of a span, for one thread to decode.
pub(crate) struct Ahead {
    frames: Arc<Frames>,
    step: Step,
}

impl FrameReader {
    /// Opens a Zstandard file for up to `threads` threads; `read` counts the bytes read of the
    /// file.
    ///
    /// `None` if one decoder is as good: the file has a single frame, or begins with a very large
    /// one.
    pub(crate) fn open(file: &Arc<File>, read: &Arc<AtomicU64>, threads: usize) -> Option<Self> {
        // Use 8 MiB per thread, at least 16 MiB. More would be evicted from the caches before it is
        // read.
        let chunks = threads.saturating_mul(32).clamp(64, LIMITS.chunks);
        Self::with_limits(file, read, threads, Limits { chunks, ..LIMITS })
    }

    fn with_limits(
        file: &Arc<File>,
        read: &Arc<AtomicU64>,
        threads: usize,
        limits: Limits,
    ) -> Option<Self> {
        let mut walk = Walk::new(Arc::clone(file), limits);
        let end = walk.next()?.end;
        if walk.ends_at(end) {
            return None;
        }
        let state = State::new(
            Walk::new(Arc::clone(file), limits),
            limits.chunks,
            threads + 1,
        );
        let frames = Frames {
            file: Arc::clone(file),
            read: Arc::clone(read),
            chunk: limits.chunk,
            state: Mutex::new(state),
            changed: Condvar::new(),
        };
        Some(Self {
            frames: Arc::new(frames),
            chunk: Vec::new(),
            at: 0,
        })
    }

    /// Returns the frames, for other threads to decode ahead.
    pub(crate) fn frames(&self) -> Arc<Frames> {
        Arc::clone(&self.frames)
    }
}

impl Read for FrameReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() && !buffer.is_empty() {
            self.at = 0;
            self.chunk = self.frames.next(mem::take(&mut self.chunk))?;
        }
        let read = (&self.chunk[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

impl Drop for FrameReader {
    fn drop(&mut self) {
        self.frames.lock().end();
    }
}

impl Frames {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next step of decoding ahead of the reader; `None` if enough is decoded for now,
    /// or everything.
    pub(crate) fn ahead(self: &Arc<Self>) -> Option<Ahead> {
        let step = self.lock().ahead()?;
        Some(Ahead {
            frames: Arc::clone(self),
            step,
        })
    }

    /// Returns the next chunk, empty at the end; it is decoded now unless that is done or another
    /// thread is about it.
    fn next(&self, spent: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut state = self.lock();
        state.recycle(spent);
        loop {
            if let Some(chunk) = state.read()? {
                return Ok(chunk);
            }
            match state.first() {
                Some(step) => {
                    drop(state);
                    self.run(step);
                    state = self.lock();
                }
                None => {
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn run(&self, step: Step) {
        let (number, decoder) = match step {
            Step::Decode(number, decoder) => (number, Ok(decoder)),
            Step::Begin(mut walk) => {
                let Some(span) = walk.next() else {
                    self.lock().no_more();
                    self.changed.notify_all();
                    return;
                };
                let Some((number, idle)) = self.lock().begin(walk) else {
                    return;
                };
                self.changed.notify_all();
                let decoder = idle
                    .map_or_else(|| self.new_decoder(), Ok)
                    .map(|mut decoder| {
                        decoder.get_mut().set(span);
                        decoder
                    });
                (number, decoder)
            }
        };
        let mut chunk = self.lock().buffer();
        chunk.resize(self.chunk, 0);
        let (length, next) = match decoder {
            Ok(decoder) => decode(decoder, &mut chunk),
            Err(error) => (0, Next::Ended(Err(error))),
        };
        chunk.truncate(length);
        self.lock().put_back(number, chunk, next);
        self.changed.notify_all();
    }

    fn new_decoder(&self) -> io::Result<Decoder> {
        let span = Span::new(Arc::clone(&self.file), Arc::clone(&self.read));
        zstd::Decoder::with_buffer(span).map(Box::new)
    }
}

/// Decodes a chunk; returns its length and the continuation of the span.
fn decode(mut decoder: Decoder, chunk: &mut [u8]) -> (usize, Next) {
    let mut length = 0;
    while let Some(piece) = chunk.get_mut(length..length + PIECE) {
        match decoder.read(piece) {
            // The end of the file.
            Ok(0) => return (length, Next::Ended(Ok(None))),
            Ok(read) => length += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock && decoder.get_ref().is_over() => {
                return (length, Next::Ended(Ok(Some(decoder))));
            }
            Err(error) => return (length, Next::Ended(Err(decoding_error(error)))),
        }
    }
    (length, Next::Idle(decoder))
}

impl Ahead {
    /// Runs this step of decoding.
    pub(crate) fn run(self) {
        self.frames.run(self.step);
    }
}

#[cfg(test)]
mod tests;
