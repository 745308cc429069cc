//! `centipawn wdl human`, as a user sees it.

use std::{fs, io::Read as _};

use crate::common::{Ran, centipawn, have_stockfish, root, run};
use centipawn_pgn::Source;
use serde_json::Value;

fn human(folder: &tempfile::TempDir, args: &str) -> Ran {
    let mut command = centipawn(["wdl", "human"]);
    command
        .current_dir(folder.path())
        .args(args.split_whitespace());
    run(command)
}

fn table() -> String {
    root()
        .join("examples/people.tsv.zst")
        .canonicalize()
        .unwrap()
        .display()
        .to_string()
}

#[test]
fn the_example() {
    let folder = tempfile::tempdir().unwrap();
    let ran = human(
        &folder,
        &format!("{} --resamples 10 --out people --rows rows.tsv", table()),
    );
    insta::assert_snapshot!(ran.snapshot());
    for name in [
        "curve.json",
        "fit.json",
        "model.txt",
        "plots.svg",
        "plots.png",
    ] {
        assert!(
            fs::metadata(folder.path().join("people").join(name))
                .unwrap()
                .len()
                > 100,
            "{name}"
        );
    }
    let fit: Value =
        serde_json::from_slice(&fs::read(folder.path().join("people/fit.json")).unwrap()).unwrap();
    assert_eq!(
        (&fit["games"], &fit["provenance"]["inputs"][0]["name"]),
        (&8733.into(), &"people.tsv.zst".into())
    );
    // Reads the written table and the written curve.
    let quiet = human(&folder, "rows.tsv --resamples 0 --folds 0 -q");
    assert_eq!((quiet.code(), quiet.stderr()), (Some(0), ""));
    assert!(quiet.stdout().lines().count() > 10, "{}", quiet.stdout());
    let again = human(&folder, "rows.tsv --resamples 0 --folds 0 --json");
    let again: Value = serde_json::from_str(again.stdout()).unwrap();
    // A different order of games may change the last bits of sums.
    for name in ["b0", "b1", "half_time", "r"] {
        let number = |document: &Value| document["model"][name].as_f64().unwrap();
        assert!(
            (number(&again) - number(&fit)).abs() < 1e-7,
            "{name}: {} {}",
            number(&again),
            number(&fit)
        );
    }
    let mut symbols = centipawn([
        "symbols",
        "--played",
        "-1",
        "--best",
        "2",
        "--curve",
        "people/curve.json",
    ]);
    symbols.current_dir(folder.path());
    assert_eq!(run(symbols).code(), Some(0));
}

/// Returns the example's self-play, changed into games between humans without evaluations.
fn people() -> String {
    let mut text = String::new();
    Source::open(root().join("examples/selfplay.pgn.gz"))
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        let name = line
            .strip_prefix('[')
            .and_then(|line| line.split(' ').next());
        match name {
            Some("Event") => {
                out += &format!(
                    "{line}\n[WhiteElo \"{}\"]\n[BlackElo \"1600\"]\n",
                    1400 + index % 400
                );
            }
            Some("Result" | "FEN" | "SetUp") => out += &format!("{line}\n"),
            Some(_) => {}
            None => out += &format!("{line}\n"),
        }
    }
    // Remove the engines' evaluations, which would mark the players as programs.
    while let Some(begin) = out.find('{') {
        let end = begin + out[begin..].find('}').unwrap();
        out.replace_range(begin..=end, "");
    }
    out
}

#[test]
fn an_engine_evaluates_games_without_evaluations() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), people()).unwrap();
    let args = "games.pgn --time 60+1 --resamples 0 --folds 0 --store none --engine stockfish --jobs 1 --every 25 --nodes 300";
    let ran = human(&folder, &format!("{args} --json"));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let fit: Value = serde_json::from_str(ran.stdout()).unwrap();
    assert_eq!(fit["games"], 130, "{}", ran.stderr());
    assert_eq!(fit["model"]["seconds"], serde_json::json!([100.0, 100.0]));
    assert_eq!(
        fit["unidentified"],
        serde_json::json!(["time", "mate-constant", "mate-rating", "mate-time"])
    );
    assert_eq!(fit["provenance"]["limit"], "300 nodes");
    assert_eq!(
        human(&folder, &format!("{args} --json")).stdout(),
        ran.stdout(),
        "the same games give the same curve"
    );
}

#[test]
fn errors_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), people()).unwrap();
    fs::write(
        folder.path().join("bad.tsv"),
        "cp\twhite_elo\tblack_elo\tresult\n1e3\t1500\t1500\t1\n",
    )
    .unwrap();
    let said = |args: &str| human(&folder, args).snapshot();
    insta::assert_snapshot!(
        [
            "games.pgn",
            "bad.tsv",
            "missing.pgn",
            "games.pgn --units stockfish-9",
            "games.pgn --units 0",
            "games.pgn --time blitz",
            "games.pgn --folds 1",
            "games.pgn --option Hash=64"
        ]
        .map(said)
        .join("\n")
    );
}

/// Games are numbered within each file. The numbers of a table and of files around it, or of two
/// tables, must not collide.
#[test]
fn no_file_replaces_games_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let game = |result: &str| {
        let tags = "[WhiteElo \"1500\"]\n[BlackElo \"1510\"]\n[TimeControl \"180+2\"]\n";
        let moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 {[%eval 0.50]} Ng8 {[%eval 1.00]}";
        format!("{tags}[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    let games: String = ["1-0", "1-0", "1/2-1/2", "0-1"]
        .into_iter()
        .cycle()
        .take(20)
        .map(game)
        .collect();
    let row = |index: usize| {
        let (cp, is_won) = (
            40 * (index % 7) as i32 - 100,
            (index % 7 > 2) != index.is_multiple_of(5),
        );
        format!("{cp}\t1500\t1510\t{}\t260\n", u8::from(is_won))
    };
    let table = "cp\twhite_elo\tblack_elo\tresult\tseconds\n".to_owned()
        + &(0..20).map(row).collect::<String>();
    for (name, text) in [
        ("a.pgn", &games),
        ("b.pgn", &games),
        ("t.tsv", &table),
        ("u.tsv", &table),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let fitted = |files: &str| {
        let ran = human(
            &folder,
            &format!("{files} --resamples 0 --folds 0 --clusters row --json"),
        );
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let fit: Value = serde_json::from_str(ran.stdout()).unwrap();
        (fit["games"].clone(), fit["games_counted"].clone())
    };
    for files in [
        "a.pgn t.tsv b.pgn",
        "a.pgn b.pgn t.tsv",
        "a.pgn t.tsv u.tsv",
    ] {
        assert_eq!(fitted(files), (60.into(), 60.into()), "{files}");
    }
}
