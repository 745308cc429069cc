//! Comparing models: loading them, fitting those that are counts, testing all on the same games.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use centipawn_calibrate::wdl::{
    Candidate, CommonGames, CompareError, ComparisonPlot, Counts, CountsError, FitError, FitOptions, FitReport,
    ModelComparison, ModelError, NamedModel, ResampleOptions, TestGames, Units,
};
use centipawn_pgn::{Source, SourceError};
use centipawn_progress::{Cancel, Input, Provenance, Reporter};
use serde::{Deserialize, Serialize};

/// How models are compared: the recipe of `wdl compare --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlCompareOptions {
    /// The models: those of [`NamedModel::load`], and files of counts, to which models are fitted.
    pub models: Vec<String>,
    /// Counts of games on which the models are tested; by default those of the only model that is counts.
    pub on: Option<String>,
    /// The units of the games; by default those of the first model that is not fitted here.
    pub units: Option<Units>,
    /// How models are fitted, and which positions of the games count.
    pub fit: FitOptions,
    /// How errors are computed.
    pub resampling: ResampleOptions,
}

/// Why models are not compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareModelsError {
    /// A text names no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file cannot be opened.
    #[error("{0}")]
    Source(SourceError),
    /// A file of counts cannot be read.
    #[error("{name}")]
    Counts {
        /// The file.
        name: String,
        /// The reason.
        #[source]
        error: CountsError,
    },
    /// No model fits counts.
    #[error("{name}")]
    Fit {
        /// The file.
        name: String,
        /// The reason.
        #[source]
        error: FitError,
    },
    /// The models cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

impl CompareModelsError {
    /// Whether the request is impossible, rather than a file damaged.
    pub fn is_usage(&self) -> bool {
        use CompareError::{NoCurve, Units};
        matches!(self, Self::Model(ModelError::Unknown { .. }) | Self::Compare(Units { .. } | NoCurve(_)))
    }
}

/// Models in a file or by name.
enum Loaded {
    Model(NamedModel),
    Counts(String, Counts),
}

/// Compares models with the first, and draws them over each other.
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
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<(ModelComparison, ComparisonPlot), CompareModelsError> {
    let loaded: Vec<Loaded> = options.models.iter().map(|text| load(text, cancel)).collect::<Result<_, _>>()?;
    let known = loaded.iter().find_map(|loaded| match loaded {
        Loaded::Model(named) => Some(Units::of_model(named.model)),
        Loaded::Counts(..) => None,
    });
    let units = options.units.or(known).unwrap_or_default();
    let mut fit = options.fit;
    fit.selection.units = units;
    // Counts that are a model and the games too are read once.
    let is_model = |on: &String| {
        let same = loaded.iter().zip(&options.models).find(|(_, text)| *text == on);
        same.is_some_and(|(loaded, _)| matches!(loaded, Loaded::Counts(..)))
    };
    let other = options.on.as_ref().filter(|on| !is_model(on));
    let read = |on| read_counts(Path::new(on), cancel).map(|(name, counts)| (on, name, counts));
    let other = other.map(read).transpose()?;
    let counted: Vec<(&String, &String, &Counts)> = loaded
        .iter()
        .zip(&options.models)
        .filter_map(|(loaded, text)| match loaded {
            Loaded::Counts(name, counts) => Some((text, name, counts)),
            Loaded::Model(_) => None,
        })
        .collect();
    let on = match (&options.on, &other) {
        (_, Some((path, name, counts))) => Some((*path, name, counts)),
        (Some(on), None) => counted.iter().copied().find(|(text, ..)| *text == on),
        (None, None) => counted.first().copied().filter(|_| counted.len() == 1),
    };
    let games = on.map(|(_, name, counts)| CommonGames {
        name,
        counts,
        selection: fit.selection,
        resampling: options.resampling,
    });
    let inputs = on.map(|(path, ..)| Input::of_all(&[path])).unwrap_or_default();
    let tested = games.map(|games| TestGames { games, inputs: &inputs });
    let candidates = loaded.iter().zip(&options.models).map(|(loaded, text)| match (loaded, &tested) {
        (Loaded::Model(named), None) => Ok(Candidate::from(named.clone())),
        (Loaded::Model(named), Some(games)) => {
            Ok(games.tested(Candidate::from(named.clone()), named.provenance.as_deref(), cancel)?)
        }
        (Loaded::Counts(name, counts), games) => {
            let report = FitReport::new(counts, &fit, options.resampling, cancel, reporter);
            let report = report.map_err(|error| CompareModelsError::Fit { name: name.clone(), error })?;
            let is_of_games = games.as_ref().is_some_and(|games| games.are(counts));
            let has_seen_games = games.as_ref().is_some_and(|games| games.overlap(counts, &Input::of_all(&[text])));
            Ok(Candidate { has_seen_games, ..Candidate::fitted(name, &report, is_of_games)? })
        }
    });
    let candidates: Vec<Candidate> = candidates.collect::<Result<_, CompareModelsError>>()?;
    let mut comparison = ModelComparison::new(&candidates, games.as_ref(), cancel)?;
    let files: Vec<PathBuf> =
        options.models.iter().chain(&options.on).map(PathBuf::from).filter(|path| path.is_file()).collect();
    comparison.provenance = Some(Provenance::of("wdl compare", options).inputs(Input::of_all(&files)));
    Ok((comparison, ComparisonPlot::new(&candidates, games.as_ref())))
}

/// A model by name or in a file; or counts.
fn load(text: &str, cancel: &Cancel) -> Result<Loaded, CompareModelsError> {
    let path = Path::new(text);
    if path.is_file() && is_counts(path).unwrap_or(false) {
        return read_counts(path, cancel).map(|(name, counts)| Loaded::Counts(name, counts));
    }
    Ok(Loaded::Model(NamedModel::load(text)?))
}

/// Whether a file begins as counts do: with our mark, compressed, or with a key of WDL_model's JSON.
fn is_counts(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(256).read_to_end(&mut start)?;
    let text = start.trim_ascii_start();
    let is_json = text.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"('"));
    let is_compressed = [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"BZh"].iter().any(|magic| start.starts_with(magic));
    Ok(is_json || is_compressed || start.starts_with(b"centipawn-wdl-"))
}

/// The counts of a file, with its name. Once `cancel` is set, waiting for a pipe ends with an error.
///
/// # Errors
///
/// [`CompareModelsError`]: the file cannot be opened, or has no counts.
pub fn read_counts(path: &Path, cancel: &Cancel) -> Result<(String, Counts), CompareModelsError> {
    let source = Source::open_until(path, cancel).map_err(CompareModelsError::Source)?;
    let name = source.name().to_owned();
    let counts = Counts::read(source).map_err(|error| CompareModelsError::Counts { name: name.clone(), error })?;
    Ok((name, counts))
}
