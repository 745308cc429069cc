//! The mean score by material advantage.

use std::collections::BTreeMap;

use centipawn_progress::{Cancel, Cancelled};
use serde::{Deserialize, Serialize};

use super::{Collection, row::balance};
use crate::{logistic::logistic, wilson};

/// Scores by White's advantage in pieces, counted 1-3-3-5-9, with a logistic curve fitted to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreByBalance {
    /// Scores at each balance that occurs, in ascending order of balance.
    pub points: Vec<BalancePoint>,
    /// Steepness α: the expected score is `1/(1 + e^(−α·balance))`, with draws as half points.
    pub alpha: f64,
    /// Standard error of the steepness, clustered by game.
    pub alpha_error: f64,
}

/// Scores at one balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BalancePoint {
    /// The balance in pawns, counted 1-3-3-5-9.
    pub balance: i32,
    /// Number of rows of games that Black won, that were drawn, and that White won.
    pub counts: [u64; 3],
    /// Number of games to which these rows belong.
    pub games: u64,
    /// White's mean score, 0..=1.
    pub score: f64,
    /// Standard error of the mean score, clustered by game.
    pub error: f64,
}

impl BalancePoint {
    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the 95 % interval of the mean score (Wilson's). The number of observations is
    /// derived from the standard error; if that is 0, it is `games`.
    pub fn interval(&self) -> (f64, f64) {
        let spread = self.score * (1.0 - self.score);
        let shows_error = self.error > 0.0 && spread > 0.0;
        wilson(
            self.score,
            if shows_error {
                spread / (self.error * self.error)
            } else {
                self.games as f64
            },
        )
    }
}

impl ScoreByBalance {
    /// Computes the scores of all rows; `None` if there are no rows, or none with an advantage.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], soon after `cancel` is set.
    pub fn new(collection: &Collection, cancel: &Cancel) -> Result<Option<Self>, Cancelled> {
        let mut points = BTreeMap::<i32, BalancePoint>::new();
        for (game, rows) in collection.each() {
            for row in rows {
                let balance = balance(row.difference());
                let point = points.entry(balance).or_insert(BalancePoint {
                    balance,
                    ..BalancePoint::default()
                });
                point.counts[game.result as usize] += 1;
            }
        }
        for point in points.values_mut() {
            let [_, draws, wins] = point.counts.map(|count| count as f64);
            point.score = (wins + draws / 2.0) / point.rows() as f64;
        }
        let Some(alpha) = steepness(&points) else {
            return Ok(None);
        };
        let expected = |balance: i32| logistic(alpha * f64::from(balance));
        // Standard errors clustered by game. For the mean score at each balance: the sum over games
        // of the squared deviation of the game's rows from the mean. For the steepness: the sum
        // over games of the squared derivative of the game's log-likelihood with respect to the
        // steepness.
        let mut squares = BTreeMap::<i32, (u64, f64)>::new();
        let mut pulls = 0.0;
        let mut own = BTreeMap::<i32, f64>::new();
        for (_, game, rows) in collection.in_own_order(cancel)? {
            own.clear();
            for row in rows {
                *own.entry(balance(row.difference())).or_default() += 1.0;
            }
            let score = game.result.score();
            let mut pull = 0.0;
            for (&balance, &rows) in &own {
                let (games, sum) = squares.entry(balance).or_default();
                *games += 1;
                *sum += (rows * (score - points[&balance].score)).powi(2);
                pull += rows * f64::from(balance) * (score - expected(balance));
            }
            pulls += pull * pull;
        }
        let mut bend = 0.0;
        for point in points.values_mut() {
            let rows = point.rows() as f64;
            let (games, sum) = squares.get(&point.balance).copied().unwrap_or_default();
            (point.games, point.error) = (games, sum.sqrt() / rows);
            let p = expected(point.balance);
            bend += rows * f64::from(point.balance).powi(2) * p * (1.0 - p);
        }
        cancel.check()?;
        Ok(Some(Self {
            points: points.into_values().collect(),
            alpha,
            alpha_error: pulls.sqrt() / bend,
        }))
    }
}

/// Finds the steepness with the highest likelihood by Newton's method.
fn steepness(points: &BTreeMap<i32, BalancePoint>) -> Option<f64> {
    const STEPS: usize = 100;
    let mut alpha = 0.0;
    for _ in 0..STEPS {
        let (mut slope, mut bend) = (0.0, 0.0);
        for point in points.values() {
            let (x, rows) = (f64::from(point.balance), point.rows() as f64);
            let p = 1.0 / (1.0 + f64::exp(-alpha * x));
            slope += rows * x * (point.score - p);
            bend += rows * x * x * p * (1.0 - p);
        }
        if bend.is_nan() || bend <= 0.0 {
            return None;
        }
        let step = (slope / bend).clamp(-1.0, 1.0);
        alpha += step;
        if step.abs() < 1e-12 {
            return Some(alpha);
        }
        if alpha.abs() > 20.0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five rows of one drawn game show no error, but must not count as five games.
    #[test]
    fn rows_of_one_game_are_one_observation() {
        let point = BalancePoint {
            balance: 1,
            counts: [0, 5, 0],
            games: 1,
            score: 0.5,
            error: 0.0,
        };
        assert_eq!(point.interval(), wilson(0.5, 1.0));
        let point = BalancePoint {
            error: 0.1,
            games: 40,
            ..point
        };
        assert_eq!(point.interval(), wilson(0.5, 0.25 / (0.1 * 0.1)));
    }
}
