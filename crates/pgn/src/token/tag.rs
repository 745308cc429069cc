//! Tag pairs.

use memchr::memchr2_iter;

use super::word::{bits, word_length};

/// A tag pair, `[name "value"]`.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// Length from `[` to `]`, both included.
    pub(super) length: usize,
    /// Whether `"]` ends it; otherwise the end of the line does.
    pub(super) is_closed: bool,
}

impl<'a> Tag<'a> {
    /// Parses a tag at the beginning of `text`, which begins with `[`. Unescaped quotes in the value and a missing end
    /// are tolerated.
    pub(super) fn parse(text: &'a [u8]) -> Option<Self> {
        if let Some(tag) = Self::short(text) {
            return Some(tag);
        }
        // Looks no further than necessary, so that a line of a million brackets is read in linear time.
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() && *byte != b'\n';
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+.:#=/".contains(byte);
        let count = |from: usize, is: &dyn Fn(&u8) -> bool| text[from..].iter().take_while(|byte| is(byte)).count();
        let begin = 1 + count(1, &is_blank);
        let end = begin + count(begin, &is_of_name);
        let quote = end + count(end, &is_blank);
        if end == begin || text.get(quote) != Some(&b'"') {
            return None;
        }
        let (name, first) = (&text[begin..end], quote + 1);
        let mut line_end = text.len();
        for place in memchr2_iter(b'"', b'\n', &text[first..]).map(|place| first + place) {
            if text[place] == b'\n' {
                line_end = place;
                break;
            }
            let escapes = text[first..place].iter().rev().take_while(|&&byte| byte == b'\\').count();
            let behind = place + 1 + count(place + 1, &is_blank);
            if escapes % 2 == 0 && text.get(behind) == Some(&b']') {
                return Some(Self { name, value: &text[first..place], length: behind + 1, is_closed: true });
            }
        }
        let value = text[first..line_end].trim_ascii_end();
        let value = value.strip_suffix(b"]").unwrap_or(value);
        let unquoted = value.strip_suffix(b"\"");
        // `"C:\"]` ends like a tag, although its last quote is escaped.
        let is_closed = unquoted.is_some() && text[..line_end].trim_ascii_end().ends_with(b"]");
        Some(Self { name, value: unquoted.unwrap_or(value), length: line_end, is_closed })
    }

    /// The fast path for most tags: a word, a blank, a value without escapes, all of it short.
    #[inline(always)]
    pub(super) fn short(text: &'a [u8]) -> Option<Self> {
        let window: &[u8; 64] = text.first_chunk()?;
        let (quotes, breaks) = (bits(window, [b'"']), bits(window, [b'\n']));
        let rest = quotes & quotes.wrapping_sub(1);
        if rest == 0 {
            return None;
        }
        let (open, close) = (quotes.trailing_zeros() as usize, rest.trailing_zeros() as usize);
        let broken = breaks.trailing_zeros() < close as u32;
        let name = word_length(&window[1..17]);
        if broken || name == 0 || open != name + 2 || window[name + 1] != b' ' || window[close - 1] == b'\\' {
            return None;
        }
        let ends = text.get(close + 1) == Some(&b']');
        let value = &text[open + 1..close];
        ends.then(|| Self { name: &text[1..=name], value, length: close + 2, is_closed: true })
    }
}
