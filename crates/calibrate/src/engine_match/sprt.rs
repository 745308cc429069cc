//! Wald's sequential test of two hypotheses about the strength of a player, and their
//! log-likelihood ratio.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::estimate::{ELO, score};

/// The scale of the two hypotheses of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtModel {
    /// Normalised Elo: the score above ½ in standard deviations of one game.
    #[default]
    Normalized,
    /// Elo, computed from the score.
    Logistic,
    /// BayesElo, with the draw rate of the games. It uses single games even if there are pairs.
    Bayesian,
}

/// A sequential test: is the first player stronger than the second by `elo0`, or by `elo1`?
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// Difference under hypothesis H0, on the scale of `model`.
    pub elo0: f64,
    /// Difference under hypothesis H1, above `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 is true; 0.05 by default.
    pub alpha: f64,
    /// Probability of accepting H0 if H1 is true; 0.05 by default.
    pub beta: f64,
    /// The scale of both differences.
    pub model: SprtModel,
}

/// The conclusion of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SprtVerdict {
    /// H0 is accepted: the first player is not stronger by `elo1`.
    H0,
    /// H1 is accepted: the first player is stronger by more than `elo0`.
    H1,
    /// More games are needed.
    #[serde(rename = "continue")]
    Continue,
}

/// The hypotheses or error rates allow no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSprt {
    /// `elo0` is not below `elo1`, or one of them is beyond ±2,000 Elo.
    #[error("the bounds of a sequential test are two numbers, the lower one first, such as 0,5")]
    Bounds,
    /// An error rate is not above 0, or both together are not below 1.
    #[error("alpha and beta are above 0, and together below 1")]
    Rates,
}

impl SprtModel {
    /// All scales.
    pub const ALL: [SprtModel; 3] = [
        SprtModel::Normalized,
        SprtModel::Logistic,
        SprtModel::Bayesian,
    ];

    /// Returns the scale's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SprtModel::Normalized => "normalized",
            SprtModel::Logistic => "logistic",
            SprtModel::Bayesian => "bayesian",
        }
    }
}

impl FromStr for SprtModel {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|model| model.name() == name);
        named.ok_or_else(|| {
            "the models of a sequential test are normalized, logistic and bayesian".to_owned()
        })
    }
}

impl Sprt {
    /// Creates a test with error rates of 5 %.
    pub fn new(elo0: f64, elo1: f64, model: SprtModel) -> Self {
        Self {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            model,
        }
    }

    /// Checks the hypotheses and the error rates.
    ///
    /// # Errors
    ///
    /// [`BadSprt`], if they allow no test.
    pub fn check(&self) -> Result<(), BadSprt> {
        const LARGEST: f64 = 2000.0;
        if !(self.elo0 < self.elo1 && self.elo0.abs() <= LARGEST && self.elo1.abs() <= LARGEST) {
            return Err(BadSprt::Bounds);
        }
        let (alpha, beta) = (self.alpha, self.beta);
        if alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0 {
            Ok(())
        } else {
            Err(BadSprt::Rates)
        }
    }

    /// Returns the log-likelihood ratios at which H0 and H1 are accepted: `ln(β/(1 − α))`, `ln((1 −
    /// β)/α)`.
    pub fn limits(&self) -> [f64; 2] {
        [
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        ]
    }

    /// Returns the conclusion at a log-likelihood ratio.
    pub fn verdict(&self, llr: f64) -> SprtVerdict {
        let [lower, upper] = self.limits();
        match llr {
            llr if llr >= upper => SprtVerdict::H1,
            llr if llr <= lower => SprtVerdict::H0,
            _ => SprtVerdict::Continue,
        }
    }

    /// Returns the log-likelihood ratio from the number of pairs by points of the first player: 0,
    /// ½, 1, 1½, 2. `None` for [`SprtModel::Bayesian`], which cannot use pairs.
    pub(crate) fn llr_of_pairs(&self, pentanomial: [u64; 5]) -> Option<f64> {
        (self.model != SprtModel::Bayesian).then(|| self.llr(&pentanomial, 2.0))
    }

    /// Returns the log-likelihood ratio from the number of games lost, drawn and won.
    pub(crate) fn llr_of_games(&self, lost_drawn_won: [u64; 3]) -> f64 {
        self.llr(&lost_drawn_won, 1.0)
    }

    /// Returns the generalised log-likelihood ratio: the likelihood of the counts under the most
    /// likely distribution with H1, divided by that with H0. As in fishtest and fastchess, a score
    /// that did not occur counts as 0.001 observations, because otherwise a hypothesis could be
    /// impossible.
    fn llr(&self, counts: &[u64], games: f64) -> f64 {
        let counts: Vec<f64> = counts
            .iter()
            .map(|&count| if count == 0 { 1e-3 } else { count as f64 })
            .collect();
        let total: f64 = counts.iter().sum();
        let last = (counts.len() - 1) as f64;
        // Each score with its observed share.
        let observed: Vec<(f64, f64)> = counts
            .iter()
            .enumerate()
            .map(|(index, count)| (index as f64 / last, count / total))
            .collect();
        let likely = |elo: f64| match self.model {
            SprtModel::Normalized => with_deviations(&observed, elo * games.sqrt() / (2.0 * ELO)),
            SprtModel::Logistic => with_mean(&observed, score(elo)),
            SprtModel::Bayesian => {
                // BayesElo's drawelo, from the draw rate of the games.
                let (lost, won) = (observed[0].1, observed[observed.len() - 1].1);
                let drawelo = ELO / 2.0 * ((1.0 - lost) / lost * (1.0 - won) / won).ln();
                with_mean(
                    &observed,
                    0.5 * (1.0 + score(elo - drawelo) - score(-elo - drawelo)),
                )
            }
        };
        let (h0, h1) = (likely(self.elo0), likely(self.elo1));
        let ratio = observed
            .iter()
            .zip(h0.iter().zip(&h1))
            .map(|((_, share), (h0, h1))| share * (h1 / h0).ln());
        total * ratio.sum::<f64>()
    }
}

/// Returns the most likely distribution of scores with this mean: `p = share/(1 + θ·(score −
/// mean))`. Source: Van den Bergh, "Comparing the approximations for the generalized log likelihood
/// ratio of a multinomial distribution", proposition 1.1.
fn with_mean(observed: &[(f64, f64)], mean: f64) -> Vec<f64> {
    let away: Vec<f64> = observed.iter().map(|(score, _)| score - mean).collect();
    // If all scores are above `mean`, or all are below it, no distribution has this mean. Then use
    // the observed shares.
    tilted(observed, &away).unwrap_or_else(|| observed.iter().map(|(_, share)| *share).collect())
}

/// Returns the most likely distribution whose mean is `deviations` standard deviations above ½.
/// Source: Van den Bergh, "Comments on normalized Elo", section 4.1. If that condition is far from
/// the observed distribution, it is approached in steps.
fn with_deviations(observed: &[(f64, f64)], deviations: f64) -> Vec<f64> {
    const SHORTEST: f64 = 1e-3;
    let mut likely = vec![1.0 / observed.len() as f64; observed.len()];
    let (mut reached, mut step) = (0.0, deviations);
    loop {
        match settled(observed, reached + step, likely.clone()) {
            Some(next) => {
                likely = next;
                reached += step;
                step = deviations - reached;
                if step == 0.0 {
                    break;
                }
            }
            None if step.abs() < SHORTEST => break,
            None => step /= 2.0,
        }
    }
    likely
}

/// Like [`with_deviations`], from a distribution close to the result. Each iteration makes the
/// condition linear at the last distribution, until it no longer changes. `None` if the result is
/// too far away for that.
fn settled(observed: &[(f64, f64)], deviations: f64, mut likely: Vec<f64>) -> Option<Vec<f64>> {
    const STEPS: usize = 200;
    for _ in 0..STEPS {
        let weighed = || observed.iter().zip(&likely);
        let mean: f64 = weighed().map(|((score, _), p)| score * p).sum();
        let deviation = weighed()
            .map(|((score, _), p)| (score - mean).powi(2) * p)
            .sum::<f64>()
            .sqrt();
        let away: Vec<f64> = observed
            .iter()
            .map(|(score, _)| {
                score
                    - 0.5
                    - 0.5 * deviations * deviation * (1.0 + ((score - mean) / deviation).powi(2))
            })
            .collect();
        let next = tilted(observed, &away)?;
        let change = next
            .iter()
            .zip(&likely)
            .map(|(next, last)| (next - last).abs())
            .fold(0.0, f64::max);
        likely = next;
        if change < 1e-12 {
            break;
        }
    }
    Some(likely)
}

/// `share/(1 + θ·away)` with the θ for which `away` has mean 0; `None` if all values of `away` have
/// the same sign, since no θ exists then.
fn tilted(observed: &[(f64, f64)], away: &[f64]) -> Option<Vec<f64>> {
    let (least, most) = away
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), own| {
            (least.min(*own), most.max(*own))
        });
    if least >= 0.0 || most <= 0.0 {
        return None;
    }
    let slope = |theta: f64| -> f64 {
        observed
            .iter()
            .zip(away)
            .map(|((_, share), away)| share * away / (1.0 + theta * away))
            .sum()
    };
    // The slope falls from +∞ to −∞ between the poles, so bisect.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let theta = 0.5 * (low + high);
    Some(
        observed
            .iter()
            .zip(away)
            .map(|((_, share), away)| share / (1.0 + theta * away))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitted_distributions_satisfy_their_hypothesis() {
        let observed: Vec<(f64, f64)> = [12.0, 30.0, 80.0, 45.0, 20.0]
            .iter()
            .enumerate()
            .map(|(i, n)| (i as f64 / 4.0, n / 187.0))
            .collect();
        let moments = |p: &[f64]| {
            let sum: f64 = p.iter().sum();
            let mean: f64 = observed
                .iter()
                .zip(p)
                .map(|((score, _), p)| score * p)
                .sum();
            let variance: f64 = observed
                .iter()
                .zip(p)
                .map(|((score, _), p)| (score - mean).powi(2) * p)
                .sum();
            (sum, mean, variance)
        };
        let (sum, mean, _) = moments(&with_mean(&observed, 0.6));
        assert!((sum - 1.0).abs() < 1e-12 && (mean - 0.6).abs() < 1e-12);
        let (sum, mean, variance) = moments(&with_deviations(&observed, 0.1));
        assert!((sum - 1.0).abs() < 1e-9 && ((mean - 0.5) / variance.sqrt() - 0.1).abs() < 1e-9);
        for far in [-5.0, -1.5, 0.9, 2.0, 5.0] {
            let (sum, mean, variance) = moments(&with_deviations(&observed, far));
            assert!(
                (sum - 1.0).abs() < 1e-6 && ((mean - 0.5) / variance.sqrt() - far).abs() < 1e-6,
                "{far}"
            );
        }
    }

    #[test]
    fn the_hypothesis_nearest_to_the_observed_score_wins() {
        let counts = [10, 40, 50];
        let seen = score_elo(0.7);
        for (elo0, elo1) in [(seen - 20.0, seen), (seen - 50.0, seen - 10.0)] {
            assert!(Sprt::new(elo0, elo1, SprtModel::Logistic).llr_of_games(counts) > 0.0);
        }
        assert!(Sprt::new(seen, seen + 20.0, SprtModel::Logistic).llr_of_games(counts) < 0.0);
        // After losing every game, a higher H1 must become less likely.
        let lost = |elo1| {
            Sprt::new(0.0, elo1, SprtModel::Normalized)
                .llr_of_pairs([30, 0, 0, 0, 0])
                .unwrap()
        };
        assert!(lost(600.0) < lost(240.0) && lost(240.0) < lost(230.0) && lost(230.0) < -30.0);
        // The ratios of two adjacent tests add up to the ratio of the test from end to end.
        let llr = |elo0, elo1| {
            Sprt::new(elo0, elo1, SprtModel::Normalized)
                .llr_of_pairs([3, 9, 20, 14, 2])
                .unwrap()
        };
        assert!((llr(0.0, 5.0) + llr(5.0, 9.0) - llr(0.0, 9.0)).abs() < 1e-9);
    }

    fn score_elo(score: f64) -> f64 {
        super::super::estimate::elo(score).unwrap()
    }

    #[test]
    fn impossible_tests_are_refused() {
        let sprt = |elo0, elo1, alpha, beta| {
            Sprt {
                alpha,
                beta,
                ..Sprt::new(elo0, elo1, SprtModel::Logistic)
            }
            .check()
        };
        assert_eq!(sprt(0.0, 5.0, 0.05, 0.05), Ok(()));
        assert_eq!(sprt(5.0, 5.0, 0.05, 0.05), Err(BadSprt::Bounds));
        assert_eq!(sprt(f64::NAN, 5.0, 0.05, 0.05), Err(BadSprt::Bounds));
        assert_eq!(sprt(0.0, 5.0, 0.0, 0.05), Err(BadSprt::Rates));
        assert_eq!(sprt(0.0, 5.0, 0.5, 0.5), Err(BadSprt::Rates));
    }

    #[test]
    fn counts_with_a_single_score_have_a_finite_ratio() {
        for counts in [[0, 0, 0, 0, 9], [0, 0, 4, 0, 0], [7, 0, 0, 0, 0]] {
            for model in [SprtModel::Normalized, SprtModel::Logistic] {
                assert!(
                    Sprt::new(0.0, 5.0, model)
                        .llr_of_pairs(counts)
                        .unwrap()
                        .is_finite(),
                    "{counts:?} {model:?}"
                );
            }
        }
        for counts in [[0, 0, 5], [0, 3, 0], [2, 0, 0]] {
            assert!(
                Sprt::new(-3.0, 1.0, SprtModel::Bayesian)
                    .llr_of_games(counts)
                    .is_finite()
            );
        }
    }
}
