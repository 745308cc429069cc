//! Reviewed games as one HTML page: self-contained, light and dark, fit for print.
//!
//! [`Report`] writes the page game by game, so that a long run needs no more memory than a short one. A script of its own, in
//! the page, shows the game on a board that follows keys, the list of moves and the graph (the idea is that of Lichess'
//! analysis board); where scripts do not run, everything but that board is there.

mod board;
mod graph;
mod hardest;
mod index;
mod section;
mod viewer;

use std::{
    fmt::{self, Display},
    io::{self, Seek as _, Write},
};

use centipawn_core::{MoveSymbol, PositionSymbol};
use centipawn_progress::Provenance;
use tempfile::{SpooledTempFile, spooled_tempfile};

use crate::{Language, PlyReview, Review};
pub use index::Index;
use section::Section;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("report.js");
/// Bytes of a page that wait in memory, at most; more go to a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// A page under way: begun with [`new`](Self::new), a section a game, ended with [`finish`](Self::finish).
///
/// The page's head says where it comes from, which is known only in the end; so sections wait in a temporary file.
pub struct Report<W> {
    out: W,
    language: Language,
    title: String,
    sections: SpooledTempFile,
    /// Titles of the sections, for the list of contents.
    titles: Vec<String>,
}

impl<W: Write> Report<W> {
    /// Begins a page in a language, with a title for the browser; `None` for the language's word for a review.
    pub fn new(out: W, language: Language, title: Option<&str>) -> Self {
        let title = title.unwrap_or(language.labels().review).to_owned();
        Self { out, language, title, sections: spooled_tempfile(IN_MEMORY), titles: Vec::new() }
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// What writing gives.
    pub fn game(&mut self, review: &Review) -> io::Result<()> {
        let title = review.title();
        let result = review.game.result;
        self.titles.push(format!("{title} {result}"));
        Section { review, number: self.titles.len() }.write(&mut self.sections, &title)
    }

    /// Writes the page, with a list of contents if there are several games, and gives the writer back.
    ///
    /// # Errors
    ///
    /// What writing gives.
    pub fn finish(mut self, provenance: Option<&Provenance>) -> io::Result<W> {
        head(&mut self.out, self.language, &self.title, provenance)?;
        write!(self.out, "</head>\n<body>\n{}", board::pieces())?;
        copy(self.sections, &mut self.out)?;
        if self.titles.len() > 1 {
            // Written last, since only now it is known; the style puts it first.
            writeln!(self.out, "<nav aria-label=\"{}\"><ol>", self.language.labels().games)?;
            for (index, title) in self.titles.iter().enumerate() {
                writeln!(self.out, "<li><a href=\"#g{}\">{}</a></li>", index + 1, Escaped(title))?;
            }
            writeln!(self.out, "</ol></nav>")?;
        }
        writeln!(self.out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl PlyReview {
    /// The symbols behind the move: `!`, `!□`, nothing.
    pub fn glyphs(&self) -> String {
        let only_move = if self.is_only_move { "□" } else { "" };
        format!("{}{only_move}", self.symbol.map_or("", MoveSymbol::glyph))
    }
}

fn is_blamed(ply: &PlyReview) -> bool {
    ply.symbol.is_some_and(|symbol| !symbol.is_praise())
}

/// A position's symbol in characters that every browser's fonts have.
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

/// A move's symbols in their colour, nothing where there is none.
struct Symbol<'a>(&'a PlyReview);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(symbol) = self.0.symbol {
            write!(f, "<span class=\"{}\">{symbol}</span>", class(symbol))?;
        }
        if self.0.is_only_move { f.write_str("<span class=\"only\">□</span>") } else { Ok(()) }
    }
}

/// A page's head, but for its end.
fn head(out: &mut impl Write, language: Language, title: &str, provenance: Option<&Provenance>) -> io::Result<()> {
    write!(
        out,
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
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

/// Copies what was written to a temporary file.
fn copy(mut file: SpooledTempFile, out: &mut impl Write) -> io::Result<()> {
    file.rewind()?;
    io::copy(&mut file, out)?;
    Ok(())
}

/// Text for HTML: content and attribute values alike.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(index) = rest.find(['&', '<', '>', '"', '\'']) {
            f.write_str(&rest[..index])?;
            f.write_str(match rest.as_bytes()[index] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[index + 1..];
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_becomes_markup() {
        let escaped = Escaped("<b onclick=\"x\">O'Kelly & Co ♞").to_string();
        assert_eq!(escaped, "&lt;b onclick=&quot;x&quot;&gt;O&#39;Kelly &amp; Co ♞");
    }
}
