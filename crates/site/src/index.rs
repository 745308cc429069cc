//! The list of a folder's games, with tables of players and openings where they are known.

use std::io::{self, Write};

use centipawn_core::MoveSymbol;
use centipawn_progress::Provenance;
use centipawn_review::{Language, Mistakes, OpeningRow, PlayerRow};
use shakmaty::Color;
use tempfile::{SpooledTempFile, spooled_tempfile};

use crate::{
    html::{Assets, Escaped, head},
    reading::{count, result},
    report::{IN_MEMORY, copy},
    shown::ShownGame,
    table::{self, Cell, Column},
};

/// The list of games: [`new`](Self::new) begins it, [`add`](Self::add) adds a row,
/// [`write`](Self::write) writes the page.
pub(crate) struct Index {
    pub(crate) language: Language,
    title: String,
    /// Whether the site has the page without a server.
    pub(crate) has_tab: bool,
    /// The rows, in a temporary file like the games of a report.
    rows: SpooledTempFile,
}

/// Totals of a batch.
pub(crate) struct Totals<'a> {
    pub(crate) players: &'a [PlayerRow],
    pub(crate) openings: &'a [OpeningRow],
    /// The analyst and the curve, in words.
    pub(crate) basis: &'a str,
    pub(crate) provenance: &'a Provenance,
}

impl Index {
    pub(crate) fn new(language: Language, title: Option<&str>) -> Self {
        let title = title.unwrap_or(language.labels().games).to_owned();
        Self {
            language,
            title,
            has_tab: false,
            rows: spooled_tempfile(IN_MEMORY),
        }
    }

    /// Adds a game whose page is at `address`, relative to the index.
    pub(crate) fn add(&mut self, game: &ShownGame, address: &str) -> io::Result<()> {
        let (document, tags) = (game.document(), game.tags());
        let opening = game.opening().unwrap_or_default();
        let date = tags
            .date()
            .map_or_else(String::new, |date| date.to_string());
        let cells = [
            Cell::Player(
                address.to_owned(),
                &document.white.name,
                tags.rating(Color::White),
            ),
            Cell::Player(
                address.to_owned(),
                &document.black.name,
                tags.rating(Color::Black),
            ),
            Cell::Short(result(game)),
            Cell::Short(&date),
            Cell::Text(tags.get("Event").unwrap_or_default()),
            Cell::Short(tags.get("Round").unwrap_or_default()),
            Cell::Long(&opening),
            Cell::Count(Some(document.plies.len().div_ceil(2) as u64)),
            Cell::Percent(document.white.accuracy),
            Cell::Percent(document.black.accuracy),
        ];
        let both = |symbol| {
            count(&document.white.symbols, symbol) + count(&document.black.symbols, symbol)
        };
        let counts = Mistakes::SYMBOLS.map(|symbol| Cell::Count(Some(both(symbol) as u64)));
        self.rows
            .write_all(table::row(self.language, cells.into_iter().chain(counts)).as_bytes())
    }

    /// Writes the page. The page of the first player is `players/00001.html`, and so on.
    pub(crate) fn write(self, out: &mut impl Write, totals: Option<&Totals<'_>>) -> io::Result<()> {
        let (language, labels) = (self.language, self.language.labels());
        let head = head(
            language,
            &self.title,
            totals.map(|totals| totals.provenance),
            Assets::Beside(""),
        );
        let title = Escaped(&self.title);
        writeln!(
            out,
            "{head}<body>\n<main class=\"reading index\">\n<h1>{title}</h1>"
        )?;
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
        if self.has_tab {
            let text = labels.review_own;
            writeln!(out, "<p><a href=\"tab/index.html\">{text}</a></p>")?;
        }
        // Without totals the title is the heading of the only table.
        let heading = totals.map_or("", |_| labels.games);
        out.write_all(
            table::begin(
                language,
                heading,
                columns.into_iter().chain(table::mistake_columns()),
            )
            .as_bytes(),
        )?;
        copy(self.rows, out)?;
        out.write_all(table::END.as_bytes())?;
        if let Some(totals) = totals {
            out.write_all(player_table(language, totals.players).as_bytes())?;
            out.write_all(opening_table(language, totals.openings).as_bytes())?;
            writeln!(
                out,
                "<footer class=\"quiet\">{}</footer>",
                Escaped(totals.basis)
            )?;
        }
        writeln!(out, "</main>\n</body>\n</html>")
    }
}

fn player_table(language: Language, players: &[PlayerRow]) -> String {
    let labels = language.labels();
    // Omit columns without any value.
    let has_ease = players.iter().any(|row| row.ease.is_some());
    let has_praise = players.iter().any(|row| row.good.is_some());
    let mut columns = vec![
        Column::Text(labels.player),
        Column::Number(labels.games),
        Column::Number(labels.score),
        Column::Number(labels.accuracy),
        Column::Number(labels.relevant_loss),
    ];
    columns.extend(has_ease.then_some(Column::Number(labels.ease_heading)));
    let symbols = MoveSymbol::ALL
        .into_iter()
        .filter(|symbol| has_praise || !symbol.is_praise());
    columns.extend(symbols.map(Column::Symbol));
    let mut text = table::begin(language, labels.players, columns);
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
        Column::Side(labels.score, Color::White),
        Column::Side(labels.expected_score, Color::White),
        Column::Side(labels.relevant_loss, Color::White),
        Column::Side(labels.relevant_loss, Color::Black),
    ];
    let mut text = table::begin(language, labels.openings, columns);
    for row in openings {
        let name = format!("{} {}", row.eco, row.opening);
        let cells = [
            Cell::Long(&name),
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
