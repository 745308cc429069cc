//! The value of an evaluation under a model, as a document.

use centipawn_core::{Context, Wdl, WdlModel};
use serde::Serialize;

/// The value of an evaluation under a model: `wdl show --json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EvalDocument {
    /// The evaluation in pawns, from the side to move.
    pub eval: f64,
    /// Material of both sides.
    pub material: u32,
    /// The full-move number.
    #[serde(rename = "move")]
    pub number: u32,
    /// Probabilities of win, draw and loss, each 0..=1.
    pub wdl: Wdl,
    /// Expected score: win plus half of draw, 0..=1.
    pub expected_score: f64,
    /// The evaluation at which the side to move wins half of the games, in pawns.
    pub balance: f64,
    /// The model's `a` at this material or move.
    pub a: f64,
    /// The model's `b` at this material or move.
    pub b: f64,
}

impl EvalDocument {
    /// For an evaluation in pawns with this material, at this full move (from 1).
    pub fn new(model: &WdlModel, eval: f64, material: u32, number: u32) -> Self {
        let context = Context { material, ply: 2 * number.saturating_sub(1) };
        let wdl = model.wdl(eval, context);
        let (a, b) = model.parameters(context);
        let (expected_score, balance) = (wdl.expected_score(), model.balance(context));
        Self { eval, material, number, wdl, expected_score, balance, a, b }
    }
}
