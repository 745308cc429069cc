//! Inspecting many bytes at once.

use memchr::memchr2;
use wide::{CmpEq, CmpGt, i8x16};

/// Returns the number of letters and digits at the beginning of `text`, at most 16.
#[inline]
pub(super) fn word_length(text: &[u8]) -> usize {
    let Some(chunk) = text.first_chunk::<16>() else {
        return text
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
    };
    // Signed comparisons: bytes outside ASCII are below all letters.
    let bytes = i8x16::from(chunk.map(|byte| byte as i8));
    let folded = bytes | i8x16::splat(0x20);
    let between = |bytes: i8x16, least: u8, most: u8| {
        bytes.cmp_gt(i8x16::splat(least as i8 - 1)) & i8x16::splat(most as i8 + 1).cmp_gt(bytes)
    };
    let word = between(folded, b'a', b'z') | between(bytes, b'0', b'9');
    (!word.move_mask()).trailing_zeros().min(16) as usize
}

/// Returns the index of the first `}` or line feed in `text`, or its length.
#[inline]
pub(super) fn brace_or_line(text: &[u8]) -> usize {
    // Most comments are short.
    if let Some(chunk) = text.first_chunk::<32>() {
        let (low, high) = chunk.split_at(16);
        let found = |half: &[u8]| {
            let bytes = i8x16::from(std::array::from_fn(|index| half[index] as i8));
            let wanted =
                bytes.cmp_eq(i8x16::splat(b'}' as i8)) | bytes.cmp_eq(i8x16::splat(b'\n' as i8));
            wanted.move_mask() as u32
        };
        let found = found(low) | found(high) << 16;
        if found != 0 {
            return found.trailing_zeros() as usize;
        }
    }
    memchr2(b'}', b'\n', text).unwrap_or(text.len())
}

/// Positions of any of the `wanted` bytes: one bit per position.
#[inline(always)]
pub(super) fn bits<const LENGTH: usize, const BYTES: usize>(
    window: &[u8; LENGTH],
    wanted: [u8; BYTES],
) -> u64 {
    let parts = window.chunks_exact(16).enumerate();
    parts.fold(0, |bits, (index, part)| {
        let part = i8x16::from(std::array::from_fn(|index| part[index] as i8));
        let found = wanted.map(|byte| part.cmp_eq(i8x16::splat(byte as i8)));
        let found = found
            .into_iter()
            .reduce(|found, more| found | more)
            .unwrap_or_default();
        bits | u64::from(found.move_mask() as u16) << (16 * index)
    })
}

/// Class of letters and digits.
pub(super) const WORD: u8 = 1;
/// Class of letters that begin a move.
pub(super) const OPENS_MOVE: u8 = 2;
/// Class of second characters of a move.
pub(super) const SECOND: u8 = 16;
/// Class of characters that may continue a word of letters and digits.
pub(super) const JOINS: u8 = 4;
/// Class of check marks and parts of glyphs.
pub(super) const CHECK: u8 = 8;

/// The classes of each byte.
pub(super) static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'a'..=b'h' | b'O' | b'o' | b'0' => OPENS_MOVE | JOINS | SECOND,
            b'K' | b'Q' | b'R' | b'B' | b'N' | b'P' | b'Z' => OPENS_MOVE | JOINS,
            b'1'..=b'8' | b'x' | b':' | b'-' => JOINS | SECOND,
            // The point of `exd6e.p.`.
            b'i'..=b'w' | b'y' | b'z' | b'A'..=b'Z' | b'9' | b'@' | b'=' | b'.' => JOINS,
            // The first bytes of typographic dashes, of `×`, and of letters that look like Latin
            // ones.
            0x96 | 0x97 | 0xad | 0xc2 | 0xc3 | 0xce | 0xd0 | 0xd7 | 0xe2 | 0xef => JOINS,
            b'+' | b'#' => CHECK,
            _ => 0,
        };
        if (byte as u8).is_ascii_alphanumeric() {
            class[byte] |= WORD;
        }
        byte += 1;
    }
    class
};

pub(super) fn is_promotion(byte: u8) -> bool {
    matches!(byte, b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n')
}
