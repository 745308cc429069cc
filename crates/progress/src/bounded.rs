//! A limit on the length of one record, so that an endless line does not fill the memory.

use std::io::{self, Read};

/// Maximum length in bytes of one line of a table. The longest lines in practice are puzzles with a
/// solution tree of 32 positions: 20 KiB.
pub const LONGEST_LINE: usize = 1 << 20;

/// A reader that fails if more than [`LONGEST_LINE`] bytes are read without a
/// [`restart`](Self::restart), give or take one buffer. Unlike a limit per line, it also stops at a
/// quoted CSV field that is never closed and contains many line breaks.
#[derive(Debug)]
pub struct Bounded<R> {
    input: R,
    read: usize,
}

impl<R> Bounded<R> {
    /// Limits `input`, which is at the beginning of its first record.
    pub fn new(input: R) -> Self {
        Self { input, read: 0 }
    }

    /// Resets the count. Callers call it after each complete record.
    pub fn restart(&mut self) {
        self.read = 0;
    }

    /// Returns whether the limit was exceeded, and the last read failed for this reason.
    pub fn is_exceeded(&self) -> bool {
        self.read > LONGEST_LINE
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_exceeded() {
            return Err(io::Error::other("a line is longer than 1 MiB"));
        }
        let count = self.input.read(buffer)?;
        self.read += count;
        Ok(count)
    }
}
