//! Reading a span of a file for a decoder.

use std::{
    fs::File,
    io::{self, BufRead, ErrorKind, Read},
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::source::{At, INPUT, MAGIC};

/// A span of a file, for a decoder that reads several spans one after another: between them it
/// meets [`WouldBlock`](ErrorKind::WouldBlock), which leaves it as it is.
///
/// Buffers end at the offsets where they do when the whole file is read by
/// [`decompressed`](crate::source): how much a decoder returns before it finds damage depends on
/// them.
pub(super) struct Span {
    file: Arc<File>,
    /// Counts the bytes read.
    read: Arc<AtomicU64>,
    /// The range that is not read yet; the end `u64::MAX` means the end of the file.
    left: Range<u64>,
    buffer: Box<[u8]>,
    /// The part of the buffer that is read but not decoded yet.
    filled: Range<usize>,
}

impl Span {
    pub(super) fn new(file: Arc<File>, read: Arc<AtomicU64>) -> Self {
        Self {
            file,
            read,
            left: 0..0,
            buffer: vec![0; INPUT].into(),
            filled: 0..0,
        }
    }

    /// Continues with another span.
    pub(super) fn set(&mut self, span: Range<u64>) {
        self.left = span;
    }

    /// Returns whether all of the span is decoded.
    pub(super) fn is_over(&self) -> bool {
        self.filled.is_empty() && self.left.is_empty()
    }
}

impl Read for Span {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Span {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.filled.is_empty() {
            if self.left.is_empty() {
                return Err(ErrorKind::WouldBlock.into());
            }
            let start = self.left.start;
            let end = match start.checked_sub(MAGIC) {
                Some(after) => start - after % INPUT as u64 + INPUT as u64,
                None => MAGIC,
            };
            let length = (end.min(self.left.end) - start) as usize;
            self.filled = 0..read_full(
                At {
                    file: &*self.file,
                    at: start,
                },
                &mut self.buffer[..length],
            )?;
            self.left.start += self.filled.len() as u64;
            self.read
                .fetch_add(self.filled.len() as u64, Ordering::Relaxed);
        }
        Ok(&self.buffer[self.filled.clone()])
    }

    fn consume(&mut self, amount: usize) {
        self.filled.start += amount;
    }
}

/// Fills the buffer up to the end of the input, or to an error after the first bytes; returns the
/// number of bytes read.
fn read_full(mut input: impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) if filled > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
