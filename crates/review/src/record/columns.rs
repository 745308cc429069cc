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
    /// True or false.
    Boolean,
    /// A whole number of 16 bits.
    Int16,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// A number of 64 bits.
    Float64,
    /// A day.
    Date,
    /// UTF-8.
    Text,
    /// One of few words: in Arrow a dictionary with keys of 8 bits.
    Dictionary8,
    /// Words that repeat: in Arrow a dictionary with keys of 32 bits.
    Dictionary32,
}

impl ColumnType {
    /// Its name: `int16`, `dictionary<int8>`.
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

/// Whose view a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// More is better for White.
    White,
    /// The side that makes the move.
    Mover,
}

impl View {
    /// `White` or `mover`.
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "White",
            Self::Mover => "mover",
        }
    }
}

/// A column.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in every table.
    pub name: &'static str,
    /// The type of its values.
    pub data_type: ColumnType,
    /// The unit, if it has one.
    pub unit: Option<&'static str>,
    /// Whose view it is, where that makes a difference.
    pub view: Option<View>,
    /// When a value is missing; `None` if none is.
    pub null: Option<&'static str>,
    /// Where the JSON of a judged ply ([`PlyDocument`](crate::PlyDocument)) has it: the column's
    /// name, or the key of an object and a key in it, `eval.cp`. `None` if the JSON lacks it.
    pub json: Option<&'static str>,
    /// Its meaning, in one or two sentences.
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

    /// Whether values may be missing.
    pub const fn is_nullable(&self) -> bool {
        self.null.is_some()
    }
}

const NO_TAG: &str = "the game has no such tag, or it is empty, `?` or `-`";
/// Why there is no reason.
const NO_REASON: &str = "no reason is proven";
const NO_EVAL: &str = "the evaluation is a mate, or missing";
const NO_MATE: &str = "the evaluation is in centipawns, or missing";
const NO_WDL: &str = "the probabilities are unknown";

// Columns of games and plies.

/// `game`.
pub static GAME: Column = Column::new(
    "game",
    Int32,
    "Row in the table of games, from 0; for reviews, the index of the review.",
);
/// `game_id`.
pub static GAME_ID: Column = Column::new(
    "game_id",
    Int64,
    "Number of the game, the same in all shards and threads: the index of its file × 2⁴⁸ + `byte_offset`.",
);
/// `result`.
pub static RESULT: Column = Column::new(
    "result",
    Float64,
    "The game's result: 1 White won, 0.5 drawn, 0 Black won.",
)
.unit("points")
.view(View::White)
.null("the game has no result");

// Columns of plies.

/// `ply`.
pub static PLY: Column = Column::new(
    "ply",
    Int16,
    "Number of the half-move in its game, from 1; at most 32,767.",
)
.json();
/// `move_number`.
pub static MOVE_NUMBER: Column =
    Column::new("move_number", Int16, "The number printed before the move.").json();
/// `mover`.
pub static MOVER: Column =
    Column::new("mover", Dictionary8, "Who moves: `white` or `black`.").json();
/// `san`.
pub static SAN: Column = Column::new(
    "san",
    Dictionary32,
    "The move in SAN without check marks (JSON has them). Without a review, as the file writes it.",
)
.json();
/// `uci`.
pub static UCI: Column = Column::new("uci", Dictionary32, "The move in UCI notation.").json();
/// `material_before`.
pub static MATERIAL_BEFORE: Column = Column::new(
    "material_before",
    Int16,
    "Material of both sides before the move (9-5-3-3-1): 78 at the start.",
)
.unit("pawns");
/// `material`.
pub static MATERIAL: Column = Column::new(
    "material",
    Int16,
    "Material of both sides after the move (9-5-3-3-1).",
)
.unit("pawns");
/// `eval_before_cp`.
pub static EVAL_BEFORE_CP: Column = Column::new(
    "eval_before_cp",
    Int32,
    "Evaluation of the position before the move; in reviews that of the best move.",
)
.unit("centipawns")
.view(View::White)
.null(NO_EVAL)
.json_at("eval_before.cp");
/// `eval_before_mate`.
pub static EVAL_BEFORE_MATE: Column = Column::new(
    "eval_before_mate",
    Int16,
    "The same as moves to mate; negative if Black mates.",
)
.unit("moves")
.view(View::White)
.null(NO_MATE)
.json_at("eval_before.mate");
/// `eval_cp`.
pub static EVAL_CP: Column = Column::new(
    "eval_cp",
    Int32,
    "Evaluation of the position after the move.",
)
.unit("centipawns")
.view(View::White)
.null(NO_EVAL)
.json_at("eval.cp");
/// `eval_mate`.
pub static EVAL_MATE: Column = Column::new(
    "eval_mate",
    Int16,
    "The same as moves to mate; negative if Black mates. 1 or -1 if the move has mated (export, scan).",
)
.unit("moves")
.view(View::White)
.null(NO_MATE)
.json_at("eval.mate");
/// `depth`.
pub static DEPTH: Column = Column::new(
    "depth",
    Int16,
    "Depth of the search for the evaluation; in reviews, of the best line before the move.",
)
.unit("plies")
.null("unknown");
/// `p_before_win`.
pub static P_BEFORE_WIN: Column = Column::new(
    "p_before_win",
    Float64,
    "Probability that White wins, as the engine reports it before the move.",
)
.view(View::White)
.null(NO_WDL);
/// `p_before_draw`.
pub static P_BEFORE_DRAW: Column =
    Column::new("p_before_draw", Float64, "The same for a draw.").null(NO_WDL);
/// `p_before_loss`.
pub static P_BEFORE_LOSS: Column =
    Column::new("p_before_loss", Float64, "The same for a loss of White.")
        .view(View::White)
        .null(NO_WDL);
/// `p_win`.
pub static P_WIN: Column = Column::new(
    "p_win",
    Float64,
    "Probability that White wins after the move: as the file gives it; in reviews by the curve, if it is a win/draw/loss model, \
     for the evaluation of the played move with the material and ply before it.",
)
.view(View::White)
.null(NO_WDL)
.json_at("wdl.win");
/// `p_draw`.
pub static P_DRAW: Column = Column::new("p_draw", Float64, "The same for a draw.")
    .null(NO_WDL)
    .json_at("wdl.draw");
/// `p_loss`.
pub static P_LOSS: Column = Column::new("p_loss", Float64, "The same for a loss of White.")
    .view(View::White)
    .null(NO_WDL)
    .json_at("wdl.loss");
/// `time_seconds`.
pub static TIME_SECONDS: Column = Column::new(
    "time_seconds",
    Float64,
    "Time that the mover spent on the move. Export and scan: as the comment gives it; reviews: also from clocks and increment.",
)
    .unit("seconds")
    .null("unknown")
    .json();
/// `clock_seconds`.
pub static CLOCK_SECONDS: Column = Column::new(
    "clock_seconds",
    Float64,
    "Time on the mover's clock after the move.",
)
.unit("seconds")
.null("unknown")
.json();
/// `fen`.
pub static FEN: Column = Column::new("fen", Text, "The position before the move, as FEN.").json();
/// `comment`.
pub static COMMENT: Column = Column::new(
    "comment",
    Text,
    "The comments behind the move as they are written, with `[%eval …]` and the like; several are joined by line breaks.",
)
.null("the move has no comment");

// Columns of judged plies.

/// `eval_played_cp`.
pub(super) static EVAL_PLAYED_CP: Column = Column::new(
    "eval_played_cp",
    Int32,
    "Evaluation of the played move by the search of the position before it.",
)
.unit("centipawns")
.view(View::White)
.null(NO_EVAL)
.json_at("eval_played.cp");
/// `eval_played_mate`.
pub(super) static EVAL_PLAYED_MATE: Column = Column::new(
    "eval_played_mate",
    Int16,
    "The same as moves to mate; negative if Black mates.",
)
.unit("moves")
.view(View::White)
.null(NO_MATE)
.json_at("eval_played.mate");
/// `best_san`.
pub(super) static BEST_SAN: Column = Column::new(
    "best_san",
    Dictionary32,
    "The best move in SAN, without check marks.",
)
.null("the evaluations come from a game that names no better move");
/// `expected_score_best`.
pub(super) static EXPECTED_SCORE_BEST: Column = Column::new(
    "expected_score_best",
    Float64,
    "Expected score of the best move, by the review's curve with the material and ply before it: 0 to 1.",
)
.unit("points")
.view(View::White)
.json();
/// `expected_score`.
pub(super) static EXPECTED_SCORE: Column = Column::new(
    "expected_score",
    Float64,
    "Expected score of the played move, by the review's curve with the material and ply before it: 0 to 1.",
)
.unit("points")
.view(View::White)
.json();
/// `score_loss`.
pub(super) static SCORE_LOSS: Column = Column::new(
    "score_loss",
    Float64,
    "Expected score lost by the move: 0 to 1.",
)
.unit("points")
.view(View::Mover)
.json();
/// `relevant_loss`.
pub(super) static RELEVANT_LOSS: Column = Column::new(
    "relevant_loss",
    Float64,
    "The same in pawns: the whole scale is 2/ln 2 times the curve's win-draw balance.",
)
.unit("pawns")
.view(View::Mover)
.json();
/// `absolute_loss`.
pub(super) static ABSOLUTE_LOSS: Column = Column::new(
    "absolute_loss",
    Float64,
    "Pawns between the best and the played move.",
)
.unit("pawns")
.view(View::Mover)
.null("either evaluation is a mate")
.json();
/// `difference`.
pub(super) static DIFFERENCE: Column = Column::new(
    "difference",
    Float64,
    "What the symbol measures: expected score of the move minus that of the best other move: −1 to 1.",
)
.unit("points")
.view(View::Mover);
/// `accuracy`.
pub(super) static ACCURACY: Column = Column::new(
    "accuracy",
    Float64,
    "Accuracy of the move in Lichess' sense: 0 to 100.",
)
.unit("per cent")
.view(View::Mover)
.json();
/// `symbol`.
pub(super) static SYMBOL: Column =
    Column::new("symbol", Dictionary8, "Symbol of the move: `!!` to `??`.")
        .null("the move has none")
        .json();
/// `nag`.
pub static NAG: Column = Column::new(
    "nag",
    Int16,
    "Number of the move's first symbol ($1 is `!`).",
)
.null("the move has none")
.json();
/// `only_move`.
pub(super) static ONLY_MOVE: Column = Column::new(
    "only_move",
    Boolean,
    "Whether it is the only move that keeps the win or the draw (`□`).",
)
.json();
/// `position`.
pub static POSITION: Column = Column::new(
    "position",
    Dictionary8,
    "Symbol of the position after the move: `+/=`.",
)
.view(View::White)
.json();
/// `remark`.
pub(super) static REMARK: Column = Column::new(
    "remark",
    Text,
    "The remark on the move, in the review's language.",
)
.null("the move has none")
.json();
/// `reason_kind`.
pub(super) static REASON_KIND: Column = Column::new(
    "reason_kind",
    Dictionary8,
    "Why the move is a mistake: `allows` (the opponent gains) or `misses` (the mover could have gained). In JSON `reason.kind`.",
)
.null(NO_REASON);
/// `reason_motif`.
pub(super) static REASON_MOTIF: Column = Column::new(
    "reason_motif",
    Dictionary8,
    "The motif, such as `fork` or `hanging piece`. In JSON `reason.motif`.",
)
.null("no reason is proven, or no motif causes the gain");
/// `reason_text`.
pub(super) static REASON_TEXT: Column = Column::new(
    "reason_text",
    Text,
    "The reason in a sentence, in the review's language. In JSON `reason.text`.",
)
.null(NO_REASON);
/// `phase`.
pub(super) static PHASE: Column = Column::new(
    "phase",
    Dictionary8,
    "Phase of the game: `opening`, `middlegame` or `endgame`.",
)
.json();

// Columns of games.

/// `source`.
pub static SOURCE: Column = Column::new("source", Dictionary32, "The file of the game.");
/// `byte_offset`.
pub static BYTE_OFFSET: Column = Column::new(
    "byte_offset",
    Int64,
    "Where the game begins in the decompressed text of its file.",
)
.unit("bytes");
/// `white_name`.
pub static WHITE_NAME: Column = Column::new("white_name", Text, "Name of White.").null(NO_TAG);
/// `black_name`.
pub static BLACK_NAME: Column = Column::new("black_name", Text, "Name of Black.").null(NO_TAG);
/// `white_elo`.
pub static WHITE_ELO: Column =
    Column::new("white_elo", Int16, "Rating of White: 100 to 5000.").null(NO_TAG);
/// `black_elo`.
pub static BLACK_ELO: Column =
    Column::new("black_elo", Int16, "Rating of Black: 100 to 5000.").null(NO_TAG);
/// `event`.
pub static EVENT: Column = Column::new("event", Dictionary32, "The event.").null(NO_TAG);
/// `site`.
pub static SITE: Column =
    Column::new("site", Text, "The place, or the address of the game.").null(NO_TAG);
/// `date`.
pub static DATE: Column =
    Column::new("date", Date, "The day.").null("the game does not give the whole date");
/// `year`.
pub static YEAR: Column = Column::new(
    "year",
    Int16,
    "The year, also where month or day are missing.",
)
.null(NO_TAG);
/// `eco`.
pub static ECO: Column = Column::new("eco", Dictionary32, "Code of the opening.").null(NO_TAG);
/// `time_control`.
pub static TIME_CONTROL: Column = Column::new(
    "time_control",
    Dictionary32,
    "The time control, as the tag has it.",
)
.null(NO_TAG);
/// `termination`.
pub static TERMINATION: Column =
    Column::new("termination", Dictionary32, "How the game ended.").null(NO_TAG);
/// `variant`.
pub static VARIANT: Column = Column::new("variant", Dictionary32, "The variant.").null(NO_TAG);
/// `start_fen`.
pub static START_FEN: Column = Column::new("start_fen", Text, "The position of the start, as FEN.")
    .null("the game has no tag `FEN`");
/// `plies`.
pub static PLIES: Column = Column::new("plies", Int32, "Number of half-moves.");
/// `dialect`.
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

/// An evaluation as the two columns of centipawns and of moves to mate.
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

/// The evaluation after a move of `mover` as tables have it: a mate on the board, which files write
/// as `#0`, is a mate in 1 of the mover, since 0 has no sign.
pub fn eval_after(eval: Eval<White>, mover: Color) -> Eval<White> {
    if eval == Eval::mate(0) {
        Eval::mate(mover.fold_wb(1, -1))
    } else {
        eval
    }
}

/// White's points: 1, ½ or 0; `None` without a result.
pub fn result(outcome: Outcome) -> Option<f64> {
    match outcome {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(1.0, 0.0)),
        Outcome::Known(KnownOutcome::Draw) => Some(0.5),
        Outcome::Unknown => None,
    }
}

/// The value of a column of 16 bits; larger numbers become the largest one.
pub fn small(number: usize) -> i32 {
    i32::from(i16::try_from(number).unwrap_or(i16::MAX))
}
