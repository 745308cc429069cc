//! Fits models to counts, and records their provenance.

use std::path::{Path, PathBuf};

use centipawn_calibrate::{
    CurveFile, PlotForm, document,
    wdl::{
        Candidate, CompareError, Counts, FitError, FitOptions, FitReport, FitReportDocument,
        ModelComparison, Plots, ResampleOptions,
    },
};
use centipawn_core::Curve;
use centipawn_progress::{Cancel, Input, Provenance};
use serde::{Deserialize, Serialize};

use crate::{
    Run,
    scan::{
        CompareModelsError, CountedGames, CountsSum, CountsSumError, WdlGamesOptions,
        WdlRunOptions, read_counts,
    },
};

/// Options of fitting a model to counts: the recipe of `wdl fit --json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlFitOptions {
    /// Options of fitting a model to the counts.
    #[serde(flatten)]
    pub fit: FitOptions,
    /// Options of the standard errors and the held-out test.
    pub resampling: ResampleOptions,
}

/// Counts with their provenance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KnownCounts {
    /// The counts of positions.
    pub counts: Counts,
    /// A summary of the counted and omitted games, or the names of the files of counts.
    pub summary: String,
    /// Number of games counted; `None` if the counts were read.
    pub games: Option<u64>,
    /// Warnings about the games.
    pub warnings: Vec<String>,
    /// The files of games or counts.
    pub inputs: Vec<Input>,
    /// The options with which the games were selected and counted; `None` if the counts were read
    /// from files.
    counted: Option<WdlGamesOptions>,
}

/// The reason why files of counts cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnownCountsError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] CompareModelsError),
    /// The counts do not add up.
    #[error(transparent)]
    Sum(#[from] CountsSumError),
}

impl KnownCounts {
    /// Returns the sum of files of counts. `cancel` ends waiting for a pipe.
    ///
    /// # Errors
    ///
    /// [`KnownCountsError`].
    pub fn read(paths: &[PathBuf], cancel: &Cancel) -> Result<Self, KnownCountsError> {
        let (mut sum, mut names) = (CountsSum::default(), Vec::with_capacity(paths.len()));
        for path in paths {
            let (name, counts) = read_counts(path, cancel)?;
            sum.add(&name, path, counts)?;
            names.push(name);
        }
        Ok(Self {
            counts: sum.finish(),
            summary: names.join(", "),
            games: None,
            warnings: Vec::new(),
            inputs: Input::of_all(paths),
            counted: None,
        })
    }

    /// Returns the counts of one file.
    pub(super) fn read_one(path: &Path, cancel: &Cancel) -> Result<Self, CompareModelsError> {
        let (name, counts) = read_counts(path, cancel)?;
        let inputs = Input::of_all(&[path]);
        Ok(Self {
            counts,
            summary: name,
            games: None,
            warnings: Vec::new(),
            inputs,
            counted: None,
        })
    }

    /// Returns the name of the counts in a comparison: the names of their files.
    pub(super) fn name(&self) -> &str {
        if self.counted.is_some() {
            "the games"
        } else {
            &self.summary
        }
    }

    /// Returns the counts of games.
    pub fn of_games(games: CountedGames, cancel: &Cancel) -> Self {
        let summary = games.summary();
        let CountedGames {
            counted,
            options,
            hashes,
            ..
        } = games;
        Self {
            summary,
            games: Some(counted.report.games),
            warnings: counted.report.views.warnings(),
            counts: counted.counts,
            inputs: hashes
                .map(|hashes| hashes.finish(cancel))
                .unwrap_or_default(),
            counted: Some(options),
        }
    }

    /// Fits a model.
    ///
    /// # Errors
    ///
    /// [`FitError`]: there is no model of these counts, or the run was cancelled.
    pub fn fit(&self, options: &WdlFitOptions, run: Run<'_>) -> Result<FittedModel, FitError> {
        let WdlFitOptions { fit, resampling } = options;
        let report = FitReport::new(&self.counts, fit, *resampling, run.cancel, run.reporter);
        let report =
            report.map_err(|error| self.games.into_iter().fold(error, FitError::with_games))?;
        let provenance = match &self.counted {
            Some(counted) => WdlRunOptions {
                fit: *fit,
                resampling: *resampling,
                ..WdlRunOptions::default()
            }
            .provenance(counted),
            None => Provenance::of("wdl fit", options).seed(resampling.seed),
        };
        let provenance = provenance.inputs(self.inputs.clone());
        let report = report.with_warnings(self.warnings.clone());
        Ok(FittedModel {
            report: self.games.into_iter().fold(report, FitReport::of_games),
            options: *options,
            provenance: self.counts.identified(provenance),
        })
    }
}

/// A model with its provenance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedModel {
    /// The model, its standard errors and its held-out test.
    pub report: FitReport,
    /// The options of the fit.
    pub options: WdlFitOptions,
    /// The provenance.
    pub provenance: Provenance,
}

impl FittedModel {
    /// Returns the document of `wdl fit --json`.
    pub fn document(&self) -> FitReportDocument {
        self.report.report_document(Some(self.provenance.clone()))
    }

    /// Returns the document as JSON.
    pub fn json(&self) -> String {
        document(&self.document())
    }

    /// Returns the curve file, with a warning if it is narrower than the model or cannot be used.
    /// `None` if no curve file can hold the model: it has cubics by material or by move.
    pub fn curve_file(&self) -> Option<(CurveFile, Option<String>)> {
        let file = self.report.curve_file(Some(self.provenance.clone()))?;
        let is_narrowed = self.report.curve().is_some_and(|curve| curve != file.curve);
        let warning = match (file.curve.check(), file.curve) {
            (Err(error), _) => Some(format!(
                "the fitted curve cannot be used, and is refused where its file is read: {error}"
            )),
            (Ok(()), Curve::Wdl(model)) if is_narrowed => {
                let [least, most] = model.range;
                Some(format!(
                    "its range is {least} to {most}: beyond, a or b of the model is not above 0"
                ))
            }
            _ => None,
        };
        Some((file, warning))
    }

    /// Counts and model in one drawing.
    pub fn plot(&self, counts: &KnownCounts, form: PlotForm) -> Vec<u8> {
        Plots::new(&counts.counts, &self.report, None, None).draw(form, Some(&self.provenance))
    }
}

/// A model of each of several files of counts.
#[derive(Debug)]
#[non_exhaustive]
pub struct FittedModels {
    /// Models by the names of their files.
    pub models: Vec<(String, FittedModel)>,
}

/// The reason why files of counts have no models.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitEachError {
    /// A file cannot be used.
    #[error(transparent)]
    Read(#[from] KnownCountsError),
    /// The model cannot be fitted to the counts of a file.
    #[error("{name}")]
    Fit {
        /// Name of the file.
        name: String,
        /// The underlying error.
        #[source]
        error: FitError,
    },
}

/// Fits a model to each file of counts.
///
/// # Errors
///
/// [`FitEachError`].
pub fn fit_each(
    paths: &[PathBuf],
    options: &WdlFitOptions,
    run: Run<'_>,
) -> Result<FittedModels, FitEachError> {
    let fit = |path: &PathBuf| {
        let counts = KnownCounts::read(std::slice::from_ref(path), run.cancel)?;
        let name = counts.summary.clone();
        match counts.fit(options, run) {
            Ok(model) => Ok((name, model)),
            Err(error) => Err(FitEachError::Fit { name, error }),
        }
    };
    Ok(FittedModels {
        models: paths.iter().map(fit).collect::<Result<_, _>>()?,
    })
}

impl FittedModels {
    /// Returns the documents of all models, each with the name of its file.
    pub fn json(&self) -> String {
        let named = |(name, model): &(String, FittedModel)| {
            let mut document = model.document();
            document.fit.counts = Some(name.clone());
            document
        };
        document(&self.models.iter().map(named).collect::<Vec<_>>())
    }

    /// Returns the models compared with the first.
    ///
    /// # Errors
    ///
    /// [`CompareError`]: the models cannot be compared, or the work was cancelled.
    pub fn comparison(&self, cancel: &Cancel) -> Result<ModelComparison, CompareError> {
        let candidates = self
            .models
            .iter()
            .map(|(name, model)| Candidate::fitted(name, &model.report, false));
        ModelComparison::new(&candidates.collect::<Result<Vec<_>, _>>()?, None, cancel)
    }
}
