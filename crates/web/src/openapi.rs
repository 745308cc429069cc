//! The description of the interface, `openapi.json`: written from the types, committed, compared. With `UPDATE_OPENAPI=1` the test
//! writes it.

use std::{collections::BTreeSet, env, fs, path::Path};

use centipawn_review::{ProfileDocument, ReviewDocument, SymbolsDocument, WhyDocument, ease::MomentDocument};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::{OpenApi, ToSchema};

use crate::documents::{
    AddedPuzzles, AnswerDocument, AnswerRequest, AttemptRequest, BatchDocument, BatchRequest, BatchesDocument,
    CurveDocument, CurveRequest, EaseAnswer, EaseRequest, EnginesDocument, ErrorDocument, Event, EventsDocument,
    GamesDocument, GamesRequest, JobDocument, JobsDocument, JudgeRequest, LessonAnswer, LessonRequest, LinesDocument,
    LinesRequest, MiningRequest, MistakesRequest, MoveDocument, MoveRequest, PeopleDocument, PeopleRequest,
    PlayersDocument, PosedPuzzle, PositionAnswer, PositionEvent, PositionRequest, PuzzlesDocument, PuzzlesRequest,
    RepetitionRequest, ReviewRequest, SessionDocument, SessionRequest, SolutionDocument, StatusDocument,
    StoredGameDocument, SymbolsRequest, WhyRequest,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Centipawn's page",
        description = "The interface of `centipawn serve`. What changes anything needs the header `X-Centipawn`. An error is an \
                       ErrorDocument. Evaluations and expected scores are White's."
    ),
    paths(
        status,
        engines,
        session,
        end_session,
        openapi,
        select_games,
        add_games,
        game,
        request_review,
        review,
        judged,
        why,
        list_batches,
        request_batch,
        go_on_batch,
        pause_batch,
        cancel_batch,
        players,
        profile,
        lesson,
        judge_move,
        lines,
        draw_curve,
        plots,
        people,
        symbols,
        ease,
        position,
        list_puzzles,
        import_puzzles,
        add_mistakes,
        attempts,
        export_puzzles,
        puzzle,
        answer_puzzle,
        note_attempt,
        set_repetition,
        solution,
        request_mining,
        list_jobs,
        job,
        go_on,
        cancel,
        events
    ),
    components(schemas(ErrorDocument, Event, PositionEvent))
)]
struct Description;

/// Declares what an address takes and gives.
macro_rules! address {
    ($name:ident, $method:ident, $path:literal, $summary:literal $(, $($rest:tt)*)?) => {
        #[utoipa::path($method, path = $path, summary = $summary $(, $($rest)*)?)]
        #[expect(dead_code, reason = "carries the description")]
        fn $name() {}
    };
}

address!(
    status,
    get,
    "/api/status",
    "Limits, curves and symbols of the server",
    responses((status = 200, body = StatusDocument))
);
address!(
    engines,
    get,
    "/api/engines",
    "The engine, the network and the contents of the store",
    responses((status = 200, body = EnginesDocument))
);
address!(
    session,
    post,
    "/api/session",
    "Exchange the token that the server printed, or a login code, for a session with a cookie",
    request_body = SessionRequest,
    responses(
        (status = 200, body = SessionDocument),
        (status = 401, body = ErrorDocument, description = "The token or login code is wrong"),
        (status = 429, body = ErrorDocument, description = "Too many wrong tokens")
    )
);
address!(
    end_session,
    delete,
    "/api/session",
    "End the session, which invalidates its cookie",
    responses((status = 200, body = ()))
);
address!(openapi, get, "/api/openapi.json", "This description", responses((status = 200, body = Value)));
address!(
    select_games,
    post,
    "/api/games/select",
    "Games of the store: which, in which order, and what their reviews say",
    request_body = GamesRequest,
    responses((status = 200, body = GamesDocument))
);
address!(
    add_games, post, "/api/games", "Add games: PGN, plain or compressed, FENs, or the name of an account such as `lichess:NAME`",
    params(("name" = Option<String>, Query, description = "Names the input in problems")),
    request_body(content = String, content_type = "application/x-chess-pgn"),
    responses(
        (status = 200, body = GamesDocument),
        (status = 503, body = ErrorDocument, description = "Other uploads take all the memory for uploads")
    )
);
address!(
    game,
    get,
    "/api/games/{id}",
    "A game with its moves",
    params(("id" = i64, Path)),
    responses((status = 200, body = StoredGameDocument), (status = 404, body = ErrorDocument))
);
address!(
    request_review,
    post,
    "/api/reviews",
    "Start a review; equal requests share one job",
    request_body = ReviewRequest,
    responses(
        (status = 200, body = JobDocument),
        (status = 404, body = ErrorDocument, description = "There is no such game"),
        (status = 429, body = ErrorDocument, description = "Too many wait")
    )
);
address!(
    review,
    get,
    "/api/reviews/{id}",
    "The document of `centipawn review --json`; with .pgn or .html after the number, in that format",
    params(
        ("id" = String, Path),
        ("language" = Option<String>, Query, description = "`en` or `de`; the review's own by default"),
        ("curve" = Option<String>, Query, description = "The name of a curve; the review's own by default"),
        ("balance" = Option<f64>, Query, description = "Win-draw balance in pawns, for the curves relevance and relevance-sigmoid"),
        ("scheme" = Option<String>, Query, description = "`auto`, or names such as `s20,s40`; the review's own by default")
    ),
    responses((
        status = 200,
        description = "Up to the first position not evaluated",
        content((ReviewDocument = "application/json"), (String = "application/x-chess-pgn"), (String = "text/html"))
    ), (status = 400, body = ErrorDocument))
);
address!(
    judged,
    post,
    "/api/reviews/{id}/judged",
    "Judge the same evaluations by another curve or scheme, without an engine",
    params(("id" = i64, Path)),
    request_body = JudgeRequest,
    responses((status = 200, body = ReviewDocument))
);
address!(
    why,
    post,
    "/api/reviews/{id}/why",
    "Explain the symbol of a move: evaluations on the curve, thresholds",
    params(("id" = i64, Path)),
    request_body = WhyRequest,
    responses((status = 200, body = WhyDocument))
);
address!(
    list_batches,
    get,
    "/api/batches",
    "The newest reviews of many games",
    responses((status = 200, body = BatchesDocument))
);
address!(
    request_batch,
    post,
    "/api/batches",
    "Review many games as one piece of work",
    request_body = BatchRequest,
    responses(
        (status = 200, body = BatchDocument),
        (status = 404, body = ErrorDocument, description = "There is no such game")
    )
);
address!(
    go_on_batch,
    post,
    "/api/batches/{id}",
    "Go on with reviews that were paused or interrupted",
    params(("id" = i64, Path)),
    responses(
        (status = 200, body = BatchDocument),
        (status = 400, body = ErrorDocument, description = "They were cancelled")
    )
);
address!(
    pause_batch,
    post,
    "/api/batches/{id}/pause",
    "Pause the reviews of many games",
    params(("id" = i64, Path)),
    responses((status = 200, body = BatchDocument), (status = 404, body = ErrorDocument))
);
address!(
    cancel_batch,
    delete,
    "/api/batches/{id}",
    "Cancel the reviews of many games; finished ones stay",
    params(("id" = i64, Path)),
    responses((status = 200, body = BatchDocument), (status = 404, body = ErrorDocument))
);
address!(
    players,
    get,
    "/api/players",
    "The players of the store's games",
    responses((status = 200, body = PlayersDocument))
);
address!(
    profile,
    get,
    "/api/profile",
    "A player in all finished reviews, the newest of each game",
    params(
        ("player" = String, Query, description = "The name as in the games"),
        ("language" = Option<String>, Query, description = "`en` or `de`; the server's own by default")
    ),
    responses((status = 200, body = ProfileDocument), (status = 400, body = ErrorDocument))
);
address!(
    lesson,
    post,
    "/api/lessons",
    "Make a lesson of a player's mistakes by one cause",
    request_body = LessonRequest,
    responses((status = 200, body = LessonAnswer), (status = 400, body = ErrorDocument))
);
address!(
    judge_move,
    post,
    "/api/moves",
    "Judge the last move of a line like a move of the game",
    request_body = MoveRequest,
    responses(
        (status = 200, body = MoveDocument),
        (status = 404, body = ErrorDocument, description = "There is no such review")
    )
);
address!(
    lines,
    post,
    "/api/lines",
    "The best lines of a position",
    request_body = LinesRequest,
    responses((status = 200, body = LinesDocument))
);
address!(
    draw_curve,
    post,
    "/api/curve",
    "The points of a curve",
    request_body = CurveRequest,
    responses((status = 200, body = CurveDocument))
);
address!(
    plots,
    get,
    "/api/curves/plots.svg",
    "The plots beside an own curve file",
    params(("name" = String, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml"), (status = 404, body = ErrorDocument))
);
address!(
    symbols,
    post,
    "/api/symbols",
    "The document of `centipawn symbols --json`",
    request_body = SymbolsRequest,
    responses((status = 200, body = SymbolsDocument))
);
address!(
    people,
    post,
    "/api/people",
    "Expected score of an evaluation between humans, by rating and time control",
    request_body = PeopleRequest,
    responses((status = 200, body = PeopleDocument))
);
address!(
    ease,
    post,
    "/api/ease",
    "How easy a position is for players of several levels: the lines of `centipawn ease --json`",
    request_body = EaseRequest,
    responses((status = 200, body = EaseAnswer))
);
address!(
    position,
    post,
    "/api/position",
    "How often a position occurs in the games of the server's indexes, with results and moves",
    request_body = PositionRequest,
    responses((status = 200, body = PositionAnswer))
);
address!(
    list_puzzles,
    post,
    "/api/puzzles",
    "List puzzles, and the next one",
    request_body = PuzzlesRequest,
    responses((status = 200, body = PuzzlesDocument))
);
address!(
    import_puzzles,
    post,
    "/api/puzzles/import",
    "Add puzzles: CSV, JSON lines or PGN, plain or compressed",
    params(("name" = Option<String>, Query, description = "Names the input, and is the origin of its puzzles")),
    request_body(content = String, content_type = "text/csv"),
    responses(
        (status = 200, body = AddedPuzzles),
        (status = 503, body = ErrorDocument, description = "Other uploads take all the memory for uploads")
    )
);
address!(
    add_mistakes,
    post,
    "/api/puzzles/mistakes",
    "Turn a player's mistakes in all finished reviews into puzzles",
    request_body = MistakesRequest,
    responses((status = 200, body = AddedPuzzles))
);
address!(
    attempts,
    get,
    "/api/puzzles/attempts.csv",
    "All attempts at puzzles",
    responses((status = 200, body = String, content_type = "text/csv"))
);
address!(
    export_puzzles, get, "/api/puzzles/export/{format}", "Puzzles as a file: csv, json (lines), pgn, or anki",
    params(
        ("format" = String, Path), ("theme" = Option<String>, Query), ("rating" = Option<String>, Query),
        ("origin" = Option<String>, Query), ("only" = Option<String>, Query, description = "Numbers of puzzles, divided by commas"),
        ("language" = Option<String>, Query, description = "`en` or `de`, of Anki's notes")
    ),
    responses((
        status = 200,
        content(
            (String = "text/csv"), (String = "application/x-ndjson"), (String = "application/x-chess-pgn"),
            (String = "text/plain")
        )
    ), (status = 400, body = ErrorDocument))
);
address!(
    puzzle,
    get,
    "/api/puzzles/{id}",
    "A puzzle without its solution",
    params(("id" = i64, Path)),
    responses((status = 200, body = PosedPuzzle))
);
address!(
    answer_puzzle,
    post,
    "/api/puzzles/{id}/answer",
    "Judge a move of the solver",
    params(("id" = i64, Path)),
    request_body = AnswerRequest,
    responses((status = 200, body = AnswerDocument))
);
address!(
    note_attempt,
    post,
    "/api/puzzles/{id}/attempt",
    "Record an attempt at a puzzle",
    params(("id" = i64, Path)),
    request_body = AttemptRequest,
    responses((status = 200, body = PosedPuzzle))
);
address!(
    set_repetition,
    post,
    "/api/puzzles/{id}/repetition",
    "Add a puzzle to repetition, or remove it",
    params(("id" = i64, Path)),
    request_body = RepetitionRequest,
    responses((status = 200, body = PosedPuzzle))
);
address!(
    solution,
    get,
    "/api/puzzles/{id}/solution",
    "The solution, with themes, ratings and origin",
    params(("id" = i64, Path)),
    responses((status = 200, body = SolutionDocument))
);
address!(
    request_mining,
    post,
    "/api/mining",
    "Mine games for puzzles, one job per game; equal requests share jobs. When the queue is full, the remaining games are skipped",
    request_body = MiningRequest,
    responses(
        (status = 200, body = JobsDocument),
        (status = 404, body = ErrorDocument, description = "There is no such game"),
        (status = 429, body = ErrorDocument, description = "Too many wait")
    )
);
address!(list_jobs, get, "/api/jobs", "Jobs, newest first", responses((status = 200, body = JobsDocument)));
address!(
    job,
    get,
    "/api/jobs/{id}",
    "The progress of a job",
    params(("id" = i64, Path)),
    responses((status = 200, body = JobDocument))
);
address!(
    go_on,
    post,
    "/api/jobs/{id}",
    "Continue an interrupted job; only missing positions are evaluated",
    params(("id" = i64, Path)),
    responses((status = 200, body = JobDocument), (status = 429, body = ErrorDocument, description = "Too many wait"))
);
address!(
    cancel,
    delete,
    "/api/jobs/{id}",
    "Cancel a job",
    params(("id" = i64, Path)),
    responses((status = 200, body = JobDocument))
);
address!(
    events, get, "/api/events", "A stream of events; with `after`, the events after that number, without waiting",
    params(("after" = Option<u64>, Query)),
    responses(
        (status = 200, content((EventsDocument = "application/json"), (String = "text/event-stream"))),
        (status = 404, body = ErrorDocument), (status = 503, body = ErrorDocument, description = "Too many streams")
    )
);

/// The text of a key that names a side.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "carries the schema")]
pub(crate) enum Color {
    White,
    Black,
}

/// How far the reviews of many games are.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "carries the schema")]
pub(crate) enum BatchStateName {
    Running,
    Interrupted,
    Paused,
    Done,
    Cancelled,
}

/// The verdict on a move of the solver.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "carries the schema")]
pub(crate) enum AnswerResult {
    Wrong,
    Right,
    Solved,
}

/// An ease of the network in the program, which knows levels.
#[derive(Serialize, ToSchema)]
pub(crate) struct LevelDocument {
    #[serde(flatten)]
    moment: MomentDocument,
    /// The players' rating.
    level: u32,
}

/// The description as it is committed. Answers always have keys that may be null; docs of types end with their first paragraph.
fn description() -> Value {
    let mut description = serde_json::to_value(Description::openapi()).unwrap();
    add_refusals(&mut description);
    shorten(&mut description);
    for (name, schema) in description["components"]["schemas"].as_object_mut().unwrap() {
        // Missing values of a request have their defaults. A position alone has no place in a game.
        if !name.ends_with("Request") && name != "MomentPlaceIfAny" && name != "GameFilter" {
            require(schema);
        }
        // Its keys have defaults where it is read, and are all written.
        if name == "Limits" {
            schema["required"] = schema["properties"].as_object().unwrap().keys().map(|key| json!(key)).collect();
        }
    }
    description
}

/// Refusals that many addresses share: status, name in the description, and reason.
const REFUSALS: [(&str, &str, &str); 8] = [
    ("400", "NotUnderstood", "The request is not understood, or cannot be met"),
    ("401", "WithoutSession", "The server asks for its token, and the request has no session"),
    ("403", "Foreign", "The request comes from another site, or lacks the header `X-Centipawn`"),
    ("404", "Missing", "There is none of this number or name"),
    ("408", "TooSlow", "The body arrived too slowly"),
    ("413", "TooLarge", "The body is too large"),
    ("421", "OtherHost", "The server has another name or port"),
    ("500", "Failed", "The store, the engine or the server failed"),
];

/// Describes the refusals that many addresses share.
fn add_refusals(description: &mut Value) {
    let responses = REFUSALS.map(|(_, name, reason)| {
        let schema = json!({ "$ref": "#/components/schemas/ErrorDocument" });
        (name.to_owned(), json!({ "description": reason, "content": { "application/json": { "schema": schema } } }))
    });
    description["components"]["responses"] = Map::from_iter(responses).into();
    for (path, methods) in description["paths"].as_object_mut().unwrap() {
        for question in methods.as_object_mut().unwrap().values_mut() {
            let has_body = question.get("requestBody").is_some();
            let answers = question["responses"].as_object_mut().unwrap();
            for (status, name, _) in REFUSALS {
                let is_of_this = match status {
                    "400" | "408" | "413" => has_body,
                    // The session is what a stranger asks for, and may end.
                    "401" => path != "/api/session",
                    "404" => path.contains('{'),
                    _ => true,
                };
                if is_of_this {
                    let shared = json!({ "$ref": format!("#/components/responses/{name}") });
                    answers.entry(status).or_insert(shared);
                }
            }
        }
    }
}

fn shorten(value: &mut Value) {
    if let Value::Object(map) = value
        && let Some(Value::String(text)) = map.get_mut("description")
    {
        let first = text.split("\n\n").next().unwrap_or_default();
        // Links to other docs lead nowhere here.
        let plain = first.split("](").fold(String::new(), |text, part| match text.rfind('[') {
            Some(at) => {
                let rest = part.split_once(')').map_or("", |(_, rest)| rest);
                format!("{}{}{rest}", &text[..at], &text[at + 1..])
            }
            None => text + part,
        });
        *text = plain.replace("[`", "`").replace("`]", "`").replace("`None`", "null");
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

fn require(schema: &mut Value) {
    let may_be_null = |schema: &Value| {
        let is_null = |one: &Value| *one == "null" || one["type"] == "null";
        ["type", "oneOf"].iter().any(|key| schema[*key].as_array().is_some_and(|all| all.iter().any(is_null)))
    };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let known = schema["required"].as_array().cloned().unwrap_or_default();
        let nullable = properties.iter().filter(|(_, schema)| may_be_null(schema)).map(|(name, _)| json!(name));
        let nullable = nullable.filter(|name| !known.contains(name));
        let nullable: Vec<Value> = nullable.collect();
        let map: &mut Map<String, Value> = schema.as_object_mut().unwrap();
        let required = map.entry("required").or_insert_with(|| json!([])).as_array_mut().unwrap();
        required.extend(nullable);
        if required.is_empty() {
            map.remove("required");
        }
    }
    inner(schema).for_each(require);
}

#[test]
fn the_description_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let text = serde_json::to_string_pretty(&description()).unwrap() + "\n";
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == text, "run this test with UPDATE_OPENAPI=1, and commit openapi.json");
}

#[test]
fn every_address_is_described() {
    let routes: BTreeSet<&str> = include_str!("api.rs")
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".route(\"")?.split('"').next())
        .collect();
    let description = Description::openapi();
    let described: BTreeSet<&str> = description.paths.paths.keys().map(String::as_str).collect();
    assert_eq!(routes, described);
}

/// A schema without keys would accept any object, and types made from it would be useless.
#[test]
fn every_object_has_its_keys() {
    fn check(schema: &Value, at: &str) {
        let is_object =
            schema["type"] == "object" || schema["type"].as_array().is_some_and(|of| of.contains(&json!("object")));
        let is_known = ["properties", "additionalProperties"].iter().any(|key| schema.get(key).is_some());
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

/// The page's words that the reports share are written from their table.
#[test]
fn the_page_has_the_words_of_reports() {
    use std::fmt::Write as _;

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ui/src/labels.ts");
    let mut text =
        "// Words that reports and texts share: written from `Labels` with UPDATE_OPENAPI=1. English, German.\n"
            .to_owned();
    for (name, english, german) in centipawn_review::Labels::ALL {
        let _ = writeln!(text, "export const {name}: [string, string] = [{english:?}, {german:?}];");
    }
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(path, &text).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == text, "run this test with UPDATE_OPENAPI=1, and commit labels.ts");
}
