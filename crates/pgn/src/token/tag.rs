//! Tag pairs.

use memchr::{memchr_iter, memchr2, memchr3_iter};

use super::word::{bits, word_length};

/// A tag pair, `[name "value"]`.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// Length from `[` to `]`, both included.
    pub(super) length: usize,
    /// Whether the tag ends with `"]`; otherwise it ends with the line.
    pub(super) is_closed: bool,
    /// Whether quotes surround the value.
    pub(super) is_quoted: bool,
}

/// Maximum length of a tag without quotes.
const UNQUOTED: usize = 4096;
/// Number of closing brackets that may end a tag without quotes. Looking at all of them at each
/// bracket of a hostile line would take seconds for each megabyte.
const BRACKETS: usize = 8;

impl<'a> Tag<'a> {
    /// Parses a tag at the beginning of `text`, which begins with `[`. Unescaped quotes in the
    /// value and a missing end are tolerated.
    pub(super) fn parse(text: &'a [u8]) -> Option<Self> {
        if let Some(tag) = Self::short(text) {
            return Some(tag);
        }
        // Looks no further than necessary, so that a line of a million brackets is read in linear
        // time.
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() && !matches!(byte, b'\n' | b'\r');
        let count = |from: usize, is: &dyn Fn(&u8) -> bool| {
            text[from..].iter().take_while(|byte| is(byte)).count()
        };
        let begin = 1 + count(1, &is_blank);
        let end = begin + count(begin, &is_of_name);
        let quote = end + count(end, &is_blank);
        if end == begin || text.get(quote) != Some(&b'"') {
            return None;
        }
        let (name, first) = (name(&text[begin..end]), quote + 1);
        let mut line_end = text.len();
        for place in memchr3_iter(b'"', b'\n', b'\r', &text[first..]).map(|place| first + place) {
            if text[place] != b'"' {
                line_end = place;
                break;
            }
            let escapes = text[first..place]
                .iter()
                .rev()
                .take_while(|&&byte| byte == b'\\')
                .count();
            let behind = place + 1 + count(place + 1, &is_blank);
            if escapes % 2 == 0 && text.get(behind) == Some(&b']') {
                return Some(Self {
                    name,
                    value: &text[first..place],
                    length: behind + 1,
                    is_closed: true,
                    is_quoted: true,
                });
            }
        }
        let value = text[first..line_end].trim_ascii_end();
        let value = value.strip_suffix(b"]").unwrap_or(value);
        let unquoted = value.strip_suffix(b"\"");
        // `"C:\"]` ends like a tag, although its last quote is escaped.
        let is_closed = unquoted.is_some() && text[..line_end].trim_ascii_end().ends_with(b"]");
        Some(Self {
            name,
            value: unquoted.unwrap_or(value),
            length: line_end,
            is_closed,
            is_quoted: true,
        })
    }

    /// Parses a tag without quotes around its value, or with others than the standard's: `[White
    /// Adler, A]`, `[White “Adler”]`. It ends with its line, or another tag follows on the line.
    pub(super) fn unquoted(text: &'a [u8]) -> Option<Self> {
        let text = &text[..text.len().min(UNQUOTED)];
        let line = &text[..memchr2(b'\n', b'\r', text).unwrap_or(text.len())];
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        let begin = 1 + line
            .get(1..)?
            .iter()
            .take_while(|byte| is_blank(byte))
            .count();
        let end = begin
            + line[begin..]
                .iter()
                .take_while(|byte| is_of_name(byte))
                .count();
        let has_name = line.get(begin).is_some_and(u8::is_ascii_alphabetic);
        if !has_name
            || !line
                .get(end)
                .is_some_and(|next| is_blank(next) || *next == 0xe2)
        {
            return None;
        }
        let close = memchr_iter(b']', line).take(BRACKETS).find(|&close| {
            let behind = line[close + 1..].iter().find(|byte| !is_blank(byte));
            matches!(behind, None | Some(b'['))
        })?;
        let value = without_quotes(line.get(end..close)?);
        let tag = Self {
            name: name(&line[begin..end]),
            value,
            length: close + 1,
            is_closed: true,
            is_quoted: false,
        };
        (!value.is_empty()).then_some(tag)
    }

    /// Parses a start position that is not written as a tag: `FEN "…"`, `[FEN=…]`, `FEN: …`, `(FEN
    /// …)`. It ends with its line or its bracket. Without it the game would be played from the
    /// usual start.
    pub(super) fn bare_fen(text: &'a [u8]) -> Option<Self> {
        let text = &text[..text.len().min(UNQUOTED)];
        let line = &text[..memchr2(b'\n', b'\r', text).unwrap_or(text.len())];
        let close = match line.first()? {
            b'[' => Some(b']'),
            b'(' => Some(b')'),
            _ => None,
        };
        let begin = usize::from(close.is_some());
        let begin = begin
            + line[begin..]
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
        let (name, rest) = line[begin..].split_at_checked(3)?;
        let ends_name = rest
            .first()
            .is_some_and(|next| next.is_ascii_whitespace() || b"=:\"'".contains(next));
        if !name.eq_ignore_ascii_case(b"FEN") || !ends_name {
            return None;
        }
        let end = match close {
            Some(close) => begin + 3 + memchr::memchr(close, rest)?,
            None => line.len(),
        };
        let value = line[begin + 3..end].trim_ascii_start();
        let value = without_quotes(
            value
                .strip_prefix(b"=")
                .or(value.strip_prefix(b":"))
                .unwrap_or(value),
        );
        let length = end + usize::from(close.is_some());
        is_fen(value).then_some(Self {
            name,
            value,
            length,
            is_closed: true,
            is_quoted: false,
        })
    }

    /// Returns the fast path for most tags: a word, a blank, a value without escapes, all of it
    /// short.
    #[inline(always)]
    pub(super) fn short(text: &'a [u8]) -> Option<Self> {
        let window: &[u8; 64] = text.first_chunk()?;
        let (quotes, breaks) = (bits(window, [b'"']), bits(window, [b'\n']));
        let rest = quotes & quotes.wrapping_sub(1);
        if rest == 0 {
            return None;
        }
        let (open, close) = (
            quotes.trailing_zeros() as usize,
            rest.trailing_zeros() as usize,
        );
        let broken = breaks.trailing_zeros() < close as u32;
        let name = word_length(&window[1..17]);
        if broken
            || name == 0
            || open != name + 2
            || window[name + 1] != b' '
            || window[close - 1] == b'\\'
        {
            return None;
        }
        let ends = text.get(close + 1) == Some(&b']');
        let value = &text[open + 1..close];
        ends.then(|| Self {
            name: &text[1..=name],
            value,
            length: close + 2,
            is_closed: true,
            is_quoted: true,
        })
    }
}

/// Returns whether a text begins like a FEN: with eight ranks, a blank and the side to move.
pub(crate) fn is_fen(text: &[u8]) -> bool {
    let mut fields = text.split(u8::is_ascii_whitespace);
    let ranks = fields.next().unwrap_or_default();
    let are_ranks = ranks.iter().filter(|byte| **byte == b'/').count() == 7
        && ranks
            .iter()
            .all(|byte| b"pnbrqkPNBRQK12345678/".contains(byte));
    are_ranks && matches!(fields.next(), Some(b"w" | b"b"))
}

/// Returns whether a character may be part of a tag's name.
fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+.:#=/".contains(byte)
}

/// Returns the name without the colon or the sign that other formats write behind it: `[White:
/// "x"]`.
fn name(name: &[u8]) -> &[u8] {
    match name {
        [bare @ .., b':' | b'='] if !bare.is_empty() => bare,
        name => name,
    }
}

/// Returns the value without blanks and quotes around it, whatever quotes they are.
fn without_quotes(value: &[u8]) -> &[u8] {
    const QUOTES: [&str; 12] = ["\"", "'", "`", "“", "”", "„", "‘", "’", "‚", "«", "»", "″"];
    let mut value = value.trim_ascii();
    while let Some(rest) = QUOTES
        .iter()
        .find_map(|quote| value.strip_prefix(quote.as_bytes()))
    {
        value = rest.trim_ascii_start();
    }
    while let Some(rest) = QUOTES
        .iter()
        .find_map(|quote| value.strip_suffix(quote.as_bytes()))
    {
        value = rest.trim_ascii_end();
    }
    value
}
