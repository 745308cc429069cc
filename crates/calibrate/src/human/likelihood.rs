//! The likelihood of results of people's games.

use super::{HumanGame, HumanPosition, HumanTerm, fit::HALF_TIME, winners::Winners};
use crate::{
    logistic::logistic,
    newton::{Function, Quadratic},
};

/// Largest half time of a fit, in seconds. Few games of people are longer.
const LONGEST_HALF_TIME: f64 = 7200.0;
/// Largest number of ways in which the derivatives of a position's log-odds differ, see
/// [`Predictor`].
const MOST: usize = 16;

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
struct Predicted {
    /// White's expected score, 0..=1.
    score: f64,
    /// Derivatives of the log-odds in each way.
    slopes: [f64; MOST],
}

/// Way of the terms of `ln k` that are equal in all positions of a game: their derivatives are
/// their values times the part of the log-odds that the evaluation gives.
const STEEPNESS: usize = 0;
/// Way of the terms of the log-odds that are equal in all positions of a game.
const ODDS: usize = 1;
/// Way of the terms of mates: their values with the sign of the side that has a mate.
const MATE: usize = 2;
/// First way of terms that differ between positions, which have one way each.
const VARYING: usize = 3;

/// A game with the sums of those terms that are equal in all its positions.
///
/// Most terms are equal in all positions of a game, so the derivatives of a position differ in a
/// few ways only. A fit adds up the products of the ways over the positions, and multiplies by the
/// values of the terms once a game. With twenty terms this is several times faster than adding up
/// the products of all pairs of terms in each position.
pub(super) struct Predictor<'a> {
    game: &'a HumanGame,
    terms: &'a [HumanTerm],
    point: &'a [f64],
    /// The way and the value of each term; the value is 1 for terms that differ between positions.
    ways: Vec<(usize, f64)>,
    /// The terms that differ between positions, with their coefficients.
    varying: Vec<(HumanTerm, f64)>,
    /// `ln k` from all other terms.
    steepness: f64,
    /// The log-odds from all other terms but those of mates.
    others: f64,
    /// The log-odds of the side with a mate.
    of_mate: f64,
}

impl<'a> Predictor<'a> {
    pub(super) fn new(game: &'a HumanGame, terms: &'a [HumanTerm], point: &'a [f64]) -> Self {
        let mut own = Self {
            game,
            terms,
            point,
            ways: Vec::with_capacity(terms.len()),
            varying: Vec::new(),
            steepness: 0.0,
            others: 0.0,
            of_mate: 0.0,
        };
        for (term, &coefficient) in terms.iter().zip(point) {
            let way = match (term, term.of_game(game)) {
                (HumanTerm::Time, Some(value)) => {
                    own.steepness -= (coefficient * value).ln_1p();
                    (STEEPNESS, -value / (1.0 + coefficient * value))
                }
                (term, Some(value)) if term.is_of_odds() => {
                    own.others += coefficient * value;
                    (ODDS, value)
                }
                (_, Some(value)) => {
                    own.steepness += coefficient * value;
                    (STEEPNESS, value)
                }
                (term, None) if HumanTerm::MATES.contains(term) => {
                    let value = term.of_mate(game);
                    own.of_mate += coefficient * value;
                    (MATE, value)
                }
                (term, None) => {
                    own.varying.push((*term, coefficient));
                    (VARYING + own.varying.len() - 1, 1.0)
                }
            };
            own.ways.push(way);
        }
        own
    }

    /// Number of ways that occur.
    fn all(&self) -> usize {
        VARYING + self.varying.len()
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
        let sign = f64::from(position.mate.signum());
        let (mut steepness, mut others) = (self.steepness, self.others);
        let mut evaluation = sign * self.of_mate;
        let mut slopes = [0.0; MOST];
        let own = &mut slopes[VARYING..];
        for (slope, (term, coefficient)) in own.iter_mut().zip(&self.varying) {
            let value = term.of_position(self.game, position).unwrap_or(0.0);
            *slope = value;
            match term {
                term if term.is_of_mates() => evaluation += coefficient * value,
                term if term.is_of_odds() => others += coefficient * value,
                _ => steepness += coefficient * value,
            }
        }
        let by_eval = f64::exp(steepness) * position.pawns();
        for (slope, (term, _)) in slopes[VARYING..].iter_mut().zip(&self.varying) {
            if !term.is_of_odds() {
                *slope *= by_eval;
            }
        }
        slopes[STEEPNESS] = by_eval;
        slopes[ODDS] = 1.0;
        slopes[MATE] = sign;
        Parts {
            evaluation: evaluation + by_eval,
            others,
            slopes,
        }
    }
}

/// The log-odds of a position in parts, with the derivatives in each way.
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
            let predictor = Predictor::new(game, self.terms, point);
            let mut sums = [0.0; MOST];
            for own in predictor.positions() {
                let (expected, factor) = Winners::given_a_winner(width, own.score);
                let apart = (expected - score) * factor;
                sums.iter_mut()
                    .zip(own.slopes)
                    .for_each(|(sum, slope)| *sum += apart * slope);
            }
            let ways = predictor.ways.iter();
            let sum: Vec<f64> = ways.map(|(way, value)| value * sums[*way]).collect();
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
            let predictor = Predictor::new(game, self.terms, point);
            let ways = predictor.all();
            let (mut slope, mut bend) = ([0.0; MOST], [[0.0; MOST]; MOST]);
            for Predicted {
                score: expected,
                slopes,
            } in predictor.positions()
            {
                let (expected, factor) = Winners::given_a_winner(width, expected);
                let slopes = slopes.map(|slope| slope * factor);
                sum.value += weight * loss(score, expected);
                let apart = weight * (expected - score);
                let spread = weight * expected * (1.0 - expected);
                for row in 0..ways {
                    slope[row] += apart * slopes[row];
                    for column in 0..=row {
                        bend[row][column] += spread * slopes[row] * slopes[column];
                    }
                }
            }
            for (row, &(way, value)) in predictor.ways.iter().enumerate() {
                if value == 0.0 {
                    continue;
                }
                sum.slope[row] += value * slope[way];
                for (column, &(other, factor)) in predictor.ways[..=row].iter().enumerate() {
                    let own = bend[way.max(other)][way.min(other)];
                    sum.bend[row * all + column] += value * factor * own;
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
