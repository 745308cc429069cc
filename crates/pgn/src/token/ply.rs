//! The shortest way to nearly all plies: number, move and comment at once.

use std::hint::cold_path;

use super::{
    Phase, Tokenizer,
    word::{bits, brace_or_line},
};

/// A move and the comment behind it, found but not yet passed.
#[derive(Clone, Copy)]
pub(crate) struct PlyText {
    /// Where the move begins.
    pub(crate) at: usize,
    /// The move, perhaps with a check mark behind it.
    pub(crate) word: Word,
    /// Where the text of the comment begins and ends, if there is one; otherwise both are 0.
    pub(crate) comment: (usize, usize),
    /// Where the text behind all this begins.
    pub(crate) end: usize,
}

/// A short word in a register, without blanks.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    /// Its bytes, the first one lowest; what is above them is not of the word.
    pub(crate) bytes: u64,
    /// How many they are, 7 at most.
    pub(crate) length: u32,
}

/// Bytes of a comment looked at together: most are shorter.
const COMMENT: usize = 32;
/// Bytes of a ply looked at together: those of a comment, and before it a number and a move.
const WINDOW: usize = COMMENT + 32;

impl Tokenizer<'_> {
    /// The next ply of the main line, if it is written as most are: perhaps a number, a word, perhaps a comment.
    ///
    /// The word is not known to be a move. If it is one in standard notation, of letters and digits,
    /// [`pass`](Self::pass) goes behind what was found here, as [`any`](Self::any) would in some steps. Nothing here
    /// branches on how long a move or a comment is, for that cannot be foreseen.
    #[inline(always)]
    pub(crate) fn ply(&self, pos: usize) -> Option<PlyText> {
        let window: &[u8; WINDOW] = self.bytes.get(pos..)?.first_chunk()?;
        // Number and move stand in the first of it.
        let head: &[u8; 16] = window.first_chunk()?;
        let blanks = bits(head, [b' ', b'\n']);
        // Mostly one blank.
        let mut start = 1;
        if blanks & 3 != 1 {
            cold_path();
            start = zeros(!blanks);
        }
        // Indices below are within the window for sure, which spares the checks.
        if start > 24 {
            return None;
        }
        let first = window[start];
        if first.is_ascii_digit() {
            // How long a number is can be foreseen: a branch is sooner than a sum.
            let digit = |index: usize| window[index].is_ascii_digit();
            let dot = match window[start + 1..] {
                // A lone `1.` may begin another game.
                [b'.', ..] if first != b'1' => start + 1,
                [_, b'.', ..] if digit(start + 1) => start + 2,
                [_, _, b'.', ..] if digit(start + 1) && digit(start + 2) => start + 3,
                _ => return None,
            };
            if first == b'0' {
                return None;
            }
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
        let word = Word { bytes, length: length as u32 };
        let behind = start + length;
        let (comment, end) = if window[behind + 1] == b'{' {
            let open = behind + 2;
            let text: &[u8; COMMENT] = window[open..].first_chunk()?;
            // A line feed may begin a game.
            let close = match zeros(bits(text, [b'}', b'\n'])) {
                stop @ 0..COMMENT if text[stop] == b'}' => open + stop,
                0..COMMENT => return None,
                _ => self.far_close(pos + open + COMMENT)? - pos,
            };
            ((pos + open, pos + close), close + 1)
        } else {
            ((0, 0), behind)
        };
        Some(PlyText { at: pos + start, word, comment, end: pos + end })
    }

    /// Where the closing brace is, from here on, if no line feed comes before it.
    #[inline(never)]
    fn far_close(&self, from: usize) -> Option<usize> {
        let close = from + brace_or_line(self.bytes.get(from..)?);
        (self.at(close) == b'}').then_some(close)
    }

    /// Where a ply of the main line may begin, if nothing else is going on.
    #[inline]
    pub(crate) fn ply_start(&self) -> Option<usize> {
        (self.phase == Phase::Moves && self.depth == 0).then_some(self.pos)
    }

    /// Goes behind so many plies whose words are moves, of which the last begins at `last` and ends before `end`.
    #[inline]
    pub(crate) fn pass(&mut self, plies: usize, last: usize, end: usize) {
        self.pos = end;
        self.token_start = last;
        self.moves += plies as u32;
        self.numbered = false;
    }
}

/// Zeros below the lowest bit that is set.
#[inline(always)]
fn zeros(bits: u64) -> usize {
    bits.trailing_zeros() as usize
}
