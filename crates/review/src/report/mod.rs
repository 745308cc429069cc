//! Reviewed games as one HTML page: self-contained, no script, light and dark, fit for print.
//!
//! [`Report`] writes the page game by game, so that a long run needs no more memory than a short one.

mod board;
mod graph;

use std::{
    fmt::{self, Display},
    io::{self, Write},
};

use centipawn_core::{MoveSymbol, PositionSymbol};
use shakmaty::Color;

use crate::{PlyReview, Review};

const STYLE: &str = include_str!("style.css");

/// A page under way: begun with [`new`](Self::new), a section a game, ended with [`finish`](Self::finish).
pub struct Report<W> {
    out: W,
    /// Titles of the sections, for the list of contents.
    titles: Vec<String>,
}

impl<W: Write> Report<W> {
    /// Begins a page.
    ///
    /// # Errors
    ///
    /// What writing gives.
    pub fn new(mut out: W) -> io::Result<Self> {
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"Centipawn {}\">\n\
             <title>Game review</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}",
            env!("CARGO_PKG_VERSION"),
            board::pieces(),
        )?;
        Ok(Self { out, titles: Vec::new() })
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// What writing gives.
    pub fn game(&mut self, review: &Review) -> io::Result<()> {
        let title = format!("{} – {}", review.name(Color::White), review.name(Color::Black));
        let result = review.game.result;
        self.titles.push(format!("{title} {result}"));
        Section { review, number: self.titles.len() }.write(&mut self.out, &title)
    }

    /// Ends the page, with a list of contents if there are several games, and gives the writer back.
    ///
    /// # Errors
    ///
    /// What writing gives.
    pub fn finish(mut self) -> io::Result<W> {
        if self.titles.len() > 1 {
            // Written last, since only now it is known; the style puts it first.
            writeln!(self.out, "<nav aria-label=\"Games\"><ol>")?;
            for (index, title) in self.titles.iter().enumerate() {
                writeln!(self.out, "<li><a href=\"#g{}\">{}</a></li>", index + 1, Escaped(title))?;
            }
            writeln!(self.out, "</ol></nav>")?;
        }
        writeln!(self.out, "</body>\n</html>")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// One game's part of the page.
struct Section<'a> {
    review: &'a Review,
    /// 1 for the first game of the page; part of every anchor.
    number: usize,
}

impl Section<'_> {
    fn write(&self, out: &mut impl Write, title: &str) -> io::Result<()> {
        let review = self.review;
        writeln!(out, "<article id=\"g{}\">\n<header>\n<h1>{}</h1>", self.number, Escaped(title))?;
        let occasion = review.occasion();
        let comma = if occasion.is_empty() { "" } else { " · " };
        writeln!(out, "<p>{}{comma}{}</p>\n</header>", Escaped(&occasion), review.game.result)?;
        self.players(out)?;
        if review.plies.is_empty() {
            writeln!(out, "<p>No moves were played.</p>")?;
        } else {
            writeln!(out, "{}", graph::Graph { review, section: self.number })?;
            self.critical_moments(out)?;
            self.moves(out)?;
            if let Some(held_back) = review.held_back() {
                writeln!(out, "<p class=\"quiet\">{}</p>", Escaped(&held_back))?;
            }
        }
        let who = review.analyst.as_ref().map_or_else(
            || "Evaluations from the game itself".to_owned(),
            |analyst| format!("{}, {} a position", analyst.with_options(), review.options.limit),
        );
        writeln!(
            out,
            "<footer>{}. Expected scores by the curve {}; symbols by the schemes {}.</footer>\n</article>",
            Escaped(&who),
            Escaped(&review.curve.to_string()),
            review.options.scheme
        )
    }

    fn players(&self, out: &mut impl Write) -> io::Result<()> {
        write!(
            out,
            "<table class=\"players\">\n<thead><tr><th scope=\"col\">Player</th><th scope=\"col\">Accuracy</th>"
        )?;
        write!(out, "<th scope=\"col\"><abbr title=\"Pawns at equality given away in all\">Relevant loss</abbr></th>")?;
        for symbol in MoveSymbol::ALL {
            write!(out, "<th scope=\"col\" class=\"{}\">{symbol}</th>", class(symbol))?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        for color in [Color::White, Color::Black] {
            let player = self.review.player(color);
            let accuracy = player.accuracy.map_or_else(|| "–".to_owned(), |accuracy| format!("{accuracy:.1} %"));
            let disc = color.fold_wb("○", "●");
            write!(
                out,
                "<tr><th scope=\"row\"><span aria-hidden=\"true\">{disc}</span> {}</th><td>{accuracy}</td><td>{:.2}</td>",
                Escaped(self.review.name(color)),
                player.relevant_loss
            )?;
            player.symbols.iter().try_for_each(|count| write!(out, "<td>{count}</td>"))?;
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</tbody></table>")
    }

    fn critical_moments(&self, out: &mut impl Write) -> io::Result<()> {
        if self.review.critical_moments.is_empty() {
            return Ok(());
        }
        writeln!(out, "<h2>Critical moments</h2>\n<div class=\"moments\">")?;
        for &index in &self.review.critical_moments {
            let ply = &self.review.plies[index];
            writeln!(
                out,
                "<section>\n<h3><a href=\"#{}\">{}{}</a></h3>\n{}\n<p>{}</p>",
                self.anchor(index),
                Escaped(&ply.numbered()),
                Symbol(ply),
                board::Diagram { ply },
                Escaped(&ply.summary())
            )?;
            if let Some(line) = ply.better_line().filter(|_| is_blamed(ply)) {
                writeln!(out, "<p class=\"line\">Better: {}</p>", Escaped(&line))?;
            }
            writeln!(out, "</section>")?;
        }
        writeln!(out, "</div>")
    }

    fn moves(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "<h2>Moves</h2>\n<table class=\"moves\">\n<thead><tr><th scope=\"col\">No.</th>\
             <th scope=\"col\">White</th><th scope=\"col\">Evaluation</th>\
             <th scope=\"col\">Black</th><th scope=\"col\">Evaluation</th></tr></thead>\n<tbody>"
        )?;
        let plies = &self.review.plies;
        let mut index = 0;
        while index < plies.len() {
            let black_begins = plies[index].mover == Color::Black;
            let row = index..(index + 2 - usize::from(black_begins)).min(plies.len());
            write!(out, "<tr><th scope=\"row\">{}</th>", plies[index].number)?;
            if black_begins {
                write!(out, "<td>…</td><td></td>")?;
            }
            for index in row.clone() {
                let ply = &plies[index];
                let eval = ply.after.map_or_else(String::new, |eval| format!("{eval} {}", printable(ply.position)));
                write!(
                    out,
                    "<td id=\"{}\">{}{}</td><td>{eval}</td>",
                    self.anchor(index),
                    Escaped(&ply.san),
                    Symbol(ply)
                )?;
            }
            if row.len() == 1 && !black_begins {
                write!(out, "<td></td><td></td>")?;
            }
            writeln!(out, "</tr>")?;
            for ply in row.clone().map(|index| &plies[index]).filter(|ply| is_blamed(ply)) {
                let better = ply.better_line().map_or_else(String::new, |line| format!(" Better: {line}"));
                writeln!(
                    out,
                    "<tr class=\"note\"><td></td><td colspan=\"4\">{}{} {}{}</td></tr>",
                    Escaped(&ply.numbered()),
                    Symbol(ply),
                    Escaped(&ply.summary()),
                    Escaped(&better)
                )?;
            }
            index = row.end;
        }
        writeln!(out, "</tbody></table>")
    }

    fn anchor(&self, index: usize) -> String {
        format!("g{}p{}", self.number, index + 1)
    }
}

impl PlyReview {
    /// What the move did, in a sentence: `Gives away 0.45 of the point: +0.30 → +3.40.`
    pub fn summary(&self) -> String {
        let change = format!("{} → {}", self.best, self.played);
        match self.symbol {
            Some(symbol) if symbol.is_praise() => {
                format!("The best move by {:.2} of the point ({}).", self.difference, self.played)
            }
            _ => format!("Gives away {:.2} of the point: {change}.", self.loss.expected_score),
        }
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

/// A move's symbol in its colour, nothing where there is none.
struct Symbol<'a>(&'a PlyReview);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.symbol {
            Some(symbol) => write!(f, "<span class=\"{}\">{symbol}</span>", class(symbol)),
            None => Ok(()),
        }
    }
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
