//! Helpers that the whole-program tests share.
#![allow(unreachable_pub, missing_docs)]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use centipawn_test_support::skipped;
use serde_json::Value;

/// Returns the program, run in the repository's root without the user's settings.
pub fn centipawn<const N: usize>(args: [&str; N]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_centipawn"));
    command.current_dir(root()).args(args);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CENTIPAWN_")) {
        command.env_remove(name);
    }
    // The settings of the terminal must not change the output either.
    for name in ["COLUMNS", "CLICOLOR_FORCE", "NO_COLOR"] {
        command.env_remove(name);
    }
    // Tests neither change the user's own store nor use its evaluations.
    command
        .env("CENTIPAWN_STORE", "none")
        .env("XDG_DATA_HOME", "/nonexistent");
    command
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns whether slow tests run all of their cases (`make test-all`) instead of a selection.
pub fn everything() -> bool {
    std::env::var_os("CENTIPAWN_TEST_ALL").is_some()
}

/// Returns whether Stockfish is installed; without it, the test is reported as skipped.
pub fn have_stockfish() -> bool {
    let found = centipawn_engine::find("stockfish").is_ok();
    if !found {
        skipped("Stockfish is not installed", "CENTIPAWN_REQUIRE_ENGINES");
    }
    found
}

/// Returns the rows of a query in DuckDB, as JSON; without DuckDB, the test is reported as skipped.
pub fn rows_of_query(folder: &Path, query: &str) -> Option<Vec<Value>> {
    let python = root().join("crates/python/.venv/bin/python");
    let script = "import duckdb, json, sys\nprint(json.dumps(duckdb.sql(sys.argv[1]).fetchall(), default=str))";
    let ran = Command::new(&python)
        .args(["-c", script, query])
        .current_dir(folder)
        .output();
    match ran {
        Ok(ran) if ran.status.success() => Some(serde_json::from_slice(&ran.stdout).unwrap()),
        missing => {
            let is_absent = !python.exists() || format!("{missing:?}").contains("No module named");
            assert!(is_absent, "{missing:?}");
            skipped(
                "DuckDB for Python is not installed",
                "CENTIPAWN_REQUIRE_DUCKDB",
            );
            None
        }
    }
}

/// Returns a temporary folder with the examples at the same relative path as in the repository.
pub fn folder_with_examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(
        root().join("examples").canonicalize().unwrap(),
        folder.path().join("examples"),
    )
    .unwrap();
    folder
}

/// Runs a line of the documentation in a folder, in which the program also keeps its data.
pub fn run_line(line: &str, folder: &Path) {
    let output = Command::new("sh")
        .args([
            "-c",
            &line.replace(
                "centipawn ",
                &format!("{} ", env!("CARGO_BIN_EXE_centipawn")),
            ),
        ])
        .env("CENTIPAWN_STORE", folder.join("store.db"))
        .env("XDG_DATA_HOME", folder)
        .env(
            "CENTIPAWN_POLICY_DIR",
            root()
                .join("../shared/data/maia")
                .canonicalize()
                .unwrap_or_default(),
        )
        .stdin(Stdio::null())
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs a command until it ends.
pub fn run(mut command: Command) -> Ran {
    run_with(&mut command)
}

/// Like `run`, for a command built from a chain of calls.
pub fn run_with(command: &mut Command) -> Ran {
    Ran(command.output().expect("centipawn runs"))
}

pub struct Ran(Output);

impl Ran {
    /// Returns the result of a command that the test started itself.
    pub fn of(output: Output) -> Self {
        Self(output)
    }

    pub fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    pub fn stdout(&self) -> &str {
        std::str::from_utf8(&self.0.stdout).expect("UTF-8")
    }

    pub fn stderr(&self) -> &str {
        std::str::from_utf8(&self.0.stderr).expect("UTF-8")
    }

    /// Returns the status and both outputs, as text for snapshots.
    pub fn snapshot(&self) -> String {
        format!(
            "status {:?}\n--- stdout\n{}--- stderr\n{}",
            self.code(),
            self.stdout(),
            self.stderr()
        )
    }
}

/// Returns the value of `--engine` that starts the fake engine in the role `part`.
pub fn fake(part: &str) -> String {
    format!("'{}' {part}", centipawn_fake_engine::path().display())
}

/// Waits until a condition holds; fails after a minute, which a busy machine may need.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "after a minute not so: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the length of a file in bytes; 0 if it does not exist yet.
pub fn length(file: &Path) -> u64 {
    file.metadata().map_or(0, |meta| meta.len())
}

/// Processes whose command line holds this text, zombies included.
pub fn processes_with(text: &str) -> usize {
    let Ok(list) = std::fs::read_dir("/proc") else {
        return 0;
    };
    list.flatten()
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .bytes()
                .all(|byte| byte.is_ascii_digit())
        })
        .filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line)
                .replace('\0', " ")
                .contains(text)
        })
        .filter(|entry| entry.file_name().to_string_lossy() != std::process::id().to_string())
        .count()
}

/// Waits until a process with this text in its command line runs. Without `/proc`, waits for a
/// fixed time.
pub fn wait_for_process(text: &str) {
    if !Path::new("/proc/self").exists() {
        thread::sleep(Duration::from_millis(1500));
        return;
    }
    wait_until(&format!("{text} runs"), || processes_with(text) > 0);
}
