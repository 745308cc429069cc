//! Tasks for the threads of a scan.

use std::{
    fs::File,
    io::Read,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::open::Head;
use crate::{cut::Cutter, frames::Ahead};

/// A range of a plain file: the games that begin in it.
pub(super) struct Range {
    pub(super) source: usize,
    pub(super) turn: u64,
    pub(super) file: Arc<File>,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) head: Head,
}

/// A source that is read from beginning to end, by one thread at a time.
pub(super) struct Stream {
    pub(super) source: usize,
    pub(super) cutter: Box<Cutter<Box<dyn Read + Send>>>,
    pub(super) head: Head,
    /// Bytes of the file read so far, and bytes already reported.
    pub(super) read: Arc<AtomicU64>,
    pub(super) reported: u64,
}

impl Stream {
    /// Bytes of the file read since the last call.
    pub(super) fn progress(&mut self) -> u64 {
        let read = self.read.load(Ordering::Relaxed);
        let more = read - self.reported;
        self.reported = read;
        more
    }
}

/// A task for a thread.
pub(super) enum Task {
    Open(usize),
    Range(Range),
    Stream(Stream),
    Ahead(Ahead),
}
