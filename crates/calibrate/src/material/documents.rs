//! Values, reports and comparisons as JSON.

use std::fmt;

use centipawn_progress::Provenance;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};

use super::{
    BalancePoint, Band, By, Comparison, Feature, Fit, HeldOut, MaterialReport, Method, ScoreByBalance, Target, Tested,
};
use crate::text::printable;

/// Something of each feature, in the order of the model: an object in JSON.
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

/// A model's values: of a collection, or of a band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValuesDocument {
    /// Games with rows that count.
    pub games: u64,
    /// Rows that count.
    pub rows: u64,
    /// Rows that differ.
    pub groups: u64,
    /// What a result is taken for.
    pub method: Method,
    /// What rows are fitted to.
    pub target: Target,
    /// Resamples to which the model could be fitted.
    pub resamples: usize,
    /// In hundredths of a pawn; `null`, as what follows, where a pawn is no unit.
    pub values: Option<ByFeature<f64>>,
    /// Standard errors, with games as what is independent.
    pub errors: Option<ByFeature<f64>>,
    /// Standard errors if rows were independent.
    pub errors_rows: Option<ByFeature<f64>>,
    /// Standard deviations over the resamples.
    pub errors_resamples: Option<ByFeature<Option<f64>>>,
    /// 95 % intervals.
    pub intervals: Option<ByFeature<(f64, f64)>>,
    /// Why a pawn is no unit, where it is none.
    pub not_in_pawns: Option<String>,
    /// Coefficients.
    pub logits: ByFeature<f64>,
    /// Their standard errors, with games as what is independent.
    pub logit_errors: ByFeature<f64>,
    /// Their standard errors if rows were independent.
    pub logit_errors_rows: ByFeature<f64>,
    /// Their 95 % intervals.
    pub logit_intervals: ByFeature<(f64, f64)>,
    /// Mean −ln of the likelihood of a row.
    pub log_loss: f64,
    /// Games left out because a rating is missing.
    pub without_ratings: u64,
}

impl Fit {
    /// The same for programs.
    pub fn document(&self) -> ValuesDocument {
        let values = self.values();
        macro_rules! of_values {
            ($what:expr) => {
                values
                    .as_ref()
                    .ok()
                    .map(|values| ByFeature(values.iter().map(|own| (own.feature, $what(own))).collect()))
            };
        }
        let logits = |what: fn(&super::Coefficient) -> f64| {
            ByFeature(self.coefficients.iter().map(|own| (own.feature, what(own))).collect())
        };
        let intervals = self.coefficients.iter().enumerate().map(|(index, own)| (own.feature, self.interval(index)));
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
            log_loss: self.loss,
            without_ratings: self.without_term,
        }
    }
}

/// A report as JSON: `material --json`, `material.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialDocument {
    /// The values of all games.
    #[serde(flatten)]
    pub values: ValuesDocument,
    /// Games without a result.
    pub unfinished: u64,
    /// What was tested.
    pub tests: Vec<Tested>,
    /// Results by the advantage in men, 1-3-3-5-9.
    pub balance: Option<BalanceOfMenDocument>,
    /// The model in games it was not fitted to.
    pub held_out: Option<HeldOut>,
    /// What divides the bands, where there are bands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// Values of each band.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bands: Option<Vec<BandDocument>>,
    /// Where it comes from, if the caller knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A band as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BandDocument {
    /// With a model.
    Fitted {
        /// Its values.
        #[serde(flatten)]
        values: Box<ValuesDocument>,
        /// Its name.
        band: String,
    },
    /// Without one.
    Unfitted {
        /// Its name.
        band: String,
        /// Games with rows in it.
        games: u64,
        /// Why there is no model.
        error: String,
    },
}

impl From<&Band> for BandDocument {
    fn from(band: &Band) -> Self {
        let name = printable(&band.name);
        match &band.fit {
            Ok(fit) => Self::Fitted { values: Box::new(fit.document()), band: name },
            Err(error) => Self::Unfitted { band: name, games: band.games, error: error.to_string() },
        }
    }
}

/// Results by the advantage in men, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BalanceOfMenDocument {
    /// Steepness of the logistic curve through the scores.
    pub alpha: f64,
    /// Its standard error.
    pub alpha_error: f64,
    /// Each advantage that occurs, from the least.
    pub points: Vec<BalancePointDocument>,
}

/// Results at an advantage, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BalancePointDocument {
    /// White's men less Black's, 1-3-3-5-9.
    pub balance: i32,
    /// Rows that White won.
    pub wins: u64,
    /// Rows that were drawn.
    pub draws: u64,
    /// Rows that Black won.
    pub losses: u64,
    /// White's mean score, 0..=1.
    pub score: f64,
    /// Its standard error.
    pub error: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
}

impl From<&BalancePoint> for BalancePointDocument {
    fn from(point: &BalancePoint) -> Self {
        let [losses, draws, wins] = point.counts;
        let (score, error) = (point.score, point.error);
        Self { balance: point.balance, wins, draws, losses, score, error, interval: point.interval() }
    }
}

impl From<&ScoreByBalance> for BalanceOfMenDocument {
    fn from(scores: &ScoreByBalance) -> Self {
        let points = scores.points.iter().map(Into::into).collect();
        Self { alpha: scores.alpha, alpha_error: scores.alpha_error, points }
    }
}

impl MaterialReport {
    /// The same for programs.
    pub fn document(&self, provenance: Option<Provenance>) -> MaterialDocument {
        MaterialDocument {
            values: self.fit.document(),
            unfinished: self.unfinished,
            tests: self.tests.clone(),
            balance: self.score_by_balance.as_ref().map(Into::into),
            held_out: self.held_out.as_ref().and_then(|held_out| held_out.as_ref().ok()).cloned(),
            by: self.bands.as_ref().map(|(by, _)| *by),
            bands: self.bands.as_ref().map(|(_, bands)| bands.bands.iter().map(Into::into).collect()),
            provenance,
        }
    }
}

/// Collections beside each other, as JSON: `material --compare --json`, `comparison.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonDocument {
    /// The values of each.
    pub collections: Vec<CollectionDocument>,
    /// Each but the first beside the first.
    pub comparisons: Vec<DifferencesDocument>,
    /// Where it comes from, if the caller knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A collection's values with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionDocument {
    /// The values.
    #[serde(flatten)]
    pub values: ValuesDocument,
    /// The name.
    pub collection: String,
}

/// A collection beside the first one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferencesDocument {
    /// The collection's name.
    pub collection: String,
    /// How it differs; left out where a pawn is no unit in one of both.
    #[serde(flatten)]
    pub comparison: Option<ComparedValues>,
}

/// How the values of two collections differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedValues {
    /// Each value less the first collection's.
    pub differences: ByFeature<DifferenceDocument>,
    /// All men's differences together, in errors, squared.
    pub chi_square: f64,
    /// How many values these are.
    pub degrees_of_freedom: usize,
    /// How often chi square would be at least as large if both were the same, 0..=1.
    pub p: f64,
}

/// The difference of a value, in hundredths of a pawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferenceDocument {
    /// The second value less the first.
    pub difference: f64,
    /// Its standard error.
    pub error: f64,
    /// The difference in errors.
    pub z: f64,
}

impl ComparisonDocument {
    /// Of models of named collections; the others are compared with the first.
    pub fn new(collections: &[(String, Fit)], provenance: Option<Provenance>) -> Self {
        let named = collections
            .iter()
            .map(|(name, fit)| CollectionDocument { values: fit.document(), collection: name.clone() });
        let beside = |(name, fit): &(String, Fit)| {
            let comparison = Comparison::new(&collections[0].1, fit).ok().map(|comparison| ComparedValues {
                differences: ByFeature(
                    comparison
                        .differences
                        .iter()
                        .map(|own| {
                            let document =
                                DifferenceDocument { difference: own.difference, error: own.error, z: own.z };
                            (own.feature, document)
                        })
                        .collect(),
                ),
                chi_square: comparison.chi_square,
                degrees_of_freedom: comparison.values,
                p: comparison.p,
            });
            DifferencesDocument { collection: name.clone(), comparison }
        };
        Self { collections: named.collect(), comparisons: collections.iter().skip(1).map(beside).collect(), provenance }
    }
}
