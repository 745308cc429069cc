//! Elo, normalised Elo and likelihood of superiority from counted scores.

use serde::{Deserialize, Serialize};

use crate::{TWO_SIDED, normal::above};

/// Elo points of a unit of log-odds: 400/ln 10.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The observations of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreBasis {
    /// Pairs of games with one opening and reversed colors: five possible scores.
    Pairs,
    /// Single games: three possible scores.
    Games,
}

/// The strength that a score shows, from the first player's view.
///
/// With the mean score `s` of `n` observations and their variance `σ²`: Elo is `400·log10(s/(1 − s))`; its error is half the difference of
/// the Elo of `s ± 1.96·σ/√n`; normalised Elo is `(s − ½)/(σ·√g)·800/ln 10` with `g` games in each observation; the likelihood of
/// superiority is `Φ((s − ½)·√n/σ)`. These are the formulas of fastchess and fishtest (Van den Bergh, "Normalized Elo").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreEstimate {
    /// What was observed.
    pub basis: ScoreBasis,
    /// Number of observations.
    pub observations: u64,
    /// Mean score, 0..=1.
    pub score: f64,
    /// Half the width of its 95 % interval.
    pub score_error: f64,
    /// Elo difference; `null` if all points went to one player.
    pub elo: Option<f64>,
    /// Half the width of its 95 % interval; `null` if the interval reaches a score of 0 or 1.
    pub elo_error: Option<f64>,
    /// Normalised Elo difference; `null` if all observations have the same score.
    pub normalized_elo: Option<f64>,
    /// Half the width of its 95 % interval.
    pub normalized_elo_error: Option<f64>,
    /// Probability that the first player is the stronger one, 0..=1; `null` if all observations have the same score.
    pub superiority: Option<f64>,
}

impl ScoreEstimate {
    /// From the number of pairs by points of the first player: 0, ½, 1, 1½, 2. `None` without pairs.
    pub fn of_pairs(pentanomial: [u64; 5]) -> Option<Self> {
        Self::new(ScoreBasis::Pairs, &pentanomial, 2.0)
    }

    /// From the number of games lost, drawn and won. `None` without games.
    pub fn of_games(lost_drawn_won: [u64; 3]) -> Option<Self> {
        Self::new(ScoreBasis::Games, &lost_drawn_won, 1.0)
    }

    fn new(basis: ScoreBasis, counts: &[u64], games: f64) -> Option<Self> {
        let observations: u64 = counts.iter().sum();
        if observations == 0 {
            return None;
        }
        let n = observations as f64;
        let (score, variance) = mean_and_variance(counts);
        let error = TWO_SIDED * (variance / n).sqrt();
        let elo_error = elo(score + error).zip(elo(score - error)).map(|(high, low)| (high - low) / 2.0);
        let unit = (variance > 0.0).then(|| 2.0 * ELO / (games * variance).sqrt());
        Some(Self {
            basis,
            observations,
            score,
            score_error: error,
            elo: elo(score),
            elo_error,
            normalized_elo: unit.map(|unit| (score - 0.5) * unit),
            normalized_elo_error: unit.map(|unit| error * unit),
            superiority: (variance > 0.0).then(|| above((0.5 - score) / (variance / n).sqrt())),
        })
    }
}

/// Mean and variance of equally spaced scores from 0 to 1.
fn mean_and_variance(counts: &[u64]) -> (f64, f64) {
    let n = counts.iter().sum::<u64>() as f64;
    let last = (counts.len() - 1) as f64;
    let scored = || counts.iter().enumerate().map(|(index, &count)| (index as f64 / last, count as f64));
    let mean = scored().map(|(score, count)| score * count).sum::<f64>() / n;
    (mean, scored().map(|(score, count)| (score - mean).powi(2) * count).sum::<f64>() / n)
}

/// The Elo difference of a score; `None` if it is not finite.
pub(super) fn elo(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| ELO * (score / (1.0 - score)).ln())
}

/// The score of an Elo difference.
pub(super) fn score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_without_an_elo() {
        let won = ScoreEstimate::of_games([0, 0, 4]).unwrap();
        assert_eq!(
            (won.score, won.elo, won.elo_error, won.normalized_elo, won.superiority),
            (1.0, None, None, None, None)
        );
        let drawn = ScoreEstimate::of_pairs([0, 0, 3, 0, 0]).unwrap();
        assert_eq!((drawn.elo, drawn.elo_error, drawn.superiority), (Some(0.0), Some(0.0), None));
        assert_eq!(ScoreEstimate::of_games([0, 0, 0]), None);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        assert!((elo(score(123.0)).unwrap() - 123.0).abs() < 1e-9);
        // 76 % are 200 Elo.
        assert!((elo(0.76).unwrap() - 200.24).abs() < 1e-2);
    }
}
