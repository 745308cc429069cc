//! `centipawn match`, as a user sees it.

use std::fs;

use crate::common::{centipawn, run};
use serde_json::Value;

const TWO: &str = "crates/calibrate/tests/data/match.pgn.gz";
const FIVE: &str = "crates/calibrate/tests/data/tournament.pgn.gz";

#[test]
fn the_text_in_each_width() {
    for width in ["40", "80", "120"] {
        for (name, args) in [
            (
                "two",
                &[
                    "match", TWO, "--sprt", "-40,10", "--by", "opening", "--top", "2",
                ][..],
            ),
            ("five", &["match", FIVE, "--anchor", "Stockfish=3000"]),
            ("evaluated", &["match", "examples/selfplay.pgn.gz"]),
        ] {
            let mut command = centipawn([]);
            command.args(args).env("COLUMNS", width);
            let ran = run(command);
            assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
            let most = ran.stdout().lines().map(|line| line.chars().count()).max();
            assert!(
                most <= width.parse().ok(),
                "{name}: {most:?} columns of {width}\n{}",
                ran.stdout()
            );
            insta::assert_snapshot!(format!("match_{name}_{width}"), ran.stdout());
        }
    }
}

#[test]
fn the_document_and_the_plot() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("match.svg");
    let mut command = centipawn(["match", TWO, "--json", "--player", "fairy", "--plot"]);
    let ran = run({
        command.arg(&plot);
        command
    });
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let pairing = &document["pairings"][0];
    assert_eq!(
        (&pairing["first"], &pairing["wins"]),
        (&"Fairy-Stockfish".into(), &22.into())
    );
    assert_eq!(pairing["pentanomial"], serde_json::json!([14, 6, 17, 1, 2]));
    assert_eq!(document["provenance"]["recipe"]["recipe"], "match");
    assert_eq!(
        document["provenance"]["inputs"].as_array().unwrap().len(),
        1
    );
    let svg = fs::read_to_string(&plot).unwrap();
    assert!(
        svg.contains("pairs by points of Fairy-Stockfish")
            && svg.contains("Elo, with 95 % intervals")
    );
}

/// The balance of a match equals that of `wdl run` for the same file in every digit, because both
/// use the same fit.
#[test]
fn the_balance_is_that_of_wdl_run() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (games, needs_fit)) in [("examples/selfplay.pgn.gz", true), (TWO, false)]
        .into_iter()
        .enumerate()
    {
        let out = folder.path().join(number.to_string());
        let mut command = centipawn(["wdl", "run", games, "--folds", "0", "--out"]);
        command.arg(&out);
        let model = run(command);
        let own = run(centipawn(["match", games, "--json"]));
        assert_eq!(own.code(), Some(0), "{}", own.stderr());
        let document: Value = serde_json::from_str(own.stdout()).unwrap();
        let balance = &document["balance"];
        assert_eq!(model.code() == Some(0), needs_fit, "{}", model.stderr());
        if !needs_fit {
            // Without evaluations, neither command fits a model.
            assert_eq!(*balance, Value::Null);
            continue;
        }
        let fit: Value =
            serde_json::from_str(&fs::read_to_string(out.join("fit.json")).unwrap()).unwrap();
        let number = |value: &Value| value.as_f64().unwrap();
        assert_eq!(
            number(&balance["pawns"]),
            number(&fit["normalize_to_pawn_value"]) / 100.0
        );
        let errors = &fit["errors"]["normalize_to_pawn_value"];
        assert_eq!(number(&balance["error"]), number(&errors["error"]) / 100.0);
        assert_eq!(
            number(&balance["interval"][1]),
            number(&errors["interval"][1]) / 100.0
        );
        assert_eq!(
            number(&balance["positions"]),
            ["wins", "draws", "losses"]
                .map(|own| number(&fit["positions"][own]))
                .iter()
                .sum::<f64>()
        );
        let text = run(centipawn(["match", games]));
        let said = format!("balance        {:+.2} ±", number(&balance["pawns"]));
        assert!(text.stdout().contains(&said), "{said}: {}", text.stdout());
        assert!(
            text.stdout().contains("ignores strength"),
            "{}",
            text.stdout()
        );
    }
}

/// If the games are too few for a model, there is no fitted balance, but the counting method gives
/// one. Games of other players do not count.
#[test]
fn balances_and_unfinished_games_are_those_of_the_chosen_players() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let game = |white: &str, black: &str, result: &str, eval: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 {{{eval}/9 1s}} e5 2. d4 {{{eval}/9 1s}} {result}\n\n"
        )
    };
    // A won a game in which its evaluations were low. No balance maximises the likelihood of such
    // results, but the counting method gives one.
    let games = [
        game("A", "B", "1-0", "-3.00"),
        game("A", "B", "1/2-1/2", "+0.50"),
        game("A", "C", "*", "0.00"),
    ];
    fs::write(&path, games.concat()).unwrap();
    let of = |more: &[&str]| {
        let mut command = centipawn(["match", "--player", "A", "--player", "B"]);
        command.arg(&path).args(more);
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        assert!(
            !ran.stderr().contains("without a result"),
            "{}",
            ran.stderr()
        );
        ran.stdout().to_owned()
    };
    let document: Value = serde_json::from_str(&of(&["--json"])).unwrap();
    let player = document["players"]
        .as_array()
        .unwrap()
        .iter()
        .find(|player| player["name"] == "A")
        .unwrap();
    assert_eq!(
        (&player["counting_balance"], &document["balance"]),
        (&0.5.into(), &Value::Null)
    );
    assert_eq!(document["unfinished"], 0);
    let text = of(&[]);
    assert!(
        !text.contains("balance") && text.contains("counted") && text.contains("A 0.50"),
        "{text}"
    );
}

#[test]
fn errors_are_reported() {
    for (args, code, words) in [
        (
            &["match", FIVE, "--sprt", "0,5"][..],
            2,
            "choose two with --player",
        ),
        (&["match", TWO, "--sprt", "5,0"], 2, "the lower one first"),
        (&["match", TWO, "--sprt", "0"], 2, "two numbers"),
        (
            &["match", TWO, "--sprt", "0,5", "--alpha", "1"],
            2,
            "alpha and beta",
        ),
        (&["match", TWO, "--model", "logistic"], 2, "--sprt"),
        (
            &["match", TWO, "--white-advantage", "5000"],
            2,
            "--white-advantage is 5000; it must be from -1000 to 1000",
        ),
        (
            &["match", TWO, "--anchor", "Crafty=nan"],
            2,
            "--anchor is NaN; it must be from -10000 to 10000",
        ),
        (
            &["match", TWO, "--player", "Crafty"],
            2,
            "no player's name contains \"Crafty\"",
        ),
        (
            &["match", FIVE, "--anchor", "Ethereal=3000"],
            3,
            "the anchor Ethereal has no finite rating",
        ),
        (
            &[
                "match",
                FIVE,
                "--player",
                "Ethereal",
                "--anchor",
                "Crafty=3000",
            ],
            2,
            "no player's name contains \"Crafty\"",
        ),
        (
            &["match", FIVE, "--anchor", "Ethereal"],
            2,
            "'Stockfish 17=3600'",
        ),
        (&["match", TWO, "--plot", "match.gif"], 2, ".svg"),
        (&["match", "missing.pgn"], 3, "missing.pgn"),
    ] {
        let mut command = centipawn([]);
        command.args(args);
        let ran = run(command);
        let said = ran.stderr();
        assert!(
            ran.code() == Some(code) && said.contains(words),
            "{args:?}: {:?} {said}",
            ran.code()
        );
    }
}
