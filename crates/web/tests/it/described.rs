//! The interface matches `openapi.json`: the requests of this file and the answers of all test
//! files are compared with their schemas.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::common::{GAME, Server};
use centipawn_core::CurveChoice;
use centipawn_progress::{Cancel, Silent};
use centipawn_web::ServeOptions;
use centipawn_work::{
    Run,
    position::{PositionIndexOptions, position_index},
};
use serde_json::{Value, json};

/// A game with ratings, a time control, evaluations, comments and variations.
const ANNOTATED: &str = "[White \"Carla\"]\n[Black \"Dora\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n[TimeControl \"600+5\"]\n\n\
    1. e4 { [%eval 0.3] [%clk 0:10:00] best by test } e5 { [%eval 0.3] } (1... c5! { sharp } 2. Nf3 (2. c3 d5) d6) \
    2. f3 { [%eval -0.4] } Qh4+ { [%eval 0.9] } 3. g3 { [%eval 0.8] } 1/2-1/2\n";

const PUZZLES: &str = include_str!("../../../../examples/puzzles.csv");

/// Writes an index of the positions in the example games.
fn write_index(path: &Path) {
    let games = [PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/selfplay.pgn.gz"
    ))];
    let cancel = Cancel::new();
    position_index(
        &games,
        path,
        &PositionIndexOptions::default(),
        Run::new(&cancel, &Silent),
    )
    .unwrap();
}

#[test]
fn every_answer_matches_its_description() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let index = folder.path().join("positions.parquet");
    write_index(&index);
    let server = Server::start_with(folder, |options| ServeOptions {
        positions: vec![index],
        tables: Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/syzygy")),
        ..options
    });
    let ask = |method: &str, path: &str, body: Value| {
        server
            .description
            .check_request(method, server.description.address(path).unwrap(), &body);
        let (status, answer) = server.ask(method, path, &body);
        assert_eq!(status, 200, "{method} {path}: {answer}");
        answer
    };
    let get = |path: &str| ask("GET", path, Value::Null);
    for path in [
        "/api/status",
        "/api/engines",
        "/api/openapi.json",
        "/api/batches",
        "/api/players",
    ] {
        get(path);
    }
    assert_eq!(
        server.raw("GET", "/api/openapi.json", b"").1,
        centipawn_web::openapi()
    );
    ask("POST", "/api/session", json!({ "token": "" }));
    ask("DELETE", "/api/session", Value::Null);

    let (game, annotated) = (server.add(GAME), server.add(ANNOTATED));
    let problems = server
        .raw("POST", "/api/games", b"1. e4 e5 2. Ke3 *\n\n1. d4 *\n")
        .1;
    assert!(problems.contains("legal"), "{problems}");
    let id = server.review(&json!({ "game": game, "curve": "lichess" }))["id"].clone();
    let evaluated = server.review(&json!({ "game": annotated, "reuse_evals": true }))["id"].clone();
    for (game, review) in [(game, id.clone()), (annotated, evaluated)] {
        get(&format!("/api/games/{game}"));
        ask(
            "POST",
            &format!("/api/games/{game}/notes"),
            json!({ "ply": 1, "nags": [1, 14], "text": "good" }),
        );
        get(&format!("/api/reviews/{review}"));
        for curve in CurveChoice::names() {
            ask(
                "POST",
                &format!("/api/reviews/{review}/judged"),
                json!({ "curve": &curve, "language": "de" }),
            );
        }
        for ply in 1..=3 {
            ask(
                "POST",
                &format!("/api/reviews/{review}/why"),
                json!({ "ply": ply }),
            );
        }
    }
    ask(
        "POST",
        "/api/games/select",
        json!({ "search": "anna", "player": "Boris", "reviewed": true, "sort": "played" }),
    );
    let batch = ask(
        "POST",
        "/api/batches",
        json!({ "games": [game], "archive": true }),
    )["id"]
        .clone();
    ask("POST", &format!("/api/batches/{batch}/pause"), Value::Null);
    ask("POST", &format!("/api/batches/{batch}"), Value::Null);
    ask("DELETE", &format!("/api/batches/{batch}"), Value::Null);
    get("/api/batches");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    ask(
        "POST",
        "/api/moves",
        json!({ "fen": start, "chess960": false, "moves": ["e2e4", "e7e5"], "review": id }),
    );
    ask(
        "POST",
        "/api/lines",
        json!({ "fen": start, "moves": ["e2e4"], "nodes": 1000, "lines": 2 }),
    );
    ask(
        "POST",
        "/api/lines",
        json!({ "fen": start, "moves": [], "nodes": 1000, "lines": 1, "curve": "stockfish-18" }),
    );
    for curve in ["relevance", "stockfish-18", "human"] {
        ask(
            "POST",
            "/api/curve",
            json!({ "curve": curve, "eval": 0.5, "material": 40 }),
        );
    }
    ask(
        "POST",
        "/api/people",
        json!({ "eval": 1.5, "times": ["600+5", "60"] }),
    );
    ask(
        "POST",
        "/api/symbols",
        json!({ "side": "black", "played": "-1", "best": "#-3", "second": "-2", "ply": 30 }),
    );
    ask(
        "POST",
        "/api/symbols",
        json!({ "played": "#-2", "best": "2.5", "curve": "lichess" }),
    );
    let three = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"];
    ask(
        "POST",
        "/api/ease",
        json!({ "fen": start, "moves": three, "limit": "100 nodes" }),
    );
    let found = ask(
        "POST",
        "/api/position",
        json!({ "fen": start, "moves": ["e2e4"], "eval": { "cp": 30 } }),
    );
    let played: u64 = found["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["results"]["games"].as_u64().unwrap())
        .sum();
    assert!(
        played > 0
            && found["results"]["games"] == played
            && found["searched"].as_u64().unwrap() > played,
        "{found}"
    );

    let table = ask(
        "POST",
        "/api/table",
        json!({ "fen": "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", "moves": ["d6e6"] }),
    );
    assert_eq!(table["verdict"], "loss", "{table}");

    let (status, added) = server.raw(
        "POST",
        "/api/puzzles/import?name=examples",
        PUZZLES.as_bytes(),
    );
    assert_eq!(status, 200, "{added}");
    let mined = ask(
        "POST",
        "/api/mining",
        json!({ "games": [game], "effort": 0.01 }),
    );
    server.wait(mined["jobs"][0]["id"].as_i64().unwrap(), |state| {
        state == "done"
    });
    let profile = get("/api/profile?player=boris&language=de");
    assert_eq!(
        (&profile["player"], &profile["games"]),
        (&json!("Boris"), &json!(1))
    );
    // Boris' games contain no mistake of this cause with a reason, so the lesson consists of
    // puzzles of the theme.
    let lesson = ask(
        "POST",
        "/api/lessons",
        json!({ "player": "Boris", "kind": "misses", "cause": "mate" }),
    );
    assert!(!lesson["others"].as_array().unwrap().is_empty(), "{lesson}");
    ask(
        "POST",
        "/api/puzzles/mistakes",
        json!({ "player": "Boris" }),
    );
    let origins = ask("POST", "/api/puzzles", json!({ "due": false }))["origins"].clone();
    for origin in origins.as_array().unwrap() {
        let next = ask("POST", "/api/puzzles", json!({ "origin": origin["name"] }))["next"].clone();
        let at = |what: &str| format!("/api/puzzles/{next}{what}");
        get(&at(""));
        let solution = get(&at("/solution"));
        ask(
            "POST",
            &at("/answer"),
            json!({ "step": 0, "uci": solution["line"][1]["uci"] }),
        );
        ask(
            "POST",
            &at("/attempt"),
            json!({ "mistakes": 1, "hints": 0, "repeat": true }),
        );
        ask("POST", &at("/repetition"), json!({ "repeat": true }));
        ask(
            "POST",
            &at("/edit"),
            json!({ "name": "My puzzle", "hand_picked": true }),
        );
        get(&at(""));
    }

    get("/api/jobs");
    get(&format!("/api/jobs/{id}"));
    ask("POST", &format!("/api/jobs/{id}"), Value::Null);
    ask("DELETE", &format!("/api/jobs/{id}"), Value::Null);
    get("/api/events?after=0");
    let lesson = json!({ "puzzles": { "origin": "examples" }, "decoys": false, "again": true });
    let items = ask("POST", "/api/lessons", lesson)["items"].clone();
    assert_eq!(items.as_array().unwrap().len(), 12, "{items}");
    let (status, imported) = server.raw(
        "POST",
        "/api/library/import?name=mine",
        b"{\"format\":\"centipawn library\",\"version\":1}\nnothing\n",
    );
    assert_eq!(status, 200, "{imported}");
    assert!(imported.contains("\"skipped\":1"), "{imported}");
    for confirmed in [false, true] {
        let deleted = ask(
            "POST",
            "/api/library/delete",
            json!({ "games": [game], "confirmed": confirmed }),
        );
        assert_eq!(
            (&deleted["games"], &deleted["is_deleted"]),
            (&json!(1), &json!(confirmed))
        );
    }

    let asked: BTreeSet<_> = server.asked.lock().unwrap().clone();
    let all: BTreeSet<_> = server.description.questions().into_iter().collect();
    assert_eq!(asked, all);
}
