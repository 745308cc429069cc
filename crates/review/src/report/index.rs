//! The index page of a batch: a list of the games, tables of players and openings.

use std::io::{self, Write};

use centipawn_core::MoveSymbol;
use centipawn_progress::Provenance;
use shakmaty::Color;
use tempfile::{SpooledTempFile, spooled_tempfile};

use super::{Escaped, IN_MEMORY, class, copy, head};
use crate::{Language, OpeningRow, PlayerRow, Review};

/// Writes the index page: [`new`](Self::new) begins it, [`game`](Self::game) adds a row, [`finish`](Self::finish) ends it.
pub struct Index<W> {
    out: W,
    language: Language,
    /// The rows of the list of games, in a temporary file like the sections of a report.
    rows: SpooledTempFile,
}

impl<W: Write> Index<W> {
    /// Begins a page.
    pub fn new(out: W, language: Language) -> Self {
        Self { out, language, rows: spooled_tempfile(IN_MEMORY) }
    }

    /// Adds a game whose report is at `page`, a path relative to the index.
    ///
    /// # Errors
    ///
    /// Errors of writing a temporary file.
    pub fn game(&mut self, review: &Review, page: &str) -> io::Result<()> {
        let accuracy = |color| percent(self.language, review.player(color).accuracy);
        write!(
            self.rows,
            "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
            Escaped(page),
            Escaped(review.name(Color::White)),
            Escaped(review.name(Color::Black)),
            review.game.result,
            Escaped(&review.opening_name().unwrap_or_default()),
            review.plies.len().div_ceil(2),
            accuracy(Color::White),
            accuracy(Color::Black),
        )?;
        for symbol in BLAMES {
            write!(self.rows, "<td>{}</td>", review.white.count(symbol) + review.black.count(symbol))?;
        }
        writeln!(self.rows, "</tr>")
    }

    /// Writes the page with the tables of players and openings, and returns the writer.
    ///
    /// # Errors
    ///
    /// Errors of the writer or of the temporary file.
    pub fn finish(
        mut self,
        players: &[PlayerRow],
        openings: &[OpeningRow],
        provenance: Option<&Provenance>,
    ) -> io::Result<W> {
        let (language, labels) = (self.language, self.language.labels());
        let out = &mut self.out;
        head(out, language, labels.review, provenance)?;
        let column = |text: &str| format!("<th scope=\"col\">{text}</th>");
        writeln!(
            out,
            "</head>\n<body class=\"index\">\n<h1>{}</h1>\n<section>\n<h2>{}</h2>\n<div class=\"wide\" tabindex=\"0\"><table class=\"players\">\n<thead><tr>{}{}{}{}{}{}{}",
            labels.review,
            labels.games,
            column(labels.white),
            column(labels.black),
            column(labels.result),
            column(labels.opening),
            column(labels.moves),
            column(&format!("{} ○", labels.accuracy)),
            column(&format!("{} ●", labels.accuracy)),
        )?;
        for symbol in BLAMES {
            write!(out, "<th scope=\"col\" class=\"{}\">{symbol}</th>", class(symbol))?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        copy(self.rows, out)?;
        let number = |value: f64| language.number(value, 2);
        let maybe = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
        let columns =
            |names: &[&str]| names.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect::<String>();
        writeln!(
            out,
            "</tbody></table></div></section>\n<section><h2>{}</h2>\n<div class=\"wide\" tabindex=\"0\"><table class=\"players\">\n<thead><tr>{}",
            labels.players,
            columns(&[labels.player, labels.games, labels.result, labels.accuracy, labels.relevant_loss])
        )?;
        for symbol in MoveSymbol::ALL {
            write!(out, "<th scope=\"col\" class=\"{}\">{symbol}</th>", class(symbol))?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        for row in players {
            let PlayerRow { brilliant, good, interesting, dubious, mistake, blunder, .. } = row;
            write!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
                Escaped(&row.player),
                row.games,
                maybe(row.score),
                percent(language, row.accuracy),
                number(row.relevant_loss)
            )?;
            for count in [brilliant, good, interesting, dubious, mistake, blunder] {
                write!(out, "<td>{count}</td>")?;
            }
            writeln!(out, "</tr>")?;
        }
        let white = |text: &str| format!("{text} ○");
        writeln!(
            out,
            "</tbody></table></div></section>\n<section><h2>{}</h2>\n<div class=\"wide\" tabindex=\"0\"><table class=\"players\">\n<thead><tr>{}</tr></thead>\n<tbody>",
            labels.openings,
            columns(&[
                labels.opening,
                labels.games,
                &white(labels.result),
                &white(labels.expected_score),
                &white(labels.relevant_loss),
                &format!("{} ●", labels.relevant_loss)
            ])
        )?;
        for row in openings {
            writeln!(
                out,
                "<tr><th scope=\"row\">{} {}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                row.eco,
                if row.opening.is_empty() { "–" } else { &row.opening },
                row.games,
                maybe(row.score_white),
                number(row.expected_score_white),
                number(row.relevant_loss_white),
                number(row.relevant_loss_black)
            )?;
        }
        writeln!(out, "</tbody></table></div></section>\n</body>\n</html>")?;
        out.flush()?;
        Ok(self.out)
    }
}

/// The symbols that the list of games counts.
const BLAMES: [MoveSymbol; 3] = [MoveSymbol::Dubious, MoveSymbol::Mistake, MoveSymbol::Blunder];

fn percent(language: Language, accuracy: Option<f64>) -> String {
    accuracy.map_or_else(|| "–".to_owned(), |accuracy| format!("{} %", language.number(accuracy, 1)))
}
