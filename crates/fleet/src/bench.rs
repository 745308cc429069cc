//! Measures the queue with a real server: `make bench-fleet`. It is an ignored test rather than a
//! benchmark, because it calls private functions of this crate. The workers are simulated at the
//! protocol level: each has its own session, leases tasks of about a minute, renews its leases,
//! fails, or crashes. Meanwhile submitters collect answers, and a client asks for the status.
//!
//! `FLEET_TASKS` and `FLEET_WORKERS` set the size. The defaults, 100,000 tasks and 100 workers, are
//! a tenth of the size for which the queue is designed.

#![cfg(test)]

use std::{
    env, fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use centipawn_core::SplitMix64;
use centipawn_engine::Identity;
use centipawn_progress::{Cancel, Silent};
use centipawn_test_support::postgres;
use centipawn_work::remote::read_game;

use crate::{
    Fleet, Need, RunId,
    database::Patience,
    queue::{Answers, Badge, Document, Held, Offer},
    spill::{Spill, SpilledGame},
    submit::RunSpec,
};

/// Number of threads that simulate the workers.
const THREADS: usize = 16;
/// Number of clients that measure the throughput without pauses.
const CLIENTS: usize = 32;
/// Minimum and maximum duration of a task in seconds.
const TASK: (f64, f64) = (30.0, 90.0);
const RENEWAL: Duration = Duration::from_secs(20);
/// Duration of the warm-up, and of the measurement after it.
const WARM: Duration = Duration::from_secs(90);
const MEASURED: Duration = Duration::from_secs(60);
/// Size in bytes of a compressed answer: a game reviewed with 3,000 nodes for each position.
const ANSWER: usize = 5700;

fn size(name: &str, default: u64) -> u64 {
    env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn spec(number: u64) -> RunSpec {
    let engine = Identity {
        name: "X".to_owned(),
        author: String::new(),
        options: [].into(),
    };
    let need = Need {
        engine,
        networks: Vec::new(),
    };
    RunSpec {
        recipe: format!(r#"{{"recipe":"mine","run":{number}}}"#),
        need,
        proof: Vec::new(),
        game_key: number.to_string(),
        // The first run is large; the other runs have a higher priority.
        priority: i32::from(number > 1),
        task_size: Some(1),
    }
}

/// Returns the CPU time of a server in seconds: of its first process and its children, including
/// children that have ended.
fn processor_seconds(server: &postgres::Server) -> f64 {
    let first = i64::from(server.process());
    let Ok(list) = fs::read_dir("/proc") else {
        return 0.0;
    };
    let ticks = list.flatten().filter_map(|entry| {
        let number: i64 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // In `/proc/PID/stat`, the fields after the name in brackets and the state are: the parent
        // process, and from the 11th on, user time, system time, and the same two times of ended
        // children.
        let fields: Vec<i64> = stat
            .rsplit(')')
            .next()?
            .split_whitespace()
            .skip(1)
            .filter_map(|field| field.parse().ok())
            .collect();
        let is_own = number == first || fields.first() == Some(&first);
        is_own
            .then(|| fields.get(10..14).map(|times| times.iter().sum::<i64>()))
            .flatten()
    });
    ticks.sum::<i64>() as f64 / 100.0
}

/// Durations of one kind of request, in milliseconds.
#[derive(Default)]
struct Times(Mutex<Vec<f64>>);

impl Times {
    fn add(&self, milliseconds: f64) {
        self.0.lock().unwrap().push(milliseconds);
    }

    fn clock<T>(&self, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let done = work();
        self.add(begin.elapsed().as_secs_f64() * 1000.0);
        done
    }

    fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    fn text(&self) -> String {
        let mut all = self.0.lock().unwrap().clone();
        all.sort_by(f64::total_cmp);
        let at = |share: f64| {
            all.get(((all.len() as f64 - 1.0) * share) as usize)
                .copied()
                .unwrap_or(f64::NAN)
        };
        format!(
            "median {:.1} ms, 99 of 100 below {:.1} ms, longest {:.0} ms ({} times)",
            at(0.5),
            at(0.99),
            at(1.0),
            all.len()
        )
    }
}

/// The measurements of the benchmark.
#[derive(Default)]
struct Measured {
    lease: Times,
    renewal: Times,
    finish: Times,
    status: Times,
    look: Times,
    delivery: Times,
    failures: AtomicU64,
    crashes: AtomicU64,
    /// For each run, the time at which each of its games was answered.
    answered: Vec<Mutex<Vec<Option<Instant>>>>,
}

fn answers(held: &Held, random: &mut SplitMix64) -> Answers {
    let games = held.games.as_deref().unwrap_or_default();
    let documents = games.iter().map(|game| {
        let bytes: Vec<u8> = (0..ANSWER / 8 + 1)
            .flat_map(|_| random.next_u64().to_le_bytes())
            .collect();
        Document::new(game.key.clone(), bytes, Some(&game.key))
    });
    Answers {
        documents: documents.collect(),
        nodes: 1_000_000,
        time: Duration::from_secs(60),
    }
}

/// A simulated worker.
struct Simulated {
    fleet: Fleet,
    badge: Badge,
    requests: i64,
    held: Option<(Held, Instant)>,
    renewal: Instant,
    look: Instant,
}

impl Simulated {
    fn next(&self) -> Instant {
        self.held
            .as_ref()
            .map_or(self.look, |(_, end)| *end)
            .min(self.renewal)
    }

    fn act(&mut self, served: &[i64], random: &mut SplitMix64, measured: &Measured) {
        let now = Instant::now();
        if self.renewal <= now {
            self.renewal = now + RENEWAL;
            let held: Vec<_> = self
                .held
                .iter()
                .map(|(held, _)| (held.run, held.number, held.taken))
                .collect();
            measured
                .renewal
                .clock(|| self.fleet.renew(&self.badge, &held, Patience::Brief))
                .unwrap();
        }
        if let Some((held, end)) = self.held.take() {
            if end > now {
                self.held = Some((held, end));
                return;
            }
            match random.unit() {
                ..0.005 => {
                    // The worker's process is killed, and another process takes its place.
                    measured.crashes.fetch_add(1, Ordering::Relaxed);
                    self.badge = enlist(&self.fleet);
                }
                ..0.015 => {
                    measured.failures.fetch_add(1, Ordering::Relaxed);
                    self.fleet
                        .fail(
                            &self.badge,
                            &held,
                            &Answers::default(),
                            "it failed",
                            Patience::Brief,
                        )
                        .unwrap();
                }
                _ if held.is_double => {
                    self.fleet
                        .compare(&self.badge, &held, &answers(&held, random), Patience::Brief)
                        .map(drop)
                        .unwrap();
                }
                _ => {
                    let answers = answers(&held, random);
                    let counts = measured
                        .finish
                        .clock(|| {
                            self.fleet
                                .finish(&self.badge, &held, &answers, Patience::Brief)
                        })
                        .unwrap();
                    if counts && let Some(run) = measured.answered.get(held.run.0 as usize - 1) {
                        run.lock().unwrap()[held.number as usize - 1] = Some(Instant::now());
                    }
                }
            }
        }
        if self.look <= now {
            self.requests += 1;
            let offer = measured
                .lease
                .clock(|| {
                    self.fleet
                        .lease(&self.badge, self.requests, served, &[], Patience::Brief)
                })
                .unwrap();
            match offer {
                Offer::Task(held) => {
                    let seconds = TASK.0 + (TASK.1 - TASK.0) * random.unit();
                    self.held = Some((*held, Instant::now() + Duration::from_secs_f64(seconds)));
                }
                _ => self.look = Instant::now() + Duration::from_secs(8),
            }
        }
    }
}

fn enlist(fleet: &Fleet) -> Badge {
    fleet
        .enlist("bench", "", &spec(0).need.engine, 1, Patience::Brief)
        .unwrap()
}

/// Collects a run as a submitter does, and measures for how long each game was ready before it was
/// collected.
fn collect(fleet: &Fleet, run: RunId, total: u64, stop: &AtomicBool, measured: &Measured) {
    let (mut delivered, mut idle) = (0_u64, 0);
    while !stop.load(Ordering::Relaxed) && delivered < total {
        let look = measured
            .look
            .clock(|| fleet.look(run, delivered, &Cancel::new()))
            .unwrap();
        let ready = look.ready() as u64;
        let times = measured.answered[run.0 as usize - 1].lock().unwrap();
        // Games are delivered in order, so a game is ready when all earlier games are.
        let last = times[..(delivered + ready) as usize]
            .iter()
            .flatten()
            .max()
            .copied();
        drop(times);
        if let (Some(last), 1..) = (last, ready) {
            measured.delivery.add(last.elapsed().as_secs_f64() * 1000.0);
        }
        delivered += ready;
        idle = if ready > 0 { 0 } else { idle + 1 };
        if idle > 0 {
            thread::sleep(crate::crew::LOOK[(idle - 1).min(crate::crew::LOOK.len() - 1)]);
        }
    }
}

fn spilled(number: u64, is_stored: bool) -> SpilledGame {
    let text = format!("[Round \"{number}\"]\n\n1. e4 e5 2. Nf3 Nc6 *");
    SpilledGame::new(&read_game(text.as_bytes()).unwrap(), 1, is_stored)
}

/// Games without an answer in the database do not count towards the size of one fetch.
#[test]
fn stored_games_are_skipped_in_one_request() {
    let Some(server) = postgres::Server::start(&["fsync = off"]) else {
        return;
    };
    let place = server.database().parse().unwrap();
    Fleet::setup(&place, &[], &[], Arc::new(Silent)).unwrap();
    let fleet = Fleet::open(&place, 1, Arc::new(Silent)).unwrap();
    let mut spill = Spill::new().unwrap();
    (0..40).for_each(|number| spill.push(&spilled(number, number < 30)).unwrap());
    let run = fleet.submit(&spec(1), &mut spill, &Cancel::new()).unwrap();
    assert_eq!(fleet.look(run, 0, &Cancel::new()).unwrap().ready(), 30);
    let status = fleet.status(Some(run)).unwrap().runs.remove(0);
    assert_eq!(
        (status.games, status.answered, status.waiting),
        (40, 30, 10)
    );
    // The games that are missing in another submitter's store.
    let mut spill = Spill::new().unwrap();
    (0..40).for_each(|number| spill.push(&spilled(number, number < 10)).unwrap());
    assert_eq!(
        fleet.submit(&spec(1), &mut spill, &Cancel::new()).unwrap(),
        run
    );
    let status = fleet.status(Some(run)).unwrap().runs.remove(0);
    assert_eq!(
        (status.games, status.answered, status.waiting),
        (40, 10, 30)
    );
}

#[test]
#[ignore = "a benchmark: make bench-fleet"]
fn what_the_queue_costs() {
    let (tasks, workers) = (size("FLEET_TASKS", 100_000), size("FLEET_WORKERS", 100));
    let settings = [
        &format!("max_connections = {}", workers + 200),
        "shared_buffers = 256MB",
    ];
    let Some(server) = postgres::Server::start(&settings) else {
        return;
    };
    let place = server.database().parse().unwrap();
    Fleet::setup(&place, &[], &[], Arc::new(Silent)).unwrap();
    let fleet = Fleet::open(&place, 4, Arc::new(Silent)).unwrap();

    // Most tasks belong to one large run. Three small runs with a higher priority keep the workers
    // busy until the middle of the measurement.
    let small = workers * 2 / 3;
    let sizes = [tasks - 3 * small, small, small, small];
    let begin = Instant::now();
    let mut runs = Vec::new();
    for (number, games) in (1..).zip(sizes) {
        let mut spill = Spill::new().unwrap();
        for game in 0..games {
            spill.push(&spilled(game, false)).unwrap();
        }
        runs.push(
            fleet
                .submit(&spec(number), &mut spill, &Cancel::new())
                .unwrap(),
        );
    }
    let seconds = begin.elapsed().as_secs_f64();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    println!("on {cores} cores, which the server and all simulated processes share:");
    println!("{tasks} tasks of a game submitted in {seconds:.1} s (goal 30 s for 100,000)");

    let served: Vec<i64> = runs.iter().map(|run| run.0).collect();
    let answered = sizes
        .iter()
        .map(|games| Mutex::new(vec![None; *games as usize]))
        .collect();
    let measured = Measured {
        answered,
        ..Measured::default()
    };
    let measured = &measured;
    let stop = &AtomicBool::new(false);
    let served = &served;
    thread::scope(|scope| {
        for thread in 0..THREADS as u64 {
            let place = &place;
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread);
                let mut own: Vec<Simulated> = (0..workers)
                    .filter(|worker| worker % THREADS as u64 == thread)
                    .map(|_| {
                        let fleet = Fleet::open(place, 1, Arc::new(Silent)).unwrap();
                        let badge = enlist(&fleet);
                        let start = Instant::now() + Duration::from_secs_f64(60.0 * random.unit());
                        Simulated {
                            fleet,
                            badge,
                            requests: 0,
                            held: None,
                            renewal: start,
                            look: start,
                        }
                    })
                    .collect();
                while !stop.load(Ordering::Relaxed) {
                    let Some(next) = own.iter_mut().min_by_key(|worker| worker.next()) else {
                        return;
                    };
                    let left = next.next().saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        next.act(served, &mut random, measured);
                    } else {
                        thread::sleep(left.min(Duration::from_millis(100)));
                    }
                }
            });
        }
        for (run, games) in runs.iter().zip(sizes) {
            let place = &place;
            scope.spawn(move || {
                let fleet = Fleet::open(place, 1, Arc::new(Silent)).unwrap();
                collect(&fleet, *run, games, stop, measured);
            });
        }
        let fleet = &fleet;
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                measured.status.clock(|| fleet.status(None)).unwrap();
                thread::sleep(Duration::from_secs(2));
            }
        });
        thread::sleep(WARM);
        for times in [
            &measured.lease,
            &measured.renewal,
            &measured.finish,
            &measured.status,
            &measured.look,
            &measured.delivery,
        ] {
            times.clear();
        }
        let before = processor_seconds(&server);
        thread::sleep(MEASURED);
        let cores = (processor_seconds(&server) - before) / MEASURED.as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        println!("{workers} workers, tasks of a minute, {tasks} of them to do:");
        println!("  {cores:.2} of the server's cores (goal 2)");
    });
    println!("  a lease taken: {} (goal 10 ms)", measured.lease.text());
    println!("  a worker's leases renewed: {}", measured.renewal.text());
    println!("  a task finished: {}", measured.finish.text());
    println!("  status: {} (goal 1000 ms)", measured.status.text());
    println!("  a submitter's look: {}", measured.look.text());
    println!(
        "  an answer collected after: {} (goal 2000 ms)",
        measured.delivery.text()
    );
    println!(
        "  {} failures, {} crashes",
        measured.failures.load(Ordering::Relaxed),
        measured.crashes.load(Ordering::Relaxed)
    );

    // Throughput without pauses.
    let (done, until) = (AtomicU64::new(0), Instant::now() + Duration::from_secs(10));
    let before = processor_seconds(&server);
    thread::scope(|scope| {
        for client in 0..CLIENTS as u64 {
            let (place, done) = (&place, &done);
            scope.spawn(move || {
                let fleet = Fleet::open(place, 1, Arc::new(Silent)).unwrap();
                let badge = enlist(&fleet);
                let mut random = SplitMix64::new(client);
                for request in 1.. {
                    if Instant::now() > until {
                        break;
                    }
                    match fleet
                        .lease(&badge, request, served, &[], Patience::Brief)
                        .unwrap()
                    {
                        Offer::Task(held) if held.is_double => {
                            fleet
                                .compare(
                                    &badge,
                                    &held,
                                    &answers(&held, &mut random),
                                    Patience::Brief,
                                )
                                .map(drop)
                                .unwrap();
                        }
                        Offer::Task(held) => {
                            let answers = answers(&held, &mut random);
                            fleet
                                .finish(&badge, &held, &answers, Patience::Brief)
                                .unwrap();
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                        _ => break,
                    }
                }
            });
        }
    });
    let done = done.into_inner() as f64;
    let server_time = (processor_seconds(&server) - before) * 1000.0 / done;
    println!(
        "{:.0} tasks taken and finished a second by {CLIENTS} clients",
        done / 10.0
    );
    println!("{server_time:.2} ms of the server's processor for each");

    let begin = Instant::now();
    fleet.drop_run(runs[0]).unwrap();
    println!(
        "a run of {} tasks dropped in {:.1} s",
        sizes[0],
        begin.elapsed().as_secs_f64()
    );
}
