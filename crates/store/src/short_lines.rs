//! A limit of lines, so that an endless one does not fill the memory.

use std::io::{self, ErrorKind, Read};

/// Longest line in bytes; an evaluation has a few hundred.
const LONGEST: usize = 1 << 20;

/// A reader that fails at a line that is too long.
pub(crate) struct ShortLines<R> {
    input: R,
    /// Bytes since the last line break.
    length: usize,
}

impl<R> ShortLines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, length: 0 }
    }
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.length = match buffer[..count].iter().rposition(|byte| *byte == b'\n') {
            Some(last) => count - last - 1,
            None => self.length + count,
        };
        if self.length > LONGEST {
            return Err(io::Error::new(ErrorKind::InvalidData, "a line is longer than 1 MiB; is this an export?"));
        }
        Ok(count)
    }
}
