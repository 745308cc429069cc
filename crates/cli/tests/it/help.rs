//! Snapshot of the help, and a run of its examples.

use crate::common::{
    centipawn, everything, folder_with_examples, have_stockfish, root, run, run_line, run_with,
};
use centipawn_core::{Curve, NamedCurve};
use centipawn_test_support::data::shared;

/// Parts of examples that are not run, each with the reason.
const NOT_RUN: [(&str, &str); 10] = [
    ("centipawn serve", "it does not end"),
    ("centipawn uci", "it does not end"),
    ("centipawn worker", "it needs a server: fleet.rs starts one"),
    ("centipawn fleet", "it needs a server: fleet.rs starts one"),
    ("centipawn completions", "it writes into the user's folders"),
    ("centipawn man", "it writes into the user's folders"),
    (
        "--stockfish ~/Stockfish",
        "it needs a checkout of Stockfish: wdl_update.rs makes one",
    ),
    (
        "centipawn store delete",
        "it needs games in the store: library_file.rs has them",
    ),
    ("lichess:", "it needs the network"),
    ("--post", "it needs the network"),
];

/// Commands without examples, each with the reason.
const WITHOUT_EXAMPLES: [(&str, &str); 5] = [
    (
        "policy fit-rating",
        "its input is a file of thousands of rated games, and its output is built into the program",
    ),
    ("fleet follow", "it takes the number of a run"),
    ("fleet retry", "it takes the number of a run"),
    ("fleet cancel", "it takes the number of a run"),
    ("fleet drop", "it takes the number of a run"),
];

/// Returns a command and all commands below it, each with its help. The program itself has the name
/// "".
fn commands(name: &str) -> Vec<(String, String)> {
    let mut command = centipawn([]);
    let help = run_with(command.args(name.split_whitespace()).arg("--help"))
        .stdout()
        .to_owned();
    let below = subcommands(&help)
        .into_iter()
        .flat_map(|below| commands(format!("{name} {below}").trim()));
    let below: Vec<(String, String)> = below.collect();
    [vec![(name.to_owned(), help)], below].concat()
}

/// Returns the command names in the list of commands of a help text.
fn subcommands(help: &str) -> Vec<&str> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let lines = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  "));
    // Lines of a long description have a larger indentation.
    let names = lines
        .filter(|line| line.starts_with(char::is_alphabetic))
        .filter_map(|line| line.split(' ').next());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!("help_all", run(centipawn(["--help"])).stdout());
}

#[test]
fn every_command_has_examples_and_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    run(centipawn(["man", folder.path().to_str().unwrap()])).stdout();
    for (name, help) in commands("") {
        let is_group = help.contains("\nCommands:\n");
        let is_excused = WITHOUT_EXAMPLES.iter().any(|(excused, _)| *excused == name);
        assert!(
            is_group || is_excused || help.contains("\nExamples:\n"),
            "{name} has no examples"
        );
        let page = format!("centipawn {name}").trim().replace(' ', "-") + ".1";
        assert!(folder.path().join(&page).exists(), "{page}");
    }
}

/// Assigns a command to the test that runs its examples. They are several tests, because a single
/// one would take minutes.
fn group(name: &str) -> &str {
    match name {
        "wdl human" | "wdl run" | "material" => name,
        _ => match name.split(' ').next().unwrap() {
            group @ ("wdl" | "puzzles" | "review") => group,
            _ => "others",
        },
    }
}

#[test]
fn examples_of_wdl_run() {
    run_examples("wdl run");
}

#[test]
fn examples_of_wdl_human() {
    run_examples("wdl human");
}

#[test]
fn examples_of_other_commands_of_wdl() {
    run_examples("wdl");
}

#[test]
fn examples_of_material() {
    run_examples("material");
}

#[test]
fn examples_of_puzzles() {
    run_examples("puzzles");
}

#[test]
fn examples_of_review() {
    run_examples("review");
}

#[test]
fn examples_of_all_other_commands() {
    run_examples("others");
}

/// Runs every example in the help of a group's commands. To save time, nodes are reduced, and
/// resamples too unless all tests are requested.
fn run_examples(of_group: &str) {
    if !have_stockfish() {
        return;
    }
    let folder = folder_with_examples();
    if of_group == "puzzles" {
        // Create the reviewed games that one example reads.
        run_line(
            "centipawn review examples/opera-game.pgn --nodes 1k -o reviewed.pgn",
            folder.path(),
        );
    }
    let mut ran = 0;
    for (name, help) in commands("")
        .iter()
        .filter(|(name, _)| group(name) == of_group)
    {
        let examples = help
            .split_once("\nExamples:\n")
            .map_or("", |(_, examples)| examples);
        let can_run = |line: &&str| {
            line.contains("centipawn ")
                && !NOT_RUN.iter().any(|(part, _)| line.contains(part))
                // The published networks are not part of the repository.
                && (!line.contains("maia-") || shared("data/maia").is_some())
        };
        for line in examples.lines().filter(can_run) {
            run_line(&cheaper(name, line.trim()), folder.path());
            ran += 1;
        }
    }
    assert!(ran > 0, "{of_group} has no examples");
}

/// Returns an example with fewer nodes and resamples.
fn cheaper(name: &str, line: &str) -> String {
    let mut line = line.replace("200k", "2k").replace("depth 16", "depth 6");
    if name == "review" && !line.contains("--nodes") && !line.contains("--depth") {
        line = line.replacen(" review", " review --nodes 2k", 1);
    }
    // By default the command tests each installed engine for a second.
    if name == "engines" && !line.contains("--suite") && !line.contains("--movetime") {
        line += " --movetime 50";
    }
    let resamples = ["wdl fit", "wdl human", "wdl run", "material", "balance"].contains(&name);
    if resamples && !line.contains("--resamples") && !everything() {
        line += " --resamples 2";
    }
    line
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(centipawn(["completions", shell]));
        assert!(ran.stdout().contains("reuse-evals"), "{shell}");
        for named in Curve::NAMED {
            assert!(ran.stdout().contains(named.name), "{shell}: {}", named.name);
        }
    }
}

#[test]
fn every_named_curve_is_explained() {
    let guide = std::fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let [review, symbols] = ["review", "symbols"].map(|command| {
        run(centipawn([command, "--help"]))
            .stdout()
            .replace('\n', " ")
    });
    for NamedCurve { name, .. } in Curve::NAMED {
        assert!(
            guide.contains(&format!("`{name}`")),
            "docs/commands.md lacks the curve {name}"
        );
        assert!(
            review.contains(name) && symbols.contains(name),
            "--help lacks the curve {name}"
        );
    }
}

#[test]
fn colour_of_help_and_of_errors_of_usage() {
    let is_coloured = |args: &[&str]| {
        let output = centipawn([]).args(args).output().unwrap();
        [output.stdout, output.stderr].concat().contains(&b'\x1b')
    };
    for args in [&["--help"][..], &["reveiw"]] {
        assert!(
            !is_coloured(args) && !is_coloured(&[args, &["--color=never"]].concat()),
            "{args:?}"
        );
        assert!(
            is_coloured(&[args, &["--color", "always"]].concat()),
            "{args:?}"
        );
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
