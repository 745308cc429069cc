//! `centipawn puzzles`, the whole program.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{centipawn, fake, have_stockfish, root, run, run_with};

#[test]
fn tags_are_those_the_examples_have() {
    let ran = run(centipawn(["puzzles", "tag", "examples/puzzles.csv"]));
    assert_eq!((ran.code(), ran.stderr()), (Some(0), "14 puzzles tagged\n"));
    assert_eq!(
        ran.stdout(),
        fs::read_to_string(root().join("examples/puzzles.csv")).unwrap()
    );
    insta::assert_snapshot!(
        run(centipawn([
            "puzzles",
            "tag",
            "examples/puzzles.csv",
            "--compare"
        ]))
        .snapshot()
    );
}

#[test]
fn every_format_can_be_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let original = fs::read_to_string(root().join("examples/puzzles.csv")).unwrap();
    for name in ["puzzles.jsonl", "puzzles.pgn"] {
        let file = folder.path().join(name);
        let file = file.to_str().unwrap();
        assert_eq!(
            run(centipawn([
                "puzzles",
                "export",
                "examples/puzzles.csv",
                "-o",
                file
            ]))
            .code(),
            Some(0)
        );
        let back = run(centipawn(["puzzles", "export", file, "--quiet"]));
        assert_eq!(
            (back.code(), back.stderr(), back.stdout()),
            (Some(0), "", original.as_str()),
            "{name}"
        );
    }
}

#[test]
fn errors_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = "h,6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1d8";
    let half = file(
        "half.csv",
        format!("PuzzleId,FEN,Moves\na,8/8/8/8/8/8/8/8 w - - 0 1,a1a2 a2a3\n{good}\n").as_bytes(),
    );
    let ran = run(centipawn(["puzzles", "tag", &half]));
    assert_eq!(ran.code(), Some(1));
    assert!(
        ran.stderr()
            .contains("half.csv: line 2, puzzle a: not a position of chess"),
        "{}",
        ran.stderr()
    );
    assert!(ran.stdout().contains("backRankMate"));

    let other = file("other.csv", b"Name,Price\nTea,3\n");
    let kept = file("kept.csv", b"as it was");
    let ran = run(centipawn(["puzzles", "tag", &other, "-o", &kept]));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("other.csv: no column FEN and Moves; "),
        "{}",
        ran.stderr()
    );
    assert_eq!(fs::read_to_string(&kept).unwrap(), "as it was");

    assert_eq!(
        run(centipawn(["puzzles", "tag", &half, "-o", &half])).code(),
        Some(2)
    );
    assert_eq!(
        run(centipawn(["puzzles", "tag", "no such file"])).code(),
        Some(3)
    );
    assert_eq!(
        run(centipawn(["puzzles", "export", &half, "--format", "xml"])).code(),
        Some(2)
    );
    let limits = [
        "puzzles", "mine", "examples", "--rules", "classic", "--nodes", "5",
    ];
    assert_eq!(run(centipawn(limits)).code(), Some(2));
    let tiers = [
        "puzzles", "mine", "examples", "--rules", "classic", "--tiers",
    ];
    assert_eq!(run(centipawn(tiers)).code(), Some(2));
}

/// The game has a mate in two that any engine finds.
#[test]
fn lichess_rules_give_whole_puzzles() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.pgn");
    let start = "7k/p3r1bP/1p1rp2q/8/2PBB3/4P3/P3KQ2/6R1 b - - 0 38";
    let tags = "[Site \"https://lichess.org/abcdefgh\"]\n[WhiteElo \"1400\"]";
    fs::write(
        &games,
        format!("{tags}\n[SetUp \"1\"]\n[FEN \"{start}\"]\n\n38... e5 {{[%eval #2]}} 39. Bxe5 *\n"),
    )
    .unwrap();
    let mine = |more: &[&str]| {
        let mut command = centipawn([
            "puzzles", "mine", "--rules", "lichess", "--effort", "0.002", "--jobs", "1",
        ]);
        run_with(command.arg(&games).args(more))
    };
    let ran = mine(&["--explain"]);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stderr()
            .contains("game 1, at 39. Bxe5: Qf8+: a puzzle, only moves, 2 stages"),
        "{}",
        ran.stderr()
    );
    let puzzle = ran.stdout().lines().nth(1).unwrap();
    assert!(
        puzzle.contains(&format!("{start},e6e5 f2f8 g7f8 g1g8,")),
        "{puzzle}"
    );
    assert!(
        puzzle.contains("mateIn2") && puzzle.contains("https://lichess.org/abcdefgh#1,"),
        "{puzzle}"
    );
    assert!(mine(&["--format", "json"]).stdout().starts_with('{'));
    assert_eq!(
        mine(&["--tiers", "--quiet"]).stdout().lines().count(),
        1,
        "a game of weak players is skipped"
    );
}

/// Anderssen's 22. Bf5+ with its two mates must be found by every version of Stockfish; 21. Qxd7+
/// before it is optional.
#[test]
fn the_evergreen_game_has_its_puzzle() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (store, file) = (path("store.db"), path("puzzles.jsonl"));
    let mine = |more: &[&str]| {
        let base = [
            "puzzles",
            "mine",
            "examples/evergreen-game.pgn",
            "--effort",
            "0.1",
            "--no-policy",
            "--store",
            &store,
        ];
        let mut command = centipawn(base);
        command.args(more);
        run(command)
    };
    let ran = mine(&["--explain", "-o", &file]);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let found = |mv| {
        ran.stderr()
            .contains(&format!("at {mv}: a puzzle, one move wins, 3 stages"))
    };
    assert!(
        found("21. Qxd7+: Qxd7+") || found("22. Bf5+: Bf5+"),
        "{}",
        ran.stderr()
    );
    let text = fs::read_to_string(&file).unwrap();
    let puzzles: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let moves = |puzzle: &serde_json::Value| puzzle["moves"].as_array().unwrap().clone();
    let puzzle = puzzles
        .iter()
        .find(|puzzle| moves(puzzle).contains(&"d3f5".into()))
        .unwrap();
    let mate = format!("mateIn{}", moves(puzzle).len() / 2);
    assert!(
        puzzle["themes"].as_array().unwrap().contains(&mate.into()),
        "{puzzle}"
    );
    let provenance = &puzzle["provenance"];
    assert_eq!(
        (
            &provenance["recipe"]["effort"],
            &provenance["inputs"][0]["bytes"]
        ),
        (&0.1.into(), &442.into())
    );
    assert!(
        provenance["engine"]["name"]
            .as_str()
            .unwrap()
            .starts_with("Stockfish"),
        "{provenance}"
    );
    assert!(
        puzzle["rating"].as_u64().unwrap() > 800 && puzzle["rating_interval"][0].is_u64(),
        "{puzzle}"
    );
    let mut ends = puzzle["tree"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|node| node["end"] == "mate");
    assert!(
        ends.any(|node| node["answers"].as_array().unwrap().len() == 2),
        "bishop and pawn mate: {puzzle}"
    );

    // A second run gives the same output and takes all answers from the store, except for proofs
    // that the first run did not begin. A run that knows the puzzles finds none.
    let again = mine(&["--format", "json"]);
    assert_eq!(again.stdout(), text);
    let (first, second, known) = (
        asked(ran.stderr()),
        asked(again.stderr()),
        known_before(again.stderr()),
    );
    assert!(
        known >= first.min(second) && known > 0,
        "{}{}",
        ran.stderr(),
        again.stderr()
    );
    let none = mine(&["--known", &file, "--format", "json"]);
    assert_eq!((none.code(), none.stdout()), (Some(0), ""));
    assert!(
        none.stderr().contains("refused: already a puzzle"),
        "{}",
        none.stderr()
    );

    let verified = run(centipawn([
        "puzzles", "verify", &file, "--nodes", "200k", "--store", &store,
    ]));
    assert_eq!(
        verified.code(),
        Some(0),
        "{}{}",
        verified.stdout(),
        verified.stderr()
    );
    assert!(
        verified
            .stdout()
            .contains(&format!("{} passes\n", puzzle["id"].as_str().unwrap()))
    );
}

/// Exports the puzzles that one player missed, in PGN with the game's tags. Two shards together
/// equal the whole.
#[test]
fn only_puzzles_that_the_player_missed_are_mined() {
    if !have_stockfish() {
        return;
    }
    let mine = |more: &[&str]| {
        let base = [
            "puzzles",
            "mine",
            "--effort",
            "0.02",
            "--no-policy",
            "--store",
            "none",
            "--format",
            "pgn",
        ];
        let mut command = centipawn(base);
        command
            .args(["examples/evergreen-game.pgn", "examples/immortal-draw.pgn"])
            .args(more);
        run(command)
    };
    let missed = mine(&[
        "--player",
        "jean dufresne",
        "--missed",
        "--min-moves",
        "1",
        "--explain",
    ]);
    assert_eq!(missed.code(), Some(0), "{}", missed.stderr());
    let refused_white = missed
        .stderr()
        .lines()
        .any(|line| line.contains("game 1, at ") && !line.contains("..."));
    assert!(!refused_white, "{}", missed.stderr());
    for tags in missed.stdout().split("[Event ").skip(1) {
        assert!(
            tags.contains("[Black \"Dufresne, Jean\"]") && tags.contains("[Played "),
            "{tags}"
        );
        assert!(
            tags.lines()
                .any(|line| line.starts_with("[Erred ") && line.contains("Black")),
            "{tags}"
        );
    }
    let (whole, [one, two]) = (
        mine(&[]),
        ["1/2", "2/2"].map(|part| mine(&["--shard", part])),
    );
    let [games, puzzles] = ["[White ", "[PuzzleId "].map(|tag| whole.stdout().matches(tag).count());
    assert!(games > 0 && games == puzzles, "{}", whole.stdout());
    assert_eq!(whole.stdout(), format!("{}{}", one.stdout(), two.stdout()));
    assert!(
        mine(&["--player", "Nobody"])
            .stderr()
            .contains("0 candidates")
    );
}

fn asked(summary: &str) -> u64 {
    number_after(summary, "searches: ")
}

fn known_before(summary: &str) -> u64 {
    number_after(summary, &format!("searches: {}, ", asked(summary)))
}

fn number_after(text: &str, head: &str) -> u64 {
    let rest = text
        .split_once(head)
        .unwrap_or_else(|| panic!("{head:?} in {text}"))
        .1;
    rest.chars()
        .take_while(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .unwrap()
}

/// The file contains an illegal move, a solution for which a better move exists, and a correct
/// solution.
#[test]
fn wrong_solutions_are_reported() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("puzzles.csv");
    let csv = "PuzzleId,FEN,Moves\n\
        mate,6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1d8\n\
        weak,6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1c1\n\
        bad,6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1d9\n";
    fs::write(&file, csv).unwrap();
    let file = file.to_str().unwrap();
    let ran = run(centipawn([
        "puzzles", "verify", file, "--nodes", "2k", "--store", "none",
    ]));
    assert_eq!(ran.code(), Some(1));
    let lines: Vec<&str> = ran.stdout().lines().collect();
    assert_eq!(lines[0], "mate passes");
    assert!(
        lines[1].starts_with("weak fails: 2. Rc1 (")
            && lines[1].contains("2. Rd8# (1.00) is better; "),
        "{}",
        lines[1]
    );
    assert!(
        ran.stderr()
            .contains("line 4, puzzle bad: d1d9 is not a legal move"),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr().contains("1 of 2 puzzles pass (50.0 %)"),
        "{}",
        ran.stderr()
    );
    let json = run(centipawn([
        "puzzles", "verify", file, "--first", "1", "--json", "--nodes", "2k", "--store", "none",
    ]));
    let document: serde_json::Value = serde_json::from_str(json.stdout()).unwrap();
    assert_eq!(
        (&document["id"], &document["stands"], json.code()),
        (&"mate".into(), &true.into(), Some(0))
    );
    let provenance = &document["provenance"];
    assert_eq!(
        (&provenance["recipe"]["limit"], &provenance["limit"]),
        (&"2000 nodes".into(), &"2000 nodes".into())
    );
    assert_eq!(provenance["inputs"][0]["name"], "puzzles.csv");
}

/// The solutions of a test suite must be better than all other moves, but need not win.
#[test]
fn test_suites_are_verified() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("suite.epd");
    let suite = "6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 w - - bm Rd8#; id \"mate\";\n\
        6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 w - - bm Rc1; id \"weak\";\n\
        7k/8/8/8/8/8/5r2/7K w - - am Kg1; id \"avoid\";\n\
        4k3/8/8/8/3b4/4r3/8/4K3 w - - bm Kd1 Kd2 Kf1 Kf2; id \"lost\";\n\
        nothing\n";
    fs::write(&file, suite).unwrap();
    let file = file.to_str().unwrap();
    let ran = run(centipawn([
        "puzzles", "verify", file, "--nodes", "2k", "--store", "none",
    ]));
    assert_eq!(ran.code(), Some(1));
    let lines: Vec<&str> = ran.stdout().lines().collect();
    assert_eq!((lines[0], lines.len()), ("mate passes", 3));
    assert!(
        lines[1].starts_with("weak fails: 1. Rc1 (")
            && lines[1].contains("1. Rd8# (1.00) is better"),
        "{}",
        lines[1]
    );
    assert_eq!(lines[2], "lost passes");
    assert!(
        ran.stderr()
            .contains("avoid: without a best move there is nothing to verify"),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr().contains("line 5: nothing: "),
        "{}",
        ran.stderr()
    );
    let first = run(centipawn([
        "puzzles", "verify", file, "--first", "1", "--nodes", "2k", "--store", "none",
    ]));
    assert_eq!(first.stdout(), "mate passes\n");
}

#[test]
fn ratings_are_estimates_with_intervals() {
    let ran = run(centipawn([
        "puzzles",
        "rate",
        "examples/puzzles.csv",
        "--all",
        "--no-policy",
        "--format",
        "json",
    ]));
    assert_eq!((ran.code(), ran.stderr()), (Some(0), "14 puzzles rated\n"));
    for line in ran.stdout().lines() {
        let puzzle: serde_json::Value = serde_json::from_str(line).unwrap();
        let [low, high] = [0, 1].map(|end| puzzle["rating_interval"][end].as_u64().unwrap());
        let rating = puzzle["rating"].as_u64().unwrap();
        assert!(
            low < rating && rating < high && puzzle["deviation"].as_u64().unwrap() > 100,
            "{line}"
        );
    }
    // Ratings that already exist in the file are kept.
    let kept = run(centipawn([
        "puzzles",
        "rate",
        "examples/puzzles.csv",
        "--no-policy",
        "--quiet",
    ]));
    assert_eq!(
        kept.stdout(),
        fs::read_to_string(root().join("examples/puzzles.csv")).unwrap()
    );
}

#[test]
fn a_folder_without_tables_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let fake = fake("");
    let ran = run(centipawn([
        "puzzles",
        "mine",
        "examples/opera-game.pgn",
        "--engine",
        &fake,
        "--no-policy",
        "--syzygy",
        folder,
        "--store",
        "none",
    ]));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("no Syzygy tables (.rtbw and .rtbz files) in "),
        "{}",
        ran.stderr()
    );
}

/// The puzzles depend on Stockfish's version, but not on the number of engines.
#[test]
fn mining_is_the_same_with_any_number_of_engines() {
    if !have_stockfish() {
        return;
    }
    let mine = |jobs| {
        let mut command = centipawn([
            "puzzles",
            "mine",
            "--rules",
            "classic",
            "--effort",
            "0.002",
            "--explain",
        ]);
        command.args(["opera-game", "immortal-draw"].map(|game| format!("examples/{game}.pgn")));
        run_with(command.args(["--jobs", jobs, "--progress", "none"]))
    };
    let (one, two) = (mine("1"), mine("2"));
    assert_eq!(one.snapshot(), two.snapshot());
    assert_eq!(one.code(), Some(0));
    assert!(
        one.stderr()
            .contains("at 17. Rd8#: Rd8#: refused, mate in one, 0 stages"),
        "{}",
        one.stderr()
    );
}

/// Deeper or wider searches in the store do not change the puzzles.
#[test]
fn stored_searches_do_not_change_the_puzzles() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.db").to_str().unwrap().to_owned();
    let mine = |scale: &str, store: &str, jobs: &str| {
        let mut command = centipawn([
            "puzzles",
            "mine",
            "--no-policy",
            "--format",
            "json",
            "--explain",
        ]);
        command.args([
            "examples/opera-game.pgn",
            "examples/evergreen-game.pgn",
            "--effort",
            scale,
        ]);
        let ran = run_with(command.args(["--store", store, "--jobs", jobs]));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let messages = ran
            .stderr()
            .split("searches:")
            .next()
            .unwrap_or_default()
            .to_owned();
        (ran.stdout().to_owned(), messages)
    };
    let without = mine("0.02", "none", "1");
    mine("0.05", &store, "2");
    assert_eq!(mine("0.02", &store, "2"), without);
}

/// Kills a run with a real engine, then finishes it. The puzzles must be the same, and there must
/// be some.
#[test]
fn a_killed_run_with_stockfish_can_be_finished() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mine = |store: &str, output: &str| {
        let mut command = centipawn([
            "puzzles",
            "mine",
            "--effort",
            "0.05",
            "--jobs",
            "2",
            "--quiet",
            "--no-policy",
        ]);
        command.args([
            "examples/immortal-draw.pgn",
            "examples/evergreen-game.pgn",
            "--format",
            "json",
        ]);
        command
            .arg("--store")
            .arg(folder.path().join(store))
            .arg("-o")
            .arg(folder.path().join(output));
        command
    };
    assert_eq!(run(mine("whole.db", "whole")).code(), Some(0));
    for kill in 0..10_u64 {
        let mut child = mine("killed.db", "killed")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(60 + kill * 13 % 50));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(run(mine("killed.db", "killed")).code(), Some(0));
    let puzzles = |output: &str| fs::read_to_string(folder.path().join(output)).unwrap();
    assert_eq!(puzzles("killed"), puzzles("whole"));
    assert!(puzzles("whole").lines().count() > 0);
}

/// Returns a mining run with a slow engine that logs each search.
fn mine(folder: &Path, ms: u32) -> Command {
    let engine = fake(&format!("log '{}' {ms}", folder.join("log").display()));
    let mut command = centipawn([
        "puzzles",
        "mine",
        "--rules",
        "classic",
        "--effort",
        "0.001",
        "--jobs",
        "2",
        "--explain",
    ]);
    command
        .args([
            "examples/opera-game.pgn",
            "examples/immortal-draw.pgn",
            "--engine",
            &engine,
            "--progress",
            "none",
        ])
        .arg("--store")
        .arg(folder.join("store.db"))
        .arg("-o")
        .arg(folder.join("puzzles.fen"));
    command
}

#[test]
fn a_run_killed_ten_times_repeats_few_searches() {
    let (undisturbed, disturbed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = run_with(&mut mine(undisturbed.path(), 0));
    assert_eq!(whole.code(), Some(0), "{}", whole.stderr());
    for kill in 0..10_u64 {
        let mut child = mine(disturbed.path(), 80)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(60 + kill * 37 % 110));
        child.kill().unwrap();
        assert!(
            !child.wait().unwrap().success(),
            "it was done before the kill"
        );
    }
    assert!(!disturbed.path().join("puzzles.fen").exists());
    let rest = run_with(&mut mine(disturbed.path(), 0));
    let but_searches = |stderr: &str| {
        stderr
            .split("searches:")
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        (rest.code(), but_searches(rest.stderr())),
        (Some(0), but_searches(whole.stderr()))
    );
    let puzzles = |folder: &Path| fs::read(folder.join("puzzles.fen")).unwrap();
    assert_eq!(puzzles(disturbed.path()), puzzles(undisturbed.path()));

    let searches = |folder: &Path| {
        let mut searches = HashMap::<String, usize>::new();
        for line in fs::read_to_string(folder.join("log")).unwrap().lines() {
            *searches.entry(line.to_owned()).or_default() += 1;
        }
        searches
    };
    // Searches that a kill interrupted are not in the log. Each kill may lose at most two finished
    // searches, whose answers were not yet stored: the store buffers two questions more than there
    // are engines.
    let (all, made) = (searches(undisturbed.path()), searches(disturbed.path()));
    assert!(all.keys().all(|search| made.contains_key(search)));
    let repeated: usize = made.values().map(|times| times - 1).sum();
    assert!(
        repeated <= 2 * 10,
        "{repeated} of {} searches were made again",
        made.len()
    );
}
