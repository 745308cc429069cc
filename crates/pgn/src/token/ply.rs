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

/// Bytes looked at together: most plies are shorter.
const WINDOW: usize = 48;
/// A comment begins no sooner: a blank, two bytes of a move, a blank and the brace come before it.
const LEAST: usize = 5;

impl Tokenizer<'_> {
    /// The next ply of the main line, if it is written as most are: perhaps a number, a word, perhaps a comment.
    ///
    /// The word is not known to be a move. If it is one in standard notation, of letters and digits,
    /// [`pass`](Self::pass) goes behind what was found here, as [`any`](Self::any) would in some steps. Nothing here
    /// branches on how long the parts are, for that cannot be foreseen.
    #[inline(always)]
    pub(crate) fn ply(&self, pos: usize) -> Option<PlyText> {
        let window: &[u8; WINDOW] = self.bytes.get(pos..)?.first_chunk()?;
        // Number and move stand in the first of it.
        let head: &[u8; 16] = window.first_chunk()?;
        let blanks = bits(head, [b' ', b'\n']);
        let mut start = ones(blanks);
        // Indices below are within the window for sure, which spares the checks.
        if start > 24 {
            return None;
        }
        let first = window[start];
        if first.is_ascii_digit() {
            let digit = |index: usize| usize::from(window[index].is_ascii_digit());
            let second = start + 1;
            let third = second + digit(second);
            let dot = third + digit(third);
            // A lone `1.` may begin another game.
            if first == b'0' || window[dot] != b'.' || (first == b'1' && dot == second) {
                return None;
            }
            start = dot + 1;
            start += (blanks >> start) as usize & 1;
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
            // A line feed may begin a game. The first brace or line feed, not the first one behind the opening: where it
            // is must not wait for all that is found out above. But a line feed before the ply is none of the comment's.
            let stops = bits(window, [b'}', b'\n']) & !0 << LEAST;
            let mut stop = zeros(stops);
            if stop < open {
                cold_path();
                stop = zeros(stops & !0 << open);
            }
            let close = match window.get(stop) {
                Some(b'}') => stop,
                Some(_) => return None,
                None => self.far_close(pos + WINDOW)? - pos,
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

    /// Goes behind so many plies whose words are moves, of which this is the last.
    #[inline]
    pub(crate) fn pass(&mut self, plies: usize, last: &PlyText) {
        self.pos = last.end;
        self.token_start = last.at;
        self.moves += plies as u32;
        self.numbered = false;
    }
}

/// Zeros below the lowest bit that is set, at most 63. (To allow for none set takes a branch on older machines.)
#[inline(always)]
fn zeros(bits: u64) -> usize {
    (bits | 1 << 63).trailing_zeros() as usize
}

/// Ones below the lowest bit that is not set, at most 63.
#[inline(always)]
fn ones(bits: u64) -> usize {
    zeros(!bits)
}
