//! Measures how fast games between humans are collected: `make bench-people`. The comparisons are a
//! scan that collects nothing, and reading the bytes.
//!
//! Arguments: files of games. They are repeated until they have 500 MB, and read on one thread. The
//! three measurements take turns, and the fastest run of each counts, because other programs use
//! the machine too.
#![allow(clippy::print_stdout)]

use std::{
    env, fs,
    io::{Read as _, Write as _},
    num::NonZeroUsize,
    time::Instant,
};

use centipawn_calibrate::human::{HumanCountOptions, HumanFitOptions, HumanGames, HumanReport};
use centipawn_pgn::{ScanOptions, Source, Sources, scan};
use centipawn_progress::{Cancel, Silent};

const RUNS: usize = 5;
const MEGABYTES: usize = 500;

fn main() {
    let mut text = Vec::new();
    for path in env::args_os().skip(1) {
        Source::open(path)
            .expect("games")
            .read_to_end(&mut text)
            .expect("games");
        text.extend_from_slice(b"\n\n");
    }
    assert!(!text.is_empty(), "which games? GAMES=\"FILES…\"");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    let mut file = fs::File::create(&path).expect("room for games");
    let times = (MEGABYTES * 1_000_000).div_ceil(text.len());
    (0..times).for_each(|_| file.write_all(&text).expect("room for games"));
    drop(file);
    let megabytes = (times * text.len()) as f64 / 1e6;
    let sources = Sources::expand(&[&path]).expect("the file");
    let options = ScanOptions {
        threads: NonZeroUsize::new(1),
        ..ScanOptions::default()
    };
    let count = || {
        HumanGames::count(&sources, &options, &HumanCountOptions::default())
            .expect("a scan")
            .0
    };
    let mut best = [f64::INFINITY; 3];
    for _ in 0..RUNS {
        let ways: [&dyn Fn(); 3] = [
            &|| {
                let bytes = fs::read(&path).expect("the file");
                std::hint::black_box(bytes.iter().filter(|byte| **byte == b'\n').count());
            },
            &|| {
                scan(&sources, &options, || (), |(), _| {}).expect("a scan");
            },
            &|| {
                std::hint::black_box(count());
            },
        ];
        for (best, way) in best.iter_mut().zip(ways) {
            let begin = Instant::now();
            way();
            *best = best.min(begin.elapsed().as_secs_f64());
        }
    }
    println!("{megabytes:.0} MB of games on one thread; the fastest of {RUNS} runs\n");
    println!("{:<44}{:>8}{:>10}", "", "s", "MB/s");
    for (name, seconds) in [
        "reading bytes and counting lines",
        "a scan that notes nothing",
        "collecting people's games",
    ]
    .iter()
    .zip(best)
    {
        println!("{name:<44}{seconds:>8.2}{:>10.0}", megabytes / seconds);
    }
    println!(
        "\ncollecting takes {:.2} of the time of the bare scan",
        best[2] / best[1]
    );
    let games = count();
    let begin = Instant::now();
    let report = HumanReport::new(&games, &HumanFitOptions::default(), &Cancel::new(), &Silent);
    match report {
        Ok(report) => println!(
            "fit, 100 resamples, held-out test: {:.1} s for {} positions of {} games ({} counted)",
            begin.elapsed().as_secs_f64(),
            report.positions,
            report.games,
            report.games_counted
        ),
        Err(error) => println!("no fit: {error}"),
    }
}
