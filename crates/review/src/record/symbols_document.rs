//! A [`SymbolsForm`](crate::SymbolsForm) as JSON.

use centipawn_core::{ByCurve, MoveScheme, MoveSymbol, PositionScheme};
use serde::{Deserialize, Serialize};

use crate::FormEval;

/// All numbers of a [`SymbolsForm`](crate::SymbolsForm). Evaluations and expected scores are
/// White's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct SymbolsDocument {
    /// Who moved: `white` or `black`.
    #[schema(value_type = crate::openapi::Color)]
    pub side: String,
    /// The curve, in words.
    pub curve: String,
    /// Its win-draw balance in pawns.
    pub balance: f64,
    /// Evaluation of the move that was played.
    pub played: FormEval,
    /// Evaluation of the best move.
    pub best: FormEval,
    /// Evaluation of the second-best move, if given.
    pub second: Option<FormEval>,
    /// Pawns between the played move and the one it is compared with; `None` if either is a mate.
    pub absolute: Option<f64>,
    /// Pawns at equality between them.
    pub relevant: f64,
    /// Expected scores by the curve.
    pub result: FormScores,
    /// Expected scores by every curve.
    pub curves: FormCurves,
    /// The move's symbol, empty for none.
    #[serde(rename = "move")]
    pub moves: ByMoveScheme<String>,
    /// The symbol of the position after the played move, in ASCII.
    pub position: ByPositionScheme<String>,
    /// Their numbers in PGN.
    pub nag: FormNags,
    /// Evaluations from which symbols apply, in pawns.
    pub limits: FormLimits,
}

/// Expected scores, 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct FormScores {
    /// Expected score of the move that was played.
    pub played: f64,
    /// Expected score of the best move.
    pub best: f64,
    /// Expected score of the second-best move, if given.
    pub second: Option<f64>,
}

/// Expected scores by every curve, 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct FormCurves {
    /// Expected score of the move that was played.
    pub played: ByCurve,
    /// Expected score of the best move.
    pub best: ByCurve,
    /// Expected score of the second-best move, if given.
    pub second: Option<ByCurve>,
}

/// NAGs of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct FormNags {
    /// NAG of the move's symbol; `None` without one.
    #[serde(rename = "move")]
    pub moves: ByMoveScheme<Option<u8>>,
    /// NAG of the position's symbol.
    pub position: ByPositionScheme<u8>,
}

/// Evaluations from which symbols apply, in pawns, White's view; `None` where no evaluation is
/// enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct FormLimits {
    /// For moves.
    #[serde(rename = "move")]
    pub moves: ByMoveScheme<ByMoveSymbol<Option<f64>>>,
    /// For positions: `⩲`, `±`, `+−`, `++−` (`s7` ends with `+−`).
    pub position: ByPositionScheme<Vec<Option<f64>>>,
}

/// A value for each [`MoveScheme`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ByMoveScheme<T> {
    /// [`MoveScheme::S7`]
    pub s7: T,
    /// [`MoveScheme::S8`]
    pub s8: T,
    /// [`MoveScheme::S20`]
    pub s20: T,
    /// [`MoveScheme::S12`]
    pub s12: T,
}

impl<T> ByMoveScheme<T> {
    pub(crate) fn new(value: impl Fn(MoveScheme) -> T) -> Self {
        let [s7, s8, s20, s12] = MoveScheme::ALL.map(value);
        Self { s7, s8, s20, s12 }
    }
}

/// A value for each [`PositionScheme`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ByPositionScheme<T> {
    /// [`PositionScheme::S40`]
    pub s40: T,
    /// [`PositionScheme::S9`]
    pub s9: T,
    /// [`PositionScheme::S7`]
    pub s7: T,
}

impl<T> ByPositionScheme<T> {
    pub(crate) fn new(value: impl Fn(PositionScheme) -> T) -> Self {
        let [s40, s9, s7] = PositionScheme::ALL.map(value);
        Self { s40, s9, s7 }
    }
}

/// A value for each [`MoveSymbol`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ByMoveSymbol<T> {
    /// `!!`
    #[serde(rename = "!!")]
    pub brilliant: T,
    /// `!`
    #[serde(rename = "!")]
    pub good: T,
    /// `!?`
    #[serde(rename = "!?")]
    pub interesting: T,
    /// `?!`
    #[serde(rename = "?!")]
    pub dubious: T,
    /// `?`
    #[serde(rename = "?")]
    pub mistake: T,
    /// `??`
    #[serde(rename = "??")]
    pub blunder: T,
}

impl<T> ByMoveSymbol<T> {
    pub(crate) fn new(value: impl Fn(MoveSymbol) -> T) -> Self {
        let [brilliant, good, interesting, dubious, mistake, blunder] = MoveSymbol::ALL.map(value);
        Self {
            brilliant,
            good,
            interesting,
            dubious,
            mistake,
            blunder,
        }
    }
}
