//! The commands of the overview, docs/commands.md, run one after the other in a folder with the files that they name.

use std::{fs, path::Path};

use crate::common::{centipawn, folder_with_examples, root, run, run_line};

/// Parts of commands that are left out, and why.
const LEFT_OUT: [(&str, &str); 6] = [
    ("centipawn serve", "it does not end"),
    ("centipawn club.pgn", "it opens a browser"),
    ("lichess:", "it needs the network"),
    ("centipawn worker", "it needs a server: fleet.rs starts one"),
    ("--fleet", "it needs a server: fleet.rs starts one"),
    ("wdl human", "it needs many rated games: wdl_human.rs has them"),
];

#[test]
fn its_commands_run() {
    if centipawn_engine::find("stockfish").is_err() {
        assert!(std::env::var_os("CENTIPAWN_REQUIRE_ENGINES").is_none(), "the tests need Stockfish");
        return;
    }
    let text = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|block| block.split_once("```").unwrap().0);
    let lines: Vec<&str> = blocks.flat_map(str::lines).filter(|line| line.starts_with("centipawn ")).collect();
    let (left_out, lines): (Vec<&str>, Vec<&str>) =
        lines.into_iter().partition(|line| LEFT_OUT.iter().any(|(part, _)| line.contains(part)));
    assert_eq!(left_out.len(), 9, "{left_out:#?}");
    assert!(lines.len() >= 40, "{}", lines.len());
    let folder = folder_with_examples();
    let games = files(folder.path());
    for line in lines {
        let searched = line.contains("--nodes") || line.starts_with("centipawn ease");
        let few = if searched { &games[..2] } else { &games };
        fs::write(folder.path().join("match.pgn"), few.concat()).unwrap();
        run_line(&cheaper(line), folder.path());
    }
}

/// Makes the files; returns the games of a match.
fn files(folder: &Path) -> Vec<String> {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let example = |name: &str| root().join("examples").join(name).canonicalize().unwrap();
    fs::create_dir(folder.join("games")).unwrap();
    let mut clean = centipawn(["pgn", "clean"]);
    clean.arg(example("selfplay.pgn.gz")).arg("-o").arg(folder.join("games/games.pgn"));
    assert_eq!(run(clean).code(), Some(0));
    let games = fs::read_to_string(folder.join("games/games.pgn")).unwrap();
    let (strong, weak) = ("\"Stockfish 15.1\"", "\"Stockfish 15.1 weak\"");
    let named = |one: &str, other: &str| games.replace(weak, other).replace(strong, one);
    write("games.pgn", &named("\"Stockfish 17\"", "\"New\""));
    write("anand.pgn", &named("\"Anand\"", "\"Opponent\""));
    write("anderssen.pgn", &named("\"Anderssen\"", "\"Opponent\""));
    let club = fs::read_to_string(example("opera-game.pgn")).unwrap();
    let black = club.lines().find(|line| line.starts_with("[Black ")).unwrap();
    write("club.pgn", &club.replace(black, "[Black \"Anna Muster\"]"));
    for name in ["puzzles.csv", "lichess_db_puzzle.csv.zst"] {
        fs::copy(example("puzzles.csv"), folder.join(name)).unwrap();
    }
    fs::copy(example("suite.epd"), folder.join("wac.epd")).unwrap();
    let games = named("\"Opponent\"", "\"Stockfish\"");
    games.split("[Event ").skip(1).map(|game| format!("[Event {game}")).collect()
}

/// The command with fewer nodes and resamples, and without its comment.
fn cheaper(line: &str) -> String {
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let begins = |names: &[&str]| names.iter().any(|name| line.starts_with(&format!("centipawn {name} ")));
    let mut words: Vec<&str> = line.split(' ').collect();
    let nodes = words.iter().position(|word| *word == "--nodes").map(|at| at + 1);
    match nodes {
        Some(at) => words[at] = "1k",
        None if begins(&["review", "ease", "puzzles mistakes"]) => {
            words.extend(["--nodes", "1k"]);
        }
        None => {}
    }
    if begins(&["wdl run", "material"]) {
        words.extend(["--resamples", "2"]);
    }
    words.join(" ")
}
