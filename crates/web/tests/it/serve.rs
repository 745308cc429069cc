//! Tests of the interface over a socket, with an engine that misbehaves on request.

use std::sync::Arc;

use crate::common::{GAME, Server, engine, resources};
use centipawn_calibrate::NamedCurveError;
use centipawn_core::{Curve, History};
use centipawn_engine::{EngineSpec, Limit};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::Reader;
use centipawn_progress::{Cancel, Files, Placed, ProblemCount, Silent};
use centipawn_review::{Event, ReviewOptions, review_games};
use centipawn_site::{SiteGames, SiteOptions, write_site};
use centipawn_web::{Limits, OwnCurve, ServeOptions};
use centipawn_work::AnalystSpec;
use serde_json::{Value, json};
use shakmaty::Position as _;

#[test]
fn a_review_equals_that_of_the_command_line() {
    let server = Server::start("");
    let game = server.add(GAME);
    let job = server.review(&json!({ "game": game }));
    assert_eq!((&job["state"], &job["done"]), (&json!("done"), &json!(5)));
    assert_eq!(job["title"], "Anna – Boris");
    let id = job["id"].as_i64().unwrap();
    let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);

    let cancel = Cancel::new();
    let folder = tempfile::tempdir().unwrap();
    let spec = AnalystSpec {
        engine: Some(engine("")),
        ..AnalystSpec::default()
    };
    let analyst = resources(&folder, &cancel).some_analyst(&spec).unwrap();
    let options = ReviewOptions::new(Limit::Nodes(1000));
    let games = Reader::new(GAME.as_bytes())
        .filter_map(Result::ok)
        .filter_map(Result::ok);
    let mut expected = Vec::new();
    review_games(games, &*analyst, &[], &options, &cancel, &Silent, |event| {
        if let Event::Reviewed(review) = event {
            expected.push(serde_json::to_value(review.document()).unwrap());
        }
    });
    assert_eq!(document["games"], json!(expected));
    let analyst = document["games"][0]["analyst"].as_str().unwrap();
    assert!(
        analyst.starts_with(document["provenance"]["engine"]["name"].as_str().unwrap()),
        "{document}"
    );

    // The same request returns the same job, and starts no search.
    let (_, again) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    assert_eq!(
        (&again["id"], &again["state"]),
        (&json!(id), &json!("done"))
    );
    let (status, pgn) = server.raw("GET", &format!("/api/reviews/{id}.pgn"), b"");
    assert!(status == 200 && pgn.contains("2. Qh5"), "{pgn}");
    let (status, html) = server.raw("GET", &format!("/api/reviews/{id}.html"), b"");
    assert!(
        status == 200 && html.contains("Anna") && html.contains("<html lang=\"en\">"),
        "{status}"
    );
    let (status, html) = server.raw("GET", &format!("/api/reviews/{id}.html?language=de"), b"");
    assert!(
        status == 200 && html.contains("<html lang=\"de\">") && html.contains("Genauigkeit"),
        "{status}"
    );
    assert_eq!(
        server
            .raw("GET", &format!("/api/reviews/{id}.html?language=xx"), b"")
            .0,
        400
    );
}

#[test]
fn ease_is_an_option_of_a_review_and_can_be_added_later() {
    let server = Server::start("");
    let pgn = "[White \"Anna\"]\n[Black \"Boris\"]\n\n\
        1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d4 exd4 1/2-1/2\n";
    let game = server.add(pgn);
    let eased = |job: &Value| {
        let path = format!("/api/reviews/{}", job["id"]);
        let (status, document) = server.ask("GET", &path, &Value::Null);
        assert_eq!(status, 200, "{document}");
        let plies = document["games"][0]["plies"].as_array().unwrap();
        let eased = plies.iter().filter(|ply| !ply["ease"].is_null()).count();
        (eased, document["games"][0]["hardest_moments"].is_array())
    };
    let plain = server.review(&json!({ "game": game, "limit": "2000 nodes" }));
    assert_eq!(eased(&plain), (0, false));
    // The networks do not know the first three moves of each side.
    let later = server.review(&json!({ "game": game, "like": plain["id"], "ease": true }));
    assert_eq!(eased(&later), (4, true), "{later}");
    assert_eq!(later["limit"], "2000 nodes");
    let same = server.review(&json!({ "game": game, "limit": "2000 nodes", "ease": true }));
    assert_eq!(same["id"], later["id"], "equal requests share one job");
    let other = server.add(GAME);
    let wrong = json!({ "game": other, "like": plain["id"], "ease": true });
    let (status, answer) = server.ask("POST", "/api/reviews", &wrong);
    assert_eq!(
        (status, &answer["hint"]),
        (400, &json!("Choose a review.")),
        "{answer}"
    );
}

#[test]
fn own_symbols_and_comments_are_kept_and_written_into_the_pgn() {
    let server = Server::start("");
    let game = server.add(GAME);
    let id = server.review(&json!({ "game": game }))["id"]
        .as_i64()
        .unwrap();
    let set = |note: Value| server.ask("POST", &format!("/api/games/{game}/notes"), &note);
    let (status, answer) = set(json!({ "ply": 3, "nags": [5, 14], "text": "The queen goes out." }));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["own"]["3"]["nags"], json!([5, 14]));
    assert_eq!(
        answer["notes"],
        json!([{ "ply": 3, "symbol": "!?⩲", "text": "The queen goes out.", "variations": [] }])
    );
    let pgn = |path: &str| server.raw("GET", path, b"").1;
    let path = format!("/api/reviews/{id}.pgn");
    let text = pgn(&path);
    let read = Reader::new(text.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    let nags: Vec<u8> = read.plies[2].nags.iter().map(|nag| nag.0).collect();
    assert!(nags.starts_with(&[5]) && nags.contains(&14), "{text}");
    assert!(
        read.plies[2]
            .comments
            .iter()
            .any(|own| own.ends_with("The queen goes out.")),
        "{text}"
    );
    // The review itself does not change, and a later request finds the note.
    let (_, again) = server.ask("GET", &format!("/api/games/{game}"), &Value::Null);
    assert_eq!(again["own"], answer["own"]);
    for (note, says) in [
        (json!({ "ply": 9, "text": "x" }), "no half-move 9"),
        (json!({ "ply": 1, "nags": [1, 2] }), "at most one symbol"),
        (json!({ "ply": 1, "text": "a } b" }), "cannot contain"),
    ] {
        let (status, refused) = set(note);
        assert!(
            status == 400 && refused["error"].as_str().unwrap().contains(says),
            "{refused}"
        );
    }
    assert_eq!(
        server
            .ask("POST", "/api/games/4711/notes", &json!({ "ply": 1 }))
            .0,
        404
    );
    let (_, gone) = set(json!({ "ply": 3 }));
    assert_eq!((&gone["own"], &gone["notes"]), (&json!({}), &json!([])));
    assert!(!pgn(&path).contains("The queen goes out."));
}

#[test]
fn finished_reviews_become_a_site() {
    let server = Server::start("");
    let game = server.add(GAME);
    let id = server.review(&json!({ "game": game }))["id"]
        .as_i64()
        .unwrap();
    let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    // Review the second game twice, from its own evaluations but with two curves. The site must
    // contain only the newer of these reviews, and no unfinished job.
    let other = server.add(include_str!("../../../../tests/data/lichess.pgn"));
    server.review(&json!({ "game": other, "reuse_evals": true, "curve": "lichess" }));
    let newest = server
        .review(&json!({ "game": other, "reuse_evals": true, "curve": "stockfish" }))["id"]
        .clone();
    let folder = server.stop();

    let cancel = Cancel::new();
    let store = resources(&folder, &cancel).store().unwrap().unwrap();
    let site = folder.path().join("site");
    let options = SiteOptions {
        folder: site.clone(),
        title: None,
        tab: None,
        review: ReviewOptions::new(Limit::Nodes(1)),
    };
    let problems = Arc::new(ProblemCount::new(Silent));
    let end = write_site(
        &options,
        SiteGames::Stored(store),
        &mut Files::default(),
        &cancel,
        &problems,
    )
    .unwrap();
    assert_eq!(
        (end.outcome.done, end.outcome.skipped, end.index),
        (2, 0, Placed::Written)
    );
    let page = std::fs::read_to_string(site.join(format!("games/{id:05}.html"))).unwrap();
    let (_, data) = page.split_once("class=\"data\">").unwrap();
    let contents: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(contents["review"], document);
    assert!(
        site.join(format!("games/{:05}.html", newest.as_i64().unwrap()))
            .exists()
    );
    let index = std::fs::read_to_string(site.join("index.html")).unwrap();
    assert_eq!(index.matches("<tr><th scope=\"row\"").count(), 2, "{index}");
}

#[test]
fn puzzles_are_mined_in_several_games_and_exported() {
    let server = Server::start("");
    let games = [GAME, "[White \"C\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"].map(|pgn| server.add(pgn));
    let (status, answer) = server.ask(
        "POST",
        "/api/mining",
        &json!({ "games": games, "effort": 0.01 }),
    );
    assert_eq!(status, 200, "{answer}");
    let ids: Vec<i64> = answer["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| job["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    for id in &ids {
        let job = server.wait(*id, |state| !matches!(state, "waiting" | "running"));
        assert_eq!(
            (&job["state"], &job["kind"]),
            (&json!("done"), &json!("mining")),
            "{job}"
        );
    }
    assert_eq!(
        server.ask("POST", "/api/mining", &json!({ "games": [] })).0,
        400
    );
    // A refused request starts no job.
    let third = server.add("1. d4 *");
    assert_eq!(
        server
            .ask(
                "POST",
                "/api/mining",
                &json!({ "games": [third, 4711], "effort": 0.01 })
            )
            .0,
        404
    );
    let (_, jobs) = server.ask("GET", "/api/jobs", &Value::Null);
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 2, "{jobs}");

    let csv = include_str!("../../../../examples/puzzles.csv");
    let (status, added) = server.raw(
        "POST",
        "/api/puzzles/import?name=puzzles.csv",
        csv.as_bytes(),
    );
    assert_eq!(status, 200, "{added}");
    let lines = |path: &str| server.raw("GET", path, b"").1.lines().count();
    let all = lines("/api/puzzles/export/json?origin=puzzles.csv");
    assert_eq!(all, csv.lines().count() - 1);
    assert_eq!(lines("/api/puzzles/export/csv?origin=puzzles.csv"), all + 1);
    let forks = lines("/api/puzzles/export/json?origin=puzzles.csv&theme=fork");
    let (_, listed) = server.ask("POST", "/api/puzzles", &json!({}));
    let counted = listed["themes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|theme| theme["name"] == "fork")
        .unwrap();
    assert_eq!(
        counted["count"],
        lines("/api/puzzles/export/json?theme=fork")
    );
    assert!(forks > 0 && forks < all, "{forks}");
    assert!(
        server
            .raw("GET", "/api/puzzles/export/pgn", b"")
            .1
            .starts_with("[Event ")
    );
    assert!(
        server
            .raw("GET", "/api/puzzles/export/anki", b"")
            .1
            .starts_with("#separator:tab\n")
    );
    assert_eq!(
        server
            .ask("GET", "/api/puzzles/export/anki?language=xx", &Value::Null)
            .0,
        400
    );
    for wrong in [json!({ "theme": "\0" }), json!({ "origin": "a\0b" })] {
        assert_eq!(server.ask("POST", "/api/puzzles", &wrong).0, 400, "{wrong}");
    }
    let (status, error) = server.ask("GET", "/api/puzzles/export/xml", &Value::Null);
    let refusal = json!({ "error": "puzzles have no format \"xml\"", "hint": "Ask for csv, json, pgn or anki." });
    assert_eq!((status, error), (400, refusal));
    // Numbers of steps after the last one are refused, even if they overflow.
    for step in [1000, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, u64::MAX] {
        let path = format!("/api/puzzles/{}/answer", listed["next"]);
        let (status, error) = server.ask("POST", &path, &json!({ "step": step, "uci": "e2e4" }));
        assert_eq!(
            (status, &error["error"]),
            (400, &json!("the puzzle is solved already")),
            "{step}"
        );
    }
}

/// With the server's own curve no move would be a mistake. The mistake was found with the curve of
/// the review.
#[test]
fn answers_are_judged_with_the_curve_of_the_review() {
    let server = Server::start_with(Arc::new(tempfile::tempdir().unwrap()), |options| {
        ServeOptions {
            review: JudgeOptions {
                curve: Curve::Relevance { balance: 50.0 }.into(),
                ..options.review.judge
            }
            .into(),
            ..options
        }
    });
    let game = server.add(include_str!("../../../../examples/opera-game.pgn"));
    assert_eq!(
        server.review(&json!({ "game": game, "curve": "lichess" }))["state"],
        "done"
    );
    let (_, rows) = server.ask("POST", "/api/games/select", &json!({}));
    let (status, added) = server.ask(
        "POST",
        "/api/puzzles/mistakes",
        &json!({ "player": rows["games"][0]["black"] }),
    );
    assert_eq!(
        (status, added["added"].as_i64() > Some(0)),
        (200, true),
        "{added}"
    );
    let (_, listed) = server.ask("POST", "/api/puzzles", &json!({}));
    let path = format!("/api/puzzles/{}", listed["next"]);
    let (_, posed) = server.ask("GET", &path, &Value::Null);
    let mut position = History::from_fen(posed["fen"].as_str().unwrap(), None).unwrap();
    position.push(
        position
            .parse_uci(posed["first"]["uci"].as_str().unwrap())
            .unwrap(),
    );
    let result = |mv| {
        let request = json!({ "step": 0, "uci": position.uci(mv).to_string() });
        server.ask("POST", &format!("{path}/answer"), &request).1["result"].clone()
    };
    let results: Vec<Value> = position
        .position()
        .legal_moves()
        .into_iter()
        .map(result)
        .collect();
    let wrong = results.iter().filter(|result| *result == "wrong").count();
    assert!(wrong > 1, "not only the mistake itself: {results:?}");
}

/// If a game cannot be read, the request must fail. It must not look as if the game had no
/// mistakes.
#[test]
fn unreadable_games_fail_the_request_for_mistakes() {
    let server = Server::start("");
    let game = server.add(GAME);
    server.review(&json!({ "game": game }));
    let folder = server.stop();
    let file = folder.path().join("a.db");
    let mut bytes = std::fs::read(&file).unwrap();
    // Make the game's text invalid UTF-8. It may be divided between two pages of the file, in the
    // middle of one of its tags at most.
    let find = |part: &[u8]| bytes.windows(part.len()).position(|own| own == part);
    let tags: [&[u8]; 3] = [b"[White \"", b"[Black \"", b"[Result \""];
    let at = tags.into_iter().find_map(find).unwrap();
    bytes[at] = 0xFF;
    std::fs::write(&file, bytes).unwrap();
    let server = Server::start_in(folder, "", Limits::default());
    let (status, error) = server.ask(
        "POST",
        "/api/puzzles/mistakes",
        &json!({ "player": "Anna" }),
    );
    assert_eq!(status, 500, "{error}");
}

#[test]
fn tables_answer_only_where_a_server_has_them() {
    let request = |fen: &str| json!({ "fen": fen });
    let ending = "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1";
    let without = Server::start("");
    let (status, error) = without.ask("POST", "/api/table", &request(ending));
    assert_eq!(status, 400, "{error}");
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let tables = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/syzygy");
    let server = Server::start_with(folder, |options| ServeOptions {
        tables: Some(tables),
        ..options
    });
    let verdict = |fen| server.ask("POST", "/api/table", &request(fen)).1["verdict"].clone();
    assert_eq!(verdict(ending), "win");
    assert_eq!(verdict("4k3/8/8/8/8/8/8/4KR2 w - - 0 1"), Value::Null);
    // The library file takes jobs along whose engine is an object.
    let game = server.add("1. e4 e5 *");
    let id = server.review(&json!({ "game": game }))["id"]
        .as_i64()
        .unwrap();
    let folder = server.stop();
    let store = resources(&folder, &Cancel::new()).store().unwrap().unwrap();
    let engine: Value = serde_json::from_str(&store.job(id).unwrap().unwrap().engine).unwrap();
    assert!(
        engine["command"].is_string() && engine["tables"].is_string(),
        "{engine}"
    );
}

#[test]
fn own_curves_are_chosen_by_name_and_limits_are_enforced() {
    let model = json!({ "curve": "relevance", "balance": 0.5 });
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let file = folder.path().join("club.json");
    std::fs::write(&file, model.to_string()).unwrap();
    let own_curves = vec![OwnCurve::read(&file, &Cancel::new()).unwrap()];
    let limits = Limits::default().with_uploads(1, 1);
    let server = Server::start_with(Arc::clone(&folder), |options| ServeOptions {
        own_curves,
        limits,
        ..options
    });
    let (_, status) = server.ask("GET", "/api/status", &Value::Null);
    assert_eq!(
        status["own_curves"],
        json!([{ "name": "club.json", "has_plots": false }])
    );
    assert_eq!(
        server
            .raw("GET", "/api/curves/plots.svg?name=club.json", b"")
            .0,
        404
    );
    assert!(
        status["curves"]
            .as_array()
            .unwrap()
            .contains(&json!("club.json"))
    );
    let (_, curve) = server.ask(
        "POST",
        "/api/curve",
        &json!({ "curve": "club.json", "eval": 0.5 }),
    );
    assert_eq!(
        (&curve["balance"], &curve["score"], &curve["balances"][0]),
        (&json!(0.5), &json!(0.75), &json!([17, 0.5]))
    );
    let game = server.add(include_str!("../../../../tests/data/lichess.pgn"));
    let id =
        server.review(&json!({ "game": game, "reuse_evals": true, "curve": "club.json" }))["id"]
            .as_i64()
            .unwrap();
    let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    assert_eq!(document["games"][0]["curve"], "relevance, balance 0.50");
    // A path is not a name of a curve.
    let path = file.display().to_string();
    assert_eq!(
        server
            .ask("POST", "/api/curve", &json!({ "curve": path }))
            .0,
        400
    );

    let (status, answer) = server.raw("POST", "/api/games", &GAME.repeat(2).into_bytes());
    assert!(
        status == 200 && answer.contains("only the first 1 games"),
        "{answer}"
    );
    assert_eq!(
        server
            .raw("POST", "/api/games", &vec![b' '; (1 << 20) + 1])
            .0,
        413
    );
    assert!(matches!(
        OwnCurve::read(&folder.path().join("none"), &Cancel::new()),
        Err(NamedCurveError::Read { .. })
    ));
    std::fs::write(&file, "{}").unwrap();
    assert!(matches!(
        OwnCurve::read(&file, &Cancel::new()),
        Err(NamedCurveError::NoCurve { .. })
    ));
}

#[test]
fn judging_with_another_curve_needs_no_engine() {
    // The engine's program does not exist, so every search would fail.
    let server = Server::start("no such part");
    let pgn = include_str!("../../../../tests/data/lichess.pgn");
    let game = server.add(pgn);
    let job = server
        .review(&json!({ "game": game, "reuse_evals": true, "curve": "lichess", "scheme": "s8" }));
    assert_eq!(job["state"], "done", "{job}");
    let id = job["id"].as_i64().unwrap();
    let (_, by_lichess) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    assert_eq!(by_lichess["games"][0]["curve"], "lichess");
    let judge = json!({ "curve": "stockfish", "scheme": "s20" });
    let (status, by_stockfish) = server.ask("POST", &format!("/api/reviews/{id}/judged"), &judge);
    assert_eq!(status, 200, "{by_stockfish}");
    assert!(
        by_stockfish["games"][0]["curve"]
            .as_str()
            .unwrap()
            .starts_with("stockfish-"),
        "{by_stockfish}"
    );
    assert_eq!(by_stockfish["games"][0]["scheme"], "s20,s40");
    assert_ne!(
        by_lichess["games"][0]["white"],
        by_stockfish["games"][0]["white"]
    );

    let (_, by_people) = server.ask(
        "POST",
        &format!("/api/reviews/{id}/judged"),
        &json!({ "curve": "auto" }),
    );
    assert!(
        by_people["games"][0]["curve"]
            .as_str()
            .unwrap()
            .starts_with("human, "),
        "{by_people}"
    );

    let (_, why) = server.ask(
        "POST",
        &format!("/api/reviews/{id}/why"),
        &json!({ "ply": 12 }),
    );
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 0.005;
    assert!(
        near(&why["difference"], -0.22) && near(&why["possible"], 0.55),
        "{why}"
    );
    assert_eq!(
        (&why["symbol"], &why["limits"][3]["symbol"]),
        (&json!("?!"), &json!("?!"))
    );
    assert_eq!(why["limits"][3]["difference"], -0.125);
    let (status, error) = server.ask(
        "POST",
        &format!("/api/reviews/{id}/why"),
        &json!({ "ply": 99 }),
    );
    assert_eq!(
        (status, &error["error"]),
        (400, &json!("there is no judged move 99"))
    );
}

/// Curve and symbols are separate settings. With another curve, a review keeps its scheme of
/// symbols.
#[test]
fn another_curve_keeps_the_scheme_of_symbols() {
    let server = Server::start("");
    let game = server.add(include_str!("../../../../tests/data/lichess.pgn"));
    for more in [json!({ "reuse_evals": true }), json!({})] {
        let mut request = json!({ "game": game });
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let id = server.review(&request)["id"].as_i64().unwrap();
        let scheme = |judge: Value| {
            let (status, review) = server.ask("POST", &format!("/api/reviews/{id}/judged"), &judge);
            assert_eq!(status, 200, "{review}");
            (
                review["games"][0]["curve"].as_str().unwrap().to_owned(),
                review["games"][0]["scheme"].clone(),
            )
        };
        let (_, own) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
        assert_eq!(own["games"][0]["scheme"], "s20,s40");
        for curve in ["stockfish-15.1", "relevance", "lichess"] {
            let (shown, symbols) = scheme(json!({ "curve": curve }));
            assert!(shown.starts_with(curve), "{shown}");
            assert_eq!(symbols, "s20,s40", "{curve}");
        }
        assert_eq!(
            scheme(json!({ "curve": "relevance", "balance": 0.5, "language": "de" })).1,
            "s20,s40"
        );
        // The request can choose the symbols as well.
        assert_eq!(
            scheme(json!({ "curve": "relevance", "scheme": "s12" })).1,
            "s12,s40"
        );
        assert_eq!(
            scheme(json!({ "curve": "relevance", "scheme": "auto" })).1,
            "s8,s40"
        );
        assert!(scheme(json!({ "scheme": "s8" })).0.starts_with("human, "));
        // The explanation of a symbol uses the same scheme.
        let why = json!({ "ply": 12, "curve": "relevance" });
        let (_, why) = server.ask("POST", &format!("/api/reviews/{id}/why"), &why);
        let limits: Vec<f64> = why["limits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| at["difference"].as_f64().unwrap())
            .collect();
        assert!(
            limits.iter().any(|limit| (limit + 0.05).abs() < 1e-9),
            "?! of s20 begins at 1/20: {limits:?}"
        );
    }
}

#[test]
fn moves_on_the_board_are_judged_like_moves_of_the_game() {
    let server = Server::start("");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    // In the second game the last move is theory. Only the moves before it show that.
    for pgn in [GAME, "1. e4 c5 2. Nc3 Nc6 *"] {
        let game = server.add(pgn);
        let id = server.review(&json!({ "game": game }))["id"]
            .as_i64()
            .unwrap();
        let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
        let plies = document["games"][0]["plies"].as_array().unwrap();
        let moves: Vec<&str> = plies
            .iter()
            .map(|ply| ply["uci"].as_str().unwrap())
            .collect();
        for last in 1..=moves.len() {
            let (status, own) = server.ask(
                "POST",
                "/api/moves",
                &json!({ "fen": start, "moves": moves[..last], "review": id }),
            );
            assert_eq!(status, 200, "{own}");
            for field in [
                "san",
                "ply",
                "move_number",
                "phase",
                "symbol",
                "suppressed",
                "eval",
                "score_loss",
                "lines",
                "remark",
            ] {
                assert_eq!(
                    own["ply"][field],
                    plies[last - 1][field],
                    "{field} of {last}"
                );
            }
        }
        assert!(
            pgn == GAME || plies.last().unwrap()["suppressed"]["reason"] == "theory",
            "{document}"
        );
    }
    let (status, error) = server.ask(
        "POST",
        "/api/moves",
        &json!({ "fen": start, "moves": ["e2e5"] }),
    );
    assert!(
        status == 400 && error["error"].as_str().unwrap().contains("e2e5"),
        "{error}"
    );
    let lines = json!({ "fen": start, "moves": ["e2e4"], "nodes": 500, "lines": 3 });
    let (status, lines) = server.ask("POST", "/api/lines", &lines);
    assert_eq!(
        (status, lines["lines"].as_array().unwrap().len()),
        (200, 3),
        "{lines}"
    );
}

#[test]
fn files_of_a_review_have_the_curve_and_symbols_that_are_shown() {
    let server = Server::start("");
    let game = server.add(GAME);
    let id = server.review(&json!({ "game": game }))["id"]
        .as_i64()
        .unwrap();
    let judge =
        json!({ "curve": "relevance", "balance": 0.5, "scheme": "s8,s40", "language": "de" });
    let shown = server
        .ask("POST", &format!("/api/reviews/{id}/judged"), &judge)
        .1["games"]
        .clone();
    let names = "curve=relevance&balance=0.5&scheme=s8%2Cs40&language=de";
    let (_, document) = server.ask(
        "GET",
        &format!("/api/reviews/{id}.json?{names}"),
        &Value::Null,
    );
    assert_eq!(document["games"], shown);
    let (_, own) = server.ask("GET", &format!("/api/reviews/{id}.json"), &Value::Null);
    assert!(
        own["games"][0]["curve"] != shown[0]["curve"]
            && own["games"][0]["scheme"] != shown[0]["scheme"]
    );
    let file = |end: &str, names: &str| {
        server
            .raw("GET", &format!("/api/reviews/{id}.{end}?{names}"), b"")
            .1
    };
    for end in ["pgn", "html"] {
        assert!(file(end, names) != file(end, "language=de"), "{end}");
    }
    for wrong in ["curve=nope", "balance=x", "scheme=nope"] {
        assert_eq!(
            server
                .raw("GET", &format!("/api/reviews/{id}.pgn?{wrong}"), b"")
                .0,
            400,
            "{wrong}"
        );
    }
}

#[test]
fn added_games_that_are_already_stored_are_counted() {
    let server = Server::start("");
    let add = |pgn: &str| -> Value {
        serde_json::from_str(&server.raw("POST", "/api/games", pgn.as_bytes()).1).unwrap()
    };
    let first = add(GAME);
    assert_eq!((&first["total"], &first["known"]), (&json!(1), &json!(0)));
    let second = add(&format!("{GAME}\n1. d4 *\n"));
    assert_eq!(
        (&second["total"], &second["known"], &second["all"]),
        (&json!(2), &json!(1), &json!(2))
    );
    // The answer lists only the first hundred games.
    let many: String = (0..150)
        .map(|index| format!("[White \"{index}\"]\n\n1. e4 *\n\n"))
        .collect();
    let many = add(&many);
    assert_eq!(
        (&many["total"], &many["unreviewed"]),
        (&json!(150), &json!(150))
    );
    assert_eq!(many["games"].as_array().unwrap().len(), 100);
}

#[test]
fn filters_that_no_game_can_match_are_refused() {
    let server = Server::start("");
    let game = server.add(GAME);
    for wrong in [
        json!({ "since": "zz" }),
        json!({ "until": "2026.x" }),
        json!({ "time_class": "zz" }),
        json!({ "result": "win" }),
        json!({ "color": "green" }),
    ] {
        let (status, error) = server.ask("POST", "/api/games/select", &wrong);
        assert!(
            status == 400 && error["hint"].as_str().unwrap().starts_with("Give "),
            "{wrong}: {error}"
        );
        assert_eq!(
            server
                .ask("POST", "/api/batches", &json!({ "filter": wrong }))
                .0,
            400,
            "{wrong}"
        );
    }
    // The page sends the form while the user is still typing, so incomplete dates must be accepted.
    let typed = json!({ "since": "202", "until": "1.10.", "time_class": "blitz", "result": "won", "color": "white" });
    assert_eq!(server.ask("POST", "/api/games/select", &typed).0, 200);
    let (status, error) = server.ask("POST", "/api/batches", &json!({ "games": [game, 999_999] }));
    assert!(
        status == 404 && error["error"] == "there is no game 999999",
        "{error}"
    );
    let (status, error) = server.ask("PUT", "/api/games", &json!({}));
    assert!(status == 405 && error["hint"].is_string(), "{error}");
}

#[test]
fn a_game_without_moves_can_be_reviewed_and_played_on() {
    let server = Server::start("");
    let game = server.add("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1");
    let job = server.review(&json!({ "game": game }));
    assert_eq!((&job["state"], &job["total"]), (&json!("done"), &json!(0)));
    let id = job["id"].as_i64().unwrap();
    let (status, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    assert_eq!((status, &document["games"][0]["plies"]), (200, &json!([])));
    let own = json!({ "fen": document["games"][0]["start_fen"], "moves": ["e2e4"], "review": id });
    let (status, own) = server.ask("POST", "/api/moves", &own);
    assert_eq!((status, &own["ply"]["san"]), (200, &json!("e4")), "{own}");
}

#[test]
fn the_status_reports_whether_the_engine_exists() {
    let has_engine =
        |server: &Server| server.ask("GET", "/api/status", &Value::Null).1["has_engine"].clone();
    assert_eq!(has_engine(&Server::start("")), true);
    let missing = Server::start_with(Arc::new(tempfile::tempdir().unwrap()), |options| {
        let engine = EngineSpec {
            command: "stokfish".to_owned(),
            ..options.engine
        };
        ServeOptions { engine, ..options }
    });
    assert_eq!(has_engine(&missing), false);
}

#[test]
fn all_rooms_and_files_of_the_page_are_served() {
    let server = Server::start("");
    for (path, beginning) in [
        ("/", "<!doctype html>"),
        ("/review/17", "<!doctype html>"),
        ("/form", "<!doctype html>"),
    ] {
        let (status, text) = server.raw("GET", path, b"");
        assert!(
            status == 200 && text.starts_with(beginning),
            "{path}: {text}"
        );
    }
    for path in [
        "/page.js",
        "/form.js",
        "/page.css",
        "/events.js",
        "/icon.svg",
        "/example.pgn",
        "/api/openapi.json",
    ] {
        let (status, text) = server.raw("GET", path, b"");
        assert!(status == 200 && !text.is_empty(), "{path}");
    }
    let (status, form) = server.ask(
        "POST",
        "/api/symbols",
        &json!({ "played": "-1", "best": "2", "balance": 0.62 }),
    );
    assert_eq!(
        (status, format!("{:.5}", form["relevant"].as_f64().unwrap())),
        (200, "1.40089".to_owned())
    );
}
