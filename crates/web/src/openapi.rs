//! The description of the interface, generated from the attributes of the handlers and the types of
//! requests and answers.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use crate::{
    api::{
        batches, curves, games, jobs, lessons, library, players, positions, puzzles, reviews,
        server,
    },
    documents::{ErrorDocument, Event, PositionEvent},
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Centipawn's page",
        description = "The interface of `centipawn serve`. What changes anything needs the header `X-Centipawn`. An error is an \
                       ErrorDocument. Evaluations and expected scores are White's."
    ),
    paths(
        server::healthz,
        server::status,
        server::engines,
        server::session,
        server::end_session,
        server::openapi,
        games::select_games,
        games::add_games,
        games::game,
        games::set_own_note,
        reviews::request_review,
        reviews::review,
        reviews::judged,
        reviews::why,
        batches::list_batches,
        batches::request_batch,
        batches::go_on_batch,
        batches::pause_batch,
        batches::cancel_batch,
        players::players,
        players::profile,
        lessons::lesson,
        library::export,
        library::import,
        library::delete,
        reviews::judge_move,
        reviews::lines,
        curves::draw_curve,
        curves::plots,
        curves::people,
        curves::symbols,
        positions::ease,
        positions::position,
        positions::table,
        puzzles::list_puzzles,
        puzzles::import_puzzles,
        puzzles::add_mistakes,
        puzzles::attempts,
        puzzles::export_puzzles,
        puzzles::worksheet,
        puzzles::puzzle,
        puzzles::answer_puzzle,
        puzzles::note_attempt,
        puzzles::set_repetition,
        puzzles::edit_puzzle,
        puzzles::solution,
        jobs::request_mining,
        jobs::list_jobs,
        jobs::job,
        jobs::go_on,
        jobs::cancel,
        server::events
    ),
    components(schemas(ErrorDocument, Event, PositionEvent))
)]
struct Description;

/// Returns the description of the interface in OpenAPI's format. `GET /api/openapi.json` returns
/// the same text.
pub fn openapi() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", description()));
    &TEXT
}

/// Returns the description that utoipa generates, corrected where the documents differ from
/// utoipa's assumptions.
fn description() -> Value {
    let mut description = serde_json::to_value(Description::openapi()).unwrap_or_default();
    add_refusals(&mut description);
    shorten(&mut description);
    for (name, schema) in entries(&mut description["components"]["schemas"]) {
        // Keys that may be null are always written, so they are required. Exceptions are requests,
        // in which missing keys have defaults, and the place of a position, which has no keys if
        // the position belongs to no game.
        if !name.ends_with("Request") && name != "MomentPlaceIfAny" && name != "GameFilter" {
            require(schema);
        }
        // Limits have defaults when they are read, but are always written with all keys.
        if name == "Limits" {
            schema["required"] = entries(&mut schema["properties"])
                .map(|(key, _)| json!(key))
                .collect();
        }
    }
    description
}

/// Returns the entries of an object. Any other value has none.
fn entries(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flatten()
}

/// Error answers that many addresses share: status, name in the description, and reason.
const REFUSALS: [(&str, &str, &str); 8] = [
    (
        "400",
        "NotUnderstood",
        "The request is not understood, or cannot be met",
    ),
    (
        "401",
        "WithoutSession",
        "The server asks for its token, and the request has no session",
    ),
    (
        "403",
        "Foreign",
        "The request comes from another site, or lacks the header `X-Centipawn`",
    ),
    ("404", "Missing", "There is none of this number or name"),
    ("408", "TooSlow", "The body arrived too slowly"),
    ("413", "TooLarge", "The body is too large"),
    ("421", "OtherHost", "The server has another name or port"),
    (
        "500",
        "Failed",
        "The store, the engine or the server failed",
    ),
];

/// Adds the shared error answers to the addresses that can return them.
fn add_refusals(description: &mut Value) {
    let responses = REFUSALS.map(|(_, name, reason)| {
        let schema = json!({ "$ref": "#/components/schemas/ErrorDocument" });
        (name.to_owned(), json!({ "description": reason, "content": { "application/json": { "schema": schema } } }))
    });
    description["components"]["responses"] = Map::from_iter(responses).into();
    for (path, methods) in entries(&mut description["paths"]) {
        for (_, question) in entries(methods) {
            let has_body = question.get("requestBody").is_some();
            for (status, name, _) in REFUSALS {
                let is_of_this = match status {
                    "400" | "408" | "413" => has_body,
                    // `/api/session` is the address at which a client without a session starts one.
                    "401" => path != "/api/session",
                    "404" => path.contains('{'),
                    _ => true,
                };
                // Do not replace the response if the address itself describes this status.
                if is_of_this && question["responses"].get(status).is_none() {
                    question["responses"][status] =
                        json!({ "$ref": format!("#/components/responses/{name}") });
                }
            }
        }
    }
}

/// Cuts each description after its first paragraph. Removes links to Rust documentation, because
/// they lead nowhere in this document.
fn shorten(value: &mut Value) {
    if let Some(Value::String(text)) = value.get_mut("description") {
        let first = text.split("\n\n").next().unwrap_or_default();
        let plain = first
            .split("](")
            .fold(String::new(), |text, part| match text.rfind('[') {
                Some(at) => {
                    let rest = part.split_once(')').map_or("", |(_, rest)| rest);
                    format!("{}{}{rest}", &text[..at], &text[at + 1..])
                }
                None => text + part,
            });
        *text = plain
            .replace("[`", "`")
            .replace("`]", "`")
            .replace("`None`", "null");
    }
    inner(value).for_each(shorten);
}

fn inner(value: &mut Value) -> Box<dyn Iterator<Item = &mut Value> + '_> {
    match value {
        Value::Object(map) => Box::new(map.values_mut()),
        Value::Array(values) => Box::new(values.iter_mut()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Makes keys that may be null required. For serde, `None` is written as null; utoipa assumes that
/// an `Option` is a key that may be missing.
fn require(schema: &mut Value) {
    let may_be_null = |schema: &Value| {
        let is_null = |one: &Value| *one == "null" || one["type"] == "null";
        ["type", "oneOf"].iter().any(|key| {
            schema[*key]
                .as_array()
                .is_some_and(|all| all.iter().any(is_null))
        })
    };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let mut required = schema["required"].as_array().cloned().unwrap_or_default();
        let nullable = properties
            .iter()
            .filter(|(_, schema)| may_be_null(schema))
            .map(|(name, _)| json!(name));
        let nullable: Vec<Value> = nullable.filter(|name| !required.contains(name)).collect();
        required.extend(nullable);
        if !required.is_empty() {
            schema["required"] = required.into();
        }
    }
    inner(schema).for_each(require);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_route_is_in_the_description() {
        let calls = include_str!("api.rs").split(".route(").skip(1);
        let routes: BTreeSet<&str> = calls.filter_map(|call| call.split('"').nth(1)).collect();
        let description = Description::openapi();
        let described: BTreeSet<&str> =
            description.paths.paths.keys().map(String::as_str).collect();
        assert_eq!(routes, described);
    }

    /// A schema without keys accepts any object, and a type generated from it would be useless.
    #[test]
    fn every_object_has_its_keys() {
        fn check(schema: &Value, at: &str) {
            let is_object = schema["type"] == "object"
                || schema["type"]
                    .as_array()
                    .is_some_and(|of| of.contains(&json!("object")));
            let is_known = ["properties", "additionalProperties"]
                .iter()
                .any(|key| schema.get(key).is_some());
            assert!(!is_object || is_known, "{at}: which keys?");
            for (name, inner) in schema.as_object().into_iter().flatten() {
                check(inner, &format!("{at}/{name}"));
            }
            for inner in schema.as_array().into_iter().flatten() {
                check(inner, at);
            }
        }
        check(&description(), "");
    }
}
