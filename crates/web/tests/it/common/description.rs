//! Compares requests and answers with their description in `openapi.json`.

use std::collections::BTreeMap;

use serde_json::Value;

pub(crate) struct Description(Value);

/// The keys in the schema of an object, collected from all its parts.
#[derive(Default)]
struct Keys<'a> {
    properties: BTreeMap<&'a str, &'a Value>,
    required: Vec<&'a str>,
}

impl Description {
    pub(crate) fn read() -> Self {
        Self(serde_json::from_str(centipawn_web::openapi()).unwrap())
    }

    /// Returns the method and address of all requests that are answered with JSON.
    pub(crate) fn questions(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (address, methods) in self.0["paths"].as_object().unwrap() {
            for (method, question) in methods.as_object().unwrap() {
                if !answer(question).is_null() {
                    all.push((method.to_uppercase(), address.clone()));
                }
            }
        }
        all
    }

    /// Returns the described address that matches a path. If several match, the one with the fewest
    /// parameters.
    pub(crate) fn address(&self, path: &str) -> Option<&str> {
        let path = path.split('?').next().unwrap_or_default();
        let fits = |address: &&str| {
            let (parts, wanted): (Vec<_>, Vec<_>) =
                (path.split('/').collect(), address.split('/').collect());
            let fit = |(part, wanted): (&&str, &&str)| part == wanted || wanted.starts_with('{');
            parts.len() == wanted.len() && parts.iter().zip(&wanted).all(fit)
        };
        let addresses = self.0["paths"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str);
        addresses
            .filter(fits)
            .min_by_key(|address| address.matches('{').count())
    }

    /// Panics if an answer differs from its description.
    pub(crate) fn check_answer(&self, method: &str, address: &str, value: &Value) {
        let schema = answer(&self.0["paths"][address][method.to_lowercase()]);
        let problems = self.problems(schema, value, "answer");
        assert!(
            problems.is_empty(),
            "{method} {address} differs from openapi.json:\n{}",
            problems.join("\n")
        );
    }

    /// Panics if the description of an address lacks answers of this media type.
    pub(crate) fn check_type(&self, method: &str, address: &str, kind: &str) {
        let types = &self.0["paths"][address][method.to_lowercase()]["responses"]["200"]["content"];
        assert!(
            types.get(kind).is_some(),
            "{method} {address} is answered with {kind:?}, which openapi.json lacks"
        );
    }

    /// Panics if the description of an address lacks this error status.
    pub(crate) fn check_refusal(&self, method: &str, address: &str, status: u16) {
        let question = &self.0["paths"][address][method.to_lowercase()];
        let response = self.resolve(&question["responses"][status.to_string()]);
        let schema = &response["content"]["application/json"]["schema"];
        let is_described = schema["$ref"] == "#/components/schemas/ErrorDocument";
        assert!(
            question.is_null() || is_described,
            "{method} {address} is refused with {status}, which openapi.json lacks"
        );
    }

    /// Panics if a request differs from its description. The server ignores unknown keys, so only
    /// this check finds them.
    pub(crate) fn check_request(&self, method: &str, address: &str, value: &Value) {
        let question = &self.0["paths"][address][method.to_lowercase()];
        let schema = &question["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(
            schema.is_null(),
            value.is_null(),
            "{method} {address}: body"
        );
        let problems = self.problems(schema, value, "request");
        assert!(
            problems.is_empty(),
            "{method} {address} differs from openapi.json:\n{}",
            problems.join("\n")
        );
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        schema["$ref"].as_str().map_or(schema, |at| {
            self.0.pointer(at.trim_start_matches('#')).unwrap()
        })
    }

    fn keys<'a>(&'a self, schema: &'a Value, keys: &mut Keys<'a>) {
        let schema = self.resolve(schema);
        assert!(
            schema.get("oneOf").is_none(),
            "a part of an object is a choice, which this check does not know"
        );
        for part in list(&schema["allOf"]) {
            self.keys(part, keys);
        }
        keys.properties.extend(
            schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, of)| (&**name, of)),
        );
        keys.required
            .extend(list(&schema["required"]).filter_map(Value::as_str));
    }

    /// Returns all differences between a value and its schema.
    fn problems(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let schema = self.resolve(schema);
        if schema.get("oneOf").is_some() {
            let by_choice: Vec<_> = list(&schema["oneOf"])
                .map(|one| self.problems(one, value, at))
                .collect();
            let fits = by_choice.iter().any(Vec::is_empty);
            return if fits { Vec::new() } else { by_choice.concat() };
        }
        let of_type = |name: &str| match name {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("{other} is no type"),
        };
        let types: Vec<&str> = match &schema["type"] {
            Value::Null => Vec::new(),
            Value::String(one) => vec![one],
            several => list(several).filter_map(Value::as_str).collect(),
        };
        if !types.is_empty() && !types.iter().any(|name| of_type(name)) {
            return vec![format!("{at} is {value}, not {}", types.join(" or "))];
        }
        let mut problems = Vec::new();
        if schema.get("enum").is_some() && !list(&schema["enum"]).any(|one| one == value) {
            problems.push(format!("{at} is {value}, not one of {}", schema["enum"]));
        }
        match value {
            Value::Array(values) => {
                let places: Vec<&Value> = list(&schema["prefixItems"]).collect();
                if schema["items"] == false && values.len() != places.len() {
                    problems.push(format!(
                        "{at} has {} values, not {}",
                        values.len(),
                        places.len()
                    ));
                }
                for (index, value) in values.iter().enumerate() {
                    let schema = places.get(index).copied().unwrap_or(&schema["items"]);
                    problems.extend(self.problems(schema, value, &format!("{at}[{index}]")));
                }
            }
            Value::Object(map)
                if schema.get("properties").is_some() || schema.get("allOf").is_some() =>
            {
                let mut keys = Keys::default();
                self.keys(schema, &mut keys);
                for name in keys
                    .required
                    .iter()
                    .filter(|name| !map.contains_key(**name))
                {
                    problems.push(format!("{at} lacks {name}"));
                }
                for (name, value) in map {
                    match keys.properties.get(&**name) {
                        Some(schema) => {
                            problems.extend(self.problems(schema, value, &format!("{at}.{name}")));
                        }
                        None => problems.push(format!("{at}.{name} is not described")),
                    }
                }
            }
            Value::Object(map) => {
                for (name, value) in map {
                    problems.extend(self.problems(
                        &schema["additionalProperties"],
                        value,
                        &format!("{at}.{name}"),
                    ));
                }
            }
            // The schema describes an object, but the value is none.
            value if schema.get("allOf").is_some() => {
                problems.push(format!("{at} is {value}, not an object"));
            }
            _ => (),
        }
        problems
    }
}

/// Returns the schema of the JSON answer to a request.
fn answer(question: &Value) -> &Value {
    &question["responses"]["200"]["content"]["application/json"]["schema"]
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
