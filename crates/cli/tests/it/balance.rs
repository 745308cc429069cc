//! `centipawn balance`, as a user sees it.

use std::fs;

use crate::common::{centipawn, run};
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
