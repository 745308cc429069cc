//! Measures how many positions a network evaluates per second of CPU time, one at a time and
//! several together: `make bench-policy`.
//!
//! Arguments: the network (a file, or centipawn-1), then optionally the number of seconds of each
//! measurement. A measurement includes the planes, the legal moves and the softmax. It counts CPU
//! time, because wall time changes with the load of the machine.

use std::{
    env,
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use centipawn_core::History;
use centipawn_policy::{Kernel, LEVELS, Network};
use rustix::time::{ClockId, clock_gettime};

const GAME: &str = "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 c3b5 c6b5 \
    c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8";

fn cpu_seconds(clock: ClockId) -> f64 {
    let now = clock_gettime(clock);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Returns the positions per second of CPU time of all threads, and per second of wall time.
/// `batch` positions are evaluated together.
fn measure(
    network: &Network,
    games: &[History],
    batch: usize,
    threads: usize,
    time: Duration,
) -> (f64, f64) {
    // Repeat the first games to fill the last batch, so that all batches have the same size.
    let games: Vec<History> = games
        .iter()
        .cycle()
        .take(games.len().next_multiple_of(batch))
        .cloned()
        .collect();
    let stop = AtomicBool::new(false);
    let begin = (cpu_seconds(ClockId::ProcessCPUTime), Instant::now());
    let done: u64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut done = 0_u64;
                    for games in games
                        .chunks(batch)
                        .cycle()
                        .take_while(|_| !stop.load(Ordering::Relaxed))
                    {
                        let answers = black_box(network.evaluate_many(black_box(games), &LEVELS));
                        assert!(answers.iter().all(Result::is_ok));
                        done += games.len() as u64;
                    }
                    done
                })
            })
            .collect();
        thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"))
            .sum()
    });
    let cpu = cpu_seconds(ClockId::ProcessCPUTime) - begin.0;
    (
        done as f64 / cpu,
        done as f64 / begin.1.elapsed().as_secs_f64(),
    )
}

/// Returns a value of `/proc/self/status`; `unknown` if the system has no such file.
fn status(name: &str) -> String {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .map_or("unknown".to_owned(), |rest| rest.trim().to_owned())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("usage: bench_policy NETWORK [SECONDS]")?;
    let seconds = arguments.next().map_or(Ok(3.0), |text| text.parse())?;
    let time = Duration::from_secs_f64(seconds);

    let mut game = History::default();
    let mut games = Vec::new();
    for uci in GAME.split_whitespace() {
        game.push(game.parse_uci(uci)?);
        games.push(game.clone());
    }

    let begin = Instant::now();
    let network = Network::find(&path, Kernel::best())?;
    network.evaluate(&games[0])?;
    println!(
        "start to first answer  {:6.1} ms",
        begin.elapsed().as_secs_f64() * 1e3
    );
    println!("peak memory            {}", status("VmHWM:"));
    for kernel in Kernel::available() {
        let network = Network::find(&path, kernel)?;
        for batch in [1, 8, 64] {
            let (rate, _) = measure(&network, &games, batch, 1, time);
            println!(
                "{:9} batch {batch:2}  {rate:6.0} positions per CPU-second",
                kernel.name()
            );
        }
    }
    let (rate, wall) = measure(&network, &games, 1, 2, time);
    println!(
        "{:9} two threads  {rate:6.0} positions per CPU-second, {wall:.0} per second",
        network.kernel().name()
    );
    Ok(())
}
