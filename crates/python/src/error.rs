//! Exceptions, and errors of the libraries as exceptions.

use std::{error::Error, ffi::CString, io, ops::RangeInclusive, path::Path};

use centipawn_calibrate::OutOfRange;
use centipawn_progress::text::with_options;
use pyo3::{
    conversion::FromPyObjectOwned,
    create_exception,
    exceptions::{PyException, PyFileNotFoundError, PyOSError, PyOverflowError, PyUserWarning, PyValueError},
    prelude::*,
};

create_exception!(centipawn, CentipawnError, PyException, "The base of all exceptions of this package.");
create_exception!(centipawn, PgnError, CentipawnError, "A game or a file of games cannot be read.");
create_exception!(centipawn, FitError, CentipawnError, "No model can be fitted to these games.");
create_exception!(centipawn, EngineError, CentipawnError, "An engine cannot be started, or does not answer.");
create_exception!(centipawn, NetworkError, CentipawnError, "A policy network cannot be opened or evaluated.");
create_exception!(centipawn, StoreError, CentipawnError, "A store of evaluations cannot be opened, read or written.");
create_exception!(
    centipawn,
    ExecutorError,
    CentipawnError,
    "An executor is broken, its tasks fail, or a worker refuses them."
);
create_exception!(centipawn, CentipawnWarning, PyUserWarning, "Something was skipped, and why.");

/// A text with `method="score"` for "option `method score`".
pub(crate) fn with_keywords(text: &str) -> String {
    with_renamed(text, |name| name)
}

/// The same, with the options of counting games and of win/draw/loss models, some of which have other names here.
pub(crate) fn with_wdl_keywords(text: &str) -> String {
    with_renamed(text, |name| match name {
        "engine" => "match_engine",
        "normalize" | "from" => "units",
        name => name,
    })
}

fn with_renamed(text: &str, keyword: impl Fn(&str) -> &str) -> String {
    with_options(text, |name, value| {
        let name = if name == "level" { "rating" } else { keyword(name) };
        match value {
            None => name.to_owned(),
            Some("true") => format!("{name}=True"),
            Some("false") => format!("{name}=False"),
            Some(number) if number.parse::<f64>().is_ok() => format!("{name}={number}"),
            Some(value) if name == "terms" => format!("{name}=[{value:?}]"),
            Some(value) => format!("{name}={value:?}"),
        }
    })
}

/// An error with its causes, as one line. Options are named as keywords.
pub(crate) fn chain(error: &dyn Error) -> String {
    with_keywords(&causes(error))
}

/// An error with its causes, as one line.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some errors repeat their cause.
        if !text.contains(&cause_text) {
            text += ": ";
            text += &cause_text;
        }
        source = cause.source();
    }
    text
}

/// A whole number as an argument, or `None`. One that is out of range is a `ValueError`; it would be an `OverflowError` otherwise.
pub(crate) fn whole<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyAny>) -> PyResult<T> {
    given.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        let is_beyond = error.is_instance_of::<PyOverflowError>(given.py());
        if is_beyond { value_error(format!("the number {given} is out of range")) } else { error }
    })
}

/// Checks a number that the commands check, too.
pub(crate) fn in_range(option: &'static str, value: usize, range: RangeInclusive<usize>) -> PyResult<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let [value, least, most] = [value, *range.start(), *range.end()].map(|number| number as f64);
    Err(value_error(OutOfRange { option, value, least, most }))
}

/// A wrong argument.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(with_keywords(&error.to_string()))
}

/// A wrong argument, with its causes.
pub(crate) fn value_chain(error: impl Error) -> PyErr {
    PyValueError::new_err(chain(&error))
}

/// An error about a file: `FileNotFoundError` if it is missing, otherwise what `other` makes of it.
pub(crate) fn file_error<E: Error + 'static>(error: &E, other: impl FnOnce(String) -> PyErr) -> PyErr {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(own) = cause {
        match own.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(io::ErrorKind::NotFound) => return PyFileNotFoundError::new_err(chain(error)),
            Some(io::ErrorKind::PermissionDenied) => return PyOSError::new_err(chain(error)),
            _ => cause = own.source(),
        }
    }
    other(chain(error))
}

/// An error about a text that is a name or the path of a file: like [`file_error`], and also `FileNotFoundError` if what it names is
/// `unknown` and looks like a path.
pub(crate) fn named_error<E: Error + 'static>(
    error: &E,
    unknown: Option<&str>,
    other: impl FnOnce(String) -> PyErr,
) -> PyErr {
    // A name may have a point before a digit, as a version of Stockfish has.
    let has_ending = |text: &str| {
        let ending = Path::new(text).extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ending.starts_with(|char: char| char.is_ascii_alphabetic()))
    };
    match unknown {
        Some(text) if text.contains(['/', '\\']) || has_ending(text) => PyFileNotFoundError::new_err(chain(error)),
        _ => file_error(error, other),
    }
}

/// Games that cannot be read.
pub(crate) fn pgn_error<E: Error + 'static>(error: &E) -> PyErr {
    file_error(error, PgnError::new_err)
}

/// Issues a [`CentipawnWarning`].
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let shown = py.import("centipawn._arguments")?.call_method1("shown", (with_keywords(text),))?;
    let text = CString::new(shown.extract::<String>()?.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<CentipawnWarning>(), &text, 2)
}
