//! How hard is a position for a human?
//!
//! A position is hard if moves that people are likely to play lose a lot: each move counts with its
//! loss times the probability that people play it. Ease is 1 if every likely move is good. Sources:
//! the article "Chess Position Ease" ([`Ease::sum`]) and the code of its extension
//! ([`Ease::each`]).

use serde::{Deserialize, Serialize};

use crate::{Curve, math::Portable as _};

/// Exponent `α` of the whole sum.
const ALPHA: f64 = 1.0 / 3.0;
/// Exponent `β` of the probabilities.
const BETA: f64 = 1.5;
/// The curve of the published metric: Lichess' winning chances without the clamp. Any other curve
/// works as well.
pub const EASE_CURVE: Curve = Curve::Logistic {
    k: 0.003_682_08,
    clamp: None,
};

/// A candidate move, with the probability that it is played and its value.
///
/// ```
/// use centipawn_core::{WeighedMove, Ease};
///
/// // The natural move, played nine times of ten, throws the game away.
/// let q = |cp: f64| 2.0 / (1.0 + (-0.00368208 * cp).exp()) - 1.0;
/// let moves = [("Qd4", 0.02, 0.0), ("Qxb7", 0.9, -500.0), ("Qc2", 0.05, -600.0)];
/// let moves = moves.map(|(san, p, cp)| WeighedMove::new(san, Some(p), Some(q(cp))).unwrap());
/// let ease = Ease::of(&moves).unwrap();
/// assert!((ease.sum - 0.31997).abs() < 1e-5);
/// assert!((ease.each - 0.15831).abs() < 1e-5);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeighedMove {
    name: String,
    p: f64,
    q: f64,
}

impl WeighedMove {
    /// Creates a move from its name, its probability 0..=1, and its value −1..=1 for the side to
    /// move (`2·P(eval) − 1` of a curve).
    ///
    /// # Errors
    ///
    /// [`EaseError`], which names the move, if the probability or the value is missing or out of
    /// range.
    pub fn new(name: impl Into<String>, p: Option<f64>, q: Option<f64>) -> Result<Self, EaseError> {
        let name = name.into();
        let Some(p) = p else {
            return Err(EaseError::NoProbability(name));
        };
        let Some(q) = q else {
            return Err(EaseError::NoEvaluation(name));
        };
        if !(0.0..=1.0).contains(&p) {
            return Err(EaseError::Probability { name, p });
        }
        if !(-1.0..=1.0).contains(&q) {
            return Err(EaseError::Worth { name, q });
        }
        Ok(Self { name, p, q })
    }

    /// Returns the move's name, as given to [`new`](Self::new).
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the probability that the move is played, 0..=1.
    pub fn p(&self) -> f64 {
        self.p
    }

    /// Returns the value of the position after the move for the side to move, −1..=1.
    pub fn q(&self) -> f64 {
        self.q
    }
}

/// The ease of a position by both formulas; 1 is easiest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ease {
    /// `1 − (Σ P^β · loss)^α`, 0..=1: the original metric.
    pub sum: f64,
    /// `1 − Σ (P^β · loss)^α`: the extended metric. Never above `sum`; negative where many likely
    /// moves lose.
    pub each: f64,
    /// Expected score that each candidate loses against the best one, 0..=1, in the order of the
    /// candidates.
    pub losses: Vec<f64>,
    /// Each candidate's share of the sum, 0..=1, in the same order; all 0 if no candidate loses
    /// anything.
    pub shares: Vec<f64>,
    /// Probabilities of good moves, inaccuracies and blunders.
    pub meter: BlunderMeter,
}

/// Probabilities, 0..=1, of moves by the expected score that they lose.
///
/// ```
/// use centipawn_core::BlunderMeter;
///
/// // The best move is played by 60 %; two other moves lose 0.07 and 0.30.
/// let meter = BlunderMeter::of([(0.6, 0.0), (0.2, 0.07), (0.1, 0.3)]);
/// assert_eq!((meter.good, meter.inaccurate, meter.blunder), (0.6, 0.2, 0.1));
/// assert!((meter.unknown - 0.1).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct BlunderMeter {
    /// Less than 5 %.
    pub good: f64,
    /// From 5 % to less than 10 %.
    pub inaccurate: f64,
    /// 10 % and more.
    pub blunder: f64,
    /// Moves that were not among the candidates.
    pub unknown: f64,
}

impl BlunderMeter {
    /// Minimum loss of expected score of an inaccurate move, 0..=1.
    pub const INACCURATE: f64 = 0.05;
    /// Minimum loss of expected score of a blunder, 0..=1.
    pub const BLUNDER: f64 = 0.10;

    /// Sums the probabilities of moves, given as (probability, expected score lost). The rest up to
    /// 1 is [`unknown`](Self::unknown).
    pub fn of(moves: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut meter = Self {
            unknown: 1.0,
            ..Self::default()
        };
        for (p, loss) in moves {
            *match loss {
                loss if loss < Self::INACCURATE => &mut meter.good,
                loss if loss < Self::BLUNDER => &mut meter.inaccurate,
                _ => &mut meter.blunder,
            } += p;
            meter.unknown -= p;
        }
        Self {
            unknown: meter.unknown.max(0.0),
            ..meter
        }
    }
}

impl Ease {
    /// Computes ease from a position's candidates. Moves that are left out count as never played.
    ///
    /// # Errors
    ///
    /// [`EaseError`] if there are no candidates, if a move appears twice, or if the probabilities
    /// sum to more than 1.
    pub fn of(candidates: &[WeighedMove]) -> Result<Self, EaseError> {
        let best = candidates
            .iter()
            .map(|candidate| candidate.q)
            .fold(f64::NEG_INFINITY, f64::max);
        if candidates.is_empty() {
            return Err(EaseError::NoCandidates);
        }
        let mut names: Vec<&str> = candidates
            .iter()
            .map(|candidate| candidate.name.as_str())
            .collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(EaseError::Twice(pair[0].to_owned()));
        }
        let mass: f64 = candidates.iter().map(|candidate| candidate.p).sum();
        if mass > 1.001 {
            return Err(EaseError::Mass(mass));
        }
        let losses: Vec<f64> = candidates
            .iter()
            .map(|candidate| (best - candidate.q) / 2.0)
            .collect();
        let parts: Vec<f64> = candidates
            .iter()
            .zip(&losses)
            .map(|(candidate, loss)| candidate.p.powf_portable(BETA) * loss)
            .collect();
        let total: f64 = parts.iter().sum();
        let meter = BlunderMeter::of(
            candidates
                .iter()
                .map(|candidate| candidate.p)
                .zip(losses.iter().copied()),
        );
        Ok(Self {
            sum: (1.0 - total.powf_portable(ALPHA)).clamp(0.0, 1.0),
            each: 1.0
                - parts
                    .iter()
                    .map(|part| part.powf_portable(ALPHA))
                    .sum::<f64>(),
            shares: parts
                .iter()
                .map(|part| if total > 0.0 { part / total } else { 0.0 })
                .collect(),
            losses,
            meter,
        })
    }

    /// Returns ease of a position with one legal move: 1, since there is nothing to get wrong.
    pub fn forced() -> Self {
        let meter = BlunderMeter {
            good: 1.0,
            ..BlunderMeter::default()
        };
        Self {
            sum: 1.0,
            each: 1.0,
            losses: vec![0.0],
            shares: vec![0.0],
            meter,
        }
    }

    /// Returns the probability, 0..=1, that a player finds a good move, which loses less than 5 %
    /// of expected score.
    pub fn finds(&self) -> f64 {
        self.meter.good
    }
}

/// Why ease or sharpness cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EaseError {
    /// There are no candidates.
    #[error("ease needs candidate moves, and there are none")]
    NoCandidates,
    /// A move has no probability.
    #[error("{0} has no probability")]
    NoProbability(String),
    /// A move has no evaluation.
    #[error("{0} has no evaluation")]
    NoEvaluation(String),
    /// A probability is outside 0..=1.
    #[error("{name} has the probability {p}, which is not between 0 and 1")]
    Probability {
        /// Name of the move.
        name: String,
        /// The value as given.
        p: f64,
    },
    /// The value of a move is outside −1..=1.
    #[error("{name} is worth {q}, which is not between -1 and 1")]
    Worth {
        /// Name of the move.
        name: String,
        /// The value as given.
        q: f64,
    },
    /// A move appears twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// The probabilities sum to more than 1.
    #[error("the probabilities of the moves sum to {0}, more than 1")]
    Mass(f64),
    /// Win and loss are not probabilities, or sum to more than 1.
    #[error("a win probability of {win} with a loss probability of {loss} is impossible")]
    Wdl {
        /// Probability of a win, as given.
        win: f64,
        /// Probability of a loss, as given.
        loss: f64,
    },
    /// Without draws (`W + L = 1`) sharpness is infinite.
    #[error("without draws sharpness has no bound")]
    Unbounded,
}

/// Sharpness of a position by its win and loss probabilities, `(2/(ln(1/W − 1) + ln(1/L − 1)))²`,
/// at least 0. It is high if both sides may win. Unlike ease, it measures how open the result is,
/// not how hard it is to decide well.
///
/// ```
/// use centipawn_core::sharpness;
///
/// assert!(sharpness(0.02, 0.02).unwrap() < sharpness(0.35, 0.30).unwrap());
/// assert_eq!(sharpness(0.5, 0.0).unwrap(), 0.0);
/// ```
///
/// # Errors
///
/// [`EaseError::Wdl`] if the arguments are not probabilities or sum to more than 1,
/// [`EaseError::Unbounded`] if `W + L = 1`.
pub fn sharpness(win: f64, loss: f64) -> Result<f64, EaseError> {
    let is_probability = |p: f64| (0.0..=1.0).contains(&p);
    if !is_probability(win) || !is_probability(loss) || win + loss > 1.0 + 1e-9 {
        return Err(EaseError::Wdl { win, loss });
    }
    if win == 0.0 || loss == 0.0 {
        return Ok(0.0);
    }
    let odds = (1.0 / win - 1.0).ln_portable() + (1.0 / loss - 1.0).ln_portable();
    if odds <= 1e-12 {
        Err(EaseError::Unbounded)
    } else {
        Ok((2.0 / odds).powi(2))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidates(moves: &[(f64, f64)]) -> Vec<WeighedMove> {
        let named = moves.iter().enumerate();
        named
            .map(|(index, (p, q))| {
                WeighedMove::new(format!("m{index}"), Some(*p), Some(*q)).unwrap()
            })
            .collect()
    }

    #[test]
    fn errors_name_the_move() {
        let text = |result: Result<WeighedMove, EaseError>| result.unwrap_err().to_string();
        assert_eq!(
            text(WeighedMove::new("Nf3", Some(0.5), None)),
            "Nf3 has no evaluation"
        );
        assert_eq!(
            text(WeighedMove::new("Nf3", None, Some(0.0))),
            "Nf3 has no probability"
        );
        assert!(
            text(WeighedMove::new("Nf3", Some(f64::NAN), Some(0.0)))
                .starts_with("Nf3 has the probability NaN")
        );
        assert!(
            text(WeighedMove::new("Nf3", Some(0.5), Some(1.5))).starts_with("Nf3 is worth 1.5")
        );
        assert_eq!(Ease::of(&[]), Err(EaseError::NoCandidates));
        let mv = WeighedMove::new("Nf3", Some(0.5), Some(0.0)).unwrap();
        assert_eq!(
            Ease::of(&[mv.clone(), mv]),
            Err(EaseError::Twice("Nf3".to_owned()))
        );
        assert!(matches!(
            Ease::of(&candidates(&[(0.7, 0.0), (0.7, 0.1)])),
            Err(EaseError::Mass(_))
        ));
    }

    #[test]
    fn the_meter_sorts_moves_by_the_expected_score_lost() {
        let moves = candidates(&[(0.5, -0.6), (0.2, 0.2), (0.1, 0.06), (0.05, 0.15)]);
        let ease = Ease::of(&moves).unwrap();
        let BlunderMeter {
            good,
            inaccurate,
            blunder,
            unknown,
        } = ease.meter;
        for (got, wanted) in [
            (good, 0.25),
            (inaccurate, 0.1),
            (blunder, 0.5),
            (unknown, 0.15),
        ] {
            assert!((got - wanted).abs() < 1e-12);
        }
    }

    #[test]
    fn sharpness_of_invalid_probabilities_is_an_error() {
        assert_eq!(sharpness(0.5, 0.5), Err(EaseError::Unbounded));
        assert!(sharpness(0.9, 0.9).is_err() && sharpness(f64::NAN, 0.1).is_err());
        assert!(
            (sharpness(0.3, 0.3).unwrap() - (1.0 / (7.0_f64 / 3.0).ln()).powi(2)).abs() < 1e-12
        );
    }

    proptest! {
        #[test]
        fn each_is_never_above_sum(moves in prop::collection::vec((0.0..1.0_f64, -1.0..=1.0_f64), 1..20)) {
            let mass: f64 = moves.iter().map(|(p, _)| p).sum::<f64>().max(1.0);
            let moves: Vec<_> = moves.into_iter().map(|(p, q)| (p / mass, q)).collect();
            let ease = Ease::of(&candidates(&moves)).unwrap();
            prop_assert!((0.0..=1.0).contains(&ease.sum));
            prop_assert!(ease.each <= ease.sum + 1e-12);
            let shares: f64 = ease.shares.iter().sum();
            prop_assert!(shares.abs() < 1e-9 || (shares - 1.0).abs() < 1e-9);
        }
    }
}
