//! `centipawn review` on real games, with the real Stockfish.

use std::fs;

use crate::common::{centipawn, have_stockfish, root, run, run_with};
use centipawn_pgn::{Dialect, Reader};
use serde_json::Value;
use shakmaty::Position as _;

#[test]
fn two_reviews_of_the_examples_are_equal() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let review = |name: &str, jobs: &str| {
        let file = |kind: &str| folder.path().join(format!("{name}.{kind}"));
        let mut command = centipawn(["review", "--nodes", "4000", "--jobs", jobs]);
        command.args(
            ["opera-game", "evergreen-game", "immortal-draw"]
                .map(|game| format!("examples/{game}.pgn")),
        );
        command
            .arg("-o")
            .arg(file("pgn"))
            .arg("--html")
            .arg(file("html"))
            .arg("--json")
            .arg(file("json"));
        let ran = run(command);
        assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
        (
            ran.stdout().to_owned(),
            ["pgn", "html", "json"].map(|kind| fs::read_to_string(file(kind)).unwrap()),
        )
    };
    let (summary, [pgn, html, json]) = review("first", "2");
    assert_eq!(
        (summary.clone(), [pgn.clone(), html.clone(), json.clone()]),
        review("second", "3"),
        "whatever the number of engines"
    );

    assert!(
        summary.lines().all(|line| line.chars().count() <= 80),
        "{summary}"
    );
    check_pgn(&pgn);
    check_json(&json);
    assert_eq!(html.matches("<article").count(), 3);
    // The names of the SVG and XHTML namespaces look like web addresses, but nothing is loaded from
    // them.
    assert!(
        !html.replace("http://www.w3.org/", "").contains("://"),
        "the page asks for nothing"
    );
    assert!(html.len() < 600_000, "{}", html.len());
}

/// Reads the annotated games: they have the same moves, and an evaluation after every move except
/// mates.
fn check_pgn(pgn: &str) {
    let games: Vec<_> = Reader::new(pgn.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    assert_eq!(games.len(), 3);
    for game in &games {
        assert!(game.warnings.is_empty());
        assert!(
            game.headers
                .get("Annotator")
                .unwrap()
                .starts_with("Centipawn (Stockfish")
        );
        for (before, ply) in game.mainline() {
            let mut after = before.clone();
            after.push(ply.mv);
            let said = ply.annotation(Dialect::Auto, before.turn());
            assert_eq!(
                said.eval.is_none(),
                after.position().is_checkmate(),
                "{}",
                ply.san(before.position())
            );
            let blamed = ply.nags.iter().any(|nag| matches!(nag.0, 2 | 4 | 6));
            assert_eq!(
                blamed,
                !ply.variations.is_empty(),
                "a better line for every blame"
            );
        }
    }
    let original = fs::read_to_string(root().join("examples/opera-game.pgn")).unwrap();
    let original = Reader::new(original.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    let moves =
        |game: &centipawn_pgn::Game| game.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>();
    assert_eq!(moves(&original), moves(&games[0]));
}

fn check_json(json: &str) {
    let document: Value = serde_json::from_str(json).unwrap();
    let games = document["games"].as_array().unwrap();
    assert_eq!(games.len(), 3);
    let opera = &games[0];
    assert_eq!(opera["plies"].as_array().unwrap().len(), 33);
    assert!(
        opera["white"]["accuracy"].as_f64().unwrap() > opera["black"]["accuracy"].as_f64().unwrap()
    );
    let last = &opera["plies"][32];
    assert_eq!(
        (&last["san"], &last["eval"], &last["expected_score"]),
        (&"Rd8#".into(), &Value::Null, &1.0.into())
    );
    // The losses of all moves add up to the player's loss.
    let lost: f64 = opera["plies"]
        .as_array()
        .unwrap()
        .iter()
        .step_by(2)
        .map(|ply| ply["relevant_loss"].as_f64().unwrap())
        .sum();
    assert!((lost - opera["white"]["relevant_loss"].as_f64().unwrap()).abs() < 1e-9);
}

/// Positions in which the rules matter: Chess960 castling, games from a FEN, stalemate, bare kings,
/// and a game without moves.
#[test]
fn special_rules_are_reviewed() {
    if !have_stockfish() {
        return;
    }
    let ran = run(centipawn([
        "review",
        "tests/data/odd-games.pgn",
        "--nodes",
        "5000",
        "-o",
        "-",
    ]));
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let games: Vec<_> = Reader::new(ran.stdout().as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    let evals = |index: usize| -> Vec<Option<String>> {
        let game: &centipawn_pgn::Game = &games[index];
        game.mainline()
            .map(|(before, ply)| {
                ply.annotation(Dialect::Auto, before.turn())
                    .eval
                    .map(|eval| eval.to_string())
            })
            .collect()
    };
    assert_eq!(games.len(), 6);
    assert!(evals(0).iter().all(Option::is_some), "Chess960");
    assert_eq!(
        evals(1),
        [Some("#1".to_owned()), Some("#1".to_owned()), None],
        "mate from a FEN"
    );
    assert_eq!(evals(2).last(), Some(&Some("0.00".to_owned())), "stalemate");
    assert!(
        games[2]
            .plies
            .last()
            .unwrap()
            .nags
            .iter()
            .any(|nag| nag.0 == 4),
        "stalemate gives the win away"
    );
    assert!(
        evals(3).iter().all(|eval| eval.as_deref() == Some("0.00")),
        "bare kings"
    );
    assert!(games[4].plies.is_empty());
    assert!(
        games[5].plies[0]
            .nags
            .iter()
            .all(|nag| nag.0 != 1 && nag.0 != 3),
        "a forced move has no symbol"
    );
}

/// Evaluations in the games are used, so no engine is needed.
#[test]
fn evaluations_in_the_games_need_no_engine() {
    let ran = run(centipawn([
        "review",
        "tests/data/lichess.pgn",
        "--reuse-evals",
        "--curve",
        "lichess",
        "--engine",
        "no-such-engine",
        "--json",
        "-",
    ]));
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let plies = document["games"][0]["plies"].as_array().unwrap();
    let blunders: Vec<_> = plies
        .iter()
        .filter(|ply| ply["symbol"] == "??")
        .map(|ply| ply["san"].as_str().unwrap())
        .collect();
    assert_eq!(blunders, ["Kd1", "Rg8", "Qf5", "Qxg2+", "Bxf7", "b5"]);
    assert_eq!(document["games"][0]["analyst"], Value::Null);

    // If a single evaluation is missing, the review needs an engine.
    let ran = run(centipawn([
        "review",
        "examples/opera-game.pgn",
        "--reuse-evals",
        "--engine",
        "no-such-engine",
    ]));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("no-such-engine was not found"),
        "{}",
        ran.stderr()
    );
}

/// Like a shell, Centipawn does not look for programs in the current folder. The error explains how
/// to name such a program.
#[cfg(unix)]
#[test]
fn an_engine_in_this_folder_needs_its_path() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(
        centipawn_fake_engine::path(),
        folder.path().join("my-engine"),
    )
    .unwrap();
    let game = root().join("examples/opera-game.pgn");
    let review = |engine: &str| {
        run_with(
            centipawn(["review", "--nodes", "10", "--engine", engine])
                .arg(&game)
                .current_dir(&folder),
        )
    };
    let ran = review("my-engine");
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("my-engine was not found; it is in this folder: write ./my-engine"),
        "{}",
        ran.stderr()
    );
    assert_eq!(review("./my-engine ok").code(), Some(0));
}

#[test]
fn from_standard_input_to_standard_output() {
    let mut command = centipawn(["review", "-", "--reuse-evals", "-o", "-"]);
    command.stdin(fs::File::open(root().join("tests/data/lichess.pgn")).unwrap());
    let ran = run(command);
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    assert!(ran.stdout().starts_with("[Event ") && ran.stdout().contains("[%clk 0:09:23]"));
}

/// In Saavedra's study only the promotion to a rook wins, because a queen lets Black force
/// stalemate.
#[test]
fn tables_are_asked_before_the_engine() {
    let Some(tables) = centipawn_test_support::data::shared("data/syzygy") else {
        return;
    };
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("saavedra.pgn");
    let moves =
        "1. c7 Rd6+ 2. Kb5 Rd5+ 3. Kb4 Rd4+ 4. Kb3 Rd3+ 5. Kc2 Rd4 6. c8=Q Rc4+ 7. Qxc4 1/2-1/2";
    fs::write(
        &game,
        format!("[SetUp \"1\"]\n[FEN \"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1\"]\n\n{moves}\n"),
    )
    .unwrap();
    let mut command = centipawn(["review", "--nodes", "100", "--store", "none", "--json", "-"]);
    command.arg(&game).arg("--syzygy").arg(tables);
    let ran = run(command);
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let queen = &document["games"][0]["plies"][10];
    assert_eq!(
        (&queen["san"], &queen["symbol"]),
        (&"c8=Q".into(), &"??".into()),
        "{queen}"
    );
    assert_eq!(queen["lines"][0]["san"], serde_json::json!(["c8=R"]));
    // With the human curve, a mate is worth a little less than 1.
    let best = queen["expected_score_best"].as_f64().unwrap();
    assert!(
        (0.97..1.0).contains(&best) && queen["expected_score"] == 0.5,
        "{queen}"
    );
}

/// Annotated games can be read by another review, by `site`, and again: symbols, numbers, curve and
/// bytes stay the same.
#[test]
fn an_annotated_game_gives_the_same_review_again() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    // A game of humans on Lichess from 2021. Lichess' own evaluations of that time would have
    // another unit.
    let game = "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/x\"]\n[UTCDate \"2021.10.01\"]\n[White \"Anna\"]\n\
        [Black \"Boris\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1480\"]\n[TimeControl \"180+0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 \
        4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1\n";
    fs::write(file("game.pgn"), game).unwrap();
    let review = |from: &str, more: &[&str], name: &str| -> Value {
        let mut command = centipawn(["review", "--nodes", "4000"]);
        command
            .arg(file(from))
            .args(more)
            .arg("-o")
            .arg(file(&format!("{name}.pgn")));
        let ran = run_with(command.arg("--json").arg(file(&format!("{name}.json"))));
        assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
        let document: Value =
            serde_json::from_str(&fs::read_to_string(file(&format!("{name}.json"))).unwrap())
                .unwrap();
        document["games"][0].clone()
    };
    let mut once = review("game.pgn", &[], "once");
    let again = review("once.pgn", &["--reuse-evals"], "again");
    // The errors of evaluations that the game itself has are unknown.
    for player in ["white", "black"] {
        for key in ["score_loss_error", "accuracy_error"] {
            let error = once[player].as_object_mut().unwrap().remove(key);
            assert!(
                error.is_some_and(|error| error.as_f64() > Some(0.0)),
                "{key}"
            );
        }
    }
    assert_eq!(once["curve_numbers"]["units"], 1.0);
    for key in [
        "curve",
        "curve_numbers",
        "practical_curve",
        "scheme",
        "white",
        "black",
        "critical_moments",
    ] {
        assert_eq!(again[key], once[key], "{key}");
    }
    let plies = |game: &Value| game["plies"].as_array().unwrap().clone();
    assert!(
        plies(&once)
            .iter()
            .filter(|ply| ply["symbol"].is_string())
            .count()
            >= 2
    );
    for (again, once) in plies(&again).iter().zip(plies(&once)) {
        // An annotated game does not contain whole lines and the limits of the searches.
        let is_kept = |key: &str| {
            !["lines", "limit", "symbol_probability", "blame_probability"].contains(&key)
        };
        for (key, value) in once
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, _)| is_kept(key))
        {
            assert_eq!(&again[key], value, "{key} of {}", once["san"]);
        }
    }
    assert_eq!(
        fs::read(file("again.pgn")).unwrap(),
        fs::read(file("once.pgn")).unwrap()
    );

    let ran = run_with(centipawn(["site"]).arg(file("site")).arg(file("once.pgn")));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let page = fs::read_to_string(file("site/games/00001.html")).unwrap();
    let (_, data) = page.split_once("class=\"data\">").unwrap();
    let page: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(page["review"]["games"][0]["plies"], again["plies"]);
    for (why, ply) in page["why"].as_array().unwrap().iter().zip(plies(&again)) {
        assert_eq!(
            (&why["remark"], &why["symbol"]),
            (&ply["remark"], &ply["symbol"])
        );
    }
    assert_eq!(
        page["moves"]["notes"],
        Value::Array(Vec::new()),
        "no remark of the earlier review stands beside the new one"
    );
    assert_eq!(
        fs::read(file("site/games/00001.pgn")).unwrap(),
        fs::read(file("once.pgn")).unwrap()
    );
}

/// The game loses a queen, which was attacked before the losing move.
const ATTACKED: &str = "[White \"Anna\"]\n[Black \"Boris\"]\n[Result \"0-1\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1\n";

#[test]
fn threats_and_symbols_of_all_positions() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("game.pgn"), ATTACKED).unwrap();
    let review = |output: &str, more: &[&str]| {
        let mut command = centipawn(["review", "--nodes", "4000", "--curve", "stockfish", "-q"]);
        command
            .arg(path("game.pgn"))
            .arg("-o")
            .arg(path(output))
            .args(more);
        command.arg("--moments").arg(path("moments.html"));
        let ran = run(command);
        assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
        fs::read_to_string(path(output)).unwrap()
    };
    let extras = ["--threats", "--symbols", "position"];
    let text = review("out.pgn", &extras);
    assert_eq!(
        text,
        review("again.pgn", &extras),
        "searches are deterministic"
    );
    let game = Reader::new(text.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(game.warnings.is_empty(), "{text}");
    let threats: Vec<_> = game
        .plies
        .iter()
        .flat_map(|ply| &ply.variations)
        .filter(|line| line[0].is_null())
        .collect();
    assert!(
        !threats.is_empty() && threats.iter().all(|line| line.len() > 1),
        "{text}"
    );
    let (mate, rest) = game.plies.split_last().unwrap();
    assert!(mate.mv.is_capture() || text.contains("Nf3#"));
    let symbols = |ply: &centipawn_pgn::Ply| {
        ply.nags
            .iter()
            .filter(|nag| (10..=21).contains(&nag.0))
            .count()
    };
    assert!(rest.iter().all(|ply| symbols(ply) == 1), "{text}");
    let plain = review("plain.pgn", &[]);
    assert!(!plain.contains("--"), "{plain}");

    let moments = fs::read_to_string(path("moments.html")).unwrap();
    let blamed = game
        .plies
        .iter()
        .filter(|ply| ply.nags.iter().any(|nag| (1..=6).contains(&nag.0)));
    assert_eq!(moments.matches("<td><b>").count(), blamed.count());
    assert!(moments.contains("Relevant loss per move") && moments.contains("name=\"provenance\""));
}

#[test]
fn losses_of_the_phases_add_up() {
    let ran = run(centipawn([
        "review",
        "tests/data/lichess.pgn",
        "--reuse-evals",
        "--store",
        "none",
        "--json",
        "-",
    ]));
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    for side in ["white", "black"] {
        let player = &document["games"][0][side];
        let phases = player["phases"].as_array().unwrap();
        let sum: f64 = phases
            .iter()
            .map(|own| own["relevant_loss"].as_f64().unwrap())
            .sum();
        let all = player["relevant_loss"].as_f64().unwrap();
        assert!((sum - all).abs() < 1e-9 && all > 0.0, "{sum} {all}");
    }
}
