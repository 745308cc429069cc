//! Hostile files, signals and disks: every loss is reported, nothing panics, and no process or
//! temporary file remains.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
#[cfg(target_os = "linux")]
use std::{
    thread,
    time::{Duration, Instant},
};

#[cfg(target_os = "linux")]
use crate::common::Ran;
use crate::common::{centipawn, fake, run};

fn folder_with(name: &str, bytes: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A damaged tag must not split its game. The second half would have no FEN, so material 78 would
/// be counted instead of 2.
#[test]
fn a_damaged_tag_does_not_split_its_game() {
    for tag in ["[Site]", "[Si!te \"x\"]", "[Site \"x\"] y", "Site \"x\"]"] {
        let text = format!(
            "[Event \"e\"]\n{tag}\n[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\"]\n\n1. Kd4 {{+0.25/10 1s}} Kd6 {{-0.20/10 1s}} *\n"
        );
        let (_folder, games) = folder_with("games.pgn", text);
        let mut command = centipawn(["pgn", "check"]);
        command.arg(&games);
        let ran = run(command);
        assert_eq!(ran.code(), Some(1), "{tag}: {}", ran.snapshot());
        assert!(
            ran.stdout().contains("game 1, line 2: \"") && ran.stdout().contains("is not a tag"),
            "{}",
            ran.stdout()
        );
        assert!(
            ran.stderr()
                .starts_with("0 games in order, 1 with problems, in 1 file ("),
            "{}",
            ran.stderr()
        );
        let mut command = centipawn(["pgn", "stats", "--json"]);
        command.arg(&games);
        let stats: serde_json::Value = serde_json::from_str(run(command).stdout()).unwrap();
        assert_eq!(
            (&stats["games"], &stats["other_starts"], &stats["plies"]),
            (&1.into(), &1.into(), &2.into()),
            "{tag}"
        );
        assert_eq!(
            (&stats["flawed_games"], &stats["flaws"]["damaged tag"]),
            (&1.into(), &1.into()),
            "{tag}"
        );
    }
}

/// Piece letters in German, French and Spanish and figurines are read, and reported.
#[test]
fn foreign_letters_are_reported() {
    let (_folder, games) = folder_with(
        "verein.pgn",
        "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 *\n\n1. d4 d5 2. Nf3 *\n",
    );
    let mut command = centipawn(["pgn", "check"]);
    command.arg(&games);
    let ran = run(command);
    assert_eq!(
        (ran.code(), ran.stdout()),
        (Some(0), ""),
        "{}",
        ran.snapshot()
    );
    assert!(
        ran.stderr()
            .contains("1 game has German piece letters (K D T L S)"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn an_invalid_curve_file_is_reported() {
    for (text, reason) in [
        (
            r#"{"curve":"wdl","argument":"material","range":[78,17],"divisor":58,"a":[0,0,0,100],"b":[0,0,0,50],"pawn":"normalised","clamp":null}"#,
            "range is 17",
        ),
        (
            r#"{"curve":"wdl","argument":"material","range":[17,78],"divisor":0,"a":[0,0,0,100],"b":[0,0,0,50],"pawn":"normalised","clamp":null}"#,
            "divisor is 0",
        ),
        (
            r#"{"curve":"wdl","argument":"material","range":[17,78],"divisor":58,"a":[0,0,0,100],"b":[0,0,0,50],"pawn":"normalised","clamp":-1}"#,
            "clamp is -1",
        ),
        (
            r#"{"curve":"logistic","k":0.004,"clamp":-1}"#,
            "clamp is -1",
        ),
    ] {
        let (_folder, curve) = folder_with("curve.json", text);
        let mut command = centipawn(["symbols", "--played", "0", "--best", "1", "--curve"]);
        command.arg(&curve);
        let ran = run(command);
        assert_eq!(
            (ran.code(), ran.stdout()),
            (Some(3), ""),
            "{}",
            ran.snapshot()
        );
        assert!(
            ran.stderr().contains("curve.json") && ran.stderr().contains(reason),
            "{}",
            ran.stderr()
        );
    }
}

#[test]
fn jobs_are_bounded() {
    for jobs in ["100000", "1000000000", "0"] {
        let ran = run(centipawn(["pgn", "check", "examples", "-j", jobs]));
        assert_eq!(ran.code(), Some(2));
        assert!(
            ran.stderr().contains("jobs are a number from 1 to 1024"),
            "{}",
            ran.stderr()
        );
    }
}

/// A file that is no store is not changed, however short it is. Statistics of a missing store
/// create no file.
#[test]
fn files_that_are_no_store_are_unchanged() {
    for text in ["x", "", "SQLite format 3", "no database at all"] {
        let (folder, file) = folder_with("nota.db", text);
        let mut command = centipawn(["store", "stats", "--store"]);
        command.arg(&file);
        let ran = run(command);
        assert_eq!(
            (ran.code(), ran.stdout()),
            (Some(3), ""),
            "{}",
            ran.snapshot()
        );
        assert!(
            ran.stderr().contains("nota.db is not a store of Centipawn"),
            "{}",
            ran.stderr()
        );
        assert_eq!(
            (
                fs::read_to_string(&file).unwrap().as_str(),
                names(folder.path())
            ),
            (text, vec!["nota.db".to_owned()])
        );
    }
}

/// The Parquet reader panics at some of these files. The program reports an error that names the
/// file.
#[test]
fn damaged_parquet_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let store = |args: &[&str], store: &Path| {
        let mut command = centipawn(["store"]);
        command.args(args).arg("--store").arg(store);
        run(command)
    };
    fs::write(
        at("one.csv"),
        "fen,past,chess960,engine,author,options,limit,lines,searchmoves,nodes,search_seconds,rank,mover_eval_cp,mover_eval_mate,mover_p_win,mover_p_draw,mover_p_loss,depth,seldepth,pv\n\
         rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,,false,E,A,{},1000 nodes,1,,1000,5,1,20,,,,,9,,e2e4\n",
    )
    .unwrap();
    let imported = store(&["import", at("one.csv").to_str().unwrap()], &at("a.db"));
    assert_eq!(imported.code(), Some(0), "{}", imported.snapshot());
    let whole = at("whole.parquet");
    assert_eq!(
        store(&["export", whole.to_str().unwrap()], &at("a.db")).code(),
        Some(0)
    );
    let bytes = fs::read(&whole).unwrap();
    let damaged = at("damaged.parquet");
    for index in (4..bytes.len()).step_by(bytes.len() / 24) {
        let mut bytes = bytes.clone();
        bytes[index] = !bytes[index];
        fs::write(&damaged, &bytes).unwrap();
        let ran = store(&["import", damaged.to_str().unwrap()], &at("b.db"));
        assert!(
            matches!(ran.code(), Some(0 | 3)),
            "byte {index}: {}",
            ran.snapshot()
        );
        assert!(
            !ran.stderr().contains("panicked"),
            "byte {index}: {}",
            ran.stderr()
        );
    }
}

/// Messages quote only the beginning of a long cell.
#[test]
fn long_cells_are_cut_in_messages() {
    let long = "x".repeat(100_000);
    let (folder, table) = folder_with(
        "table.csv",
        format!("fen,chess960,rank\nstartpos,{long},{long}\n"),
    );
    let mut command = centipawn(["store", "import"]);
    command
        .arg(&table)
        .arg("--store")
        .arg(folder.path().join("s.db"));
    let ran = run(command);
    assert_eq!(ran.code(), Some(3));
    assert!(ran.stderr().len() < 2000, "{} bytes", ran.stderr().len());
}

/// Returns whether a process is alive; a zombie is not.
#[cfg(target_os = "linux")]
fn lives(id: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    status
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next())
        .is_some_and(|state| state != 'Z')
}

/// The program cannot clean up after SIGKILL. The guards of the engines kill them and all that they
/// started.
#[cfg(target_os = "linux")]
#[test]
fn engines_do_not_outlive_a_kill() {
    // One child stays in the engine's process group, the other starts a new session.
    for role in ["with-child", "with-session"] {
        is_killed_with_its_engine(role);
    }
}

#[cfg(target_os = "linux")]
fn is_killed_with_its_engine(role: &str) {
    let (folder, games) = folder_with("games.pgn", "1. e4 e5 2. Nf3 Nc6 *\n".repeat(10_000));
    let child_file = folder.path().join("child");
    let engine = fake(&format!("{role} '{}'", child_file.display()));
    let mut command = centipawn([
        "review", "--nodes", "1000", "--jobs", "1", "--engine", &engine,
    ]);
    let mut running = command
        .arg(&games)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = |what: &str, is: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is() {
            assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    until("the engine starts its child", &|| {
        fs::read_to_string(&child_file).is_ok_and(|text| !text.trim().is_empty())
    });
    let child = fs::read_to_string(&child_file).unwrap().trim().to_owned();
    assert!(
        running.try_wait().unwrap().is_none(),
        "it was done before the kill"
    );
    assert!(lives(&child));
    running.kill().unwrap();
    running.wait().unwrap();
    until("the engine's child ends", &|| !lives(&child));
}

/// However a run ends, no temporary file remains. Ctrl-\ ends it in an orderly way, as Ctrl-C does.
#[cfg(target_os = "linux")]
#[test]
fn no_temporary_file_remains() {
    for (signal, code) in [("-KILL", None), ("-QUIT", Some(130))] {
        let (folder, games) =
            folder_with("games.pgn", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n".repeat(50));
        let log = folder.path().join("log");
        let engine = fake(&format!("log '{}' 100", log.display()));
        let mut command = centipawn([
            "review", "--nodes", "1000", "--jobs", "1", "--engine", &engine, "-o",
        ]);
        command
            .arg(folder.path().join("out.pgn"))
            .arg(&games)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        let begin = Instant::now();
        while !log.exists() {
            assert!(begin.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_millis(20));
        }
        assert!(
            Command::new("kill")
                .args([signal, &running.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(running.wait().unwrap().code(), code, "{signal}");
        let left: Vec<_> = names(folder.path())
            .into_iter()
            .filter(|name| name.starts_with('.'))
            .collect();
        assert_eq!(left, [""; 0], "{signal}");
    }
}

/// A file that grows beyond the system's limit is an error, instead of ending the program by a
/// signal.
#[cfg(target_os = "linux")]
#[test]
fn exceeding_the_file_size_limit_is_an_error() {
    let game = "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n";
    let (folder, games) = folder_with("games.pgn", game.repeat(20_000));
    let program = centipawn([""]);
    let script = format!(
        "ulimit -f 64; exec '{}' pgn clean '{}' -o '{}'",
        program.get_program().to_string_lossy(),
        games.display(),
        folder.path().join("out.pgn").display()
    );
    let ran = Ran::of(Command::new("sh").args(["-c", &script]).output().unwrap());
    assert_eq!(ran.code(), Some(3), "{}", ran.snapshot());
    assert!(ran.stderr().contains("cannot write"), "{}", ran.stderr());
    assert_eq!(names(folder.path()), ["games.pgn"]);
}

/// The files are written although standard output is closed.
#[test]
fn a_closed_standard_output_costs_no_results() {
    let (folder, games) = folder_with(
        "games.pgn",
        "1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 2. c4 e6 *\n",
    );
    let out = folder.path().join("out.pgn");
    let mut command = centipawn([
        "review",
        "--nodes",
        "1000",
        "--jobs",
        "1",
        "--engine",
        &fake("ok"),
        "-o",
    ]);
    command
        .arg(&out)
        .arg(&games)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    drop(running.stdout.take());
    let mut errors = String::new();
    running
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(0), "{errors}");
    assert_eq!(fs::read_to_string(&out).unwrap().matches("1. ").count(), 2);
}

/// All complete games before the damage are kept, including the last one.
#[test]
fn a_compressed_file_that_is_cut_off_keeps_its_whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn.gz");
    let text = "[White \"A\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. d4 d5 0-1\n\n";
    let packed = Command::new("gzip")
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut packed) = packed else { return };
    std::io::Write::write_all(&mut packed.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let bytes = packed.wait_with_output().unwrap().stdout;
    // Remove only the checksum at the end of the file.
    fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    let mut command = centipawn(["pgn", "stats", "--json"]);
    command.arg(&path);
    let ran = run(command);
    let stats: serde_json::Value = serde_json::from_str(ran.stdout()).unwrap();
    assert_eq!(
        (ran.code(), &stats["games"]),
        (Some(1), &2.into()),
        "{}",
        ran.snapshot()
    );
}

/// Files that are no tables of evaluations, some of them with fields of several megabytes.
#[test]
fn files_that_are_no_export_are_not_imported() {
    let folder = tempfile::tempdir().unwrap();
    let (table, store) = (
        folder.path().join("table.csv"),
        folder.path().join("store.db"),
    );
    let field = format!("fen,engine,limit,pv\n\"{}", "\n".repeat(3 << 20));
    for (text, says) in [
        ("<html>404</html>\n".to_owned(), "no column fen"),
        (String::new(), "no column fen"),
        ("\0".repeat(3 << 20), "longer than 1 MiB"),
        (field, "longer than 1 MiB"),
    ] {
        fs::write(&table, text).unwrap();
        let mut command = centipawn(["store", "import", "--store"]);
        command.arg(&store).arg(&table);
        let ran = run(command);
        assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
        assert!(ran.stderr().contains(says), "{}", ran.stderr());
        assert!(
            !says.contains("column") || !store.exists(),
            "no store for {says}"
        );
    }
}
