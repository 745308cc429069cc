//! What a thread of a scan is given to do.

use std::{
    fs::File,
    io::Read,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::open::Head;
use crate::cut::Cutter;

/// A piece of a plain file: the games that begin in it.
pub(super) struct Range {
    pub(super) source: usize,
    pub(super) turn: u64,
    pub(super) file: Arc<File>,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) head: Head,
}

/// A source that is read from the beginning to the end, by one thread at a time.
pub(super) struct Stream {
    pub(super) source: usize,
    pub(super) cutter: Box<Cutter<Box<dyn Read + Send>>>,
    pub(super) head: Head,
    /// Bytes of the file that were read, and that were reported.
    pub(super) read: Arc<AtomicU64>,
    pub(super) reported: u64,
}

impl Stream {
    /// Bytes of the file read since this was asked last.
    pub(super) fn progress(&mut self) -> u64 {
        let read = self.read.load(Ordering::Relaxed);
        let more = read - self.reported;
        self.reported = read;
        more
    }
}

/// Something for a thread to do.
pub(super) enum Task {
    Open(usize),
    Range(Range),
    Stream(Stream),
}
