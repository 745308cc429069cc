//! How far the result of a search is from that of a much longer one.

use crate::math::Portable as _;

/// What is known of a move after a search: what the error of its difference depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchedMove {
    /// Nodes of the search.
    pub nodes: u64,
    /// Expected score of the move minus that of the best other move, −1..=1: what its symbol
    /// measures.
    pub difference: f64,
    /// Mean of the expected scores of the best and the played move, 0..=1.
    pub expected_score: f64,
    /// By how much the search of the next position disagrees about the played move, in expected
    /// score; `None` if there is none.
    pub disagreement: Option<f64>,
    /// Pawns at equality that a whole point is worth on the curve ([`Curve::total`]).
    ///
    /// [`Curve::total`]: crate::Curve::total
    pub total: f64,
}

/// The distribution of a move's difference in a search of four million nodes, given a shorter one.
///
/// A mixture of two logistic distributions around the difference that the search found. Its scale
/// is fitted to 511 positions of games between people, which Stockfish 15.1 searched to 3,000 up to
/// 4,000,000 nodes (`research/search_error.py`). It is measured in pawns at equality, so that it
/// holds for any curve.
///
/// ```
/// use centipawn_core::{SearchError, SearchedMove};
///
/// let searched = |nodes| SearchedMove {
///     nodes,
///     difference: -0.12,
///     expected_score: 0.55,
///     disagreement: Some(0.01),
///     total: 8.0,
/// };
/// // The difference lies between the thresholds 0.05 and 0.15 of `?!` in scheme s20.
/// let [short, long] = [30_000, 1_000_000]
///     .map(|nodes| SearchError::of(&searched(nodes)).probability(-0.15, -0.05));
/// assert!(short > 0.4 && long > short && long < 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchError {
    /// Center and scale, in pawns at equality.
    center: f64,
    scale: f64,
    total: f64,
}

/// The logarithm of the scale: a constant, and what it gains by a factor of ten in nodes, by the
/// logarithms of 4p(1 − p) for the expected score p, of the difference, and of the disagreement.
const SCALE: f64 = -2.116;
const BY_NODES: f64 = -0.334;
const BY_SCORE: f64 = 0.395;
const BY_DIFFERENCE: f64 = 0.42;
const BY_DISAGREEMENT: f64 = 0.292;
/// Added before a logarithm is taken.
const LEAST_SCORE: f64 = 0.02;
const LEAST_DIFFERENCE: f64 = 0.16;
const LEAST_DISAGREEMENT: f64 = 0.04;
/// The logarithm of the usual disagreement, which counts if there is none.
const USUAL_DISAGREEMENT: f64 = -2.0;
/// Weight of the wider distribution of the mixture, and its scale in those of the narrower.
const WIDE: f64 = 0.352;
const WIDER: f64 = 2.38;
/// The share of the difference that a longer search finds again on average.
const KEPT: f64 = 0.984;
/// The nodes of the shortest and the longest search that the fit used.
const NODES: [u64; 2] = [3_000, 4_000_000];

impl SearchError {
    /// Returns the error of a move's difference.
    pub fn of(searched: &SearchedMove) -> Self {
        let SearchedMove {
            nodes,
            difference,
            expected_score,
            disagreement,
            total,
        } = *searched;
        let nodes = nodes.clamp(NODES[0], NODES[1]) as f64;
        let score = 4.0 * expected_score * (1.0 - expected_score);
        let disagreement = disagreement.map_or(0.0, |disagreement| {
            (disagreement.abs() * total + LEAST_DISAGREEMENT).ln_portable() - USUAL_DISAGREEMENT
        });
        let scale = SCALE
            + BY_NODES * (nodes.log10_portable() - 5.0)
            + BY_SCORE * (score.max(0.0) + LEAST_SCORE).ln_portable()
            + BY_DIFFERENCE * (difference.abs() * total + LEAST_DIFFERENCE).ln_portable()
            + BY_DISAGREEMENT * disagreement;
        Self {
            center: KEPT * difference * total,
            scale: scale.exp_portable(),
            total,
        }
    }

    /// Returns the probability, 0..=1, that a search of four million nodes finds a difference from
    /// `from` to `to`, in expected score. Either may be infinite.
    pub fn probability(&self, from: f64, to: f64) -> f64 {
        (self.below(to) - self.below(from)).clamp(0.0, 1.0)
    }

    /// Returns the standard deviation, in expected score.
    pub fn deviation(&self) -> f64 {
        // The variance of the logistic distribution of scale 1 is π²/3.
        let variance = std::f64::consts::PI.powi(2) / 3.0 * (1.0 - WIDE + WIDE * WIDER * WIDER);
        variance.sqrt() * self.scale / self.total
    }

    fn below(&self, difference: f64) -> f64 {
        let logistic = |scale: f64| {
            let x = (difference * self.total - self.center) / scale;
            1.0 / (1.0 + (-x).exp_portable())
        };
        (1.0 - WIDE) * logistic(self.scale) + WIDE * logistic(WIDER * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCHED: SearchedMove = SearchedMove {
        nodes: 100_000,
        difference: -0.12,
        expected_score: 0.5,
        disagreement: Some(0.02),
        total: 8.0,
    };

    #[test]
    fn probabilities_add_up() {
        let error = SearchError::of(&SEARCHED);
        let limits = [f64::NEG_INFINITY, -0.25, -0.15, -0.05, f64::INFINITY];
        let parts: f64 = limits
            .windows(2)
            .map(|pair| error.probability(pair[0], pair[1]))
            .sum();
        assert!((parts - 1.0).abs() < 1e-12, "{parts}");
    }

    /// The values of the script that fitted the model.
    #[test]
    fn the_model_is_that_of_the_script() {
        let error = SearchError::of(&SEARCHED);
        let close = |own: f64, expected: f64| assert!((own - expected).abs() < 5e-4, "{own}");
        close(error.scale, 0.1428);
        close(error.probability(-0.15, -0.05), 0.7214);
        close(error.deviation(), 0.0526);
    }

    #[test]
    fn longer_searches_and_agreement_are_surer() {
        let deviation = |searched: SearchedMove| SearchError::of(&searched).deviation();
        let own = deviation(SEARCHED);
        for surer in [
            SearchedMove {
                nodes: 1_000_000,
                ..SEARCHED
            },
            SearchedMove {
                disagreement: Some(0.001),
                ..SEARCHED
            },
            SearchedMove {
                expected_score: 0.98,
                ..SEARCHED
            },
            SearchedMove {
                difference: -0.02,
                ..SEARCHED
            },
        ] {
            assert!(deviation(surer) < own, "{surer:?}");
        }
        // Beyond four million nodes there is no measurement.
        let [most, beyond] = [4_000_000, u64::MAX].map(|nodes| SearchedMove { nodes, ..SEARCHED });
        assert_eq!(deviation(most), deviation(beyond));
    }
}
