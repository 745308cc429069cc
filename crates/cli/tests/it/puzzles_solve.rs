//! `centipawn puzzles solve`, the whole program, with moves from a pipe.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use crate::common::{Ran, centipawn};

/// Runs the command with these lines on standard input.
fn solve(args: &[&str], lines: &str) -> Ran {
    let mut command = centipawn(["puzzles", "solve", "--color", "never"]);
    typed(command.args(args), lines)
}

fn typed(command: &mut Command, lines: &str) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("centipawn runs");
    // Ignore errors: the program may have ended already.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    Ran::of(child.wait_with_output().unwrap())
}

/// Returns the output, with every time replaced by 0:00.
fn transcript(ran: &Ran) -> String {
    let mut text = ran.snapshot();
    if let Some(at) = text.find(" solved in ") {
        let start = at + " solved in ".len();
        let end = start + text[start..].find('\n').unwrap();
        text.replace_range(start..end, "0:00");
    }
    text
}

const EXAMPLES: &str = "examples/puzzles.csv";

#[test]
fn a_session() {
    // One puzzle is solved at once, one with a mistake, an invalid input and both hints; one is
    // shown, one is skipped, then the user quits.
    let lines =
        "help\nrc2\n\nqd1+\nQxc2\nNf3\nboard\nqd4\nhint\nHint\nrxd4\nKg3\nanswer\nskip\nquit\n";
    insta::assert_snapshot!(transcript(&solve(&[EXAMPLES], lines)));
}

#[test]
fn chosen_by_theme_and_rating() {
    let args = [
        EXAMPLES,
        "--themes",
        "smotheredmate,promotion",
        "--rating",
        "..1500",
    ];
    insta::assert_snapshot!(transcript(&solve(&args, "ne7\na7\nkc3\na8\n")));
    let ran = solve(&[EXAMPLES, "--rating", "3000.."], "");
    assert_eq!(
        (ran.code(), ran.stderr()),
        (
            Some(3),
            "error: no puzzle fits: --themes and --rating leave none\n"
        )
    );
    for wrong in [
        ["--rating", "12"],
        ["--rating", "9..3"],
        ["--themes", "knifing"],
    ] {
        assert_eq!(
            solve(&[EXAMPLES, wrong[0], wrong[1]], "").code(),
            Some(2),
            "{wrong:?}"
        );
    }
    let ran = solve(&["-"], "");
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr().contains("moves are typed there"),
        "{}",
        ran.stderr()
    );
}

/// The estimate uses the ratings of puzzles and players. The output names the most tempting wrong
/// move, and puzzles near the user's rating come first.
#[test]
fn the_share_of_players_who_solve_a_puzzle_is_printed() {
    let ran = solve(
        &[
            EXAMPLES, "--count", "2", "--level", "1500", "--rating", "1..",
        ],
        "answer\nanswer\n",
    );
    let text = ran.stdout();
    for puzzle in text.split("\nPuzzle ").skip(1) {
        let rating: f64 = puzzle
            .split_once("rated ")
            .unwrap()
            .1
            .lines()
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let share = 100.0 / (1.0 + 10_f64.powf((rating - 1500.0) / 400.0));
        assert!(
            puzzle.contains(&format!(
                "\n{share:.0} % of players rated 1500 solve this puzzle"
            )),
            "{puzzle}"
        );
    }
    assert!(
        text.contains("; the most tempting other move is Bg3\n"),
        "{text}"
    );
    // Without --rating, only puzzles near the user's rating are chosen.
    let near = solve(&[EXAMPLES, "--level", "1500"], &"skip\n".repeat(100));
    let ratings = near
        .stdout()
        .split(", rated ")
        .skip(1)
        .map(|rest| rest.lines().next().unwrap().parse::<u32>().unwrap())
        .collect::<Vec<_>>();
    assert!(
        !ratings.is_empty() && ratings.iter().all(|rating| rating.abs_diff(1500) <= 300),
        "{ratings:?}"
    );
    // For players outside the ratings of the networks no network is loaded.
    let strong = solve(
        &[
            EXAMPLES, "--count", "1", "--level", "2600", "--rating", "1..",
        ],
        "answer\n",
    );
    assert!(
        strong
            .stdout()
            .contains(" % of players rated 2600 solve this puzzle"),
        "{}",
        strong.stdout()
    );
}

/// White has two mates, and either is correct.
#[test]
fn any_mate_is_correct() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.csv");
    std::fs::write(
        &file,
        "FEN,Moves\n6k1/5ppp/8/7p/8/8/5PPP/1R1Q2K1 b - - 0 1,h5h4 d1d8\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let ran = solve(&[file], "rb8\n");
    assert!(
        ran.stdout()
            .contains("Rb8# is right. Solved. The solution has Qd8#.\nThemes: backRankMate"),
        "{}",
        ran.stdout()
    );
    assert_eq!(ran.code(), Some(0));
    // Qd7 does not mate, so it is wrong.
    let ran = solve(&[file], "qd7\nQd8\n");
    assert!(
        ran.stdout().contains("Qd7 is wrong. ")
            && ran.stdout().contains("Solved after mistakes.\n")
    );
}

#[test]
fn the_same_seed_is_the_same_order() {
    let order = |args: &[&str]| {
        let ran = solve(
            &[&[EXAMPLES, "--quiet"], args].concat(),
            &"answer\n".repeat(20),
        );
        let urls = ran
            .stdout()
            .lines()
            .filter(|line| line.starts_with("From "))
            .map(str::to_owned);
        urls.collect::<Vec<_>>()
    };
    let (plain, one, two) = (order(&[]), order(&["--seed", "1"]), order(&["--seed", "2"]));
    assert_eq!((plain.len(), one.len()), (14, 14));
    assert_eq!(one, order(&["--seed", "1", "--shuffle"]));
    assert!(one != two && one != plain);
    let few = order(&["--shuffle", "--count", "5"]);
    assert!(few.len() == 5 && few.iter().all(|url| plain.contains(url)));
    assert_eq!(order(&["--count", "2"]), plain[..2]);
}

#[test]
fn unreadable_files_are_reported() {
    let ran = solve(&["no such file", EXAMPLES], "quit\n");
    assert_eq!(ran.code(), Some(1));
    assert!(ran.stderr().contains("no such file"), "{}", ran.stderr());
    assert_eq!(solve(&["no such file"], "").code(), Some(3));
}

#[test]
fn in_colours() {
    let draw = |locale: &str, args: &[&str]| {
        let mut command = centipawn(["puzzles", "solve", EXAMPLES, "--color", "always"]);
        typed(command.args(args).env("LC_ALL", locale), "quit\n")
            .stdout()
            .to_owned()
    };
    let colours = draw("C.UTF-8", &[]);
    assert!(
        colours.contains('♞') && colours.contains("\u{1b}[38;5;16m"),
        "{colours}"
    );
    for letters in [draw("C.UTF-8", &["--ascii"]), draw("C", &[])] {
        assert!(letters.is_ascii() && letters.contains(" k "), "{letters}");
    }
}

/// Ctrl-C ends the wait for a move, and the summary is printed.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_session_with_its_summary() {
    let mut command = centipawn(["puzzles", "solve", EXAMPLES]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Once a first puzzle is solved, the program handles Ctrl-C.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"skip\n").unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("Puzzle 2") {
        assert!(
            std::io::BufRead::read_line(&mut stdout, &mut text).unwrap() > 0,
            "{text}"
        );
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    std::io::Read::read_to_string(&mut stdout, &mut text).unwrap();
    assert!(
        text.contains("\n0 of 1 puzzle solved in ") && text.ends_with("    1 skipped\n"),
        "{text}"
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}
