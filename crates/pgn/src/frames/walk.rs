//! Finding frames in a Zstandard file by their headers (RFC 8878), without decoding them.

use std::{fs::File, io::Read, ops::Range, sync::Arc};

use super::Limits;
use crate::source::At;

const MAGIC: u32 = 0xFD2F_B528;
/// Magic numbers of frames that carry no content, without their last four bits.
const SKIPPABLE: u32 = 0x184D_2A50;
/// The longest header of a frame.
const HEADER: usize = 18;
/// Number of bytes read at once.
const BUFFER: usize = 4096;

/// Walks from frame to frame.
pub(super) struct Walk {
    file: Arc<File>,
    limits: Limits,
    /// Offset of the next frame; `None` after the last span.
    next: Option<u64>,
    buffer: Vec<u8>,
    /// Offset of the buffer in the file.
    buffered: u64,
}

impl Walk {
    pub(super) fn new(file: Arc<File>, limits: Limits) -> Self {
        Self {
            file,
            limits,
            next: Some(0),
            buffer: Vec::new(),
            buffered: 0,
        }
    }

    /// Returns the next whole frames, a few small ones or a single large one. Where no frame fit
    /// for that begins, it is the rest of the file, with an open end: it may be damaged.
    pub(super) fn next(&mut self) -> Option<Range<u64>> {
        let begin = self.next.filter(|begin| !self.ends_at(*begin));
        let (mut end, mut more) = (begin?, true);
        while more && end - begin? < self.limits.span {
            match self.frame_end(end) {
                Some(frame_end) => end = frame_end,
                None => more = false,
            }
        }
        if Some(end) == begin {
            end = u64::MAX;
        }
        self.next = Some(end);
        Some(begin?..end)
    }

    /// Returns whether the file ends here.
    pub(super) fn ends_at(&mut self, offset: u64) -> bool {
        offset == u64::MAX || matches!(self.bytes(offset, 1), Some([]))
    }

    /// Returns where the frame ends that begins at `begin`; `None` if it is damaged, too large or
    /// of an unknown kind.
    fn frame_end(&mut self, begin: u64) -> Option<u64> {
        let header = self.bytes(begin, HEADER)?;
        let magic = number(header.get(..4)?) as u32;
        let mut end = if magic & !0xF == SKIPPABLE {
            begin + 8 + number(header.get(4..8)?)
        } else if magic == MAGIC {
            let descriptor = usize::from(*header.get(4)?);
            let is_single_segment = descriptor >> 5 & 1 == 1;
            let has_checksum = descriptor >> 2 & 1 == 1;
            let id_at = 6 - usize::from(is_single_segment);
            let size_at = id_at + [0, 1, 2, 4][descriptor & 3];
            let header_end = size_at + [usize::from(is_single_segment), 2, 4, 8][descriptor >> 6];
            let window = if is_single_segment {
                // The format adds 256 to a size of two bytes. Ignore that, because the limits are
                // much larger.
                number(header.get(size_at..header_end)?)
            } else {
                let (exponent, mantissa) = (header.get(5)? >> 3, u64::from(header.get(5)? & 7));
                let base = 1 << (10 + exponent);
                base + base / 8 * mantissa
            };
            if window > self.limits.window {
                return None;
            }
            self.last_block_end(begin, begin + header_end as u64)?
                + if has_checksum { 4 } else { 0 }
        } else {
            return None;
        };
        end = Some(end).filter(|end| end - begin <= self.limits.frame)?;
        // The last byte exists only if the file has the whole frame.
        (self.bytes(end - 1, 1)?.len() == 1).then_some(end)
    }

    /// Returns where the last block of a frame ends, whose first block begins at `at`.
    fn last_block_end(&mut self, begin: u64, mut at: u64) -> Option<u64> {
        loop {
            let header = number(self.bytes(at, 3)?.get(..3)?);
            let size = match header >> 1 & 3 {
                // Raw and compressed blocks have their size in the header.
                0 | 2 => header >> 3,
                // A repeated byte takes one byte in the file; the size in the header is the
                // decompressed size.
                1 => 1,
                _ => return None,
            };
            at += 3 + size;
            if header & 1 == 1 {
                return Some(at);
            }
            if at - begin > self.limits.frame {
                return None;
            }
        }
    }

    /// Returns at most `length` bytes from `offset` on, fewer at the end of the file; `None` if
    /// they cannot be read.
    fn bytes(&mut self, offset: u64, length: usize) -> Option<&[u8]> {
        let end = self.buffered + self.buffer.len() as u64;
        if offset < self.buffered || offset + length as u64 > end {
            self.buffer.clear();
            self.buffered = offset;
            At {
                file: &*self.file,
                at: offset,
            }
            .take(BUFFER as u64)
            .read_to_end(&mut self.buffer)
            .ok()?;
        }
        let from = (offset - self.buffered) as usize;
        Some(&self.buffer[from..self.buffer.len().min(from + length)])
    }
}

/// Returns a number with its lowest byte first.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
