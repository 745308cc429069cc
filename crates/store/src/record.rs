//! The rows of exported tables.

use std::path::Path;

/// One line of an evaluation, which is one row of an exported table.
///
/// The rows of an evaluation are consecutive, the best line first. Each of them contains all fields
/// that they share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The position, as FEN.
    pub fen: String,
    /// The moves before the position that can still be repeated, in UCI notation (castling: the
    /// king moves to its rook's square), separated by spaces.
    pub past: String,
    /// Whether the position uses Chess960 castling.
    pub chess960: bool,
    /// The engine's name.
    pub engine: String,
    /// The engine's author.
    pub author: String,
    /// The engine's options: a JSON object of names and values.
    pub options: String,
    /// The limit, such as `100000 nodes`.
    pub limit: String,
    /// Number of requested lines, at least 1.
    pub lines: i64,
    /// The moves considered (`searchmoves`), in UCI notation, separated by spaces; empty for all
    /// legal moves.
    pub searchmoves: String,
    /// Number of nodes searched for all lines.
    pub nodes: i64,
    /// Search time for all lines, in seconds.
    pub search_seconds: f64,
    /// Rank of the line, from 1 for the best.
    pub rank: i64,
    /// Score in centipawns for the side to move; `None` if the score is a mate.
    pub mover_eval_cp: Option<i64>,
    /// Number of moves to mate, negative if the side to move is mated; `None` if the score is in
    /// centipawns.
    pub mover_eval_mate: Option<i64>,
    /// The engine's probability of a win for the side to move, from 0 to 1; `None` if the engine
    /// reports none.
    pub mover_p_win: Option<f64>,
    /// The engine's probability of a draw, from 0 to 1.
    pub mover_p_draw: Option<f64>,
    /// The engine's probability of a loss for the side to move, from 0 to 1.
    pub mover_p_loss: Option<f64>,
    /// Search depth in plies.
    pub depth: i64,
    /// Length of the longest variation in plies, if the engine reports it.
    pub seldepth: Option<i64>,
    /// The moves of the line, in UCI notation (castling: the king moves to its rook's square),
    /// separated by spaces.
    pub pv: String,
    /// The last exact score in centipawns for the side to move, if the engine's last bound
    /// contradicts it.
    pub mover_last_exact_cp: Option<i64>,
    /// The last exact score in moves to mate, if the engine's last bound contradicts it.
    pub mover_last_exact_mate: Option<i64>,
}

/// The file format of a table of [`Record`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values with a header.
    Csv,
}

impl TableFormat {
    /// Returns Parquet if the file's name ends in `.parquet`, and CSV otherwise.
    pub fn of(file: &Path) -> Self {
        let is_parquet = file
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
        if is_parquet { Self::Parquet } else { Self::Csv }
    }
}

/// The names of the columns, in order.
pub(crate) const COLUMNS: [&str; 22] = [
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
    "search_seconds",
    "rank",
    "mover_eval_cp",
    "mover_eval_mate",
    "mover_p_win",
    "mover_p_draw",
    "mover_p_loss",
    "depth",
    "seldepth",
    "pv",
    "mover_last_exact_cp",
    "mover_last_exact_mate",
];

impl Record {
    /// Returns the cells of a CSV row, in the order of [`COLUMNS`].
    pub(crate) fn texts(&self) -> [String; 22] {
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
            self.search_seconds.to_string(),
            self.rank.to_string(),
            whole(self.mover_eval_cp),
            whole(self.mover_eval_mate),
            real(self.mover_p_win),
            real(self.mover_p_draw),
            real(self.mover_p_loss),
            self.depth.to_string(),
            whole(self.seldepth),
            text(&self.pv),
            whole(self.mover_last_exact_cp),
            whole(self.mover_last_exact_mate),
        ]
    }

    /// Parses a CSV row; `cell` returns the text in a column of [`COLUMNS`].
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
            search_seconds: real(10)?.ok_or_else(|| bad(10))?,
            rank: whole(11)?,
            mover_eval_cp: maybe(12)?,
            mover_eval_mate: maybe(13)?,
            mover_p_win: real(14)?,
            mover_p_draw: real(15)?,
            mover_p_loss: real(16)?,
            depth: whole(17)?,
            seldepth: maybe(18)?,
            pv: text(19),
            mover_last_exact_cp: maybe(20)?,
            mover_last_exact_mate: maybe(21)?,
        })
    }

    /// Returns whether both rows are lines of the same evaluation.
    pub(crate) fn goes_with<'a>(&'a self, first: &'a Self) -> bool {
        let shared = |record: &'a Self| {
            let Self {
                fen,
                past,
                chess960,
                engine,
                author,
                options,
                limit,
                lines,
                searchmoves,
                ..
            } = record;
            (
                fen,
                past,
                chess960,
                engine,
                author,
                options,
                limit,
                lines,
                searchmoves,
            )
        };
        self.rank > 1 && shared(self) == shared(first)
    }
}
