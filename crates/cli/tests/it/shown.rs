//! Tests that the README and the pages by person show what the program prints.
//!
//! After a change of the output, `UPDATE_DOCS=1 cargo nextest run -p centipawn shown::` writes the
//! new output into the pages. Then shorten it again where a page has a line `…`.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::common::{folder_with_examples, have_stockfish, root};
use centipawn_test_support::skipped;

/// Commands that ask an engine. What they print is that of Stockfish 15.1.
const WITH_ENGINE: [&str; 5] = ["review", "ease", "puzzles mistakes", "study", "rating"];

#[test]
fn the_readme_shows_what_commands_print() {
    check("README.md");
}

#[test]
fn the_player_s_page_shows_what_commands_print() {
    check("docs/player.md");
}

#[test]
fn the_coach_s_page_shows_what_commands_print() {
    check("docs/coach.md");
}

#[test]
fn the_engine_author_s_page_shows_what_commands_print() {
    check("docs/engine-author.md");
}

#[test]
fn the_researcher_s_page_shows_what_commands_print() {
    check("docs/researcher.md");
}

#[test]
fn the_operator_s_page_shows_what_commands_print() {
    check("docs/operator.md");
}

/// Runs the commands of a page's console blocks one after the other in a folder with the examples,
/// and compares what they print with the lines below them. A line `…` stands for any lines; a
/// command without lines below it only has to succeed.
fn check(page: &str) {
    if !have_stockfish() {
        return;
    }
    let file = root().join(page);
    let text = fs::read_to_string(&file).unwrap();
    let has_engine = stockfish_is_15_1();
    let folder = folder_with_examples();
    let mut updated = text.clone();
    let mut wrong = Vec::new();
    let steps = steps(&text);
    assert!(!steps.is_empty(), "{page} has no console blocks");
    for (command, shown) in steps {
        let printed = run_in(folder.path(), command);
        let asks_engine = WITH_ENGINE
            .iter()
            .any(|name| command.starts_with(&format!("centipawn {name} ")));
        if shown.is_empty() || (asks_engine && !has_engine) || matches(shown, &printed) {
            continue;
        }
        let end = if shown.ends_with('\n') { "\n" } else { "" };
        let old = format!("$ {command}\n{shown}");
        updated = updated.replace(&old, &format!("$ {command}\n{}{end}", printed.trim_end()));
        wrong.push(format!(
            "$ {command}\nshows\n{shown}\nbut prints\n{printed}"
        ));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() && updated != text {
        fs::write(&file, updated).unwrap();
    }
    assert!(wrong.is_empty(), "{page}: {}", wrong.join("\n"));
    if !has_engine {
        // Another version of Stockfish gives other evaluations than those in the text.
        skipped(
            "Stockfish 15.1 is not installed",
            "CENTIPAWN_REQUIRE_STOCKFISH_15_1",
        );
    }
}

/// Returns the commands of the console blocks, each with the lines below it.
fn steps(text: &str) -> Vec<(&str, &str)> {
    let blocks = text
        .split("```console\n")
        .skip(1)
        .filter_map(|block| block.split_once("```"));
    let mut steps = Vec::new();
    for (block, _) in blocks {
        // "\n$ " begins a command, and so does the begin of the block.
        let block = block.strip_prefix("$ ").expect("a command begins a block");
        for step in block.split("\n$ ") {
            let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
            steps.push((command, shown));
        }
    }
    steps
}

/// Returns whether the lines that a page shows are those that were printed. A line `…` stands for
/// any lines.
fn matches(shown: &str, printed: &str) -> bool {
    let mut rest: Vec<&str> = printed.trim_end().lines().collect();
    let shown: Vec<&str> = shown.trim_end().lines().collect();
    let mut may_skip = false;
    for part in shown.split_inclusive(|line| line.trim() == "…") {
        let ends_open = part.last().is_some_and(|line| line.trim() == "…");
        let lines = &part[..part.len() - usize::from(ends_open)];
        let at = if may_skip {
            rest.windows(lines.len().max(1))
                .position(|window| window.starts_with(lines))
        } else {
            rest.starts_with(lines).then_some(0)
        };
        let Some(at) = at else { return false };
        rest.drain(..at + lines.len());
        may_skip = ends_open;
    }
    rest.is_empty() || may_skip
}

/// Returns what a line of shell prints on standard output, in a folder in which the program also
/// keeps its data.
fn run_in(folder: &Path, command: &str) -> String {
    let program = env!("CARGO_BIN_EXE_centipawn");
    let output = Command::new("sh")
        .args(["-c", &command.replace("centipawn ", &format!("{program} "))])
        .env("CENTIPAWN_STORE", folder.join("store.db"))
        .env("XDG_DATA_HOME", folder)
        .env("COLUMNS", "80")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .current_dir(folder)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn stockfish_is_15_1() -> bool {
    let found = centipawn_engine::find("stockfish").expect("have_stockfish found it");
    let mut engine = Command::new(found.program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    engine
        .stdin
        .take()
        .unwrap()
        .write_all(b"uci\nquit\n")
        .unwrap();
    let output = engine.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).contains("id name Stockfish 15.1")
}

#[test]
fn shown_lines_are_compared() {
    for (shown, printed, is_same) in [
        ("a\nb\n", "a\nb\n", true),
        ("a\n", "a\nb\n", false),
        ("a\n…\n", "a\nb\n", true),
        ("a\n…\nd\n", "a\nb\nc\nd\n", true),
        ("a\n…\nd\n", "a\nb\nc\nd\ne\n", false),
        ("…\nc\n…\n", "a\nb\nc\nd\n", true),
        ("…\nx\n", "a\nb\n", false),
    ] {
        assert_eq!(matches(shown, printed), is_same, "{shown:?} {printed:?}");
    }
    let text = "```console\n$ a b\nc\n$ d\n```\n```sh\n$ e\n```\n```console\n$ f\n```";
    assert_eq!(steps(text), [("a b", "c"), ("d", ""), ("f", "")]);
}
