//! The exceptions of the package, and errors of the libraries as exceptions.

use std::{error::Error, ffi::CString, io, ops::RangeInclusive, path::Path};

use centipawn_calibrate::OutOfRange;
use centipawn_progress::text::with_options;
use pyo3::{
    conversion::FromPyObjectOwned,
    create_exception,
    exceptions::{
        PyException, PyFileNotFoundError, PyOSError, PyOverflowError, PyUserWarning, PyValueError,
    },
    prelude::*,
};

create_exception!(
    centipawn,
    CentipawnError,
    PyException,
    "The base of all exceptions of this package."
);
create_exception!(
    centipawn,
    PgnError,
    CentipawnError,
    "A game or a file of games cannot be read."
);
create_exception!(
    centipawn,
    FitError,
    CentipawnError,
    "No model can be fitted to these games."
);
create_exception!(
    centipawn,
    EngineError,
    CentipawnError,
    "An engine cannot be started, or does not answer."
);
create_exception!(
    centipawn,
    NetworkError,
    CentipawnError,
    "A policy network cannot be opened or evaluated."
);
create_exception!(
    centipawn,
    StoreError,
    CentipawnError,
    "A store of evaluations cannot be opened, read or written."
);
create_exception!(
    centipawn,
    ExecutorError,
    CentipawnError,
    "An executor is broken, its tasks fail, or a worker refuses them."
);
create_exception!(
    centipawn,
    CentipawnWarning,
    PyUserWarning,
    "Something was skipped, and why."
);

/// Renames options in a text to keywords: "option `method score`" becomes `method="score"`.
pub(crate) fn with_keywords(text: &str) -> String {
    with_renamed(text, |name| name)
}

/// Like [`with_keywords`], for counting games and for win/draw/loss models. Some of their options
/// have other names in Python.
pub(crate) fn with_wdl_keywords(text: &str) -> String {
    with_renamed(text, |name| match name {
        "engine" => "match_engine",
        "normalize" | "from" => "units",
        name => name,
    })
}

fn with_renamed(text: &str, keyword: impl Fn(&str) -> &str) -> String {
    with_options(text, |name, value| {
        let name = if name == "level" {
            "rating"
        } else {
            keyword(name)
        };
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

/// An error with its causes, in one line. Options are renamed to keywords.
pub(crate) fn chain(error: &dyn Error) -> String {
    with_keywords(&causes(error))
}

/// An error with its causes, in one line.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some errors contain the text of their cause already.
        if !text.contains(&cause_text) {
            text += ": ";
            text += &cause_text;
        }
        source = cause.source();
    }
    text
}

/// Reads an argument that is a whole number, or `None`. A number out of range is a `ValueError`, as
/// for the other arguments; without this function it would be an `OverflowError`.
pub(crate) fn whole<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyAny>) -> PyResult<T> {
    given.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        let is_beyond = error.is_instance_of::<PyOverflowError>(given.py());
        if is_beyond {
            value_error(format!("the number {given} is out of range"))
        } else {
            error
        }
    })
}

/// Checks the range of a number, as the command line does.
pub(crate) fn in_range(
    option: &'static str,
    value: usize,
    range: RangeInclusive<usize>,
) -> PyResult<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let [value, least, most] = [value, *range.start(), *range.end()].map(|number| number as f64);
    Err(value_error(OutOfRange {
        option,
        value,
        least,
        most,
    }))
}

/// A `ValueError` for a wrong argument.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(with_keywords(&error.to_string()))
}

/// A `ValueError` for a wrong argument, with the causes of the error.
pub(crate) fn value_chain(error: impl Error) -> PyErr {
    PyValueError::new_err(chain(&error))
}

/// An error about a file. It becomes `FileNotFoundError` if the file is missing, `OSError` if it
/// may not be read, and otherwise what `other` returns.
pub(crate) fn file_error<E: Error + 'static>(
    error: &E,
    other: impl FnOnce(String) -> PyErr,
) -> PyErr {
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

/// An error about a text that is a name or the path of a file. Like [`file_error`], but also
/// `FileNotFoundError` if the name is `unknown` and looks like a path.
pub(crate) fn named_error<E: Error + 'static>(
    error: &E,
    unknown: Option<&str>,
    other: impl FnOnce(String) -> PyErr,
) -> PyErr {
    // An ending must begin with a letter, because names such as `stockfish-15.1` contain a point
    // too.
    let has_ending = |text: &str| {
        let ending = Path::new(text)
            .extension()
            .and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ending.starts_with(|char: char| char.is_ascii_alphabetic()))
    };
    match unknown {
        Some(text) if text.contains(['/', '\\']) || has_ending(text) => {
            PyFileNotFoundError::new_err(chain(error))
        }
        _ => file_error(error, other),
    }
}

/// An error about games that cannot be read.
pub(crate) fn pgn_error<E: Error + 'static>(error: &E) -> PyErr {
    file_error(error, PgnError::new_err)
}

/// Issues a [`CentipawnWarning`], with names of files instead of paths of copies.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let shown = py
        .import("centipawn._arguments")?
        .call_method1("shown", (with_keywords(text),))?;
    let text = CString::new(shown.extract::<String>()?.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<CentipawnWarning>(), &text, 2)
}
