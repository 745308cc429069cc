//! `centipawn odds`, as a user sees it.

use crate::common::{centipawn, have_stockfish, run};
use serde_json::Value;

fn odds(args: &str) -> crate::common::Ran {
    let mut command = centipawn(["odds"]);
    command.args(args.split_whitespace());
    run(command)
}

#[test]
fn the_example_of_the_docs() {
    let ran = odds("0 --players 1500 --time 180+0 --clocks 1:00,0:30");
    let docs = std::fs::read_to_string(crate::common::root().join("docs/people.md")).unwrap();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        docs.contains(ran.stdout().trim_end()),
        "docs/people.md should have:\n{}",
        ran.stdout()
    );
}

/// Computes the expected numbers independently, from the formulas and constants of docs/people.md.
#[test]
fn the_numbers_are_those_of_the_formula() {
    let ran = odds("1.20 --players 1620,1500 --time 180+2 --clocks 40,70 --json");
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let number = |key: &str| document[key].as_f64().unwrap();
    let (seconds, rating) = (260.0_f64, (1560.0_f64 - 1800.0) / 400.0);
    let k = (-0.727 + 0.225 * rating).exp() * seconds / (seconds + 159.5);
    let clocks = 1.067 * (40.0 - 70.0) / (40.0 + 70.0) * (seconds / 600.0).powf(-0.449);
    let log_odds: f64 = 1.2 * k + 1.317 * 120.0 / 400.0 + clocks;
    assert!(
        (number("expected_score") - 1.0 / (1.0 + (-log_odds).exp())).abs() < 1e-9,
        "{document}"
    );
    assert!((number("clock_pawns") - clocks / k).abs() < 1e-9);
    assert!((number("win") + number("draw") / 2.0 - number("expected_score")).abs() < 1e-9);
    assert!((number("win") + number("draw") + number("loss") - 1.0).abs() < 1e-9);
    assert_eq!(document["provenance"]["recipe"]["recipe"], "odds");
}

#[test]
fn errors_are_reported() {
    for (args, says) in [
        (
            "1 --players 1500 --time 180+2 --clocks 60",
            "clocks are two times",
        ),
        ("1e9 --players 1500 --time 180+2", "a mate is #3 or #-3"),
        (
            "1 --players 1500,9000 --time 180+2",
            "each is from 100 to 4000",
        ),
        ("1 --players 1500 --time fast", "--time"),
        (
            "1 --players 1500 --time 180+2 --curve lichess",
            "lichess is no human curve",
        ),
        ("1 --time 180+2", "--players"),
    ] {
        let ran = odds(args);
        assert_eq!(ran.code(), Some(2), "{args}: {}", ran.stderr());
        assert!(ran.stderr().contains(says), "{args}: {}", ran.stderr());
    }
    let far = odds("0 --players 2400,1500 --time 600+0");
    assert!(
        far.stderr().contains("more than 300 points apart"),
        "{}",
        far.stderr()
    );
}

#[test]
fn the_atlas_of_made_up_games() {
    if !have_stockfish() {
        return;
    }
    let atlas = |more: &str| {
        odds(&format!(
            "atlas examples/odds.pgn --nodes 2000 --store none {more}"
        ))
    };
    let ran = atlas("--json");
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let starts = document["starts"].as_array().unwrap();
    let handicaps: Vec<&str> = starts
        .iter()
        .map(|own| own["handicap"].as_str().unwrap())
        .collect();
    assert_eq!(document["games"], 96);
    assert_eq!(handicaps.len(), 4);
    assert!(
        ["queen", "rook and knight", "rook", "knight"]
            .iter()
            .all(|own| handicaps.contains(own))
    );
    // Black receives odds, so the evaluations are Black's: above 0, the highest first.
    let evals: Vec<f64> = starts
        .iter()
        .map(|own| own["eval"].as_f64().unwrap())
        .collect();
    assert!(
        evals.is_sorted_by(|one, other| one >= other) && evals[3] > 1.0,
        "{evals:?}"
    );
    let ratings = document["ratings"].as_array().unwrap();
    let even: Vec<f64> = ratings
        .iter()
        .map(|own| own["eval"].as_f64().unwrap())
        .collect();
    // Stronger people hold less. Where the scores do not clearly rise with the evaluation, as in
    // so few games, a note takes the place of the ratings.
    let fitted = |name: &str, at: usize| document["fit"][name][at].as_f64().unwrap();
    let is_clear = fitted("per_pawn", 0) > 1.96 * fitted("per_pawn", 1);
    assert_eq!(even.len() > 3, is_clear, "{document}");
    assert!(even.is_sorted_by(|one, other| one > other), "{document}");
    let notes = document["notes"].to_string();
    assert_eq!(notes.contains("clearly rise"), !is_clear, "{document}");
    assert!(starts[0]["even_rating"].as_f64() > Some(0.0), "{document}");
    assert_eq!(document["provenance"]["recipe"]["recipe"], "odds atlas");

    let text = atlas("");
    let shown = if is_clear {
        "scores half at"
    } else {
        "clearly rise"
    };
    let words: Vec<&str> = text.stdout().split_whitespace().collect();
    assert!(words.join(" ").contains(shown), "{}", text.stdout());
    let none = atlas("--giver Stockfish");
    assert_eq!(none.code(), Some(3));
    assert!(
        none.stderr().contains("96 not given by \"Stockfish\""),
        "{}",
        none.stderr()
    );
    let equal = odds("atlas examples/opera-game.pgn --nodes 100 --store none");
    assert!(
        equal.stderr().contains("1 without odds"),
        "{}",
        equal.stderr()
    );
}
