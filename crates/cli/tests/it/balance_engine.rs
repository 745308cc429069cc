//! `centipawn balance --nodes`: an engine evaluates the games.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use crate::common::{Ran, centipawn, fake, run, wait_until};
use centipawn_pgn::{Game, Reader};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Games without evaluations: four between A and B, one of them without a result, and one between
/// other players. A wins two and draws one.
const GAMES: &str = r#"[Event "Match"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[Event "Match"]
[White "B"]
[Black "A"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "Match"]
[White "A"]
[Black "B"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 dxc4 3. e4 e5 4. dxe5 Qxd1+ 5. Kxd1 1/2-1/2

[Event "Match"]
[White "B"]
[Black "A"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nf6 3. Nxe5 Nxe4 1/2-1/2

[Event "Match"]
[White "A"]
[Black "B"]
[Result "*"]

1. b4 b5 *

[Event "Match"]
[White "C"]
[Black "D"]
[Result "1-0"]

1. a4 a5 2. h4 h5 3. Ra3 Rh6 1-0

"#;

fn balance(folder: &Path, args: &[&str]) -> Ran {
    let mut command = centipawn(["balance", "games.pgn", "--jobs", "1"]);
    run({
        command.current_dir(folder).args(args);
        command
    })
}

fn games() -> Vec<Game> {
    Reader::new(GAMES.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect()
}

/// Returns the fake engine's evaluation of the position before each ply, for the side to move, read
/// directly over UCI.
fn asked(game: &Game) -> Vec<f64> {
    let mut engine = Command::new(centipawn_fake_engine::path());
    let mut engine = engine
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut lines) = (
        engine.stdin.take().unwrap(),
        BufReader::new(engine.stdout.take().unwrap()).lines(),
    );
    let moves: Vec<String> = game
        .plies
        .iter()
        .map(|ply| ply.uci(game.start.mode()).to_string())
        .collect();
    let mut evals = Vec::new();
    for before in 0..moves.len() {
        writeln!(
            input,
            "position startpos moves {}\ngo nodes 1000",
            moves[..before].join(" ")
        )
        .unwrap();
        let mut eval = None;
        for line in lines.by_ref() {
            let line = line.unwrap();
            let words: Vec<&str> = line.split_whitespace().collect();
            let after = |word: &str| {
                words
                    .iter()
                    .position(|own| *own == word)
                    .map(|at| words[at + 1])
            };
            match after("score") {
                Some("cp") => eval = after("cp").map(|cp| cp.parse::<f64>().unwrap() / 100.0),
                Some("mate") => eval = Some(f64::INFINITY),
                _ if words[0] == "bestmove" => break,
                _ => {}
            }
        }
        evals.push(eval.unwrap());
    }
    drop(input);
    engine.wait().unwrap();
    evals
}

#[test]
fn an_engine_evaluates_every_position() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let engine = fake("ok");
    let ran = balance(
        folder.path(),
        &[
            "--engine",
            &engine,
            "--nodes",
            "1000",
            "--resamples",
            "0",
            "--list",
            "--json",
        ],
    );
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("1 game without a result left out"),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr()
            .contains("Evaluations: Fake 1.0, 1000 nodes for each position"),
        "{}",
        ran.stderr()
    );
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let provenance = &document["provenance"];
    assert_eq!(
        (&provenance["limit"], &provenance["engine"]["name"]),
        (&"1000 nodes".into(), &"Fake 1.0".into())
    );
    assert_eq!(provenance["recipe"]["evaluate"], "1000 nodes");
    assert_eq!(provenance["inputs"][0]["bytes"], GAMES.len());
    // Compute the expected result independently: take a player's highest evaluation of each game;
    // the balance is the nth highest among games that were not won, where n is the number of wins.
    let mut highest: BTreeMap<&str, (usize, Vec<f64>)> = BTreeMap::new();
    let games = games();
    for game in games
        .iter()
        .filter(|game| game.headers.get("Result") != Some("*"))
    {
        let evals = asked(game);
        for (color, result) in [("White", "1-0"), ("Black", "0-1")] {
            let own = evals
                .iter()
                .skip(usize::from(color == "Black"))
                .step_by(2)
                .copied();
            let (wins, not_won) = highest.entry(game.headers.get(color).unwrap()).or_default();
            match game.headers.get("Result") == Some(result) {
                true => *wins += 1,
                false => not_won.push(own.fold(f64::NEG_INFINITY, f64::max)),
            }
        }
    }
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), highest.len());
    for row in rows {
        let (wins, not_won) = highest.get_mut(row["engine"].as_str().unwrap()).unwrap();
        not_won.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(row["wins"].as_u64(), Some(*wins as u64));
        let finite = |eval: Option<&f64>| eval.copied().filter(|eval| eval.is_finite());
        let listed: Vec<Option<f64>> = row["list"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| game["highest"].as_f64())
            .collect();
        assert_eq!(
            listed,
            not_won
                .iter()
                .map(|eval| finite(Some(eval)))
                .collect::<Vec<_>>(),
            "{row}"
        );
        assert_eq!(
            row["balance"].as_f64(),
            finite(wins.checked_sub(1).and_then(|nth| not_won.get(nth))),
            "{row}"
        );
    }
    assert_eq!((highest["A"].0, highest["A"].1.len()), (2, 2));
    let again = balance(
        folder.path(),
        &[
            "--engine",
            &engine,
            "--nodes",
            "1000",
            "--resamples",
            "0",
            "--list",
            "--json",
        ],
    );
    assert_eq!(
        again.stdout(),
        ran.stdout(),
        "the same games give the same balances"
    );
}

/// Returns the positions that the engine searched, from its log.
fn log(folder: &Path) -> Vec<String> {
    fs::read_to_string(folder.join("log"))
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn only_the_games_of_a_player_are_evaluated_and_each_position_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let engine = fake("log log 0");
    let args = [
        "--engine",
        &engine,
        "--depth",
        "3",
        "--resamples",
        "0",
        "--store",
        "store.db",
        "--player",
        "a",
        "--json",
    ];
    let ran = balance(folder.path(), &args);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let once = log(folder.path());
    // The four games have 29 plies, but some positions repeat: the start position (three more
    // times) and the one after 1. e4 e5.
    let mut positions = once.clone();
    positions.sort();
    positions.dedup();
    assert_eq!(positions.len(), once.len(), "{once:?}");
    assert!(
        (20..=29).contains(&once.len()) && once.iter().all(|line| line.ends_with("go depth 3")),
        "{once:?}"
    );
    assert!(
        once.iter().all(|line| !line.contains("/P7/")),
        "the game of others is not evaluated: {once:?}"
    );
    let again = balance(folder.path(), &args);
    assert_eq!(
        (again.stdout(), log(folder.path()).len()),
        (ran.stdout(), once.len()),
        "all is in the store"
    );
}

#[test]
fn an_interrupted_run_continues_from_the_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let engine = fake("log log 60");
    let args = [
        "--engine",
        &engine,
        "--nodes",
        "1000",
        "--resamples",
        "0",
        "--store",
        "store.db",
        "-o",
        "curve.json",
    ];
    let mut command = centipawn(["balance", "games.pgn", "--jobs", "1", "--player", "A"]);
    command
        .current_dir(folder.path())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    fs::write(folder.path().join("curve.json"), "earlier").unwrap();
    let child = command.spawn().unwrap();
    wait_until("it evaluates", || log(folder.path()).len() >= 6);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(
        (ran.code(), ran.stdout()),
        (Some(130), ""),
        "{}",
        ran.stderr()
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("curve.json")).unwrap(),
        "earlier"
    );
    let before = log(folder.path());
    let rest = balance(folder.path(), &[&args[..], &["--player", "A"]].concat());
    assert_eq!(rest.code(), Some(0), "{}", rest.stderr());
    let all = log(folder.path());
    // The search under way at the interruption may have ended too late for the store, so one
    // position may be searched twice.
    let again = all[before.len()..]
        .iter()
        .filter(|line| before.contains(line))
        .count();
    assert!(
        all.len() > before.len() && again <= 1,
        "{again} positions again of {before:?}, {all:?}"
    );
    let curve: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("curve.json")).unwrap())
            .unwrap();
    assert_eq!(
        (&curve["curve"], &curve["provenance"]["limit"]),
        (&"relevance".into(), &"1000 nodes".into())
    );
}

#[test]
fn errors_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let said = [
        &["--nodes", "1000", "--shard", "1/2"][..],
        &["--nodes", "1000", "--partial", "part"],
        &["--nodes", "1000", "--evals", "tcec"],
        &["--nodes", "1000", "--player", "Morphy"],
        &["--nodes", "0"],
        &[],
    ];
    let engine = fake("ok");
    let said = said.map(|args| {
        let ran = balance(folder.path(), &[&["--engine", &engine], args].concat());
        format!(
            "$ centipawn balance games.pgn {}\n{}",
            args.join(" "),
            ran.snapshot()
        )
    });
    insta::assert_snapshot!(said.join("\n"));
}

/// The five world championship matches of Karpov and Kasparov, with the published numbers of wins.
#[test]
fn wins_of_karpov_and_kasparov_are_those_published() {
    let Some(masters) =
        centipawn_test_support::data::shared("data/pgn/human/masters_pgnmentor.pgn.zst")
    else {
        return;
    };
    let mut text = String::new();
    std::io::Read::read_to_string(
        &mut centipawn_pgn::Source::open(masters).unwrap(),
        &mut text,
    )
    .unwrap();
    let games = text
        .split("[Event ")
        .filter(|game| game.starts_with("\"World Championship 3") && game.contains("-KK"));
    let games: String = games.map(|game| format!("[Event {game}")).collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), games).unwrap();
    // The fake engine's evaluations are meaningless, so compare only the numbers of games and wins.
    let args = [
        "--engine",
        &fake("ok"),
        "--depth",
        "1",
        "--by",
        "opponent",
        "--resamples",
        "0",
        "--json",
    ];
    let ran = balance(folder.path(), &args);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let wins = |row: usize| {
        let row = &document["rows"][row];
        (
            row["engine"].as_str().unwrap().to_owned(),
            row["games"].as_u64().unwrap(),
            row["wins"].as_u64().unwrap(),
        )
    };
    assert_eq!(wins(0), ("Karpov, Anatoly".to_owned(), 144, 19));
    assert_eq!(wins(1), ("Kasparov, Gary".to_owned(), 144, 21));
}
