//! Results of an earlier run are unchanged after Ctrl-C.

use std::{fs, io::Write as _, path::Path, process::Stdio, sync::mpsc, thread, time::Duration};

use crate::common::{centipawn, root, run};
use rustix::process::{Pid, Signal, kill_process};

/// Runs a command that reads games from standard input, interrupts it before the input ends, and
/// returns its messages.
fn interrupted(folder: &Path, args: &str) -> String {
    let mut command = centipawn([]);
    command
        .args(args.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut games = child.stdin.take().unwrap();
    let (sender, begun) = mpsc::channel();
    // Send games slowly and endlessly.
    let feeder = thread::spawn(move || {
        let game = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 {+0.30/9 1s} e5 {-0.30/9 1s} 2. d4 {+0.40/9 1s} 1-0\n\n";
        while games.write_all(game.repeat(20_000).as_bytes()).is_ok() {
            let _ = sender.send(());
            thread::sleep(Duration::from_millis(20));
        }
    });
    // More was written than a pipe buffers, so the program has begun to read.
    begun
        .recv_timeout(Duration::from_secs(60))
        .expect("the program reads its input");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{args}: {stderr}");
    stderr
}

/// Returns the files of a folder with their contents.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn an_interrupted_run_keeps_an_earlier_model() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    let mut command = centipawn(["wdl", "run", "-q", "--out"]);
    command
        .arg(&model)
        .arg(root().join("examples/selfplay.pgn.gz"));
    assert_eq!(run(command).code(), Some(0));
    let before = files(&model);
    assert_eq!(before.len(), 7);
    let stderr = interrupted(folder.path(), "wdl run - --out model");
    assert!(stderr.contains("counts.wdl is unchanged"), "{stderr}");
    assert!(files(&model) == before);
}

#[test]
fn an_interrupted_run_keeps_an_earlier_human_curve() {
    let folder = tempfile::tempdir().unwrap();
    let people = folder.path().join("people");
    let mut command = centipawn([
        "wdl",
        "human",
        "-q",
        "--resamples",
        "2",
        "--folds",
        "0",
        "--out",
    ]);
    command
        .arg(&people)
        .arg(root().join("examples/people.tsv.zst"));
    assert_eq!(run(command).code(), Some(0));
    let before = files(&people);
    assert_eq!(before.len(), 5);
    let stderr = interrupted(folder.path(), "wdl human - --out people");
    assert!(stderr.contains("curve.json is unchanged"), "{stderr}");
    assert!(files(&people) == before);
}

#[test]
fn an_interrupted_run_keeps_earlier_piece_values() {
    let folder = tempfile::tempdir().unwrap();
    let values = folder.path().join("values");
    let mut command = centipawn(["material", "-q", "--resamples", "10", "--out"]);
    command
        .arg(&values)
        .arg(root().join("examples/selfplay.pgn.gz"));
    assert_eq!(run(command).code(), Some(0));
    let before = files(&values);
    interrupted(folder.path(), "material - --out values");
    assert!(files(&values) == before);
}

#[test]
fn interrupted_runs_keep_earlier_files() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        "wdl count - -o earlier",
        "balance - --player A -o earlier",
        "material - --rows earlier",
    ] {
        fs::write(folder.path().join("earlier"), "earlier").unwrap();
        let stderr = interrupted(folder.path(), args);
        assert!(stderr.contains("interrupted"), "{args}: {stderr}");
        assert_eq!(
            files(folder.path()),
            [("earlier".to_owned(), b"earlier".to_vec())],
            "{args}"
        );
    }
}

/// Starts a command that reads a named pipe, and waits until it handles signals.
#[cfg(target_os = "linux")]
fn reading(folder: &Path, args: &str) -> std::process::Child {
    let mut command = centipawn([]);
    command
        .args(args.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let listens = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0
    };
    let begin = std::time::Instant::now();
    while !listens() {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "{args}: it does not listen for signals"
        );
        thread::sleep(Duration::from_millis(50));
    }
    thread::sleep(Duration::from_millis(300));
    child
}

/// The first signal ends the wait for a named pipe without a writer, for one whose writer writes
/// nothing, and for standard input.
#[cfg(target_os = "linux")]
#[test]
fn the_first_signal_ends_waiting_for_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    for (args, has_writer) in [
        ("pgn stats pipe", false),
        ("pgn stats pipe", true),
        ("wdl count pipe -o out", false),
        ("pgn clean pipe -o out", false),
        ("wdl fit pipe", false),
        ("puzzles rate pipe -o out", false),
        ("pgn stats -", false),
        ("ease -", false),
    ] {
        let mut child = reading(folder.path(), args);
        // Opening does not block, because the program has opened the other end or is opening it.
        let writer = has_writer.then(|| fs::OpenOptions::new().write(true).open(&pipe).unwrap());
        thread::sleep(Duration::from_millis(200));
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let ended = (0..400).find_map(|_| {
            thread::sleep(Duration::from_millis(50));
            child.try_wait().unwrap()
        });
        if ended.is_none() {
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            ended.and_then(|status| status.code()),
            Some(130),
            "{args}, {has_writer}: {stderr}"
        );
        assert!(!stderr.contains("cannot read"), "{args}: {stderr}");
        assert!(!folder.path().join("out").exists(), "{args}");
        drop(writer);
    }
}

/// The program reads everything that is written into a pipe.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let games = "[White \"A\"]\n\n1. e4 {+0.30/9 1s} e5 {-0.30/9 1s} 2. d4 {+0.40/9 1s} 1-0\n\n"
        .repeat(30_000);
    let child = reading(folder.path(), "pgn check pipe");
    fs::write(&pipe, &games).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.starts_with("30000 games in order"), "{stderr}");
}

/// `nohup` makes the command ignore the signal of a closed terminal.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let games = root().join("examples/opera-game.pgn");
    let mut command = std::process::Command::new("sh");
    command.args([
        "-c",
        "trap '' HUP; exec \"$0\" pgn stats -",
        env!("CARGO_BIN_EXE_centipawn"),
    ]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    // `nohup` must have started the program (the process name shows it), and the program must
    // handle SIGINT.
    let listens = || {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        status.contains("centipawn")
            && caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 2 != 0)
    };
    crate::common::wait_until("the program listens for Ctrl-C", listens);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&fs::read(games).unwrap())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
