//! `centipawn position`, as a user sees it.

use std::{fs, path::Path};

use crate::common::{centipawn, root, rows_of_query, run};
use serde_json::Value;

const GAMES: &str = "examples/selfplay.pgn.gz";

/// Short games of rated players, with evaluations in comments.
const RATED: [(u32, &str, &str); 8] = [
    (
        1420,
        "1-0",
        "1. e4 { [%eval 0.3] } c5 { [%eval 0.35] } 2. Nf3 { [%eval 0.3] } d6 { [%eval 0.4] }",
    ),
    (
        1480,
        "0-1",
        "1. e4 { [%eval 0.3] } c5 { [%eval 0.35] } 2. Qh5 { [%eval -0.6] } Nf6 { [%eval -0.7] }",
    ),
    (
        1510,
        "1/2-1/2",
        "1. e4 { [%eval 0.25] } e5 { [%eval 0.3] } 2. Nf3 { [%eval 0.3] } Nc6 { [%eval 0.3] }",
    ),
    (
        1615,
        "1-0",
        "1. Nf3 { [%eval 0.2] } c5 { [%eval 0.3] } 2. e4 { [%eval 0.3] } d6 { [%eval 0.4] } 3. d4 { [%eval 0.4] }",
    ),
    (
        1690,
        "1-0",
        "1. d4 { [%eval 0.2] } d5 { [%eval 0.2] } 2. c4 { [%eval 0.2] } e6 { [%eval 0.2] }",
    ),
    (
        2105,
        "0-1",
        "1. d4 { [%eval 0.2] } Nf6 { [%eval 0.2] } 2. c4 { [%eval 0.2] } e6 { [%eval 0.2] } 3. Nf3 { [%eval 0.2] } d5",
    ),
    (
        2240,
        "1/2-1/2",
        "1. e4 { [%eval 0.3] } c5 { [%eval 0.35] } 2. Nf3 { [%eval 0.3] } Nc6 { [%eval 0.35] }",
    ),
    (0, "1-0", "1. e4 c5 2. d4 cxd4"),
];

/// Writes [`RATED`] to a file and returns its path.
fn rated(folder: &Path) -> String {
    let game = |(rating, result, moves): (u32, &str, &str)| {
        let elo = |side: &str, rating: u32| {
            if rating > 0 {
                format!("[{side}Elo \"{rating}\"]\n")
            } else {
                String::new()
            }
        };
        let elo = elo("White", rating) + &elo("Black", rating.saturating_sub(10));
        format!("[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n{elo}\n{moves} {result}\n\n")
    };
    let path = folder.join("rated.pgn");
    fs::write(&path, RATED.map(game).concat()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn index(inputs: &[&str], output: &Path) {
    let mut command = centipawn(["position", "index", "--out"]);
    command.arg(output).args(inputs);
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(ran.stderr().contains(" rows of "), "{}", ran.stderr());
}

#[test]
fn the_text_in_each_width() {
    let folder = tempfile::tempdir().unwrap();
    let people = &*rated(folder.path());
    for width in ["40", "80", "120"] {
        for (name, args) in [
            ("start", &["position", "startpos", people, "--top", "3"][..]),
            (
                "evaluated",
                &[
                    "position",
                    "startpos moves e2e4 c7c5",
                    people,
                    "--time",
                    "300+3",
                ],
            ),
            (
                "given",
                &[
                    "position",
                    "startpos",
                    people,
                    "examples/opera-game.pgn",
                    "--eval",
                    "0.25",
                ],
            ),
            ("engines", &["position", "startpos moves d2d4", GAMES]),
            (
                "never",
                &["position", "8/8/8/8/8/8/k7/2K5 w - - 0 1", GAMES],
            ),
        ] {
            let mut command = centipawn([]);
            command.args(args).env("COLUMNS", width);
            let ran = run(command);
            assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
            // A FEN is never truncated, because users copy it.
            let most = ran
                .stdout()
                .lines()
                .filter(|line| !line.contains('/'))
                .map(|line| line.chars().count())
                .max();
            assert!(
                most <= width.parse().ok(),
                "{name}: {most:?} columns of {width}\n{}",
                ran.stdout()
            );
            insta::assert_snapshot!(format!("position_{name}_{width}"), ran.stdout());
        }
    }
}

/// An index gives the same text and document as the games.
#[test]
fn an_index_answers_in_place_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, both] =
        ["1.parquet", "2.parquet", "both.parquet"].map(|name| folder.path().join(name));
    index(&[GAMES], &first);
    index(&["examples/opera-game.pgn"], &second);
    index(&[first.to_str().unwrap(), second.to_str().unwrap()], &both);
    let answer = |games: &[&Path]| {
        let mut command = centipawn(["position", "startpos moves e2e4", "--json", "--eval", "0.3"]);
        command.args(games);
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let mut document: Value = serde_json::from_str(ran.stdout()).unwrap();
        // An index contains no evaluations of comments, so leave those out of the comparison.
        for own in document["moves"].as_array_mut().unwrap() {
            own["eval"] = Value::Null;
            own["expected"] = Value::Null;
            own["bands"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|band| band["expected"] = Value::Null);
        }
        document["provenance"]["inputs"]
            .as_array_mut()
            .unwrap()
            .sort_by_key(|input| input["name"].to_string());
        document
    };
    let of_games = answer(&[Path::new(GAMES), Path::new("examples/opera-game.pgn")]);
    assert_eq!(of_games["provenance"]["recipe"]["recipe"], "position");
    assert_eq!(
        of_games["provenance"]["inputs"][1]["name"],
        "selfplay.pgn.gz"
    );
    assert!(
        of_games["results"]["games"].as_u64() > Some(10),
        "{of_games}"
    );
    assert_eq!(answer(&[&both]), of_games);
    assert_eq!(answer(&[&first, &second]), of_games);
}

#[test]
fn errors_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (own, foreign) = (
        folder.path().join("opera.parquet"),
        folder.path().join("plies"),
    );
    index(&["examples/opera-game.pgn"], &own);
    let mut command = centipawn(["pgn", "export", "examples/opera-game.pgn", "-o"]);
    command.arg(&foreign);
    assert_eq!(run(command).code(), Some(0));
    let (own, foreign) = (own.to_str().unwrap(), foreign.join("plies-1.parquet"));
    for (args, code, words) in [
        (&["position", "startpos moves e2e5", GAMES][..], 2, "e2e5"),
        (&["position", "startpos"], 2, "GAMES"),
        (&["position", "startpos", "missing.pgn"], 3, "missing.pgn"),
        (
            &["position", "startpos", GAMES, own],
            3,
            "give games or indexes, not both",
        ),
        (
            &["position", "startpos", own, own],
            3,
            "so its games would count twice",
        ),
        (
            &["position", "startpos", own, "--shard", "1/2"],
            3,
            "leave --shard out",
        ),
        (
            &["position", "startpos", foreign.to_str().unwrap()],
            3,
            "is not an index of positions: it has other columns",
        ),
        (
            &["position", "startpos", own, "--eval", "2000"],
            2,
            "at most 1000 pawns",
        ),
        (
            &["position", "index", own, "--out", own],
            2,
            "is read, so it cannot be written as well",
        ),
        (
            &[
                "position",
                "index",
                GAMES,
                "--out",
                "missing/folder/x.parquet",
            ],
            3,
            "does the folder exist",
        ),
    ] {
        let mut command = centipawn([]);
        command.args(args);
        let ran = run(command);
        assert_eq!(ran.code(), Some(code), "{args:?}: {}", ran.stderr());
        assert!(ran.stderr().contains(words), "{args:?}: {}", ran.stderr());
    }
}

/// Lichess' evaluations before 2023 have another unit, so they are converted.
#[test]
fn evaluations_are_in_one_unit() {
    let folder = tempfile::tempdir().unwrap();
    let eval = |year: u32| {
        let path = folder.path().join(format!("{year}.pgn"));
        let tags = "[Site \"https://lichess.org/x\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1500\"]";
        fs::write(
            &path,
            format!("{tags}\n[UTCDate \"{year}.10.01\"]\n\n1. e4 {{ [%eval 3.0] }} 1-0\n"),
        )
        .unwrap();
        let mut command = centipawn(["position", "startpos moves e2e4", "--json"]);
        command.arg(&path);
        let answer: Value = serde_json::from_str(run(command).stdout()).unwrap();
        (
            answer["eval"]["eval"].clone(),
            answer["expected"]["score"].as_f64().unwrap(),
        )
    };
    let (old, new) = (eval(2021), eval(2024));
    assert!(old.1 < new.1 - 0.05, "{old:?} {new:?}");
}

/// An index without games does not replace an earlier one.
#[test]
fn an_index_without_games_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (page, out) = (
        folder.path().join("page.pgn"),
        folder.path().join("x.parquet"),
    );
    index(&["examples/opera-game.pgn"], &out);
    let earlier = fs::read(&out).unwrap();
    for text in ["", "<html>404 not found</html>\n", "1. e4 e5 2. Ke3 *\n"] {
        fs::write(&page, text).unwrap();
        let mut command = centipawn(["position", "index", "--out"]);
        command.arg(&out).arg(&page);
        let ran = run(command);
        assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
        assert!(
            ran.stderr().contains("there is no game to index"),
            "{}",
            ran.stderr()
        );
        assert_eq!(fs::read(&out).unwrap(), earlier);
    }
}

#[test]
fn copies_do_not_count_twice() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.pgn", "b.pgn"] {
        fs::copy(
            root().join("examples/opera-game.pgn"),
            folder.path().join(name),
        )
        .unwrap();
    }
    let mut command = centipawn(["position", "index", "a.pgn", "b.pgn", "--out", "x.parquet"]);
    command.current_dir(folder.path());
    let ran = run(command);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("b.pgn has the same content as a.pgn"),
        "{}",
        ran.stderr()
    );
    assert!(!folder.path().join("x.parquet").exists());
    // A command that counts both copies prints a warning.
    let mut command = centipawn(["pgn", "stats", "a.pgn", "b.pgn"]);
    command.current_dir(folder.path());
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stderr()
            .contains("warning: b.pgn: the file has the same content as a.pgn"),
        "{}",
        ran.stderr()
    );
}

/// The queries of docs/position.md give the numbers that the command prints.
#[test]
fn an_index_in_sql() {
    let folder = tempfile::tempdir().unwrap();
    index(
        &[&rated(folder.path())],
        &folder.path().join("games.parquet"),
    );
    let page = fs::read_to_string(root().join("docs/position.md")).unwrap();
    let query = page
        .split_once("```sql\n")
        .and_then(|(_, rest)| rest.split_once("```"))
        .unwrap()
        .0;
    let Some(rows) = rows_of_query(folder.path(), query) else {
        return;
    };
    let mut command = centipawn(["position", "startpos", "--json"]);
    command.arg(folder.path().join("games.parquet"));
    let document: Value = serde_json::from_str(run(command).stdout()).unwrap();
    let moves = document["moves"].as_array().unwrap();
    assert!(moves.len() > 1 && rows.len() == moves.len(), "{rows:?}");
    for (row, own) in rows.iter().zip(moves) {
        assert_eq!(row[0], own["uci"]);
        assert_eq!(row[1], own["results"]["games"]);
        assert!(
            (row[2].as_f64().unwrap() - own["results"]["score"].as_f64().unwrap()).abs() < 1e-9,
            "{row}"
        );
    }
}
