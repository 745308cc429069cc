//! Compares models: their constants, their log losses on the same games, and where they differ
//! most.

mod losses;
mod places;
mod plot;
mod verdict;

use std::fmt;

use centipawn_core::{Argument, Context, Curve, Pawn, WdlModel};
use centipawn_progress::{Cancel, Cancelled, Provenance};
use serde::{Deserialize, Serialize};

use self::losses::Losses;
pub use self::places::Place;
pub use self::plot::ComparisonPlot;
use super::{By, Counts, Fit, FitReport, NamedModel, ResampleOptions, Selection, Units};
use crate::TWO_SIDED;

/// A model to compare.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The name in the comparison.
    pub name: String,
    /// The model.
    pub model: WdlModel,
    /// Standard errors of NormalizeToPawnValue, spread and draw rate by game; `None` for constants
    /// without errors.
    pub errors: Option<[f64; 3]>,
    /// Number of positions that the model was fitted to, if known.
    pub positions: Option<f64>,
    /// The fit, if the model was fitted to the games on which the comparison is made. The model is
    /// then tested on folds that it was not fitted to.
    pub fit: Option<Fit>,
    /// Whether the model was fitted to some of the games on which the comparison is made. Without a
    /// `fit` it can then not be tested on held-out games.
    pub has_seen_games: bool,
}

/// The games on which models are compared.
#[derive(Clone, Copy, Debug)]
pub struct CommonGames<'a> {
    /// The name in the comparison.
    pub name: &'a str,
    /// The counted positions.
    pub counts: &'a Counts,
    /// The positions that are used, and their units.
    pub selection: Selection,
    /// The folds for models that were fitted to these games.
    pub resampling: ResampleOptions,
}

/// A comparison of several models. The first one is the reference that the others are compared
/// with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelComparison {
    /// The models, in the given order.
    pub models: Vec<ComparedModel>,
    /// The differences of each further model from the first one.
    pub differences: Vec<ModelDifference>,
    /// Name of the games on which log losses are computed; `None` without games.
    pub games: Option<String>,
    /// Number of positions in these games; `None` without games.
    pub positions: Option<f64>,
    /// The reason why errors are missing; `None` if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A model's constants and its log loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComparedModel {
    /// The name in the comparison.
    pub name: String,
    /// The model as a curve.
    pub curve: Curve,
    /// Number of positions that the model was fitted to, if known.
    pub positions: Option<f64>,
    /// `a` at the model's target, in internal units.
    pub normalize_to_pawn_value: Number,
    /// `b` at the model's target, in internal units.
    pub spread: Number,
    /// Probability of a draw at evaluation 0 and the target, 0..=1.
    pub draw_rate: Number,
    /// Mean −ln p of the results in the games; `None` without games.
    pub log_loss: Option<f64>,
    /// Whether the log loss is that of held-out games.
    pub is_held_out: bool,
    /// Whether the model was fitted to the games of the log loss, which is then too low.
    #[serde(default)]
    pub is_fitted_to_games: bool,
}

/// A number, with its standard error by game if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Number {
    /// The number.
    pub value: f64,
    /// Standard error, by game; `None` if it is unknown.
    pub error: Option<f64>,
}

/// A model's numbers minus those of the first model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelDifference {
    /// The model's name.
    pub name: String,
    /// Difference of [`ComparedModel::normalize_to_pawn_value`].
    pub normalize_to_pawn_value: Number,
    /// Difference of [`ComparedModel::spread`].
    pub spread: Number,
    /// Difference of [`ComparedModel::draw_rate`].
    pub draw_rate: Number,
    /// Difference of [`ComparedModel::log_loss`], below 0 if the model predicts the games better
    /// than the first one; `None` without games.
    pub log_loss: Option<Number>,
    /// Whether both are the same model, up to the rounding of coefficients.
    #[serde(default)]
    pub is_same: bool,
    /// The argument of [`places`](Self::places): that of both models, or material and move if they
    /// differ.
    #[serde(default)]
    pub by: By,
    /// The places in which the expected scores of the two models differ most, the largest
    /// difference first. Empty if the models have different arguments and there are no games.
    pub places: Vec<Place>,
}

/// Why models cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// One model is in centipawns, and the other in an engine's internal units.
    #[error(
        "the constants of {centipawns} are in centipawns, those of {internal} in the engine's internal units: fit both with the \
         same option `from` or option `normalize`"
    )]
    Units {
        /// The model in centipawns.
        centipawns: String,
        /// The model in internal units.
        internal: String,
    },
    /// The selection accepts none of the positions.
    #[error("{0} has no positions within the limits of move, material and evaluation; widen them")]
    NoData(String),
    /// The fit has no curve.
    #[error(
        "{0}: only cubics by material or by move can be compared: leave out option `shape` and option `by both`"
    )]
    NoCurve(String),
    /// The comparison was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<NamedModel> for Candidate {
    fn from(named: NamedModel) -> Self {
        let fit = named.fit.as_ref();
        let errors = fit.and_then(|fit| fit.errors.as_ref()).map(|errors| {
            [
                errors.normalize_to_pawn_value.error,
                errors.spread.error,
                errors.draw_rate.error,
            ]
        });
        let positions = fit
            .map(|fit| fit.positions)
            .map(|positions| positions.wins + positions.draws + positions.losses);
        Self {
            name: named.name,
            model: named.model,
            errors,
            positions,
            fit: None,
            has_seen_games: false,
        }
    }
}

impl Candidate {
    /// Creates a candidate from a new fit. `is_of_games` states whether the comparison is made on
    /// the games of the fit.
    ///
    /// # Errors
    ///
    /// [`CompareError::NoCurve`], if the fit is not a cubic by material or move.
    pub fn fitted(name: &str, report: &FitReport, is_of_games: bool) -> Result<Self, CompareError> {
        let fit = &report.fit;
        let errors = report.uncertainty.as_ref().map(|sure| {
            [
                sure.normalize_to_pawn_value.error,
                sure.spread.error,
                sure.draw_rate.error,
            ]
        });
        Ok(Self {
            name: name.to_owned(),
            model: fit
                .model()
                .and_then(|model| model.narrowed())
                .ok_or_else(|| CompareError::NoCurve(name.to_owned()))?,
            errors,
            positions: Some(fit.retained.iter().sum()),
            fit: is_of_games.then(|| fit.clone()),
            has_seen_games: is_of_games,
        })
    }

    /// Returns the units of games whose evaluations were printed by an engine with this model.
    pub fn units(&self) -> Units {
        Units::of_model(self.model)
    }

    fn is_in_centipawns(&self) -> bool {
        self.model.pawn == Pawn::Units(100.0)
    }

    /// `a`, `b` and the draw rate at the target, where the coefficients add up to `a` and `b`.
    fn numbers(&self) -> [f64; 3] {
        let [a, b] =
            [self.model.a, self.model.b].map(|coefficients| coefficients.iter().sum::<f64>());
        [a, b, 1.0 - 2.0 / (1.0 + (a / b).exp())]
    }

    fn by(&self) -> By {
        match self.model.argument {
            Argument::Material => By::Material,
            Argument::Move | Argument::Ply => By::Move,
        }
    }
}

/// Returns whether two models give the same probabilities, up to the rounding of their
/// coefficients.
pub(super) fn is_same_model(one: &WdlModel, other: &WdlModel) -> bool {
    const NEAR: f64 = 1e-6;
    let is_near =
        |one: f64, other: f64| (one - other).abs() <= NEAR * one.abs().max(other.abs()).max(1.0);
    if one.argument != other.argument || one.pawn != other.pawn {
        return false;
    }
    let (low, high) = (
        one.range[0].max(other.range[0]),
        one.range[1].min(other.range[1]),
    );
    let at = |model: &WdlModel, value: f64| {
        let context = match model.argument {
            Argument::Material => Context {
                material: value as u32,
                ply: 0,
            },
            Argument::Move => Context {
                material: 0,
                ply: (2.0 * (value - 1.0)).max(0.0) as u32,
            },
            Argument::Ply => Context {
                material: 0,
                ply: value as u32,
            },
        };
        model.parameters(context)
    };
    low <= high
        && (0..=40).all(|step| {
            let value = (low + (high - low) * f64::from(step) / 40.0).round();
            let ((a, b), (c, d)) = (at(one, value), at(other, value));
            is_near(a, c) && is_near(b, d)
        })
}

/// Returns the first and last material or full move of the model's range.
fn range(model: &WdlModel) -> (u32, u32) {
    let [low, high] = model.range.map(|value| value.clamp(0.0, 1000.0) as u32);
    match model.argument {
        Argument::Material => (low, high),
        Argument::Move => (low.max(1), high),
        Argument::Ply => (low / 2 + 1, high / 2 + 1),
    }
}

/// Returns the material or full move of the model's target.
fn target(model: &WdlModel) -> f64 {
    if model.argument == Argument::Ply {
        model.divisor / 2.0 + 1.0
    } else {
        model.divisor
    }
}

/// `a` and `b` at the value of a row. Rows by material and move also have a `number`, the full
/// move.
pub(super) fn parameters(model: &WdlModel, by: By, value: f64, number: f64) -> (f64, f64) {
    let (material, number) = match by {
        By::Material => (value, number),
        By::Move => (0.0, value),
        By::Both => (value, number),
    };
    model.parameters(Context {
        material: material as u32,
        ply: (2.0 * (number - 1.0)).max(0.0) as u32,
    })
}

impl ModelComparison {
    /// Compares each further candidate with the first one, on `games` if there are any.
    ///
    /// # Errors
    ///
    /// [`CompareError`], if the models have different units, no position is selected, or `cancel`
    /// is set.
    ///
    /// # Panics
    ///
    /// If there are no candidates.
    pub fn new(
        candidates: &[Candidate],
        games: Option<&CommonGames<'_>>,
        cancel: &Cancel,
    ) -> Result<Self, CompareError> {
        let (first, others) = candidates
            .split_first()
            .expect("a comparison is of at least one model");
        if let Some(other) = others
            .iter()
            .find(|other| other.is_in_centipawns() != first.is_in_centipawns())
        {
            let (centipawns, internal) = if first.is_in_centipawns() {
                (first, other)
            } else {
                (other, first)
            };
            return Err(CompareError::Units {
                centipawns: centipawns.name.clone(),
                internal: internal.name.clone(),
            });
        }
        let candidates = &with_fits_of_same(candidates);
        let (first, others) = (&candidates[0], &candidates[1..]);
        let by = if others.iter().all(|other| other.by() == first.by()) {
            first.by()
        } else {
            By::Both
        };
        let losses = games
            .map(|games| Losses::new(candidates, games, by, cancel))
            .transpose()?;
        let number = |value: f64, error: Option<f64>| Number { value, error };
        let models = candidates.iter().enumerate().map(|(index, candidate)| {
            let numbers = candidate.numbers();
            let of =
                |which: usize| number(numbers[which], candidate.errors.map(|errors| errors[which]));
            ComparedModel {
                name: candidate.name.clone(),
                curve: Curve::Wdl(candidate.model),
                positions: candidate.positions,
                normalize_to_pawn_value: of(0),
                spread: of(1),
                draw_rate: of(2),
                log_loss: losses.as_ref().map(|losses| losses.mean(index)),
                is_held_out: losses
                    .as_ref()
                    .is_some_and(|losses| losses.is_held_out[index]),
                is_fitted_to_games: losses
                    .as_ref()
                    .is_some_and(|losses| candidate.has_seen_games && !losses.is_held_out[index]),
            }
        });
        let models: Vec<ComparedModel> = models.collect();
        let less = |own: Number, first: Number, is_same: bool| {
            // Published constants come without errors, so their error counts as 0 here. Two fits of
            // the same model are equal exactly, so their difference has no error.
            let error = match (own.error, first.error) {
                (None, None) => None,
                (Some(_), Some(_)) if is_same => None,
                (own, first) => Some(own.unwrap_or(0.0).hypot(first.unwrap_or(0.0))),
            };
            number(own.value - first.value, error)
        };
        let differences =
            others
                .iter()
                .zip(&models[1..])
                .enumerate()
                .map(|(index, (other, own))| {
                    let is_same = is_same_model(&first.model, &other.model);
                    ModelDifference {
                        name: own.name.clone(),
                        normalize_to_pawn_value: less(
                            own.normalize_to_pawn_value,
                            models[0].normalize_to_pawn_value,
                            is_same,
                        ),
                        spread: less(own.spread, models[0].spread, is_same),
                        draw_rate: less(own.draw_rate, models[0].draw_rate, is_same),
                        log_loss: losses.as_ref().map(|losses| losses.difference(index + 1)),
                        is_same,
                        by: by_of(first, other),
                        places: places::widest(
                            [&first.model, &other.model],
                            by_of(first, other),
                            games,
                        ),
                    }
                });
        Ok(Self {
            differences: differences.collect(),
            models,
            games: games.map(|games| games.name.to_owned()),
            positions: losses.as_ref().map(|losses| losses.positions),
            missing: losses.and_then(|losses| losses.missing),
            provenance: None,
        })
    }
}

/// Returns the argument for comparing two models: their common one, or material and move.
fn by_of(one: &Candidate, other: &Candidate) -> By {
    if one.by() == other.by() {
        one.by()
    } else {
        By::Both
    }
}

/// Returns the candidates. If one is the same model as another that was fitted to the games, it is
/// tested like that one.
fn with_fits_of_same(candidates: &[Candidate]) -> Vec<Candidate> {
    let twin = |own: &Candidate| {
        let seen = candidates
            .iter()
            .filter(|other| other.has_seen_games && is_same_model(&own.model, &other.model));
        seen.max_by_key(|other| other.fit.is_some())
    };
    let with = |own: &Candidate| match twin(own) {
        Some(twin) => Candidate {
            fit: twin.fit.clone(),
            has_seen_games: true,
            ..own.clone()
        },
        None => own.clone(),
    };
    candidates.iter().map(with).collect()
}

impl Number {
    /// Returns whether the number differs from 0 at a level of 95 %; `None` without an error.
    pub(crate) fn is_sure(&self) -> Option<bool> {
        self.error.map(|error| self.value.abs() > TWO_SIDED * error)
    }
}

/// Formats `{:.2}` as `384.65 ± 0.52`, or without an error as `384.65`. `{:+.2}` adds a sign. Six
/// digits by default.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(6);
        match f.sign_plus() {
            // With `+`, a negative zero gets a plus sign too.
            true => write!(
                f,
                "{}{:.digits$}",
                if self.value < 0.0 { "-" } else { "+" },
                self.value.abs()
            )?,
            false => write!(f, "{:.digits$}", self.value)?,
        }
        self.error
            .map_or(Ok(()), |error| write!(f, " ± {error:.digits$}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_with_their_error() {
        let number = |value, error| Number { value, error };
        assert_eq!(
            format!("{:.2}", number(384.654, Some(0.517))),
            "384.65 ± 0.52"
        );
        assert_eq!(format!("{:.1}", number(-2.0, None)), "-2.0");
        assert_eq!(format!("{:+.1}", number(-2.0, Some(0.25))), "-2.0 ± 0.2");
        assert_eq!(format!("{:+.1}", number(-0.0, None)), "+0.0");
    }
}
