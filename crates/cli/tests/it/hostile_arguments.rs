//! Tests every argument of the command line that has a value with endless inputs: the program must
//! end with an error or at the first request to terminate, and use little memory.
//!
//! The arguments are read from the manual pages, which are generated from clap's commands, so new
//! arguments are tested too.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read as _, Write as _},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::common::{centipawn, everything, fake, root, run};

/// Maximum memory of a run in KiB. The bundled network and a debug build account for a part of it.
const MOST_MEMORY: u64 = 700 << 10;
/// Time after which a run that still reads receives the signal.
const READING: Duration = Duration::from_millis(800);
/// Time for which a run may wait without using the processor before it receives the signal.
const WAITING: Duration = Duration::from_millis(200);
/// Maximum time from the signal to the end of the run. The aim is a second, but the machine may be
/// busy.
const ENDING: Duration = Duration::from_secs(20);

/// An argument of a command, with its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Argument {
    /// The command, such as `wdl run`.
    command: String,
    /// The flag, such as `--curve`; `None` for a positional argument.
    flag: Option<String>,
    /// The name of the value in the help, such as `NAME|FILE`.
    value: String,
    /// The number of positional arguments before this one.
    index: usize,
}

/// A command with its positional arguments and required flags.
#[derive(Clone, Debug, Default)]
struct Page {
    /// The names of the values, and whether each is required.
    positional: Vec<(String, bool)>,
    required: BTreeSet<String>,
    arguments: Vec<Argument>,
}

/// Returns the text of a manual page without its formatting.
fn plain(text: &str) -> String {
    ["\\fB", "\\fI", "\\fR"]
        .iter()
        .fold(text.replace("\\-", "-"), |text, mark| {
            text.replace(mark, "")
        })
}

/// Parses a manual page.
fn page(command: &str, roff: &str) -> Page {
    let mut page = Page::default();
    let synopsis = roff
        .split_once(".SH SYNOPSIS\n")
        .map_or("", |(_, rest)| rest.lines().next().unwrap());
    let synopsis = plain(synopsis);
    // A required flag is not in brackets.
    let mut depth = 0;
    let outside: String = synopsis
        .chars()
        .filter(|char| {
            depth += i32::from(*char == '[');
            let is_outside = depth == 0;
            depth -= i32::from(*char == ']');
            is_outside
        })
        .collect();
    let long = |word: &&str| word.starts_with("--");
    page.required = outside
        .split([' ', '|', '<', '>'])
        .filter(long)
        .map(str::to_owned)
        .collect();
    // Subcommands are listed like arguments.
    let lines: Vec<&str> = roff
        .lines()
        .take_while(|line| *line != ".SH SUBCOMMANDS")
        .collect();
    for pair in lines.windows(2).filter(|pair| pair[0] == ".TP") {
        let line = plain(pair[1]);
        let head = line.split(" [default").next().unwrap().trim();
        match head.strip_prefix("--").is_some() || head.starts_with('-') {
            true => {
                let Some((flags, value)) = head.split_once(" <") else {
                    continue;
                };
                let flag = flags
                    .split([' ', ','])
                    .rfind(|flag| flag.starts_with("--"))
                    .unwrap_or(flags)
                    .to_owned();
                let value = value
                    .trim_end_matches(['.', ']'])
                    .trim_end_matches('>')
                    .to_owned();
                page.arguments.push(Argument {
                    command: command.to_owned(),
                    flag: Some(flag),
                    value,
                    index: 0,
                });
            }
            false => {
                let is_required = head.starts_with('<');
                let value = head.trim_matches(['<', '>', '[', ']', '.', ' ']).to_owned();
                let index = page.positional.len();
                page.positional.push((value.clone(), is_required));
                page.arguments.push(Argument {
                    command: command.to_owned(),
                    flag: None,
                    value,
                    index,
                });
            }
        }
    }
    page
}

/// Returns all commands of the program with their manual pages.
fn pages() -> Vec<(String, Page)> {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(centipawn(["man", folder.path().to_str().unwrap()]));
    assert_eq!(ran.code(), Some(0), "{}", ran.snapshot());
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let roff = fs::read_to_string(&path).unwrap();
        let Some((_, rest)) = roff.split_once("\\fBcentipawn ") else {
            continue;
        };
        let command = plain(rest.split("\\fR").next().unwrap());
        // Skip groups such as `wdl`, whose pages only list their subcommands.
        if !command.contains("help") && !plain(&roff).contains("<subcommands>") {
            pages.push((command.clone(), page(&command, &roff)));
        }
    }
    pages.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(pages.len() > 30, "{} commands", pages.len());
    pages
}

/// Returns a valid value, for the arguments other than the one under test.
fn usual(command: &str, value: &str) -> String {
    let example = |name: &str| root().join("examples").join(name).display().to_string();
    match value {
        _ if command.starts_with("store import") => example("positions.txt"),
        "FEN|FILE" | "FEN" | "POSITION" => "startpos".to_owned(),
        "PUZZLES" => example("puzzles.csv"),
        "COUNTS" | "FILES" => example("selfplay.wdl"),
        "MODEL" | "MODELS" => "stockfish-18".to_owned(),
        "GAMES" | "INPUTS" => example("selfplay.pgn.gz"),
        "EVAL" => "0.3".to_owned(),
        "NETWORK" | "NETWORKS" => "centipawn-1".to_owned(),
        "NAME" => "maia-1500".to_owned(),
        "URL" => "postgres://127.0.0.1:9/none".to_owned(),
        _ => "out".to_owned(),
    }
}

/// An input without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endless {
    /// The device `/dev/zero`.
    Device,
    /// A small compressed file of more than a gigabyte of zeros, of a text, or of lines.
    Bomb(&'static str),
    /// A pipe into which another program writes endlessly.
    Pipe,
    /// A pipe that no other program opens; as an output, a pipe without a reader.
    Silence,
}

const ALL: [Endless; 7] = [
    Endless::Device,
    Endless::Bomb("zeros"),
    Endless::Bomb("counts"),
    Endless::Bomb("blanks"),
    Endless::Bomb("positions"),
    Endless::Pipe,
    Endless::Silence,
];

/// Writes a compressed file of a few hundred kilobytes that unpacks to `begin` and more than a
/// gigabyte of repeated text.
fn write_bomb(path: &Path, begin: &str, repeated: &str) {
    let mut out = zstd::Encoder::new(fs::File::create(path).unwrap(), 1).unwrap();
    out.write_all(begin.as_bytes()).unwrap();
    let block = repeated.repeat((1 << 20) / repeated.len());
    // Write twice as much text as the memory limit allows.
    for _ in 0..2 * (MOST_MEMORY >> 10) {
        out.write_all(block.as_bytes()).unwrap();
    }
    out.finish().unwrap();
    assert!(path.metadata().unwrap().len() < 4 << 20);
}

struct Inputs {
    folder: tempfile::TempDir,
    pipes: AtomicUsize,
}

impl Inputs {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, begin, repeated) in [
            ("zeros", "", "\0"),
            ("counts", "{", "\"('W', 34, 58, 112)\": 17,"),
            ("blanks", "{", "\n"),
            ("positions", "", "8/8/4k3/8/8/8/3R4/4K3 w - - 0 1\n"),
        ] {
            write_bomb(
                &folder.path().join(name).with_extension("zst"),
                begin,
                repeated,
            );
        }
        Self {
            folder,
            pipes: AtomicUsize::new(0),
        }
    }

    /// Returns the path of an input, and the process that writes it if there is one.
    fn of(&self, kind: Endless) -> (PathBuf, Option<Child>) {
        match kind {
            Endless::Device => ("/dev/zero".into(), None),
            Endless::Bomb(name) => (self.folder.path().join(name).with_extension("zst"), None),
            Endless::Pipe | Endless::Silence => {
                let number = self.pipes.fetch_add(1, Ordering::Relaxed);
                let path = self.folder.path().join(format!("pipe-{number}"));
                assert!(
                    Command::new("mkfifo")
                        .arg(&path)
                        .status()
                        .unwrap()
                        .success()
                );
                let writer = (kind == Endless::Pipe).then(|| {
                    let mut yes = Command::new("sh");
                    yes.args(["-c", "exec yes '8/8/4k3/8/8/8/3R4/4K3 w - - 0 1' > \"$0\""])
                        .arg(&path);
                    yes.stdin(Stdio::null())
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .spawn()
                        .unwrap()
                });
                (path, writer)
            }
        }
    }
}

/// Returns a command that would work except for this value of one argument.
fn command(page: &Page, argument: &Argument, value: &Path, folder: &Path) -> Command {
    let mut command = centipawn([]);
    command
        .args(argument.command.split(' '))
        .current_dir(folder);
    command
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder)
        .env("CENTIPAWN_STORE", folder.join("store.db"));
    command
        .env("CENTIPAWN_ENGINE", fake("ok"))
        .env("CENTIPAWN_POLICY_URL", "http://127.0.0.1:9");
    command
        .env("CENTIPAWN_LICHESS", "http://127.0.0.1:9")
        .env("CENTIPAWN_CHESSCOM", "http://127.0.0.1:9");
    command.env_remove("LICHESS_TOKEN").stdin(Stdio::null());
    let own = argument.flag.as_deref();
    for flag in page.required.iter().filter(|flag| own != Some(flag)) {
        let value = page
            .arguments
            .iter()
            .find(|other| other.flag.as_ref() == Some(flag))
            .map_or("", |own| &own.value);
        command.arg(flag).arg(usual(&argument.command, value));
    }
    if let Some(flag) = own {
        let mut pair = std::ffi::OsString::from(flag);
        pair.push("=");
        pair.push(value);
        command.arg(pair);
    }
    for (index, (name, is_required)) in page.positional.iter().enumerate() {
        match own.is_none() && index == argument.index {
            true => command.arg(value),
            false if *is_required || own.is_none() && index < argument.index => {
                command.arg(usual(&argument.command, name))
            }
            false => continue,
        };
    }
    command
}

/// The end of a run.
#[derive(Debug)]
struct End {
    /// Whether the run received the signal.
    is_asked: bool,
    code: Option<i32>,
    stderr: String,
    /// The beginning of standard output.
    stdout: String,
    /// Peak memory in KiB.
    memory: u64,
    /// The reason why the run is a failure.
    fault: Option<String>,
}

/// Returns the processor time of a process that is waiting, in ticks; `None` while it is working.
fn waiting_since(process: u32) -> Option<[u64; 2]> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse().ok();
    (fields.first() == Some(&"S")).then(|| Some([ticks(11)?, ticks(12)?]))?
}

/// Reads an output to its end on another thread, and keeps its beginning.
fn beginning(mut output: impl io::Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.by_ref().take(1 << 20).read_to_end(&mut text);
        let _ = io::copy(&mut output, &mut io::sink());
        String::from_utf8_lossy(&text).into_owned()
    })
}

fn memory_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

fn run_watched(mut command: Command) -> End {
    let mut running = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdout, stderr) = (
        beginning(running.stdout.take().unwrap()),
        beginning(running.stderr.take().unwrap()),
    );
    let (begin, id) = (Instant::now(), running.id());
    // The processor time of the waiting process, and the time since which it has not changed.
    let mut waiting = (None, begin);
    let (mut memory, mut asked, mut fault) = (0, None, None);
    let status = loop {
        memory = memory.max(memory_of(id));
        if let Some(status) = running.try_wait().unwrap() {
            break status;
        }
        if memory > MOST_MEMORY {
            fault = Some(format!("it takes {} MiB", memory >> 10));
        }
        let state = waiting_since(id);
        if state.is_none() || state != waiting.0 {
            waiting = (state, Instant::now());
        }
        if asked.is_none() && (begin.elapsed() > READING || waiting.1.elapsed() > WAITING) {
            asked = Some(Instant::now());
            assert!(
                Command::new("kill")
                    .args(["-TERM", &id.to_string()])
                    .status()
                    .unwrap()
                    .success()
            );
        }
        if asked.is_some_and(|asked| asked.elapsed() > ENDING) {
            fault = Some(format!("it does not end within {ENDING:?} of SIGTERM"));
        }
        if fault.is_some() {
            running.kill().unwrap();
            break running.wait().unwrap();
        }
        thread::sleep(Duration::from_millis(15));
    };
    let [stdout, stderr] = [stdout, stderr].map(|reader| reader.join().unwrap());
    if fault.is_none()
        && asked.is_none()
        && (status.code().is_none() || stderr.contains("panicked"))
    {
        fault = Some(format!("it ended by signal {:?}", status.signal()));
    }
    End {
        is_asked: asked.is_some(),
        code: status.code(),
        stderr,
        stdout,
        memory,
        fault,
    }
}

/// Arguments that are known to read a file. Each test must see that the program opened it;
/// otherwise the test would prove nothing.
const READING_FILES: [(&str, &str); 13] = [
    ("ease", "--curve"),
    ("ease", "--policy"),
    ("ease", "FEN|FILE"),
    ("policy run", "FEN|FILE"),
    ("merge", "FILES"),
    ("wdl fit", "COUNTS"),
    ("wdl show", "MODEL"),
    ("wdl count", "--fix-fen-source"),
    ("pgn stats", "GAMES"),
    ("site", "GAMES"),
    ("position", "--curve"),
    ("store import", "FILE"),
    ("review", "--curve"),
];

#[test]
fn endless_inputs_need_little_memory_and_end_at_signals() {
    let pages = pages();
    let inputs = Inputs::new();
    let nowhere = inputs.folder.path().join("nowhere/at/all");
    let all: Vec<(&Page, &Argument)> = pages
        .iter()
        .flat_map(|(_, page)| page.arguments.iter().map(move |own| (page, own)))
        .collect();
    assert!(all.len() > 300, "{} arguments", all.len());
    let is_shared = |position: usize| {
        let (_, own) = all[position];
        let is_same = |other: &Argument| other.flag == own.flag && other.value == own.value;
        own.flag.is_some() && all[..position].iter().any(|(_, other)| is_same(other))
    };
    let next = AtomicUsize::new(0);
    let (faults, read, runs) = (
        Mutex::new(Vec::new()),
        Mutex::new(BTreeSet::new()),
        AtomicUsize::new(0),
    );
    let work = || {
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some((page, argument)) = all.get(position) else {
                break;
            };
            let name = argument
                .flag
                .clone()
                .unwrap_or_else(|| argument.value.clone());
            let is_known = READING_FILES.contains(&(&*argument.command, &*name));
            let folder = tempfile::tempdir().unwrap();
            // Arguments for numbers, dates or names: clap refuses a path before any file is opened.
            let refused = run_watched(command(page, argument, &nowhere, folder.path()));
            if refused.code == Some(2) && refused.stderr.contains("invalid value") {
                continue;
            }
            for (index, kind) in ALL.into_iter().enumerate() {
                // To save time, each argument gets one of the bombs, so that all arguments together
                // cover all of them. Options that several commands share are read by the same code,
                // so further commands get half of the other kinds. Arguments that are known to read
                // a file get every kind.
                let is_bomb = matches!(kind, Endless::Bomb(_));
                let is_left_out = is_bomb && !(index + position).is_multiple_of(4)
                    || is_shared(position) && !is_bomb && !(index + position).is_multiple_of(2);
                if is_left_out && !everything() && !is_known {
                    continue;
                }
                let (path, writer) = inputs.of(kind);
                let end = run_watched(command(page, argument, &path, folder.path()));
                runs.fetch_add(1, Ordering::Relaxed);
                if let Some(mut writer) = writer {
                    let _ = writer.kill();
                    writer.wait().unwrap();
                }
                let file = path.file_name().unwrap().to_string_lossy();
                if end.is_asked || end.stderr.contains(&*file) {
                    read.lock()
                        .unwrap()
                        .insert((argument.command.clone(), name.clone()));
                }
                if let Some(fault) = &end.fault {
                    let text = format!(
                        "{} {name} {kind:?}: {fault}: {}",
                        argument.command, end.stderr
                    );
                    faults.lock().unwrap().push(text);
                }
                let is_error = end.code.is_some_and(|code| code > 0);
                // `pgn stats` and `pgn check` report errors on standard output.
                let words = [&*end.stderr, &*end.stdout].concat();
                if !end.is_asked && is_error && words.trim().is_empty() {
                    faults.lock().unwrap().push(format!(
                        "{} {name} {kind:?}: an error without words",
                        argument.command
                    ));
                }
                assert!(end.memory > 0 || !end.is_asked);
            }
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let (faults, read) = (faults.into_inner().unwrap(), read.into_inner().unwrap());
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    for (command, name) in READING_FILES {
        assert!(
            read.contains(&(command.to_owned(), name.to_owned())),
            "{command} {name} was not read: {read:?}"
        );
    }
    assert!(runs.into_inner() > 300);
}
