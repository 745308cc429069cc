//! `centipawn odds`, as a user sees it.

use crate::common::{centipawn, run};
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
