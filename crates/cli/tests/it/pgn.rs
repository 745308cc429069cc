//! `centipawn pgn`, as a user sees it.

use std::fs;

use crate::common::{centipawn, run};
use serde_json::Value;

/// Games with every kind of problem, and valid games between them.
const TROUBLE: &str = "[Event \"1\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"2\"]\n\n1. d4 d5 1-0\n\n\
    [Event \"3\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"4\"]\n[FEN \"nonsense\"]\n\n1. e4 *\n\n\
    [Event \"5\"]\n\n1. Nf3 Nf6 2. -- d5 *\n\n[Event \"6\"]\n\n1.e4 e5 2.Nf3 {fine} Nc6 1/2-1/2\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.pgn"), TROUBLE).unwrap();
    fs::create_dir(folder.path().join("more")).unwrap();
    fs::write(folder.path().join("more/b.pgn"), "1. e4 c5 *\n").unwrap();
    fs::write(folder.path().join("more/readme.txt"), "no games").unwrap();
    folder
}

#[test]
fn check_names_what_is_wrong_and_where() {
    let folder = folder();
    let mut command = centipawn(["pgn", "check"]);
    let ran = run({
        command.arg(folder.path());
        command
    });
    assert_eq!(ran.code(), Some(1));
    let shown = ran
        .stdout()
        .replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(shown);
    assert!(
        ran.stderr()
            .starts_with("3 games in order, 4 with problems, in 2 files ("),
        "{}",
        ran.stderr()
    );
}

#[test]
fn check_as_json() {
    let folder = folder();
    let mut command = centipawn(["pgn", "check", "--json", "--quiet"]);
    command.arg(folder.path().join("a.pgn"));
    let ran = run(command);
    assert_eq!(ran.stderr(), "");
    let problems: Vec<Value> = ran
        .stdout()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = problems
        .iter()
        .map(|problem| {
            (
                problem["game"].as_u64().unwrap(),
                problem["line"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(kinds, [(1, 3), (3, 10), (4, 15), (5, 21)]);
    assert_eq!(
        (&problems[0]["move"], &problems[0]["text"]),
        (&"2.".into(), &"Ke3".into())
    );
}

#[test]
fn check_of_good_and_of_no_input() {
    assert_eq!(
        run(centipawn(["pgn", "check", "examples", "tests/data/*.pgn"])).code(),
        Some(0)
    );
    let ran = run(centipawn(["pgn", "check", "nowhere.pgn"]));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("cannot read nowhere.pgn: No such file"),
        "{}",
        ran.stderr()
    );
    let ran = run(centipawn(["pgn", "check", "examples", "--shard", "3/2"]));
    assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
}

/// All parts together equal the whole, and the number of threads has no influence.
#[test]
fn parts_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.pgn");
    fs::write(&file, TROUBLE.repeat(3000)).unwrap();
    let problems = |more: &[&str]| {
        let mut command = centipawn(["pgn", "check", "--quiet"]);
        command.arg(&file).args(more);
        run(command)
            .stdout()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let whole = problems(&["--jobs", "1"]);
    assert_eq!(whole.len(), 10_000, "ten thousand are listed of one file");
    assert_eq!(problems(&["--jobs", "3"]), whole);
    let small = folder.path().join("small.pgn");
    fs::write(&small, TROUBLE.repeat(50)).unwrap();
    let count = |part: &str| {
        let mut command = centipawn(["pgn", "check", "--quiet", "--shard", part]);
        command.arg(&small);
        run(command).stdout().lines().count()
    };
    assert_eq!(count("1/2") + count("2/2"), 200);
}

#[test]
fn stats_of_a_folder() {
    let folder = folder();
    let mut command = centipawn(["pgn", "stats"]);
    command.arg(folder.path());
    let ran = run(command);
    assert_eq!((ran.code(), ran.stderr()), (Some(1), ""));
    insta::assert_snapshot!(ran.stdout());

    let ran = run(centipawn([
        "pgn",
        "stats",
        "tests/data/lichess.pgn",
        "--json",
    ]));
    assert_eq!(ran.code(), Some(0));
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    assert_eq!(
        (
            &document["games"],
            &document["plies"],
            &document["evaluated_plies"]
        ),
        (&1.into(), &53.into(), &52.into())
    );
    assert_eq!(
        (&document["dialects"]["commands"], &document["eco"]["C25"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn clean_keeps_what_can_be_read() {
    let folder = folder();
    let out = folder.path().join("clean.pgn");
    let mut command = centipawn(["pgn", "clean", "-o"]);
    command.arg(&out).arg(folder.path());
    let ran = run(command);
    assert_eq!(ran.code(), Some(1));
    assert!(
        ran.stderr().ends_with("4 games written, 3 left out\n"),
        "{}",
        ran.stderr()
    );
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(
        text,
        "[Event \"2\"]\n\n1. d4 d5 1-0\n\n[Event \"5\"]\n\n1. Nf3 Nf6 { -- d5 } *\n\n[Event \"6\"]\n\n1. e4 e5 2. Nf3 { fine } 2... Nc6 1/2-1/2\n\n1. e4 c5 *\n\n"
    );
    // Cleaning the copy changes nothing, and `pgn check` finds no problem in it.
    let mut command = centipawn(["pgn", "clean"]);
    command.arg(&out);
    let again = run(command);
    assert_eq!((again.code(), again.stdout()), (Some(0), &*text));
}
