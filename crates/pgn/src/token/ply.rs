//! The fast path for most plies: number, move and comment at once.

use std::hint::cold_path;

use super::{
    Phase, Tokenizer,
    word::{bits, brace_or_line},
};

/// A move and the comment after it, which are not consumed yet.
#[derive(Clone, Copy)]
pub(crate) struct PlyText {
    /// Offset of the move.
    pub(crate) at: usize,
    /// The move, possibly with a check mark.
    pub(crate) word: Word,
    /// Start and end offset of the comment's text; both 0 if there is none.
    pub(crate) comment: (usize, usize),
    /// Offset of the text after the ply.
    pub(crate) end: usize,
}

/// A short word in a register, without blanks.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    /// The bytes of the word, the first byte lowest. Bytes above its length do not belong to the
    /// word.
    pub(crate) bytes: u64,
    /// Length of the word in bytes, at most 7.
    pub(crate) length: u32,
}

/// Number of bytes of a comment inspected together; most comments are shorter.
const COMMENT: usize = 32;
/// Bytes of a ply inspected together: those of a comment, and before it a number and a move.
const WINDOW: usize = COMMENT + 32;

impl Tokenizer<'_> {
    /// Returns the next ply of the main line, if it has the usual form: an optional number, a word,
    /// an optional comment.
    ///
    /// The word need not be a move. If it is a move in standard notation, of letters and digits,
    /// [`pass`](Self::pass) consumes the ply, with the same effect as several calls of
    /// [`any`](Self::any). Nothing here branches on the unpredictable lengths of moves and
    /// comments.
    #[inline(always)]
    pub(crate) fn ply(&self, pos: usize) -> Option<PlyText> {
        let window: &[u8; WINDOW] = self.bytes.get(pos..)?.first_chunk()?;
        // Number and move lie in the first 16 bytes.
        let head: &[u8; 16] = window.first_chunk()?;
        let blanks = bits(head, [b' ', b'\n']);
        // Usually there is exactly one blank.
        let mut start = 1;
        if blanks & 3 != 1 {
            cold_path();
            start = zeros(!blanks);
        }
        // Keeps the indices below within the window, which saves bounds checks.
        if start > 24 {
            return None;
        }
        let first = window[start];
        if first.is_ascii_digit() {
            // The length of a number is predictable, so a branch is faster than computing it.
            let digit = |index: usize| window[index].is_ascii_digit();
            let dot = match window[start + 1..] {
                // `1.` may begin another game: leave it to the tokenizer.
                [b'.', second, ..] if first != b'1' || second == b'.' => start + 1,
                [_, b'.', ..] if digit(start + 1) => start + 2,
                [_, _, b'.', ..] if digit(start + 1) && digit(start + 2) => start + 3,
                _ => return None,
            };
            if first == b'0' {
                return None;
            }
            // After a comment, Black's moves have a number, too: `12... `.
            let dot = if window[dot + 1] == b'.' && window[dot + 2] == b'.' {
                dot + 2
            } else {
                dot
            };
            start = dot + 2;
            if window[dot + 1] != b' ' {
                cold_path();
                start = dot + 1;
            }
        }
        let bytes = u64::from_le_bytes(*window[start..].first_chunk()?);
        let length = zeros(blanks >> start);
        if length > 7 {
            return None;
        }
        let word = Word {
            bytes,
            length: length as u32,
        };
        let behind = start + length;
        let (comment, end) = if window[behind + 1] == b'{' {
            let open = behind + 2;
            let text: &[u8; COMMENT] = window[open..].first_chunk()?;
            // An unclosed comment ends where the next game begins, and only a line can begin a
            // game. So leave comments with a line feed to the tokenizer, which checks for that.
            let close = match zeros(bits(text, [b'}', b'\n'])) {
                stop @ 0..COMMENT if text[stop] == b'}' => open + stop,
                0..COMMENT => return None,
                _ => self.far_close(pos + open + COMMENT)? - pos,
            };
            ((pos + open, pos + close), close + 1)
        } else {
            ((0, 0), behind)
        };
        Some(PlyText {
            at: pos + start,
            word,
            comment,
            end: pos + end,
        })
    }

    /// Returns the offset of the closing brace at or after `from`, if no line feed comes before it.
    #[inline(never)]
    fn far_close(&self, from: usize) -> Option<usize> {
        let close = from + brace_or_line(self.bytes.get(from..)?);
        (self.at(close) == b'}').then_some(close)
    }

    /// Returns the offset at which a ply of the main line may begin, in the moves outside
    /// variations.
    #[inline]
    pub(crate) fn ply_start(&self) -> Option<usize> {
        (self.phase == Phase::Moves && self.depth == 0).then_some(self.pos)
    }

    /// Consumes `plies` plies whose words are moves; the last move begins at `last`, and the text
    /// after it at `end`.
    #[inline]
    pub(crate) fn pass(&mut self, plies: usize, last: usize, end: usize) {
        self.pos = end;
        self.token_start = last;
        self.moves += plies as u32;
        self.numbered = false;
    }
}

/// Returns the number of zeros below the lowest set bit.
#[inline(always)]
fn zeros(bits: u64) -> usize {
    bits.trailing_zeros() as usize
}
