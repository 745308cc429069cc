//! Unusual files of other programs: what is read from each kind, and what is reported.

use std::{fs, path::Path};

use centipawn_test_support::data::shared;
use serde_json::Value;

use crate::common::{centipawn, root, run};

/// A file, and the expected results.
struct Odd {
    file: &'static str,
    games: u64,
    plies: u64,
    /// Games won by White, drawn, won by Black, and without a result.
    results: [u64; 4],
    /// The game, line and kind of each problem that `pgn check` reports.
    problems: &'static [&'static str],
}

const fn odd(
    file: &'static str,
    games: u64,
    plies: u64,
    results: [u64; 4],
    problems: &'static [&'static str],
) -> Odd {
    Odd {
        file,
        games,
        plies,
        results,
        problems,
    }
}

/// The files in `tests/data/odd`: one for each kind of problem.
const KINDS: [Odd; 22] = [
    odd("returns.pgn", 2, 11, [1, 0, 1, 0], &[]),
    odd("results.pgn", 8, 24, [3, 3, 2, 0], &[]),
    odd(
        "forfeits.pgn",
        6,
        4,
        [2, 0, 1, 3],
        &[
            "4:27 double forfeit",
            "5:34 double forfeit",
            "6:39 unreadable result",
        ],
    ),
    odd("dashes.pgn", 3, 24, [1, 0, 1, 1], &[]),
    odd("dashes-1252.pgn", 1, 8, [1, 0, 0, 0], &[]),
    odd("promotions.pgn", 6, 18, [0, 0, 0, 6], &[]),
    odd("null-moves.pgn", 3, 8, [0, 0, 0, 3], &["2:13 null move"]),
    odd("tag-blocks.pgn", 3, 2, [1, 1, 1, 0], &[]),
    odd(
        "repeated-tags.pgn",
        1,
        2,
        [1, 0, 0, 0],
        &["1:4 repeated tag"],
    ),
    odd(
        "unquoted-tags.pgn",
        1,
        2,
        [1, 0, 0, 0],
        &[
            "1:1 tag in another form",
            "1:2 tag in another form",
            "1:3 tag in another form",
            "1:5 tag in another form",
        ],
    ),
    odd(
        "tags-between.pgn",
        2,
        9,
        [1, 0, 1, 0],
        &["1:7 tag between moves"],
    ),
    odd("epd-fen.pgn", 2, 4, [1, 0, 1, 0], &[]),
    odd(
        "no-fen.pgn",
        3,
        7,
        [3, 0, 0, 0],
        &["1:1 no FEN", "2:8 no FEN"],
    ),
    odd(
        "illegal-last-move.pgn",
        3,
        10,
        [2, 0, 1, 0],
        &[
            "1:7 illegal last move",
            "2:14 illegal last move",
            "4:28 illegal move",
        ],
    ),
    odd(
        "kings-in-centre.pgn",
        2,
        8,
        [1, 1, 0, 0],
        &["1:6 kings in the centre", "2:13 kings in the centre"],
    ),
    odd("clocks.pgn", 3, 9, [3, 0, 0, 0], &[]),
    odd("time-controls.pgn", 11, 22, [11, 0, 0, 0], &[]),
    odd("chess-com-review.pgn", 1, 5, [1, 0, 0, 0], &[]),
    odd("byes.pgn", 7, 6, [5, 0, 2, 0], &[]),
    odd(
        "tags-behind.pgn",
        2,
        5,
        [1, 0, 1, 0],
        &["1:7 tag between moves", "2:14 tag between moves"],
    ),
    odd(
        "other-fens.pgn",
        5,
        9,
        [5, 0, 0, 0],
        &[
            "1:5 tag in another form",
            "2:13 tag in another form",
            "3:21 tag in another form",
            "4:29 FEN in another tag",
            "5:37 no FEN",
        ],
    ),
    odd(
        "faults.pgn",
        3,
        5,
        [2, 0, 1, 0],
        &[
            "1:6 unknown last move",
            "2:13 illegal last move",
            "3:20 illegal last move",
        ],
    ),
];

/// Files made from public bug reports of other programs.
const CASES: [Odd; 11] = [
    odd(
        "M01-illegal-move-recorded/illegal.pgn",
        4,
        18,
        [2, 1, 1, 0],
        &["1:10 illegal last move", "2:21 illegal last move"],
    ),
    odd("M03-byes/byes.pgn", 7, 6, [6, 1, 0, 0], &[]),
    odd(
        "P01-dgt-kings/dgt.pgn",
        3,
        17,
        [1, 1, 1, 0],
        &["1:9 kings in the centre", "2:19 kings in the centre"],
    ),
    odd(
        "P04-unquoted-tags/unquoted.pgn",
        1,
        3,
        [0, 0, 0, 1],
        &[
            "1:1 tag in another form",
            "1:2 tag in another form",
            "1:3 tag in another form",
            "1:4 tag in another form",
            "1:5 tag in another form",
            "1:6 tag in another form",
        ],
    ),
    odd("P05-result-variants/results.pgn", 8, 28, [1, 6, 1, 0], &[]),
    odd("P07-odd-comments/comments.pgn", 1, 5, [0, 0, 0, 1], &[]),
    odd("P11-null-moves/nulls.pgn", 1, 6, [0, 0, 0, 1], &[]),
    odd("P23-result-decimal/decimal.pgn", 3, 9, [1, 2, 0, 0], &[]),
    odd("X01-tag-blocks/blocks.pgn", 3, 0, [1, 1, 1, 0], &[]),
    odd("X01-tag-blocks/moves.pgn", 2, 2, [0, 0, 2, 0], &[]),
    odd(
        "X04-typographic-dashes/dashes.pgn",
        3,
        19,
        [2, 0, 0, 1],
        &[],
    ),
];

/// Returns the standard output of a command whose last argument is the file. Asserts the exit
/// status.
fn output<const N: usize>(args: [&str; N], file: &Path, status: i32) -> String {
    let mut command = centipawn(args);
    command.arg(file);
    let ran = run(command);
    assert_eq!(
        ran.code(),
        Some(status),
        "{args:?} {}: {}",
        file.display(),
        ran.snapshot()
    );
    ran.stdout().to_owned()
}

/// Returns the number of games and plies, and games by result.
fn read(file: &Path, status: i32) -> (u64, u64, [u64; 4]) {
    let stats: Value =
        serde_json::from_str(&output(["pgn", "stats", "--json"], file, status)).unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let results = ["white", "draw", "black", "unknown"].map(|name| number(&stats["results"][name]));
    (number(&stats["games"]), number(&stats["plies"]), results)
}

/// Kinds of problems that lose no information. Only `pgn check` reports them.
const HARMLESS: [&str; 3] = [
    "tag in another form",
    "tag between moves",
    "FEN in another tag",
];

/// Checks what is read and reported of a file. Its clean copy must have the same games, and a clean
/// copy of the copy the same text.
fn check(odd: &Odd, file: &Path) {
    let Odd {
        games,
        plies,
        results,
        problems,
        ..
    } = *odd;
    let loses = problems
        .iter()
        .any(|problem| !HARMLESS.iter().any(|harmless| problem.ends_with(harmless)));
    let expected = (games, plies, results);
    assert_eq!(read(file, loses.into()), expected, "{}", odd.file);
    let lines = output(
        ["pgn", "check", "--json"],
        file,
        (!problems.is_empty()).into(),
    );
    let found: Vec<String> = lines
        .lines()
        .map(|line| {
            let problem: Value = serde_json::from_str(line).unwrap();
            format!(
                "{}:{} {}",
                problem["game"],
                problem["line"],
                problem["kind"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(found, problems, "{}", odd.file);
    let folder = tempfile::tempdir().unwrap();
    let copies = ["once.pgn", "twice.pgn"].map(|name| folder.path().join(name));
    let once = output(["pgn", "clean"], file, loses.into());
    fs::write(&copies[0], &once).unwrap();
    // A result that cannot be parsed is copied unchanged, so the copy has the same problem.
    let keeps = problems
        .iter()
        .any(|problem| problem.ends_with("forfeit") || problem.ends_with("no FEN"));
    assert_eq!(
        read(&copies[0], keeps.into()),
        expected,
        "the copy of {}:\n{once}",
        odd.file
    );
    assert_eq!(
        output(["pgn", "clean"], &copies[0], keeps.into()),
        once,
        "{}",
        odd.file
    );
}

#[test]
fn each_kind_is_read_and_reported() {
    let folder = root().join("tests/data/odd");
    KINDS
        .iter()
        .for_each(|odd| check(odd, &folder.join(odd.file)));
    let files = fs::read_dir(folder).unwrap().count();
    assert_eq!(files, KINDS.len(), "every file is in the table");
}

#[test]
fn cases_of_other_programs_are_read_and_reported() {
    for odd in &CASES {
        if let Some(file) = shared(&format!("data/pgn/odd/{}", odd.file)) {
            check(odd, &file);
        }
    }
}

/// Returns the results of the players, and the notes of a match.
fn match_of(file: &Path, status: i32) -> (Value, Vec<String>) {
    let document: Value = serde_json::from_str(&output(["match", "--json"], file, status)).unwrap();
    let text = |note: &Value| note.as_str().unwrap().to_owned();
    let notes = document["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    (document, notes)
}

fn player(document: &Value, name: &str) -> Value {
    document["players"]
        .as_array()
        .unwrap()
        .iter()
        .find(|player| player["name"] == name)
        .unwrap()
        .clone()
}

/// A game that an engine lost by an illegal move counts, and so does the illegal move. If other
/// games are left out, a note says so.
#[test]
fn a_match_counts_games_lost_by_illegal_moves() {
    let file = root().join("tests/data/odd/illegal-last-move.pgn");
    let (document, notes) = match_of(&file, 1);
    let new = player(&document, "New");
    assert_eq!(
        (&new["games"], &new["wins"], &new["illegal_moves"]),
        (&3.into(), &1.into(), &2.into()),
        "{new}"
    );
    assert!(
        notes[0].starts_with("1 of 4 games is left out: 1 that cannot be read (illegal move)"),
        "{notes:?}"
    );
    assert!(
        output(["match"], &file, 1).contains("1 of 4 games is left out"),
        "the terminal has the note too"
    );
    let Some(file) = shared("data/pgn/odd/M01-illegal-move-recorded/illegal.pgn") else {
        return;
    };
    let (document, notes) = match_of(&file, 1);
    let new = player(&document, "New");
    assert_eq!(
        (&new["wins"], &new["draws"], &new["losses"]),
        (&1.into(), &1.into(), &2.into())
    );
    assert_eq!(
        (&new["score"], &new["illegal_moves"]),
        (&0.375.into(), &2.into())
    );
    let elo = document["pairings"][0]["by_games"]["elo"].as_f64().unwrap();
    assert!((elo + 88.74).abs() < 0.01, "{elo}");
    assert!(
        !notes.iter().any(|note| note.contains("left out")),
        "{notes:?}"
    );
}

/// Moves to squares outside the board and impossible king moves count as illegal moves, too. An
/// illegal move of the winner does not count against the loser.
#[test]
fn illegal_moves_count_against_the_side_to_move() {
    let (document, notes) = match_of(&root().join("tests/data/odd/faults.pgn"), 1);
    let [new, old] = ["New", "Old"].map(|name| player(&document, name));
    assert_eq!(
        (&new["games"], &new["wins"], &new["illegal_moves"]),
        (&3.into(), &1.into(), &2.into()),
        "{new}"
    );
    assert_eq!(old["illegal_moves"], 0, "{old}");
    let says = "1 game says that the winner lost by a fault";
    assert!(notes.iter().any(|note| note.starts_with(says)), "{notes:?}");
}

#[test]
fn a_bye_is_no_game() {
    let (document, notes) = match_of(&root().join("tests/data/odd/byes.pgn"), 0);
    let counts = ["games", "byes", "nameless"].map(|name| document[name].as_u64().unwrap());
    assert_eq!(counts, [2, 4, 1]);
    assert_eq!(
        document["players"].as_array().unwrap().len(),
        2,
        "{document}"
    );
    // A bye is no game, so it does not count among the games.
    assert!(
        notes[0].starts_with("1 of 7 games is left out: 1 without two different names"),
        "{notes:?}"
    );
    assert!(
        notes
            .iter()
            .any(|note| note.starts_with("4 rounds have no opponent (a bye)")),
        "{notes:?}"
    );
    let Some(file) = shared("data/pgn/odd/M03-byes/byes.pgn") else {
        return;
    };
    let (document, _) = match_of(&file, 0);
    let names: Vec<&Value> = document["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|player| &player["name"])
        .collect();
    assert!(
        names.len() == 3
            && ["A", "B", "C"]
                .iter()
                .all(|name| names.contains(&&(*name).into())),
        "{names:?}"
    );
    assert_eq!(
        (&document["byes"], &document["nameless"]),
        (&3.into(), &0.into())
    );
}

/// Some games of matches have a line of EPD in the FEN tag.
#[test]
fn positions_of_epd_are_read() {
    let Some(file) = shared("data/pgn/odd/P21-epd-fen-in-tag/epdfen.pgn") else {
        return;
    };
    let stats: Value = serde_json::from_str(&output(["pgn", "stats", "--json"], &file, 0)).unwrap();
    assert_eq!(
        (&stats["games"], &stats["plies"], &stats["other_starts"]),
        (&2.into(), &4.into(), &2.into())
    );
}

/// Time controls in words give the time of the tag, in seconds for forty moves.
#[test]
fn time_controls_in_words_are_read() {
    let classes = |file: &Path| {
        let text = fs::read(file).unwrap();
        let games = centipawn_pgn::Reader::new(&*text).map(|game| game.unwrap().unwrap());
        games.map(|game| game.players().seconds).collect::<Vec<_>>()
    };
    let hours = |hours: f64| Some(3600.0 * hours);
    let expected = [
        Some(5400.0 + 40.0 * 30.0),
        Some(5400.0 + 40.0 * 30.0),
        Some(5400.0 + 40.0 * 30.0),
        hours(40.0 * 24.0),
        hours(1.0),
        hours(1.5),
        Some(5400.0 + 40.0 * 30.0),
        hours(40.0 * 72.0),
        hours(0.5),
        Some(180.0 + 40.0 * 2.0),
        Some(60.0 + 40.0 * 0.6),
    ];
    assert_eq!(
        classes(&root().join("tests/data/odd/time-controls.pgn")),
        expected
    );
    let Some(file) = shared("data/pgn/odd/P17-time-control-words/tc.pgn") else {
        return;
    };
    let read = classes(&file);
    // The seventh tag means 600 seconds. The last one has moves and seconds in the wrong order.
    let expected = [
        3600.0,
        6600.0,
        3_456_000.0,
        6600.0,
        6600.0,
        3800.0,
        600.0,
        6600.0,
    ];
    assert_eq!(read, expected.map(Some));
}

#[test]
fn clocks_without_seconds_and_reviews_are_read() {
    let text = fs::read(root().join("tests/data/odd/clocks.pgn")).unwrap();
    let mut games = centipawn_pgn::GameScanner::new(&text);
    let mut clocks = Vec::new();
    while let Some(game) = games.next_game() {
        let clock = game
            .unwrap()
            .ply(0)
            .unwrap()
            .annotation(centipawn_pgn::Dialect::Commands)
            .clock;
        clocks.push(clock.unwrap().as_secs());
    }
    assert_eq!(clocks, [5400, 180, 7200]);
    let file = root().join("tests/data/odd/chess-com-review.pgn");
    let stats: Value = serde_json::from_str(&output(["pgn", "stats", "--json"], &file, 0)).unwrap();
    assert_eq!(
        (&stats["evaluated_plies"], &stats["dialects"]["text"]),
        (&4.into(), &1.into()),
        "{stats}"
    );
}
