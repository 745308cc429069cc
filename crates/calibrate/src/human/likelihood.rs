//! The likelihood of results of people's games.

use super::{HumanGame, HumanPosition, HumanTerm, fit::HALF_TIME, winners::Winners};
use crate::{
    logistic::logistic,
    newton::{Function, Quadratic},
};

/// Largest half time of a fit, in seconds. Few games of people are longer.
const LONGEST_HALF_TIME: f64 = 7200.0;
/// Largest number of terms of a model.
const MOST: usize = 40;

/// A position is worth about a twelfth of an independent result, because the positions of a game
/// share its result; so the priors count twelvefold.
const WITNESS: f64 = 12.0;

/// The negative log-likelihood of weighted games, as a function of the terms' coefficients. A drawn
/// game counts as half a win and half a loss, so the fit is one of the expected score.
pub(super) struct Likelihood<'a> {
    pub(super) games: &'a [&'a HumanGame],
    /// How often each game counts; once each if empty.
    pub(super) weights: &'a [u32],
    pub(super) terms: &'a [HumanTerm],
    /// Collections in which every game has a winner.
    pub(super) winners: &'a Winners,
}

/// The prediction for one position.
pub(super) struct Predicted {
    /// White's expected score, 0..=1.
    score: f64,
    /// Derivatives of the log-odds by the coefficients.
    slopes: [f64; MOST],
}

/// A game with the sums of those terms that are equal in all its positions.
pub(super) struct Predictor<'a> {
    game: &'a HumanGame,
    terms: &'a [HumanTerm],
    point: &'a [f64],
    /// The values of the terms that do not depend on the position.
    values: [Option<f64>; MOST],
}

impl<'a> Predictor<'a> {
    pub(super) fn new(game: &'a HumanGame, terms: &'a [HumanTerm], point: &'a [f64]) -> Self {
        let mut values = [None; MOST];
        values
            .iter_mut()
            .zip(terms)
            .for_each(|(value, term)| *value = term.of_game(game));
        Self {
            game,
            terms,
            point,
            values,
        }
    }

    /// Predictions for the positions of the game as the fit uses them: without the limit that no
    /// evaluation exceeds a mate, because the limit is not differentiable.
    fn positions(&self) -> impl Iterator<Item = Predicted> + '_ {
        self.game.positions.iter().map(|position| {
            let Parts {
                evaluation,
                others,
                slopes,
            } = self.parts(position);
            Predicted {
                score: logistic(evaluation + others),
                slopes,
            }
        })
    }

    /// White's expected scores in the positions of the game. No evaluation scores more than a mate.
    pub(super) fn scores(&self) -> impl Iterator<Item = f64> + '_ {
        self.log_odds()
            .map(|(evaluation, others)| logistic(evaluation + others))
    }

    /// For each position, White's log-odds from the evaluation and from all other terms.
    pub(super) fn log_odds(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let has_mates = self.terms.contains(&HumanTerm::MateConstant);
        let of_mate = self
            .terms
            .iter()
            .zip(self.point)
            .map(|(term, own)| own * term.of_mate(self.game))
            .sum::<f64>();
        let ceiling = if has_mates {
            of_mate.max(0.1)
        } else {
            f64::INFINITY
        };
        self.game.positions.iter().map(move |position| {
            let Parts {
                evaluation, others, ..
            } = self.parts(position);
            (evaluation.clamp(-ceiling, ceiling), others)
        })
    }

    fn parts(&self, position: &HumanPosition) -> Parts {
        let (mut steepness, mut evaluation, mut others, mut slopes) = (0.0, 0.0, 0.0, [0.0; MOST]);
        for (index, term) in self.terms.iter().enumerate() {
            let value = self.values[index]
                .or_else(|| term.of_position(self.game, position))
                .unwrap_or(0.0);
            let coefficient = self.point[index];
            slopes[index] = value;
            match term {
                HumanTerm::Time => {
                    steepness -= (coefficient * value).ln_1p();
                    slopes[index] = -value / (1.0 + coefficient * value);
                }
                term if term.is_of_mates() => evaluation += coefficient * value,
                term if term.is_of_odds() => others += coefficient * value,
                _ => steepness += coefficient * value,
            }
        }
        let slope = f64::exp(steepness) * position.pawns();
        for (index, term) in self.terms.iter().enumerate() {
            if !term.is_of_odds() {
                slopes[index] *= slope;
            }
        }
        Parts {
            evaluation: evaluation + slope,
            others,
            slopes,
        }
    }
}

/// The log-odds of a position in parts, with the derivatives by the coefficients.
struct Parts {
    /// Log-odds from the evaluation.
    evaluation: f64,
    /// Log-odds from all other terms.
    others: f64,
    slopes: [f64; MOST],
}

/// −ln of the probability of a score at this expected score. A draw counts as half a win and half a
/// loss.
pub(super) fn loss(score: f64, expected: f64) -> f64 {
    // A result that a curve excludes has a large loss, but not an infinite one.
    const LEAST: f64 = 1e-12;
    -(score * expected.max(LEAST).ln() + (1.0 - score) * (1.0 - expected).max(LEAST).ln())
}

impl Likelihood<'_> {
    /// The derivative of each game's part by the coefficients: its score, in the statistical sense.
    pub(super) fn of_games(&self, point: &[f64]) -> Vec<Vec<f64>> {
        let slopes = |game: &&HumanGame| {
            let (score, width) = (game.score(), self.winners.width(game));
            let mut sum = vec![0.0; self.terms.len()];
            for own in Predictor::new(game, self.terms, point).positions() {
                let (expected, factor) = Winners::given_a_winner(width, own.score);
                let apart = (expected - score) * factor;
                sum.iter_mut()
                    .zip(own.slopes)
                    .for_each(|(sum, slope)| *sum += apart * slope);
            }
            sum
        };
        self.games.iter().map(slopes).collect()
    }
}

impl Function for Likelihood<'_> {
    /// Uses the expected second derivatives (Fisher's), which are never negative.
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        let all = self.terms.len();
        let mut sum = Quadratic {
            value: 0.0,
            slope: vec![0.0; all],
            bend: vec![0.0; all * all],
        };
        for (index, game) in self.games.iter().enumerate() {
            let weight = f64::from(self.weights.get(index).copied().unwrap_or(1));
            if weight == 0.0 {
                continue;
            }
            let (score, width) = (game.score(), self.winners.width(game));
            for Predicted {
                score: expected,
                slopes,
            } in Predictor::new(game, self.terms, point).positions()
            {
                let (expected, factor) = Winners::given_a_winner(width, expected);
                let slopes = slopes.map(|slope| slope * factor);
                sum.value += weight * loss(score, expected);
                let (apart, bend) = (
                    weight * (expected - score),
                    weight * expected * (1.0 - expected),
                );
                for row in 0..all {
                    sum.slope[row] += apart * slopes[row];
                    for column in 0..=row {
                        sum.bend[row * all + column] += bend * slopes[row] * slopes[column];
                    }
                }
            }
        }
        for (row, term) in self.terms.iter().enumerate() {
            if let Some(deviation) = term.prior() {
                let weight = WITNESS / deviation.powi(2);
                sum.value += weight * point[row].powi(2) / 2.0;
                sum.slope[row] += weight * point[row];
                sum.bend[row * all + row] += weight;
            }
        }
        for row in 0..all {
            for column in 0..row {
                sum.bend[column * all + row] = sum.bend[row * all + column];
            }
        }
        sum
    }

    /// The half time is at least 0, so that k does not fall with the time, and at most
    /// [`LONGEST_HALF_TIME`]. For a larger one, k is proportional to the time whatever its value,
    /// and the fit would not end.
    fn range(&self, variable: usize) -> [f64; 2] {
        match self.terms[variable] {
            HumanTerm::Time => [0.0, LONGEST_HALF_TIME / HALF_TIME],
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::Pool;

    use super::*;

    #[test]
    fn derivatives_equal_differences_of_the_loss() {
        let position = |cp, mate, ply| HumanPosition {
            mate,
            material: Some(40),
            clocks: Some([30, 70]),
            ..HumanPosition::new(cp, ply)
        };
        let positions = vec![
            position(130, 0, 20),
            position(-250, 0, 61),
            position(0, -3, 70),
        ];
        let game = HumanGame {
            number: 1,
            source: 0,
            ratings: [1500.0, 1700.0],
            seconds: 180.0,
            pool: Pool::Fics,
            players: None,
            half_points: 2,
            positions,
        };
        let terms: Vec<HumanTerm> = HumanTerm::MODEL
            .into_iter()
            .chain(HumanTerm::MATES)
            .chain(HumanTerm::TESTED)
            .chain(HumanTerm::PHASE)
            .chain(HumanTerm::of_pool(Pool::Fics))
            .collect();
        for winners in [
            Winners::default(),
            Winners::new([0].into(), [-0.5, 0.1, 0.2]),
        ] {
            check(&game, &terms, &winners);
        }
    }

    fn check(game: &HumanGame, terms: &[HumanTerm], winners: &Winners) {
        let problem = Likelihood {
            games: &[game],
            weights: &[3],
            terms,
            winners,
        };
        let point: Vec<f64> = (0..terms.len())
            .map(|index| 0.3 - 0.05 * index as f64)
            .collect();
        let at = problem.quadratic(&point);
        for index in 0..terms.len() {
            let step = |by: f64| {
                let mut point = point.clone();
                point[index] += by;
                problem.quadratic(&point).value
            };
            let measured = (step(1e-5) - step(-1e-5)) / 2e-5;
            assert!(
                (at.slope[index] - measured).abs() < 1e-6,
                "{:?}: {} {measured}",
                terms[index],
                at.slope[index]
            );
        }
    }
}
