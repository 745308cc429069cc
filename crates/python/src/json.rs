//! Values of the libraries as Python's, and back: by their JSON.

use pyo3::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use crate::error::value_error;

/// A document as dictionaries, lists, numbers and texts.
pub(crate) fn to_python<'py>(py: Python<'py>, document: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(document).map_err(value_error)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Options from the JSON that the Python half of a function makes of its arguments.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| {
        // The place in the JSON is meaningless to the caller.
        let text = error.to_string();
        value_error(text.split(" at line ").next().unwrap_or_default())
    })
}
