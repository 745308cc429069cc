//! Tests of jobs: they are cancelled, fail and continue, and only one server runs them.

use std::{
    fs::File,
    io::Write as _,
    process::Command,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crate::common::{GAME, Server, resources};
use centipawn_engine::Limit;
use centipawn_progress::Cancel;
use centipawn_review::ReviewOptions;
use centipawn_store::StoreError;
use centipawn_web::{Limits, ServeError, ServeOptions, serve};
use centipawn_work::ResourceError;
use serde_json::{Value, json};
use tempfile::TempDir;

#[test]
fn a_cancelled_job_ends_soon_and_goes_on_later() {
    let server = Server::start("think 60000");
    let game = server.add(GAME);
    let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    let id = job["id"].as_i64().unwrap();
    server.wait(id, |state| state == "running");
    let began = Instant::now();
    assert_eq!(
        server
            .ask("DELETE", &format!("/api/jobs/{id}"), &Value::Null)
            .0,
        200
    );
    server.wait(id, |state| state == "cancelled");
    // A search is far from its end, because an engine may take 30 s for it.
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    let (_, job) = server.ask("POST", &format!("/api/jobs/{id}"), &Value::Null);
    assert!(
        matches!(job["state"].as_str(), Some("waiting" | "running")),
        "{job}"
    );
}

#[test]
fn a_job_left_open_by_one_server_continues_in_the_next() {
    let server = Server::start("think 60000");
    let game = server.add(GAME);
    let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    let id = job["id"].as_i64().unwrap();
    server.wait(id, |state| state == "running");
    let folder = server.stop();
    let server = Server::start_in(folder, "think 60000", Limits::default());
    let job = server.wait(id, |_| true);
    assert_eq!(
        (&job["state"], &job["done"]),
        (&json!("interrupted"), &json!(0))
    );
    let (_, rows) = server.ask("POST", "/api/games/select", &json!({}));
    assert_eq!(rows["games"][0]["job"]["state"], "interrupted");
    assert_eq!(
        server
            .ask("POST", &format!("/api/jobs/{id}"), &Value::Null)
            .0,
        200
    );
    server.wait(id, |state| state == "running");
}

#[test]
fn an_engine_failure_fails_only_the_review_of_its_game() {
    let server = Server::start("exit");
    let game = server.add(GAME);
    let job = server.review(&json!({ "game": game }));
    assert_eq!(job["state"], "failed", "{job}");
    assert!(
        job["problem"]
            .as_str()
            .unwrap()
            .contains("stays unreviewed"),
        "{job}"
    );
    let game = server.add(include_str!("../../../../tests/data/lichess.pgn"));
    assert_eq!(
        server.review(&json!({ "game": game, "reuse_evals": true }))["state"],
        "done"
    );
}

/// A job that is done never starts again, so this job must fail although it found a puzzle.
#[test]
fn mining_that_could_not_search_a_position_fails_and_keeps_its_puzzles() {
    // The engine crashes on the first position, which is the only one before the mate.
    let server = Server::start("die-on 8/8/PPPPPPPP");
    let game = server.add("1. f3 e5 2. g4 Qh4# 0-1");
    let (_, jobs) = server.ask(
        "POST",
        "/api/mining",
        &json!({ "games": [game], "effort": 0.01 }),
    );
    let id = jobs["jobs"][0]["id"].as_i64().unwrap();
    let job = server.wait(id, |state| !matches!(state, "waiting" | "running"));
    assert_eq!(job["state"], "failed", "{job}");
    let problem = job["problem"].as_str().unwrap();
    assert!(
        problem.ends_with("the puzzles found in the other positions are kept"),
        "{job}"
    );
    assert_eq!(server.ask("POST", "/api/puzzles", &json!({})).1["total"], 1);
}

#[test]
fn a_failed_job_keeps_its_reason_if_the_full_queue_refuses_it() {
    let server = Server::start("exit");
    let game = server.add(GAME);
    let failed = server.review(&json!({ "game": game }));
    let server = Server::start_in(
        server.stop(),
        "think 60000",
        Limits {
            waiting: 1,
            ..Limits::default()
        },
    );
    let others = ["1. d4 *", "1. c4 *"].map(|pgn| server.add(pgn));
    for game in others {
        let (status, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
        assert_eq!(status, 200, "{job}");
        // Only one job may wait, so let the first one run before the second is added.
        if game == others[0] {
            server.wait(job["id"].as_i64().unwrap(), |state| state == "running");
        }
    }
    let path = format!("/api/jobs/{}", failed["id"]);
    assert_eq!(server.ask("POST", &path, &Value::Null).0, 429);
    let (_, job) = server.ask("GET", &path, &Value::Null);
    assert_eq!(
        (&job["state"], &job["problem"]),
        (&json!("failed"), &failed["problem"])
    );
}

/// Starts a server in which only one job may wait.
fn limited(role: &str) -> Server {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    Server::start_in(
        folder,
        role,
        Limits {
            waiting: 1,
            ..Limits::default()
        },
    )
}

#[test]
fn a_refused_request_leaves_nothing_behind() {
    let server = limited("think 60000");
    let games = ["1. d4 *", "1. c4 *", "1. e4 *"].map(|pgn| server.add(pgn));
    for (game, expected) in games.into_iter().zip([200, 200, 429]) {
        let (status, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
        assert_eq!(status, expected, "{job}");
        if game == games[0] {
            server.wait(job["id"].as_i64().unwrap(), |state| state == "running");
        }
    }
    let (_, jobs) = server.ask("GET", "/api/jobs", &Value::Null);
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 2, "{jobs}");
    let (_, rows) = server.ask("POST", "/api/games/select", &json!({ "search": "" }));
    let refused = rows["games"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["id"] == games[2])
        .unwrap();
    assert_eq!(refused["job"], Value::Null);
}

/// Adds the games of the batches. There are more of them than single jobs may wait.
fn many(server: &Server) -> Vec<i64> {
    ["1. d4 d5", "1. c4 e5", "1. e4 c5", "1. Nf3 d5"]
        .map(|moves| server.add(&format!("[White \"Anna\"]\n\n{moves} *")))
        .into()
}

fn batch(server: &Server, id: &Value, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let (_, all) = server.ask("GET", "/api/batches", &Value::Null);
        let batch = all["batches"]
            .as_array()
            .unwrap()
            .iter()
            .find(|batch| batch["id"] == *id)
            .unwrap()
            .clone();
        if is_wanted(&batch) {
            return batch;
        }
        assert!(Instant::now() < until, "{batch}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_batch_reviews_many_games() {
    let server = limited("");
    let games = many(&server);
    let (status, started) = server.ask(
        "POST",
        "/api/batches",
        &json!({ "filter": { "player": "anna" } }),
    );
    assert_eq!(
        (status, &started["games"], &started["positions"]),
        (200, &json!(4), &json!(8)),
        "{started}"
    );
    let done = batch(&server, &started["id"], |batch| batch["state"] == "done");
    assert_eq!(
        (&done["done"], &done["failed"], &done["positions_done"]),
        (&json!(4), &json!(0), &json!(8))
    );
    assert_eq!(done["seconds_left"], Value::Null);
    // The list shows results of the reviews shortly after they are done.
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let (_, rows) = server.ask("POST", "/api/games/select", &json!({ "reviewed": true }));
        assert_eq!(rows["total"], 4);
        let rows = rows["games"].as_array().unwrap();
        assert!(
            rows.iter().all(|row| row["job"]["state"] == "done"),
            "{rows:?}"
        );
        if rows
            .iter()
            .all(|row| row["review"]["white"]["accuracy"].is_f64())
        {
            break;
        }
        assert!(Instant::now() < until, "{rows:?}");
        thread::sleep(Duration::from_millis(20));
    }
    // The same batch again starts no new work. The games are named twice, but count once.
    let twice = [games.clone(), games].concat();
    let (_, again) = server.ask("POST", "/api/batches", &json!({ "games": twice }));
    assert_eq!(
        (&again["state"], &again["done"], &again["title"]),
        (&json!("done"), &json!(4), &json!("4 games"))
    );
    let (status, refused) = server.ask(
        "POST",
        "/api/batches",
        &json!({ "filter": { "player": "nobody" } }),
    );
    assert_eq!(status, 400, "{refused}");
}

#[test]
fn a_batch_can_be_paused_continued_after_a_restart_and_cancelled() {
    let server = Server::start("think 60000");
    let games = many(&server);
    let (_, started) = server.ask("POST", "/api/batches", &json!({ "games": games }));
    let path = format!("/api/batches/{}", started["id"]);
    let jobs = |server: &Server| {
        let (_, jobs) = server.ask("GET", "/api/jobs", &Value::Null);
        jobs["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|job| job["state"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let until = |server: &Server, wanted: &[&str]| {
        let end = Instant::now() + Duration::from_secs(60);
        while jobs(server) != wanted {
            assert!(Instant::now() < end, "{:?}", jobs(server));
            thread::sleep(Duration::from_millis(20));
        }
    };
    // The queue takes the newest job of a batch first, and the list shows the newest job first.
    until(&server, &["waiting", "waiting", "waiting", "running"]);
    let (_, paused) = server.ask("POST", &format!("{path}/pause"), &Value::Null);
    assert_eq!(paused["state"], "paused");
    until(&server, &["interrupted"; 4]);
    assert_eq!(
        server.ask("POST", &path, &Value::Null).1["state"],
        "running"
    );
    until(&server, &["waiting", "waiting", "waiting", "running"]);
    let server = Server::start_in(server.stop(), "think 60000", Limits::default());
    assert_eq!(
        batch(&server, &started["id"], |_| true)["state"],
        "interrupted"
    );
    assert_eq!(server.ask("POST", &path, &Value::Null).0, 200);
    until(&server, &["waiting", "waiting", "waiting", "running"]);
    assert_eq!(
        server.ask("DELETE", &path, &Value::Null).1["state"],
        "cancelled"
    );
    until(&server, &[]);
    assert_eq!(server.ask("POST", &path, &Value::Null).0, 400, "it is over");
}

#[test]
fn two_users_may_review_the_same_games() {
    let server = Server::start("think 60000");
    let games = many(&server);
    let (_, first) = server.ask("POST", "/api/batches", &json!({ "games": games }));
    let (_, second) = server.ask("POST", "/api/batches", &json!({ "games": [games[3]] }));
    assert_eq!(
        (&second["games"], &second["state"]),
        (&json!(1), &json!("running")),
        "{second}"
    );
    let (_, cancelled) = server.ask(
        "DELETE",
        &format!("/api/batches/{}", second["id"]),
        &Value::Null,
    );
    assert_eq!(
        (&cancelled["state"], &cancelled["games"]),
        (&json!("cancelled"), &json!(0))
    );
    assert_eq!(batch(&server, &first["id"], |_| true)["games"], 4);
    // A review that is requested alone still belongs to the batch.
    let (_, jobs) = server.ask("GET", "/api/jobs", &Value::Null);
    let waiting = jobs["jobs"][0].clone();
    assert_eq!(waiting["state"], "waiting", "{jobs}");
    let path = format!("/api/jobs/{}", waiting["id"]);
    assert_eq!(server.ask("POST", &path, &Value::Null).0, 200);
    assert_eq!(
        server.ask("DELETE", &path, &Value::Null).1["state"],
        "cancelled"
    );
    let all = batch(&server, &first["id"], |_| true);
    // A cancelled review does not count as failed.
    assert_eq!(
        (&all["games"], &all["failed"], &all["cancelled"]),
        (&json!(4), &json!(0), &json!(1)),
        "{all}"
    );
    assert_eq!(all["state"], "running");
}

/// Positions that were evaluated before the batch began must not count for the pace of the batch.
#[test]
fn a_batch_whose_review_was_already_running_has_no_estimate_yet() {
    let server = Server::start("think 1500");
    let game = server.add(GAME);
    let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    let path = format!("/api/jobs/{}", job["id"]);
    let until = Instant::now() + Duration::from_secs(60);
    while server.ask("GET", &path, &Value::Null).1["done"] == 0 {
        assert!(Instant::now() < until);
        thread::sleep(Duration::from_millis(20));
    }
    let (_, batch) = server.ask("POST", "/api/batches", &json!({ "games": [game] }));
    assert!(
        batch["state"] == "running" && batch["positions_done"].as_i64() >= Some(1),
        "{batch}"
    );
    assert_eq!(batch["seconds_left"], Value::Null, "{batch}");
}

/// An interrupted review gets its earlier evaluations from the store at once. These must not count
/// for the pace of the batch.
#[test]
fn a_continued_batch_does_not_underestimate_its_time() {
    let server = Server::start("think 700");
    // The games have no position in common, so neither gets evaluations of the other from the
    // store.
    let pawns = "[FEN \"4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1\"]\n\n1. d4 d5 2. c4 e6 \
                 3. e3 c5 4. b3 b6 *";
    let games = [GAME, pawns].map(|pgn| server.add(pgn));
    let (_, started) = server.ask("POST", "/api/batches", &json!({ "games": games }));
    let path = format!("/api/batches/{}", started["id"]);
    batch(&server, &started["id"], |batch| {
        batch["positions_done"].as_i64() >= Some(3)
    });
    assert_eq!(
        server.ask("POST", &format!("{path}/pause"), &Value::Null).0,
        200
    );
    let (_, jobs) = server.ask("GET", "/api/jobs", &Value::Null);
    server.wait(jobs["jobs"][1]["id"].as_i64().unwrap(), |state| {
        state == "interrupted"
    });
    assert_eq!(server.ask("POST", &path, &Value::Null).0, 200);
    // Two engines search eight positions.
    let early = |batch: &Value| {
        batch["positions_done"]
            .as_i64()
            .is_some_and(|done| (3..8).contains(&done))
    };
    let until = Instant::now() + Duration::from_secs(60);
    let mut estimates = Vec::new();
    while Instant::now() < until {
        let now = batch(&server, &started["id"], |_| true);
        if now["state"] == "done" {
            break;
        }
        estimates.extend(now["seconds_left"].as_f64().filter(|_| early(&now)));
        thread::sleep(Duration::from_millis(20));
    }
    assert!(
        estimates.iter().all(|seconds| *seconds >= 1.0),
        "{estimates:?}"
    );
    assert!(!estimates.is_empty());
}

#[test]
fn reviews_of_the_command_line_appear_in_the_list() {
    let server = Server::start("");
    let game = server.add(GAME);
    let id = server.review(&json!({ "game": game }))["id"].clone();
    let folder = server.stop();
    // Store a review as the command line does: findings without a job.
    let store =
        centipawn_store::Store::open(&centipawn_store::Location::File(folder.path().join("a.db")))
            .unwrap();
    let state = store.job(id.as_i64().unwrap()).unwrap().unwrap().state;
    let centipawn_store::JobState::Reviewed(Some(settings)) = state else {
        panic!("{state:?}")
    };
    let pgn = store.game(game).unwrap().unwrap();
    let findings = store.find_findings(&pgn, &settings).unwrap().unwrap();
    let other = format!("{pgn} ");
    store.keep_findings(&other, &settings, &findings).unwrap();
    drop(store);
    let server = Server::start_in(folder, "", Limits::default());
    let (_, rows) = server.ask("POST", "/api/games/select", &json!({ "reviewed": true }));
    assert_eq!(rows["total"], 2, "{rows}");
}

#[test]
fn events_report_each_position() {
    let server = Server::start("");
    let game = server.add(GAME);
    server.review(&json!({ "game": game }));
    let is_job = |event: &&Value| event["event"] == "job";
    let until = Instant::now() + Duration::from_secs(60);
    // The state of the job changes shortly before its event is sent, so wait for the event.
    let all = loop {
        let (_, all) = server.ask("GET", "/api/events?after=0", &Value::Null);
        let last = all["events"].as_array().unwrap().iter().rfind(is_job);
        if last.is_some_and(|event| event["job"]["state"] == "done") {
            break all;
        }
        assert!(Instant::now() < until, "{all}");
        thread::sleep(Duration::from_millis(20));
    };
    let events = all["events"].as_array().unwrap();
    let positions: Vec<&Value> = events
        .iter()
        .filter(|event| event["event"] == "position")
        .collect();
    assert_eq!(positions.len(), 5);
    let judged: Vec<i64> = positions
        .iter()
        .flat_map(|event| {
            event["judged"]
                .as_array()
                .unwrap()
                .iter()
                .map(|ply| ply["ply"].as_i64().unwrap())
        })
        .collect();
    assert_eq!(judged, [1, 2, 3, 4, 5]);
    let last = all["last"].as_u64().unwrap();
    let (_, none) = server.ask("GET", &format!("/api/events?after={last}"), &Value::Null);
    assert_eq!(none["events"], json!([]));
}

#[test]
fn a_waiting_job_that_was_cancelled_may_be_requested_again() {
    let server = Server::start("think 60000");
    let [running, waiting] = ["1. d4 d5 *", "1. c4 e5 *"].map(|pgn| {
        let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": server.add(pgn) }));
        job["id"].as_i64().unwrap()
    });
    server.wait(running, |state| state == "running");
    let path = format!("/api/jobs/{waiting}");
    assert_eq!(
        server.ask("DELETE", &path, &Value::Null).1["state"],
        "cancelled"
    );
    assert_eq!(
        server.ask("GET", &path, &Value::Null).1["state"],
        "cancelled"
    );
    assert_eq!(
        server.ask("POST", &path, &Value::Null).1["state"],
        "waiting"
    );
    assert_eq!(
        server
            .ask("DELETE", &format!("/api/jobs/{running}"), &Value::Null)
            .0,
        200
    );
    let job = server.wait(waiting, |state| state != "waiting");
    assert_eq!(job["state"], "running", "{job}");
}

#[test]
fn a_second_server_on_a_store_is_refused() {
    let server = Server::start("");
    let folder = server.folder();
    let second = || {
        let cancel = Cancel::new();
        let options = ServeOptions::new(ReviewOptions::new(Limit::Nodes(1000)));
        // Stop the server as soon as it runs.
        serve(options, resources(&folder, &cancel), &cancel, |_| {
            cancel.set();
        })
    };
    let refused = second().unwrap_err();
    let is_taken = matches!(
        refused,
        ServeError::Resource(ResourceError::Store(StoreError::QueueTaken { .. }))
    );
    assert!(is_taken, "{refused:?}");
    // The first server still works.
    assert_eq!(
        server.review(&json!({ "game": server.add(GAME) }))["state"],
        "done"
    );
    server.stop();
    second().unwrap();
}

#[test]
fn the_time_of_a_review_grows_linearly_with_the_number_of_moves() {
    let server = Server::start("");
    let time = |moves: usize| {
        let shuffle = [
            "Nf3 {[%eval 0.2]}",
            "Nf6 {[%eval 0.2]}",
            "Ng1 {[%eval 0.2]}",
            "Ng8 {[%eval 0.2]}",
        ];
        let pgn: String = shuffle
            .iter()
            .cycle()
            .take(moves)
            .map(|mv| format!("{mv} "))
            .collect();
        let game = server.add(&format!("{pgn}*"));
        let began = Instant::now();
        assert_eq!(
            server.review(&json!({ "game": game, "reuse_evals": true }))["state"],
            "done"
        );
        began.elapsed()
    };
    time(100);
    let (short, long) = (time(1000), time(16_000));
    assert!(long < short * 64, "{long:?} beside {short:?}");
}

/// A file system of two megabytes, which can be full. Only an administrator can mount one; for
/// other users the test ends at once.
struct Small(Arc<TempDir>);

impl Small {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        let done = mount
            .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
            .arg(folder.path())
            .output();
        done.is_ok_and(|output| output.status.success())
            .then(|| Self(Arc::new(folder)))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_fails_the_review_with_a_clear_reason() {
    let Some(disk) = Small::mount() else { return };
    let server = Server::start_in(Arc::clone(&disk.0), "think 300", Limits::default());
    let game = server.add(GAME);
    let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    let id = job["id"].as_i64().unwrap();
    server.wait(id, |state| state == "running");
    let mut rest = File::create(disk.0.path().join("rest")).unwrap();
    while rest.write_all(&[0; 1024]).is_ok() {}
    let failed = server.wait(id, |state| state != "running");
    assert_eq!(failed["state"], "failed", "{failed}");
    assert!(
        failed["problem"]
            .as_str()
            .unwrap()
            .contains("free space on that disk"),
        "{failed}"
    );
    // With free space, the review continues.
    drop(rest);
    std::fs::remove_file(disk.0.path().join("rest")).unwrap();
    assert_eq!(
        server
            .ask("POST", &format!("/api/jobs/{id}"), &Value::Null)
            .0,
        200
    );
    let done = server.wait(id, |state| state != "running" && state != "waiting");
    assert_eq!(done["state"], "done", "{done}");
}
