//! The index page of a batch: a list of the games, tables of players and openings.

use std::io::{self, Write};

use centipawn_core::{Curve, MoveSymbol, Scheme};
use centipawn_progress::Provenance;
use shakmaty::Color;
use tempfile::{SpooledTempFile, spooled_tempfile};

use super::{
    Escaped, IN_MEMORY, SORT, copy, head,
    table::{self, Cell, Column},
};
use crate::{Language, Mistakes, OpeningRow, PlayerRow, Review, result_text};

/// Writes the index page: [`new`](Self::new) begins it, [`game`](Self::game) adds a row, [`finish`](Self::finish) ends it.
pub struct Index<W> {
    out: W,
    language: Language,
    /// The rows of the list of games, in a temporary file like the sections of a report.
    rows: SpooledTempFile,
    /// Who evaluated and by which curve.
    basis: Basis,
}

/// Curve and scheme of the first game, whether later games have others, and the text that says so.
#[derive(Default)]
struct Basis {
    first: Option<(Curve, Scheme)>,
    has_own_curves: bool,
    has_own_schemes: bool,
    text: String,
}

impl Basis {
    fn add(&mut self, review: &Review) {
        let (curve, scheme) = *self.first.get_or_insert((review.curve, review.scheme));
        self.has_own_curves |= curve != review.curve;
        self.has_own_schemes |= scheme != review.scheme;
        self.text = review.basis_of_each(self.has_own_curves, self.has_own_schemes);
    }
}

impl<W: Write> Index<W> {
    /// Begins a page.
    pub fn new(out: W, language: Language) -> Self {
        Self { out, language, rows: spooled_tempfile(IN_MEMORY), basis: Basis::default() }
    }

    /// Adds a game whose report is at `page`, a path relative to the index.
    ///
    /// # Errors
    ///
    /// Errors of writing a temporary file.
    pub fn game(&mut self, review: &Review, page: &str) -> io::Result<()> {
        self.basis.add(review);
        let opening = review.opening_name().unwrap_or_default();
        let cells = [
            Cell::Player(Some(page.to_owned()), review.name(Color::White), review.rating(Color::White)),
            Cell::Player(None, review.name(Color::Black), review.rating(Color::Black)),
            Cell::Short(result_text(review.game.result)),
            Cell::Short(review.date().unwrap_or_default()),
            Cell::Text(review.tag("Event").unwrap_or_default()),
            Cell::Short(review.tag("Round").unwrap_or_default()),
            Cell::Text(&opening),
            Cell::Count(Some(review.plies.len().div_ceil(2) as u64)),
            Cell::Percent(review.white.accuracy),
            Cell::Percent(review.black.accuracy),
        ];
        let counts = Mistakes::SYMBOLS.map(|symbol| review.white.count(symbol) + review.black.count(symbol));
        let counts = counts.map(|count| Cell::Count(Some(count as u64)));
        self.rows.write_all(table::row(self.language, cells.into_iter().chain(counts)).as_bytes())
    }

    /// Writes the page with the tables of players and openings, and returns the writer. The page of the first player is
    /// `players/00001.html`, and so on.
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
        writeln!(out, "</head>\n<body class=\"index\">\n<h1>{}</h1>", labels.review)?;
        let columns = [
            Column::Text(labels.white),
            Column::Text(labels.black),
            Column::Text(labels.result),
            Column::Text(labels.date),
            Column::Text(labels.event),
            Column::Text(labels.round),
            Column::Text(labels.opening),
            Column::Number(labels.moves),
            Column::Side(labels.accuracy, Color::White),
            Column::Side(labels.accuracy, Color::Black),
        ];
        out.write_all(table::begin(labels.games, columns.into_iter().chain(table::mistake_columns())).as_bytes())?;
        copy(self.rows, out)?;
        out.write_all(table::END.as_bytes())?;
        out.write_all(player_table(language, players).as_bytes())?;
        out.write_all(opening_table(language, openings).as_bytes())?;
        writeln!(out, "<footer>{}</footer>\n<script>\n{SORT}</script>\n</body>\n</html>", Escaped(&self.basis.text))?;
        out.flush()?;
        Ok(self.out)
    }
}

fn player_table(language: Language, players: &[PlayerRow]) -> String {
    let labels = language.labels();
    // Columns about which nothing is known are left out.
    let has_ease = players.iter().any(|row| row.ease.is_some());
    let has_praise = players.iter().any(|row| row.good.is_some());
    let mut columns = vec![
        Column::Text(labels.player),
        Column::Number(labels.games),
        Column::Number(labels.result),
        Column::Number(labels.accuracy),
        Column::Number(labels.relevant_loss),
    ];
    columns.extend(has_ease.then_some(Column::Number(labels.ease_heading)));
    let symbols = MoveSymbol::ALL.into_iter().filter(|symbol| has_praise || !symbol.is_praise());
    columns.extend(symbols.map(Column::Symbol));
    let mut text = table::begin(labels.players, columns);
    for (index, row) in players.iter().enumerate() {
        let mut cells = vec![
            Cell::Link(format!("players/{:05}.html", index + 1), &row.player),
            Cell::Count(Some(row.games)),
            Cell::Number(row.score, 2),
            Cell::Percent(row.accuracy),
            Cell::Number(Some(row.relevant_loss), 2),
        ];
        cells.extend(has_ease.then_some(Cell::Number(row.ease, 2)));
        if has_praise {
            cells.extend([row.brilliant, row.good, row.interesting].map(Cell::Count));
        }
        cells.extend([row.dubious, row.mistake, row.blunder].map(|count| Cell::Count(Some(count))));
        text += &table::row(language, cells);
    }
    text + table::END
}

fn opening_table(language: Language, openings: &[OpeningRow]) -> String {
    let labels = language.labels();
    let columns = [
        Column::Text(labels.opening),
        Column::Number(labels.games),
        Column::Side(labels.result, Color::White),
        Column::Side(labels.expected_score, Color::White),
        Column::Side(labels.relevant_loss, Color::White),
        Column::Side(labels.relevant_loss, Color::Black),
    ];
    let mut text = table::begin(labels.openings, columns);
    for row in openings {
        let name = format!("{} {}", row.eco, row.opening);
        let cells = [
            Cell::Text(&name),
            Cell::Count(Some(row.games)),
            Cell::Number(row.result, 2),
            Cell::Number(Some(row.expected_score), 2),
            Cell::Number(Some(row.relevant_loss_white), 2),
            Cell::Number(Some(row.relevant_loss_black), 2),
        ];
        text += &table::row(language, cells);
    }
    text + table::END
}
