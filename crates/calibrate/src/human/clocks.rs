//! Fits the effect of the clocks, with the rest of the model fixed.

use centipawn_progress::Cancel;

use super::{
    HumanFit, HumanGame,
    likelihood::{Predictor, loss},
};
use crate::{
    logistic::logistic,
    newton::{Function, Quadratic, minimize},
};

/// The effect of the two clocks on the log-odds, `c·(own − other)/(own + other)·(T/600)^(−a)`. It
/// is fitted with all other constants of a [`HumanFit`] fixed, so the model does not change for
/// equal clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HumanClocks {
    /// The constants `c` and `a`.
    pub(super) coefficients: [f64; 2],
    /// Number of positions with clocks.
    pub(super) positions: u64,
    /// Mean −ln p of the results of these positions, without and with the clocks.
    pub(super) losses: [f64; 2],
}

/// A game with clocks: its result, its time, and for each position the log-odds without clocks and
/// the [`share`] of the clocks.
struct Timed {
    score: f64,
    weight: f64,
    /// `ln(T/600)`.
    time: f64,
    positions: Vec<(f64, f64)>,
}

struct Problem {
    games: Vec<Timed>,
    /// Whether the games have different times. With a single time, `a` cannot be identified.
    has_times: bool,
}

/// Fewest games with clocks.
const LEAST_GAMES: usize = 100;

impl HumanClocks {
    /// Fits the two constants; `None` if too few games have clocks, or if there is no minimum.
    pub(super) fn new(
        fit: &HumanFit,
        coefficients: &[f64],
        games: &[&HumanGame],
        weights: &[u32],
        cancel: &Cancel,
    ) -> Option<Self> {
        let timed = games.iter().enumerate().filter_map(|(index, game)| {
            // Games that were chosen for having a winner would need the width of draws here. No
            // such collection with clocks exists to test that, so skip them.
            if fit.winners().width(game) > 0.0 {
                return None;
            }
            let predicted = Predictor::new(game, &fit.terms, coefficients);
            let known = predicted.log_odds().zip(&game.positions);
            let positions: Vec<(f64, f64)> = known
                .filter_map(|((own, others), position)| {
                    Some((own + others, share(position.clocks?)))
                })
                .collect();
            let weight = f64::from(weights.get(index).copied().unwrap_or(1));
            let time = (game.seconds / 600.0).ln();
            (!positions.is_empty()).then(|| Timed {
                score: game.score(),
                weight,
                time,
                positions,
            })
        });
        let games: Vec<Timed> = timed.collect();
        if games.len() < LEAST_GAMES {
            return None;
        }
        let (shortest, longest) = games
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), game| {
                (low.min(game.time), high.max(game.time))
            });
        let problem = Problem {
            games,
            has_times: longest - shortest > 0.4,
        };
        let minimum = minimize(&problem, &[1.0, 0.0], cancel);
        if !minimum.converged {
            return None;
        }
        let positions = problem
            .games
            .iter()
            .map(|game| game.positions.len() as u64)
            .sum();
        let weight: f64 = problem
            .games
            .iter()
            .map(|game| game.weight * game.positions.len() as f64)
            .sum();
        let losses =
            [problem.quadratic(&[0.0, 0.0]).value, minimum.value].map(|sum| sum / weight.max(1.0));
        Some(Self {
            coefficients: [minimum.point[0], minimum.point[1]],
            positions,
            losses,
        })
    }

    /// The effect of a position's clocks on White's log-odds; 0 if they are unknown.
    pub(super) fn log_odds(&self, game: &HumanGame, clocks: Option<[u16; 2]>) -> f64 {
        let [c, a] = self.coefficients;
        clocks.map_or(0.0, |clocks| {
            c * share(clocks) * (-a * (game.seconds / 600.0).ln()).exp()
        })
    }
}

/// The difference of White's and Black's clock divided by their sum. Less than half a second counts
/// as half a second, so that the sum is not 0.
fn share(clocks: [u16; 2]) -> f64 {
    let [white, black] = clocks.map(|left| f64::from(left).max(0.5));
    (white - black) / (white + black)
}

impl Function for Problem {
    /// Uses the expected second derivatives, which are never negative.
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        let [c, a] = [point[0], point[1]];
        let mut sum = Quadratic {
            value: 0.0,
            slope: vec![0.0; 2],
            bend: vec![0.0; 4],
        };
        for game in &self.games {
            let scale = (-a * game.time).exp();
            let by_time = if self.has_times { -game.time } else { 0.0 };
            for &(log_odds, share) in &game.positions {
                let clocks = share * scale;
                let expected = logistic(log_odds + c * clocks);
                let slopes = [clocks, c * clocks * by_time];
                let (apart, bend) = (expected - game.score, expected * (1.0 - expected));
                sum.value += game.weight * loss(game.score, expected);
                for row in 0..2 {
                    sum.slope[row] += game.weight * apart * slopes[row];
                    for column in 0..2 {
                        sum.bend[row * 2 + column] +=
                            game.weight * bend * slopes[row] * slopes[column];
                    }
                }
            }
        }
        if !self.has_times {
            sum.bend[3] = 1.0;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_equal_differences_of_the_loss() {
        let games = vec![Timed {
            score: 1.0,
            weight: 2.0,
            time: -1.2,
            positions: vec![(0.3, 0.4), (-0.5, -0.1), (1.0, 0.9)],
        }];
        let problem = Problem {
            games,
            has_times: true,
        };
        let point = [1.1, 0.3];
        let at = problem.quadratic(&point);
        for index in 0..2 {
            let step = |by: f64| {
                let mut point = point;
                point[index] += by;
                problem.quadratic(&point).value
            };
            let measured = (step(1e-5) - step(-1e-5)) / 2e-5;
            assert!(
                (at.slope[index] - measured).abs() < 1e-6,
                "{}: {measured}",
                at.slope[index]
            );
        }
    }
}
