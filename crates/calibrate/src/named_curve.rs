//! Loads curves by name or from files.

use std::{io, path::Path};

use centipawn_core::{Curve, CurveChoice, NamedCurve, WdlModel};
use centipawn_progress::{Cancel, SmallDocument};

/// The size limit of a curve file. It is large because such a file also lists the files of the
/// games that the curve was fitted to.
const CURVE: SmallDocument = SmallDocument::new("curve file", 16 << 20);

/// Why a name selects no curve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamedCurveError {
    /// The text names neither a curve nor a file.
    #[error(
        "there is no curve or file {0:?}; curves are {names}, stockfish-VERSION ({versions}), and auto \
         where games are read", names = NamedCurve::list(|_| true), versions = versions()
    )]
    Unknown(String),
    /// The numbers behind the name of the stretched curve are none.
    #[error(
        "{0:?} has no balance and slope: write relevance-stretched:BALANCE,SLOPE, such as \
         relevance-stretched:0.62,2, with a balance in pawns above 0 and a slope from {least} to {most}",
        least = Curve::SLOPES[0], most = Curve::SLOPES[1]
    )]
    Numbers(String),
    /// The file cannot be read.
    #[error("cannot read the curve file {name}")]
    Read {
        /// Path of the file, as the user gave it.
        name: String,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// The file holds no curve.
    #[error("{name} is not a curve file")]
    NoCurve {
        /// Path of the file, as the user gave it.
        name: String,
        /// The underlying error.
        #[source]
        error: serde_json::Error,
    },
}

/// Returns Stockfish's releases with a model, for messages.
pub(crate) fn versions() -> String {
    WdlModel::stockfish_releases()
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the choice for a curve's name or for the path of a curve file. `balance` is the balance
/// of the relevance curves in pawns, above 0; callers that read it from outside must check it. If
/// the path is a pipe, waiting for it ends when `cancel` is set.
///
/// ```
/// use centipawn_calibrate::named_choice;
/// use centipawn_core::{Curve, CurveChoice};
/// use centipawn_progress::Cancel;
///
/// assert_eq!(named_choice("auto", 1.0, &Cancel::new())?, CurveChoice::Auto);
/// assert_eq!(named_choice("relevance", 0.62, &Cancel::new())?, Curve::Relevance { balance: 0.62 }.into());
/// assert!(named_choice("stockfish-1", 1.0, &Cancel::new()).is_err());
/// # Ok::<_, centipawn_calibrate::NamedCurveError>(())
/// ```
///
/// # Errors
///
/// [`NamedCurveError`], if the name is unknown, or the file is unreadable or holds no curve.
pub fn named_choice(
    name: &str,
    balance: f64,
    cancel: &Cancel,
) -> Result<CurveChoice, NamedCurveError> {
    match Curve::by_name(name, balance) {
        Some(Curve::Human(_)) => Ok(CurveChoice::human()),
        Some(curve) => Ok(curve.into()),
        None if name == "auto" => Ok(CurveChoice::Auto),
        // A folder or an unreadable file also counts as existing, because reading it gives the
        // better error.
        None if Path::new(name).try_exists().unwrap_or(true) => {
            read_choice(Path::new(name), cancel)
        }
        None if name.starts_with("relevance-stretched:") => {
            Err(NamedCurveError::Numbers(name.to_owned()))
        }
        None => Err(NamedCurveError::Unknown(name.to_owned())),
    }
}

/// Reads a curve file: the JSON of a [`CurveChoice`], such as the `curve.json` of `wdl fit`.
///
/// # Errors
///
/// [`NamedCurveError::Read`] or [`NamedCurveError::NoCurve`].
pub fn read_choice(path: &Path, cancel: &Cancel) -> Result<CurveChoice, NamedCurveError> {
    let name = || path.display().to_string();
    let text = CURVE
        .read_text(path, cancel)
        .map_err(|error| NamedCurveError::Read {
            name: name(),
            error,
        })?;
    serde_json::from_str(&text).map_err(|error| NamedCurveError::NoCurve {
        name: name(),
        error,
    })
}
