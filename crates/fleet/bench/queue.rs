//! What the queue costs, with a real server: `make bench-fleet`.

#[allow(dead_code, unreachable_pub)]
#[path = "../../store/tests/common/postgres.rs"]
mod postgres;

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use centipawn_engine::Identity;
use centipawn_progress::{Cancel, Silent};

use crate::{
    Fleet, Need,
    database::Patience,
    queue::Answers,
    spill::{Spill, SpilledGame, read_game},
    submit::RunSpec,
};

/// Clients at once.
const CLIENTS: u32 = 32;

fn spec() -> RunSpec {
    let engine = Identity { name: "X".to_owned(), author: String::new(), options: [].into() };
    let need = Need { engine, networks: Vec::new() };
    RunSpec {
        recipe: r#"{"recipe":"mine"}"#.to_owned(),
        need,
        proof: Vec::new(),
        game_key: String::new(),
        priority: 0,
        task_size: Some(1),
    }
}

/// Seconds that all processes with this word in their command line have computed.
fn processor_seconds(word: &str) -> f64 {
    let Ok(list) = fs::read_dir("/proc") else { return 0.0 };
    let ticks = list.flatten().filter_map(|entry| {
        let command = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok().filter(|_| command.contains(word))?;
        // Numbers after the name in brackets: the 11th and 12th are user and system time, then those of ended children.
        let fields: Vec<u64> =
            stat.rsplit(')').next()?.split_whitespace().filter_map(|field| field.parse().ok()).collect();
        Some(fields.get(10..14)?.iter().sum::<u64>())
    });
    ticks.sum::<u64>() as f64 / 100.0
}

#[test]
#[ignore = "a benchmark: make bench-fleet"]
fn what_the_queue_costs() {
    let Some(server) = postgres::Server::start(&["max_connections = 1100", "shared_buffers = 256MB"]) else { return };
    let place = server.database().parse().unwrap();
    Fleet::setup(&place, &[], Arc::new(Silent)).unwrap();
    let fleet = Fleet::open(&place, CLIENTS, Arc::new(Silent)).unwrap();

    const GAMES: u64 = 100_000;
    let mut spill = Spill::new().unwrap();
    for number in 0..GAMES {
        let game = read_game(&format!("[Round \"{number}\"]\n\n1. e4 e5 2. Nf3 Nc6 *")).unwrap();
        spill.push(&SpilledGame::new(&game, 1)).unwrap();
    }
    let begin = Instant::now();
    let run = fleet.submit(&spec(), &mut spill, &Cancel::new()).unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    println!("{GAMES} tasks of a game submitted in {seconds:.1} s (goal 30)");

    let worker = fleet.enlist("bench", &spec().need.engine, 1, Patience::Brief).unwrap();
    let (done, until) = (AtomicU64::new(0), Instant::now() + Duration::from_secs(10));
    let before = processor_seconds("postgres");
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while Instant::now() < until {
                    let held = fleet.take(run, worker, Patience::Brief).unwrap().unwrap();
                    let key = held.games.as_ref().unwrap()[0].key.clone();
                    let answers = Answers { documents: vec![(key, vec![7; 8000])], ..Answers::default() };
                    assert!(fleet.finish(&held, worker, &answers, Patience::Brief).unwrap());
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let done = done.into_inner() as f64;
    let server_time = (processor_seconds("postgres") - before) * 1000.0 / done;
    println!("{:.0} tasks taken and finished a second by {CLIENTS} clients (goal 500)", done / 10.0);
    println!("{server_time:.2} ms of the server's processor for each (goal 1.5)");
    assert_eq!(fleet.status(Some(run)).unwrap().runs[0].done as f64, done);

    for held in [1000, 10_000] {
        let taken = fleet.status(Some(run)).unwrap().runs[0].held;
        for _ in taken..held {
            fleet.take(run, worker, Patience::Brief).unwrap().unwrap();
        }
        let begin = Instant::now();
        for _ in 0..50 {
            fleet.take(run, worker, Patience::Brief).unwrap().unwrap();
        }
        let each = begin.elapsed().as_secs_f64() * 1000.0 / 50.0;
        println!("{each:.1} ms to take one with {held} under way");
    }

    let idle: Vec<Fleet> = (0..500).map(|_| Fleet::open(&place, 2, Arc::new(Silent)).unwrap()).collect();
    let before = processor_seconds("postgres");
    thread::scope(|scope| {
        for chunk in idle.chunks(50) {
            scope.spawn(move || {
                for fleet in chunk {
                    fleet.open_runs(Patience::Brief).unwrap();
                }
                thread::sleep(Duration::from_secs(8));
            });
        }
    });
    let cores = (processor_seconds("postgres") - before) / 8.0;
    println!("{cores:.2} of the server's cores for 500 workers that look once in 8 s (goal 0.2 for 1,000 sessions)");
}
