//! The probabilities that a model gives for one evaluation, as a document.

use centipawn_core::{Context, Wdl, WdlModel};
use serde::Serialize;

use super::{PredictionErrors, Predictor};

/// What a model predicts for an evaluation: `wdl show --json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EvalDocument {
    /// The evaluation in pawns, from the side to move.
    pub eval: f64,
    /// Material of both sides (queen 9, rook 5, minor piece 3, pawn 1).
    pub material: u32,
    /// The full-move number.
    #[serde(rename = "move")]
    pub number: u32,
    /// Probabilities of win, draw and loss for the side to move, each 0..=1.
    pub wdl: Wdl,
    /// Expected score of the side to move: win + draw/2, 0..=1.
    pub expected_score: f64,
    /// The evaluation at which the side to move wins half of the games, in pawns.
    pub balance: f64,
    /// The model's `a` at this material or move, in internal units.
    pub a: f64,
    /// The model's `b` at this material or move, in internal units.
    pub b: f64,
    /// Standard errors of these numbers; `None` if only the constants of the model are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<EvalErrors>,
}

/// Standard errors of an [`EvalDocument`], from resampled games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EvalErrors {
    /// Number of resamples.
    pub resamples: usize,
    /// Errors of win, draw, loss, expected score, `a` and `b`.
    #[serde(flatten)]
    pub of: PredictionErrors,
}

impl EvalDocument {
    /// Computes the document for an evaluation in pawns, with this material, at this full move
    /// (from 1). `predictor` holds the model's errors, if they are known.
    pub fn new(
        model: &WdlModel,
        predictor: Option<&Predictor>,
        eval: f64,
        material: u32,
        number: u32,
    ) -> Self {
        let context = Context {
            material,
            ply: 2 * number.saturating_sub(1),
        };
        let wdl = model.wdl(eval, context);
        let (a, b) = model.parameters(context);
        let (expected_score, balance) = (wdl.expected_score(), model.balance(context));
        let errors = predictor.and_then(|predictor| {
            let of = predictor.predict(eval, context).errors?;
            Some(EvalErrors {
                resamples: predictor.draws(),
                of,
            })
        });
        Self {
            eval,
            material,
            number,
            wdl,
            expected_score,
            balance,
            a,
            b,
            errors,
        }
    }
}
