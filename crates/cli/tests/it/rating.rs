//! `centipawn rating`, as a user sees it.

use crate::common::{centipawn, have_stockfish, root, run};
use centipawn_test_support::data::test_data;
use serde_json::Value;

fn examples(names: &[&str]) -> Vec<String> {
    names
        .iter()
        .map(|name| root().join("examples").join(name).display().to_string())
        .collect()
}

#[test]
fn players_are_listed_with_intervals() {
    let games = examples(&["opera-game.pgn", "evergreen-game.pgn"]);
    let ran = run(centipawn(["rating", &games[0], &games[1]]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    insta::assert_snapshot!(ran.stdout());

    let ran = run(centipawn([
        "rating",
        &games[0],
        &games[1],
        "--player",
        "MORPHY, paul",
        "--json",
    ]));
    let one = run(centipawn([
        "rating",
        &games[0],
        &games[1],
        "--player",
        "MORPHY, paul",
        "--json",
        "-j",
        "1",
    ]));
    assert_eq!(
        one.stdout(),
        ran.stdout(),
        "the same for any number of threads"
    );
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let [player] = &document["players"].as_array().unwrap()[..] else {
        panic!("{document}")
    };
    let estimate = &player["estimate"];
    let [low, rating, high] = ["low", "rating", "high"].map(|key| estimate[key].as_u64().unwrap());
    assert!(
        low < rating && rating < high && estimate["games"] == 1,
        "{estimate}"
    );
    let [game] = &player["by_game"].as_array().unwrap()[..] else {
        panic!("{player}")
    };
    assert_eq!(
        (&game["estimate"], &game["color"], &game["game"]),
        (estimate, &"white".into(), &1.into())
    );
    assert!(
        game["features"]["trend"].is_f64() && game["features"].get("loss").is_none(),
        "no evaluations"
    );
    assert_eq!(document["provenance"]["networks"][0]["name"], "centipawn-1");
    assert_eq!(
        document["provenance"]["inputs"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn wrong_names_and_games_are_reported() {
    let [game] = &examples(&["opera-game.pgn"])[..] else {
        panic!()
    };
    let ran = run(centipawn(["rating", game, "--player", "Nobody"]));
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr()
            .contains("\"Nobody\" plays in none of the games"),
        "{}",
        ran.stderr()
    );
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.pgn");
    std::fs::write(&bad, "[White \"Anna\"]\n\n1. e4 Ke4 *\n").unwrap();
    let ran = run(centipawn(["rating", bad.to_str().unwrap(), game]));
    assert_eq!(ran.code(), Some(1));
    assert!(
        ran.stderr().contains("Ke4") && ran.stdout().contains("Morphy"),
        "{}\n{}",
        ran.stderr(),
        ran.stdout()
    );
    // The game has too few moves for an estimate.
    let short = folder.path().join("short.pgn");
    std::fs::write(
        &short,
        "[White \"Anna\"]\n[WhiteElo \"1500\"]\n\n1. e4 e5 *\n",
    )
    .unwrap();
    let ran = run(centipawn(["rating", short.to_str().unwrap()]));
    assert_eq!(ran.code(), Some(0));
    assert!(
        ran.stdout().contains("No player made enough moves"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_review_estimates_what_the_command_reads_from_its_annotated_game() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let game = std::fs::read_to_string(root().join("examples/evergreen-game.pgn")).unwrap();
    let (_, moves) = game.split_once("\n\n").unwrap();
    let tags = "[Site \"https://lichess.org/abcdefgh\"]\n[White \"Anna\"]\n[Black \"Ben\"]";
    std::fs::write(file("game.pgn"), format!("{tags}\n\n{moves}")).unwrap();
    let ran = run(centipawn([
        "review",
        &file("game.pgn"),
        "--nodes",
        "2000",
        "-o",
        &file("reviewed.pgn"),
        "--json",
        &file("r.json"),
    ]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let review: Value =
        serde_json::from_str(&std::fs::read_to_string(file("r.json")).unwrap()).unwrap();
    let ran = run(centipawn(["rating", &file("reviewed.pgn"), "--json"]));
    let rating: Value = serde_json::from_str(ran.stdout()).unwrap();
    for color in ["white", "black"] {
        let players = rating["players"].as_array().unwrap();
        let mut games = players
            .iter()
            .flat_map(|player| player["by_game"].as_array().unwrap());
        let read = games
            .find(|game| game["color"] == color)
            .unwrap_or_else(|| panic!("{rating}"));
        assert!(read["features"]["loss"].is_f64());
        assert_eq!(
            review["games"][0][color]["play_rating"], read["estimate"],
            "{color}"
        );
    }
}

/// The errors for rated games of Lichess equal those in the guide.
#[test]
fn errors_are_as_published() {
    let games = test_data("games/lichess-2021-10-evals.pgn.zst");
    let ran = run(centipawn(["rating", games.to_str().unwrap(), "--json"]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let (mut errors, mut within) = (Vec::new(), 0_usize);
    for player in document["players"].as_array().unwrap() {
        for game in player["by_game"].as_array().into_iter().flatten() {
            let Some(tag) = game["tag_rating"].as_f64() else {
                continue;
            };
            let of = |key: &str| game["estimate"][key].as_f64().unwrap();
            errors.push((of("rating") - tag).abs());
            within += usize::from((of("low")..=of("high")).contains(&tag));
            assert!(
                game["features"]["loss"].is_f64(),
                "the games have evaluations"
            );
        }
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(
        errors.len() > 150 && mean < 235.0,
        "{} games, mean absolute error {mean}",
        errors.len()
    );
    let share = within as f64 / errors.len() as f64;
    assert!((0.7..0.95).contains(&share), "{share} within the intervals");
}
