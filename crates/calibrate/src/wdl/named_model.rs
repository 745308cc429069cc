//! Loads models by name or from files.

use std::{io, path::Path};

use centipawn_core::{Argument, Curve, CurveChoice, Pawn, WdlModel};
use centipawn_progress::{Cancel, Provenance, SmallDocument};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    FitDocument, Units,
    stockfish_source::{SourceError, stockfish_model},
};
use crate::{CurveFile, human::HumanReport, named_curve::versions};

/// Size limit of a model file: of a fit, a curve, or Stockfish's source. It is large because a fit
/// lists the files of its games.
const MODEL: SmallDocument = SmallDocument::new("file of a model", 16 << 20);

/// A model with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NamedModel {
    /// The version, such as `Stockfish 18`, or the file.
    pub name: String,
    /// The model.
    pub model: WdlModel,
    /// The fit that the model comes from, with its standard errors; `None` if only the constants
    /// are known.
    pub fit: Option<Box<FitDocument>>,
    /// The provenance of the fit or the curve file, if it has one.
    pub provenance: Option<Box<Provenance>>,
}

/// Why a text selects no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The text is neither a version nor a file.
    #[error(
        "{name:?} is neither a known version of Stockfish nor a file; known are {versions}; \
         a later version's constants can be read from its src/uci.cpp",
        versions = versions()
    )]
    Unknown {
        /// The text as given.
        name: String,
    },
    /// The file cannot be read.
    #[error("cannot read {name}")]
    Io {
        /// Path of the file, as the user gave it.
        name: String,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
    /// The file is C++ source without a model.
    #[error("{name}: {error}")]
    Source {
        /// Path of the file, as the user gave it.
        name: String,
        /// The underlying error.
        error: SourceError,
    },
    /// The file is of another kind.
    #[error(
        "{name} is neither a curve file, nor a fit.json of `wdl run`, nor src/uci.cpp of Stockfish: {error}"
    )]
    Format {
        /// Path of the file, as the user gave it.
        name: String,
        /// The error of reading it as a curve.
        error: serde_json::Error,
    },
    /// The curve of the file has no probabilities of win, draw and loss.
    #[error("{name} has the curve {curve}, which is for reviews, and not a win/draw/loss model")]
    NoModel {
        /// Path of the file, as the user gave it.
        name: String,
        /// The curve in the file.
        curve: String,
    },
}

impl NamedModel {
    /// Loads the model that a text selects: a version (`18`, `stockfish-15.1`, or `stockfish` for
    /// the newest), the name of another [model](centipawn_core::NamedCurve::model) such as
    /// `houdini-6`, a curve file, the fit.json of a run or the folder of the run, or Stockfish's
    /// `src/uci.cpp`.
    ///
    /// # Errors
    ///
    /// [`ModelError`], if the text selects no model.
    ///
    /// ```
    /// use centipawn_calibrate::wdl::NamedModel;
    ///
    /// assert_eq!(NamedModel::load("stockfish-18")?.name, "Stockfish 18");
    /// assert!(NamedModel::load("Stockfish 5").is_err() && NamedModel::load("99").is_err());
    /// # Ok::<_, centipawn_calibrate::wdl::ModelError>(())
    /// ```
    pub fn load(text: &str) -> Result<Self, ModelError> {
        let version = text
            .strip_prefix("stockfish-")
            .or(text.strip_prefix("Stockfish "))
            .unwrap_or(text);
        let named = Curve::NAMED.iter().find(|named| named.name == text);
        let published =
            match named.and_then(|named| Some((named.model()?, named.title.to_owned()))) {
                None if text == "stockfish" => Some((WdlModel::default(), "Stockfish".to_owned())),
                None => WdlModel::stockfish(version)
                    .map(|model| (model, format!("Stockfish {version}"))),
                named => named,
            };
        if let Some((model, name)) = published {
            return Ok(Self {
                name,
                model,
                fit: None,
                provenance: None,
            });
        }
        let path = Path::new(text);
        let path = if path.join("fit.json").is_file() {
            path.join("fit.json")
        } else {
            path.to_owned()
        };
        if !path.is_file() {
            return Err(ModelError::Unknown {
                name: text.to_owned(),
            });
        }
        Self::of_file(&path, text)
    }

    fn of_file(path: &Path, text: &str) -> Result<Self, ModelError> {
        let name = text.to_owned();
        let content = match MODEL.read(path, &Cancel::new()) {
            Ok(content) => String::from_utf8_lossy(&content).into_owned(),
            Err(error) => return Err(ModelError::Io { name, error }),
        };
        if !content.trim_start().starts_with('{') && content.contains("double") {
            // Versions 15.1 and 16 define the size of a pawn in the header next to the source.
            let header = match MODEL.read(&path.with_extension("h"), &Cancel::new()) {
                Ok(header) => String::from_utf8_lossy(&header).into_owned(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
                Err(error) => {
                    let name = path.with_extension("h").display().to_string();
                    return Err(ModelError::Io { name, error });
                }
            };
            return match stockfish_model(&content, &header) {
                Ok(model) => Ok(Self {
                    name,
                    model,
                    fit: None,
                    provenance: None,
                }),
                Err(error) => Err(ModelError::Source { name, error }),
            };
        }
        let fit: Option<Box<FitDocument>> = serde_json::from_str(&content).ok().map(Box::new);
        let choice = match fit.as_ref().and_then(|fit| fit.curve) {
            Some(curve) => Ok(CurveChoice::Given(curve)),
            None => serde_json::from_str(&content),
        };
        let choice = match choice {
            Ok(choice) => choice,
            Err(_) if serde_json::from_str::<HumanReport>(&content).is_ok() => CurveChoice::human(),
            Err(error) => return Err(ModelError::Format { name, error }),
        };
        let curve = match choice {
            CurveChoice::Given(Curve::Wdl(model)) => {
                let file = || {
                    serde_json::from_str::<CurveFile>(&content)
                        .ok()
                        .and_then(|file| file.provenance)
                };
                let provenance = fit
                    .as_ref()
                    .and_then(|fit| fit.provenance.clone())
                    .or_else(file)
                    .map(Box::new);
                return Ok(Self {
                    name,
                    model,
                    fit,
                    provenance,
                });
            }
            CurveChoice::Given(curve) => curve.to_string(),
            CurveChoice::Human { .. } => "human".to_owned(),
            CurveChoice::Auto => "auto".to_owned(),
        };
        Err(ModelError::NoModel { name, curve })
    }
}

/// Why a text selects no units.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnitsError {
    /// The text is a list of numbers, but not of four.
    #[error("{0:?} is not a list of the four coefficients of `a`, highest power first")]
    Coefficients(String),
    /// The text in braces is not WDL_model's `NormalizeData`.
    #[error(
        "NormalizeData is JSON such as \
         {{\"momType\": \"move\", \"momMin\": 11, \"momMax\": 120, \"momTarget\": 32, \"as\": [0.38, -2.82, 23.18, 307.37]}}"
    )]
    NormalizeData,
    /// The text gives the size of a pawn instead of a model.
    #[error(
        "{0} is not a version of Stockfish; for the same number of units everywhere, use the option `normalize`"
    )]
    Pawn(f64),
    /// The text selects no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The size of a pawn is not within 1 to 10,000 units.
    #[error("by {0:?} a pawn does not have 1 to 10,000 internal units")]
    Unsound(String),
}

impl Units {
    /// Loads the units that a text selects: the four coefficients of `a` separated by commas,
    /// WDL_model's `NormalizeData`, or a model as in [`NamedModel::load`].
    ///
    /// # Errors
    ///
    /// [`UnitsError`], if the text selects no units.
    pub fn load(text: &str) -> Result<Self, UnitsError> {
        let units = Self::named(text)?;
        if units.is_sound() {
            Ok(units)
        } else {
            Err(UnitsError::Unsound(text.to_owned()))
        }
    }

    fn named(text: &str) -> Result<Self, UnitsError> {
        if text.trim_start().starts_with('{') {
            return normalize_data(text).ok_or(UnitsError::NormalizeData);
        }
        let numbers: Option<Vec<f64>> = text
            .split(',')
            .map(|part| part.trim().parse().ok())
            .collect();
        if let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1) {
            let a = numbers
                .try_into()
                .map_err(|_| UnitsError::Coefficients(text.to_owned()))?;
            return Ok(Self::Model(normalizing(
                Argument::Material,
                [17.0, 78.0],
                58.0,
                a,
            )));
        }
        NamedModel::load(text)
            .map(|named| Self::of_model(named.model))
            .map_err(|error| match (error, text.trim().parse()) {
                (ModelError::Unknown { .. }, Ok(pawn)) if pawn >= 100.0 && f64::is_finite(pawn) => {
                    UnitsError::Pawn(pawn)
                }
                (error, _) => error.into(),
            })
    }
}

/// Returns a model of which only `a` is known, which is enough for the normalisation.
fn normalizing(argument: Argument, range: [f64; 2], divisor: f64, a: [f64; 4]) -> WdlModel {
    WdlModel {
        argument,
        range,
        divisor,
        a,
        b: [0.0, 0.0, 0.0, 1.0],
        pawn: Pawn::Normalised,
        clamp: None,
    }
}

/// Reads WDL_model's `--NormalizeData`.
fn normalize_data(json: &str) -> Option<Units> {
    let data: Value = serde_json::from_str(json).ok()?;
    let number = |value: &Value| {
        value
            .as_f64()
            .or_else(|| value.as_str()?.trim().parse().ok())
    };
    let field = |name: &str| data.get(name).and_then(number);
    let argument = match data
        .get("momType")
        .map_or(Some("material"), Value::as_str)?
    {
        "material" => Argument::Material,
        "move" => Argument::Move,
        _ => return None,
    };
    let a: Vec<f64> = data
        .get("as")?
        .as_array()?
        .iter()
        .map(number)
        .collect::<Option<_>>()?;
    let range = [field("momMin")?, field("momMax")?];
    let divisor = field("momTarget").filter(|&target| target > 0.0)?;
    let is_sound = range[0] <= range[1];
    is_sound.then_some(Units::Model(normalizing(
        argument,
        range,
        divisor,
        a.try_into().ok()?,
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A header that exists but cannot be read must not count as missing.
    #[test]
    fn a_header_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("uci.cpp");
        fs::write(&path, "double as[] = {};").unwrap();
        let error = || NamedModel::load(&path.display().to_string()).unwrap_err();
        assert!(matches!(error(), ModelError::Source { .. }), "{}", error());
        fs::create_dir(folder.path().join("uci.h")).unwrap();
        assert!(
            matches!(error(), ModelError::Io { name, .. } if name.ends_with("uci.h")),
            "{}",
            error()
        );
    }

    #[test]
    fn a_large_file_is_not_a_model() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        let error = NamedModel::load(&file.path().display().to_string()).unwrap_err();
        let ModelError::Io { error, .. } = error else {
            panic!("{error}")
        };
        assert!(error.to_string().contains("larger than 16 MiB"), "{error}");
    }

    #[test]
    fn a_human_curve_is_not_a_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("curve.json");
        let error = |content: &str| {
            fs::write(&path, content).unwrap();
            NamedModel::load(&path.display().to_string())
                .unwrap_err()
                .to_string()
        };
        let file = CurveFile {
            curve: CurveChoice::human(),
            provenance: None,
        }
        .json();
        assert!(
            error(&file).ends_with(
                "has the curve human, which is for reviews, and not a win/draw/loss model"
            )
        );
        assert!(error(r#"{"curve": "auto"}"#).contains("has the curve auto"));
    }

    #[test]
    fn unknown_versions_are_refused_with_the_known_ones() {
        for name in ["99", "stockfish-99", "Stockfish 99", "stockfish-19.2"] {
            let error = NamedModel::load(name).unwrap_err().to_string();
            assert!(
                error.contains("17.1, 18, 19;") && error.starts_with(&format!("{name:?}")),
                "{error}"
            );
        }
        let named = |name: &str| NamedModel::load(name).unwrap();
        assert_ne!(named("19").model, named("18").model);
        assert_eq!(named("19").model, named("stockfish").model);
        assert_eq!(named("houdini-6").model, WdlModel::HOUDINI_6);
    }

    /// The number of units in a pawn must be limited, because a fit reserves memory for all
    /// evaluations in internal units.
    #[test]
    fn the_size_of_units_is_limited() {
        for text in [
            "inf,0,0,1",
            "1e308,1e308,1e308,1e308",
            "0,0,0,NaN",
            "0,0,0,1000000",
            "0,0,0,-5",
        ] {
            let error = Units::load(text).unwrap_err().to_string();
            assert!(
                error.contains("1 to 10,000 internal units"),
                "{text}: {error}"
            );
        }
        let json = r#"{"momType":"move","momMin":11,"momMax":120,"momTarget":32,"as":[0.38,-2.82,23.18,1e8]}"#;
        assert!(Units::load(json).is_err() && Units::load(&json.replace("1e8", "300")).is_ok());
        assert!(
            serde_json::from_str::<Units>("1e9").is_err()
                && serde_json::from_str::<Units>("361").is_ok()
        );
    }
}
