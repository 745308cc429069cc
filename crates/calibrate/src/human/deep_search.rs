//! Fits how the steepness changes with the length of the search.

use centipawn_progress::Cancel;

use super::{
    HumanFit, HumanGame, HumanPosition,
    likelihood::{Predictor, loss},
    winners::Winners,
};
use crate::{
    logistic::logistic,
    newton::{Function, Quadratic, minimize},
};

/// How much steeper the curve is for evaluations of a longer search: `ln(k deep/k)` in the
/// positions that have both evaluations, with all other constants fixed.
///
/// Two effects oppose each other. A shorter search has larger errors, which flattens the curve
/// (regression dilution). A longer search prints larger numbers for the same positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DeepSearch {
    /// The logarithm of the ratio of the steepnesses, `ln(k deep/k)`.
    pub(super) log_factor: f64,
    /// Number of positions with both evaluations.
    pub(super) positions: u64,
}

/// A game's result, and for each position the log-odds from the evaluation and from all other
/// terms.
struct Slopes {
    score: f64,
    weight: f64,
    width: f64,
    positions: Vec<(f64, f64)>,
}

/// The likelihood as a function of one variable: the logarithm of the factor by which the
/// evaluations' log-odds are multiplied.
struct Problem {
    games: Vec<Slopes>,
}

/// Fewest positions with both evaluations.
const LEAST_POSITIONS: u64 = 500;

impl DeepSearch {
    /// Fits the factor; `None` if too few positions have both evaluations, or if there is no
    /// minimum.
    pub(super) fn new(
        fit: &HumanFit,
        coefficients: &[f64],
        games: &[&HumanGame],
        weights: &[u32],
        cancel: &Cancel,
    ) -> Option<Self> {
        let has_both = |position: &&HumanPosition| position.deep_cp.is_some() && position.mate == 0;
        let positions = games
            .iter()
            .map(|game| game.positions.iter().filter(has_both).count() as u64)
            .sum();
        if positions < LEAST_POSITIONS {
            return None;
        }
        let log_factor = |is_deep: bool| {
            let of = |(index, game): (usize, &&HumanGame)| {
                let own: Vec<HumanPosition> =
                    game.positions.iter().filter(has_both).copied().collect();
                let own = own.into_iter().map(|position| HumanPosition {
                    cp: position.deep_cp.filter(|_| is_deep).unwrap_or(position.cp),
                    ..position
                });
                let game = HumanGame {
                    positions: own.collect(),
                    ..(*game).clone()
                };
                let weight = f64::from(weights.get(index).copied().unwrap_or(1));
                let width = fit.winners().width(&game);
                let positions = Predictor::new(&game, &fit.terms, coefficients)
                    .log_odds()
                    .collect();
                Slopes {
                    score: game.score(),
                    weight,
                    width,
                    positions,
                }
            };
            let problem = Problem {
                games: games.iter().enumerate().map(of).collect(),
            };
            let minimum = minimize(&problem, &[0.0], cancel);
            minimum.converged.then(|| minimum.point[0])
        };
        Some(Self {
            log_factor: log_factor(true)? - log_factor(false)?,
            positions,
        })
    }
}

impl Function for Problem {
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        let factor = point[0].exp();
        let mut sum = Quadratic {
            value: 0.0,
            slope: vec![0.0],
            bend: vec![0.0],
        };
        for game in &self.games {
            for &(evaluation, others) in &game.positions {
                let expected = logistic(evaluation * factor + others);
                let (expected, chain) = Winners::given_a_winner(game.width, expected);
                let slope = evaluation * factor * chain;
                sum.value += game.weight * loss(game.score, expected);
                sum.slope[0] += game.weight * (expected - game.score) * slope;
                sum.bend[0] += game.weight * expected * (1.0 - expected) * slope * slope;
            }
        }
        sum
    }
}
