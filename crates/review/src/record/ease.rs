//! Ease as JSON.

use centipawn_core::{BlunderMeter, Eval, History, Mover};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::Move;

use centipawn_judge::ease::{EaseMove, EaseOutcome, JudgedEase, Moment};

/// How easy a position is for the players of one level. If natural moves are
/// [`missing`](Self::missing), only an upper bound is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct EaseDocument {
    /// The name of the network that imitates them.
    pub policy: String,
    /// Their rating; missing if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub level: Option<u32>,
    /// The rating of the player to move; only where `level` is that player's own, or the nearest
    /// that the network can imitate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub player: Option<u32>,
    /// Ease by the original formula ([`Ease::sum`](centipawn_core::Ease::sum)), 0..=1; `None` if
    /// only a bound is known.
    pub ease: Option<f64>,
    /// Ease by the extended formula ([`Ease::each`](centipawn_core::Ease::each)), at most 1; `None`
    /// if only a bound is known.
    pub ease_each: Option<f64>,
    /// Upper bound of `ease`; missing if ease is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ease_at_most: Option<f64>,
    /// Natural moves without an evaluation, in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Ease of this move and those that follow; missing unless the options look ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ease_ahead: Option<f64>,
    /// How many of the eight positions of the network's input had to be made up.
    pub history_made_up: usize,
    /// Expected score, 0..=1, that players of this rating lose here on average. Where natural moves
    /// are [`missing`](Self::missing), these count as moves without an evaluation.
    pub expected_loss: f64,
    /// Probabilities of good moves, inaccuracies and blunders.
    pub meter: BlunderMeter,
    /// The most tempting mistake: a move with a probability of at least 0.2 that loses at least 0.1
    /// of expected score, in UCI notation.
    pub trap: Option<String>,
    /// The candidates that were evaluated, the likeliest first. Where no move can be wrong, with
    /// one legal move or without mating material, the natural moves, whose evaluations need not be
    /// known.
    pub moves: Vec<EaseMoveDocument>,
}

/// A candidate move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct EaseMoveDocument {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// The probability, 0..=1, that players of this rating play it, given the policy's probability
    /// and what it loses ([`MoveModel`](centipawn_core::MoveModel)).
    pub p: f64,
    /// Its probability by the policy network alone, 0..=1.
    pub p_policy: f64,
    /// Its evaluation, the mover's view; `None` only if no move can be wrong.
    #[schema(value_type = Option<centipawn_core::Score>)]
    pub mover_eval: Option<Eval<Mover>>,
    /// Its worth to the side to move, −1..=1; `None` only if no move can be wrong.
    pub q: Option<f64>,
    /// Expected score that it loses, 0..=1.
    pub score_loss: f64,
    /// Its share in what makes the position hard, 0..=1.
    pub share: f64,
    /// Expected score that it loses in searches to depths 1 and 4, 0..=1, on average; only for
    /// players rated 2300 or more, if an engine searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub early_loss: Option<f64>,
}

/// A position and how easy it is for one network: a line of `centipawn ease --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct MomentDocument {
    /// FEN of the position.
    pub fen: String,
    /// Its place in the input; missing for a single position.
    #[serde(flatten)]
    #[schema(value_type = crate::openapi::MomentPlaceIfAny)]
    pub place: Option<MomentPlace>,
    /// [`sharpness`](centipawn_core::sharpness), 0 or more; `None` unless the curve is a
    /// win/draw/loss model.
    pub sharpness: Option<f64>,
    /// How easy it is.
    #[serde(flatten)]
    pub ease: EaseDocument,
    /// Why the numbers say nothing about people's chances: the networks do not know the first three
    /// moves of each side. Missing for all other positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub note: Option<String>,
    /// The program, options, inputs and engine behind it. Only the first line of a file has it, for
    /// all lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub provenance: Option<Provenance>,
}

/// The place of a position in the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct MomentPlace {
    /// Number of the game, from 1.
    pub game: u64,
    /// Number of the half-move, from 1.
    pub ply: u64,
    /// The move played there, in UCI notation.
    pub played: Option<String>,
}

impl MomentDocument {
    /// Returns the documents of all positions of an outcome, one for each network and level. The
    /// first one takes `provenance`, so that of a run's documents the very first has it.
    pub fn of_outcome(outcome: &EaseOutcome, provenance: &mut Option<Provenance>) -> Vec<Self> {
        let game = outcome.game.as_ref().map(|_| outcome.number);
        let moments = outcome.moments.iter().enumerate();
        moments
            .flat_map(|(ply, moment)| {
                Some(Self::of(
                    moment.as_ref()?,
                    game.map(|game| (game, ply as u64 + 1)),
                ))
            })
            .flatten()
            .map(|document| Self {
                provenance: provenance.take(),
                ..document
            })
            .collect()
    }

    /// Returns one document for each network and level. `place` holds the numbers of the game and
    /// of the half-move, from 1.
    pub fn of(moment: &Moment, place: Option<(u64, u64)>) -> Vec<Self> {
        let place = place.map(|(game, ply)| MomentPlace {
            game,
            ply,
            played: moment.played.map(|mv| moment.before.uci(mv).to_string()),
        });
        let document = |judged: &JudgedEase| Self {
            fen: moment.before.fen(),
            note: moment.note().map(str::to_owned),
            place: place.clone(),
            sharpness: moment.sharpness,
            ease: EaseDocument::new(&moment.before, judged),
            provenance: None,
        };
        moment.judged.iter().map(document).collect()
    }
}

impl EaseDocument {
    /// Creates the document; `before` is the judged position.
    pub fn new(before: &History, judged: &JudgedEase) -> Self {
        let san = |mv| before.san(mv);
        let document = |mv: &EaseMove| EaseMoveDocument {
            uci: before.uci(mv.mv).to_string(),
            san: san(mv.mv),
            p: mv.p,
            p_policy: mv.p_policy,
            mover_eval: Some(mv.eval),
            q: Some(mv.q),
            score_loss: mv.loss,
            share: mv.share,
            early_loss: mv.early_loss,
        };
        let unweighed = |(mv, p): &(Move, f64)| EaseMoveDocument {
            uci: before.uci(*mv).to_string(),
            san: san(*mv),
            p: *p,
            p_policy: *p,
            mover_eval: None,
            q: None,
            score_loss: 0.0,
            share: 0.0,
            early_loss: None,
        };
        let moves: Vec<_> = if judged.moves.is_empty() && judged.is_exact() {
            judged.natural.iter().map(unweighed).collect()
        } else {
            judged.moves.iter().map(document).collect()
        };
        let is_exact = judged.is_exact();
        Self {
            policy: judged.policy.clone(),
            level: judged.level,
            player: judged.player,
            ease: is_exact.then_some(judged.ease.sum),
            ease_each: is_exact.then_some(judged.ease.each),
            ease_at_most: (!is_exact).then_some(judged.ease.sum),
            missing: judged
                .missing
                .iter()
                .map(|mv| before.uci(*mv).to_string())
                .collect(),
            ease_ahead: judged.ahead,
            history_made_up: judged.made_up,
            meter: judged.ease.meter,
            expected_loss: judged.expected_loss,
            trap: judged.trap().map(|trap| before.uci(trap.mv).to_string()),
            moves,
        }
    }
}
