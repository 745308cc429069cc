//! Runs the examples of the library crates on the sample files, as docs/developer.md shows them.

use std::{path::PathBuf, process::Command};

use crate::common::{have_stockfish, root};

/// Runs an example of a crate, and returns what it prints. `cargo` builds it first if a selection
/// of tests has left it out.
fn run_example(package: &str, name: &str, arguments: &[&str]) -> String {
    let program = program(name);
    if !program.is_file() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--package", package, "--example", name])
            .current_dir(root())
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{name} was not built"
        );
    }
    let output = Command::new(&program)
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the path of an example beside the program.
fn program(name: &str) -> PathBuf {
    let own = PathBuf::from(env!("CARGO_BIN_EXE_centipawn"));
    own.parent()
        .unwrap()
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn an_evaluation_is_worth_more_to_stronger_players() {
    let printed = run_example("centipawn-core", "expected_score", &["1.37", "0.20"]);
    let scores: Vec<f64> = printed
        .lines()
        .map(|line| {
            let (_, rest) = line.split_once("scores ").unwrap();
            rest.split(',').next().unwrap().parse().unwrap()
        })
        .collect();
    assert_eq!(scores.len(), 4, "{printed}");
    assert!(scores.is_sorted() && scores[0] < scores[3], "{printed}");
}

#[test]
fn evaluations_are_read() {
    let printed = run_example(
        "centipawn-pgn",
        "read_evaluations",
        &["examples/selfplay.pgn.gz"],
    );
    assert!(printed.starts_with("130 games, "), "{printed}");
    assert!(printed.contains("White once had +2.00 in "), "{printed}");
}

#[test]
fn a_game_is_reviewed() {
    if !have_stockfish() {
        return;
    }
    let game = "examples/opera-game.pgn";
    let printed = run_example("centipawn-review", "review_game", &[game, "1000"]);
    assert!(printed.contains("[White \"Morphy, Paul\"]"), "{printed}");
    assert!(printed.contains("[%eval "), "{printed}");
}

#[test]
fn likely_moves_are_predicted() {
    let position = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
    let printed = run_example("centipawn-policy", "likely_moves", &[position]);
    let levels: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.split(':').next())
        .collect();
    assert_eq!(levels, ["1100", "1500", "1900"], "{printed}");
    // Weak players overlook the mate on f7 more often.
    assert!(
        printed.contains("g7g6") && printed.contains("g8f6"),
        "{printed}"
    );
}

#[test]
fn a_curve_is_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let curve = folder.path().join("curve.json");
    let games = "examples/selfplay.pgn.gz";
    let printed = run_example(
        "centipawn-calibrate",
        "fit_curve",
        &[games, curve.to_str().unwrap()],
    );
    assert!(printed.contains("NormalizeToPawnValue"), "{printed}");
    let file = std::fs::read_to_string(curve).unwrap();
    assert!(file.contains("\"curve\": \"wdl\""), "{file}");
}
