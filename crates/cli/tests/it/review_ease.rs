//! `centipawn review --ease`, as a user sees it.

use std::{fs, process::Command};

use crate::common::{centipawn, fake, have_stockfish, root, run};
use serde_json::Value;

fn review(network: &str, args: &[&str]) -> Command {
    let mut command = centipawn([
        "review",
        "examples/opera-game.pgn",
        "--ease",
        "--jobs",
        "2",
        "--policy",
    ]);
    command
        .arg(root().join("crates/policy/tests/data").join(network))
        .args(args);
    command
}

/// With Stockfish, all results have ease, and a second review changes nothing in the game.
#[test]
fn a_game_with_stockfish() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let mut command = review("res_se_conv_wdl.pb.gz", &["--nodes", "2000", "-o"]);
    command
        .arg(file("once.pgn"))
        .arg("--json")
        .arg(file("once.json"))
        .arg("--html")
        .arg(file("once.html"));
    let ran = run(command);
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    assert!(
        ran.stdout().contains("\nThe hardest moment:\n"),
        "{}",
        ran.stdout()
    );
    let [pgn, json, html] =
        ["once.pgn", "once.json", "once.html"].map(|name| fs::read_to_string(file(name)).unwrap());
    let json: Value = serde_json::from_str(&json).unwrap();
    let plies = json["games"][0]["plies"].as_array().unwrap();
    // The first three moves of each side have no ease, because they are outside the networks'
    // training data.
    assert_eq!((plies.len(), pgn.matches("[%ease ").count()), (33, 27));
    assert!(plies[..6].iter().all(|ply| ply.get("ease").is_none()));
    let mut weighed = 0;
    for ply in &plies[6..] {
        let ease = ply["ease"][0]["ease"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&ease), "{ply}");
        // The played move is among the evaluated moves, unless it was the only legal one.
        let moves = ply["ease"][0]["moves"].as_array().unwrap();
        assert!(
            moves.iter().any(|mv| mv["uci"] == ply["uci"]) || moves.is_empty(),
            "{ply}"
        );
        weighed += usize::from(!moves.is_empty());
    }
    assert!(weighed > 25, "{weighed}");
    assert!(
        html.contains("<h2>Hardest moments</h2>")
            && html.contains("\"policy\":\"res_se_conv_wdl\"")
    );

    let mut command = centipawn([
        "review", "--ease", "--jobs", "2", "--nodes", "2000", "--policy",
    ]);
    command.arg(root().join("crates/policy/tests/data/res_se_conv_wdl.pb.gz"));
    command
        .arg(file("once.pgn"))
        .arg("-o")
        .arg(file("twice.pgn"));
    assert_eq!(run(command).code(), Some(0));
    assert_eq!(fs::read_to_string(file("twice.pgn")).unwrap(), pgn);
}

/// Networks give mates in the first moves a few per cent, which is wrong, so no chances are printed
/// there.
#[test]
fn no_chances_are_printed_for_the_first_moves() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("fools.pgn");
    fs::write(
        &games,
        "1. f3 e5 2. g4 Qh4# 0-1\n\n1. e4 f6 2. d4 g5 3. Qh5# 1-0\n",
    )
    .unwrap();
    let engine = ["--engine", &fake("ok"), "--nodes", "1000", "--jobs", "1"].map(str::to_owned);
    let mut command = centipawn(["review", "--ease", "--language", "en", "--html"]);
    command
        .arg(folder.path().join("fools.html"))
        .args(&engine)
        .arg(&games)
        .args(["--json", "-"]);
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    for game in document["games"].as_array().unwrap() {
        assert_eq!(game["hardest_moments"], Value::Array(Vec::new()));
        for ply in game["plies"].as_array().unwrap() {
            assert!(
                ply.get("ease").is_none() && ply.get("hardness").is_none(),
                "{ply}"
            );
        }
    }
    let html = fs::read_to_string(folder.path().join("fools.html")).unwrap();
    assert!(!html.contains("% of players like") && !html.contains("No level is expected"));
    // For a single position the text has a note instead of numbers; JSON has both.
    let fen = "startpos moves f2f3 e7e5 g2g4";
    let ease = |args: &[&str]| {
        let mut command = centipawn(["ease", fen, "--level", "1500"]);
        command.args(&engine).args(args);
        run(command).stdout().to_owned()
    };
    let text = ease(&[]);
    assert!(
        text.contains("leaves out the first three moves of each") && !text.contains('%'),
        "{text}"
    );
    let json: Value = serde_json::from_str(&ease(&["--json"])).unwrap();
    assert!(
        json["note"].as_str().unwrap().contains("first three moves"),
        "{json}"
    );
    let ran = run(centipawn(["policy", "run", fen, "--level", "1500"]));
    assert!(
        ran.stdout()
            .contains("leaves out the first three moves of each"),
        "{}",
        ran.stdout()
    );
    let known = run(centipawn([
        "policy",
        "run",
        "startpos moves e2e4 e7e5 d1h5 b8c6 f1c4 g8f6",
        "--level",
        "1500",
    ]));
    assert!(!known.stdout().contains("leaves out"), "{}", known.stdout());
}

/// A review with as many lines as `centipawn ease` evaluates the same moves and gives the same
/// ease.
#[test]
fn a_review_gives_the_ease_of_the_command() {
    let engine = ["--engine", &fake("ok"), "--nodes", "1000"].map(str::to_owned);
    let engine: Vec<&str> = engine.iter().map(String::as_str).collect();
    let ran = run(review(
        "res_se_conv_wdl.pb.gz",
        &[&engine[..], &["--json", "-", "--lines", "5"]].concat(),
    ));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let reviewed: Value = serde_json::from_str(ran.stdout()).unwrap();
    let mut command = centipawn([
        "ease",
        "examples/opera-game.pgn",
        "--json",
        "--jobs",
        "1",
        "--policy",
    ]);
    command
        .arg(root().join("crates/policy/tests/data/res_se_conv_wdl.pb.gz"))
        .args(&engine);
    let ran = run(command);
    let judged: Vec<Value> = ran
        .stdout()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        judged.len(),
        27,
        "all but the first three moves of each side"
    );
    for (ply, judged) in reviewed["games"][0]["plies"].as_array().unwrap()[6..]
        .iter()
        .zip(&judged)
    {
        let sorted = |document: &Value| {
            let mut moves: Vec<String> = document["moves"]
                .as_array()
                .unwrap()
                .iter()
                .map(|mv| mv["uci"].to_string())
                .collect();
            moves.sort();
            moves
        };
        // A review also evaluates the played move, even if it is very unlikely.
        let listed = sorted(&ply["ease"][0]);
        assert!(
            sorted(judged).iter().all(|mv| listed.contains(mv)),
            "{ply}\n{judged}"
        );
    }
}

#[test]
fn flags_of_networks_need_ease() {
    let ran = run(centipawn([
        "review",
        "examples/opera-game.pgn",
        "--policy",
        "maia-1500",
    ]));
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr()
            .contains("--policy, --level and --players are for --ease"),
        "{}",
        ran.stderr()
    );
    let ran = run(centipawn([
        "review",
        "examples/opera-game.pgn",
        "--ease",
        "--policy",
        "no-such-network",
    ]));
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
}

/// An empty home folder, without `policy fetch`.
#[test]
fn the_bundled_network_needs_no_download() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.pgn");
    let text = "[WhiteElo \"1320\"]\n[BlackElo \"1480\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 g6 4. Qf3 Nf6 5. Qb3 Nd4 1-0";
    fs::write(&game, text).unwrap();
    let of = |args: &[&str]| {
        let mut command = centipawn([
            "review",
            "--ease",
            "--engine",
            &fake("ok"),
            "--nodes",
            "1000",
            "--json",
            "-",
        ]);
        command
            .arg(&game)
            .args(args)
            .env("CENTIPAWN_POLICY_DIR", "/nowhere")
            .env_remove("CENTIPAWN_POLICY");
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let document: Value = serde_json::from_str(ran.stdout()).unwrap();
        let plies = document["games"][0]["plies"].as_array().unwrap();
        let levels = |ply: &Value| {
            let ease = ply["ease"].as_array().unwrap().iter();
            ease.map(|ease| (ease["level"].as_u64().unwrap(), ease["player"].as_u64()))
                .collect::<Vec<_>>()
        };
        // The first three moves of each side have no ease.
        plies[6..8].iter().map(levels).collect::<Vec<_>>()
    };
    assert_eq!(
        of(&[])[0],
        [(1100, None), (1320, Some(1320)), (1500, None), (1900, None)]
    );
    assert_eq!(
        of(&["--players", "1500,900"]),
        [
            vec![(1100, None), (1500, Some(1500)), (1900, None)],
            vec![(900, Some(900)), (1100, None), (1500, None), (1900, None)]
        ]
    );
    assert_eq!(of(&["--level", "1700"])[1], [(1700, None)]);
}

/// Without an engine, the output marks results that the game's evaluations leave open.
#[test]
fn evaluations_of_the_game_alone_give_a_bound() {
    let mut command = centipawn([
        "review",
        "tests/data/lichess.pgn",
        "--reuse-evals",
        "--ease",
        "--policy",
    ]);
    command.arg(root().join("crates/policy/tests/data/res_se_conv_wdl.pb.gz"));
    let ran = run(command);
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    assert!(
        ran.stdout().contains("is given as \"at most\""),
        "{}",
        ran.stdout()
    );
}

/// A review and `centipawn ease` read evaluations in comments by the same rules: they give the same
/// ease for every evaluated position, in every dialect.
#[test]
fn evaluations_of_games_give_the_same_ease() {
    let network = root().join("crates/policy/tests/data/res_se_conv_wdl.pb.gz");
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.pgn");
    let games = [
        // Dialects: evaluations by the playing engines, after book moves; TCEC's; the profile of a
        // whole game; Lichess' with a mate.
        "1. e4 {book} e5 {book} 2. Ke2 {+0.30/20 1s} Ke7 {+1.50/20 1s} 3. d4 {+2.00/9 1s} *",
        "[Event \"TCEC\"]\n\n1. e4 {book} e5 {book} 2. Nf3 {d=30, mt=1000, tl=60000, wv=0.30,} Ke7 {d=30, wv=0.35,} \
         3. Nxe5 {d=31, wv=4.50,} Kf6 {d=30, wv=5.00,} *",
        "[White \"Anna\"]\n\n{[%evp 0,4,15,20,30,-150,200]} 1. e4 e5 2. Ke2 Ke7 *",
        "1. f3 { [%eval -0.5] } e5 { [%eval -0.4] } 2. g4 { [%eval #-1] } Qh4# 0-1",
        "1. e4 {0.30/19} e5 {0.25/19} 2. Nf3 {0.28/20} Nc6 {0.30/18} *",
    ];
    // Ease begins after three moves of each side, so begin the games with moves that are left out.
    let start =
        "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 10\"]\n\n";
    let games = games.map(|game| match game.split_once("\n\n") {
        Some((tags, moves)) => format!("{tags}\n{start}{moves}"),
        None => format!("{start}{game}"),
    });
    fs::write(&own, games.join("\n\n")).unwrap();
    for games in [own, root().join("tests/data/lichess.pgn")] {
        let of = |args: &[&str]| {
            let mut command = centipawn(["--quiet"]);
            command
                .args(args)
                .arg(&games)
                .args(["--reuse-evals", "--policy"])
                .arg(&network);
            let ran = run(command);
            assert_eq!((ran.code(), ran.stderr()), (Some(0), ""), "{args:?}");
            ran.stdout().to_owned()
        };
        let reviewed = of(&[
            "review",
            "--ease",
            "--json",
            "-",
            "--engine",
            "no-such-engine",
        ]);
        let reviewed: centipawn_review::ReviewDocument = serde_json::from_str(&reviewed).unwrap();
        let judged = of(&["ease", "--json", "--no-engine"]);
        let judged = judged
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let judged: Vec<centipawn_review::MomentDocument> = judged.collect();
        let mut judged = judged.iter();
        for (number, game) in (1..).zip(&reviewed.games) {
            for ply in &game.plies {
                if ply.ease.is_empty() {
                    continue;
                }
                let moment = judged.next().unwrap();
                let place = moment.place.as_ref().unwrap();
                assert_eq!(
                    (place.game, place.ply, &moment.fen),
                    (number, ply.ply as u64, &ply.fen)
                );
                assert_eq!([&moment.ease], [&ply.ease[0]], "{}", ply.fen);
            }
        }
        assert_eq!(judged.next(), None);
    }
}
