//! The help, and that its examples run.

mod common;

use common::{centipawn, root, run};

#[test]
fn help_of_everything() {
    for name in [
        "",
        "review",
        "pgn stats",
        "pgn check",
        "pgn clean",
        "ease",
        "policy list",
        "policy fetch",
        "policy show",
        "policy run",
        "policy fit-rating",
        "symbols",
        "completions",
    ] {
        let mut command = centipawn([]);
        command.args(name.split_whitespace()).arg("--help");
        insta::assert_snapshot!(
            format!("help_{}", if name.is_empty() { "all".to_owned() } else { name.replace(' ', "_") }),
            run(command).stdout()
        );
    }
}

/// Every example of every help runs as it stands in a clone (with fewer nodes, so that this does not take minutes).
#[test]
fn examples_run() {
    if centipawn_engine::find("stockfish").is_err() {
        assert!(std::env::var_os("CENTIPAWN_REQUIRE_ENGINES").is_none(), "the tests need Stockfish");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("examples").canonicalize().unwrap(), folder.path().join("examples"))
        .unwrap();
    let mut ran = 0;
    for name in ["review", "pgn stats", "pgn check", "pgn clean", "symbols"] {
        let mut command = centipawn([]);
        command.args(name.split_whitespace()).arg("--help");
        let help = run(command);
        let examples = help.stdout().split_once("Examples:\n").unwrap().1;
        for line in examples.lines().filter(|line| !line.trim().is_empty()) {
            let line = line.trim().replace("200k", "2k").replace("depth 16", "depth 6");
            let limited = name != "review" || line.contains("--nodes") || line.contains("--depth");
            let line = line.replacen(" review", if limited { " review" } else { " review --nodes 2k" }, 1);
            let line = line.replace("centipawn ", &format!("{} ", env!("CARGO_BIN_EXE_centipawn")));
            let mut shell = std::process::Command::new("sh");
            let output = shell.args(["-c", &line]).current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            ran += 1;
        }
    }
    assert!(ran >= 13);
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(centipawn(["completions", shell]));
        assert!(ran.stdout().contains("reuse-evals"), "{shell}");
    }
}
