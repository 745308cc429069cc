//! Tag pairs.

use memchr::{memchr, memchr_iter};

use super::word::{bits, word_length};

/// A tag pair, `[name "value"]`.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// From `[` to behind `]`.
    pub(super) length: usize,
}

impl<'a> Tag<'a> {
    /// `text` begins with `[`. Quotes within the value that were not escaped and a missing end are put up with.
    pub(super) fn parse(text: &'a [u8]) -> Option<Self> {
        if let Some(tag) = Self::short(text) {
            return Some(tag);
        }
        let line = &text[..memchr(b'\n', text).unwrap_or(text.len())];
        let quote = memchr(b'"', line)?;
        let name = line[1..quote].trim_ascii();
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-+.:#=/".contains(byte)) {
            return None;
        }
        let value = &line[quote + 1..];
        for end in memchr_iter(b'"', value) {
            let escaped = value[..end].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
            let after = &value[end + 1..];
            let blank = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if !escaped && after.get(blank) == Some(&b']') {
                return Some(Self { name, value: &value[..end], length: quote + 1 + end + 1 + blank + 1 });
            }
        }
        let value = value.trim_ascii_end();
        let value = value.strip_suffix(b"]").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        Some(Self { name, value, length: line.len() })
    }

    /// A tag as nearly all are: a word, a blank, a value without escapes, and all of that short.
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
        ends.then(|| Self { name: &text[1..=name], value: &text[open + 1..close], length: close + 2 })
    }
}
