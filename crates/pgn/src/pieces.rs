//! Reading in pieces of one size.

use std::io::{self, Read};

/// Number of bytes asked for at once: the largest block of Zstandard.
pub(crate) const PIECE: usize = 128 << 10;

/// Reads from `input` in pieces of [`PIECE`] bytes, whatever the size of the caller's buffers.
///
/// How much text a decoder of Zstandard returns before it finds damage depends on the size of these
/// pieces; so it is the same for every caller of a scan, and for [frames decoded side by
/// side](crate::frames).
pub(crate) struct Pieces<R> {
    input: R,
    piece: Vec<u8>,
    at: usize,
}

impl<R: Read> Pieces<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            piece: Vec::new(),
            at: 0,
        }
    }
}

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            if buffer.is_empty() {
                return Ok(0);
            }
            if let Some(piece) = buffer.get_mut(..PIECE) {
                return self.input.read(piece);
            }
            self.at = 0;
            self.piece.resize(PIECE, 0);
            let read = self.input.read(&mut self.piece);
            self.piece.truncate(*read.as_ref().unwrap_or(&0));
            read?;
        }
        let read = (&self.piece[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
