//! The help, and that its examples run.

use crate::common::{centipawn, everything, folder_with_examples, root, run, run_line};

/// Commands whose help ends with examples.
const WITH_EXAMPLES: [&str; 42] = [
    "review",
    "rating",
    "site",
    "pgn stats",
    "pgn export",
    "pgn check",
    "pgn clean",
    "wdl count",
    "wdl fit",
    "wdl run",
    "wdl update",
    "wdl compare",
    "wdl show",
    "wdl human",
    "balance",
    "match",
    "position",
    "position index",
    "merge",
    "material",
    "ease",
    "puzzles mine",
    "puzzles verify",
    "puzzles rate",
    "puzzles tag",
    "puzzles export",
    "puzzles solve",
    "study lesson",
    "study games",
    "study puzzles",
    "policy list",
    "policy fetch",
    "policy show",
    "policy run",
    "symbols",
    "odds",
    "diagram",
    "engines",
    "store stats",
    "store export",
    "store import",
    "store vacuum",
];

#[test]
fn help_of_everything() {
    for name in [
        &[
            "",
            "completions",
            "man",
            "policy fit-rating",
            "serve",
            "uci",
            "worker",
            "fleet setup",
            "fleet status",
            "fleet follow",
            "fleet prune",
        ][..],
        &WITH_EXAMPLES,
    ]
    .concat()
    {
        let mut command = centipawn([]);
        command.args(name.split_whitespace()).arg("--help");
        insta::assert_snapshot!(
            format!("help_{}", if name.is_empty() { "all".to_owned() } else { name.replace(' ', "_") }),
            run(command).stdout()
        );
    }
}

/// Commands that learn from results, or say what was learned.
const OF_CURVES: [&str; 8] = ["wdl", "balance", "match", "merge", "material", "symbols", "odds", "position"];

/// Commands that look at positions for people.
const OF_POSITIONS: [&str; 3] = ["ease", "puzzles", "policy"];

#[test]
fn examples_of_curves_run() {
    run_examples(45, |command| OF_CURVES.contains(&command));
}

#[test]
fn examples_of_positions_run() {
    run_examples(16, |command| OF_POSITIONS.contains(&command));
}

#[test]
fn all_other_examples_run() {
    run_examples(33, |command| !OF_CURVES.contains(&command) && !OF_POSITIONS.contains(&command));
}

/// Every example in the help of these commands runs as it stands in a clone, with fewer nodes and, unless everything is tested, fewer
/// resamples. At least `at_least` of them run without the neural networks in `../shared`.
fn run_examples(at_least: usize, is_chosen: impl Fn(&str) -> bool) {
    if centipawn_engine::find("stockfish").is_err() {
        assert!(std::env::var_os("CENTIPAWN_REQUIRE_ENGINES").is_none(), "the tests need Stockfish");
        return;
    }
    let folder = folder_with_examples();
    let mut ran = 0;
    // Networks are not ours to bundle; where they lie beside the repository their examples run too.
    let networks = root().join("../shared/data/maia");
    let needs_network = |name: &str| name == "ease" || name.starts_with("policy");
    let names = WITH_EXAMPLES.into_iter().filter(|name| is_chosen(name.split(' ').next().unwrap()));
    for name in names.filter(|name| networks.exists() || !needs_network(name)) {
        let mut command = centipawn([]);
        command.args(name.split_whitespace()).arg("--help");
        let help = run(command);
        let examples = help.stdout().split_once("Examples:\n").unwrap().1;
        // A checkout of Stockfish is not ours to bundle either; `wdl_update.rs` makes a small one.
        let can_run = |line: &&str| {
            (networks.exists() || !line.contains("--ease"))
                && !line.contains("--stockfish ~/Stockfish")
                && !line.contains("lichess:")
                && !line.contains("--post")
        };
        for line in examples.lines().filter(|line| !line.trim().is_empty()).filter(can_run) {
            let line = line.trim().replace("200k", "2k").replace("depth 16", "depth 6");
            let limited = name != "review" || line.contains("--nodes") || line.contains("--depth");
            let line = line.replacen(" review", if limited { " review" } else { " review --nodes 2k" }, 1);
            // A second for each engine that is installed.
            let line = if name == "engines" && !line.contains("--suite") && !line.contains("--movetime") {
                line + " --movetime 50"
            } else {
                line
            };
            let estimates = matches!(name, "wdl human" | "wdl fit") && !line.contains("--resamples");
            let fewer = if estimates && !everything() { " --resamples 2" } else { "" };
            run_line(&format!("{line}{fewer}"), folder.path());
            ran += 1;
        }
    }
    assert!(ran >= at_least, "{ran} examples");
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(centipawn(["completions", shell]));
        assert!(ran.stdout().contains("reuse-evals"), "{shell}");
    }
}

#[test]
fn colour_of_help_and_of_errors_of_usage() {
    let is_coloured = |args: &[&str]| {
        let output = centipawn([]).args(args).output().unwrap();
        [output.stdout, output.stderr].concat().contains(&b'\x1b')
    };
    for args in [&["--help"][..], &["reveiw"]] {
        assert!(!is_coloured(args) && !is_coloured(&[args, &["--color=never"]].concat()), "{args:?}");
        assert!(is_coloured(&[args, &["--color", "always"]].concat()), "{args:?}");
    }
}

#[test]
fn manual_pages() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    run(centipawn(["man", pages.to_str().unwrap()])).stdout();
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("centipawn.1").contains("centipawn\\-review(1)"));
    let review = page("centipawn-review.1");
    assert!(review.contains("reuse\\-evals") && review.contains("opera\\-game.pgn"));
    assert!(pages.join("centipawn-wdl-run.1").exists());
}
