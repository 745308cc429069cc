//! Values, reports and comparisons as JSON documents.

use std::fmt;

use centipawn_progress::{Provenance, text::printable};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};

use super::{
    BalancePoint, Band, By, Comparison, Difference, Feature, Fit, HeldOut, MaterialReport, Method,
    ScoreByBalance, Target, Tested,
};
use crate::TWO_SIDED;

/// A value for each feature, in the order of the model; an object in JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByFeature<T>(pub Vec<(Feature, T)>);

impl<T: Serialize> Serialize for ByFeature<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(feature, value)| (feature, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByFeature<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(Vec<(Feature, T)>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Vec<(Feature, T)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a key for each feature")
            }

            fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
                while let Some(entry) = map.next_entry()? {
                    self.0.push(entry);
                }
                Ok(self.0)
            }
        }
        deserializer.deserialize_map(Entries(Vec::new())).map(Self)
    }
}

/// The values of the model of a collection or band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValuesDocument {
    /// Number of games with rows used.
    pub games: u64,
    /// Number of rows used.
    pub rows: u64,
    /// Number of distinct rows, by features and result.
    pub groups: u64,
    /// How results enter the model.
    pub method: Method,
    /// What the model predicts.
    pub target: Target,
    /// Number of resamples to which the model could be fitted; 0 if it could not be fitted to more
    /// than a tenth of them.
    pub resamples: usize,
    /// Values in hundredths of a pawn. This field and the next four are `null` if the pawn's
    /// coefficient is not significantly above zero.
    pub values: Option<ByFeature<f64>>,
    /// Standard errors, clustered by game.
    pub errors: Option<ByFeature<f64>>,
    /// Standard errors as if rows were independent, which is too small.
    pub errors_rows: Option<ByFeature<f64>>,
    /// Standard deviations over the resamples; `null` without resamples.
    pub errors_resamples: Option<ByFeature<Option<f64>>>,
    /// 95 % intervals.
    pub intervals: Option<ByFeature<(f64, f64)>>,
    /// The reason why there are no values in pawns; `null` if there are.
    pub not_in_pawns: Option<String>,
    /// Coefficients, in logits.
    pub logits: ByFeature<f64>,
    /// Standard errors of the coefficients, clustered by game.
    pub logit_errors: ByFeature<f64>,
    /// Standard errors of the coefficients as if rows were independent.
    pub logit_errors_rows: ByFeature<f64>,
    /// 95 % intervals of the coefficients.
    pub logit_intervals: ByFeature<(f64, f64)>,
    /// Covariance matrix of the coefficients, clustered by game, row by row in the order of
    /// `logits`. Empty in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logit_covariance: Vec<Vec<f64>>,
    /// Mean −ln of the likelihood of a row.
    pub log_loss: f64,
    /// Number of games left out because they lack a rating.
    pub without_ratings: u64,
}

impl Fit {
    /// Returns the model as a JSON document.
    pub fn document(&self) -> ValuesDocument {
        let values = self.values();
        macro_rules! of_values {
            ($what:expr) => {
                values.as_ref().ok().map(|values| {
                    ByFeature(values.iter().map(|own| (own.feature, $what(own))).collect())
                })
            };
        }
        let logits = |what: fn(&super::Coefficient) -> f64| {
            ByFeature(
                self.coefficients
                    .iter()
                    .map(|own| (own.feature, what(own)))
                    .collect(),
            )
        };
        let intervals = self
            .coefficients
            .iter()
            .enumerate()
            .map(|(index, own)| (own.feature, self.interval(index)));
        ValuesDocument {
            games: self.games,
            rows: self.rows,
            groups: self.groups,
            method: self.options.method,
            target: self.options.target,
            resamples: self.resamples(),
            values: of_values!(|own: &super::Value| own.value),
            errors: of_values!(|own: &super::Value| own.error),
            errors_rows: of_values!(|own: &super::Value| own.model_error),
            errors_resamples: of_values!(|own: &super::Value| own.resamples_error),
            intervals: of_values!(|own: &super::Value| own.interval),
            not_in_pawns: values.as_ref().err().map(ToString::to_string),
            logits: logits(|own| own.value),
            logit_errors: logits(|own| own.error),
            logit_errors_rows: logits(|own| own.model_error),
            logit_intervals: ByFeature(intervals.collect()),
            logit_covariance: self.covariance().map(<[f64]>::to_vec).collect(),
            log_loss: self.loss,
            without_ratings: self.without_term,
        }
    }
}

/// A report as JSON: `material --json` and `material.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MaterialDocument {
    /// The values of all games.
    #[serde(flatten)]
    pub values: ValuesDocument,
    /// Number of games without a result.
    pub unfinished: u64,
    /// Warnings about the games, each with its cause.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The coefficients of each resample, in logits, in the order of `logits`. Bands do not have
    /// them. Empty in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logit_draws: Vec<Vec<f64>>,
    /// The results of the tested hypotheses.
    pub tests: Vec<Tested>,
    /// Scores by the material advantage, counted 1-3-3-5-9; `null` if no row has an advantage.
    pub balance: Option<BalanceOfMenDocument>,
    /// The test on held-out games, if it was requested.
    pub held_out: Option<HeldOut>,
    /// The criterion of the bands, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// One entry for each band, if there are bands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bands: Option<Vec<BandDocument>>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A band as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum BandDocument {
    /// A band with a model.
    Fitted {
        /// The values of the band.
        #[serde(flatten)]
        values: Box<ValuesDocument>,
        /// The name of the band.
        band: String,
    },
    /// A band without a model.
    Unfitted {
        /// The name of the band.
        band: String,
        /// Number of games with rows in the band.
        games: u64,
        /// The reason why there is no model.
        error: String,
    },
}

impl From<&Band> for BandDocument {
    fn from(band: &Band) -> Self {
        let name = printable(&band.name);
        match &band.fit {
            Ok(fit) => Self::Fitted {
                values: Box::new(fit.document()),
                band: name,
            },
            Err(error) => Self::Unfitted {
                band: name,
                games: band.games,
                error: error.to_string(),
            },
        }
    }
}

/// Scores by the material advantage, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BalanceOfMenDocument {
    /// Steepness α of the logistic curve `1/(1 + e^(−α·balance))` that is fitted to the scores.
    pub alpha: f64,
    /// Standard error of the steepness, clustered by game.
    pub alpha_error: f64,
    /// One entry for each advantage that occurs, in ascending order.
    pub points: Vec<BalancePointDocument>,
}

/// Scores at one advantage, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BalancePointDocument {
    /// White's pieces minus Black's, counted 1-3-3-5-9.
    pub balance: i32,
    /// Number of rows of games that White won.
    pub wins: u64,
    /// Number of rows of drawn games.
    pub draws: u64,
    /// Number of rows of games that Black won.
    pub losses: u64,
    /// White's mean score, 0..=1.
    pub score: f64,
    /// Standard error of the mean score, clustered by game.
    pub error: f64,
    /// 95 % interval of the mean score.
    pub interval: (f64, f64),
}

impl From<&BalancePoint> for BalancePointDocument {
    fn from(point: &BalancePoint) -> Self {
        let [losses, draws, wins] = point.counts;
        let (score, error) = (point.score, point.error);
        Self {
            balance: point.balance,
            wins,
            draws,
            losses,
            score,
            error,
            interval: point.interval(),
        }
    }
}

impl From<&ScoreByBalance> for BalanceOfMenDocument {
    fn from(scores: &ScoreByBalance) -> Self {
        let points = scores.points.iter().map(Into::into).collect();
        Self {
            alpha: scores.alpha,
            alpha_error: scores.alpha_error,
            points,
        }
    }
}

impl MaterialReport {
    /// Returns the report as a JSON document.
    pub fn document(&self, provenance: Option<Provenance>) -> MaterialDocument {
        MaterialDocument {
            values: self.fit.document(),
            unfinished: self.unfinished,
            warnings: self.warnings.clone(),
            logit_draws: self.fit.draws().to_vec(),
            tests: self.tests.clone(),
            balance: self.score_by_balance.as_ref().map(Into::into),
            held_out: self
                .held_out
                .as_ref()
                .and_then(|held_out| held_out.as_ref().ok())
                .cloned(),
            by: self.bands.as_ref().map(|(by, _)| *by),
            bands: self
                .bands
                .as_ref()
                .map(|(_, bands)| bands.bands.iter().map(Into::into).collect()),
            provenance,
        }
    }
}

/// A comparison of collections as JSON: `material --compare --json` and `comparison.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComparisonDocument {
    /// The collections, in the given order.
    pub collections: Vec<CollectionDocument>,
    /// Each collection except the first, compared with the first.
    pub comparisons: Vec<DifferencesDocument>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// The values of a named collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CollectionDocument {
    /// The values of the collection.
    #[serde(flatten)]
    pub values: ValuesDocument,
    /// The collection's name.
    pub collection: String,
}

/// A collection compared with the first one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DifferencesDocument {
    /// The collection's name.
    pub collection: String,
    /// The differences; missing if one of the two pawn values is not significantly above zero.
    #[serde(flatten)]
    pub comparison: Option<ComparedValues>,
}

/// How the values of two collections differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComparedValues {
    /// Each value minus the first collection's.
    pub differences: ByFeature<DifferenceDocument>,
    /// Chi square of the differences of all piece values.
    pub chi_square: f64,
    /// Degrees of freedom: the number of piece values compared.
    pub degrees_of_freedom: usize,
    /// The p value: probability of a chi square at least this large if the values were equal,
    /// 0..=1.
    pub p: f64,
}

/// The difference between two values, in hundredths of a pawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DifferenceDocument {
    /// The second value minus the first.
    pub difference: f64,
    /// Standard error of the difference.
    pub error: f64,
    /// 95 % interval: 1.96 standard errors to both sides.
    #[serde(default)]
    pub interval: (f64, f64),
    /// The difference divided by its standard error.
    pub z: f64,
}

impl ComparisonDocument {
    /// Compares the named collections with the first one.
    pub fn new(collections: &[(String, Fit)], provenance: Option<Provenance>) -> Self {
        let named = collections.iter().map(|(name, fit)| CollectionDocument {
            values: fit.document(),
            collection: name.clone(),
        });
        let beside = |(name, fit): &(String, Fit)| {
            let comparison = Comparison::new(&collections[0].1, fit)
                .ok()
                .map(|comparison| ComparedValues {
                    differences: ByFeature(
                        comparison
                            .differences
                            .iter()
                            .map(|own| {
                                let Difference {
                                    feature,
                                    difference,
                                    error,
                                    z,
                                } = *own;
                                let interval = (
                                    difference - TWO_SIDED * error,
                                    difference + TWO_SIDED * error,
                                );
                                (
                                    feature,
                                    DifferenceDocument {
                                        difference,
                                        error,
                                        interval,
                                        z,
                                    },
                                )
                            })
                            .collect(),
                    ),
                    chi_square: comparison.chi_square,
                    degrees_of_freedom: comparison.values,
                    p: comparison.p,
                });
            DifferencesDocument {
                collection: name.clone(),
                comparison,
            }
        };
        Self {
            collections: named.collect(),
            comparisons: collections.iter().skip(1).map(beside).collect(),
            provenance,
        }
    }
}
