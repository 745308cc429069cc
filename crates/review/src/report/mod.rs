//! Reviewed games as one HTML page: self-contained, light and dark, fit for print.
//!
//! [`Report`] writes the page game by game, so that memory does not grow with the number of games. The page contains a script
//! that shows the game on a board, controlled by keys, the list of moves and the graph, like Lichess' analysis board. Without
//! scripts, everything but that board is there.

mod board;
mod graph;
mod hardest;
mod index;
mod player;
mod section;
mod table;
mod viewer;

use std::{
    fmt::{self, Display},
    fs::File,
    io::{self, Read as _, Seek as _, Write},
    path::Path,
};

use centipawn_core::{MoveSymbol, PositionSymbol};
use centipawn_progress::{Provenance, text::is_direction};
use shakmaty::Color;
use tempfile::{SpooledTempFile, spooled_tempfile};

use crate::{Language, PlyReview, Review, result_text};
pub use index::Index;
pub use player::write_player;
use section::Section;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("report.js");
const SORT: &str = include_str!("sort.js");
/// Bytes of a page kept in memory; a larger page goes to a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// Writes a page: [`new`](Self::new) begins it, [`game`](Self::game) adds a section, [`finish`](Self::finish) ends it.
///
/// The page's head contains the provenance, which is complete only at the end, so a temporary file holds the sections.
pub struct Report<W> {
    out: W,
    language: Language,
    title: String,
    sections: SpooledTempFile,
    /// Titles of the sections, for the table of contents.
    titles: Vec<String>,
}

impl<W: Write> Report<W> {
    /// Begins a page in a language. `title` is for the browser; `None` uses the language's word for a review.
    pub fn new(out: W, language: Language, title: Option<&str>) -> Self {
        let title = title.unwrap_or(language.labels().review).to_owned();
        Self { out, language, title, sections: spooled_tempfile(IN_MEMORY), titles: Vec::new() }
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Errors of writing a temporary file.
    pub fn game(&mut self, review: &Review) -> io::Result<()> {
        let title = review.title();
        self.titles.push(format!("{title} {}", result_text(review.game.result)));
        Section { review, number: self.titles.len() }.write(&mut self.sections, &title)
    }

    /// Writes the page, with a table of contents if there are several games, and returns the writer.
    ///
    /// # Errors
    ///
    /// Errors of the writer or of the temporary file.
    pub fn finish(mut self, provenance: Option<&Provenance>) -> io::Result<W> {
        head(&mut self.out, self.language, &self.title, provenance)?;
        write!(self.out, "</head>\n<body>\n{}", board::pieces())?;
        copy(self.sections, &mut self.out)?;
        if self.titles.len() > 1 {
            // Written last, and placed first by the style sheet.
            writeln!(self.out, "<nav aria-label=\"{}\"><ol>", self.language.labels().games)?;
            for (index, title) in self.titles.iter().enumerate() {
                writeln!(self.out, "<li><a href=\"#g{}\"><bdi>{}</bdi></a></li>", index + 1, Escaped(title))?;
            }
            writeln!(self.out, "</ol></nav>")?;
        }
        writeln!(self.out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl PlyReview {
    /// The symbols after the move: `!`, `!□`, or empty.
    pub fn glyphs(&self) -> String {
        let only_move = if self.is_only_move { "□" } else { "" };
        format!("{}{only_move}", self.symbol.map_or("", MoveSymbol::glyph))
    }
}

fn is_blamed(ply: &PlyReview) -> bool {
    ply.symbol.is_some_and(|symbol| !symbol.is_praise())
}

/// A position's symbol, in characters that browsers' fonts have.
fn printable(position: PositionSymbol) -> &'static str {
    match position {
        PositionSymbol::Slight(_) => position.ascii(),
        _ => position.glyph(),
    }
}

/// The CSS class of a symbol.
fn class(symbol: MoveSymbol) -> &'static str {
    match symbol {
        MoveSymbol::Brilliant => "brilliant",
        MoveSymbol::Good => "good",
        MoveSymbol::Interesting => "interesting",
        MoveSymbol::Dubious => "dubious",
        MoveSymbol::Mistake => "mistake",
        MoveSymbol::Blunder => "blunder",
    }
}

/// A move's symbols in their colour; empty without a symbol.
struct Symbol<'a>(&'a PlyReview);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(symbol) = self.0.symbol {
            write!(f, "<span class=\"{}\">{symbol}</span>", class(symbol))?;
        }
        if self.0.is_only_move { f.write_str("<span class=\"only\">□</span>") } else { Ok(()) }
    }
}

/// A player's colour as a disc, which dark pages leave as it is. With a name it stands for the player; without, it decorates.
struct Disc(Color, Option<&'static str>);

impl Display for Disc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.0.fold_wb("w", "b");
        match self.1 {
            Some(name) => write!(f, "<span class=\"disc {class}\" role=\"img\" aria-label=\"{name}\"></span>"),
            None => write!(f, "<span class=\"disc {class}\" aria-hidden=\"true\"></span>"),
        }
    }
}

/// A page's head, without the closing tag.
fn head(out: &mut impl Write, language: Language, title: &str, provenance: Option<&Provenance>) -> io::Result<()> {
    write!(
        out,
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"Centipawn {}\">\n<title>{}</title>\n",
        env!("CARGO_PKG_VERSION"),
        Escaped(title),
    )?;
    if let Some(provenance) = provenance {
        let json = serde_json::to_string(provenance)?;
        writeln!(out, "<meta name=\"provenance\" content=\"{}\">", Escaped(&json))?;
    }
    write!(out, "<style>\n{STYLE}</style>\n")
}

/// Whether a file is a page that Centipawn wrote.
pub fn is_own_page(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut begin));
    read.is_ok() && String::from_utf8_lossy(&begin).contains("<meta name=\"generator\" content=\"Centipawn ")
}

/// Copies a temporary file to the writer.
fn copy(mut file: SpooledTempFile, out: &mut impl Write) -> io::Result<()> {
    file.rewind()?;
    io::copy(&mut file, out)?;
    Ok(())
}

/// Text as HTML content or an attribute's value: `&`, `<`, `>` and both quotation marks are escaped, and marks of direction are left out.
///
/// ```
/// use centipawn_review::report::Escaped;
///
/// assert_eq!(Escaped("Anna & <Boris>").to_string(), "Anna &amp; &lt;Boris&gt;");
/// ```
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let is_special = |char: char| matches!(char, '&' | '<' | '>' | '"' | '\'') || is_direction(char);
        while let Some((index, special)) = rest.char_indices().find(|(_, char)| is_special(*char)) {
            f.write_str(&rest[..index])?;
            f.write_str(match special {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                _ => "",
            })?;
            rest = &rest[index + special.len_utf8()..];
        }
        f.write_str(rest)
    }
}

/// Text in an element with its own direction: a name that is written from right to left does not reorder the text around it.
fn isolated(text: &str) -> String {
    format!("<bdi>{}</bdi>", Escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_becomes_markup() {
        let escaped = Escaped("<b onclick=\"x\">O'Kelly & Co ♞").to_string();
        assert_eq!(escaped, "&lt;b onclick=&quot;x&quot;&gt;O&#39;Kelly &amp; Co ♞");
        assert_eq!(Escaped("A\u{202e}nna\u{2069}").to_string(), "Anna");
    }
}
