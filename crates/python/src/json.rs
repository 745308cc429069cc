//! Values of the libraries as Python's, and back: by their JSON.

use pyo3::{exceptions::PyTypeError, prelude::*};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::error::{value_error, with_keywords};

/// A document as dictionaries, lists, numbers and texts.
pub(crate) fn to_python<'py>(py: Python<'py>, document: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(document).map_err(value_error)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Options from the JSON that the Python half of a function makes of its arguments.
///
/// # Errors
///
/// An argument of another type is a `TypeError`, any other wrong argument a `ValueError`; both name it if it alone is wrong.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| {
        let reason = reason(&error);
        let wrong = serde_json::from_str(text).ok().and_then(|all| culprit::<T>(&all, &reason));
        let text = match wrong {
            Some(name) => format!("{name}: {reason}"),
            None => reason.clone(),
        };
        if reason.starts_with("invalid type") { PyTypeError::new_err(with_keywords(&text)) } else { value_error(text) }
    })
}

/// An error without its place in the JSON, which is meaningless to the caller.
fn reason(error: &serde_json::Error) -> String {
    error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
}

/// The argument that is refused for this reason even if it is the only one. Arguments may lie in groups.
fn culprit<T: DeserializeOwned>(all: &Map<String, Value>, whole: &str) -> Option<String> {
    let object = |name: &String, value: Value| Value::Object(Map::from_iter([(name.clone(), value)]));
    let is_refused = |only: Value| serde_json::from_value::<T>(only).is_err_and(|error| reason(&error) == whole);
    let (name, value) = all.iter().find(|(name, value)| is_refused(object(name, (*value).clone())))?;
    let inner = value.as_object().into_iter().flatten().find(|(inner, value)| {
        let only = object(inner, (*value).clone());
        is_refused(object(name, only))
    });
    Some(inner.map_or(name, |(inner, _)| inner).clone())
}
