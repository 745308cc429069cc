//! Lines that certainly begin a game, where a file can be cut.

use memchr::{memmem, memrchr};

use super::{BYTE_ORDER_MARK, Token, Tokenizer};

/// Returns the offset of the first tag of a file that begins with `head`, if comments that belong
/// to its first game precede it; otherwise 0.
pub(crate) fn preamble(head: &[u8]) -> u64 {
    let mut tokens = Tokenizer::new(head);
    tokens.next_game();
    let begin = tokens.offset();
    let tag = tokens.find(|token| {
        !matches!(
            token,
            Token::Comment(_) | Token::Nag(_) | Token::Open | Token::Close
        )
    });
    match tag {
        Some(Token::Tag { .. }) if tokens.token_start() <= begin + PREAMBLE => {
            tokens.token_start() as u64
        }
        _ => 0,
    }
}

/// Returns the offset of the first line at or after `from` that certainly begins a game: it begins
/// with `[Event "`, and the line before it is not a tag (or is longer than [`LOOK_BACK`]).
///
/// The result depends only on the bytes from [`LOOK_BACK`] before such a line to its quote: the
/// same lines are found wherever a file is cut.
pub fn game_start(bytes: &[u8], from: usize) -> Option<usize> {
    let search = from.saturating_sub(1);
    memmem::find_iter(&bytes[search..], LINE_START)
        .map(|at| search + at + 1)
        .find(|&start| begins_game(bytes, start))
}

/// Returns the offset of the last such line at or after `from`.
pub(crate) fn last_game_start(bytes: &[u8], from: usize) -> Option<usize> {
    let search = from.saturating_sub(1);
    memmem::rfind_iter(&bytes[search..], LINE_START)
        .map(|at| search + at + 1)
        .find(|&start| begins_game(bytes, start))
}

/// Returns whether [`game_start`] finds the line that begins at `start`.
#[inline]
pub(crate) fn begins_game(bytes: &[u8], start: usize) -> bool {
    bytes.get(start) == Some(&b'[')
        && start > 0
        && bytes[start - 1..].starts_with(LINE_START)
        && !behind_a_tag(bytes, start)
}

/// Returns whether the line before the one that begins at `start` is a tag.
fn behind_a_tag(bytes: &[u8], start: usize) -> bool {
    let end = start - 1;
    let before = &bytes[end.saturating_sub(LOOK_BACK + 1)..end];
    match memrchr(b'\n', before) {
        Some(end) => before.get(end + 1) == Some(&b'['),
        None if end <= LOOK_BACK => before
            .strip_prefix(BYTE_ORDER_MARK)
            .unwrap_or(before)
            .starts_with(b"["),
        None => false,
    }
}

/// Number of bytes before a line that [`game_start`] inspects.
pub const LOOK_BACK: usize = 4096;

/// Maximum size in bytes of the comments before the first tag of a file that belong to its first
/// game.
pub const PREAMBLE: usize = 4096;

/// The beginning of a line that certainly begins a game, with the end of the previous line.
const LINE_START: &[u8] = b"\n[Event \"";
