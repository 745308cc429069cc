//! Parts of texts for users: plurals, sizes, names of options, and text from elsewhere without
//! control characters, for terminals, documents and spreadsheets.

use std::borrow::Cow;

/// Returns a number with its noun: `1 game`, `2 games`.
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
        let Some((option, behind)) = after.split_once('`') else {
            break;
        };
        let (name, value) = option
            .split_once(' ')
            .map_or((option, None), |(name, value)| (name, Some(value)));
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
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

/// Prepares text from a file, an engine or a site for one line on a terminal: replaces control
/// characters by U+FFFD, and removes [direction marks](without_directions).
pub fn printable(text: &str) -> String {
    let text = text.chars().filter(|char| !is_direction(*char));
    text.map(|char| if char.is_control() { '\u{fffd}' } else { char })
        .collect()
}

/// Returns text from elsewhere for a document (PGN, HTML), which may later be shown on a terminal:
/// without control characters except line breaks and tabs, and [without marks of
/// direction](without_directions).
///
/// ```
/// use centipawn_progress::text::for_document;
///
/// assert_eq!(for_document("Fish\u{1b}[2J\u{9b}31m 1"), "Fish\u{fffd}[2J\u{fffd}31m 1");
/// assert_eq!(for_document("two\nlines"), "two\nlines");
/// ```
pub fn for_document(text: &str) -> Cow<'_, str> {
    if !text.contains(|char| is_direction(char) || is_foreign(char)) {
        return text.into();
    }
    let text = text.chars().filter(|char| !is_direction(*char));
    text.map(|char| if is_foreign(char) { '\u{fffd}' } else { char })
        .collect::<String>()
        .into()
}

/// Returns whether a character is a control character that text in documents does not have.
pub fn is_foreign(char: char) -> bool {
    char.is_control() && !matches!(char, '\n' | '\r' | '\t')
}

/// Returns a whole answer (words with colours, or JSON) for a terminal. Escape characters stay:
/// words have those of their colours, and JSON has none. Other control characters, such as the C1
/// set that JSON does not escape, become JSON's escapes, so a document stays the same document.
///
/// ```
/// use centipawn_progress::text::for_terminal;
///
/// assert_eq!(for_terminal("{\"name\": \"\u{9b}2J\"}\n"), "{\"name\": \"\\u009b2J\"}\n");
/// ```
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    let is_obeyed = |char: char| is_foreign(char) && char != '\x1b' || is_direction(char);
    if !text.contains(is_obeyed) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match is_obeyed(char) {
            true => out += &format!("\\u{:04x}", u32::from(char)),
            false => out.push(char),
        }
    }
    out.into()
}

/// Returns a cell of a table that a spreadsheet shows as text: a text that begins like a formula
/// gets an apostrophe before it, and control characters are replaced. Numbers stay.
/// [`from_spreadsheet`] reads it back.
///
/// ```
/// use centipawn_progress::text::{for_spreadsheet, from_spreadsheet};
///
/// assert_eq!(for_spreadsheet("=1+1"), "'=1+1");
/// assert_eq!((for_spreadsheet("-0.35"), for_spreadsheet("Nf3")), ("-0.35".into(), "Nf3".into()));
/// assert_eq!(from_spreadsheet("'=1+1"), "=1+1");
/// ```
pub fn for_spreadsheet(text: &str) -> Cow<'_, str> {
    let is_formula = begins_formula(text) && text.parse::<f64>().is_err();
    if !is_formula && !text.contains(char::is_control) {
        return text.into();
    }
    let shown = text
        .chars()
        .map(|char| if char.is_control() { '\u{fffd}' } else { char });
    is_formula
        .then_some('\'')
        .into_iter()
        .chain(shown)
        .collect::<String>()
        .into()
}

/// Returns the text of a cell that [`for_spreadsheet`] wrote.
pub fn from_spreadsheet(cell: &str) -> &str {
    cell.strip_prefix('\'')
        .filter(|text| begins_formula(text))
        .unwrap_or(cell)
}

fn begins_formula(text: &str) -> bool {
    // Spreadsheets skip blanks before a formula, and some of them take the wide forms of these
    // characters for the same.
    let text = text.trim_start_matches(|char: char| char.is_whitespace() || char.is_control());
    text.starts_with([
        '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ])
}

/// Returns what a site says in the body of an answer that is an error, for a message: the text of a
/// JSON field (`error`, `message`), the title of a page, or else its words, without control
/// characters and at most 120 characters long. `None` if there are no words.
///
/// ```
/// use centipawn_progress::text::site_answer;
///
/// assert_eq!(site_answer(br#"{"code": 0, "message": "User \"x\" not found."}"#).unwrap(), "User \"x\" not found.");
/// assert_eq!(site_answer(b"<!doctype html><title>Page not\n found</title><p>Home").unwrap(), "Page not found");
/// assert_eq!(site_answer(b" \n"), None);
/// ```
pub fn site_answer(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(SITE_BODY)]);
    let words = json_words(&text).unwrap_or_else(|| {
        if text.contains('<') {
            page_words(&text)
        } else {
            text.into()
        }
    });
    let words: Vec<String> = words.split_whitespace().map(printable).collect();
    let words = words.join(" ");
    match words.char_indices().nth(SITE_WORDS) {
        _ if words.is_empty() => None,
        Some((end, _)) => Some(format!("{}…", words[..end].trim_end())),
        None => Some(words),
    }
}

/// Number of bytes of an answer that are read for its words. Those of a hostile page would take
/// quadratic time.
const SITE_BODY: usize = 16 << 10;
/// Maximum number of characters of a site's text in a message.
const SITE_WORDS: usize = 120;

/// Returns the words of an error in JSON.
fn json_words(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let words = |name: &str| match value.get(name)? {
        serde_json::Value::String(words) => Some(words.clone()),
        // An error for each field, as Lichess answers to forms.
        words @ (serde_json::Value::Object(_) | serde_json::Value::Array(_)) => {
            Some(words.to_string())
        }
        _ => None,
    };
    words("error")
        .or_else(|| words("message"))
        .or_else(|| value.as_str().map(str::to_owned))
}

/// Returns the title of a page, or its text without elements.
fn page_words(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let between = |from: usize, element: &str| {
        let open = from + lower[from..].find(&format!("<{element}"))?;
        let begin = open + lower[open..].find('>')? + 1;
        let end = lower[begin..]
            .find(&format!("</{element}"))
            .map_or(page.len(), |end| begin + end);
        Some((open, begin, end))
    };
    let text = match between(0, "title") {
        Some((_, begin, end)) if !page[begin..end].trim().is_empty() => page[begin..end].to_owned(),
        _ => {
            let (mut text, mut from) = (String::new(), 0);
            // The contents of these elements are not text for the user.
            while let Some((open, _, end)) = ["script", "style"]
                .iter()
                .filter_map(|name| between(from, name))
                .min_by_key(|(open, ..)| *open)
            {
                text += &page[from..open];
                from = end;
            }
            text + &page[from..]
        }
    };
    let (mut words, mut is_tag) = (String::new(), false);
    for char in text.chars() {
        match char {
            '<' => is_tag = true,
            '>' if is_tag => {
                is_tag = false;
                words.push(' ');
            }
            _ if is_tag => {}
            _ => words.push(char),
        }
    }
    let entities = [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    entities
        .into_iter()
        .fold(words, |words, (entity, char)| words.replace(entity, char))
}

/// Like [`printable`], but keeps line breaks.
pub fn printable_lines(text: &str) -> String {
    text.split('\n')
        .map(printable)
        .collect::<Vec<_>>()
        .join("\n")
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
        text.chars()
            .filter(|char| !is_direction(*char))
            .collect::<String>()
            .into()
    } else {
        text.into()
    }
}

/// Returns whether a character is a mark, embedding, override or isolate of Unicode's bidirectional
/// algorithm.
pub fn is_direction(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a number with commas between groups of three digits: `1,234`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(",")
}

/// Returns a size in bytes, in decimal units: `310 B`, `1.5 kB`, `12.3 MB`.
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
        let sizes = [
            999,
            1_000,
            999_949,
            999_950,
            1_000_000,
            999_949_999,
            999_950_000,
        ];
        let texts = [
            "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "1.0 MB", "999.9 MB", "1.0 GB",
        ];
        assert_eq!(sizes.map(bytes), texts);
    }

    /// Names come from untrusted files, and a spreadsheet runs text that begins like a formula.
    #[test]
    fn no_cell_is_a_formula() {
        for text in [
            "=cmd|'/C calc'!A0",
            "+1+1",
            "-2+3",
            "@SUM(A1)",
            "\t=1+1",
            " =1+1",
            "\u{ff1d}1+1",
            "-",
            "\r=1",
        ] {
            let cell = for_spreadsheet(text);
            assert!(cell.starts_with('\''), "{text:?}: {cell:?}");
            assert!(!cell.contains(char::is_control), "{text:?}: {cell:?}");
            let is_clean = !text.contains(char::is_control);
            assert!(
                !is_clean || from_spreadsheet(&cell) == text,
                "{text:?}: {cell:?}"
            );
        }
        for text in ["", "-5", "+0.35", "1-0", "O'Neil", "'quoted'", "a=b", "Nf3"] {
            assert_eq!(for_spreadsheet(text), text);
            assert_eq!(from_spreadsheet(text), text);
        }
    }

    #[test]
    fn no_control_character_reaches_a_terminal_or_a_document() {
        let all: String = (0..0xa0_u32).filter_map(char::from_u32).collect();
        assert!(!printable(&all).contains(char::is_control));
        let kept: String = for_document(&all)
            .chars()
            .filter(|char| char.is_control())
            .collect();
        assert_eq!(kept, "\t\n\r");
        let kept: String = for_terminal(&all)
            .chars()
            .filter(|char| char.is_control())
            .collect();
        assert_eq!(kept, "\t\n\r\x1b");
        assert_eq!(for_terminal("\u{7f}\u{85}\u{202e}"), r"\u007f\u0085\u202e");
        // A document is still the same document after it was cleaned for the terminal.
        let name = "An\u{9b}2Jna\u{7f}\u{202e}\x1b";
        let json = serde_json::to_string(name).unwrap();
        assert_ne!(for_terminal(&json), json);
        assert_eq!(
            serde_json::from_str::<String>(&for_terminal(&json)).unwrap(),
            name
        );
    }

    #[test]
    fn a_site_is_quoted_in_few_words() {
        let page = "<html><head><style>p { color: red }</style><SCRIPT>alert(1)</SCRIPT></head><body><h1>Too&nbsp;many</h1>\n\
                    <p>Please &amp; thank\x1b you</body>";
        assert_eq!(
            site_answer(page.as_bytes()).unwrap(),
            "Too many Please & thank\u{fffd} you"
        );
        assert_eq!(
            site_answer(br#"{"error": "No such\u001b user"}"#).unwrap(),
            "No such\u{fffd} user"
        );
        assert_eq!(site_answer(br#"{"code": 5}"#).unwrap(), r#"{"code": 5}"#);
        assert_eq!(
            site_answer("x ".repeat(5_000).as_bytes())
                .unwrap()
                .chars()
                .count(),
            120
        );
        for text in ["<title></title>", "<script>", "<", "<p></p>", ""] {
            assert_eq!(site_answer(text.as_bytes()), None, "{text}");
        }
        // An element without its end, as in a truncated body.
        assert_eq!(
            site_answer("<title>Not f\u{fc}nd".as_bytes()).unwrap(),
            "Not f\u{fc}nd"
        );
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
