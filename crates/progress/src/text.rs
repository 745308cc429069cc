//! Parts of texts for users: plurals, sizes, names of options, and text from files without control
//! characters.

use std::borrow::Cow;

/// A number with its noun: `1 game`, `2 games`.
pub fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Replaces the options that a library's message mentions ("the option `games_in`", "option `method
/// score`") by the name that the user knows. `called` turns a name and an optional value into a
/// flag, a keyword or a field.
///
/// ```
/// use centipawn_progress::text::with_options;
///
/// let text = "leave out option `method score`, or give the option `games_in`";
/// let flags = with_options(text, |name, value| match value {
///     Some(value) => format!("--{name} {value}"),
///     None => format!("--{}", name.replace('_', "-")),
/// });
/// assert_eq!(flags, "leave out --method score, or give --games-in");
/// ```
pub fn with_options(text: &str, called: impl Fn(&str, Option<&str>) -> String) -> String {
    const MARK: &str = "option `";
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(MARK) {
        let Some((option, behind)) = after.split_once('`') else { break };
        let (name, value) = option.split_once(' ').map_or((option, None), |(name, value)| (name, Some(value)));
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if is_name {
            out += before.strip_suffix("the ").unwrap_or(before);
            out += &called(name, value);
        } else {
            out.extend([before, MARK, option, "`"]);
        }
        rest = behind;
    }
    out + rest
}

/// Prepares text from a file for the terminal: replaces control characters by U+FFFD, and removes
/// [direction marks](without_directions).
pub fn printable(text: &str) -> String {
    let text = text.chars().filter(|char| !is_direction(*char));
    text.map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}

/// Like [`printable`], but keeps line breaks.
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// Removes the invisible characters that change the direction of text. In a name or a comment they
/// would reorder the text around it, such as the two players of a game.
///
/// ```
/// use centipawn_progress::text::without_directions;
///
/// assert_eq!(without_directions("Anna\u{202e} (2400)"), "Anna (2400)");
/// ```
pub fn without_directions(text: &str) -> Cow<'_, str> {
    if text.contains(is_direction) {
        text.chars().filter(|char| !is_direction(*char)).collect::<String>().into()
    } else {
        text.into()
    }
}

/// Returns whether a character is a mark, embedding, override or isolate of Unicode's bidirectional
/// algorithm.
pub fn is_direction(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A number with commas between groups of three digits: `1,234`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// A size in bytes, in decimal units: `310 B`, `1.5 kB`, `12.3 MB`.
pub fn bytes(size: u64) -> String {
    // The limits are those of the rounded number: 999,950 bytes would be printed as "1000.0 kB".
    match size {
        0..1_000 => format!("{size} B"),
        1_000..999_950 => format!("{:.1} kB", size as f64 / 1e3),
        999_950..999_950_000 => format!("{:.1} MB", size as f64 / 1e6),
        _ => format!("{:.1} GB", size as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_of_the_rounded_number() {
        let sizes = [999, 1_000, 999_949, 999_950, 1_000_000, 999_949_999, 999_950_000];
        let texts = ["999 B", "1.0 kB", "999.9 kB", "1.0 MB", "1.0 MB", "999.9 MB", "1.0 GB"];
        assert_eq!(sizes.map(bytes), texts);
    }

    #[test]
    fn direction_marks_are_removed() {
        let marks = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        let name = format!("An{marks}na \u{5d0}\u{200d}");
        assert_eq!(printable(&name), "Anna \u{5d0}\u{200d}");
        assert_eq!(without_directions(&name), "Anna \u{5d0}\u{200d}");
        assert_eq!(printable_lines("a\u{202e}\nb\x1b"), "a\nb\u{fffd}");
    }
}
