//! Limits in nodes give the same answers on a slow machine. Each search stops the engine for three
//! seconds, after which Stockfish prints more lines than usual.

use crate::common::{centipawn, everything, fake, have_stockfish, root, run};
use serde_json::Value;

/// Returns the commands of Stockfish, normal and slowed down; `None` if it is not installed.
fn engines() -> Option<[String; 2]> {
    if !have_stockfish() {
        return None;
    }
    let program = centipawn_engine::find("stockfish")
        .unwrap()
        .program
        .display()
        .to_string();
    Some([format!("'{program}'"), fake(&format!("paused '{program}'"))])
}

/// Runs the command with each of the settings on both engines, and compares the part of the output
/// that `answer` returns.
fn same_answers(args: &[&str], settings: &[&[&str]], answer: impl Fn(&str) -> Value) {
    let Some(engines) = engines() else { return };
    for setting in settings {
        let [quick, slow] = [(0, "2"), (1, "3")].map(|(index, jobs)| {
            let mut command = centipawn([]);
            command
                .args(args)
                .args(*setting)
                .args(["--engine", &engines[index], "--jobs", jobs]);
            let ran = run(command);
            assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
            answer(ran.stdout())
        });
        assert!(!quick.is_null(), "{setting:?}");
        assert_eq!(quick, slow, "{setting:?}");
    }
}

/// Returns the numbers of lines to test: two of them unless all tests are requested.
fn lines() -> &'static [&'static [&'static str]] {
    let all: &[&[&str]] = &[&["--lines", "1"], &["--lines", "5"], &["--lines", "2"]];
    if everything() { all } else { &all[..2] }
}

#[test]
fn a_review() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.pgn");
    std::fs::write(&game, "1. e4 e5 2. Nf3 d6 3. d4 *\n").unwrap();
    let args = [
        "review",
        game.to_str().unwrap(),
        "--nodes",
        "150k",
        "--json",
        "-",
    ];
    same_answers(&args, lines(), |text| {
        serde_json::from_str::<Value>(text).unwrap()["games"].take()
    });
}

#[test]
fn ease() {
    let network = root().join("crates/policy/tests/data/res_se_conv_wdl.pb.gz");
    let fen = "8/5k2/4p3/8/2K5/8/4P3/8 w - - 0 1";
    let args = [
        "ease",
        fen,
        "--nodes",
        "300k",
        "--json",
        "--policy",
        network.to_str().unwrap(),
    ];
    same_answers(&args, lines(), |text| {
        let mut document: Value =
            serde_json::from_str(text.lines().next().unwrap_or_default()).unwrap();
        document["moves"].take()
    });
}

#[test]
fn mining() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.pgn");
    let end = "1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21";
    std::fs::write(
        &game,
        format!("[FEN \"{end}\"]\n\n21. Qxd7+ Kxd7 22. Bf5+ Ke8 *\n"),
    )
    .unwrap();
    let args = [
        "puzzles",
        "mine",
        game.to_str().unwrap(),
        "--effort",
        "0.1",
        "--no-policy",
        "--format",
        "json",
    ];
    same_answers(&args, &[&[]], |text| {
        let puzzles = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["solution"].take());
        puzzles.collect::<Value>()
    });
}
