//! `centipawn balance`, as a user sees it.

use std::fs;

use crate::common::{centipawn, run, run_with};
use serde_json::Value;

const GAMES: &str = "examples/selfplay.pgn.gz";

#[test]
fn the_table() {
    insta::assert_snapshot!(run(centipawn(["balance", GAMES])).snapshot());
}

#[test]
fn the_list_and_names() {
    let ran = run(centipawn([
        "balance",
        GAMES,
        "--by",
        "engine",
        "--player",
        "weak",
        "--list",
        "--exclude",
        "2",
    ]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert_eq!(ran.stdout().matches("<- balance").count(), 1);
    let listed = ran
        .stdout()
        .lines()
        .filter(|line| line.contains(" move "))
        .count();
    let document = json(&[
        "--by",
        "engine",
        "--player",
        "weak",
        "--list",
        "--exclude",
        "2",
    ]);
    let row = &document["rows"][0];
    assert_eq!(row["not_won"].as_u64(), Some(listed as u64));
    assert_eq!(row["games"], 129);
    assert!(
        row["list"]
            .as_array()
            .unwrap()
            .iter()
            .all(|game| game["game"] != 2 && game["round"].is_string())
    );
}

fn json(args: &[&str]) -> Value {
    let mut command = centipawn(["balance", GAMES, "--json"]);
    command.args(args);
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    serde_json::from_str(ran.stdout()).unwrap()
}

#[test]
fn a_curve_for_other_commands() {
    let folder = tempfile::tempdir().unwrap();
    let (curve, plot) = (
        folder.path().join("curve.json"),
        folder.path().join("plot.svg"),
    );
    let mut command = centipawn(["balance", GAMES, "--player", "weak", "--json", "-o"]);
    let ran = run({
        command.arg(&curve).arg("--plot").arg(&plot);
        command
    });
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let svg = fs::read_to_string(&plot).unwrap();
    assert!(svg.contains("wins: balance") && svg.contains("prefers-color-scheme: dark"));
    let mut command = centipawn([
        "symbols", "--played", "-1", "--best", "2", "--json", "--curve",
    ]);
    command.arg(&curve);
    let symbols: Value = serde_json::from_str(run(command).stdout()).unwrap();
    assert_eq!(symbols["balance"], document["rows"][0]["balance"]);
}

#[test]
fn errors_are_reported() {
    let commands = [
        &["balance", GAMES, "-o", "curve.json"][..],
        &["balance", GAMES, "--player", "Morphy"],
        &["balance", GAMES, "--by", "colour"],
        &["balance", GAMES, "--not-won", "Season 9:"],
        &[
            "balance",
            GAMES,
            "--player",
            "weak",
            "--not-won",
            "900",
            "-q",
        ],
        &["balance", GAMES, "--plot", "plot.gif"],
        &["balance", "examples/opera-game.pgn"],
        &["balance", "nowhere.pgn"],
    ];
    let messages = commands.map(|args| {
        let mut command = centipawn([]);
        command.args(args);
        format!(
            "$ centipawn {}\n{}",
            args.join(" "),
            run(command).snapshot()
        )
    });
    insta::assert_snapshot!(messages.join("\n"));
}

/// The first twenty games that cannot be read are listed, the others counted.
#[test]
fn only_the_first_bad_games_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.pgn");
    fs::write(
        &path,
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke3 d5 1-0\n\n".repeat(25),
    )
    .unwrap();
    let mut command = centipawn(["balance"]);
    command.arg(&path);
    let ran = run(command);
    assert_eq!(ran.code(), Some(3));
    assert_eq!(ran.stderr().matches("is not a legal move").count(), 20);
    assert!(
        ran.stderr().contains("5 more problems in games"),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr()
            .ends_with("error: none of 25 games can be read\n"),
        "{}",
        ran.stderr()
    );
}

/// "Stockfish 15.1" is a part of "Stockfish 15.1 weak", too.
#[test]
fn a_whole_name_is_one_player() {
    let games = |player: &str| {
        let ran = run(centipawn([
            "balance", GAMES, "--by", "engine", "--player", player, "--json",
        ]));
        let document: serde_json::Value = serde_json::from_str(ran.stdout()).unwrap();
        document["rows"].as_array().unwrap().len()
    };
    assert_eq!((games("stockfish 15.1"), games("stockfish 15")), (1, 2));
}

#[test]
fn balance_and_slope_are_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let curve = folder.path().join("curve.json");
    let mut command = centipawn([
        "balance", GAMES, "--by", "engine", "--player", "weak", "--json",
    ]);
    command
        .args(["--estimate", "stretched", "--output"])
        .arg(&curve);
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let fit = &document["rows"][0]["stretched"];
    let number = |key: &str| fit[key].as_f64().unwrap();
    assert!(
        number("log_loss") <= number("log_loss_exponential"),
        "{fit}"
    );
    for (value, interval) in [("balance", "balance_interval"), ("slope", "slope_interval")] {
        let [low, high] = [0, 1].map(|end| fit[interval][end].as_f64().unwrap());
        assert!((low..=high).contains(&number(value)), "{fit}");
    }
    let written: Value = serde_json::from_str(&fs::read_to_string(&curve).unwrap()).unwrap();
    assert_eq!(
        (&written["curve"], &written["balance"], &written["slope"]),
        (
            &"relevance-stretched".into(),
            &fit["balance"],
            &fit["slope"]
        )
    );
    let mut command = centipawn(["symbols", "--played", "0", "--best", "1", "--curve"]);
    assert_eq!(run_with(command.arg(&curve)).code(), Some(0));
    let text = run(centipawn(["balance", GAMES, "--fit"]));
    assert!(
        text.stdout().contains("relevance-stretched: balance "),
        "{}",
        text.stdout()
    );
    // Parts of the games give the same fit.
    let part = |number: &str| {
        let path = folder.path().join(number.replace('/', "-"));
        let mut command = centipawn([
            "balance", GAMES, "--fit", "--by", "engine", "--shard", number,
        ]);
        assert_eq!(
            run_with(command.arg("--partial").arg(&path)).code(),
            Some(0)
        );
        path
    };
    let mut command = centipawn(["balance", "--json"]);
    let ran = run_with(command.arg(part("1/2")).arg(part("2/2")));
    let merged: Value = serde_json::from_str(ran.stdout()).unwrap();
    let rows = merged["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["stretched"] == *fit), "{merged}");
}

#[test]
fn contempt_that_games_name_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let game = |contempt: &str| {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n{{WhiteEngineOptions: Contempt={contempt}; Threads=4;}} \
             1. e4 {{+0.30/12 1.0s}} e5 {{-0.20/12 1.0s}} 2. Nf3 {{+0.90/12 1.0s}} Ke7 {{-1.90/12 1.0s}} 1-0\n\n"
        )
    };
    fs::write(&path, [game("0"), game("15"), game("15")].concat()).unwrap();
    let ran = run_with(centipawn(["balance"]).arg(&path));
    assert!(
        ran.stdout()
            .contains("contempt: 2 games name Contempt=15, which shifts")
            && ran.stdout().contains("Games that name Contempt=0: 1"),
        "{}{}",
        ran.stdout(),
        ran.stderr()
    );
    let ran = run_with(centipawn(["balance", "--json"]).arg(&path));
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    assert_eq!(document["contempt"]["Contempt=15"], 2);
    assert_eq!(document["warnings"].as_array().unwrap().len(), 1);
}
