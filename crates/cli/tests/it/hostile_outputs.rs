//! Outputs without a reader, on a full disk, or behind links; and untrusted text in outputs.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use centipawn_test_support::skipped;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Ran, centipawn, fake, root, run};

const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n";

/// Sends one signal to a program that waits for a reader, and returns its exit status.
fn end(mut running: Child, signal: Signal, what: &str) -> Option<i32> {
    thread::sleep(Duration::from_millis(700));
    assert!(
        running.try_wait().unwrap().is_none(),
        "{what} does not wait for a reader"
    );
    kill_process(Pid::from_child(&running), signal).unwrap();
    let begin = Instant::now();
    loop {
        if let Some(status) = running.try_wait().unwrap() {
            return status.code();
        }
        if begin.elapsed() > Duration::from_secs(10) {
            running.kill().unwrap();
            running.wait().unwrap();
            panic!("{what} survives {signal:?}");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn an_output_pipe_without_a_reader_ends_at_the_first_signal() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("games.pgn"), GAME).unwrap();
    // `diagram` chooses the format by the file extension, so one pipe has the extension .svg.
    ["pipe", "pipe.svg"].iter().for_each(|name| pipe(&at(name)));
    let counts = root().join("examples/selfplay.wdl").display().to_string();
    for (args, signal) in [
        (
            &["pgn", "clean", "games.pgn", "-o", "pipe"][..],
            Signal::TERM,
        ),
        (&["pgn", "clean", "games.pgn", "-o", "pipe"], Signal::INT),
        (&["merge", &counts, "-o", "pipe"], Signal::TERM),
        (&["diagram", "startpos", "-o", "pipe.svg"], Signal::INT),
        (
            &["wdl", "fit", &counts, "--resamples", "0", "-o", "pipe"],
            Signal::TERM,
        ),
    ] {
        let mut command = centipawn([]);
        command
            .args(args)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert_eq!(
            end(command.spawn().unwrap(), signal, &args.join(" ")),
            Some(130),
            "{args:?}"
        );
    }
}

#[test]
fn a_pipe_with_a_reader_gets_everything() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("games.pgn"), GAME.repeat(5_000)).unwrap();
    pipe(&at("pipe"));
    let mut command = centipawn(["pgn", "clean", "games.pgn", "-o", "pipe"]);
    let running = command
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let text = fs::read_to_string(at("pipe")).unwrap();
    assert!(running.wait_with_output().unwrap().status.success());
    assert_eq!(text.matches("3. Bb5 a6 1-0").count(), 5_000);
    let mut command = centipawn(["pgn", "clean", "games.pgn"]);
    assert_eq!(
        run_in(&mut command, folder.path()).stdout(),
        text,
        "standard output has the same bytes"
    );
}

fn run_in(command: &mut Command, folder: &Path) -> Ran {
    crate::common::run_with(command.current_dir(folder))
}

/// If the reader of standard output stalls, neither a result nor a list of problems may block the
/// program after a signal.
#[test]
fn a_stalled_reader_of_standard_output_does_not_block_the_program() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAME.repeat(20_000)).unwrap();
    fs::write(
        folder.path().join("bad.pgn"),
        "[White \"A\"]\n\n1. e5 *\n\n".repeat(20_000),
    )
    .unwrap();
    for (args, signal) in [
        (["pgn", "clean", "games.pgn"], Signal::TERM),
        (["pgn", "clean", "games.pgn"], Signal::INT),
        (["pgn", "check", "bad.pgn"], Signal::TERM),
    ] {
        let mut command = centipawn(args);
        command
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        let _unread = running.stdout.take();
        assert_eq!(end(running, signal, &args.join(" ")), Some(130), "{args:?}");
    }
}

#[test]
fn a_failed_print_is_an_error() {
    for args in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["help"],
        &["review", "--help"],
        &["wdl", "run", "-V"],
        &["completions", "bash"],
        &["symbols", "--played", "-1", "--best", "2"],
        &["pgn", "stats", "examples/opera-game.pgn"],
    ] {
        let mut command = centipawn([]);
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = command
            .args(args)
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{args:?}: {stderr}");
        assert!(
            stderr.contains("No space left on device"),
            "{args:?}: {stderr}"
        );
        // A reader that closes the pipe early (such as `head`) is not an error.
        let mut command = centipawn([]);
        let mut running = command
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        drop(running.stdout.take());
        assert_eq!(running.wait().unwrap().code(), Some(0), "{args:?}");
    }
    // A usage error keeps its exit status, although writing the output fails, too.
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    assert_eq!(
        centipawn(["reveiw"])
            .stdout(full)
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .code(),
        Some(2)
    );
}

#[test]
fn links_in_a_circle_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("games.pgn"), GAME).unwrap();
    symlink("other", at("one")).unwrap();
    symlink("one", at("other")).unwrap();
    symlink("target.pgn", at("link")).unwrap();
    let clean = |output: &str| {
        run_in(
            &mut centipawn(["pgn", "clean", "games.pgn", "-o", output]),
            folder.path(),
        )
    };
    let ran = clean("one");
    assert_eq!(ran.code(), Some(3), "{}", ran.snapshot());
    assert!(
        ran.stderr()
            .contains("cannot write one: it is a symbolic link that leads back to itself"),
        "{}",
        ran.stderr()
    );
    assert!(at("one").is_symlink() && at("other").is_symlink());
    let ran = clean("link");
    assert_eq!(ran.code(), Some(0), "{}", ran.snapshot());
    assert!(
        at("link").is_symlink()
            && fs::read_to_string(at("target.pgn"))
                .unwrap()
                .contains("3. Bb5 a6")
    );
}

#[test]
fn a_batch_does_not_write_through_links_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("games.pgn"), GAME).unwrap();
    let review = || {
        let mut command = centipawn([
            "review",
            "games.pgn",
            "--nodes",
            "1000",
            "--jobs",
            "1",
            "--batch",
            "batch",
        ]);
        run_in(command.args(["--engine", &fake("ok")]), folder.path())
    };
    fs::create_dir_all(at("elsewhere")).unwrap();
    fs::write(at("elsewhere/00001.html"), "theirs").unwrap();
    for name in ["games", "players"] {
        // Create a folder of an earlier review first, whose pages would be replaced. Otherwise the
        // batch would be refused because of the files behind the link.
        let ran = review();
        assert_eq!(ran.code(), Some(0), "{}", ran.snapshot());
        if at("batch").join(name).exists() {
            fs::remove_dir_all(at("batch").join(name)).unwrap();
        }
        symlink(at("elsewhere"), at("batch").join(name)).unwrap();
        let ran = review();
        assert_eq!(ran.code(), Some(3), "{}", ran.snapshot());
        let text = format!("cannot write batch/{name}: it is a symbolic link to another place");
        assert!(ran.stderr().contains(&text), "{}", ran.stderr());
        assert_eq!(
            fs::read_to_string(at("elsewhere/00001.html")).unwrap(),
            "theirs"
        );
        assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 1);
        fs::remove_dir_all(at("batch")).unwrap();
    }
    // The batch folder itself may be a link, because the user named it.
    fs::create_dir_all(at("real")).unwrap();
    symlink(at("real"), at("batch")).unwrap();
    let ran = review();
    assert_eq!(ran.code(), Some(0), "{}", ran.snapshot());
    assert!(at("real/games/00001.html").is_file() && at("batch").is_symlink());
}

/// The engine's name is untrusted text that is printed and written into documents.
#[test]
fn control_characters_of_an_engine_reach_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("games.pgn"), GAME).unwrap();
    let engine = fake("named 'Evil\\e[2J\\c31m Fish'");
    let mut command = centipawn([
        "review",
        "games.pgn",
        "--nodes",
        "1000",
        "--jobs",
        "1",
        "-o",
        "out.pgn",
    ]);
    command.args([
        "--html",
        "out.html",
        "--json",
        "out.json",
        "--markdown",
        "out.md",
        "--engine",
        &engine,
    ]);
    let ran = run_in(&mut command, folder.path());
    assert_eq!(ran.code(), Some(0), "{}", ran.snapshot());
    let is_bad = |char: char| char.is_control() && !matches!(char, '\n' | '\r' | '\t');
    for name in ["out.pgn", "out.html", "out.json", "out.md"] {
        let text = fs::read_to_string(at(name)).unwrap();
        assert!(!text.contains(is_bad), "{name}");
        assert!(
            !text.contains("\\u001b") && !text.contains("\\u009b"),
            "{name}"
        );
    }
    assert!(
        fs::read_to_string(at("out.pgn"))
            .unwrap()
            .contains("Evil\u{fffd}[2J\u{fffd}31m Fish")
    );
    assert!(
        !ran.stdout().contains(is_bad) && !ran.stderr().contains(is_bad),
        "{}",
        ran.snapshot()
    );
    let mut command = centipawn(["engines", "--movetime", "10"]);
    command.arg(&engine);
    let ran = run(command);
    assert!(
        ran.stdout().contains("Evil") && !ran.stdout().contains(is_bad),
        "{}",
        ran.snapshot()
    );
}

#[test]
fn implausible_scores_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAME).unwrap();
    for score in ["cp -2147483648", "cp 2147483647", "mate 2147483647"] {
        let engine = fake(&format!("score {score}"));
        let mut command = centipawn([
            "review",
            "games.pgn",
            "--nodes",
            "1000",
            "--jobs",
            "1",
            "-o",
            "out.pgn",
        ]);
        let ran = run_in(command.args(["--engine", &engine]), folder.path());
        assert_eq!(ran.code(), Some(3), "{score}: {}", ran.snapshot());
        let text = format!("Fake 1.0 answered \"score {score}\" in ");
        assert!(
            ran.stderr().contains(&text) && ran.stderr().contains("the engine is broken"),
            "{}",
            ran.stderr()
        );
        assert!(!ran.stdout().contains("21474836"), "{}", ran.stdout());
    }
    // Large scores of tablebase wins and mates, as some engines print them, are accepted.
    for score in ["cp 20000", "cp -31999", "cp 100000"] {
        let engine = fake(&format!("score {score}"));
        let mut command = centipawn([
            "review",
            "games.pgn",
            "--nodes",
            "1000",
            "--jobs",
            "1",
            "-o",
            "out.pgn",
        ]);
        let ran = run_in(command.args(["--engine", &engine]), folder.path());
        assert_eq!(ran.code(), Some(0), "{score}: {}", ran.snapshot());
    }
}

/// JSON escapes ESC, but not the C1 control characters, which terminals obey as well. They are
/// removed on a terminal; a file keeps the document's bytes.
#[test]
fn a_terminal_receives_no_control_characters_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let name = "An\u{9b}2J\u{7f}\u{85}na";
    fs::write(
        folder.path().join("games.pgn"),
        GAME.replace("\"A\"", &format!("\"{name}\"")),
    )
    .unwrap();
    let mut command = centipawn(["pgn", "stats", "--json", "games.pgn"]);
    let ran = run_in(&mut command, folder.path());
    assert!(ran.stdout().contains(name), "{}", ran.snapshot());
    let program = centipawn([]).get_program().to_string_lossy().into_owned();
    let line = format!("'{program}' pgn stats --json games.pgn");
    let mut script = Command::new("script");
    script
        .args(["-qec", &line, "/dev/null"])
        .current_dir(folder.path())
        .stdin(Stdio::null());
    script
        .env("CENTIPAWN_STORE", "none")
        .env("XDG_DATA_HOME", "/nonexistent")
        .env("TERM", "xterm");
    let Ok(shown) = script.output() else {
        return skipped(
            "the program `script` is not installed",
            "CENTIPAWN_REQUIRE_ENGINES",
        );
    };
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains(r"An\u009b2J\u007f\u0085na"), "{shown}");
    let is_bad = |char: char| char.is_control() && !matches!(char, '\n' | '\r' | '\t' | '\x1b');
    assert!(!shown.contains(is_bad), "{shown:?}");
    let json = shown
        .lines()
        .find(|line| line.contains("2J"))
        .unwrap_or_default();
    assert!(!json.contains('\x1b'), "{json:?}");
}

/// A part prints no result until it is merged, so its exit status needs an explanation.
#[test]
fn a_part_with_skipped_games_prints_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), format!("{GAME}1. e5 *\n")).unwrap();
    for words in [&["pgn", "stats"][..], &["match"], &["balance"]] {
        let mut command = centipawn([]);
        let ran = run_in(
            command.args(words).args(["games.pgn", "--partial", "part"]),
            folder.path(),
        );
        assert_eq!(ran.code(), Some(1), "{words:?}: {}", ran.snapshot());
        assert!(
            ran.stderr().contains("problem") || ran.stderr().contains("1. e5"),
            "{words:?}: {}",
            ran.snapshot()
        );
    }
}

/// Spreadsheets execute cells that begin like a formula. Such cells are escaped, and reading the
/// file gives the same puzzle.
#[test]
fn no_cell_of_exported_puzzles_is_a_formula() {
    let folder = tempfile::tempdir().unwrap();
    let examples = fs::read_to_string(root().join("examples/puzzles.csv")).unwrap();
    let mut lines = examples.lines();
    let (header, puzzle) = (lines.next().unwrap(), lines.next().unwrap());
    let (_, rest) = puzzle.split_once(',').unwrap();
    let (before, _) = rest.rsplit_once(',').unwrap();
    let (before, _) = before.rsplit_once(',').unwrap();
    let text = format!("{header}\n=1+1,{before},\"=HYPERLINK(\"\"http://x\"\")\",@SUM(A1)\n");
    fs::write(folder.path().join("in.csv"), &text).unwrap();
    let convert = |from: &str| {
        run_in(
            &mut centipawn(["puzzles", "export", from, "--format", "csv"]),
            folder.path(),
        )
    };
    let ran = convert("in.csv");
    assert_eq!(ran.code(), Some(0), "{}", ran.snapshot());
    let row = ran.stdout().lines().nth(1).unwrap();
    for cell in ["'=1+1,", "'=HYPERLINK", ",'@SUM(A1)"] {
        assert!(row.contains(cell), "{row}");
    }
    fs::write(folder.path().join("out.csv"), ran.stdout()).unwrap();
    let json = |from: &str| {
        let mut command = centipawn(["puzzles", "export", from, "--format", "json"]);
        run_in(&mut command, folder.path()).stdout().to_owned()
    };
    assert_eq!(json("out.csv"), json("in.csv"), "the puzzle is the same");
    assert!(json("in.csv").contains("\"=1+1\""), "{}", json("in.csv"));
}
