//! How fast games are counted and models fitted, beside the reference where it is installed: `make bench-wdl`.
//!
//! Arguments: the program, then a file of games; without one the example games, three hundred times.
#![allow(clippy::print_stdout)]

use std::{
    env, fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use centipawn_pgn::Source;

/// How often each is run; the fastest counts, for others use the machine too.
const RUNS: usize = 5;

struct Figures {
    wall: f64,
    cpu: f64,
    peak: Option<f64>,
}

fn main() {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let program = arguments.first().expect("the program is the first argument").canonicalize().expect("the program");
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("games.pgn");
    let megabytes = prepare(arguments.get(1), &games);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (plain, json, counts) = (at("games.pgn"), at("counts.json"), at("counts.wdl"));
    println!("{megabytes:.0} MB of games; the fastest of {RUNS} runs\n");
    println!("{:<44}{:>8}{:>8}{:>12}{:>10}", "", "wall s", "CPU s", "MB/CPU s", "peak MiB");
    let ours = |name: &str, args: &[&str], megabytes: Option<f64>| {
        let all = [&["wdl"], args, &["--quiet"]].concat();
        show(name, megabytes, run(&program, &all, folder.path()));
    };
    ours("centipawn wdl count", &["count", &plain, "-o", &counts], Some(megabytes));
    ours("centipawn wdl count --compat", &["count", &plain, "--compat", "-o", &json], Some(megabytes));
    ours("centipawn wdl count --jobs 1", &["count", &plain, "--jobs", "1", "-o", &counts], Some(megabytes));
    for method in ["density", "probability", "score"] {
        ours(&format!("centipawn wdl fit --method {method}"), &["fit", &counts, "--method", method], None);
    }
    let out = at("model");
    ours("centipawn wdl run (count, fit, errors, plots)", &["run", &plain, "--out", &out], Some(megabytes));
    ours("  without errors", &["run", &plain, "--draws", "0", "--folds", "0", "--out", &out], Some(megabytes));
    let theirs = at("theirs.json");
    if let Some(reference) = on_path("scoreWDLstat") {
        let args = ["--file", &plain, "-o", &theirs];
        show("scoreWDLstat", Some(megabytes), run(&reference, &args, folder.path()));
    } else {
        println!("scoreWDLstat is not on PATH");
    }
    match on_path("scoreWDL.py") {
        Some(reference) => {
            for method in ["fitDensity", "optimizeProbability", "optimizeScore"] {
                let args = [&json, "--plot", "no", "--NormalizeToPawnValue", "100", "--modelFitting", method];
                show(&format!("scoreWDL.py {method}"), None, run(&reference, &args, folder.path()));
            }
        }
        None => println!("scoreWDL.py is not on PATH"),
    }
}

/// Writes the games, plain; gives how many megabytes they are.
fn prepare(given: Option<&PathBuf>, games: &Path) -> f64 {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
    let times = if given.is_some() { 1 } else { 300 };
    let mut text = Vec::new();
    let mut source = Source::open(given.map_or(Path::new(example), PathBuf::as_path)).expect("games");
    source.read_to_end(&mut text).expect("games");
    let mut file = fs::File::create(games).expect("room for games");
    for _ in 0..times {
        file.write_all(&text).expect("room for games");
    }
    (times * text.len()) as f64 / 1e6
}

fn show(name: &str, megabytes: Option<f64>, Figures { wall, cpu, peak }: Figures) {
    let rate = megabytes.map_or_else(|| "-".to_owned(), |megabytes| format!("{:.0}", megabytes / cpu));
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
            // The system keeps the largest.
            peak = peak_mebibytes(&status).or(peak);
            if let Some(status) = child.try_wait().expect("it ends") {
                assert!(status.success(), "{} {args:?}: {status}", program.display());
                break begin.elapsed().as_secs_f64();
            }
            thread::sleep(Duration::from_millis(2));
        };
        Figures { wall, cpu: children_cpu() - cpu, peak }
    };
    let runs = (0..RUNS).map(|_| once());
    runs.min_by(|one, other| one.cpu.total_cmp(&other.cpu)).expect("a run")
}

fn peak_mebibytes(status: &str) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kibibytes| kibibytes / 1024.0)
}

/// Seconds of processor time of all children that have ended, where the system tells.
fn children_cpu() -> f64 {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(13) + ticks(14)) / TICKS
}

fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}
