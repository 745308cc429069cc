//! Measures how fast piece values are found: `bench_material FILES…`, or `make bench-material`.
//!
//! The figures are games per second of CPU time of all threads together, and wall time in seconds.
//! Each is the best of several runs. If python3 has the package python-chess, `scripts/rows.py`
//! extracts the same rows from the first games with it, and both results are compared.

use std::{
    env,
    error::Error,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use centipawn_calibrate::material::{Collection, CountOptions, Fit, FitOptions, RowsFormat, count};
use centipawn_pgn::{ScanOptions, Source, Sources};
use centipawn_progress::{Cancel, Silent};

const RUNS: usize = 5;

/// Number of games that python-chess reads, because it is slow.
const THEIRS: usize = 1000;

/// The files to read if no file is named.
const USUAL: [&str; 3] = [
    "pgn/engine/OpenRating.pgn",
    "wdl/tcec_fishtest.pgn.zst",
    "pgn/human/masters_pgnmentor.pgn.zst",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        paths = USUAL
            .iter()
            .map(|file| data.join(file))
            .filter(|path| path.exists())
            .collect();
    }
    if paths.is_empty() {
        return Err("name the files to read: bench_material FILES…".into());
    }
    for path in &paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let sources = Sources::expand(&[path])?;
        let counted = || {
            count(&sources, &ScanOptions::default(), &CountOptions::default())
                .map(|counted| counted.0)
        };
        let (collection, rows) = best(|| counted().map_err(io::Error::other))?;
        let cancel = Cancel::new();
        let fitted = |resamples: usize| {
            Fit::new(
                &collection,
                &FitOptions {
                    resamples,
                    ..FitOptions::default()
                },
                &cancel,
                &Silent,
            )
        };
        let (_, plain) = best(|| fitted(0).map_err(io::Error::other))?;
        let (_, resampled) = best(|| fitted(1000).map_err(io::Error::other))?;
        let games = collection.games() as f64;
        println!("\n{name}: {games} games, {} rows", collection.rows().len());
        let line = |what: &str, run: &Run| {
            println!(
                "  {what:34} {:9.0} games/CPU-s {:7.3} CPU-s {:7.3} s",
                games / run.cpu,
                run.cpu,
                run.wall
            );
        };
        line("rows", &rows);
        line("rows, fit, errors by game", &rows.and(&plain));
        line("the same and 1,000 resamples", &rows.and(&resampled));
        match python(path, &collection)? {
            Some(theirs) => println!(
                "  {:34} {theirs:9.0} games/CPU-s; ours {:.0} times as many",
                "python-chess, rows",
                games / rows.cpu / theirs
            ),
            None => println!("  python3 has no python-chess here: nothing to compare with"),
        }
    }
    Ok(())
}

/// Extracts rows with python-chess and compares them with `ours`. Returns games per second of CPU
/// time; `None` without python-chess.
fn python(path: &Path, ours: &Collection) -> Result<Option<f64>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let plain = folder.path().join("games.pgn");
    let mut text = Vec::new();
    Source::open(path)?.read_to_end(&mut text)?;
    fs::write(&plain, &text)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/rows.py");
    let ran = Command::new("python3")
        .arg(script)
        .arg(&plain)
        .arg(THEIRS.to_string())
        .output();
    let Ok(output) = ran.map_err(drop).and_then(|output| {
        if output.status.success() {
            Ok(output)
        } else {
            Err(())
        }
    }) else {
        return Ok(None);
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut numbers = errors
        .lines()
        .last()
        .unwrap_or_default()
        .split(' ')
        .filter_map(|number| number.parse::<f64>().ok());
    let (Some(games), Some(seconds)) = (numbers.next(), numbers.next()) else {
        return Ok(None);
    };
    let mut own = Vec::new();
    ours.write_rows(RowsFormat::Tabs, &mut own)?;
    // Compare rows without the number of their game, the first column. After a place where
    // python-chess splits one game into two, the numbers differ.
    let rows = |text: &str| -> Vec<String> {
        text.lines()
            .filter_map(|line| line.split_once('\t').map(|(_, row)| row.to_owned()))
            .collect()
    };
    let (theirs, own) = (
        rows(&String::from_utf8_lossy(&output.stdout)),
        rows(&String::from_utf8_lossy(&own)),
    );
    let same = theirs
        .iter()
        .zip(&own)
        .take_while(|(theirs, own)| theirs == own)
        .count();
    println!(
        "  the first {same} of python-chess' {} rows are ours",
        theirs.len()
    );
    Ok(Some(games / seconds))
}

/// The cost of a run, in seconds.
struct Run {
    cpu: f64,
    wall: f64,
}

impl Run {
    fn and(&self, other: &Self) -> Self {
        Self {
            cpu: self.cpu + other.cpu,
            wall: self.wall + other.wall,
        }
    }
}

/// Runs the work several times. Returns the last result, the least CPU time and the least wall
/// time.
fn best<T>(mut run: impl FnMut() -> io::Result<T>) -> io::Result<(T, Run)> {
    let mut best = Run {
        cpu: f64::INFINITY,
        wall: f64::INFINITY,
    };
    let mut last = None;
    for _ in 0..RUNS {
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        last = Some(run()?);
        best.cpu = best.cpu.min(cpu_seconds() - cpu);
        best.wall = best.wall.min(wall.elapsed().as_secs_f64());
    }
    last.map(|last| (last, best))
        .ok_or_else(|| io::Error::other("nothing ran"))
}

fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
