//! A UCI engine that misbehaves in a chosen way: `centipawn-fake-engine [ROLE [ARGUMENT]]`.
//! [`Role`] lists the roles.

mod paused;
mod role;
mod think;

use std::{
    fs,
    io::{self, BufRead, Write},
    process::{Command, Stdio, exit},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use role::Role;
use think::{Board, Search};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let role = match Role::parse(&args) {
        Ok(role) => role,
        Err(error) => {
            eprintln!("{error}");
            exit(2);
        }
    };
    match &role {
        Role::Exit => {
            eprintln!("no licence file");
            exit(3);
        }
        // Some engines start helper processes that go on when their input closes. This role does
        // the same.
        Role::Linger => linger(),
        Role::LingerApart(file) => {
            leave_session();
            if let Err(error) = fs::write(file, std::process::id().to_string()) {
                eprintln!("cannot write {file}: {error}");
            }
            linger()
        }
        Role::Rubbish => {
            while writeln!(io::stdout(), "<html><body>It works!</body></html>").is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
        }
        Role::WithChild(file) => start_child(file),
        Role::WithSession(file) => start_session(file),
        Role::Paused(program) => paused::run(program),
        _ => {}
    }
    Engine {
        role,
        board: Board::default(),
        multipv: 1,
        wdl: false,
        searches: 0,
    }
    .run();
}

/// Starts a child that keeps this program's output open, and writes its process id to `file`.
fn start_child(file: &str) {
    let child = std::env::current_exe()
        .and_then(|own| Command::new(own).arg("linger").stdin(Stdio::null()).spawn())
        .and_then(|child| fs::write(file, child.id().to_string()));
    if let Err(error) = child {
        eprintln!("no child: {error}");
        exit(2);
    }
}

/// Starts a child in a new session, and waits until it has written its process id to `file`.
fn start_session(file: &str) {
    let child = std::env::current_exe().and_then(|own| {
        Command::new(own)
            .args(["linger-apart", file])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    });
    if let Err(error) = child {
        eprintln!("no child: {error}");
        exit(2);
    }
    while fs::read_to_string(file).is_ok_and(|text| text.is_empty()) || fs::metadata(file).is_err()
    {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Leaves the session and the process group of the engine, so that signals to the group do not
/// reach this process.
fn leave_session() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::setsid() {
        eprintln!("no session: {error}");
        exit(2);
    }
}

fn linger() -> ! {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

/// Kills the `centipawn worker` that started this engine: the nearest ancestor with the argument
/// `worker`.
fn kill_worker() {
    let mut process = std::process::id().to_string();
    while let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) {
        // The program's name in brackets may contain any character, even brackets. So read after
        // the last bracket: there are the state and the parent's process id.
        let after = stat.rsplit(')').next().unwrap_or_default();
        process = after.split_whitespace().nth(1).unwrap_or("0").to_owned();
        let command = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        if command.split('\0').any(|word| word == "worker") {
            let killed = Command::new("kill").args(["-KILL", &process]).status();
            exit(i32::from(killed.is_err()));
        }
    }
    exit(2);
}

struct Engine {
    role: Role,
    board: Board,
    multipv: usize,
    wdl: bool,
    searches: u64,
}

impl Engine {
    fn run(mut self) {
        let (sender, commands) = channel();
        thread::spawn(move || {
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        while let Ok(line) = commands.recv() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["uci"] if self.role == Role::Hang => {}
                ["uci"] => self.introduce(),
                ["isready"] if self.role == Role::Deaf && self.searches > 0 => {}
                ["isready"] => send("readyok"),
                ["setoption", "name", name, "value", value] => match *name {
                    "MultiPV" => self.multipv = value.parse().unwrap_or(1),
                    "UCI_ShowWDL" => self.wdl = *value == "true",
                    _ => {}
                },
                ["position", rest @ ..] => self.board = Board::read(rest),
                ["go", "perft", _] => send("Nodes searched: 20"),
                ["go", rest @ ..] => self.go(rest, &commands),
                ["quit"] if self.role == Role::SlowQuit => thread::sleep(Duration::from_secs(30)),
                ["quit"] if self.role == Role::CrashQuit => std::process::abort(),
                ["quit"] => return,
                _ => {}
            }
        }
        if self.role == Role::SlowQuit {
            thread::sleep(Duration::from_secs(30));
        }
    }

    fn introduce(&self) {
        send("Fake 1.0, an engine for tests");
        match &self.role {
            Role::Named(name) => {
                let name = name.replace("\\e", "\x1b").replace("\\c", "\u{9b}");
                send(&format!("id name {name}"));
                send(&format!("id author {name}"));
                send(&format!("option name Odd{name} type check default false"));
            }
            _ => {
                send("id name Fake 1.0");
                send("id author the Centipawn tests");
            }
        }
        if self.role != Role::Bare {
            send("option name Hash type spin default 16 min 1 max 1024");
            send("option name Threads type spin default 1 min 1 max 8");
            send("option name Clear Hash type button");
            send("option name MultiPV type spin default 1 min 1 max 250");
            send("option name UCI_ShowWDL type check default false");
            send("option name UCI_Chess960 type check default false");
            send("option name EvalFile type string default fake.nnue");
        }
        if self.role == Role::Contempt {
            send("option name Contempt type spin default 24 min -100 max 100");
            send("option name Analysis Contempt type combo default Both var Both var Off");
            send("option name UCI_AnalyseMode type check default false");
        }
        send("uciok");
    }

    fn go(&mut self, arguments: &[&str], commands: &Receiver<String>) {
        self.searches += 1;
        match &self.role {
            Role::DieAt(search) if *search == self.searches => {
                eprintln!("assertion failed: nnue.cpp:42");
                std::process::abort();
            }
            Role::DieOnce(file) if fs::metadata(file).is_err() => {
                let _ = fs::write(file, "died");
                exit(7);
            }
            Role::DieOn(word) if self.board.fen().contains(word.as_str()) => exit(9),
            Role::KillWorker(word) if self.board.fen().contains(word.as_str()) => kill_worker(),
            Role::KillWorker(_) => thread::sleep(Duration::from_millis(50)),
            Role::Troubled(file, text, time) => self.trouble(file, text, *time, commands),
            Role::Stderr => eprintln!("warning: search {} is slow", self.searches),
            Role::Log(file, time) => {
                // If the engine is killed during the search, no client has received an answer, so
                // nothing is logged.
                if let Err(RecvTimeoutError::Disconnected) = commands.recv_timeout(*time) {
                    exit(0);
                }
                let line = format!(
                    "{} multipv {} go {}\n",
                    self.board.fen(),
                    self.multipv,
                    arguments.join(" ")
                );
                // Write the line in one call, because several engines append to the file and calls
                // do not mix.
                let log = fs::OpenOptions::new().create(true).append(true).open(file);
                if let Err(error) = log.and_then(|mut log| log.write_all(line.as_bytes())) {
                    eprintln!("cannot write {file}: {error}");
                }
            }
            Role::Think(time) => {
                let _ = commands.recv_timeout(*time);
            }
            _ => {}
        }
        let lies = match &self.role {
            Role::LieFrom(search) => self.searches >= *search,
            Role::LieOn(word) => self.board.fen().contains(word.as_str()),
            _ => false,
        };
        let search = Search::new(&self.board, arguments, self.multipv, self.wdl, lies);
        search.report(&self.role);
        match self.role {
            Role::IgnoreNodes => {
                search.run_on(|| commands.try_recv().is_ok_and(|line| line == "stop"));
            }
            Role::IgnoreStop => search.run_on(|| false),
            Role::Shallow if !arguments.contains(&"nodes") => {
                search.run_on(|| commands.try_recv().is_ok_and(|line| line == "stop"));
            }
            // Report nothing more, and wait for `stop`.
            Role::Dawdle => while commands.recv().is_ok_and(|line| line != "stop") {},
            _ => {}
        }
        send(&format!("bestmove {}", search.bestmove(&self.role)));
    }

    /// Counts the search in `file`, then crashes, hangs or waits as [`Role::Troubled`] describes.
    fn trouble(&self, file: &str, text: &str, time: Duration, commands: &Receiver<String>) {
        let log = fs::OpenOptions::new().create(true).append(true).open(file);
        let count = log.and_then(|mut log| {
            log.write_all(b".")?;
            log.metadata()
        });
        let count = count.map_or(0, |meta| meta.len());
        if self.board.fen().contains(text) {
            exit(9);
        }
        if count.is_multiple_of(50) {
            std::process::abort();
        }
        if count.is_multiple_of(70) {
            loop {
                thread::sleep(Duration::from_secs(60));
            }
        }
        let _ = commands.recv_timeout(time);
    }
}

/// Writes a line of output. Ends the program if the reader has closed the output.
fn send(line: &str) {
    if writeln!(io::stdout(), "{line}").is_err() {
        exit(0);
    }
}
