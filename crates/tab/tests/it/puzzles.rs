//! Practising: mistakes as puzzles, attempts and repetition.

use serde_json::json;

use crate::common::{NOW, Visit};

#[test]
fn mistakes_are_practised() {
    let Some(mut visit) = Visit::new() else {
        return;
    };
    let pgn = b"[White \"Anna\"]\n[Black \"Ben\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0";
    visit.reply("POST", "games?name=a.pgn", pgn);
    visit.post("reviews", &json!({ "game": 1, "limit": "3000 nodes" }));
    visit.work();
    let added = visit.post("puzzles/mistakes", &json!({ "player": "ben" }));
    assert_eq!(added["added"], 1, "{added}");
    let list = visit.post("puzzles", &json!({}));
    assert_eq!((&list["total"], &list["next"]), (&json!(1), &json!(1)));
    let posed = visit.get("puzzles/1");
    assert_eq!(
        (&posed["solver"], &posed["mistake"]),
        (&json!("black"), &json!("Nf6"))
    );
    let solution = visit.get("puzzles/1/solution");
    assert_eq!(solution["review"], 1);
    let best = solution["line"][1]["uci"].clone();
    // Another move that stops the mate is as good, which a search shows.
    for uci in ["d8e7", "d8f6", "g7g6"]
        .map(|uci| json!(uci))
        .iter()
        .chain([&best])
    {
        let answer = visit.post("puzzles/1/answer", &json!({ "step": 0, "uci": uci }));
        assert!(
            ["solved", "wrong"].contains(&answer["result"].as_str().unwrap()),
            "{answer}"
        );
    }
    let answer = visit.post("puzzles/1/answer", &json!({ "step": 0, "uci": best }));
    assert_eq!(answer["result"], "solved");
    // Lessons are about causes and about groups of moves, and ask what is due.
    let mut lesson = json!({ "player": "ben", "kind": "color", "cause": "black" });
    assert_eq!(visit.post("lessons", &lesson)["items"][0]["puzzle"], 1);
    let attempt = json!({ "mistakes": 0, "hints": 0, "repeat": true });
    let posed = visit.post("puzzles/1/attempt", &attempt);
    assert_eq!(posed["attempts"], 1);
    let due = posed["repetition"]["due"].as_i64().unwrap();
    assert!(due > NOW);
    let rest = visit.post("lessons", &lesson);
    assert_eq!((&rest["items"], &rest["resting"]), (&json!([]), &json!(1)));
    assert_eq!(rest["next_due"], due);
    lesson["again"] = json!(true);
    assert_eq!(visit.post("lessons", &lesson)["items"][0]["puzzle"], 1);
    let edit = json!({ "name": "Scholar's mate", "hand_picked": true });
    visit.post("puzzles/1/edit", &edit);
    let refused = br#"{ "without": ["e8e7"] }"#;
    assert_eq!(visit.reply("POST", "puzzles/1/edit", refused).status, 400);
    visit.reload();
    assert_eq!(visit.get("puzzles/1")["attempts"], 1);
    let puzzle = &visit.get("puzzles/1/solution")["puzzle"];
    assert_eq!(puzzle["id"], "Scholar's mate");
    let csv = visit.reply("GET", "puzzles/attempts.csv", b"").body;
    assert_eq!(String::from_utf8(csv).unwrap().lines().count(), 2);
}

#[test]
fn a_deleted_game_takes_its_review_and_puzzles_with_it() {
    let Some(mut visit) = Visit::new() else {
        return;
    };
    let pgn =
        b"[White \"Anna\"]\n[Black \"Ben\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n\
        [White \"Carl\"]\n[Black \"Dora\"]\n\n1. d4 d5 *";
    visit.reply("POST", "games?name=a.pgn", pgn);
    visit.post(
        "batches",
        &json!({ "games": [1, 2], "limit": "1000 nodes" }),
    );
    // The engine is introduced, then the first position is searched.
    assert!(visit.step() && visit.step());
    let busy = visit.reply(
        "POST",
        "library/delete",
        br#"{ "games": [1], "confirmed": true }"#,
    );
    assert_eq!(busy.status, 400, "it is being reviewed");
    visit.work();
    // A paused batch can go with its open reviews, and nothing of them stays.
    let other = b"[White \"Eva\"]\n[Black \"Finn\"]\n\n1. c4 c5 2. g3 g6 *";
    visit.reply("POST", "games?name=b.pgn", other);
    visit.post("batches", &json!({ "games": [3], "limit": "1000 nodes" }));
    visit.step();
    visit.post("batches/2/pause", &json!({}));
    visit.post("library/delete", &json!({ "batch": 2, "confirmed": true }));
    visit.work();
    visit.reload();
    assert_eq!(visit.post("games/select", &json!({}))["all"], 2);
    let mut kept = visit.records.keys();
    assert!(!kept.any(|key| key.starts_with("answer/")));
    visit.post("puzzles/mistakes", &json!({ "player": "Ben" }));
    visit.post(
        "puzzles/1/attempt",
        &json!({ "mistakes": 1, "hints": 0, "repeat": true }),
    );
    let counted = visit.post("library/delete", &json!({ "player": "ben" }));
    assert_eq!(
        counted,
        json!({ "games": 1, "reviews": 1, "puzzles": 1, "attempts": 1, "is_deleted": false })
    );
    assert_eq!(visit.get("profile?player=Ben")["games"], 1);
    visit.post(
        "library/delete",
        &json!({ "player": "ben", "confirmed": true }),
    );
    // Also after the page was closed and opened again.
    for _ in 0..2 {
        assert_eq!(visit.post("games/select", &json!({}))["all"], 1);
        assert_eq!(visit.get("profile?player=Ben")["games"], 0);
        assert_eq!(visit.get("profile?player=Dora")["games"], 1);
        assert_eq!(visit.post("puzzles", &json!({}))["total"], 0);
        visit.reload();
    }
    let missing = visit.reply("POST", "library/delete", br#"{ "player": "ben" }"#);
    assert_eq!(missing.status, 404);
    // The batch goes with the games that are in no other one.
    let deleted = visit.post("library/delete", &json!({ "batch": 1, "confirmed": true }));
    assert_eq!(deleted["games"], 1);
    assert_eq!(
        visit.get("batches")["batches"].as_array().map(Vec::len),
        Some(0)
    );
}
