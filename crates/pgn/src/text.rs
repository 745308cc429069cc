//! Decoding bytes of a file to text.

use std::{borrow::Cow, ops::Range};

use memchr::memchr_iter;

/// Returns the number of line ends in a range of `text`: `\n`, `\r\n`, and `\r` alone. A `\r` at
/// the end of `text` does not count, since `\n` may follow; [`begins_line`] reports where the text
/// continues.
pub(crate) fn line_ends(text: &[u8], range: Range<usize>) -> u64 {
    /// Bytes that the nearest cache of a processor holds: each piece is looked at twice, and
    /// fetched from memory once.
    const PIECE: usize = 16 << 10;
    let mut lines = 0;
    for start in range.clone().step_by(PIECE) {
        let piece = &text[start..range.end.min(start + PIECE)];
        // Most texts have none.
        let is_alone = |at: &usize| text.get(start + at + 1).is_some_and(|next| *next != b'\n');
        lines +=
            memchr_iter(b'\n', piece).count() + memchr_iter(b'\r', piece).filter(is_alone).count();
    }
    lines as u64
}

/// Returns whether a line begins at `at` after a `\r` alone, which ended the text that was counted
/// before.
pub(crate) fn begins_line(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1] == b'\r' && text.get(at).is_some_and(|next| *next != b'\n')
}

/// Decodes UTF-8 if valid, otherwise Latin-1.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
}

/// Returns a comment on one line: each line break with the surrounding blanks becomes one space;
/// blanks at the ends are removed.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];
    let text = text.trim_matches(BLANK);
    if !text.contains(['\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let lines = text
        .split(['\n', '\r'])
        .map(|line| line.trim_matches(BLANK))
        .filter(|line| !line.is_empty());
    Cow::Owned(lines.collect::<Vec<_>>().join(" "))
}

/// Returns text to be quoted in a message: at most [`GameError::SHOWN`](crate::GameError::SHOWN)
/// characters of it.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(crate::GameError::SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns the value of a tag with its escapes resolved.
pub(crate) fn unescape(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some('\\' | '"')) => plain.extend(chars.next()),
            _ => plain.push(char),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_where_it_is_not_utf_8() {
        assert_eq!(decode(b"M\xfcller"), "Müller");
        assert_eq!(decode("Müller".as_bytes()), "Müller");
    }

    #[test]
    fn lines_end_in_three_ways() {
        for text in ["a\nb\n\nc", "a\rb\r\rc", "a\r\nb\r\n\r\nc", "a\rb\n\r\nc"] {
            let text = text.as_bytes();
            assert_eq!(line_ends(text, 0..text.len()), 3, "{text:?}");
            // Where a text is cut makes no difference.
            for cut in 0..text.len() {
                let (first, rest) = (&text[..cut], line_ends(text, cut..text.len()));
                assert_eq!(
                    line_ends(first, 0..cut) + u64::from(begins_line(text, cut)) + rest,
                    3,
                    "{text:?} {cut}"
                );
            }
        }
    }

    #[test]
    fn lines_join() {
        assert_eq!(one_line(" a  b \r\n\r\n\t c\n"), "a  b c");
        assert_eq!(one_line("\r\n"), "");
    }

    #[test]
    fn backslashes() {
        assert_eq!(unescape(r#"a \"b\" \\ \n \"#), r#"a "b" \ \n \"#);
    }
}
