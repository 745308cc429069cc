//! Text in columns: cut, wrapped and padded by the width that a terminal gives each character.

use centipawn_progress::text::printable;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of a text where the width of the terminal is not known.
pub(crate) const WIDTH: usize = 80;
/// Eighths, for a graph of one line.
pub(crate) const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// At most `width` columns, with a mark at the cut; control characters are made visible.
pub(crate) fn shortened(text: &str, width: usize) -> String {
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
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
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
pub(crate) fn indented(text: &str, width: usize, indent: usize) -> String {
    wrapped(text, width - indent).join(&format!("\n{:indent$}", ""))
}

/// The text in `width` columns (at least 1), padded with blanks; a longer one is cut as in [`shortened`], before a blank.
///
/// # Panics
///
/// If `width` is 0.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let text = shortened(text, width - 1);
    let blanks = width.saturating_sub(text.width());
    text + &" ".repeat(blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_by_their_width() {
        assert_eq!(shortened("Morphy", 6), "Morphy");
        assert_eq!(shortened("Morphy, Paul", 8), "Morphy,…");
        // Two columns each.
        assert_eq!(shortened("\u{56f2}\u{7881}\u{68cb}", 5), "\u{56f2}\u{7881}…");
        assert_eq!(shortened("An\u{202e}na", 3), "An…");
        assert_eq!(padded("Anna", 6), "Anna  ");
        assert_eq!(padded("Anna B", 6), "Anna… ");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("a long line of words", 9), ["a long", "line of", "words"]);
        assert_eq!(wrapped("unbreakable word", 4), ["unbreakable", "word"]);
        assert_eq!(indented("a long line", 8, 2), "a long\n  line");
    }
}
