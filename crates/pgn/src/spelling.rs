//! Moves with other characters than the standard's: typographic dashes, a sign for captures, null
//! moves of other programs.

use crate::san::parse;

/// Returns the length of a dash at the beginning of `text`, in UTF-8 or Windows-1252; 0 if there is
/// none.
///
/// Word processors and web pages replace the hyphen of `O-O` and `1-0` by any of these.
pub(crate) fn dash(text: &[u8]) -> usize {
    match text {
        [b'-', ..] => 1,
        // The hyphens, dashes and bars of U+2010 to U+2015, and the minus sign.
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x81, 0x83, ..] | [0xe2, 0x88, 0x92, ..] => 3,
        // The small and the full-width hyphen.
        [0xef, 0xb9, 0x98 | 0xa3, ..] | [0xef, 0xbc, 0x8d, ..] => 3,
        // The soft hyphen.
        [0xc2, 0xad, ..] => 2,
        [0x96 | 0x97 | 0xad, ..] => 1,
        _ => 0,
    }
}

/// Returns the length of a multiplication sign at the beginning of `text`, which stands for `x` in
/// print; 0 if there is none.
fn times(text: &[u8]) -> usize {
    match text {
        [0xc3, 0x97, ..] => 2,
        [0xd7, next, ..] if next.is_ascii() => 1,
        _ => 0,
    }
}

/// Returns the length of a non-ASCII character within a move, after which a square or castling
/// continues; otherwise 0.
pub(crate) fn joint(text: &[u8]) -> usize {
    let (dash, times) = (dash(text), times(text));
    let goes_on = |length: usize| {
        let rest = &text[length..];
        matches!(rest.first(), Some(b'a'..=b'h' | b'0' | b'O' | b'o'))
            || letter(rest).is_some_and(|(letter, _)| letter == b'O')
    };
    match dash.max(times) {
        length if length > 0 && goes_on(length) => length,
        _ => 0,
    }
}

/// Returns the ASCII character that a letter beyond ASCII looks like, and its length: keyboards
/// with Cyrillic or Greek letters, and full-width ones.
fn letter(text: &[u8]) -> Option<(u8, usize)> {
    Some(match *text {
        [0xd0, 0x9e | 0xbe, ..] | [0xce, 0x9f | 0xbf, ..] => (b'O', 2),
        [0xd0, 0xb0, ..] => (b'a', 2),
        [0xd1, 0x81, ..] => (b'c', 2),
        [0xd0, 0xb5, ..] => (b'e', 2),
        [0xd1, 0x85, ..] => (b'x', 2),
        [0xef, 0xbc, byte @ 0x81..=0xbf, ..] => (byte - 0x60, 3),
        [0xef, 0xbd, byte @ 0x80..=0x9e, ..] => (byte - 0x20, 3),
        _ => return None,
    })
}

/// Returns the length of a character without a width at the beginning of `text`, as text copied
/// from web pages has it; 0 if there is none.
fn invisible(text: &[u8]) -> usize {
    match text {
        [0xe2, 0x80, 0x8b..=0x8f, ..] | [0xe2, 0x81, 0xa0, ..] | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// Longest move in ASCII, with its disambiguation and promotion.
const LONGEST: usize = 12;

/// A move in ASCII.
pub(crate) struct Plain {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Plain {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns the move at the beginning of `text`, up to a blank, a check mark or a glyph, and its
    /// length in `text`.
    fn read(text: &[u8]) -> Option<(Self, usize)> {
        let mut plain = Self {
            bytes: [0; LONGEST],
            length: 0,
        };
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            let (mapped, length) = match (dash(rest), times(rest), invisible(rest)) {
                (length @ 1.., ..) => (b'-', length),
                (_, length @ 1.., _) => (b'x', length),
                (.., length @ 1..) => {
                    at += length;
                    continue;
                }
                _ if byte.is_ascii_alphanumeric()
                    || matches!(byte, b':' | b'=' | b'@' | b'<' | b'>') =>
                {
                    (byte, 1)
                }
                _ => match letter(rest) {
                    Some(found) => found,
                    None => break,
                },
            };
            *plain.bytes.get_mut(plain.length)? = mapped;
            plain.length += 1;
            at += length;
        }
        (plain.length > 0).then_some((plain, at))
    }
}

/// Returns a move with other characters than ASCII, in ASCII; `None` if it has characters of which
/// no move consists.
pub(crate) fn plain(text: &[u8]) -> Option<Plain> {
    Plain::read(text)
        .filter(|(_, length)| *length == text.len())
        .map(|(plain, _)| plain)
}

/// The answer of engines that have no move. It is also written as a variation in which a program
/// found nothing.
pub(crate) const NONE: &[u8] = b"(none)";

/// Returns whether a word is a null move: `--`, `Z0` (ChessBase), `N0`, `<>` (PalView), `@@@@`
/// (WinBoard), `0000` (UCI), `(none)`, `null`, `pass`. A word processor makes one long dash of two
/// hyphens.
pub(crate) fn is_null(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 11] = [
        b"--",
        b"Z0",
        b"N0",
        b"<>",
        b"@@@@",
        b"0000",
        NONE,
        b"null",
        b"pass",
        b"nullmove",
        b"null-move",
    ];
    match word.first() {
        Some(byte) if byte.is_ascii() => WORDS.iter().any(|null| word.eq_ignore_ascii_case(null)),
        Some(_) => {
            let first = dash(word);
            let is_long = matches!(word, [0xe2, 0x80, 0x94 | 0x95]);
            is_long
                || (first > 1 && dash(&word[first..]) == word.len() - first && word.len() > first)
        }
        None => false,
    }
}

/// Returns the length of a move at the beginning of a word that has unusual characters, or is a
/// null move; check marks and glyphs may follow. `None` if it is no such move.
pub(crate) fn unusual_move(word: &[u8]) -> Option<usize> {
    let marks = word
        .iter()
        .rev()
        .take_while(|byte| b"+#!?".contains(byte))
        .count();
    let bare = &word[..word.len() - marks];
    if is_null(bare) {
        return Some(bare.len());
    }
    if word.is_ascii() {
        return None;
    }
    let (plain, length) = Plain::read(word)?;
    let is_odd = !word[..length].is_ascii();
    (is_odd && parse(plain.bytes()).is_some()).then_some(length)
}

/// Returns the piece that a word names in English, as its letter: `Queen`, `rook`.
pub(crate) fn named_piece(word: &[u8]) -> Option<u8> {
    const NAMES: [(&str, u8); 4] = [
        ("queen", b'Q'),
        ("rook", b'R'),
        ("bishop", b'B'),
        ("knight", b'N'),
    ];
    NAMES
        .into_iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()))
        .map(|(_, letter)| letter)
}

/// Returns the piece that a text behind a pawn's move to the last rank names, as a letter of
/// `letters` or by its English name, and the length of that text: `=Q`, `/Q`, `(Q)`, `=(Q)`, `[Q]`,
/// `="Q"`, `:Q`, `-Q`, `^Q`, `=Queen`, also after a blank, and `Q` after a blank.
pub(crate) fn promotion(text: &[u8], letters: crate::Letters) -> Option<(u8, usize)> {
    let mut at = 0;
    let blank = |at: usize| matches!(text.get(at), Some(b' ' | b'\t' | b'\n' | b'\r'));
    while blank(at) && at < 2 {
        at += 1;
    }
    let begin = at;
    at += usize::from(text.get(at) == Some(&b'='));
    at += usize::from(at > begin && blank(at));
    let close = match text.get(at) {
        Some(b'(') => Some(b')'),
        Some(b'[') => Some(b']'),
        Some(quote @ (b'"' | b'\'')) => Some(*quote),
        _ => None,
    };
    let sign = at;
    at += match text.get(at) {
        Some(b'(' | b'[' | b'"' | b'\'' | b'/' | b':' | b'^') => 1,
        _ => dash(&text[at..]),
    };
    let is_marked = at > begin;
    let rest = text.get(at..)?;
    let word = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let named = named_piece(&rest[..word])
        .filter(|_| is_marked)
        .map(|piece| (piece, word));
    let (piece, length) = named
        .or_else(|| letters.piece(rest))
        .or_else(|| crate::Letters::Figurine.piece(rest))
        .or_else(|| crate::Letters::English.piece(rest))
        .or_else(|| {
            rest.first()
                .filter(|byte| is_marked && b"qrbn".contains(byte))
                .map(|byte| (byte.to_ascii_uppercase(), 1))
        })
        .filter(|(piece, _)| b"QRBN".contains(piece))?;
    at += length;
    if let Some(close) = close {
        let is_closed = text.get(at) == Some(&close);
        at += 1;
        if !is_closed || sign + 2 + length != at {
            return None;
        }
    }
    let goes_on = text.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (!goes_on).then_some((piece, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Letters;

    #[test]
    fn moves_with_other_characters() {
        let read =
            |text: &str| unusual_move(text.as_bytes()).map(|length| text[..length].to_owned());
        for (text, expected) in [
            ("O–O", Some("O–O")),
            ("O‑O‑O+", Some("O‑O‑O")),
            ("0—0!", Some("0—0")),
            ("e2–e4", Some("e2–e4")),
            ("N×f3±", Some("N×f3")),
            ("О-О", Some("О-О")),
            ("—", Some("—")),
            ("––", Some("––")),
            ("<>", Some("<>")),
            ("@@@@!?", Some("@@@@")),
            ("N0", Some("N0")),
            ("PASS", Some("PASS")),
            ("–", None),
            ("passed", None),
            ("±", None),
            ("größer", None),
            ("O-O", None),
        ] {
            assert_eq!(read(text).as_deref(), expected, "{text}");
        }
        assert_eq!(unusual_move(b"O\x96O"), Some(3));
    }

    #[test]
    fn promotions_behind_the_square() {
        let read = |text: &str| {
            promotion(text.as_bytes(), Letters::English).map(|(piece, at)| (char::from(piece), at))
        };
        for (text, expected) in [
            ("=Q", Some(('Q', 2))),
            ("(Q) Kf7", Some(('Q', 3))),
            ("/N+", Some(('N', 2))),
            ("=(R)", Some(('R', 4))),
            (" = Q", Some(('Q', 4))),
            (" Q 2. Kf7", Some(('Q', 2))),
            ("[b]", Some(('B', 3))),
            ("=♛", Some(('Q', 4))),
            ("=\"Q\" Kf7", Some(('Q', 4))),
            ("='n'", Some(('N', 4))),
            ("=Queen+", Some(('Q', 6))),
            (" = knight", Some(('N', 9))),
            ("(Rook)", Some(('R', 6))),
            ("=Queens", None),
            (" Queen", None),
            ("\"Q", None),
            ("(Qe5)", None),
            (" Qe5", None),
            (" q", None),
            ("(K)", None),
            ("(Q", None),
            ("", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(promotion(b"=D", Letters::German), Some((b'Q', 2)));
    }
}
