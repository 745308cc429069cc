//! Text for people: columns, plurals, sizes; names from files without control characters.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of text for people, where the width of their terminal is not known.
pub const WIDTH: usize = 80;

/// `1 game`, `2 games`.
pub fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Text from a file without terminal control characters.
pub fn printable(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}

/// At most `width` columns, with a mark at the cut; control characters are made visible.
pub fn shortened(text: &str, width: usize) -> String {
    let text = printable(text);
    if text.width() <= width {
        return text;
    }
    let mut short = String::new();
    for char in text.chars() {
        if short.width() + char.width().unwrap_or(0) >= width {
            break;
        }
        short.push(char);
    }
    short.truncate(short.trim_end().len());
    short + "…"
}

/// The text in lines of at most `width` columns, broken between words; a longer word gets a separate line.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The text in lines of at most `width` columns, of which all but the first begin with `indent` blanks. The first is to be
/// printed in that column.
///
/// # Panics
///
/// If `indent` is above `width`.
pub fn indented(text: &str, width: usize, indent: usize) -> String {
    wrapped(text, width - indent).join(&format!("\n{:indent$}", ""))
}

/// The text in `width` columns (at least 1), padded with blanks; a longer one is cut as in [`shortened`], before a blank.
///
/// # Panics
///
/// If `width` is 0.
pub fn padded(text: &str, width: usize) -> String {
    let text = shortened(text, width - 1);
    let blanks = width.saturating_sub(text.width());
    text + &" ".repeat(blanks)
}

/// `1,234`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// A size: `310 B`, `1.5 kB`, `12.3 MB`.
pub fn bytes(size: u64) -> String {
    match size {
        0..1_000 => format!("{size} B"),
        1_000..1_000_000 => format!("{:.1} kB", size as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", size as f64 / 1e6),
        _ => format!("{:.1} GB", size as f64 / 1e9),
    }
}
