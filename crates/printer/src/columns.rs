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

/// A report for a terminal of `width` columns (at least 1): sentences, and values beside their names, that are wider go on in further lines,
/// below their beginnings. Rows of tables (three cells or more, between which are two blanks) and code (indented by four) stay as they are.
pub fn within(report: &str, width: usize) -> String {
    let mut text = String::with_capacity(report.len());
    for line in report.split_inclusive('\n') {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        let line = line.trim_end();
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let (name, value) = content.split_once("  ").unwrap_or(("", content));
        let value = value.trim_start_matches(' ');
        if line.width() <= width || indent >= 4 || value.contains("  ") {
            text.push_str(line);
        } else {
            let named = line.strip_suffix(value).unwrap_or(line);
            // A name that leaves little place is part of the text.
            let (begin, hang, rest) = match name {
                _ if 2 * named.width() > width => (&line[..indent], indent + 2, content),
                _ => (named, named.width(), value),
            };
            text.push_str(begin);
            text.push_str(&wrapped(rest, width.saturating_sub(hang)).join(&format!("\n{:hang$}", "")));
        }
        text.push_str(end);
    }
    text
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

    #[test]
    fn reports_fit_a_terminal() {
        let report = "Positions  3,311 won, 1,633 drawn\n\n  errors are by game, not by row\n\
                      a  table of  numbers that is wide\n    double as[] = {-210.06, 655.78};\n";
        let expected = "Positions  3,311 won,\n           1,633 drawn\n\n  errors are by game, not\n  by row\n\
                        a  table of  numbers that is wide\n    double as[] = {-210.06, 655.78};\n";
        assert_eq!(within(report, 25), expected);
        assert_eq!(within(report, 80), report);
        assert_eq!(within("a  b c", 3), "a\n  b\n  c");
        assert_eq!(within("words", 1), "words");
    }
}
