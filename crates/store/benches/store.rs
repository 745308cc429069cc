//! Measures how fast a store writes and finds evaluations: `cargo bench -p centipawn-store -- [ROWS
//! [postgres://ADDRESS]]`. Without an address it starts its own PostgreSQL server, if one is
//! installed.

#[path = "../tests/it/common/evaluations.rs"]
#[allow(missing_docs, unreachable_pub)]
mod evaluations;

use std::{
    env, fs,
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use centipawn_core::History;
use centipawn_engine::{Analysis, Limit, Question};
use centipawn_store::{Location, Store};
use centipawn_test_support::postgres::Server;
use evaluations::{engine, evaluation};
use shakmaty::Position as _;

/// Number of evaluations in one call.
const BATCH: usize = 50_000;
const LIMIT: Limit = Limit::Nodes(100_000);

fn main() {
    // Cargo adds `--bench` to the arguments.
    let mut args = env::args().skip(1).filter(|argument| argument != "--bench");
    let rows: usize = args.next().map_or(1_000_000, |rows| {
        rows.parse().expect("a number of evaluations")
    });
    println!(
        "{rows} evaluations of two lines of 12 moves, kept {BATCH} at a time, found 256 at a time \
         and one by one"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    measure(
        "SQLite",
        &Location::File(folder.path().join("bench.db")),
        rows,
    );
    match args.next() {
        Some(url) => measure("PostgreSQL", &url.parse().expect("an address"), rows),
        None => match Server::start(&["shared_buffers = 512MB", "max_wal_size = 4GB"]) {
            Some(server) => measure(
                "PostgreSQL",
                &server.database().parse().expect("an address"),
                rows,
            ),
            None => println!("PostgreSQL is not installed"),
        },
    }
}

fn measure(name: &str, place: &Location, rows: usize) {
    let who = engine("Stockfish 15.1");
    let store = Store::open(place).expect("a store");
    let (mut kept, mut processor, mut keeping) = (0, Duration::ZERO, Duration::ZERO);
    let mut questions: Vec<Question> = Vec::with_capacity(rows);
    while kept < rows {
        // Created before the time is taken, so that only the store is measured.
        let batch: Vec<(Question, Analysis)> = batch_of(kept as u64, BATCH.min(rows - kept));
        let (began, used) = (Instant::now(), cpu_time());
        store
            .keep_all(
                &who,
                batch
                    .iter()
                    .map(|(question, analysis)| (question, analysis)),
            )
            .expect("kept");
        keeping += began.elapsed();
        processor += cpu_time() - used;
        kept += batch.len();
        questions.extend(batch.into_iter().map(|(question, _)| question));
    }
    report(name, "inserts", rows, keeping, processor);

    // Questions in an order that is scattered over the whole table.
    let step = 7_919 % questions.len().max(1);
    let scattered = || (0..questions.len()).map(|index| &questions[index * step % questions.len()]);
    let (began, used, mut found) = (Instant::now(), cpu_time(), 0);
    let all: Vec<Question> = scattered().cloned().collect();
    let (began, used) = (began + began.elapsed(), used + (cpu_time() - used));
    for chunk in all.chunks(256) {
        found += black_box(store.find_all(&who, chunk).expect("found"))
            .iter()
            .flatten()
            .count();
    }
    report(name, "look-ups", rows, began.elapsed(), cpu_time() - used);
    assert_eq!(found, rows, "all are found");

    let single = rows.min(100_000);
    let (began, used) = (Instant::now(), cpu_time());
    for question in &all[..single] {
        black_box(store.find(&who, question).expect("found"));
    }
    report(
        name,
        "look-ups one by one",
        single,
        began.elapsed(),
        cpu_time() - used,
    );
    drop(store);
    // Reopening the store has merged SQLite's log into its file.
    let bytes = Store::open(place)
        .and_then(|store| store.stats())
        .expect("statistics")
        .bytes;
    println!(
        "{name:11} {:>24}: {:.0}",
        "bytes a row",
        bytes as f64 / rows as f64
    );
}

fn batch_of(first: u64, count: usize) -> Vec<(Question, Analysis)> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|part| {
                scope.spawn(move || {
                    (part..count)
                        .step_by(threads)
                        .map(|index| one(first + index as u64))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().expect("no panic"))
            .collect()
    })
}

/// Returns an evaluation of a distinct position, because the number is also its move number.
fn one(number: u64) -> (Question, Analysis) {
    let (question, analysis) = evaluation(number, LIMIT, 2, 12);
    let mut setup = question
        .history
        .position()
        .to_setup(shakmaty::EnPassantMode::Legal);
    setup.fullmoves = u32::try_from(number % 1_000_000_000 + 1)
        .ok()
        .and_then(|n| n.try_into().ok())
        .expect("a number");
    let position = setup.position(question.history.mode()).expect("a position");
    (
        Question {
            history: History::new(position, question.history.mode()),
            ..question
        },
        analysis,
    )
}

fn report(name: &str, what: &str, count: usize, wall: Duration, processor: Duration) {
    let rate = |time: Duration| count as f64 / time.as_secs_f64().max(1e-9);
    println!(
        "{name:11} {what:>24}: {:>9.0} a second, {:>9.0} a second of our own processor time",
        rate(wall),
        rate(processor)
    );
}

/// Returns the CPU time of this process so far; zero if the system does not provide it.
fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|f| f.parse().unwrap_or(0))
        .collect();
    // Fields 14 and 15 are utime and stime; the first field here is field 3. Linux reports ticks of
    // 10 ms.
    Duration::from_millis(
        10 * fields
            .get(11..13)
            .map_or(0, |times| times.iter().sum::<u64>()),
    )
}
