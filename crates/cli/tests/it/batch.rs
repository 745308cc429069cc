//! `centipawn review --batch`: the folder of results, and the protection of other files in it.

use std::{collections::BTreeSet, fs, path::Path};

use crate::common::{Ran, centipawn, have_stockfish, run};
use serde_json::Value;

/// Two games with evaluations; one player has no name.
const GAMES: &str = "[White \"Anna\"]\n[Black \"Boris\"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Ke2 { [%eval -4.0] } 0-1\n\n\
    [White \"Boris\"]\n[Black \"?\"]\n\n1. d4 { [%eval 0.3] } d5 { [%eval 0.3] } 1/2-1/2\n\n";

fn batch(games: &Path, folder: &Path, more: &[&str]) -> Ran {
    let mut command = centipawn([
        "review",
        "--reuse-evals",
        "--curve",
        "lichess",
        "--engine",
        "no-such-engine",
    ]);
    command.arg(games).arg("--batch").arg(folder).args(more);
    run(command)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.collect()
}

#[test]
fn a_folder_about_many_games() {
    let place = tempfile::tempdir().unwrap();
    let (games, folder) = (place.path().join("in.pgn"), place.path().join("made/out"));
    let text = GAMES.repeat(2);
    fs::write(&games, &text).unwrap();
    let ran = batch(&games, &folder, &[]);
    let message = format!(
        "4 games reviewed: {}\n",
        folder.join("index.html").display()
    );
    assert_eq!(
        (ran.code(), ran.stderr(), ran.stdout()),
        (Some(0), &*message, "")
    );
    let tables = [
        "openings.csv",
        "openings.json",
        "players.csv",
        "players.json",
    ];
    let viewer = ["icon.svg", "viewer.css", "viewer.js"];
    let others = ["games", "games.pgn", "index.html", "players"];
    let files = tables
        .iter()
        .chain(&viewer)
        .chain(&others)
        .map(|name| (*name).to_owned());
    assert_eq!(names(&folder), files.collect());
    let pages = |count: usize, kinds: &[&str]| -> BTreeSet<String> {
        (1..=count)
            .flat_map(|number| kinds.iter().map(move |kind| format!("{number:05}.{kind}")))
            .collect()
    };
    assert_eq!(names(&folder.join("games")), pages(4, &["html", "pgn"]));
    assert_eq!(
        names(&folder.join("players")),
        pages(2, &["html"]),
        "Boris and Anna"
    );
    let boris = fs::read_to_string(folder.join("players/00001.html")).unwrap();
    assert!(boris.contains("<h1>Boris</h1>"), "{boris}");
    let anna = fs::read_to_string(folder.join("players/00002.html")).unwrap();
    assert!(
        anna.contains("../games/00001.html#ply=3") && anna.contains(">2. Ke2"),
        "{anna}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("games.pgn"))
            .unwrap()
            .matches("[Annotator ")
            .count(),
        4
    );
    let index = fs::read_to_string(folder.join("index.html")).unwrap();
    assert_eq!(
        index.matches("href=\"games/").count(),
        8,
        "each game by both players' names"
    );

    let table = |name: &str| -> Vec<Value> {
        serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
    };
    let players = table("players.json");
    let named: Vec<_> = players
        .iter()
        .map(|row| {
            (
                row["player"].as_str().unwrap(),
                row["games"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        named,
        [("Boris", 4), ("Anna", 2)],
        "players without a name are not the same player"
    );
    assert_eq!(table("openings.json").len(), 2);
    let csv = fs::read_to_string(folder.join("players.csv")).unwrap();
    assert!(
        csv.starts_with("player,games,score,") && csv.lines().count() == 3,
        "{csv}"
    );
    // Numbers are formatted for people. Values that need an engine (ease, times, symbols for good
    // moves) are empty.
    let first: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(
        (first[0], &first[10..15]),
        ("Boris", &["", "", "", "", ""][..]),
        "{csv}"
    );
    for number in csv.lines().skip(1).flat_map(|line| line.split(',').skip(1)) {
        let decimals = number
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        assert!(
            decimals <= 3 && !number.contains('e') && !number.starts_with("-0"),
            "{number}"
        );
    }

    // A smaller batch removes the pages of the bigger one, but no files that Centipawn did not
    // write.
    fs::write(folder.join("games/00009 notes.html"), "mine").unwrap();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    fs::write(&games, text.split_once("\n\n[White \"Boris").unwrap().0).unwrap();
    assert_eq!(batch(&games, &folder, &[]).code(), Some(0));
    let mut left = pages(1, &["html", "pgn"]);
    left.insert("00009 notes.html".to_owned());
    assert_eq!(names(&folder.join("games")), left);
    assert!(folder.join("notes.txt").exists());
}

#[test]
fn inputs_are_never_overwritten() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("out");
    fs::create_dir_all(folder.join("sub")).unwrap();
    for name in ["games.pgn", "other.pgn", "sub/deep.pgn", "sub/../games.pgn"] {
        let games = folder.join(name);
        fs::write(&games, GAMES).unwrap();
        let ran = batch(&games, &folder, &[]);
        assert_eq!(ran.code(), Some(2), "{name}: {}", ran.stderr());
        assert!(
            ran.stderr()
                .contains("is read, so pages cannot be written into"),
            "{}",
            ran.stderr()
        );
        assert_eq!(fs::read_to_string(&games).unwrap(), GAMES, "{name}");
    }
    let ran = batch(&folder, &folder, &[]);
    assert_eq!(
        (ran.code(), names(&folder).len()),
        (Some(2), 3),
        "{}",
        ran.stderr()
    );
}

/// A folder with other files is refused and unchanged. Leftovers of a killed batch are replaced.
#[test]
fn a_folder_with_other_files_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let (games, folder) = (place.path().join("in.pgn"), place.path().join("out"));
    fs::write(&games, GAMES).unwrap();
    for name in [
        "notes.txt",
        "games.pgn",
        "index.html",
        "games/00001.html",
        ".hidden",
    ] {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "mine").unwrap();
        let ran = batch(&games, &folder, &[]);
        assert_eq!(ran.code(), Some(2), "{name}: {}", ran.stderr());
        assert!(
            ran.stderr()
                .contains(&format!("it contains {name}; choose another folder")),
            "{}",
            ran.stderr()
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(folder.join("games/.centipawn-abc")).unwrap();
    fs::write(folder.join(".centipawn-xyz"), "half of a table").unwrap();
    assert_eq!(batch(&games, &folder, &[]).code(), Some(0));
}

#[test]
fn outputs_inside_the_batch_folder_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let (games, folder) = (place.path().join("in.pgn"), place.path().join("out"));
    fs::write(&games, GAMES).unwrap();
    for (flag, name) in [
        ("-o", "games.pgn"),
        ("--html", "index.html"),
        ("--html", "games/00001.html"),
        ("--json", "players.json"),
        ("--json", "./openings.csv"),
    ] {
        let path = folder.join(name);
        let ran = batch(&games, &folder, &[flag, path.to_str().unwrap()]);
        assert_eq!(ran.code(), Some(2), "{name}: {}", ran.stderr());
        assert!(
            ran.stderr().contains("two results cannot both go to"),
            "{}",
            ran.stderr()
        );
        assert!(!folder.exists(), "a run that is refused leaves nothing");
    }
    fs::write(&games, GAMES.split_once("\n\n[White \"Boris").unwrap().0).unwrap();
    let own = place.path().join("all.pgn");
    assert_eq!(
        batch(&games, &folder, &["-o", own.to_str().unwrap()]).code(),
        Some(0)
    );
    assert_eq!(
        fs::read(own).unwrap(),
        fs::read(folder.join("games.pgn")).unwrap()
    );
}

/// The engine is missing, and the game needs one. The folder that was created for results is
/// removed again.
#[test]
fn a_start_that_fails_leaves_no_folder() {
    let place = tempfile::tempdir().unwrap();
    let (games, folder) = (place.path().join("in.pgn"), place.path().join("a/b"));
    fs::write(&games, "1. e4 e5 *\n").unwrap();
    let ran = batch(&games, &folder, &[]);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(!place.path().join("a").exists());
}

/// Anna hangs a knight and is mated in one.
const STUDENT: &str = "[White \"Anna\"]\n[Black \"Boris\"]\n[Date \"2025.01.03\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 4. d4 Ng6 5. Bc4 d6 0-1\n\n\
    [White \"Carla\"]\n[Black \"Anna\"]\n[Date \"2025.02.10\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n";

/// Stockfish finds why Anna's moves are mistakes; her page and `players.json` count it.
#[test]
fn reasons_of_mistakes_are_counted_by_player() {
    if !have_stockfish() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let games = place.path().join("in.pgn");
    fs::write(&games, STUDENT).unwrap();
    for (language, heading, texts) in [
        (
            "en",
            "What to train",
            ["allows mate: once, ", "hangs pieces: once, "],
        ),
        (
            "de",
            "Was zu üben ist",
            ["lässt Matt zu: einmal, ", "stellt Figuren ein: einmal, "],
        ),
    ] {
        let folder = place.path().join(language);
        let mut command = centipawn([
            "review",
            "--nodes",
            "20000",
            "--quiet",
            "--language",
            language,
        ]);
        command.arg(&games).arg("--batch").arg(&folder);
        let ran = run(command);
        assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
        let players: Vec<Value> =
            serde_json::from_slice(&fs::read(folder.join("players.json")).unwrap()).unwrap();
        assert_eq!(
            (players[0]["player"].as_str(), players[0]["games"].as_u64()),
            (Some("Anna"), Some(2))
        );
        let causes = players[0]["causes"].as_array().unwrap();
        let kinds: Vec<_> = causes
            .iter()
            .map(|cause| [&cause["kind"], &cause["cause"]].map(|name| name.as_str().unwrap()))
            .collect();
        assert_eq!(
            kinds[..2],
            [["allows", "mate"], ["allows", "hanging piece"]],
            "the costliest first"
        );
        assert_eq!(kinds.last(), Some(&["rest", "smaller losses"]));
        let share: f64 = causes
            .iter()
            .map(|cause| cause["share"].as_f64().unwrap())
            .sum();
        assert!((share - 1.0).abs() < 1e-3, "{share}");
        assert!(causes[0]["score_loss"].as_f64() >= causes[1]["score_loss"].as_f64());
        assert_eq!(causes[0]["interval"], Value::Null, "two games are too few");

        let page = fs::read_to_string(folder.join("players/00001.html")).unwrap();
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{page}");
        for (text, cause) in texts.iter().zip(causes) {
            assert!(
                cause["text"].as_str().unwrap().starts_with(text) && page.contains(text),
                "{cause}"
            );
        }
        assert_eq!(
            page.matches("<svg class=\"diagram\"").count().min(2),
            2,
            "the costliest moments"
        );
        assert!(
            page.contains("../games/00002.html#ply=6") && page.contains("<svg class=\"trend\""),
            "{page}"
        );
        let csv = fs::read_to_string(folder.join("players.csv")).unwrap();
        assert!(!csv.contains("causes"), "{csv}");
    }
}
