//! Cuts, wraps and pads text by the width that a terminal gives each character.

use centipawn_progress::text::printable;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Width of a text, in columns, if the width of the terminal is unknown.
pub(crate) const WIDTH: usize = 80;
/// Bars of one to eight eighths of a line, for a graph in one line.
pub(crate) const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Shortens a text to at most `width` columns, with `…` where it was cut. Control characters become
/// visible.
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

/// Wraps a text between words into lines of at most `width` columns. A longer word gets a separate
/// line.
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

/// Wraps a text between words into lines of at most `width` columns. All lines but the first begin
/// with `indent` blanks. The caller prints the first line at column `indent`.
///
/// # Panics
///
/// If `indent` is above `width`.
pub(crate) fn indented(text: &str, width: usize, indent: usize) -> String {
    wrapped(text, width - indent).join(&format!("\n{:indent$}", ""))
}

/// Pads a text with blanks to `width` columns. A longer text is cut as in [`shortened`], and one
/// blank follows it.
///
/// # Panics
///
/// If `width` is 0.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let text = shortened(text, width - 1);
    let blanks = width.saturating_sub(text.width());
    text + &" ".repeat(blanks)
}

/// Fits a report into `width` columns (at least 1). Longer sentences, and longer values beside a
/// name, continue on further lines, below the beginning of the sentence or value. Two kinds of
/// lines stay as they are: rows of tables, which have at least three cells with two blanks between
/// them, and code, which is indented by four.
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
            // If the name takes more than half of the width, the name and the value are wrapped
            // together.
            let (begin, hang, rest) = match name {
                _ if 2 * named.width() > width => (&line[..indent], indent + 2, content),
                _ => (named, named.width(), value),
            };
            text.push_str(begin);
            text.push_str(
                &wrapped(rest, width.saturating_sub(hang)).join(&format!("\n{:hang$}", "")),
            );
        }
        text.push_str(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_its_width_on_a_terminal() {
        assert_eq!(shortened("Morphy", 6), "Morphy");
        assert_eq!(shortened("Morphy, Paul", 8), "Morphy,…");
        // Each of these characters takes two columns.
        assert_eq!(
            shortened("\u{56f2}\u{7881}\u{68cb}", 5),
            "\u{56f2}\u{7881}…"
        );
        assert_eq!(shortened("An\u{202e}na", 3), "An…");
        assert_eq!(padded("Anna", 6), "Anna  ");
        assert_eq!(padded("Anna B", 6), "Anna… ");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(
            wrapped("a long line of words", 9),
            ["a long", "line of", "words"]
        );
        assert_eq!(wrapped("unbreakable word", 4), ["unbreakable", "word"]);
        assert_eq!(indented("a long line", 8, 2), "a long\n  line");
    }

    #[test]
    fn sentences_and_values_wrap_but_tables_and_code_stay() {
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
