//! Elo, normalised Elo and likelihood of superiority from counted scores.

use serde::{Deserialize, Serialize};

use crate::{TWO_SIDED, normal::above};

/// Elo points that correspond to log-odds of 1: 400/ln 10.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// What an estimate counts as one observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreBasis {
    /// A pair of games with one opening and reversed colors, which has five possible scores.
    Pairs,
    /// A single game, which has three possible scores.
    Games,
    /// A pair, or a single game that belongs to no pair.
    PairsAndGames,
}

/// The difference in strength that a score shows, from the first player's view.
///
/// An observation is a pair, or a single game that belongs to no pair. Let `s` be the mean score of
/// `N` games, `pᵢ` the points of an observation and `gᵢ` its number of games. The variance of a
/// game is then `v = Σ(pᵢ − gᵢ·s)²/N`, Elo is `400·log10(s/(1 − s))`, its error is half the
/// difference between the Elo of `s ± 1.96·√(v/N)`, normalised Elo is `(s − ½)/√v·800/ln 10`, and
/// the likelihood of superiority is `Φ((s − ½)/√(v/N))`. If all games are in pairs, or none is,
/// these are the formulas of fastchess and fishtest (Van den Bergh, "Normalized Elo").
///
/// ```
/// use centipawn_calibrate::engine_match::ScoreEstimate;
///
/// // Sixty pairs of games, by points of the first player: 0, ½, 1, 1½, 2.
/// let pairs = ScoreEstimate::of_pairs([2, 10, 30, 15, 3]).unwrap();
/// assert_eq!(pairs.observations, 60);
/// // The same score from 120 single games, as if they were independent, has a larger error.
/// let games = ScoreEstimate::of_games([28, 57, 35]).unwrap();
/// assert_eq!(pairs.elo, games.elo);
/// assert!(pairs.elo_error < games.elo_error);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreEstimate {
    /// The kind of observations.
    pub basis: ScoreBasis,
    /// Number of observations.
    pub observations: u64,
    /// Mean points per game, 0..=1.
    pub score: f64,
    /// Half the width of the score's 95 % interval; `null` if all observations have the same score,
    /// which shows no error.
    pub score_error: Option<f64>,
    /// Elo difference; `null` if all points went to one player.
    pub elo: Option<f64>,
    /// Half the width of the Elo difference's 95 % interval; `null` if that of the score is unknown
    /// or reaches 0 or 1.
    pub elo_error: Option<f64>,
    /// Normalised Elo difference; `null` if all observations have the same score.
    pub normalized_elo: Option<f64>,
    /// Half the width of the normalised Elo difference's 95 % interval; `null` as for the
    /// difference.
    pub normalized_elo_error: Option<f64>,
    /// Probability that the first player is the stronger one, 0..=1; `null` if all observations
    /// have the same score.
    pub superiority: Option<f64>,
}

impl ScoreEstimate {
    /// Computes the estimate from the number of pairs by points of the first player: 0, ½, 1, 1½,
    /// 2. `None` without pairs.
    pub fn of_pairs(pentanomial: [u64; 5]) -> Option<Self> {
        Self::new(pentanomial, [0; 3])
    }

    /// Computes the estimate from the number of games lost, drawn and won. `None` without games.
    pub fn of_games(lost_drawn_won: [u64; 3]) -> Option<Self> {
        Self::new([0; 5], lost_drawn_won)
    }

    /// Computes the estimate from pairs, as in [`of_pairs`](Self::of_pairs), and from games that
    /// belong to no pair, as in [`of_games`](Self::of_games). `None` without either.
    pub fn new(pentanomial: [u64; 5], lost_drawn_won: [u64; 3]) -> Option<Self> {
        // For a list of counts: number of observations, of their games, and of their points.
        let of = |counts: &[u64], games: f64| {
            let counts = counts
                .iter()
                .enumerate()
                .map(|(half_points, &count)| (count as f64, games, half_points as f64 / 2.0));
            counts.collect::<Vec<_>>()
        };
        let observed = [of(&pentanomial, 2.0), of(&lost_drawn_won, 1.0)].concat();
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            observed
                .iter()
                .map(|&(count, games, points)| count * of(games, points))
                .sum()
        };
        let [pairs, singles] = [pentanomial.iter().sum::<u64>(), lost_drawn_won.iter().sum()];
        let basis = match (pairs, singles) {
            (0, 0) => return None,
            (_, 0) => ScoreBasis::Pairs,
            (0, _) => ScoreBasis::Games,
            _ => ScoreBasis::PairsAndGames,
        };
        let games = sum(&|games, _| games);
        let score = sum(&|_, points| points) / games;
        // If all observations have the same score, rounding leaves a tiny variance, which must
        // count as 0.
        let variance = Some(sum(&|games, points| (points - games * score).powi(2)) / games)
            .filter(|own| *own > 1e-12);
        let deviation = variance.map(|variance| (variance / games).sqrt());
        let error = deviation.map(|deviation| TWO_SIDED * deviation);
        let elo_error = error.and_then(|error| {
            elo(score + error)
                .zip(elo(score - error))
                .map(|(high, low)| (high - low) / 2.0)
        });
        let unit = variance.map(|variance| 2.0 * ELO / variance.sqrt());
        Some(Self {
            basis,
            observations: pairs + singles,
            score,
            score_error: error,
            elo: elo(score),
            elo_error,
            normalized_elo: unit.map(|unit| (score - 0.5) * unit),
            normalized_elo_error: unit.zip(error).map(|(unit, error)| error * unit),
            superiority: deviation.map(|deviation| above((0.5 - score) / deviation)),
        })
    }
}

/// Returns the Elo difference that corresponds to a score; `None` if it is not finite.
pub(super) fn elo(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| ELO * (score / (1.0 - score)).ln())
}

/// Returns the expected score at an Elo difference.
pub(super) fn score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_0_and_1_have_no_elo() {
        let won = ScoreEstimate::of_games([0, 0, 4]).unwrap();
        assert_eq!(
            (
                won.score,
                won.elo,
                won.elo_error,
                won.normalized_elo,
                won.superiority
            ),
            (1.0, None, None, None, None)
        );
        let drawn = ScoreEstimate::of_pairs([0, 0, 3, 0, 0]).unwrap();
        assert_eq!(
            (
                drawn.elo,
                drawn.score_error,
                drawn.elo_error,
                drawn.superiority
            ),
            (Some(0.0), None, None, None)
        );
        assert_eq!(ScoreEstimate::of_games([0, 0, 0]), None);
    }

    /// Computed by hand for two pairs with 2 and 1 points, and two games without a pair, won and
    /// lost.
    #[test]
    fn games_without_a_partner_count() {
        let own = ScoreEstimate::new([0, 0, 1, 0, 1], [1, 0, 1]).unwrap();
        let score: f64 = 4.0 / 6.0;
        let squares = [(2.0, 2.0), (1.0, 2.0), (1.0, 1.0), (0.0, 1.0)]
            .map(|(points, games)| (points - games * score).powi(2));
        let variance = squares.iter().sum::<f64>() / 6.0;
        assert_eq!(
            (own.basis, own.observations),
            (ScoreBasis::PairsAndGames, 4)
        );
        assert!((own.score - score).abs() < 1e-12);
        assert!((own.score_error.unwrap() - TWO_SIDED * (variance / 6.0).sqrt()).abs() < 1e-12);
        assert!(
            (own.normalized_elo.unwrap() - (score - 0.5) / variance.sqrt() * 800.0 / 10_f64.ln())
                .abs()
                < 1e-9
        );
    }

    #[test]
    fn elo_and_score_are_inverse() {
        assert!((elo(score(123.0)).unwrap() - 123.0).abs() < 1e-9);
        // A score of 76 % corresponds to 200 Elo.
        assert!((elo(0.76).unwrap() - 200.24).abs() < 1e-2);
    }
}
