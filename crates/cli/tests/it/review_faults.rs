//! `centipawn review` with faults: each is reported, the other games are reviewed, and no process
//! remains.

use std::{fs, path::Path, process::Stdio, thread, time::Duration};

use crate::common::{
    Ran, centipawn, fake, processes_with, run, run_with, wait_for_process, wait_until,
};

const TWO_GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n\
                         [White \"C\"]\n[Black \"D\"]\n\n1. d4 d5 2. c4 e6 0-1\n";

fn review(games: &[&Path], engine: &str, more: &[&str]) -> Ran {
    let mut command = centipawn([
        "review", "--jobs", "2", "--nodes", "1000", "--engine", engine,
    ]);
    command.args(games).args(more);
    run(command)
}

/// Returns the number of searches in an engine's log.
fn logged(log: &Path) -> usize {
    fs::read_to_string(log).unwrap_or_default().lines().count()
}

/// Returns a folder with a file of two games.
fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.pgn");
    fs::write(&file, TWO_GAMES).unwrap();
    (folder, file)
}

#[test]
fn unreadable_inputs_are_reported() {
    let (folder, good) = folder();
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        fs::write(&file, bytes).unwrap();
        file
    };
    let missing = folder.path().join("missing.pgn");
    let empty = write("empty.pgn", b"");
    let binary = write("binary.pgn", &[0, 159, 146, 150, 7, 0, 0, 255].repeat(40));
    let illegal = write(
        "illegal.pgn",
        b"[White \"E\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"F\"]\n\n1. c4 *\n",
    );
    let engine = fake("ok");

    for (bad, said) in [
        (&missing, "missing.pgn: No such file"),
        (&empty, "empty.pgn has no games"),
        (&binary, "binary.pgn: "),
        (&illegal, "2. Ke3 is not a legal move"),
    ] {
        let out = folder.path().join("out.pgn");
        let ran = review(&[bad, &good], &engine, &["-o", out.to_str().unwrap()]);
        assert_eq!(ran.code(), Some(1), "{}", ran.stderr());
        assert!(ran.stderr().contains(said), "{}", ran.stderr());
        assert!(
            fs::read_to_string(&out).unwrap().contains("[White \"C\"]"),
            "the other games are done"
        );
    }
    // Without any valid game, the command fails and prints no incomplete document.
    let only = write("only.pgn", b"1. e4 Ke7 *\n");
    for bad in [&missing, &empty, &binary, &only] {
        assert_eq!(review(&[bad], &engine, &[]).code(), Some(3));
        let ran = review(&[bad], &engine, &["--json", "-"]);
        assert_eq!(
            (ran.code(), ran.stdout()),
            (Some(3), ""),
            "{}",
            ran.stderr()
        );
    }
}

#[test]
fn engines_that_never_work_are_errors() {
    let (_folder, games) = folder();
    for (engine, said) in [
        ("no-such-engine".to_owned(), "no-such-engine was not found"),
        (fake("exit"), "does not answer as a UCI engine"),
        (fake("rubbish"), "does not answer as a UCI engine"),
        (fake("hang"), "does not answer as a UCI engine"),
    ] {
        let ran = review(&[&games], &engine, &[]);
        assert_eq!(ran.code(), Some(3), "{engine}: {}", ran.stderr());
        assert!(ran.stderr().contains(said), "{}", ran.stderr());
        assert_eq!(ran.stderr().lines().count(), 1, "{}", ran.stderr());
    }
    let ran = review(&[&games], "no-stockfish", &[]);
    assert!(
        ran.stderr().contains("--engine"),
        "says what to do: {}",
        ran.stderr()
    );
}

/// An engine that sometimes crashes is restarted, which changes no result.
#[test]
fn a_crashed_engine_is_restarted() {
    let (folder, games) = folder();
    let flag = folder.path().join("died");
    let ran = review(
        &[&games],
        &fake(&format!("die-once '{}'", flag.display())),
        &["--json", "-"],
    );
    assert!(flag.exists());
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let healthy = review(&[&games], &fake("ok"), &["--json", "-"]);
    assert_eq!(ran.stdout(), healthy.stdout());
}

/// A position at which every engine crashes costs only its game.
#[test]
fn a_position_that_always_fails_costs_its_game() {
    let (folder, games) = folder();
    let out = folder.path().join("out.pgn");
    // The position after 1. d4 d5 of the second game.
    let ran = review(
        &[&games],
        &fake("die-on 3p4/3P4"),
        &["-o", out.to_str().unwrap()],
    );
    assert_eq!(ran.code(), Some(1));
    assert!(
        ran.stderr().contains("two.pgn: game 2, line 6: at 2. c4: ")
            && ran.stderr().contains("died (exit status: 9)"),
        "{}",
        ran.stderr()
    );
    let written = fs::read_to_string(out).unwrap();
    let (first, second) = written.split_once("[White \"C\"]").unwrap();
    assert!(
        first.contains("%eval")
            && !second.contains("%eval")
            && second.contains("1. d4 d5 2. c4 e6 0-1")
    );
}

#[test]
fn an_engine_that_plays_nonsense() {
    let (_folder, games) = folder();
    let ran = review(&[&games], &fake("illegal-best e2e5"), &[]);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("\"bestmove e2e5\", which is not a legal move"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn unwritable_results_are_errors() {
    let (folder, games) = folder();
    let nowhere = folder.path().join("no/such/folder/out.pgn");
    let ran = review(&[&games], &fake("ok"), &["-o", nowhere.to_str().unwrap()]);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().starts_with("error: cannot write ")
            && ran.stderr().matches("No such file").count() == 1,
        "{}",
        ran.stderr()
    );
    let ran = review(&[&games], &fake("ok"), &["-o", "-", "--json", "-"]);
    assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
}

/// A result never replaces an input, and never destroys an earlier result.
#[test]
fn results_never_overwrite_inputs() {
    let (folder, games) = folder();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| fs::read_to_string(path(name)).unwrap();
    let engine = fake("ok");

    let ran = review(&[&games], &engine, &["-o", games.to_str().unwrap()]);
    assert_eq!(
        (ran.code(), text("two.pgn")),
        (Some(2), TWO_GAMES.to_owned()),
        "{}",
        ran.stderr()
    );
    let twice = path("x").display().to_string();
    assert_eq!(
        review(&[&games], &engine, &["-o", &twice, "--html", &twice]).code(),
        Some(2)
    );

    fs::write(path("good.pgn"), "good").unwrap();
    assert_eq!(
        review(
            &[&path("missing.pgn")],
            &engine,
            &["-o", path("good.pgn").to_str().unwrap()]
        )
        .code(),
        Some(3)
    );
    assert_eq!(
        text("good.pgn"),
        "good",
        "a run that did nothing changes nothing"
    );

    // An output that is a link remains a link, and a replaced file keeps its permissions.
    std::os::unix::fs::symlink(path("good.pgn"), path("link.pgn")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(path("good.pgn"), mode).unwrap();
    assert_eq!(
        review(
            &[&games],
            &engine,
            &["-o", path("link.pgn").to_str().unwrap()]
        )
        .code(),
        Some(0)
    );
    assert!(path("link.pgn").is_symlink() && text("good.pgn").contains("%eval"));
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(path("good.pgn")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);

    // Something other than a regular file, such as a pipe, is written to instead of replaced.
    assert!(
        std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let reader = thread::spawn({
        let pipe = path("pipe");
        move || fs::read_to_string(pipe).unwrap()
    });
    assert_eq!(
        review(&[&games], &engine, &["-o", path("pipe").to_str().unwrap()]).code(),
        Some(0)
    );
    assert!(reader.join().unwrap().contains("%eval") && !path("pipe").is_file());
}

/// The run ends after a few games if the engine fails at all of them, instead of trying thousands.
#[test]
fn a_run_ends_if_the_engine_always_fails() {
    let (folder, _) = folder();
    let games = folder.path().join("many.pgn");
    fs::write(&games, TWO_GAMES.repeat(50)).unwrap();
    let ran = review(&[&games], &fake("no-score"), &[]);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("5 games in a row failed") && ran.stderr().lines().count() < 10,
        "{}",
        ran.stderr()
    );
    // A run without puzzles keeps the puzzles of an earlier run, also if it read a single game.
    for (games, words) in [
        (50, "5 games in a row failed"),
        (1, "0 games, 0 candidates"),
    ] {
        let (pgn, out) = (
            folder.path().join("some.pgn"),
            folder.path().join("puzzles.csv"),
        );
        fs::write(&pgn, TWO_GAMES.repeat(games)).unwrap();
        fs::write(&out, "earlier").unwrap();
        let mut command = centipawn([
            "puzzles",
            "mine",
            "--store",
            "none",
            "--engine",
            &fake("no-score"),
        ]);
        command.arg(&pgn).arg("-o").arg(&out);
        let ran = run(command);
        assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
        assert!(ran.stderr().contains(words), "{}", ran.stderr());
        assert_eq!(fs::read_to_string(&out).unwrap(), "earlier");
    }
    let mut command = centipawn([
        "puzzles",
        "verify",
        "--store",
        "none",
        "--engine",
        &fake("no-score"),
    ]);
    command.arg("examples/puzzles.csv");
    let ran = run(command);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("5 puzzles in a row failed"),
        "{}",
        ran.stderr()
    );
    let positions = folder.path().join("positions.txt");
    fs::write(&positions, "startpos\n".repeat(100)).unwrap();
    let mut command = centipawn(["ease", "--store", "none", "--engine", &fake("no-score")]);
    command.arg(&positions);
    let ran = run(command);
    assert_eq!(
        (ran.code(), ran.stdout()),
        (Some(3), ""),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr().contains("5 positions in a row failed") && ran.stderr().lines().count() < 10,
        "{}",
        ran.stderr()
    );
}

/// The games that were reviewed before the run gave up do not replace earlier results.
#[test]
fn earlier_results_stay_after_an_error() {
    let (folder, _) = folder();
    let [games, out] = ["some.pgn", "reviewed.pgn"].map(|name| folder.path().join(name));
    let with_evals = "1. e4 { [%eval 0.2] } e5 { [%eval 0.2] } *\n\n";
    fs::write(&games, format!("{with_evals}{}", TWO_GAMES.repeat(5))).unwrap();
    let args = ["--reuse-evals", "-o", out.to_str().unwrap()];
    let ran = review(&[&games], &fake("no-score"), &args);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        fs::read_to_string(&out).unwrap().contains("%eval"),
        "what is done is written where nothing stands"
    );
    fs::write(&out, "earlier").unwrap();
    let ran = review(&[&games], &fake("no-score"), &args);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("reviewed.pgn is unchanged"),
        "{}",
        ran.stderr()
    );
    assert_eq!(fs::read_to_string(&out).unwrap(), "earlier");
}

#[test]
fn the_reader_closes_the_pipe() {
    let mut command = centipawn([
        "review",
        "tests/data/lichess.pgn",
        "--reuse-evals",
        "-o",
        "-",
    ]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(0), "")
    );

    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = centipawn(["review", "tests/data/lichess.pgn", "--reuse-evals"]);
    if let Ok(full) = full {
        let ran = run_with(command.stdout(full).stderr(Stdio::piped()));
        assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
        assert!(
            ran.stderr()
                .contains("cannot print the summary: No space left"),
            "{}",
            ran.stderr()
        );
    }
}

/// The log is on a full disk, but the results, which are on another disk, are written.
#[test]
fn a_message_that_cannot_be_printed_costs_no_result() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.pgn");
    fs::write(
        &games,
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke8 1-0\n\n1. e4 e5 1-0\n",
    )
    .unwrap();
    let copy = folder.path().join("copy.pgn");
    let mut command = centipawn(["pgn", "clean"]);
    command.arg(&games).arg("-o").arg(&copy);
    assert_eq!(
        run_with(command.stderr(full.try_clone().unwrap())).code(),
        Some(1)
    );
    assert!(fs::read_to_string(&copy).unwrap().contains("1. e4 e5 1-0"));
    let mut command = centipawn(["pgn", "stats", "no such file"]);
    assert_eq!(run_with(command.stderr(full)).code(), Some(3));
}

#[test]
fn flags_override_the_environment() {
    let mut command = centipawn([
        "symbols", "--played", "0", "--best", "1", "--curve", "tcec", "--json",
    ]);
    assert!(
        run_with(command.env("CENTIPAWN_BALANCE", "0.62"))
            .stdout()
            .contains("\"tcec\"")
    );
    let mut command = centipawn(["symbols", "--played", "0", "--best", "1", "--json"]);
    assert!(
        run_with(
            command
                .env("CENTIPAWN_BALANCE", "0.62")
                .env("CENTIPAWN_CURVE", "")
        )
        .stdout()
        .contains("balance 0.62")
    );
    let (_folder, games) = folder();
    let mut command = centipawn(["review", "--nodes", "1000"]);
    assert_eq!(
        run_with(command.env("CENTIPAWN_ENGINE", fake("ok")).arg(games)).code(),
        Some(0)
    );
}

/// Service managers and Compose files set unknown variables to an empty text.
#[test]
fn empty_variables_are_unset_and_wrong_ones_are_errors() {
    let review = || {
        centipawn([
            "review",
            "tests/data/lichess.pgn",
            "--reuse-evals",
            "--scheme",
            "s8",
        ])
    };
    let site = || centipawn(["site", "/nonexistent", "tests/data/lichess.pgn"]);
    let ran = run_with(
        review()
            .env("CENTIPAWN_LANGUAGE", "")
            .env("CENTIPAWN_SCHEME", " "),
    );
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    // A flag overrides the variable.
    assert_eq!(
        run_with(review().env("CENTIPAWN_SCHEME", "x")).code(),
        Some(0)
    );
    for (name, reason) in [
        ("CENTIPAWN_LANGUAGE", "unknown language"),
        ("CENTIPAWN_SCHEME", "there is no scheme"),
    ] {
        let ran = run_with(site().env(name, "x"));
        assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
        assert!(
            ran.stderr().contains(&format!("{name}: {reason} \"x\"")),
            "{}",
            ran.stderr()
        );
    }
}

/// `centipawn uci` can itself be the engine of a review. It must find the user's engine in
/// $CENTIPAWN_ENGINE, so marks of engine processes use another variable.
#[test]
fn the_engine_of_the_environment_reaches_programs_below_an_engine() {
    let (_folder, games) = folder();
    let engine = format!("'{}' uci", env!("CARGO_BIN_EXE_centipawn"));
    let mut command = centipawn(["review", "--nodes", "1000", "--engine", &engine]);
    let ran = run_with(command.env("CENTIPAWN_ENGINE", fake("ok")).arg(games));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
}

/// Control characters of a name in a file do not reach the terminal.
#[test]
fn control_characters_of_names_are_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("x.pgn");
    fs::write(
        &games,
        "[White \"\u{1b}]0;pwned\u{7}\u{1b}[31mR\"]\n[Black \"\u{68cb}\u{8056}\u{68cb}\u{8056}\"]\n\n1. e4 *\n",
    )
    .unwrap();
    let ran = review(&[&games], &fake("ok"), &["--color", "never"]);
    assert!(
        !ran.stdout().contains('\u{7}') && !ran.stdout().contains("\u{1b}"),
        "{:?}",
        ran.stdout()
    );
    assert!(ran.stdout().contains("\u{fffd}]0;pwned"));
}

#[test]
fn engine_options_are_checked() {
    let (_folder, games) = folder();
    let ran = review(&[&games], &fake("ok"), &["--option", "Hsah=64"]);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("Hash"),
        "names what was meant: {}",
        ran.stderr()
    );
}

/// After Ctrl-C, finished games are in the output, the status is 130, and no engine remains.
#[test]
fn ctrl_c_keeps_finished_games() {
    let (folder, _) = folder();
    let games = folder.path().join("many.pgn");
    fs::write(&games, TWO_GAMES.repeat(50)).unwrap();
    let out = folder.path().join("out.pgn");
    // The engine has a unique name, so that its processes can be told apart from those of other
    // tests.
    let mark = folder.path().join("engine-of-this-test");
    fs::copy(centipawn_fake_engine::path(), &mark).unwrap();

    let mut command = centipawn(["review", "--jobs", "2", "--progress", "json", "--engine"]);
    let searches = folder.path().join("searches");
    command
        .arg(format!(
            "'{}' log '{}' 50",
            mark.display(),
            searches.display()
        ))
        .arg(&games)
        .arg("-o")
        .arg(&out);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("some games are searched", || logged(&searches) >= 30);
    thread::sleep(Duration::from_millis(300));
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupt.success());
    let status = child.wait().unwrap();

    assert_eq!(status.code(), Some(130));
    let written = fs::read_to_string(&out).unwrap();
    let games = written.matches("[White ").count();
    assert!((1..100).contains(&games), "{games} games");
    assert_eq!(
        written.matches("[Annotator ").count(),
        games,
        "only finished ones"
    );
    assert_eq!(processes_with("engine-of-this-test"), 0);
    let mut names = fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .map(|file| file.file_name());
    assert!(
        !names.any(|name| name.to_string_lossy().starts_with(".centipawn")),
        "no half-written file"
    );
}

/// Ctrl-C ends the program while it waits for input, and while it waits for an engine.
#[test]
fn ctrl_c_ends_waiting() {
    let (folder, games) = folder();
    let out = folder.path().join("out.pgn");
    let interrupt = |mut child: std::process::Child| {
        assert!(
            std::process::Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let asked = std::time::Instant::now();
        let status = child.wait().unwrap();
        // Without Ctrl-C, the program would wait forever for standard input, or 10 s for the
        // engine's answer. So it must end in less than 10 s.
        assert!(
            asked.elapsed() < Duration::from_secs(8),
            "it took {:?}",
            asked.elapsed()
        );
        assert_eq!(status.code(), Some(130));
    };

    // The engines have unique names, so that their processes can be found.
    let engine = |part: &str| {
        let mark = folder.path().join(format!("engine-{part}"));
        fs::copy(centipawn_fake_engine::path(), &mark).unwrap();
        (
            format!("'{}' {part}", mark.display()),
            format!("{} {part}", mark.display()),
        )
    };
    let (engine_command, running) = engine("ok");
    let mut command = centipawn([
        "review",
        "-",
        "--jobs",
        "2",
        "--nodes",
        "1000",
        "--engine",
        &engine_command,
        "-o",
    ]);
    let mut child = command
        .arg(&out)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, TWO_GAMES.as_bytes()).unwrap();
    wait_for_process(&running);
    // Wait until the program has read its input.
    thread::sleep(Duration::from_millis(500));
    interrupt(child);
    drop(stdin);

    let (engine_command, running) = engine("hang");
    let mut command = centipawn(["review", "--engine", &engine_command]);
    let child = command
        .arg(&games)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_process(&running);
    interrupt(child);
}
