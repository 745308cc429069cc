//! Runs the commands of the README and the guides one after the other, in a folder with the files
//! that they need.

use std::{fs, path::Path};

use crate::common::{centipawn, folder_with_examples, have_stockfish, root, run, run_line};

/// Parts of commands that are not run, each with the reason.
const LEFT_OUT: [(&str, &str); 16] = [
    ("centipawn serve", "it does not end"),
    ("centipawn club.pgn", "it opens a browser"),
    ("centipawn examples/", "it opens a browser"),
    ("lichess:", "it needs the network"),
    ("--lichess", "it needs the network"),
    ("https://", "it needs the network"),
    ("s3://", "it needs the network"),
    ("chesscom:", "it needs the network"),
    ("--post", "it needs the network"),
    ("centipawn worker", "it needs a server: fleet.rs starts one"),
    ("--fleet", "it needs a server: fleet.rs starts one"),
    (
        "centipawn store delete",
        "it needs games in the store: library_file.rs has them",
    ),
    (
        "centipawn store backup",
        "it needs a store in use: review_store.rs has one",
    ),
    (
        "wdl human",
        "it needs many rated games: wdl_human.rs has them",
    ),
    (
        "--method classic",
        "it needs many games: material.rs has them",
    ),
    (
        "wdl update",
        "it needs a checkout of Stockfish: wdl_update.rs makes one",
    ),
];

#[test]
fn the_overview_s_commands_run() {
    run_commands(&["docs/commands.md"]);
}

#[test]
fn commands_for_players_run() {
    run_commands(&[
        "README.md",
        "docs/gui.md",
        "docs/review.md",
        "docs/web.md",
        "docs/rating.md",
        "docs/player.md",
    ]);
}

#[test]
fn commands_for_coaches_run() {
    run_commands(&[
        "docs/lessons.md",
        "docs/accounts.md",
        "docs/coach.md",
        "docs/puzzles.md",
    ]);
}

#[test]
fn commands_for_engines_run() {
    run_commands(&[
        "docs/engine-scale.md",
        "docs/match.md",
        "docs/balance.md",
        "docs/wdl.md",
        "docs/engine-author.md",
    ]);
}

#[test]
fn commands_for_researchers_run() {
    run_commands(&[
        "docs/material.md",
        "docs/people.md",
        "docs/position.md",
        "docs/scale.md",
        "docs/researcher.md",
        "docs/operator.md",
    ]);
}

/// Runs the commands of the named guides.
fn run_commands(guides: &[&str]) {
    if !have_stockfish() {
        return;
    }
    let texts: Vec<String> = guides
        .iter()
        .map(|guide| fs::read_to_string(root().join(guide)).unwrap())
        .collect();
    let lines = texts.iter().flat_map(|text| commands(text));
    let lines: Vec<&str> = lines
        .filter(|line| !LEFT_OUT.iter().any(|(part, _)| line.contains(part)))
        .collect();
    assert!(!lines.is_empty(), "no commands in {guides:?}");
    let folder = folder_with_examples();
    let games = files(folder.path());
    for line in lines {
        let write = |name: &str, games: &[String]| {
            fs::write(
                folder.path().join(name),
                games
                    .concat()
                    .replace("Stockfish 15.1 weak", other_player(line)),
            )
            .unwrap();
        };
        let searched = ["--nodes", "centipawn ease", "centipawn review"]
            .iter()
            .any(|part| line.contains(part));
        for name in ["games.pgn", "games/games.pgn", "match.pgn"] {
            write(name, if searched { &games[..2] } else { &games });
        }
        run_line(&cheaper(line), folder.path());
    }
}

/// Returns the commands in a text: those in shell blocks, and those after a prompt in console
/// blocks.
fn commands(text: &str) -> Vec<&str> {
    let blocks = text
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'));
    let lines = blocks.flat_map(|(language, block)| {
        block.lines().filter_map(move |line| match language {
            "sh" => Some(line),
            "console" => line.strip_prefix("$ "),
            _ => None,
        })
    });
    lines.filter(|line| line.contains("centipawn ")).collect()
}

/// Creates the files, and returns the games of a match.
fn files(folder: &Path) -> Vec<String> {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let example = |name: &str| root().join("examples").join(name).canonicalize().unwrap();
    fs::create_dir(folder.join("games")).unwrap();
    fs::create_dir(folder.join("src")).unwrap();
    let mut clean = centipawn(["pgn", "clean"]);
    clean
        .arg(example("selfplay.pgn.gz"))
        .arg("-o")
        .arg(folder.join("games/games.pgn"));
    assert_eq!(run(clean).code(), Some(0));
    let games = fs::read_to_string(folder.join("games/games.pgn"))
        .unwrap()
        .replace("\"Stockfish 15.1\"", "\"New\"");
    let played_by = |one: &str, other: &str| {
        games
            .replace("Stockfish 15.1 weak", one)
            .replace("\"New\"", &format!("\"{other}\""))
    };
    write("2024-01.pgn.zst", &games);
    write("anand.pgn", &played_by("Anand", "Opponent"));
    write("anderssen.pgn", &played_by("Anderssen", "Opponent"));
    let each: Vec<String> = games
        .split("[Event ")
        .skip(1)
        .map(|game| format!("[Event {game}"))
        .collect();
    write("kk.pgn", &each[..2].concat());
    write("engines.pgn", &each[0]);
    let club = fs::read_to_string(example("opera-game.pgn")).unwrap();
    let black = club
        .lines()
        .find(|line| line.starts_with("[Black "))
        .unwrap();
    let rated = "[Black \"Anna Muster\"]\n[WhiteElo \"1800\"]\n[BlackElo \"1700\"]\n[TimeControl \"600+5\"]";
    write("club.pgn", &club.replace(black, rated));
    write("game.pgn", &club.replace(black, rated));
    for name in ["puzzles.csv", "lichess_db_puzzle.csv.zst"] {
        fs::copy(example("puzzles.csv"), folder.join(name)).unwrap();
    }
    fs::copy(example("suite.epd"), folder.join("wac.epd")).unwrap();
    for name in ["week", "held-back", "stc", "ltc", "vltc"] {
        fs::copy(
            example("selfplay.wdl"),
            folder.join(name).with_extension("wdl"),
        )
        .unwrap();
    }
    run_line("centipawn wdl run games/ --resamples 2 --out last", folder);
    run_line(
        "centipawn wdl run anand.pgn --resamples 2 --out this",
        folder,
    );
    run_line(
        "centipawn wdl human examples/people.tsv.zst --resamples 0 --folds 0 --out people",
        folder,
    );
    run_line("centipawn position index games/ --out 2023.parquet", folder);
    run_line(
        "centipawn review club.pgn --nodes 1k --json reviewed.json",
        folder,
    );
    each
}

/// Returns the opponent of New in the games of a command.
fn other_player(line: &str) -> &str {
    let named = ["MyEngine", "Old", "Stockfish 17"]
        .into_iter()
        .find(|name| line.contains(name));
    named.unwrap_or("Stockfish")
}

/// Returns the command with fewer nodes and resamples, and without its comment.
fn cheaper(line: &str) -> String {
    let line = line
        .split(" #")
        .next()
        .unwrap_or(line)
        .trim_end()
        .replace("engines myengine", "engines stockfish");
    let begins = |names: &[&str]| {
        names
            .iter()
            .any(|name| line.starts_with(&format!("centipawn {name} ")))
    };
    let mut words: Vec<&str> = line.split(' ').collect();
    let nodes = words
        .iter()
        .position(|word| *word == "--nodes")
        .map(|at| at + 1);
    match nodes {
        Some(at) => words[at] = "1k",
        None if begins(&["ease", "puzzles mistakes"]) => {
            words.extend(["--nodes", "1k"]);
        }
        None if begins(&["review"]) => {
            words.splice(2..2, ["--nodes", "1k"]);
        }
        None => {}
    }
    if line.starts_with("centipawn engines")
        && !["--suite", "--movetime"]
            .iter()
            .any(|flag| line.contains(flag))
    {
        words.extend(["--movetime", "50"]);
    }
    if begins(&["wdl run", "material"]) {
        words.extend(["--resamples", "2"]);
    }
    let line = words.join(" ");
    // Set the variable that the cluster sets for each task.
    if line.contains("$SLURM_ARRAY_TASK_ID") {
        format!("for SLURM_ARRAY_TASK_ID in $(seq 64); do {line}; done")
    } else {
        line
    }
}
