//! Fits how often people draw: the width of draws at given expected scores.

use centipawn_core::{Wdl, ordered_logit};
use centipawn_progress::Cancel;

use super::{HumanFit, HumanFitError, HumanGame, HumanTerm, likelihood::Predictor};
use crate::newton::{Function, Quadratic, minimize};

/// The width of draws by rating and time, `ln h = d0 + d1·(R − 1800)/400 + d2·l` with `l =
/// ln(T/600)`. It is fitted to wins, draws and losses, with the expected scores of a [`HumanFit`]
/// fixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HumanDraws {
    /// The constants `d0`, `d1` and `d2`.
    pub(super) coefficients: [f64; 3],
    /// Mean −ln p of a position's result, with p the probability of that win, draw or loss.
    pub(super) log_loss: f64,
}

/// The terms of `ln h`: 1, (R − 1800)/400 and l.
const TERMS: [HumanTerm; 3] = HumanTerm::MATES;

/// A game with the expected scores of its positions.
struct Scored<'a> {
    game: &'a HumanGame,
    weight: f64,
    terms: [f64; 3],
    expected: Vec<f64>,
}

struct Problem<'a> {
    games: Vec<Scored<'a>>,
    /// Which of [`TERMS`] the games identify; the others are fixed at 0.
    is_identified: [bool; 3],
}

impl HumanDraws {
    /// Fits the width of draws.
    ///
    /// # Errors
    ///
    /// [`HumanFitError`], if the draws cannot be fitted.
    pub(super) fn new(
        fit: &HumanFit,
        coefficients: &[f64],
        games: &[&HumanGame],
        weights: &[u32],
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        let scored = games.iter().enumerate().map(|(index, game)| {
            let predicted = Predictor::new(game, &fit.terms, coefficients);
            // Games that were chosen for having a winner have no draws, so they get the weight 0.
            let is_chosen = fit.winners().width(game) > 0.0;
            Scored {
                game,
                weight: if is_chosen {
                    0.0
                } else {
                    f64::from(weights.get(index).copied().unwrap_or(1))
                },
                terms: TERMS.map(|term| term.of_mate(game)),
                expected: predicted.scores().collect(),
            }
        });
        let identified = [HumanTerm::Constant, HumanTerm::Rating, HumanTerm::Time];
        let problem = Problem {
            games: scored.collect(),
            is_identified: identified.map(|term| !fit.unidentified.contains(&term)),
        };
        let minimum = minimize(&problem, &[-1.0, 0.0, 0.0], cancel);
        cancel.check()?;
        if !minimum.converged {
            return Err(HumanFitError::NotConverged);
        }
        let weight: f64 = problem
            .games
            .iter()
            .map(|own| own.weight * own.expected.len() as f64)
            .sum();
        let coefficients = [minimum.point[0], minimum.point[1], minimum.point[2]];
        Ok(Self {
            coefficients,
            log_loss: minimum.value / weight.max(1.0),
        })
    }

    /// The width of draws `h` in a game.
    fn width(coefficients: &[f64], terms: &[f64; 3]) -> f64 {
        coefficients
            .iter()
            .zip(terms)
            .map(|(own, term)| own * term)
            .sum::<f64>()
            .exp()
    }

    /// The expected number of draws among positions with these expected scores.
    pub(super) fn expected(&self, game: &HumanGame, scores: impl Iterator<Item = f64>) -> f64 {
        let width = Self::width(&self.coefficients, &TERMS.map(|term| term.of_mate(game)));
        scores.map(|score| ordered_logit(width, score).draw).sum()
    }
}

impl Function for Problem<'_> {
    /// Uses the expected second derivatives, which are never negative.
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        const LEAST: f64 = 1e-12;
        let mut sum = Quadratic {
            value: 0.0,
            slope: vec![0.0; 3],
            bend: vec![0.0; 9],
        };
        for own in self.games.iter().filter(|own| own.weight > 0.0) {
            let width = HumanDraws::width(point, &own.terms);
            let (mut slope, mut bend) = (0.0, 0.0);
            for &score in &own.expected {
                let Wdl { win, draw, loss } = ordered_logit(width, score);
                let [win, draw, loss] = [win, draw, loss].map(|share| share.max(LEAST));
                // At a fixed expected score, a larger width takes the same share from wins and from
                // losses and gives both to the draws.
                let (above, below) = (win * (1.0 - win), loss * (1.0 - loss));
                let change = 2.0 * above * below / (above + below);
                let (share, by) = match own.game.half_points {
                    0 => (loss, change / loss),
                    1 => (draw, -2.0 * change / draw),
                    _ => (win, change / win),
                };
                sum.value -= own.weight * share.ln();
                slope += by;
                bend += change * change * (1.0 / win + 1.0 / loss + 4.0 / draw);
            }
            for row in (0..3).filter(|row| self.is_identified[*row]) {
                sum.slope[row] += own.weight * slope * width * own.terms[row];
                for column in (0..3).filter(|column| self.is_identified[*column]) {
                    sum.bend[row * 3 + column] +=
                        own.weight * bend * width * width * own.terms[row] * own.terms[column];
                }
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::Pool;

    use super::*;
    use crate::human::HumanPosition;

    #[test]
    fn derivatives_equal_differences_of_the_loss() {
        for half_points in 0..3 {
            let position = HumanPosition::new(0, 20);
            let game = HumanGame {
                number: 0,
                source: 0,
                ratings: [2000.0; 2],
                seconds: 300.0,
                pool: Pool::Unknown,
                players: None,
                half_points,
                positions: vec![position; 3],
            };
            let scored = Scored {
                game: &game,
                weight: 2.0,
                terms: [1.0, 0.5, -0.7],
                expected: vec![0.3, 0.5, 0.8],
            };
            let problem = Problem {
                games: vec![scored],
                is_identified: [true; 3],
            };
            let point = [-0.6, 0.2, 0.3];
            let at = problem.quadratic(&point);
            for index in 0..3 {
                let step = |by: f64| {
                    let mut point = point;
                    point[index] += by;
                    problem.quadratic(&point).value
                };
                let measured = (step(1e-5) - step(-1e-5)) / 2e-5;
                assert!(
                    (at.slope[index] - measured).abs() < 1e-6,
                    "{half_points}: {} {measured}",
                    at.slope[index]
                );
            }
        }
    }
}
