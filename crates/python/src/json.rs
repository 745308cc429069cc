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
        // The levels of ease are ratings here.
        let wrong = wrong.map(|name| if name == "fixed" { "rating".to_owned() } else { name });
        let name = wrong.map_or_else(String::new, |name| name + " ");
        let text = name + &in_words(&reason);
        if reason.starts_with("invalid type") { PyTypeError::new_err(with_keywords(&text)) } else { value_error(text) }
    })
}

/// An error of serde in words that a caller in Python knows.
fn in_words(reason: &str) -> String {
    let parts = |begin: &str| reason.strip_prefix(begin)?.split_once(", expected ");
    if let Some((value, names)) = parts("unknown variant ") {
        let names = names.strip_prefix("one of ").unwrap_or(names);
        return format!("{value} is not one of {names}").replace('`', "\"");
    }
    let Some((value, wanted)) = parts("invalid type: ").or_else(|| parts("invalid value: ")) else {
        return format!("is refused: {reason}");
    };
    let wanted = match wanted {
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number of at least 0",
        "a nonzero usize" | "a nonzero u16" => "a whole number above 0",
        "i64" | "i32" | "i16" | "i8" => "a whole number",
        "f64" | "f32" => "a number",
        "a boolean" => "True or False",
        "a sequence" => "a list",
        "a string" => "a text",
        wanted => wanted,
    };
    let kinds = ["string ", "integer ", "floating point ", "boolean "];
    let value = kinds.iter().find_map(|kind| value.strip_prefix(kind)).unwrap_or(match value {
        "map" => "a dictionary",
        "sequence" => "a list",
        "null" => "None",
        value => value,
    });
    let value = match value.trim_matches('`') {
        "true" => "True",
        "false" => "False",
        value => value,
    };
    format!("must be {wanted}, not {value}")
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
