//! Hashes of inputs that can be read only once.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use centipawn_progress::RunningHash;

/// Hashes of the text of sources that are no files and can be read only once: standard input,
/// pipes, addresses.
///
/// A [`scan`](crate::scan()) with [`ScanOptions::streams`](crate::ScanOptions::streams) fills them
/// while it reads: by them parts of a scan, each of which reads such a source for itself, can be
/// checked to be of the same text.
#[derive(Clone, Debug, Default)]
pub struct StreamHashes(Arc<Mutex<BTreeMap<usize, RunningHash>>>);

impl StreamHashes {
    /// Returns the hash of the decompressed text read from a source, by the source's index; `None`
    /// if it is a file or was not read.
    pub fn of(&self, source: usize) -> Option<RunningHash> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&source)
            .cloned()
    }

    /// Returns the same text, hashed while it is read.
    pub(super) fn hashed<R>(&self, source: usize, input: R) -> Hashed<R> {
        Hashed {
            input,
            hash: RunningHash::default(),
            source,
            all: self.clone(),
        }
    }
}

/// A reader that hashes the bytes it returns. When it is dropped, the hash is stored.
pub(super) struct Hashed<R> {
    input: R,
    hash: RunningHash,
    source: usize,
    all: StreamHashes,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.hash.add(&buffer[..read]);
        Ok(read)
    }
}

impl<R> Drop for Hashed<R> {
    fn drop(&mut self) {
        let hash = mem::take(&mut self.hash);
        self.all
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(self.source, hash);
    }
}
