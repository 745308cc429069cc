//! A database server with a fleet, a file of games, and processes that work on them.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::common::{centipawn, run, run_with};
use centipawn_test_support::postgres::Server;

/// A database with a fleet, and a file of games.
pub(crate) struct Field {
    pub(crate) server: Server,
    pub(crate) url: String,
    folder: tempfile::TempDir,
}

/// A process that is killed when the test ends.
pub(crate) struct Submitter(Option<Child>);

impl Submitter {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(Some(command.spawn().unwrap()))
    }

    pub(crate) fn wait(&mut self) -> std::io::Result<std::process::ExitStatus> {
        self.0.as_mut().unwrap().wait()
    }

    pub(crate) fn signal(&self, name: &str) {
        signal(self.0.as_ref().unwrap().id(), name);
    }

    pub(crate) fn kill(&mut self) -> std::io::Result<()> {
        self.0.as_mut().unwrap().kill()
    }

    pub(crate) fn wait_with_output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Submitter {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn signal(process: u32, name: &str) {
    let status = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(process.to_string())
        .status();
    assert!(status.unwrap().success());
}

/// A worker process and its log.
pub(crate) struct Worker {
    child: Child,
    log: PathBuf,
}

impl Worker {
    pub(crate) fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Requests the end of the worker, waits for it, and returns its log.
    pub(crate) fn end(&mut self) -> String {
        self.signal("TERM");
        let status = self.child.wait().unwrap();
        let log = self.log();
        assert_eq!(status.code(), Some(0), "{log}");
        log
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Field {
    /// Creates a fleet and a file of `games` games; `None` if PostgreSQL is not installed.
    pub(crate) fn new(games: usize) -> Option<Self> {
        Self::with(games, &[])
    }

    pub(crate) fn with(games: usize, settings: &[&str]) -> Option<Self> {
        let server = Server::start(&[&["fsync = off"], settings].concat())?;
        let url = server.database();
        let field = Self {
            server,
            url,
            folder: tempfile::tempdir().unwrap(),
        };
        let setup = run(field.fleet(&["setup"]));
        assert_eq!(setup.code(), Some(0), "{}", setup.stderr());
        fs::write(field.path("games.pgn"), pgn(games)).unwrap();
        Some(field)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn games_file(&self) -> String {
        self.path("games.pgn").display().to_string()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = centipawn([]);
        command.args(arguments);
        command
    }

    /// Returns a command that submits work to this fleet.
    pub(crate) fn submit(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.args(["--fleet", &self.url]);
        command
    }

    pub(crate) fn fleet(&self, arguments: &[&str]) -> Command {
        self.submit(&[&["fleet"], arguments].concat())
    }

    /// Reviews the games without a fleet and returns the annotated games, for comparison.
    pub(crate) fn reviewed_here(&self, engine: &str) -> String {
        let out = self.path("undisturbed.pgn");
        let games = self.games_file();
        let ran = run(self.command(&[
            "review",
            &games,
            "--nodes",
            "1000",
            "--engine",
            engine,
            "-q",
            "-o",
            out.to_str().unwrap(),
        ]));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        fs::read_to_string(out).unwrap()
    }

    /// Returns the annotated games that the fleet's review wrote.
    pub(crate) fn reviewed(&self) -> String {
        fs::read_to_string(self.path("reviewed.pgn")).unwrap()
    }

    pub(crate) fn review_child(&self, engine: &str, task: &str) -> Submitter {
        self.review_child_to(engine, task, &self.path("reviewed.pgn"))
    }

    pub(crate) fn review_child_to(&self, engine: &str, task: &str, out: &Path) -> Submitter {
        let games = self.games_file();
        let mut command = self.submit(&["review", &games, "--nodes", "1000", "--engine", engine]);
        command
            .arg("-o")
            .arg(out)
            .args(["--task-size", task])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Submitter::start(&mut command)
    }

    pub(crate) fn worker(&self, engine: &str, more: &[&str]) -> Worker {
        self.worker_at(&self.url, engine, more)
    }

    pub(crate) fn worker_at(&self, url: &str, engine: &str, more: &[&str]) -> Worker {
        self.background(&[&["worker", "--fleet", url, "--engine", engine], more].concat())
    }

    /// Starts a command that runs until it is asked to end. Its log contains both outputs.
    pub(crate) fn background(&self, arguments: &[&str]) -> Worker {
        self.background_of(self.command(arguments))
    }

    pub(crate) fn background_of(&self, mut command: Command) -> Worker {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let log = self.path(&format!("worker-{number}.log"));
        let out = fs::File::create(&log).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(out);
        Worker {
            child: child.spawn().unwrap(),
            log,
        }
    }

    /// Returns the database's address through a proxy.
    pub(crate) fn url_through(&self, port: u16) -> String {
        self.url
            .replace(&format!(":{}/", self.server.port()), &format!(":{port}/"))
    }

    pub(crate) fn status(&self) -> Value {
        let mut command = self.fleet(&["status", "--json"]);
        let ran = run_with(&mut command);
        serde_json::from_str(ran.stdout()).unwrap_or(Value::Null)
    }

    /// Returns the number of finished tasks of all runs.
    pub(crate) fn done(&self) -> i64 {
        let status = self.status();
        status["runs"].as_array().map_or(0, |runs| {
            runs.iter().filter_map(|run| run["done"].as_i64()).sum()
        })
    }

    /// Expires all leases that are not renewed, as if a minute had passed.
    pub(crate) fn pass_leases(&self) {
        self.psql(
            "DO $$ DECLARE q TEXT; BEGIN FOR q IN SELECT 'q_' || queue_name FROM pgmq.meta LOOP \
             EXECUTE format('UPDATE pgmq.%I SET vt = clock_timestamp() WHERE vt > clock_timestamp()', q); END LOOP; END $$",
        );
    }

    pub(crate) fn psql(&self, sql: &str) -> String {
        let output = self.psql_command(sql).output().unwrap();
        assert!(
            output.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Runs SQL as another role. Returns the server's message if it refuses.
    pub(crate) fn psql_as(&self, role: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(self.server.program("psql"));
        let url = self.url.replace("postgres@", &format!("{role}@"));
        command.args([
            "--no-psqlrc",
            "--tuples-only",
            "--no-align",
            "--quiet",
            "--command",
            sql,
            &url,
        ]);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim().to_owned();
        if output.status.success() {
            Ok(text(output.stdout))
        } else {
            Err(text(output.stderr))
        }
    }

    pub(crate) fn psql_child(&self, sql: &str) -> Child {
        self.psql_command(sql)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn psql_command(&self, sql: &str) -> Command {
        let mut command = Command::new(self.server.program("psql"));
        command.args([
            "--no-psqlrc",
            "--tuples-only",
            "--no-align",
            "--quiet",
            "--command",
            sql,
            &self.url,
        ]);
        command
    }

    /// Returns a part of the FEN before the last move of a game, which occurs in no other game.
    pub(crate) fn position_of(&self, game: usize) -> String {
        position(game)
    }
}

/// Returns the first moves of a game, which differ for up to 64 games.
fn signature(game: usize) -> [String; 2] {
    let white = ["a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4"][game % 8];
    let black = ["a5", "b5", "c5", "d5", "e5", "f5", "g5", "h5"][game / 8 % 8];
    [white.to_owned(), black.to_owned()]
}

/// Games of nine moves each, whose positions differ from those of all other games.
fn pgn(games: usize) -> String {
    let mut text = String::new();
    for game in 1..=games {
        let [white, black] = signature(game);
        let _ = write!(
            text,
            "[White \"White {game}\"]\n[Black \"Black {game}\"]\n[Round \"{game}\"]\n[Result \"1-0\"]\n\n1. {white} {black} 2. Nc3 Nc6 3. Nb1 Nb8 4. Nc3 Nc6 5. Nb1 1-0\n\n"
        );
    }
    text
}

/// Returns the part of the FEN with the pawns after the first moves of a game.
fn position(game: usize) -> String {
    let file = game % 8;
    // White has exactly one pawn on the fourth rank, whose file identifies the position.
    let rank = |before: usize| {
        [before, 7 - before].map(|count| {
            if count == 0 {
                String::new()
            } else {
                count.to_string()
            }
        })
    };
    let [left, right] = rank(file);
    format!("/{left}P{right}/")
}

/// Waits for a condition that usually holds within a minute; a busy machine may take two.
pub(crate) fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    let mut is_so = is_so;
    let begin = Instant::now();
    while !is_so() {
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "it did not happen that {what}"
        );
        thread::sleep(Duration::from_millis(150));
    }
}
