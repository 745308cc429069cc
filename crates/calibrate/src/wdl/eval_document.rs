//! The value of an evaluation under a model: a document, and the same in words.

use centipawn_core::{Argument, Context, Eval, Mover, Wdl, WdlModel};
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

    /// The value for people, in sentences; `model` is the one that gave it.
    pub fn text(&self, model: &WdlModel) -> String {
        let Self { eval, material, number, wdl, .. } = *self;
        let context = Context { material, ply: 2 * number.saturating_sub(1) };
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let (place, known) = match model.argument {
            Argument::Material => (format!("with {material} points of material on the board"), f64::from(material)),
            Argument::Move => (format!("at move {number}"), f64::from(number)),
            Argument::Ply => (format!("at move {number}"), f64::from(context.ply)),
        };
        let mut text = format!(
            "At {} {place} the side to move wins {}, draws {}, loses {}:\nit scores {:.3} points a game.\n",
            Eval::<Mover>::cp((100.0 * eval).round() as i32),
            percent(wdl.win),
            percent(wdl.draw),
            percent(wdl.loss),
            self.expected_score,
        );
        let drawn = percent(model.wdl(0.0, context).draw);
        text += &format!("Half of the games are won at {:+.2}; at 0.00 {drawn} are drawn.\n", self.balance);
        let [low, high] = model.range;
        if !(low..=high).contains(&known) {
            text += &format!("The model covers {low} to {high} and uses {known} for {}.\n", known.clamp(low, high));
        }
        text
    }
}
