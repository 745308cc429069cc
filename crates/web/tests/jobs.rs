//! Work that a page asks for: it is cancelled, fails, goes on later, and is done by one server of several.
#![allow(missing_docs)]

mod common;

use std::{
    fs::File,
    io::Write as _,
    process::Command,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use centipawn_web::Limits;
use common::{GAME, Server};
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
    assert_eq!(server.ask("DELETE", &format!("/api/jobs/{id}"), &Value::Null).0, 200);
    server.wait(id, |state| state == "cancelled");
    // An engine has 30 s for a search.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let (_, job) = server.ask("POST", &format!("/api/jobs/{id}"), &Value::Null);
    assert!(matches!(job["state"].as_str(), Some("waiting" | "running")), "{job}");
}

#[test]
fn what_a_server_leaves_open_goes_on_in_the_next() {
    let server = Server::start("think 60000");
    let game = server.add(GAME);
    let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    let id = job["id"].as_i64().unwrap();
    server.wait(id, |state| state == "running");
    let folder = server.stop();
    let server = Server::start_in(folder, "think 60000", Limits::default());
    let job = server.wait(id, |_| true);
    assert_eq!((&job["state"], &job["done"]), (&json!("interrupted"), &json!(0)));
    let (_, rows) = server.ask("GET", "/api/games", &Value::Null);
    assert_eq!(rows["games"][0]["job"]["state"], "interrupted");
    assert_eq!(server.ask("POST", &format!("/api/jobs/{id}"), &Value::Null).0, 200);
    server.wait(id, |state| state == "running");
}

#[test]
fn a_failing_engine_costs_its_game() {
    let server = Server::start("exit");
    let game = server.add(GAME);
    let job = server.review(&json!({ "game": game }));
    assert_eq!(job["state"], "failed", "{job}");
    assert!(job["problem"].as_str().unwrap().contains("stays unreviewed"), "{job}");
    let game = server.add(include_str!("../../../tests/data/lichess.pgn"));
    assert_eq!(server.review(&json!({ "game": game, "reuse_evals": true }))["state"], "done");
}

#[test]
fn a_failed_job_that_finds_no_place_in_the_line_keeps_its_reason() {
    let server = Server::start("exit");
    let game = server.add(GAME);
    let failed = server.review(&json!({ "game": game }));
    let server = Server::start_in(server.stop(), "think 60000", Limits { waiting: 1, ..Limits::default() });
    let others = ["1. d4 *", "1. c4 *"].map(|pgn| server.add(pgn));
    for game in others {
        let (status, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
        assert_eq!(status, 200, "{job}");
        // Of the two, the first leaves the line.
        if game == others[0] {
            server.wait(job["id"].as_i64().unwrap(), |state| state == "running");
        }
    }
    let path = format!("/api/jobs/{}", failed["id"]);
    assert_eq!(server.ask("POST", &path, &Value::Null).0, 429);
    let (_, job) = server.ask("GET", &path, &Value::Null);
    assert_eq!((&job["state"], &job["problem"]), (&json!("failed"), &failed["problem"]));
}

#[test]
fn events_report_each_position() {
    let server = Server::start("");
    let game = server.add(GAME);
    server.review(&json!({ "game": game }));
    let is_job = |event: &&Value| event["event"] == "job";
    let until = Instant::now() + Duration::from_secs(60);
    // The job is done a moment before its event is there.
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
    let positions: Vec<&Value> = events.iter().filter(|event| event["event"] == "position").collect();
    assert_eq!(positions.len(), 5);
    let judged: Vec<i64> = positions
        .iter()
        .flat_map(|event| event["judged"].as_array().unwrap().iter().map(|ply| ply["ply"].as_i64().unwrap()))
        .collect();
    assert_eq!(judged, [1, 2, 3, 4, 5]);
    let last = all["last"].as_u64().unwrap();
    let (_, none) = server.ask("GET", &format!("/api/events?after={last}"), &Value::Null);
    assert_eq!(none["events"], json!([]));
}

#[test]
fn two_servers_on_one_store_do_a_job_once() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let [one, other] = [(); 2].map(|()| Server::start_in(Arc::clone(&folder), "think 1500", Limits::default()));
    let game = one.add(GAME);
    let request = json!({ "game": game });
    let (_, job) = one.ask("POST", "/api/reviews", &request);
    let id = job["id"].as_i64().unwrap();
    one.wait(id, |state| state == "running");
    let (_, same) = other.ask("POST", "/api/reviews", &request);
    assert_eq!(same["id"], job["id"]);
    assert_eq!(one.wait(id, |state| state == "done")["done"], 5);
    other.wait(id, |state| state == "done");
    let (_, events) = other.ask("GET", "/api/events?after=0", &Value::Null);
    let is_position = |event: &&Value| event["event"] == "position";
    assert_eq!(events["events"].as_array().unwrap().iter().filter(is_position).count(), 0, "{events}");
    // Either may cancel it.
    let game = one.add("1. d4 d5 2. c4 e6 *");
    let (_, job) = one.ask("POST", "/api/reviews", &json!({ "game": game }));
    let id = job["id"].as_i64().unwrap();
    one.wait(id, |state| state == "running");
    assert_eq!(other.wait(id, |_| true)["state"], "running");
    assert_eq!(other.ask("DELETE", &format!("/api/jobs/{id}"), &Value::Null).0, 200);
    one.wait(id, |state| state == "cancelled");
}

#[test]
fn a_long_game_costs_as_much_for_each_move() {
    let server = Server::start("");
    let time = |moves: usize| {
        let shuffle = ["Nf3 {[%eval 0.2]}", "Nf6 {[%eval 0.2]}", "Ng1 {[%eval 0.2]}", "Ng8 {[%eval 0.2]}"];
        let pgn: String = shuffle.iter().cycle().take(moves).map(|mv| format!("{mv} ")).collect();
        let game = server.add(&format!("{pgn}*"));
        let began = Instant::now();
        assert_eq!(server.review(&json!({ "game": game, "reuse_evals": true }))["state"], "done");
        began.elapsed()
    };
    time(100);
    let (short, long) = (time(1000), time(16_000));
    assert!(long < short * 64, "{long:?} beside {short:?}");
}

/// A file system of two megabytes; `None` where only an administrator may have one.
struct Small(Arc<TempDir>);

impl Small {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        let done = mount.args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder.path()).output();
        done.is_ok_and(|output| output.status.success()).then(|| Self(Arc::new(folder)))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_the_problem_of_a_review() {
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
    assert!(failed["problem"].as_str().unwrap().contains("free space on that disk"), "{failed}");
    // With space again, it goes on.
    drop(rest);
    std::fs::remove_file(disk.0.path().join("rest")).unwrap();
    assert_eq!(server.ask("POST", &format!("/api/jobs/{id}"), &Value::Null).0, 200);
    let done = server.wait(id, |state| state != "running" && state != "waiting");
    assert_eq!(done["state"], "done", "{done}");
}
