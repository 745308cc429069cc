//! Predicts which moves people play, from the probabilities of a policy network and the expected
//! score that each move loses.
//!
//! A policy network sees the position but no evaluations. On average its probabilities are right,
//! but people calculate: they find the best move more often than the network predicts, and they
//! avoid traps more often. [`MoveModel`] weighs each probability by what the move loses.

use crate::math::Portable as _;

use serde::{Deserialize, Serialize};

/// The probability that players of a rating play each move: `p′ ∝ p^a · exp(−c·(loss + early·early
/// loss))` with `c = exp(c₀ + c₁·(rating − 1500)/400)`: stronger players avoid losses more. Moves
/// without an evaluation count as one move that loses `rest`.
///
/// ```
/// use centipawn_core::{MoveModel, PolicyMove};
///
/// // By the network, half of all players fall into a trap; another move refutes it.
/// let moves = [PolicyMove::new(0.5, 0.4), PolicyMove::new(0.2, 0.0), PolicyMove::new(0.2, 0.05)];
/// let beginner = MoveModel::FITTED.played(1100, &moves);
/// let expert = MoveModel::FITTED.played(2200, &moves);
/// assert!(beginner[0] < 0.5 && expert[0] < beginner[0] && expert[1] > beginner[1]);
/// // The moves that were not evaluated keep a share.
/// assert!(beginner.iter().sum::<f64>() < 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveModel {
    /// Exponent of the policy's probability.
    pub a: f64,
    /// Logarithm of the weight of the loss at rating 1500. The loss is expected score by
    /// [`EASE_CURVE`](crate::EASE_CURVE).
    pub c0: f64,
    /// Increase of this logarithm for 400 points of rating.
    pub c1: f64,
    /// Expected score that moves without an evaluation lose, 0..=1.
    pub rest: f64,
    /// Weight of the early loss relative to the loss; 0 if it is ignored.
    pub early: f64,
}

/// The properties of a move on which [`MoveModel`] depends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyMove {
    /// The policy's probability, 0..=1.
    pub p: f64,
    /// Expected score that the move loses by [`EASE_CURVE`](crate::EASE_CURVE), 0..=1; 0 for the
    /// best move.
    pub loss: f64,
    /// The early loss: the mean of what the move loses in searches to the small
    /// [depths](MoveModel::EARLY_DEPTHS), 0..=1. A model with [`MoveModel::early`] 0 does not use
    /// it.
    pub early: f64,
}

impl PolicyMove {
    /// Creates a move whose early loss is unknown.
    pub fn new(p: f64, loss: f64) -> Self {
        Self {
            p,
            loss,
            early: 0.0,
        }
    }
}

/// Lichess ratings of the games that [`MoveModel::FITTED`] was fitted to. Other ratings are clamped
/// to this range.
const RATINGS: (u32, u32) = (800, 2800);
/// Lower bound of probabilities, so that no move is impossible.
const LEAST: f64 = 1e-6;

impl MoveModel {
    /// Constants fitted to moves of Lichess games by players rated 800 to 2800; docs/ease.md lists
    /// the games, the standard errors and the tests.
    pub const FITTED: Self = Self {
        a: 0.865,
        c0: -0.097,
        c1: 1.024,
        rest: 0.130,
        early: 0.0,
    };

    /// Constants fitted to moves of players rated [`EARLY_FROM`](Self::EARLY_FROM) or more,
    /// including the early losses.
    pub const FITTED_EARLY: Self = Self {
        a: 0.803,
        c0: 0.031,
        c1: 0.901,
        rest: 0.180,
        early: 0.411,
    };

    /// The rating from which the early loss improves the prediction: stronger players avoid a loss
    /// more often if a short search shows it.
    pub const EARLY_FROM: u32 = 2300;

    /// Depths, in plies, of the searches whose mean loss is the early loss.
    pub const EARLY_DEPTHS: [u32; 2] = [1, 4];

    /// Returns the probability, 0..=1, that players of this rating play each of the moves, in their
    /// order. `moves` have distinct first moves; their probabilities sum to at most 1, and the rest
    /// belongs to moves that are not listed.
    pub fn played(&self, rating: u32, moves: &[PolicyMove]) -> Vec<f64> {
        let rating = rating.clamp(RATINGS.0, RATINGS.1);
        let c = (self.c0 + self.c1 * (f64::from(rating) - 1500.0) / 400.0).exp_portable();
        let weight =
            |p: f64, loss: f64| p.max(LEAST).powf_portable(self.a) * (-c * loss).exp_portable();
        let weights: Vec<f64> = moves
            .iter()
            .map(|mv| weight(mv.p, mv.loss + self.early * mv.early))
            .collect();
        let mass: f64 = moves.iter().map(|mv| mv.p).sum();
        let rest = if mass < 1.0 - LEAST {
            weight(1.0 - mass, self.rest)
        } else {
            0.0
        };
        let total = rest + weights.iter().sum::<f64>();
        weights.into_iter().map(|weight| weight / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Probabilities stay in 0..=1 for any input, and a higher rating never makes the best move
        /// less likely.
        #[test]
        fn a_higher_rating_never_makes_the_best_move_less_likely(
            moves in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64, 0.0..1.0_f64), 1..20),
            rating in 0_u32..4000,
        ) {
            let mass: f64 = moves.iter().map(|(p, ..)| p).sum::<f64>().max(1.0);
            let best = moves.iter().map(|(_, loss, _)| *loss).fold(1.0, f64::min);
            let moves: Vec<PolicyMove> =
                moves.iter().map(|&(p, loss, early)| PolicyMove { p: p / mass, loss: loss - best, early }).collect();
            let is_probability = |played: &[f64]| {
                played.iter().all(|p| (0.0..=1.0).contains(p)) && played.iter().sum::<f64>() <= 1.0 + 1e-9
            };
            let played = MoveModel::FITTED.played(rating, &moves);
            prop_assert!(is_probability(&played) && is_probability(&MoveModel::FITTED_EARLY.played(rating, &moves)));
            let stronger = MoveModel::FITTED.played(rating + 200, &moves);
            let finds = |played: &[f64]| played.iter().zip(&moves).filter(|(_, mv)| mv.loss == 0.0).map(|(p, _)| p).sum::<f64>();
            prop_assert!(finds(&stronger) >= finds(&played) - 1e-12);
        }
    }

    /// Of two moves with the same loss, strong players avoid the one whose loss a short search
    /// shows.
    #[test]
    fn an_early_loss_counts_besides_the_loss() {
        let with = |early| PolicyMove {
            early,
            ..PolicyMove::new(0.3, 0.2)
        };
        let played = MoveModel::FITTED_EARLY
            .played(2400, &[PolicyMove::new(0.3, 0.0), with(0.3), with(0.0)]);
        assert!(
            played[0] > played[2] && played[2] > 1.2 * played[1],
            "{played:?}"
        );
        let same =
            MoveModel::FITTED.played(2400, &[PolicyMove::new(0.3, 0.0), with(0.3), with(0.0)]);
        assert_eq!(same[1], same[2]);
    }
}
