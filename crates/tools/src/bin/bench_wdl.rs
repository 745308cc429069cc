//! Measures how fast games are counted and models fitted: `make bench-wdl`. The reference,
//! scoreWDLstat, runs too if it is installed.
//!
//! Arguments: the program, then a file of games. Without a file, the example games are repeated 300
//! times.
#![allow(clippy::print_stdout)]

use std::{
    env, fs,
    io::{Read as _, Write as _},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use centipawn_calibrate::wdl::{CountOptions, count};
use centipawn_core::Score;
use centipawn_pgn::{GameView, Merge, ScanOptions, Source, Sources, scan};

/// How often each command runs. The fastest run counts, because other programs use the machine too.
const RUNS: usize = 5;

struct Figures {
    wall: f64,
    cpu: f64,
    peak: Option<f64>,
}

fn main() {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let program = arguments
        .first()
        .expect("the program is the first argument")
        .canonicalize()
        .expect("the program");
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("games.pgn");
    let megabytes = prepare(arguments.get(1), &games);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (plain, json, counts) = (at("games.pgn"), at("counts.json"), at("counts.wdl"));
    println!("{megabytes:.0} MB of games; the fastest of {RUNS} runs\n");
    paces(&games, megabytes);
    if let Some(given) = arguments
        .get(1)
        .filter(|path| path.extension().is_some_and(|ending| ending != "pgn"))
    {
        beside_decoder(given, megabytes);
    }
    println!(
        "{:<44}{:>8}{:>8}{:>12}{:>10}",
        "", "wall s", "CPU s", "MB/CPU s", "peak MiB"
    );
    let ours = |name: &str, args: &[&str], megabytes: Option<f64>| {
        let all = [&["wdl"], args, &["--quiet"]].concat();
        show(name, megabytes, run(&program, &all, folder.path()));
    };
    ours(
        "centipawn wdl count",
        &["count", &plain, "-o", &counts],
        Some(megabytes),
    );
    ours(
        "centipawn wdl count --compat",
        &["count", &plain, "--compat", "-o", &json],
        Some(megabytes),
    );
    ours(
        "centipawn wdl count --jobs 1",
        &["count", &plain, "--jobs", "1", "-o", &counts],
        Some(megabytes),
    );
    for method in ["density", "probability", "score"] {
        ours(
            &format!("centipawn wdl fit --method {method}"),
            &["fit", &counts, "--method", method],
            None,
        );
    }
    let out = at("model");
    ours(
        "centipawn wdl run (count, fit, errors, plots)",
        &["run", &plain, "--out", &out],
        Some(megabytes),
    );
    ours(
        "  without errors",
        &[
            "run",
            &plain,
            "--resamples",
            "0",
            "--folds",
            "0",
            "--out",
            &out,
        ],
        Some(megabytes),
    );
    let theirs = at("theirs.json");
    if let Some(reference) = on_path("scoreWDLstat") {
        let args = ["--file", &plain, "-o", &theirs];
        show(
            "scoreWDLstat",
            Some(megabytes),
            run(&reference, &args, folder.path()),
        );
    } else {
        println!("scoreWDLstat is not on PATH");
    }
    match on_path("scoreWDL.py") {
        Some(reference) => {
            for method in ["fitDensity", "optimizeProbability", "optimizeScore"] {
                let args = [
                    &json,
                    "--plot",
                    "no",
                    "--NormalizeToPawnValue",
                    "100",
                    "--modelFitting",
                    method,
                ];
                show(
                    &format!("scoreWDL.py {method}"),
                    None,
                    run(&reference, &args, folder.path()),
                );
            }
        }
        None => println!("scoreWDL.py is not on PATH"),
    }
}

/// Compares counting with a scan that only adds up evaluations, in this process and on one thread.
/// The measurements take turns, and ratios are computed within a round, so that changes of the
/// machine's speed affect both alike.
fn paces(games: &Path, megabytes: f64) {
    const ROUNDS: usize = 11;
    let sources = Sources::expand(&[games]).expect("the file");
    let options = ScanOptions {
        threads: NonZeroUsize::new(1),
        ..ScanOptions::default()
    };
    let scanned = || drop(scan(&sources, &options, Evals::default, Evals::game).expect("a scan"));
    let counted = |by_group: bool| {
        let usual = CountOptions::default();
        let groups = if by_group {
            usual.groups.clone()
        } else {
            Vec::new()
        };
        drop(count(&sources, &options, &CountOptions { groups, ..usual }, None).expect("a scan"));
    };
    let rounds: Vec<[f64; 3]> = (0..ROUNDS)
        .map(|_| {
            [
                cpu_of(&scanned),
                cpu_of(&|| counted(true)),
                cpu_of(&|| counted(false)),
            ]
        })
        .collect();
    let median = |of: &dyn Fn(&[f64; 3]) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[ROUNDS / 2]
    };
    println!(
        "One thread, medians of {ROUNDS} rounds{:>18}{:>12}{:>24}",
        "CPU s", "MB/CPU s", "of replay + evals"
    );
    for (index, name) in [
        "replay + evals",
        "counting",
        "counting without groups of games",
    ]
    .iter()
    .enumerate()
    {
        let (seconds, pace) = (
            median(&|round| round[index]),
            median(&|round| round[0] / round[index]),
        );
        println!(
            "{name:<40}{seconds:>12.3}{:>12.0}{pace:>24.2}",
            megabytes / seconds
        );
    }
    println!();
}

/// Compares the wall time of counting a compressed file on two threads with that of decompressing
/// it.
fn beside_decoder(path: &Path, megabytes: f64) {
    const ROUNDS: usize = 7;
    let sources = Sources::expand(&[path]).expect("the file");
    let options = ScanOptions {
        threads: NonZeroUsize::new(2),
        ..ScanOptions::default()
    };
    let mut buffer = vec![0; 1 << 20];
    let mut decode = || {
        let begin = Instant::now();
        let mut source = Source::open(path).expect("games");
        while source.read(&mut buffer).expect("games") > 0 {}
        begin.elapsed().as_secs_f64()
    };
    let count = || {
        let begin = Instant::now();
        drop(count(&sources, &options, &CountOptions::default(), None).expect("a scan"));
        begin.elapsed().as_secs_f64()
    };
    let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(|_| [decode(), count()]).collect();
    let best = |index: usize| {
        rounds
            .iter()
            .map(|round| round[index])
            .fold(f64::INFINITY, f64::min)
    };
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    println!(
        ".{ending}: decoding {:.0} MB/s of text; counting on two threads {:.0} MB/s, {:.2} of it\n",
        megabytes / best(0),
        megabytes / best(1),
        best(0) / best(1)
    );
}

/// The sum of all evaluations. It keeps the compiler from removing the work.
#[derive(Default)]
struct Evals(i64);

impl Evals {
    fn game(&mut self, game: &GameView<'_>) {
        for eval in game.plies().filter_map(|ply| ply.eval(game.dialect())) {
            self.0 += match eval.score() {
                Score::Cp(cp) => i64::from(cp),
                Score::Mate(moves) => i64::from(moves),
            };
        }
    }
}

impl Merge for Evals {
    fn merge(&mut self, later: Self) {
        self.0 += std::hint::black_box(later.0);
    }
}

/// Runs `work` and returns the CPU time of this process in seconds.
fn cpu_of(work: &dyn Fn()) -> f64 {
    let now = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let begin = now();
    work();
    now() - begin
}

/// Writes the games without compression to `games`. Returns their size in megabytes.
fn prepare(given: Option<&PathBuf>, games: &Path) -> f64 {
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/selfplay.pgn.gz"
    );
    let times = if given.is_some() { 1 } else { 300 };
    let mut text = Vec::new();
    let mut source =
        Source::open(given.map_or(Path::new(example), PathBuf::as_path)).expect("games");
    source.read_to_end(&mut text).expect("games");
    let mut file = fs::File::create(games).expect("room for games");
    for _ in 0..times {
        file.write_all(&text).expect("room for games");
    }
    (times * text.len()) as f64 / 1e6
}

fn show(name: &str, megabytes: Option<f64>, Figures { wall, cpu, peak }: Figures) {
    let rate = megabytes.map_or_else(
        || "-".to_owned(),
        |megabytes| format!("{:.0}", megabytes / cpu),
    );
    let peak = peak.map_or_else(|| "-".to_owned(), |peak| format!("{peak:.0}"));
    println!("{name:<44}{wall:>8.2}{cpu:>8.2}{rate:>12}{peak:>10}");
}

fn run(program: &Path, args: &[&str], folder: &Path) -> Figures {
    let once = || {
        let (begin, cpu) = (Instant::now(), children_cpu());
        let mut command = Command::new(program);
        let mut child = command
            .args(args)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let status = format!("/proc/{}/status", child.id());
        let mut peak = None;
        let wall = loop {
            // `VmHWM` is a maximum, so the last value that can be read is the peak.
            peak = peak_mebibytes(&status).or(peak);
            if let Some(status) = child.try_wait().expect("it ends") {
                assert!(status.success(), "{} {args:?}: {status}", program.display());
                break begin.elapsed().as_secs_f64();
            }
            thread::sleep(Duration::from_millis(2));
        };
        Figures {
            wall,
            cpu: children_cpu() - cpu,
            peak,
        }
    };
    let runs = (0..RUNS).map(|_| once());
    runs.min_by(|one, other| one.cpu.total_cmp(&other.cpu))
        .expect("a run")
}

fn peak_mebibytes(status: &str) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<f64>()
        .ok()
        .map(|kibibytes| kibibytes / 1024.0)
}

/// Returns the CPU time in seconds of all child processes that have ended; NaN if the system does
/// not report it.
fn children_cpu() -> f64 {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |index: usize| {
        fields
            .get(index)
            .and_then(|field| field.parse::<f64>().ok())
            .unwrap_or(f64::NAN)
    };
    (ticks(13) + ticks(14)) / TICKS
}

fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
