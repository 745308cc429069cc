//! `centipawn puzzles mistakes`, the whole program.

use crate::common::{Ran, centipawn};

const GAME: &str = "examples/opera-game.pgn";

fn mistakes(args: &[&str]) -> Ran {
    let mut command = centipawn([
        "puzzles", "mistakes", GAME, "--nodes", "20k", "--store", "none", "--format", "json",
    ]);
    Ran::of(command.args(args).output().unwrap())
}

/// Returns the mistakes of the puzzles: each move with its symbol.
fn played(ran: &Ran) -> Vec<String> {
    let puzzle = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let puzzles: Vec<_> = ran.stdout().lines().map(puzzle).collect();
    assert!(
        puzzles
            .iter()
            .all(|puzzle| puzzle["moves"].as_array().unwrap().len() == 2),
        "{puzzles:?}"
    );
    let text =
        |puzzle: &serde_json::Value, key: &str| puzzle["game"][key].as_str().unwrap().to_owned();
    puzzles
        .iter()
        .map(|puzzle| text(puzzle, "played") + &text(puzzle, "played_symbol"))
        .collect()
}

#[test]
fn each_mistake_becomes_a_puzzle() {
    let (both, black) = (
        mistakes(&[]),
        mistakes(&["--player", "duke karl / count isouard"]),
    );
    assert_eq!(
        (both.code(), black.code()),
        (Some(0), Some(0)),
        "{}{}",
        both.stderr(),
        black.stderr()
    );
    let (both, black) = (played(&both), played(&black));
    assert!(
        !black.is_empty() && black.iter().all(|played| both.contains(played)),
        "{black:?} of {both:?}"
    );
    // Compare with the mistakes of a review. A mistake at the first move is left out, because a
    // puzzle begins with the opponent's move.
    let mut review = centipawn([
        "review", GAME, "--nodes", "20k", "--store", "none", "--json", "-",
    ]);
    let review = Ran::of(review.output().unwrap());
    let review: serde_json::Value = serde_json::from_str(review.stdout()).unwrap();
    let plies = review["games"][0]["plies"].as_array().unwrap();
    let blamed = plies
        .iter()
        .filter(|ply| ply["ply"] != 1 && matches!(ply["symbol"].as_str(), Some("?!" | "?" | "??")));
    let blamed: Vec<String> = blamed
        .map(|ply| {
            ["san", "symbol"]
                .map(|key| ply[key].as_str().unwrap())
                .concat()
        })
        .collect();
    assert_eq!(both, blamed);
}

#[test]
fn a_player_who_does_not_play_is_an_error() {
    let ran = mistakes(&["--player", "Nemo"]);
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr().contains("\"Nemo\" plays in none of the games"),
        "{}",
        ran.stderr()
    );
}
