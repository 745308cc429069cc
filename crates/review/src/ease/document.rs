//! Ease as JSON.

use centipawn_core::{BlunderMeter, Eval, History, Mover};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::san::SanPlus;

use super::{JudgedEase, Moment};

/// How easy a position is for the players that one network stands for. Where natural moves are [`missing`](Self::missing), ease
/// has only an upper bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EaseDocument {
    /// The network's name.
    pub policy: String,
    /// By the original formula, 0..=1; `None` where only a bound is known.
    pub ease: Option<f64>,
    /// By the extended formula, at most 1; `None` where only a bound is known.
    pub ease_each: Option<f64>,
    /// The bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ease_at_most: Option<f64>,
    /// Natural moves that nobody evaluated, in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Ease of this move and those to come, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ease_ahead: Option<f64>,
    /// How many of the eight positions that the network looks at were made up, for want of a game.
    pub history_made_up: usize,
    /// Where the probabilities go.
    pub meter: BlunderMeter,
    /// The candidate that lures most, in UCI notation.
    pub trap: Option<String>,
    /// The candidates that were evaluated, the likeliest first.
    pub moves: Vec<EaseMoveDocument>,
}

/// A candidate move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EaseMoveDocument {
    /// In UCI notation.
    pub uci: String,
    /// In SAN.
    pub san: String,
    /// How likely it is played, 0..=1.
    pub p: f64,
    /// Its evaluation, the mover's view.
    pub eval: Eval<Mover>,
    /// Its worth to the side to move, −1..=1.
    pub q: f64,
    /// What it gives away, in expected score, 0..=1.
    pub loss: f64,
    /// Its part of what makes the position hard, 0..=1.
    pub share: f64,
}

/// A position and how easy it is for one network: a line of `centipawn ease --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MomentDocument {
    /// The position.
    pub fen: String,
    /// Where it stands in the input; missing for a position by itself.
    #[serde(flatten)]
    pub place: Option<MomentPlace>,
    /// How much is still to be decided, 0 or more; `None` unless the curve is a win/draw/loss model.
    pub sharpness: Option<f64>,
    /// How easy it is.
    #[serde(flatten)]
    pub ease: EaseDocument,
    /// Where it comes from. The first line of a file stands for all, so that the others stay short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Where in the input a position stands, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MomentPlace {
    /// Which game.
    pub game: u64,
    /// Which half-move of the game.
    pub ply: u64,
    /// The move that was played there, in UCI notation.
    pub played: Option<String>,
}

impl Moment {
    /// A document for each network. `place` is the number of the game and of the half-move, from 1.
    pub fn documents(&self, place: Option<(u64, u64)>) -> Vec<MomentDocument> {
        let place = place.map(|(game, ply)| MomentPlace {
            game,
            ply,
            played: self.played.map(|mv| self.before.uci(mv).to_string()),
        });
        let document = |judged: &JudgedEase| MomentDocument {
            fen: self.before.fen(),
            place: place.clone(),
            sharpness: self.sharpness,
            ease: EaseDocument::new(&self.before, judged),
            provenance: None,
        };
        self.judged.iter().map(document).collect()
    }
}

impl EaseDocument {
    /// Of a position that was judged.
    pub fn new(before: &History, judged: &JudgedEase) -> Self {
        let moves = judged.moves.iter().map(|mv| EaseMoveDocument {
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
            meter: judged.ease.meter,
            trap: judged.ease.trap(&judged.candidates).map(|trap| trap.name().to_owned()),
            moves: moves.collect(),
        }
    }
}
