//! Difficulty of puzzles: a rating on Lichess' scale, estimated from features of the solution.

mod features;
mod fit;
mod interval;
mod natural;
mod rater;
mod ridge;

use std::{fmt, sync::LazyLock};

use centipawn_core::History;
use centipawn_policy::Network;
use serde::{Deserialize, Serialize};
use shakmaty::Move;

use features::{features, names};
use interval::Intervals;
use natural::Natural;
use ridge::ridge;

pub use features::LineError;
pub use fit::{FitError, FitRatingOptions, FittedRating, RatingBand, RatingTable};
pub use rater::{RateOptions, Rater};

/// Standardised features are clamped to this many standard deviations. The data contain hardly any
/// greater values, so the model is unknown beyond.
const FARTHEST: f64 = 4.0;
/// Strength of the ridge penalty, for each standardised feature.
const PENALTY: f64 = 30.0;
/// Number of folds of the cross-validation that measures prediction errors.
const FOLDS: usize = 5;

/// The model that rates puzzles: a ridge regression over features of the solution (the
/// probabilities that players of three levels play its moves, its length, the kinds of its moves)
/// and their squares.
///
/// ```
/// use centipawn_puzzle::rating::RatingModel;
///
/// let model = RatingModel::bundled();
/// let networks: Vec<String> = model.networks.iter().map(ToString::to_string).collect();
/// assert_eq!(networks, ["centipawn-1 at 1100", "centipawn-1 at 1500", "centipawn-1 at 1900"]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingModel {
    /// The origin of the model: program, data and errors.
    pub provenance: String,
    /// The networks that provide features, with their levels, in the order of the features.
    pub networks: Vec<RatingNetwork>,
    intercept: f64,
    terms: Vec<Term>,
    /// The adjustment to puzzles as they occur; `None` if ratings are those of the fitted sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    natural: Option<Natural>,
    /// The 80 % interval around an estimate.
    intervals: Intervals,
}

/// A network that provides features, at one level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatingNetwork {
    /// The network's name.
    pub network: String,
    /// The rating of the imitated players; `None` if unknown.
    pub level: Option<u32>,
}

impl RatingNetwork {
    /// Returns all combinations of networks and levels, in the order of the features. A network
    /// that imitates one level only occurs once.
    pub(crate) fn all(networks: &[Network], levels: &[u32]) -> Vec<Self> {
        let of = |network: &Network| -> Vec<Option<u32>> {
            match network.levels() {
                Some(_) => levels
                    .iter()
                    .map(|level| network.nearest_level(*level))
                    .collect(),
                None => vec![None],
            }
        };
        let named = |network: &Network, level| Self {
            network: network.name().to_owned(),
            level,
        };
        networks
            .iter()
            .flat_map(|network| {
                of(network)
                    .into_iter()
                    .map(move |level| named(network, level))
            })
            .collect()
    }
}

impl fmt::Display for RatingNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.network)?;
        self.level.map_or(Ok(()), |level| write!(f, " at {level}"))
    }
}

/// The contribution of a feature is `linear · z + square · z²`, with `z` the distance from the mean
/// in standard deviations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Term {
    feature: String,
    mean: f64,
    deviation: f64,
    linear: f64,
    square: f64,
}

/// A puzzle's rating on Lichess' scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The estimated rating in points, 400 to 3200.
    pub rating: f64,
    /// Lower end of the 80 % interval, in points.
    pub low: f64,
    /// Upper end of the 80 % interval, in points.
    pub high: f64,
}

/// The features of a puzzle with a known rating.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RatedLine {
    /// The features, from [`RatingModel::features`].
    pub features: Vec<f64>,
    /// The rating from players, in points.
    pub rating: f64,
}

/// Errors of estimated ratings, in rating points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingErrors {
    /// Number of puzzles measured.
    pub count: usize,
    /// Mean absolute error, in rating points.
    pub mean_absolute: f64,
    /// Root mean square error.
    pub root_mean_square: f64,
    /// Mean of estimate minus rating.
    pub bias: f64,
    /// Share of the puzzles whose rating lies within the estimated interval, 0 to 1.
    pub covered: f64,
}

impl RatingModel {
    /// The levels (ratings of players) at which the bundled model uses its network.
    pub const LEVELS: [u32; 3] = centipawn_policy::LEVELS;

    /// Returns the model that is included in the program. Its provenance describes the data.
    ///
    /// # Panics
    ///
    /// Never: a test parses the same file.
    pub fn bundled() -> &'static Self {
        static MODEL: LazyLock<RatingModel> = LazyLock::new(|| {
            serde_json::from_str(include_str!("rating/model.json")).expect("a model")
        });
        &MODEL
    }

    /// Returns the model without networks, which uses only the solution's moves. Its provenance
    /// states its larger errors.
    ///
    /// # Panics
    ///
    /// Never: a test parses the same file.
    pub(crate) fn plain() -> &'static Self {
        static MODEL: LazyLock<RatingModel> = LazyLock::new(|| {
            serde_json::from_str(include_str!("rating/model_plain.json")).expect("a model")
        });
        &MODEL
    }

    /// Computes the features of a solution: numbers about its moves, and about how each network
    /// judges them at each of `levels`. `networks` are the model's, in its order. `before` is the
    /// position to solve, with the move that led to it. `line` starts with the solver's move and
    /// alternates with the replies.
    ///
    /// # Errors
    ///
    /// [`LineError`] if the line is empty or illegal, or a network fails.
    pub(crate) fn features(
        networks: &[Network],
        levels: &[u32],
        before: &History,
        line: &[Move],
    ) -> Result<Vec<f64>, LineError> {
        features(networks, levels, before, line)
    }

    /// Rates a puzzle by its features. Returns `None` if their number does not match the model.
    pub(crate) fn rate(&self, features: &[f64]) -> Option<Rating> {
        let estimate = self.estimate(features)?;
        let adjusted = self.natural.as_ref().map_or(estimate, |natural| {
            natural.rating(estimate, self.kind(features))
        });
        // Clamp the estimate to the range of ratings of players.
        let rating = adjusted.clamp(400.0, 3200.0);
        let (low, high) = self.intervals.around(rating)?;
        Some(Rating {
            rating,
            low: rating + low,
            high: rating + high,
        })
    }

    /// Returns the regression's estimate before the adjustment; `None` if the number of features
    /// does not match the model.
    fn estimate(&self, features: &[f64]) -> Option<f64> {
        if features.len() != self.terms.len() {
            return None;
        }
        let terms = self.terms.iter().zip(features);
        let sum: f64 = terms
            .map(|(term, x)| {
                let z = standard(*x, term.mean, term.deviation);
                term.linear * z + term.square * z * z
            })
            .sum();
        Some(self.intercept + sum)
    }

    /// Fits a model to rated puzzles. Returns `None` if there are fewer than four for each feature.
    pub(crate) fn fit(
        networks: &[RatingNetwork],
        lines: &[RatedLine],
        provenance: String,
    ) -> Option<Self> {
        let names = names(networks);
        let width = names.len();
        if lines.len() < 4 * width || lines.iter().any(|line| line.features.len() != width) {
            return None;
        }
        let count = lines.len() as f64;
        let column = |index: usize| lines.iter().map(move |line| line.features[index]);
        let moments: Vec<(f64, f64)> = (0..width)
            .map(|index| {
                let mean = column(index).sum::<f64>() / count;
                let variance = column(index).map(|x| (x - mean).powi(2)).sum::<f64>() / count;
                (mean, variance.sqrt())
            })
            .collect();
        let rows: Vec<Vec<f64>> = lines
            .iter()
            .map(|line| expanded(&line.features, &moments))
            .collect();
        let ratings: Vec<f64> = lines.iter().map(|line| line.rating).collect();
        let (intercept, weights) = ridge(&rows, &ratings, PENALTY)?;

        // The intervals are derived from the errors on held-out puzzles, by cross-validation.
        let mut unseen = Vec::new();
        for fold in 0..FOLDS {
            let is_left_out = |index: &usize| index % FOLDS == fold;
            let pick = |left_out: bool| {
                (0..lines.len()).filter(move |index| is_left_out(index) == left_out)
            };
            let (x, y): (Vec<Vec<f64>>, Vec<f64>) = pick(false)
                .map(|index| (rows[index].clone(), ratings[index]))
                .unzip();
            let (intercept, weights) = ridge(&x, &y, PENALTY)?;
            unseen.extend(
                pick(true)
                    .map(|index| (predict(intercept, &weights, &rows[index]), ratings[index])),
            );
        }
        let terms = names.into_iter().zip(moments).enumerate().map(
            |(index, (feature, (mean, deviation)))| Term {
                feature,
                mean: short(mean),
                deviation: short(deviation),
                linear: short(weights[index]),
                square: short(weights[width + index]),
            },
        );
        Some(Self {
            provenance,
            networks: networks.to_vec(),
            intercept: short(intercept),
            terms: terms.collect(),
            natural: None,
            intervals: Intervals::fit(&unseen)?,
        })
    }

    /// Returns the errors of this model on puzzles with a rating in `low..high`; `None` if there
    /// are none.
    pub(crate) fn errors(&self, lines: &[RatedLine], low: f64, high: f64) -> Option<RatingErrors> {
        let in_band = lines
            .iter()
            .filter(|line| (low..high).contains(&line.rating));
        let pairs: Vec<(Rating, f64)> = in_band
            .filter_map(|line| Some((self.rate(&line.features)?, line.rating)))
            .collect();
        let count = pairs.len();
        let mean = |of: &dyn Fn(&Rating, f64) -> f64| {
            pairs
                .iter()
                .map(|(estimate, rating)| of(estimate, *rating))
                .sum::<f64>()
                / count as f64
        };
        (count > 0).then(|| RatingErrors {
            count,
            mean_absolute: mean(&|estimate, rating| (estimate.rating - rating).abs()),
            root_mean_square: mean(&|estimate, rating| (estimate.rating - rating).powi(2)).sqrt(),
            bias: mean(&|estimate, rating| estimate.rating - rating),
            covered: mean(&|estimate, rating| {
                f64::from(u8::from((estimate.low..=estimate.high).contains(&rating)))
            }),
        })
    }
}

fn standard(x: f64, mean: f64, deviation: f64) -> f64 {
    if deviation > 0.0 {
        ((x - mean) / deviation).clamp(-FARTHEST, FARTHEST)
    } else {
        0.0
    }
}

/// Returns the standardised features and their squares.
fn expanded(features: &[f64], moments: &[(f64, f64)]) -> Vec<f64> {
    let z: Vec<f64> = features
        .iter()
        .zip(moments)
        .map(|(x, (mean, deviation))| standard(*x, *mean, *deviation))
        .collect();
    z.iter().copied().chain(z.iter().map(|z| z * z)).collect()
}

fn predict(intercept: f64, weights: &[f64], row: &[f64]) -> f64 {
    intercept
        + weights
            .iter()
            .zip(row)
            .map(|(weight, x)| weight * x)
            .sum::<f64>()
}

/// Rounds to seven digits. More would exceed the precision of the data and make the file harder to
/// read.
fn short(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use centipawn_policy::Kernel;

    use super::*;

    fn lines(count: usize, width: usize) -> Vec<RatedLine> {
        let number = |index: usize| {
            ((index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 / 16_777_216.0
        };
        let line = |row: usize| {
            let features: Vec<f64> = (0..width)
                .map(|column| number(row * width + column))
                .collect();
            RatedLine {
                rating: 1500.0 + 800.0 * (features[0] - 0.5) - 300.0 * features[1] * features[1],
                features,
            }
        };
        (0..count).map(line).collect()
    }

    #[test]
    fn a_fit_recovers_the_simulated_coefficients() {
        let networks = [RatingNetwork {
            network: "one".to_owned(),
            level: None,
        }];
        let lines = lines(600, names(&networks).len());
        let model = RatingModel::fit(&networks, &lines[..500], String::new()).unwrap();
        let errors = model.errors(&lines[500..], 0.0, 4000.0).unwrap();
        assert!(
            errors.mean_absolute < 25.0 && errors.bias.abs() < 15.0,
            "{errors:?}"
        );
        assert!(model.errors(&lines, 9000.0, 9100.0).is_none());
        assert!(model.rate(&[1.0]).is_none());
        assert!(RatingModel::fit(&networks, &lines[..20], String::new()).is_none());
        let written = serde_json::to_string(&model).unwrap();
        assert_eq!(
            serde_json::from_str::<RatingModel>(&written).unwrap(),
            model
        );
    }

    #[test]
    fn the_bundled_model_fits_the_features() {
        let model = RatingModel::bundled();
        let network = Network::find(Network::BUNDLED, Kernel::best()).unwrap();
        assert_eq!(
            model.networks,
            RatingNetwork::all(&[network], &RatingModel::LEVELS)
        );
        let features: Vec<&str> = model
            .terms
            .iter()
            .map(|term| term.feature.as_str())
            .collect();
        assert_eq!(features, names(&model.networks));
        assert!(model.intervals.is_sound() && RatingModel::plain().intervals.is_sound());
    }
}
