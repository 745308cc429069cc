//! Curves by name, or from files.

use std::{io, path::Path};

use centipawn_core::{Curve, CurveChoice, NamedCurve, WdlModel};
use centipawn_progress::{Cancel, SmallDocument};

/// A curve file also lists the files of the games that it was fitted to.
const CURVE: SmallDocument = SmallDocument::new("curve file", 16 << 20);

/// Why a name stands for no curve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamedCurveError {
    /// It is no curve's name, and no file's.
    #[error(
        "there is no curve or file {0:?}; curves are {names}, stockfish-VERSION ({versions}), and auto \
         where games are read", names = NamedCurve::list(|_| true), versions = versions()
    )]
    Unknown(String),
    /// The file cannot be read.
    #[error("cannot read the curve file {name}")]
    Read {
        /// The file.
        name: String,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// The file holds something else.
    #[error("{name} is not a curve file")]
    NoCurve {
        /// The file.
        name: String,
        /// The problem.
        #[source]
        error: serde_json::Error,
    },
}

/// Stockfish's releases with a model.
pub(crate) fn versions() -> String {
    WdlModel::stockfish_releases()
        .collect::<Vec<_>>()
        .join(", ")
}

/// The choice that a name or the path of a curve file stands for. `balance` is that of the
/// relevance curves, in pawns above 0; a caller with a value from elsewhere checks it. Waiting for
/// a pipe ends when `cancel` is set.
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
/// [`NamedCurveError`].
pub fn named_choice(
    name: &str,
    balance: f64,
    cancel: &Cancel,
) -> Result<CurveChoice, NamedCurveError> {
    match Curve::by_name(name, balance) {
        Some(Curve::Human(_)) => Ok(CurveChoice::human()),
        Some(curve) => Ok(curve.into()),
        None if name == "auto" => Ok(CurveChoice::Auto),
        // A folder, or an unreadable file, exists too; reading it gives the error.
        None if Path::new(name).try_exists().unwrap_or(true) => {
            read_choice(Path::new(name), cancel)
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
