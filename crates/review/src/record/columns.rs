//! The schema: every column of games and plies with its name, type, unit, point of view and
//! meaning.
//!
//! A name means the same everywhere: in Parquet files, in Python's tables, in the JSON of a judged
//! ply. Evaluations, probabilities and expected scores are White's, losses are the mover's.
//! `docs/columns.md` is generated from this module; tests compare it, the files and the JSON with
//! it.
//!
//! ```
//! use centipawn_review::columns::{ColumnType, EVAL_CP, View};
//!
//! assert_eq!((EVAL_CP.name, EVAL_CP.data_type), ("eval_cp", ColumnType::Int32));
//! assert_eq!((EVAL_CP.unit, EVAL_CP.view), (Some("centipawns"), Some(View::White)));
//! assert!(EVAL_CP.is_nullable());
//! ```

use ColumnType::{Boolean, Date, Dictionary8, Dictionary32, Float64, Int16, Int32, Int64, Text};
use centipawn_core::{Eval, Score, White};
use shakmaty::{Color, KnownOutcome, Outcome};

/// The type of a column's values. Numbers are signed, so that differences of columns do not wrap
/// around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `true` or `false`.
    Boolean,
    /// A signed integer of 16 bits.
    Int16,
    /// A signed integer of 32 bits.
    Int32,
    /// A signed integer of 64 bits.
    Int64,
    /// A floating-point number of 64 bits.
    Float64,
    /// A date without a time.
    Date,
    /// Text in UTF-8.
    Text,
    /// One of a few words. In Arrow, a dictionary with keys of 8 bits.
    Dictionary8,
    /// Text that repeats in many rows. In Arrow, a dictionary with keys of 32 bits.
    Dictionary32,
}

impl ColumnType {
    /// Returns the type's name in Arrow: `int16`, `dictionary<int8>`.
    pub fn name(self) -> &'static str {
        match self {
            Boolean => "bool",
            Int16 => "int16",
            Int32 => "int32",
            Int64 => "int64",
            Float64 => "float64",
            Date => "date",
            Text => "text",
            Dictionary8 => "dictionary<int8>",
            Dictionary32 => "dictionary<int32>",
        }
    }
}

/// The side from whose point of view a value is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Larger values are better for White.
    White,
    /// Values are from the point of view of the side that moves.
    Mover,
}

impl View {
    /// Returns the name in the documentation: `White` or `mover`.
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "White",
            Self::Mover => "mover",
        }
    }
}

/// A column of a table of games or plies.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// The column's name, the same in every table.
    pub name: &'static str,
    /// The type of the column's values.
    pub data_type: ColumnType,
    /// The unit of the values; `None` for values without a unit.
    pub unit: Option<&'static str>,
    /// The point of view; `None` if the value does not depend on it.
    pub view: Option<View>,
    /// When a value is missing; `None` if the column has a value in every row.
    pub null: Option<&'static str>,
    /// Where the JSON of a judged ply ([`PlyDocument`](crate::PlyDocument)) has it: the column's
    /// name, or the key of an object and a key in it, `eval.cp`. `None` if the JSON lacks it.
    pub json: Option<&'static str>,
    /// The meaning of the values, in one or two sentences.
    pub meaning: &'static str,
}

impl Column {
    const fn new(name: &'static str, data_type: ColumnType, meaning: &'static str) -> Self {
        Self {
            name,
            data_type,
            unit: None,
            view: None,
            null: None,
            json: None,
            meaning,
        }
    }

    const fn unit(self, unit: &'static str) -> Self {
        Self {
            unit: Some(unit),
            ..self
        }
    }

    const fn view(self, view: View) -> Self {
        Self {
            view: Some(view),
            ..self
        }
    }

    const fn null(self, when: &'static str) -> Self {
        Self {
            null: Some(when),
            ..self
        }
    }

    /// Declares that the JSON of a ply has the column under the column's name.
    const fn json(self) -> Self {
        let name = self.name;
        self.json_at(name)
    }

    const fn json_at(self, path: &'static str) -> Self {
        Self {
            json: Some(path),
            ..self
        }
    }

    /// Returns whether values may be missing.
    pub const fn is_nullable(&self) -> bool {
        self.null.is_some()
    }
}

const NO_TAG: &str = "the game has no such tag, or it is empty, `?` or `-`";
/// When the columns of the reason have no value.
const NO_REASON: &str = "no reason is proven";
const NO_EVAL: &str = "the evaluation is a mate, or missing";
const NO_MATE: &str = "the evaluation is in centipawns, or missing";
const NO_WDL: &str = "the probabilities are unknown";

// Columns of games and plies.

/// The column `game`.
pub static GAME: Column = Column::new(
    "game",
    Int32,
    "Row in the table of games, from 0; for reviews, the index of the review.",
);
/// The column `game_id`.
pub static GAME_ID: Column = Column::new(
    "game_id",
    Int64,
    "Number of the game, the same in all shards and threads: the index of its file × 2⁴⁸ + `byte_offset`.",
);
/// The column `result`.
pub static RESULT: Column = Column::new(
    "result",
    Float64,
    "The game's result: 1 White won, 0.5 drawn, 0 Black won.",
)
.unit("points")
.view(View::White)
.null("the game has no result");

// Columns of plies.

/// The column `ply`.
pub static PLY: Column = Column::new(
    "ply",
    Int16,
    "Number of the half-move in its game, from 1; at most 32,767.",
)
.json();
/// The column `move_number`.
pub static MOVE_NUMBER: Column =
    Column::new("move_number", Int16, "The number printed before the move.").json();
/// The column `mover`.
pub static MOVER: Column =
    Column::new("mover", Dictionary8, "Who moves: `white` or `black`.").json();
/// The column `san`.
pub static SAN: Column = Column::new(
    "san",
    Dictionary32,
    "The move in SAN without check marks (JSON has them). Without a review, as the file writes it.",
)
.json();
/// The column `uci`.
pub static UCI: Column = Column::new("uci", Dictionary32, "The move in UCI notation.").json();
/// The column `material_before`.
pub static MATERIAL_BEFORE: Column = Column::new(
    "material_before",
    Int16,
    "Material of both sides before the move (9-5-3-3-1): 78 at the start.",
)
.unit("pawns");
/// The column `material`.
pub static MATERIAL: Column = Column::new(
    "material",
    Int16,
    "Material of both sides after the move (9-5-3-3-1).",
)
.unit("pawns");
/// The column `eval_before_cp`.
pub static EVAL_BEFORE_CP: Column = Column::new(
    "eval_before_cp",
    Int32,
    "Evaluation of the position before the move; in reviews that of the best move.",
)
.unit("centipawns")
.view(View::White)
.null(NO_EVAL)
.json_at("eval_before.cp");
/// The column `eval_before_mate`.
pub static EVAL_BEFORE_MATE: Column = Column::new(
    "eval_before_mate",
    Int16,
    "The same as moves to mate; negative if Black mates.",
)
.unit("moves")
.view(View::White)
.null(NO_MATE)
.json_at("eval_before.mate");
/// The column `eval_cp`.
pub static EVAL_CP: Column = Column::new(
    "eval_cp",
    Int32,
    "Evaluation of the position after the move.",
)
.unit("centipawns")
.view(View::White)
.null(NO_EVAL)
.json_at("eval.cp");
/// The column `eval_mate`.
pub static EVAL_MATE: Column = Column::new(
    "eval_mate",
    Int16,
    "The same as moves to mate; negative if Black mates. 1 or -1 if the move has mated (export, scan).",
)
.unit("moves")
.view(View::White)
.null(NO_MATE)
.json_at("eval.mate");
/// The column `depth`.
pub static DEPTH: Column = Column::new(
    "depth",
    Int16,
    "Depth of the search for the evaluation; in reviews, of the best line before the move.",
)
.unit("plies")
.null("unknown");
/// The column `p_before_win`.
pub static P_BEFORE_WIN: Column = Column::new(
    "p_before_win",
    Float64,
    "Probability that White wins, as the engine reports it before the move.",
)
.view(View::White)
.null(NO_WDL);
/// The column `p_before_draw`.
pub static P_BEFORE_DRAW: Column =
    Column::new("p_before_draw", Float64, "The same for a draw.").null(NO_WDL);
/// The column `p_before_loss`.
pub static P_BEFORE_LOSS: Column =
    Column::new("p_before_loss", Float64, "The same for a loss of White.")
        .view(View::White)
        .null(NO_WDL);
/// The column `p_win`.
pub static P_WIN: Column = Column::new(
    "p_win",
    Float64,
    "Probability that White wins after the move: as the file gives it; in reviews by the curve, if it is a win/draw/loss model, \
     for the evaluation of the played move with the material and ply before it.",
)
.view(View::White)
.null(NO_WDL)
.json_at("wdl.win");
/// The column `p_draw`.
pub static P_DRAW: Column = Column::new("p_draw", Float64, "The same for a draw.")
    .null(NO_WDL)
    .json_at("wdl.draw");
/// The column `p_loss`.
pub static P_LOSS: Column = Column::new("p_loss", Float64, "The same for a loss of White.")
    .view(View::White)
    .null(NO_WDL)
    .json_at("wdl.loss");
/// The column `time_seconds`.
pub static TIME_SECONDS: Column = Column::new(
    "time_seconds",
    Float64,
    "Time that the mover spent on the move. Export and scan: as the comment gives it; reviews: also from clocks and increment.",
)
    .unit("seconds")
    .null("unknown")
    .json();
/// The column `clock_seconds`.
pub static CLOCK_SECONDS: Column = Column::new(
    "clock_seconds",
    Float64,
    "Time on the mover's clock after the move.",
)
.unit("seconds")
.null("unknown")
.json();
/// The column `fen`.
pub static FEN: Column = Column::new("fen", Text, "The position before the move, as FEN.").json();
/// The column `comment`.
pub static COMMENT: Column = Column::new(
    "comment",
    Text,
    "The comments behind the move as they are written, with `[%eval …]` and the like; several are joined by line breaks.",
)
.null("the move has no comment");

// Columns of judged plies.

/// The column `eval_played_cp`.
pub(super) static EVAL_PLAYED_CP: Column = Column::new(
    "eval_played_cp",
    Int32,
    "Evaluation of the played move by the search of the position before it.",
)
.unit("centipawns")
.view(View::White)
.null(NO_EVAL)
.json_at("eval_played.cp");
/// The column `eval_played_mate`.
pub(super) static EVAL_PLAYED_MATE: Column = Column::new(
    "eval_played_mate",
    Int16,
    "The same as moves to mate; negative if Black mates.",
)
.unit("moves")
.view(View::White)
.null(NO_MATE)
.json_at("eval_played.mate");
/// The column `best_san`.
pub(super) static BEST_SAN: Column = Column::new(
    "best_san",
    Dictionary32,
    "The best move in SAN, without check marks.",
)
.null("the evaluations come from a game that names no better move");
/// The column `expected_score_best`.
pub(super) static EXPECTED_SCORE_BEST: Column = Column::new(
    "expected_score_best",
    Float64,
    "Expected score of the best move, by the review's curve with the material and ply before it: 0 to 1.",
)
.unit("points")
.view(View::White)
.json();
/// The column `expected_score`.
pub(super) static EXPECTED_SCORE: Column = Column::new(
    "expected_score",
    Float64,
    "Expected score of the played move, by the review's curve with the material and ply before it: 0 to 1.",
)
.unit("points")
.view(View::White)
.json();
/// The column `score_loss`.
pub(super) static SCORE_LOSS: Column = Column::new(
    "score_loss",
    Float64,
    "Expected score lost by the move: 0 to 1.",
)
.unit("points")
.view(View::Mover)
.json();
/// The column `relevant_loss`.
pub(super) static RELEVANT_LOSS: Column = Column::new(
    "relevant_loss",
    Float64,
    "The same in pawns: the whole scale is 2/ln 2 times the curve's win-draw balance.",
)
.unit("pawns")
.view(View::Mover)
.json();
/// The column `absolute_loss`.
pub(super) static ABSOLUTE_LOSS: Column = Column::new(
    "absolute_loss",
    Float64,
    "Pawns between the best and the played move.",
)
.unit("pawns")
.view(View::Mover)
.null("either evaluation is a mate")
.json();
/// The column `difference`.
pub(super) static DIFFERENCE: Column = Column::new(
    "difference",
    Float64,
    "What the symbol measures: expected score of the move minus that of the best other move: −1 to 1.",
)
.unit("points")
.view(View::Mover);
/// The column `symbol_probability`.
pub(super) static SYMBOL_PROBABILITY: Column = Column::new(
    "symbol_probability",
    Float64,
    "Probability that four million nodes give the same symbol, or no blame without one.",
)
.null("no search decides the symbol, or the errors of the evaluations are unknown")
.json();
/// The column `blame_probability`.
pub(super) static BLAME_PROBABILITY: Column = Column::new(
    "blame_probability",
    Float64,
    "Probability that four million nodes give a symbol of blame.",
)
.null("symbol_probability is missing")
.json();
/// The column `accuracy`.
pub(super) static ACCURACY: Column = Column::new(
    "accuracy",
    Float64,
    "Accuracy of the move in Lichess' sense: 0 to 100.",
)
.unit("per cent")
.view(View::Mover)
.json();
/// The column `symbol`.
pub(super) static SYMBOL: Column =
    Column::new("symbol", Dictionary8, "Symbol of the move: `!!` to `??`.")
        .null("the move has none")
        .json();
/// The column `nag`.
pub static NAG: Column = Column::new(
    "nag",
    Int16,
    "Number of the move's first symbol ($1 is `!`).",
)
.null("the move has none")
.json();
/// The column `only_move`.
pub(super) static ONLY_MOVE: Column = Column::new(
    "only_move",
    Boolean,
    "Whether it is the only move that keeps the win or the draw (`□`).",
)
.json();
/// The column `position`.
pub static POSITION: Column = Column::new(
    "position",
    Dictionary8,
    "Symbol of the position after the move: `+/=`.",
)
.view(View::White)
.json();
/// The column `remark`.
pub(super) static REMARK: Column = Column::new(
    "remark",
    Text,
    "The remark on the move, in the review's language.",
)
.null("the move has none")
.json();
/// The column `reason_kind`.
pub(super) static REASON_KIND: Column = Column::new(
    "reason_kind",
    Dictionary8,
    "Why the move is a mistake: `allows` (the opponent gains), `misses` (the mover could have gained) or `achieves` (praise). In JSON `reason.kind`.",
)
.null(NO_REASON);
/// The column `reason_motif`.
pub(super) static REASON_MOTIF: Column = Column::new(
    "reason_motif",
    Dictionary8,
    "The motif, such as `fork` or `hanging piece`. In JSON `reason.motif`.",
)
.null("no reason is proven, or no motif causes the gain");
/// The column `reason_text`.
pub(super) static REASON_TEXT: Column = Column::new(
    "reason_text",
    Text,
    "The reason in a sentence, in the review's language. In JSON `reason.text`.",
)
.null(NO_REASON);
/// The column `phase`.
pub(super) static PHASE: Column = Column::new(
    "phase",
    Dictionary8,
    "Phase of the game: `opening`, `middlegame` or `endgame`.",
)
.json();

// Columns of games.

/// The column `source`.
pub static SOURCE: Column = Column::new("source", Dictionary32, "The file of the game.");
/// The column `byte_offset`.
pub static BYTE_OFFSET: Column = Column::new(
    "byte_offset",
    Int64,
    "Where the game begins in the decompressed text of its file.",
)
.unit("bytes");
/// The column `white_name`.
pub static WHITE_NAME: Column = Column::new("white_name", Text, "Name of White.").null(NO_TAG);
/// The column `black_name`.
pub static BLACK_NAME: Column = Column::new("black_name", Text, "Name of Black.").null(NO_TAG);
/// The column `white_elo`.
pub static WHITE_ELO: Column =
    Column::new("white_elo", Int16, "Rating of White: 100 to 5000.").null(NO_TAG);
/// The column `black_elo`.
pub static BLACK_ELO: Column =
    Column::new("black_elo", Int16, "Rating of Black: 100 to 5000.").null(NO_TAG);
/// The column `event`.
pub static EVENT: Column = Column::new("event", Dictionary32, "The event.").null(NO_TAG);
/// The column `site`.
pub static SITE: Column =
    Column::new("site", Text, "The place, or the address of the game.").null(NO_TAG);
/// The column `date`.
pub static DATE: Column =
    Column::new("date", Date, "The day.").null("the game does not give the whole date");
/// The column `year`.
pub static YEAR: Column = Column::new(
    "year",
    Int16,
    "The year, also where month or day are missing.",
)
.null(NO_TAG);
/// The column `eco`.
pub static ECO: Column = Column::new("eco", Dictionary32, "Code of the opening.").null(NO_TAG);
/// The column `time_control`.
pub static TIME_CONTROL: Column = Column::new(
    "time_control",
    Dictionary32,
    "The time control, as the tag has it.",
)
.null(NO_TAG);
/// The column `termination`.
pub static TERMINATION: Column =
    Column::new("termination", Dictionary32, "How the game ended.").null(NO_TAG);
/// The column `variant`.
pub static VARIANT: Column = Column::new("variant", Dictionary32, "The variant.").null(NO_TAG);
/// The column `start_fen`.
pub static START_FEN: Column = Column::new("start_fen", Text, "The position of the start, as FEN.")
    .null("the game has no tag `FEN`");
/// The column `plies`.
pub static PLIES: Column = Column::new("plies", Int32, "Number of half-moves.");
/// The column `dialect`.
pub static DIALECT: Column = Column::new(
    "dialect",
    Dictionary8,
    "How the file writes evaluations, as given (option `evals`) or detected.",
);

// The tables.

pub use super::ply::JUDGED_PLIES;

/// Games, in Parquet. Python's table of games has [`GAME`] before and [`DIALECT`] after these
/// columns.
pub static GAMES: [&Column; 18] = [
    &GAME_ID,
    &SOURCE,
    &BYTE_OFFSET,
    &WHITE_NAME,
    &BLACK_NAME,
    &WHITE_ELO,
    &BLACK_ELO,
    &EVENT,
    &SITE,
    &DATE,
    &YEAR,
    &ECO,
    &TIME_CONTROL,
    &TERMINATION,
    &VARIANT,
    &START_FEN,
    &RESULT,
    &PLIES,
];

/// Plies that `pgn export` writes; the last column, [`FEN`], on request.
pub static EXPORTED_PLIES: [&Column; 22] = [
    &GAME_ID,
    &PLY,
    &MOVE_NUMBER,
    &MOVER,
    &SAN,
    &MATERIAL_BEFORE,
    &MATERIAL,
    &EVAL_BEFORE_CP,
    &EVAL_BEFORE_MATE,
    &EVAL_CP,
    &EVAL_MATE,
    &DEPTH,
    &P_BEFORE_WIN,
    &P_BEFORE_DRAW,
    &P_BEFORE_LOSS,
    &P_WIN,
    &P_DRAW,
    &P_LOSS,
    &TIME_SECONDS,
    &CLOCK_SECONDS,
    &RESULT,
    &FEN,
];

/// Plies of Python's `scan`; those of [`SCANNED_ON_REQUEST`] only if they are named.
pub static SCANNED_PLIES: [&Column; 25] = [
    &GAME,
    &PLY,
    &MOVE_NUMBER,
    &MOVER,
    &SAN,
    &UCI,
    &MATERIAL_BEFORE,
    &MATERIAL,
    &EVAL_BEFORE_CP,
    &EVAL_BEFORE_MATE,
    &EVAL_CP,
    &EVAL_MATE,
    &DEPTH,
    &NAG,
    &P_BEFORE_WIN,
    &P_BEFORE_DRAW,
    &P_BEFORE_LOSS,
    &P_WIN,
    &P_DRAW,
    &P_LOSS,
    &TIME_SECONDS,
    &CLOCK_SECONDS,
    &RESULT,
    &FEN,
    &COMMENT,
];

/// Columns of [`SCANNED_PLIES`] that must be named.
pub static SCANNED_ON_REQUEST: [&Column; 12] = [
    &MOVE_NUMBER,
    &SAN,
    &UCI,
    &NAG,
    &P_BEFORE_WIN,
    &P_BEFORE_DRAW,
    &P_BEFORE_LOSS,
    &P_WIN,
    &P_DRAW,
    &P_LOSS,
    &FEN,
    &COMMENT,
];

// Values of columns.

/// Returns an evaluation as the values of its two columns: centipawns, and moves to mate.
pub fn eval_columns(eval: Option<Eval<White>>) -> (Option<i32>, Option<i16>) {
    match eval.map(Eval::score) {
        Some(Score::Cp(cp)) => (Some(cp), None),
        Some(Score::Mate(mate)) => (
            None,
            Some(mate.clamp(i16::MIN.into(), i16::MAX.into()) as i16),
        ),
        None => (None, None),
    }
}

/// Returns the evaluation after a move of `mover` as tables write it. Checkmate on the board (`#0`
/// in files) becomes a mate in 1 for the mover, because 0 has no sign.
pub fn eval_after(eval: Eval<White>, mover: Color) -> Eval<White> {
    if eval == Eval::mate(0) {
        Eval::mate(mover.fold_wb(1, -1))
    } else {
        eval
    }
}

/// Returns White's points: 1, ½ or 0; `None` without a result.
pub fn result(outcome: Outcome) -> Option<f64> {
    match outcome {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(1.0, 0.0)),
        Outcome::Known(KnownOutcome::Draw) => Some(0.5),
        Outcome::Unknown => None,
    }
}

/// Converts a number to the value of a column of 16 bits. Numbers above 32,767 become 32,767.
pub fn small(number: usize) -> i32 {
    i32::from(i16::try_from(number).unwrap_or(i16::MAX))
}
