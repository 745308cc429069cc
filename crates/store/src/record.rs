//! A line of an evaluation as a row that other programs read.

use std::path::Path;

/// One line of an evaluation: a row of an exported table.
///
/// The rows of one evaluation stand together, its lines in order; what they share is in each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The position.
    pub fen: String,
    /// The moves before it that can still be repeated, in UCI notation (castling: the king takes its rook).
    pub past: String,
    /// Whether castling is that of Chess960.
    pub chess960: bool,
    /// The engine's name.
    pub engine: String,
    /// Its author.
    pub author: String,
    /// Its options: a JSON object of names and values.
    pub options: String,
    /// The limit, such as `100000 nodes`.
    pub limit: String,
    /// Lines that were asked for.
    pub lines: i64,
    /// The moves that were asked about, in UCI notation; empty where all were.
    pub searchmoves: String,
    /// Nodes visited for all lines.
    pub nodes: i64,
    /// Time for all lines, in microseconds.
    pub time_us: i64,
    /// The line's place, the best being 1.
    pub rank: i64,
    /// Centipawns for the side to move, where it is no mate.
    pub cp: Option<i64>,
    /// Moves to mate, negative where the side to move is mated.
    pub mate: Option<i64>,
    /// The engine's probability of a win for the side to move.
    pub win: Option<f64>,
    /// Of a draw.
    pub draw: Option<f64>,
    /// Of a loss.
    pub loss: Option<f64>,
    /// Plies searched.
    pub depth: i64,
    /// Plies of the longest variation, where the engine says.
    pub seldepth: Option<i64>,
    /// The moves, in UCI notation (castling: the king takes its rook).
    pub pv: String,
}

/// The form of a table of [`Record`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Apache Parquet; needs the feature `parquet`.
    Parquet,
    /// Comma-separated values with a head.
    Csv,
}

impl TableFormat {
    /// Parquet if the file's name ends in `.parquet`, else CSV.
    pub fn of(file: &Path) -> Self {
        let is_parquet = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
        if is_parquet { Self::Parquet } else { Self::Csv }
    }
}

/// The columns, in their order.
pub(crate) const COLUMNS: [&str; 20] = [
    "fen",
    "past",
    "chess960",
    "engine",
    "author",
    "options",
    "limit",
    "lines",
    "searchmoves",
    "nodes",
    "time_us",
    "rank",
    "cp",
    "mate",
    "win",
    "draw",
    "loss",
    "depth",
    "seldepth",
    "pv",
];

impl Record {
    /// As CSV has it, in the order of [`COLUMNS`].
    pub(crate) fn texts(&self) -> [String; 20] {
        let whole = |value: Option<i64>| value.map_or_else(String::new, |value| value.to_string());
        let real = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let text = String::clone;
        [
            text(&self.fen),
            text(&self.past),
            self.chess960.to_string(),
            text(&self.engine),
            text(&self.author),
            text(&self.options),
            text(&self.limit),
            self.lines.to_string(),
            text(&self.searchmoves),
            self.nodes.to_string(),
            self.time_us.to_string(),
            self.rank.to_string(),
            whole(self.cp),
            whole(self.mate),
            real(self.win),
            real(self.draw),
            real(self.loss),
            self.depth.to_string(),
            whole(self.seldepth),
            text(&self.pv),
        ]
    }

    /// From a row's cells by the number of their column.
    pub(crate) fn from_texts<'a>(cell: impl Fn(usize) -> &'a str) -> Result<Self, String> {
        let text = |column: usize| cell(column).to_owned();
        let bad = |column: usize| format!("{} is {:?}", COLUMNS[column], cell(column));
        let maybe = |column: usize| match cell(column) {
            "" => Ok(None),
            value => value.parse::<i64>().map(Some).map_err(|_| bad(column)),
        };
        let whole = |column: usize| maybe(column)?.ok_or_else(|| bad(column));
        let real = |column: usize| match cell(column) {
            "" => Ok(None),
            value => value.parse::<f64>().map(Some).map_err(|_| bad(column)),
        };
        Ok(Self {
            fen: text(0),
            past: text(1),
            chess960: cell(2).eq_ignore_ascii_case("true"),
            engine: text(3),
            author: text(4),
            options: text(5),
            limit: text(6),
            lines: whole(7)?,
            searchmoves: text(8),
            nodes: whole(9)?,
            time_us: whole(10)?,
            rank: whole(11)?,
            cp: maybe(12)?,
            mate: maybe(13)?,
            win: real(14)?,
            draw: real(15)?,
            loss: real(16)?,
            depth: whole(17)?,
            seldepth: maybe(18)?,
            pv: text(19),
        })
    }

    /// Whether it is a line of the same evaluation.
    pub(crate) fn goes_with<'a>(&'a self, first: &'a Self) -> bool {
        let shared = |record: &'a Self| {
            let Self { fen, past, chess960, engine, author, options, limit, lines, searchmoves, .. } = record;
            (fen, past, chess960, engine, author, options, limit, lines, searchmoves)
        };
        self.rank > 1 && shared(self) == shared(first)
    }
}
