//! The cost of the pool itself. Runs alone, so that the time of other tests is not counted.

use std::{fs, thread, time::Instant};

use centipawn_core::History;
use centipawn_engine::{Analyst, Cancel, EngineConfig, Limit, Pool, Question, find};
use centipawn_test_support::skipped;

/// Returns the processor time in ticks of this process and of the children it has waited for.
fn ticks() -> (u64, u64) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .skip(1)
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    // utime, stime, cutime and cstime are fields 14 to 17; the first here is field 4.
    (fields[10] + fields[11], fields[12] + fields[13])
}

#[test]
fn two_engines_stay_busy_and_the_pool_needs_little_time() {
    let command = match find("stockfish") {
        Ok(command) => command,
        Err(error) => return skipped(&error.to_string(), "CENTIPAWN_REQUIRE_ENGINES"),
    };
    let fens = [
        "r1bqk2r/2ppbppp/p1n2n2/1p2p3/4P3/1B3N2/PPPP1PPP/RNBQR1K1 b kq - 1 7",
        "r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 1 7",
    ];
    let pool = Pool::start(&[(EngineConfig::new(command), 2)], &Cancel::new()).unwrap();
    let histories = fens.map(|fen| History::from_fen(fen, None).unwrap());
    // Each thread searches both positions, so that both threads need about the same time.
    let ask = |own: usize| {
        for index in 0..16 {
            let history = histories[(index + own) % 2].clone();
            pool.analyse(&Question::new(history, Limit::Nodes(100_000)).lines(2))
                .unwrap();
        }
    };
    let began = Instant::now();
    let before = ticks().0;
    thread::scope(|scope| {
        [0, 1]
            .map(|own| scope.spawn(move || ask(own)))
            .map(|task| task.join().unwrap())
    });
    let own = ticks().0 - before;
    let elapsed = began.elapsed();
    let stats = pool.stats();
    drop(pool);
    let engines = ticks().1;
    let share = own as f64 / engines as f64;
    let concurrency = stats.busy.as_secs_f64() / elapsed.as_secs_f64();
    eprintln!(
        "pool {own} ticks, engines {engines} ticks ({:.2} %); {concurrency:.2} engines busy",
        100.0 * share
    );
    assert!(
        share < 0.02,
        "the pool took {own} ticks, its engines {engines}"
    );
    assert!(concurrency > 1.5, "{concurrency:.2} engines busy of 2");
}
