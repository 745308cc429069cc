//! The record of a judged move: one document and one row of a table.
//!
//! A [`JudgedMove`] has the numbers; [`PlyDocument`] is its JSON, whose schema the page's types are
//! made from; [`JUDGED_PLIES`] are its columns, in Parquet, in Arrow and in Python. A number has
//! one name in all of them.

use std::borrow::Cow;

use centipawn_core::{Curve, Eval, History, MoveSymbol, Wdl, White};
use centipawn_engine::{Limit, Line};
use centipawn_judge::{JudgeOptions, JudgedMove, LINE_PLIES, Phase, shown_line};
use centipawn_pgn::Board;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, Outcome, Position as _, san::SanPlus};

use super::{
    OddsDocument,
    columns::{
        ABSOLUTE_LOSS, ACCURACY, BEST_SAN, BLAME_PROBABILITY, CLOCK_SECONDS, Column, DEPTH,
        DIFFERENCE, EVAL_BEFORE_CP, EVAL_BEFORE_MATE, EVAL_CP, EVAL_MATE, EVAL_PLAYED_CP,
        EVAL_PLAYED_MATE, EXPECTED_SCORE, EXPECTED_SCORE_BEST, FEN, MATERIAL, MATERIAL_BEFORE,
        MOVE_NUMBER, MOVER, NAG, ONLY_MOVE, P_BEFORE_DRAW, P_BEFORE_LOSS, P_BEFORE_WIN, P_DRAW,
        P_LOSS, P_WIN, PHASE, PLY, POSITION, REASON_KIND, REASON_MOTIF, REASON_TEXT, RELEVANT_LOSS,
        REMARK, RESULT, SAN, SCORE_LOSS, SYMBOL, SYMBOL_PROBABILITY, TIME_SECONDS, UCI, eval_after,
        eval_columns, result, small,
    },
    ease::EaseDocument,
    reason::ReasonDocument,
};
use crate::Language;

/// A move with its judgement. Evaluations, expected scores and probabilities are White's, losses
/// the mover's.
///
/// Keys are the names of columns in tables of plies (`docs/columns.md`): an evaluation is an object
/// with `cp` or `mate`, which tables have in two columns; `wdl` is an object of three
/// probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlyDocument {
    /// Number of the half-move, from 1.
    pub ply: usize,
    /// The number printed before the move.
    pub move_number: u32,
    /// `white` or `black`.
    #[schema(value_type = crate::openapi::Color)]
    pub mover: String,
    /// The move in SAN.
    pub san: String,
    /// The move in UCI notation.
    pub uci: String,
    /// FEN of the position before the move.
    pub fen: String,
    /// Evaluation of the position reached; `None` after checkmate.
    #[schema(value_type = Option<centipawn_core::Score>)]
    pub eval: Option<Eval<White>>,
    /// Evaluation of the position reached by a separate search; missing unless the next move's
    /// remark begins with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<centipawn_core::Score>)]
    pub eval_deeper: Option<Eval<White>>,
    /// Evaluation of the played move, by the search of the position before it.
    #[schema(value_type = centipawn_core::Score)]
    pub eval_played: Eval<White>,
    /// Evaluation of the position before the move: that of the best move.
    #[schema(value_type = centipawn_core::Score)]
    pub eval_before: Eval<White>,
    /// Expected score after the move, 0..=1.
    pub expected_score: f64,
    /// Expected score after the best move, 0..=1.
    pub expected_score_best: f64,
    /// White's odds after the move between these two players: by the evaluation, their ratings and
    /// clocks. Missing if the review uses no human curve, or the game has neither ratings nor a
    /// time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub odds: Option<OddsDocument>,
    /// White's win, draw and loss after the move; `None` unless the curve is a win/draw/loss model.
    pub wdl: Option<Wdl>,
    /// Pawns given away; `None` if either move's evaluation is a mate.
    pub absolute_loss: Option<f64>,
    /// Pawns at equality given away.
    pub relevant_loss: f64,
    /// Expected score lost by the move, 0..=1.
    pub score_loss: f64,
    /// Accuracy in Lichess' sense, per cent.
    pub accuracy: f64,
    /// `!!` to `??`; `None` for most moves.
    pub symbol: Option<String>,
    /// The symbol's NAG.
    pub nag: Option<u8>,
    /// Probability, 0..=1, that a search of four million nodes gives the same symbol, or no blame
    /// without one; missing if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub symbol_probability: Option<f64>,
    /// Probability, 0..=1, that such a search gives a symbol of blame; missing if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub blame_probability: Option<f64>,
    /// A symbol that was suppressed, and why.
    pub suppressed: Option<SuppressedDocument>,
    /// Whether it is the only move that keeps the win or holds (`□`).
    pub only_move: bool,
    /// The remark on a move with a symbol, or on a short mate in a lost position, in the review's
    /// language.
    pub remark: Option<String>,
    /// The numbers behind the remark, in the review's language: `+2.40 → +0.30; White's expected
    /// score 0.89 → 0.55`; missing without a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub remark_numbers: Option<String>,
    /// How hard a good move was to find, in the review's language; missing except at the hardest
    /// moments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hardness: Option<String>,
    /// The phase of the game.
    pub phase: Phase,
    /// Time left on the mover's clock after the move, if the game states it.
    pub clock_seconds: Option<f64>,
    /// Time that the mover spent on it, if known.
    pub time_seconds: Option<f64>,
    /// Symbol of the position reached: `+/=`.
    pub position: String,
    /// That symbol's NAG.
    pub position_nag: u8,
    /// How hard it was to find a good move, for each network; missing without ease.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ease: Vec<EaseDocument>,
    /// The limit of the searches behind the evaluations, if the review has two passes; see `quick`
    /// of the recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    pub limit: Option<Limit>,
    /// Why the move is a mistake; missing where the lines show no reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<ReasonDocument>,
    /// What to play instead of a move with `?!`, `?` or `??`: the analyst's best line, else the
    /// line that the game gives as better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub better: Option<BetterDocument>,
    /// The analyst's lines, best first; empty if the evaluations come from the game.
    pub lines: Vec<LineDocument>,
}

/// Better moves, cut to ten half-moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct BetterDocument {
    /// The moves in SAN.
    pub san: Vec<String>,
    /// The moves in UCI notation.
    pub uci: Vec<String>,
}

/// A symbol that was suppressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct SuppressedDocument {
    /// `!!`, `!`, `!?` or `?!`.
    pub symbol: String,
    /// `recapture`, `just moved`, `wins material`, `answers check`, `two moves`, `mates`, `mates by
    /// capture`, `mate continues`, `repeats`, `not listed`, `theory`, `natural` or `not
    /// interesting`.
    pub reason: String,
    /// The reason in the review's language: `most players find it`.
    #[serde(default)]
    #[schema(required = true)]
    pub text: String,
}

/// A line of the analyst, cut to ten half-moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct LineDocument {
    /// Evaluation of its first move.
    #[schema(value_type = centipawn_core::Score)]
    pub eval: Eval<White>,
    /// Plies searched.
    pub depth: u32,
    /// The moves in SAN.
    pub san: Vec<String>,
    /// The moves in UCI notation.
    pub uci: Vec<String>,
}

impl PlyDocument {
    /// Creates the document of the move with this index, judged by this curve with these options.
    /// What depends on the other moves is missing: the odds, and how hard the hardest moments were.
    pub fn new(
        index: usize,
        ply: &JudgedMove,
        curve: &Curve,
        options: &JudgeOptions,
        language: Language,
    ) -> Self {
        Self {
            ply: index + 1,
            move_number: ply.move_number,
            mover: ply.mover.to_string(),
            san: ply.san.clone(),
            uci: ply.before.uci(ply.mv).to_string(),
            fen: ply.before.fen(),
            eval: ply.eval,
            eval_deeper: ply.eval_deeper,
            eval_played: ply.eval_played,
            eval_before: ply.eval_before,
            expected_score: ply.expected_score,
            expected_score_best: ply.expected_score_best,
            odds: None,
            wdl: ply.wdl(curve),
            absolute_loss: ply.absolute_loss,
            relevant_loss: ply.relevant_loss,
            score_loss: ply.score_loss,
            accuracy: ply.accuracy,
            symbol: ply.symbol.map(|symbol| symbol.glyph().to_owned()),
            nag: ply.symbol.map(MoveSymbol::nag),
            symbol_probability: ply.certainty.map(|certainty| certainty.symbol),
            blame_probability: ply.certainty.map(|certainty| certainty.blame),
            suppressed: ply.suppressed.map(|(symbol, reason)| SuppressedDocument {
                symbol: symbol.glyph().to_owned(),
                reason: reason.name().to_owned(),
                text: language.suppression(reason).to_owned(),
            }),
            only_move: ply.only_move,
            remark: ply.has_remark().then(|| language.remark(ply)),
            remark_numbers: ply.has_remark().then(|| language.remark_numbers(ply)),
            hardness: None,
            phase: ply.phase,
            clock_seconds: ply.clock.map(|clock| clock.as_secs_f64()),
            time_seconds: ply.time.map(|time| time.as_secs_f64()),
            position: ply.position.ascii().to_owned(),
            position_nag: ply.position.nag(),
            ease: ply
                .ease
                .iter()
                .map(|judged| EaseDocument::new(&ply.before, judged))
                .collect(),
            limit: ply
                .limit
                .filter(|limit| options.quick.is_some() || *limit != options.limit),
            reason: language.reason_document(ply, index),
            better: better_document(ply),
            lines: line_documents(&ply.before, &ply.lines),
        }
    }

    /// Returns the move with its number: `12. Nf3`, `12... Nf6`.
    pub fn numbered(&self, language: Language) -> String {
        language.line(
            self.move_number,
            self.mover == "white",
            std::slice::from_ref(&self.san),
        )
    }

    /// Returns the better line with move numbers: `12. Nf3 Nf6 13. O-O`.
    pub fn better_line(&self, language: Language) -> Option<String> {
        let better = self.better.as_ref()?;
        Some(language.line(self.move_number, self.mover == "white", &better.san))
    }
}

/// Returns the moves to play instead of a mistake.
pub(crate) fn better_document(ply: &JudgedMove) -> Option<BetterDocument> {
    let line = ply
        .better()
        .filter(|line| line[0] != ply.mv && ply.is_blamed())?;
    let (san, uci) = notations(&ply.before, shown_line(&ply.before, line));
    Some(BetterDocument { san, uci })
}

/// Returns an analyst's lines in a position as documents, cut to ten half-moves.
pub fn line_documents(before: &History, lines: &[Line]) -> Vec<LineDocument> {
    let document = |line: &Line| {
        let (san, uci) = notations(before, &line.pv);
        LineDocument {
            eval: line.eval.for_white(before.turn()),
            depth: line.depth,
            san,
            uci,
        }
    };
    lines.iter().map(document).collect()
}

/// Moves in SAN and in UCI notation, cut to ten half-moves.
fn notations(before: &History, moves: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut position = before.position().clone();
    let moves = &moves[..moves.len().min(LINE_PLIES)];
    let uci = moves.iter().map(|&mv| before.uci(mv).to_string()).collect();
    let san = |&mv: &Move| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
    (moves.iter().map(san).collect(), uci)
}

/// The value of a column for one move.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Of columns with whole numbers.
    Int(Option<i32>),
    /// Values of columns with floating-point numbers.
    Double(Option<f64>),
    /// Of columns with truth values.
    Bool(bool),
    /// Of columns with texts.
    Text(Option<Cow<'a, str>>),
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        Self::Int(Some(small(number)))
    }
}

impl From<Option<i32>> for Cell<'_> {
    fn from(number: Option<i32>) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Self::Double(Some(number))
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(number: Option<f64>) -> Self {
        Self::Double(number)
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl<'a> From<Option<&'a String>> for Cell<'a> {
    fn from(text: Option<&'a String>) -> Self {
        Self::Text(text.map(Into::into))
    }
}

impl From<Option<String>> for Cell<'_> {
    fn from(text: Option<String>) -> Self {
        Self::Text(text.map(Into::into))
    }
}

/// A judged move as a row of a table.
pub struct PlyRow<'a> {
    ply: &'a JudgedMove,
    document: &'a PlyDocument,
    /// The result of the game.
    result: Outcome,
    /// Material of both sides before and after the move, in pawns.
    material: [u32; 2],
    /// The engine's own probabilities before the move, White's view.
    reported: Option<Wdl>,
}

impl<'a> PlyRow<'a> {
    /// Creates the row of a move and its document; `result` is that of the game.
    pub fn new(ply: &'a JudgedMove, document: &'a PlyDocument, result: Outcome) -> Self {
        let position = ply.before.position();
        let mut after = position.clone();
        after.play_unchecked(ply.mv);
        let reported = ply.lines.first().and_then(|line| line.wdl);
        Self {
            ply,
            document,
            result,
            material: [position, &after].map(|position| Board::from(position).material().total()),
            reported: reported.map(|wdl| {
                if ply.mover == Color::White {
                    wdl
                } else {
                    wdl.for_opponent()
                }
            }),
        }
    }

    /// Returns the best move in SAN without check marks: the analyst's, else the game's own.
    fn best_san(&self) -> Option<String> {
        let best = self.ply.lines.first().map(Line::first_move).or(self
            .ply
            .own_line
            .first()
            .copied())?;
        Some(
            SanPlus::from_move(self.ply.before.position().clone(), best)
                .san
                .to_string(),
        )
    }
}

/// Returns an evaluation in centipawns; `None` for a mate.
fn cp(eval: Option<Eval<White>>) -> Option<i32> {
    eval_columns(eval).0
}

/// Returns an evaluation as moves to mate; `None` if it is none.
fn mate(eval: Option<Eval<White>>) -> Option<i32> {
    eval_columns(eval).1.map(i32::from)
}

/// Declares the columns of a judged move, each with its value.
macro_rules! judged_plies {
    (|$row:ident| $($column:ident: $value:expr;)*) => {
        /// Judged plies of reviews. In Parquet [`GAME_ID`](super::columns::GAME_ID) stands before
        /// them, in Python's table of several reviews [`GAME`](super::columns::GAME).
        pub static JUDGED_PLIES: [&Column; [$(stringify!($column)),*].len()] = [$(&$column),*];

        impl PlyRow<'_> {
            /// Calls `each` with the columns of [`JUDGED_PLIES`] and their values, in this order.
            pub fn cells(&self, mut each: impl FnMut(&'static Column, Cell<'_>)) {
                let $row = self;
                $(each(&$column, Cell::from($value));)*
            }
        }
    };
}

judged_plies! { |row|
    PLY: row.document.ply;
    MOVE_NUMBER: row.ply.move_number as usize;
    MOVER: &row.document.mover;
    SAN: row.ply.san.trim_end_matches(['+', '#']);
    UCI: &row.document.uci;
    MATERIAL_BEFORE: row.material[0] as usize;
    MATERIAL: row.material[1] as usize;
    EVAL_BEFORE_CP: cp(Some(row.document.eval_before));
    EVAL_BEFORE_MATE: mate(Some(row.document.eval_before));
    EVAL_CP: cp(row.document.eval.map(|eval| eval_after(eval, row.ply.mover)));
    EVAL_MATE: mate(row.document.eval.map(|eval| eval_after(eval, row.ply.mover)));
    DEPTH: row.ply.lines.first().map(|line| small(line.depth as usize));
    P_BEFORE_WIN: row.reported.map(|wdl| wdl.win);
    P_BEFORE_DRAW: row.reported.map(|wdl| wdl.draw);
    P_BEFORE_LOSS: row.reported.map(|wdl| wdl.loss);
    P_WIN: row.document.wdl.map(|wdl| wdl.win);
    P_DRAW: row.document.wdl.map(|wdl| wdl.draw);
    P_LOSS: row.document.wdl.map(|wdl| wdl.loss);
    TIME_SECONDS: row.document.time_seconds;
    CLOCK_SECONDS: row.document.clock_seconds;
    RESULT: result(row.result);
    EVAL_PLAYED_CP: cp(Some(row.document.eval_played));
    EVAL_PLAYED_MATE: mate(Some(row.document.eval_played));
    BEST_SAN: row.best_san();
    EXPECTED_SCORE_BEST: row.document.expected_score_best;
    EXPECTED_SCORE: row.document.expected_score;
    SCORE_LOSS: row.document.score_loss;
    RELEVANT_LOSS: row.document.relevant_loss;
    ABSOLUTE_LOSS: row.document.absolute_loss;
    DIFFERENCE: row.ply.difference;
    ACCURACY: row.document.accuracy;
    SYMBOL: row.document.symbol.as_ref();
    NAG: row.document.nag.map(i32::from);
    SYMBOL_PROBABILITY: row.document.symbol_probability;
    BLAME_PROBABILITY: row.document.blame_probability;
    ONLY_MOVE: row.document.only_move;
    POSITION: &row.document.position;
    REMARK: row.document.remark.as_ref();
    REASON_KIND: row.document.reason.as_ref().map(|reason| &reason.kind);
    REASON_MOTIF: row.document.reason.as_ref().and_then(|reason| reason.motif.as_ref());
    REASON_TEXT: row.document.reason.as_ref().map(|reason| &reason.text);
    PHASE: row.document.phase.name();
    FEN: &row.document.fen;
}
