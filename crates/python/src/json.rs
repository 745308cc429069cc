//! Converts values between the libraries and Python, through JSON.

use std::fmt;

use pyo3::{exceptions::PyTypeError, prelude::*};
use serde::{
    Deserializer, Serialize,
    de::{
        self, DeserializeOwned, Expected, IntoDeserializer, Unexpected, Visitor,
        value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer, StringDeserializer},
    },
};
use serde_json::{Map, Value};

use crate::error::{value_error, with_keywords};

/// Converts a document to dictionaries, lists, numbers and texts.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    document: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(document).map_err(value_error)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Reads options from JSON, which the Python half of a function makes from its arguments.
///
/// # Errors
///
/// An argument of a wrong type is a `TypeError`, any other wrong argument a `ValueError`. If one
/// argument alone causes the error, the message names it.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    let all = serde_json::from_str(text).map_err(value_error)?;
    T::deserialize(Argument(all)).map_err(|refusal| {
        let wrong = serde_json::from_str(text)
            .ok()
            .and_then(|all| culprit::<T>(&all, &refusal));
        // In Python, the levels of ease are the argument `rating`.
        let wrong = wrong.map(|name| {
            if name == "fixed" {
                "rating".to_owned()
            } else {
                name
            }
        });
        let name = wrong.map_or_else(String::new, |name| name + " ");
        match refusal {
            Refusal::Type(reason) => PyTypeError::new_err(with_keywords(&(name + &reason))),
            Refusal::Value(reason) => value_error(name + &reason),
        }
    })
}

/// Finds the argument that causes this error even if it is the only one. Arguments can be in
/// groups.
fn culprit<T: DeserializeOwned>(all: &Map<String, Value>, whole: &Refusal) -> Option<String> {
    let object =
        |name: &String, value: Value| Value::Object(Map::from_iter([(name.clone(), value)]));
    let is_refused =
        |only: Value| T::deserialize(Argument(only)).is_err_and(|refusal| refusal == *whole);
    let (name, value) = all
        .iter()
        .find(|(name, value)| is_refused(object(name, (*value).clone())))?;
    let inner = value
        .as_object()
        .into_iter()
        .flatten()
        .find(|(inner, value)| {
            let only = object(inner, (*value).clone());
            is_refused(object(name, only))
        });
    Some(inner.map_or(name, |(inner, _)| inner).clone())
}

/// Why an argument is refused. The text follows the name of the argument and uses Python's words.
#[derive(Debug, PartialEq)]
enum Refusal {
    /// The argument has a wrong type.
    Type(String),
    /// The argument has the right type, but a wrong value.
    Value(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Type(reason) | Self::Value(reason)) = self;
        f.write_str(reason)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::Value(format!("is refused: {reason}"))
    }

    fn invalid_type(value: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::Type(must_be(value, wanted))
    }

    fn invalid_value(value: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::Value(must_be(value, wanted))
    }

    fn unknown_variant(name: &str, names: &'static [&'static str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        Self::Value(format!("\"{name}\" is not one of {}", names.join(", ")))
    }
}

fn must_be(value: Unexpected<'_>, wanted: &dyn Expected) -> String {
    // Serde provides the expected type only as a text, so compare texts.
    let wanted = wanted.to_string();
    let wanted = match &*wanted {
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number of at least 0",
        "a nonzero usize" | "a nonzero u16" => "a whole number above 0",
        "i64" | "i32" | "i16" | "i8" => "a whole number",
        "f64" | "f32" => "a number",
        "a boolean" => "True or False",
        "a sequence" => "a list",
        "a string" => "a text",
        wanted => wanted,
    };
    let value = match value {
        Unexpected::Bool(true) => "True".to_owned(),
        Unexpected::Bool(false) => "False".to_owned(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => format!("{number:?}"),
        Unexpected::Str(text) => format!("{text:?}"),
        Unexpected::Unit => "None".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a dictionary".to_owned(),
        other => other.to_string(),
    };
    format!("must be {wanted}, not {value}")
}

/// A JSON value whose deserialization fails with a [`Refusal`]. Errors of `serde_json` do not
/// distinguish types from values.
struct Argument(Value);

impl<'de> Deserializer<'de> for Argument {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (.., number) => visitor.visit_f64(number.unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(values) => {
                SeqDeserializer::new(values.into_iter().map(Argument)).deserialize_any(visitor)
            }
            Value::Object(map) => {
                MapDeserializer::new(map.into_iter().map(|(name, value)| (name, Argument(value))))
                    .deserialize_any(visitor)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::String(text) => {
                StringDeserializer::new(text).deserialize_enum(name, variants, visitor)
            }
            Value::Object(map) => {
                let map = map.into_iter().map(|(name, value)| (name, Argument(value)));
                MapAccessDeserializer::new(MapDeserializer::new(map))
                    .deserialize_enum(name, variants, visitor)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Refusal> for Argument {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
