//! Limits of a single read, so that one endless line does not fill the memory.

use std::io::{self, Read};

/// Maximum length in bytes of a line of a table. The longest real ones, of puzzles with a tree of 32 positions, have 20 KiB.
pub const LONGEST_LINE: usize = 1 << 20;

/// A reader that fails after [`LONGEST_LINE`] bytes and a buffer without a [`restart`](Self::restart). Unlike a limit of lines, it also ends a
/// quoted field that is never closed and has many line breaks.
#[derive(Debug)]
pub struct Bounded<R> {
    input: R,
    read: usize,
}

impl<R> Bounded<R> {
    /// Begins at the first record.
    pub fn new(input: R) -> Self {
        Self { input, read: 0 }
    }

    /// A record is complete; the next one may be as long again.
    pub fn restart(&mut self) {
        self.read = 0;
    }

    /// Whether the limit was exceeded.
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
