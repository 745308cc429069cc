//! How much players of a rating lose in the positions of a game.

use std::sync::LazyLock;

use centipawn_core::{Context, History};
use serde::Deserialize;
use shakmaty::Color;

use centipawn_judge::{JudgedMove, Judgement, Phase, is_forced, policy, simple_control};

/// Number of features of a move.
const FEATURES: usize = 9;
/// Maximum loss of expected score of a good move.
const GOOD: f64 = 0.02;
/// Lower bound of losses, so that their logarithms stay finite.
const LEAST: f64 = 0.02;
/// Number of positions that the network evaluates together.
const BATCH: usize = 64;
/// A player with a smaller share of the time for the game is short of time.
const SHORT: f64 = 0.1;

/// The properties that make a move hard for players of a rating: the features of the model of the
/// expected loss (docs/how-we-know/archive.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossFeatures {
    /// Index of the move in [`Judgement::plies`].
    pub ply: usize,
    /// 1; the logarithm of the probability to miss the good moves; that of what the second move
    /// loses; that of the room to lose points; the rating, in units of 400 from 1500; whether it is
    /// the middlegame, the endgame, time trouble, a known opening.
    pub values: [f64; FEATURES],
}

/// Expected score that players of a rating lose with a move: the exponential of a linear function
/// of [`LossFeatures`].
///
/// `research/level_loss.py` fitted the coefficients; docs/how-we-know/archive.md has the data and
/// the tests.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LevelLossModel {
    coefficients: [f64; FEATURES],
}

impl LevelLossModel {
    pub(crate) fn bundled() -> &'static Self {
        static MODEL: LazyLock<LevelLossModel> = LazyLock::new(|| {
            serde_json::from_str(include_str!("level_loss.json"))
                .expect("the file is a part of the program")
        });
        &MODEL
    }

    /// Returns the expected score, 0..=1, lost on average.
    pub(crate) fn loss(&self, features: &LossFeatures) -> f64 {
        let sum: f64 = self
            .coefficients
            .iter()
            .zip(features.values)
            .map(|(a, b)| a * b)
            .sum();
        sum.exp().min(1.0)
    }
}

impl LossFeatures {
    /// Returns the features of a player's moves, for players of `rating`. Moves whose better moves
    /// are unknown, as in games with evaluations of their own, are left out, and so are forced
    /// moves, which lose nothing. Empty if the program has no network.
    pub fn of(judged: &Judgement, color: Color, rating: u32) -> Vec<Self> {
        let Some(network) = policy() else {
            return Vec::new();
        };
        let own = judged
            .plies
            .iter()
            .enumerate()
            .filter(|(_, ply)| ply.mover == color);
        let own: Vec<(usize, &JudgedMove)> = own
            .filter(|(_, ply)| ply.lines.len() > 1 && !is_forced(&ply.before))
            .collect();
        let short = short_of_time(judged);
        let mut features = Vec::with_capacity(own.len());
        for batch in own.chunks(BATCH) {
            let positions: Vec<History> = batch.iter().map(|(_, ply)| ply.before.clone()).collect();
            for ((index, ply), answer) in batch
                .iter()
                .zip(network.evaluate_many(&positions, &[rating]))
            {
                let Some(evaluation) = answer.ok().and_then(|mut levels| levels.pop()) else {
                    continue;
                };
                let context = Context::of(ply.before.position());
                let expected: Vec<f64> = ply
                    .lines
                    .iter()
                    .map(|line| judged.curve.expected_score(line.eval, context))
                    .collect();
                let is_good = |place: usize| expected[0] - expected[place] <= GOOD;
                let probability = |place: usize| {
                    let mv = ply.lines[place].first_move();
                    evaluation
                        .moves
                        .iter()
                        .find(|found| found.mv == mv)
                        .map_or(0.0, |found| found.probability)
                };
                let found: f64 = (0..ply.lines.len())
                    .filter(|place| is_good(*place))
                    .map(probability)
                    .sum();
                let is = |condition: bool| f64::from(u8::from(condition));
                let best = expected[0].clamp(0.0, 1.0);
                features.push(Self {
                    ply: *index,
                    values: [
                        1.0,
                        (1.0 - found.min(1.0) + LEAST).ln(),
                        (expected[0] - expected[1] + LEAST).ln(),
                        (best * (1.0 - best) + LEAST).ln(),
                        (f64::from(rating) - 1500.0) / 400.0,
                        is(ply.phase == Phase::Middlegame),
                        is(ply.phase == Phase::Endgame),
                        is(short[*index] == Some(true)),
                        is(judged.opening.is_some_and(|opening| *index < opening.plies)),
                    ],
                });
            }
        }
        features
    }
}

/// Returns, for each move, whether its player had less than a tenth of the time for the game left
/// before the move; `None` if the time for the game, or the time left, is unknown.
pub(super) fn short_of_time(judged: &Judgement) -> Vec<Option<bool>> {
    let has_clocks = judged.plies.iter().any(|ply| ply.clock.is_some());
    let base = simple_control(&judged.game)
        .map(|(base, _)| base)
        .filter(|_| has_clocks);
    // Before a player's first move, the whole base time is left.
    let mut left = [base; 2];
    let short = judged.plies.iter().map(|ply| {
        let own = &mut left[ply.mover.fold_wb(0, 1)];
        let before = std::mem::replace(own, ply.clock);
        before
            .zip(base)
            .map(|(before, base)| before.as_secs_f64() < SHORT * base.as_secs_f64())
    });
    short.collect()
}
