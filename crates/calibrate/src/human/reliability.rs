//! Compares predicted with actual scores, by evaluation and by rating.

use serde::{Deserialize, Serialize};

use super::{HumanFit, HumanGame, HumanPosition, count::LARGEST_EVAL};

/// Predicted and actual scores of the side that is ahead by its evaluation, for the positions of
/// one range. The prediction comes from a model fitted to other games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReliabilityRow {
    /// Lower end of the range: pawns, or the mean rating.
    pub from: f64,
    /// Upper end of the range, which is not part of it; missing for mates.
    pub to: Option<f64>,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Mean predicted score of the side ahead, 0..=1.
    pub predicted: f64,
    /// Mean actual score of the side ahead, 0..=1.
    pub score: f64,
    /// Standard error of the difference between the two, by game.
    pub error: f64,
}

/// Bounds of the ranges of evaluations, in pawns. The last range includes the largest evaluation
/// that counts.
const EVALS: [f64; 8] = [0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, LARGEST_EVAL + 0.01];
/// Bounds of the ranges of ratings.
const RATINGS: [f64; 7] = [0.0, 1400.0, 1700.0, 2000.0, 2300.0, 2600.0, 4000.0];
/// Smallest evaluation, in pawns, of the rows by rating. Below it, neither side is ahead.
const AHEAD: f64 = 0.5;

/// The rows by evaluation (mates last) and the rows by rating. `scores` are White's expected scores
/// in the positions of each game.
pub(super) fn reliability(
    games: &[&HumanGame],
    scores: &[Vec<f64>],
    fit: &HumanFit,
) -> (Vec<ReliabilityRow>, Vec<ReliabilityRow>) {
    let row = |from: f64, to: Option<f64>, is_in: &dyn Fn(&HumanGame, &HumanPosition) -> bool| {
        // For each game: number of positions, sum of predicted scores, sum of actual scores.
        let mut sums: Vec<[f64; 3]> = Vec::new();
        for (game, scores) in games.iter().zip(scores) {
            let mut sum = [0.0; 3];
            for (position, score) in game
                .positions
                .iter()
                .zip(scores)
                .filter(|(position, _)| is_in(game, position))
            {
                let is_white = position.cp > 0 || position.mate > 0;
                let of_white = fit.of_result(game, *score);
                let (predicted, actual) = if is_white {
                    (of_white, game.score())
                } else {
                    (1.0 - of_white, 1.0 - game.score())
                };
                sum = [sum[0] + 1.0, sum[1] + predicted, sum[2] + actual];
            }
            if sum[0] > 0.0 {
                sums.push(sum);
            }
        }
        let [positions, predicted, actual] =
            [0, 1, 2].map(|index| sums.iter().map(|sum| sum[index]).sum::<f64>());
        let mean = (actual - predicted) / positions.max(1.0);
        let squares: f64 = sums
            .iter()
            .map(|sum| (sum[2] - sum[1] - mean * sum[0]).powi(2))
            .sum();
        ReliabilityRow {
            from,
            to,
            games: sums.len() as u64,
            positions: positions as u64,
            predicted: predicted / positions.max(1.0),
            score: actual / positions.max(1.0),
            error: squares.sqrt() / positions.max(1.0),
        }
    };
    let mut by_eval: Vec<ReliabilityRow> = EVALS
        .windows(2)
        .map(|ends| {
            let is_in = |_: &HumanGame, position: &HumanPosition| {
                position.mate == 0
                    && position.cp != 0
                    && (ends[0]..ends[1]).contains(&position.pawns().abs())
            };
            row(ends[0], Some(ends[1]), &is_in)
        })
        .collect();
    by_eval.push(row(EVALS[7], None, &|_, position| position.mate != 0));
    let by_rating = RATINGS.windows(2).map(|ends| {
        let is_in = |game: &HumanGame, position: &HumanPosition| {
            (position.mate != 0 || position.pawns().abs() >= AHEAD)
                && (ends[0]..ends[1]).contains(&game.rating())
        };
        row(ends[0], Some(ends[1]), &is_in)
    });
    let by_rating = by_rating.filter(|row| row.positions > 0).collect();
    by_eval.retain(|row| row.positions > 0);
    (by_eval, by_rating)
}
