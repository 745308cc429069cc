//! Decoding bytes of a file to text.

use std::borrow::Cow;

/// Decodes UTF-8 if valid, otherwise Latin-1.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
}

/// A comment on one line: each line break with the surrounding blanks becomes one space; blanks at the ends are
/// removed.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];
    let text = text.trim_matches(BLANK);
    if !text.contains(['\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let lines = text.split(['\n', '\r']).map(|line| line.trim_matches(BLANK)).filter(|line| !line.is_empty());
    Cow::Owned(lines.collect::<Vec<_>>().join(" "))
}

/// Text to be quoted in a message: at most [`GameError::SHOWN`](crate::GameError::SHOWN) characters of it.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(crate::GameError::SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The value of a tag with its escapes resolved.
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
    fn lines_join() {
        assert_eq!(one_line(" a  b \r\n\r\n\t c\n"), "a  b c");
        assert_eq!(one_line("\r\n"), "");
    }

    #[test]
    fn backslashes() {
        assert_eq!(unescape(r#"a \"b\" \\ \n \"#), r#"a "b" \ \n \"#);
    }
}
