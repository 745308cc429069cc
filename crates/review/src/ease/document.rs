//! Ease as JSON; names are the specification's.

use centipawn_core::{Eval, History, Mover};
use serde::Serialize;
use shakmaty::san::SanPlus;

use super::Judged;

/// What a position is for one network. Where natural moves are `missing`, ease is not known, but that it is at most so much.
#[derive(Clone, Debug, Serialize)]
pub struct EaseDocument {
    policy: String,
    ease: Option<f64>,
    ease_each: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ease_at_most: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ease_ahead: Option<f64>,
    history_made_up: usize,
    meter: MeterDocument,
    trap: Option<String>,
    moves: Vec<MoveDocument>,
}

#[derive(Clone, Debug, Serialize)]
struct MeterDocument {
    good: f64,
    inaccurate: f64,
    blunder: f64,
    unknown: f64,
}

#[derive(Clone, Debug, Serialize)]
struct MoveDocument {
    uci: String,
    san: String,
    p: f64,
    eval: Eval<Mover>,
    q: f64,
    loss: f64,
    share: f64,
}

impl EaseDocument {
    /// Of a position that was judged.
    pub fn new(before: &History, judged: &Judged) -> Self {
        let centipawn_core::BlunderMeter { good, inaccurate, blunder, unknown } = judged.ease.meter;
        let moves = judged.moves.iter().map(|mv| MoveDocument {
            uci: before.uci(mv.mv).to_string(),
            san: SanPlus::from_move(before.position().clone(), mv.mv).to_string(),
            p: mv.p,
            eval: mv.eval,
            q: mv.q,
            loss: mv.loss,
            share: mv.share,
        });
        let is_exact = judged.is_exact();
        Self {
            policy: judged.policy.clone(),
            ease: is_exact.then_some(judged.ease.sum),
            ease_each: is_exact.then_some(judged.ease.each),
            ease_at_most: (!is_exact).then_some(judged.ease.sum),
            missing: judged.missing.iter().map(|mv| before.uci(*mv).to_string()).collect(),
            ease_ahead: judged.ahead,
            history_made_up: judged.made_up,
            meter: MeterDocument { good, inaccurate, blunder, unknown },
            trap: judged.ease.trap(&judged.candidates).map(|trap| trap.name().to_owned()),
            moves: moves.collect(),
        }
    }
}
