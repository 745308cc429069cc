//! Reviews: the same document as with a pool of engines, kept, continued and shown.

use centipawn_engine::{Cancel, EngineConfig, Limit, Pool, find};
use centipawn_pgn::Reader;
use centipawn_progress::Silent;
use centipawn_review::{Event, ReviewOptions, review_games};
use centipawn_test_support::data;
use serde_json::{Value, json};

use crate::common::Visit;

const NODES: u64 = 1500;

/// The documents of reviews by a pool of engines.
fn by_pool(pgn: &str) -> Vec<String> {
    let config = EngineConfig::new(find("stockfish").unwrap());
    let pool = Pool::start(&[(config, 1)], &Cancel::new()).unwrap();
    let games = Reader::new(pgn.as_bytes()).map(|game| game.unwrap().unwrap());
    let options = ReviewOptions::new(Limit::Nodes(NODES));
    let mut documents = Vec::new();
    review_games(
        games.collect::<Vec<_>>().into_iter(),
        &pool,
        &[],
        &options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => {
                documents.push(serde_json::to_string(&review.document()).unwrap());
            }
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    documents
}

fn request(game: i64) -> Value {
    json!({ "game": game, "limit": format!("{NODES} nodes") })
}

#[test]
fn a_review_is_that_of_a_pool_of_engines() {
    let Some(mut visit) = Visit::new() else {
        return;
    };
    let pgn = data::text("lichess.pgn");
    let added = visit.reply("POST", "games?name=lichess.pgn", pgn.as_bytes());
    let added: Value = serde_json::from_slice(&added.body).unwrap();
    let count = added["total"].as_i64().unwrap().min(3);
    let first: Vec<&str> = pgn.split("\n\n[Event").take(count as usize).collect();
    let expected = by_pool(&first.join("\n\n[Event"));
    for (game, expected) in (1..=count).zip(expected) {
        let job = visit.post("reviews", &request(game));
        visit.work();
        let id = job["id"].as_i64().unwrap();
        assert_eq!(visit.get(&format!("jobs/{id}"))["state"], "done");
        let document = visit.reply("GET", &format!("reviews/{id}"), b"");
        let text = String::from_utf8(document.body).unwrap();
        assert!(text.contains(&expected), "game {game}");
    }
    // Every position was reported once, with its judgement.
    let of_first = |event: &&Value| event["event"] == "position" && event["job"] == 1;
    let positions = visit.events.iter().filter(of_first);
    let judged: usize = positions
        .map(|event| event["judged"].as_array().unwrap().len())
        .sum();
    assert_eq!(
        judged,
        visit.get("games/1")["uci"].as_array().unwrap().len()
    );
}

#[test]
fn a_closed_tab_continues_its_review_and_keeps_the_result() {
    let Some(mut visit) = Visit::new() else {
        return;
    };
    let pgn = b"[White \"Anna\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0";
    visit.reply("POST", "games?name=a.pgn", pgn);
    let job = visit.post("reviews", &request(1));
    for _ in 0..4 {
        visit.step();
    }
    let before = visit.searches;
    assert!(visit.records.keys().any(|key| key.starts_with("answer/")));
    visit.reload();
    visit.work();
    let whole = visit.searches;
    assert!(before > 0 && whole > before);
    let document = visit
        .reply("GET", &format!("reviews/{}", job["id"]), b"")
        .body;
    // Answers are forgotten when the findings are kept, and a second review needs no search.
    assert!(!visit.records.keys().any(|key| key.starts_with("answer/")));
    visit.reload();
    assert_eq!(visit.post("reviews", &request(1))["state"], "done");
    assert_eq!(visit.reply("GET", "reviews/1", b"").body, document);
    assert_eq!(visit.searches, whole);
    let pgn = visit.reply("GET", "reviews/1.pgn?language=de", b"");
    assert_eq!((pgn.status, &*pgn.file), (200, "review-1.pgn"));
    assert!(
        String::from_utf8(pgn.body)
            .unwrap()
            .contains("[White \"Anna\"]")
    );
    let why = visit.post("reviews/1/why", &json!({ "ply": 6 }));
    assert!(why["points"].is_array(), "{why}");
    let other = visit.post("reviews/1/judged", &json!({ "curve": "lichess" }));
    assert_ne!(other["games"][0]["plies"][0]["expected_score"], Value::Null);
    let profile = visit.get("profile?player=anna&language=en");
    assert_eq!(profile["games"], 1, "{profile}");
}

#[test]
fn batches_run_pause_and_end() {
    let Some(mut visit) = Visit::new() else {
        return;
    };
    let pgn = b"1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n\n1. c4 *";
    visit.reply("POST", "games?name=a.pgn", pgn);
    let batch = visit.post("batches", &json!({ "limit": "300 nodes" }));
    assert_eq!(
        (&batch["games"], &batch["state"]),
        (&json!(3), &json!("running"))
    );
    visit.step();
    visit.step();
    let paused = visit.post("batches/1/pause", &json!({}));
    assert_eq!(paused["state"], "paused");
    assert!(!visit.step(), "nothing runs");
    visit.post("batches/1", &json!({}));
    visit.work();
    let batch = &visit.get("batches")["batches"][0];
    assert_eq!(
        (&batch["done"], &batch["state"]),
        (&json!(3), &json!("done"))
    );
    let list = visit.post("games/select", &json!({ "reviewed": true }));
    assert_eq!(list["total"], 3);
    assert!(
        list["games"][0]["review"]["white"]["accuracy"].is_number(),
        "{list}"
    );
}

#[test]
fn questions_of_the_board_wait_for_their_searches() {
    let Some(mut visit) = Visit::new() else {
        return;
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let lines = visit.post("lines", &json!({ "fen": start, "nodes": 500, "lines": 3 }));
    assert_eq!(lines["lines"].as_array().unwrap().len(), 3);
    let moves = json!({ "fen": start, "moves": ["f2f3", "e7e5", "g2g4"], "limit": "500 nodes" });
    let judged = visit.post("moves", &moves);
    assert_eq!(judged["ply"]["san"], "g4");
    let line = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "d2d3"];
    let ease = json!({ "fen": start, "moves": line, "limit": "300 nodes" });
    let ease = visit.post("ease", &ease);
    assert_eq!(ease["levels"].as_array().unwrap().len(), 17, "{ease}");
    let refused = visit.reply("POST", "lines", b"{}");
    assert_eq!(refused.status, 400);
    assert_eq!(visit.reply("GET", "fleet", b"").status, 404);
}
