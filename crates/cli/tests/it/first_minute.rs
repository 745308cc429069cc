//! `centipawn GAME.pgn`: what a new user sees who has only a game.

use std::{
    fs,
    process::{Command, Stdio},
};

use crate::common::{Ran, centipawn, fake, length, root, run, run_with, wait_until};
use serde_json::Value;

/// Returns the program in `folder`, with these arguments.
fn within<const N: usize>(folder: &std::path::Path, args: [&str; N]) -> Command {
    let mut command = centipawn(args);
    command.current_dir(folder);
    command
}

#[test]
fn a_game_without_a_command_is_reviewed() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(
        root().join("examples/opera-game.pgn"),
        folder.path().join("opera.pgn"),
    )
    .unwrap();
    let engine = fake("ok");
    let ran = run(within(
        folder.path(),
        ["opera.pgn", "--nodes", "1000", "--engine", &engine],
    ));
    assert_eq!(
        (ran.code(), ran.stderr()),
        (Some(0), "1 game reviewed: opera.html\n")
    );
    assert!(ran.stdout().contains("Morphy, Paul"), "the summary too");
    let page = fs::read_to_string(folder.path().join("opera.html")).unwrap();
    assert!(
        page.contains("<h1><bdi>Morphy, Paul</bdi> – <bdi>Duke Karl"),
        "{page}"
    );

    // A second run replaces its own page, but no other file of that name.
    let again = || {
        run(within(
            folder.path(),
            ["opera.pgn", "--nodes", "1000", "--engine", &engine],
        ))
    };
    assert_eq!(again().code(), Some(0));
    fs::write(folder.path().join("opera.html"), "<h1>My notes</h1>").unwrap();
    let refused = again();
    assert_eq!(refused.code(), Some(2));
    assert!(
        refused.stderr().contains("name another file with --html"),
        "{}",
        refused.stderr()
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("opera.html")).unwrap(),
        "<h1>My notes</h1>"
    );
    let elsewhere = run(within(
        folder.path(),
        [
            "opera.pgn",
            "--html",
            "report.html",
            "--nodes",
            "1000",
            "--engine",
            &engine,
        ],
    ));
    assert_eq!(
        (elsewhere.code(), elsewhere.stderr()),
        (Some(0), "1 game reviewed: report.html\n")
    );
}

#[test]
fn a_page_address_is_an_error_with_advice() {
    for command in [
        &["https://lichess.org/eT3jfS48"][..],
        &["review", "https://lichess.org/eT3jfS48?x"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut program = within(folder.path(), []);
        let ran = run_with(program.args(command).args(["--engine", &fake("ok")]));
        assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
        assert!(
            ran.stderr()
                .contains("name https://lichess.org/game/export/eT3jfS48, which is the file"),
            "{}",
            ran.stderr()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn unknown_commands_and_missing_games_are_reported() {
    let ran = run(centipawn(["reviwe"]));
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr().contains("unrecognized subcommand 'reviwe'"),
        "{}",
        ran.stderr()
    );
    // A missing file whose name looks like games is reported as missing.
    let folder = tempfile::tempdir().unwrap();
    let ran = run(within(
        folder.path(),
        ["oprea.pgn", "--engine", &fake("ok")],
    ));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("oprea.pgn: No such file"),
        "{}",
        ran.stderr()
    );
}

/// All positions are searched to the small limit, and only important ones to the large limit. The
/// document records both limits.
#[test]
fn a_quick_pass_selects_positions_for_the_full_limit() {
    let folder = tempfile::tempdir().unwrap();
    let (log, json, html) = (
        folder.path().join("log"),
        folder.path().join("a.json"),
        folder.path().join("a.html"),
    );
    let engine = fake(&format!("log '{}' 0", log.display()));
    let mut command = centipawn([
        "review",
        "examples/opera-game.pgn",
        "--nodes",
        "3000",
        "--quick=1000",
    ]);
    let ran = run_with(
        command
            .args(["--engine", &engine, "--json"])
            .arg(&json)
            .arg("--html")
            .arg(&html),
    );
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let document: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let limits: Vec<&str> = document["games"][0]["plies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ply| ply["limit"].as_str().unwrap())
        .collect();
    let deep = limits
        .iter()
        .filter(|limit| **limit == "3000 nodes")
        .count();
    assert!(deep > 0 && deep < 33 && limits.len() == 33, "{limits:?}");
    assert!(
        limits
            .iter()
            .all(|limit| ["1000 nodes", "3000 nodes"].contains(limit)),
        "{limits:?}"
    );
    assert_eq!(
        document["provenance"]["limit"],
        "1000 nodes, where it matters 3000 nodes"
    );
    assert_eq!(document["provenance"]["recipe"]["quick"], "1000 nodes");
    let page = fs::read_to_string(&html).unwrap();
    assert!(
        page.contains(&format!(
            "1,000 nodes a position, 3,000 nodes at {deep} of 33"
        )),
        "{page}"
    );

    // The result does not depend on the number of engines. A first pass with the full limit counts
    // as no first pass.
    let mut other = centipawn([
        "review",
        "examples/opera-game.pgn",
        "--nodes",
        "3000",
        "--quick=1000",
        "--jobs",
        "3",
    ]);
    let again = folder.path().join("b.json");
    run_with(other.args(["--engine", &engine, "--json"]).arg(&again));
    assert_eq!(fs::read(&json).unwrap(), fs::read(&again).unwrap());
    let mut whole = centipawn([
        "review",
        "examples/opera-game.pgn",
        "--nodes",
        "1000",
        "--quick",
    ]);
    run_with(whole.args(["--engine", &engine, "--json"]).arg(&again));
    assert!(!fs::read_to_string(&again).unwrap().contains("quick"));
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    for (store, is_told) in [(folder.path().join("a.db"), true), ("none".into(), false)] {
        let searches = folder
            .path()
            .join(if is_told { "kept" } else { "not-kept" });
        let engine = fake(&format!("troubled '{}' nowhere 60000", searches.display()));
        let mut command = centipawn([
            "review",
            "examples/opera-game.pgn",
            "--jobs",
            "1",
            "--engine",
            &engine,
        ]);
        command
            .arg("--store")
            .arg(&store)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        wait_until("the engine searches", || length(&searches) > 0);
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(child.id() as i32).unwrap(),
            rustix::process::Signal::INT,
        )
        .unwrap();
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code(), Some(130), "{}", ran.stderr());
        assert_eq!(
            ran.stderr()
                .contains("the same command continues where it stopped"),
            is_told,
            "{}",
            ran.stderr()
        );
    }
}

#[test]
fn a_batch_says_how_many_games_and_which_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = centipawn([
        "review",
        "examples/opera-game.pgn",
        "examples/immortal-draw.pgn",
        "--nodes",
        "1000",
    ]);
    let ran = run_with(command.args(["--engine", &fake("ok"), "--batch"]).arg(&out));
    assert_eq!((ran.code(), ran.stdout()), (Some(0), ""));
    assert_eq!(
        ran.stderr(),
        format!("2 games reviewed: {}\n", out.join("index.html").display())
    );
}

/// `--quiet` keeps the answer on standard output, unless a file contains it.
#[test]
fn quiet_keeps_the_answer() {
    let review = |more: &[&str]| {
        let mut command = centipawn([
            "review",
            "-q",
            "tests/data/lichess.pgn",
            "--reuse-evals",
            "--engine",
            "none-such",
        ]);
        let ran = run_with(command.args(more));
        assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
        ran.stdout().to_owned()
    };
    assert!(review(&[]).contains("sammeke_69"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        review(&["--html", folder.path().join("a.html").to_str().unwrap()]),
        ""
    );
}

/// In a terminal of any width, lines fit and no word is broken.
#[test]
fn summaries_fit_the_terminal() {
    for width in [40, 80, 120] {
        let mut command = centipawn([
            "review",
            "tests/data/lichess.pgn",
            "--nodes",
            "1000",
            "--engine",
            &fake("ok"),
        ]);
        let ran = run_with(command.env("COLUMNS", width.to_string()));
        let text = ran.stdout();
        assert!(
            text.lines().all(|line| line.chars().count() <= width),
            "{text}"
        );
        for word in ["Suppressed", "accuracy", "relevant loss"] {
            assert!(text.contains(word) || width > 40, "{word}: {text}");
        }
        assert!(!text.contains('…'), "{text}");
    }
}
