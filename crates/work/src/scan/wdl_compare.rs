//! Compares models: loads them, fits models to files of counts, and tests all of them on the same
//! games.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use centipawn_calibrate::{
    document,
    wdl::{
        Candidate, CommonGames, CompareError, ComparisonPlot, Counts, CountsError, FitError,
        FitOptions, ModelComparison, ModelError, NamedModel, ResampleOptions, TestGames, Units,
    },
};
use centipawn_pgn::{Source, SourceError};
use centipawn_progress::{Cancel, Input, Provenance};
use serde::{Deserialize, Serialize};

use crate::{
    Run,
    scan::{FittedModel, KnownCounts, WdlFitOptions},
};

/// Options of comparing models: the recipe of `wdl compare --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlCompareOptions {
    /// The models: those of [`NamedModel::load`], and files of counts, to which models are fitted.
    pub models: Vec<String>,
    /// Counts of games on which the models are tested; by default the only file of counts among the
    /// models.
    pub on: Option<String>,
    /// The units of the games; by default those of the first model that is not fitted here.
    pub units: Option<Units>,
    /// Options of fitting the models, and of selecting positions.
    pub fit: FitOptions,
    /// Options of the standard errors and the held-out test.
    pub resampling: ResampleOptions,
}

/// The reason why models are not compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareModelsError {
    /// A text names no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file cannot be opened or read.
    #[error(transparent)]
    Source(SourceError),
    /// A file of counts cannot be read.
    #[error("{name}")]
    Counts {
        /// Name of the file.
        name: String,
        /// The underlying error.
        #[source]
        error: CountsError,
    },
    /// No model fits counts.
    #[error("{name}")]
    Fit {
        /// Name of the file.
        name: String,
        /// The underlying error.
        #[source]
        error: FitError,
    },
    /// The models cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

impl CompareModelsError {
    /// Returns whether the request is impossible, rather than a file damaged.
    pub fn is_usage(&self) -> bool {
        use CompareError::{NoCurve, Units};
        matches!(
            self,
            Self::Model(ModelError::Unknown { .. }) | Self::Compare(Units { .. } | NoCurve(_))
        )
    }
}

/// Models in a file or by name.
enum Loaded {
    /// The model, with the counts that it was fitted to, if they are beside it.
    Model(Box<NamedModel>, Option<Box<Counts>>),
    Counts(Box<KnownCounts>),
}

/// A model to compare.
#[derive(Clone, Copy, Debug)]
pub enum ComparedModel<'a> {
    /// Known constants of a model.
    Known {
        /// The name of the model in the comparison.
        name: &'a str,
        /// The constants, with their fit if it is known.
        model: &'a NamedModel,
        /// The counts that the constants were fitted to, if known.
        counts: Option<&'a Counts>,
    },
    /// A model that is fitted to counts.
    Fitted {
        /// The name of the model in the comparison.
        name: &'a str,
        /// The fitted model.
        model: &'a FittedModel,
        /// The counts that the model was fitted to.
        counts: &'a KnownCounts,
    },
}

impl ComparedModel<'_> {
    fn units(&self) -> Units {
        match self {
            Self::Known { model, .. } => Units::of_model(model.model),
            Self::Fitted { model, .. } => model.options.fit.selection.units,
        }
    }

    /// Returns the model with its relation to the games of the test.
    fn candidate(
        &self,
        games: Option<&TestGames<'_>>,
        cancel: &Cancel,
    ) -> Result<Candidate, CompareError> {
        match (self, games) {
            (
                Self::Known {
                    name,
                    model: known,
                    counts,
                },
                _,
            ) => {
                let candidate = Candidate {
                    name: (*name).to_owned(),
                    ..Candidate::from((*known).clone())
                };
                let Some(games) = games else {
                    return Ok(candidate);
                };
                let candidate = games.tested(candidate, known.provenance.as_deref(), cancel)?;
                let has_seen_games = candidate.has_seen_games
                    || counts.is_some_and(|counts| games.overlap(counts, &[]));
                Ok(Candidate {
                    has_seen_games,
                    ..candidate
                })
            }
            (Self::Fitted { name, model, .. }, None) => {
                Candidate::fitted(name, &model.report, false)
            }
            (
                Self::Fitted {
                    name,
                    model,
                    counts,
                },
                Some(games),
            ) => {
                let has_seen_games = games.overlap(&counts.counts, &counts.inputs);
                let candidate = Candidate::fitted(name, &model.report, games.are(&counts.counts))?;
                Ok(Candidate {
                    has_seen_games,
                    ..candidate
                })
            }
        }
    }
}

/// Models beside the first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ComparedModels {
    /// The document of `wdl compare --json`, with its provenance.
    pub comparison: ModelComparison,
    /// A plot of all models in the same axes.
    pub plot: ComparisonPlot,
}

impl ComparedModels {
    /// Returns the document as JSON.
    pub fn json(&self) -> String {
        document(&self.comparison)
    }
}

/// Compares models in files or by name with the first: `wdl compare`. Files of counts are models,
/// which are fitted here.
///
/// # Errors
///
/// [`CompareModelsError`].
///
/// # Panics
///
/// If `options` names no models.
pub fn compare_models(
    options: &WdlCompareOptions,
    run: Run<'_>,
) -> Result<ComparedModels, CompareModelsError> {
    let loaded: Vec<Loaded> = options
        .models
        .iter()
        .map(|text| load(text, run.cancel))
        .collect::<Result<_, _>>()?;
    let known = loaded.iter().find_map(|loaded| match loaded {
        Loaded::Model(named, _) => Some(Units::of_model(named.model)),
        Loaded::Counts(_) => None,
    });
    let mut fit = options.fit;
    fit.selection.units = options.units.or(known).unwrap_or_default();
    // If a file of counts is both a model and the test, use the counts that were already read.
    let counts = || {
        loaded
            .iter()
            .zip(&options.models)
            .filter_map(|(loaded, text)| match loaded {
                Loaded::Counts(counts) => Some((text, &**counts)),
                Loaded::Model(..) => None,
            })
    };
    let among_models = |on: &String| {
        counts()
            .find(|(text, _)| *text == on)
            .map(|(_, counts)| counts)
    };
    let other = options.on.as_ref().filter(|on| among_models(on).is_none());
    let other = other
        .map(|on| KnownCounts::read_one(Path::new(on), run.cancel))
        .transpose()?;
    let on = match &options.on {
        Some(on) => other.as_ref().or_else(|| among_models(on)),
        None => counts()
            .next()
            .map(|(_, counts)| counts)
            .filter(|_| counts().count() == 1),
    };
    let fitting = WdlFitOptions {
        fit,
        resampling: options.resampling,
    };
    let fitted = loaded.iter().map(|loaded| match loaded {
        Loaded::Model(..) => Ok(None),
        Loaded::Counts(counts) => {
            counts
                .fit(&fitting, run)
                .map(Some)
                .map_err(|error| CompareModelsError::Fit {
                    name: counts.summary.clone(),
                    error,
                })
        }
    });
    let fitted: Vec<Option<FittedModel>> = fitted.collect::<Result<_, _>>()?;
    let models = loaded.iter().zip(&fitted).filter_map(|both| match both {
        (Loaded::Model(model, counts), _) => Some(ComparedModel::Known {
            name: &model.name,
            model,
            counts: counts.as_deref(),
        }),
        (Loaded::Counts(counts), Some(model)) => Some(ComparedModel::Fitted {
            name: &counts.summary,
            model,
            counts,
        }),
        (Loaded::Counts(_), None) => None,
    });
    let units = Some(fit.selection.units);
    let mut compared = compare(
        &models.collect::<Vec<_>>(),
        on,
        &WdlCompareOptions {
            units,
            ..options.clone()
        },
        run,
    )?;
    let files: Vec<PathBuf> = options
        .models
        .iter()
        .chain(&options.on)
        .map(PathBuf::from)
        .filter(|path| path.is_file())
        .collect();
    compared.comparison.provenance =
        Some(Provenance::of("wdl compare", options).inputs(Input::of_all(&files)));
    Ok(compared)
}

/// Compares models with the first, on the games of `on` if there are any. `options.models` names
/// them in the provenance.
///
/// # Errors
///
/// [`CompareError`]: the models cannot be compared, or the run was cancelled.
///
/// # Panics
///
/// If there are no models.
pub fn compare(
    models: &[ComparedModel<'_>],
    on: Option<&KnownCounts>,
    options: &WdlCompareOptions,
    run: Run<'_>,
) -> Result<ComparedModels, CompareError> {
    let mut selection = options.fit.selection;
    selection.units = options.units.unwrap_or_else(|| models[0].units());
    let games = on.map(|on| CommonGames {
        name: on.name(),
        counts: &on.counts,
        selection,
        resampling: options.resampling,
    });
    let tested = games.zip(on).map(|(games, on)| TestGames {
        games,
        inputs: &on.inputs,
    });
    let candidates = models
        .iter()
        .map(|model| model.candidate(tested.as_ref(), run.cancel));
    let candidates: Vec<Candidate> = candidates.collect::<Result<_, _>>()?;
    let mut comparison = ModelComparison::new(&candidates, games.as_ref(), run.cancel)?;
    let inputs = on.map(|on| on.inputs.clone()).unwrap_or_default();
    comparison.provenance = Some(Provenance::of("wdl compare", options).inputs(inputs));
    Ok(ComparedModels {
        comparison,
        plot: ComparisonPlot::new(&candidates, games.as_ref()),
    })
}

/// Returns a model by name or in a file; or counts.
fn load(text: &str, cancel: &Cancel) -> Result<Loaded, CompareModelsError> {
    let path = Path::new(text);
    if path.is_file() && is_counts(path).unwrap_or(false) {
        return KnownCounts::read_one(path, cancel).map(|counts| Loaded::Counts(Box::new(counts)));
    }
    let model = NamedModel::load(text)?;
    let counts = counts_of(&model, path, cancel).map(Box::new);
    Ok(Loaded::Model(Box::new(model), counts))
}

/// Returns the counts that a model was fitted to, if they are in its folder, as `wdl run` writes
/// them.
fn counts_of(model: &NamedModel, path: &Path, cancel: &Cancel) -> Option<Counts> {
    let provenance = model.provenance.as_ref()?;
    let folder = if path.is_dir() { path } else { path.parent()? };
    let (_, counts) = read_counts(&folder.join("counts.wdl"), cancel).ok()?;
    counts.are_of(provenance).then_some(counts)
}

/// Returns whether a file begins as counts do: with our mark, compressed, or with a key of
/// WDL_model's JSON.
fn is_counts(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(256).read_to_end(&mut start)?;
    let text = start.trim_ascii_start();
    let is_json = text
        .strip_prefix(b"{")
        .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"('"));
    let is_compressed = [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"BZh"]
        .iter()
        .any(|magic| start.starts_with(magic));
    Ok(is_json || is_compressed || start.starts_with(b"centipawn-wdl-"))
}

/// Returns the counts of a file, with its name. Once `cancel` is set, waiting for a pipe ends with
/// an error.
///
/// # Errors
///
/// [`CompareModelsError`]: the file cannot be opened, or has no counts.
pub fn read_counts(path: &Path, cancel: &Cancel) -> Result<(String, Counts), CompareModelsError> {
    let source = Source::open_until(path, cancel).map_err(CompareModelsError::Source)?;
    let name = source.name().to_owned();
    Counts::read(source)
        .map(|counts| (name.clone(), counts))
        .map_err(|error| match error {
            // Errors of the source already name the file.
            CountsError::Io(error) => match error.downcast() {
                Ok(error) => CompareModelsError::Source(error),
                Err(error) => CompareModelsError::Counts {
                    name,
                    error: error.into(),
                },
            },
            error => CompareModelsError::Counts { name, error },
        })
}
