//! Tests of the fleet with real processes and a real PostgreSQL. Whichever process is killed, the
//! files equal those of an undisturbed run, and each task counts once.

mod field;
mod operation;
mod pooler;
mod proxy;
mod trust;

use std::{fs, process::Stdio, thread, time::Duration};

use crate::common::{fake, run};
use field::{Field, Submitter, eventually};

/// Returns a fake engine that takes 100 ms for every search, about a second for a game, and logs
/// each search. This leaves time to disturb a run in the middle.
fn slow(field: &Field) -> String {
    fake(&format!("log {} 100", field.path("asked").display()))
}

#[test]
fn a_fleet_writes_the_same_bytes_as_threads() {
    let Some(field) = Field::new(3) else { return };
    let engine = if centipawn_engine_is_there() {
        "stockfish".to_owned()
    } else {
        fake("ok")
    };
    let games = field.games_file();
    let mut workers = vec![
        field.worker(&engine, &[]),
        field.worker(&engine, &["-j", "2"]),
    ];
    for (command, output) in [
        (
            vec!["review", &games, "--nodes", "5000", "--ease", "-o"],
            "reviewed.pgn",
        ),
        (
            vec![
                "review",
                &games,
                "--nodes",
                "5000",
                "--quick=1000",
                "--json",
            ],
            "reviewed.json",
        ),
        (
            vec![
                "puzzles",
                "mine",
                &games,
                "--effort",
                "0.002",
                "--min-moves",
                "1",
                "-o",
            ],
            "mined.csv",
        ),
    ] {
        let (here, there) = (
            field.path(&format!("here-{output}")),
            field.path(&format!("there-{output}")),
        );
        let of_threads =
            field.command(&[&command[..], &[here.to_str().unwrap(), "--engine", &engine]].concat());
        let ran = run(of_threads);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let mut of_fleet = field.command(
            &[
                &command[..],
                &[there.to_str().unwrap(), "--engine", &engine],
            ]
            .concat(),
        );
        of_fleet.args(["--fleet", &field.url, "--task-size", "1"]);
        let fleet = run(of_fleet);
        assert_eq!(fleet.code(), Some(0), "{}", fleet.stderr());
        assert!(
            fs::read_to_string(&here).unwrap() == fs::read_to_string(&there).unwrap(),
            "{output} differs"
        );
        assert_eq!(ran.stdout(), fleet.stdout(), "{output}");
    }
    let ease = [
        "ease", &games, "--nodes", "2000", "--json", "--engine", &engine,
    ];
    let (here, there) = (run(field.command(&ease)), run(field.submit(&ease)));
    assert_eq!(
        (here.code(), here.stdout()),
        (there.code(), there.stdout()),
        "{}",
        there.stderr()
    );
    for status in field.status()["runs"].as_array().unwrap() {
        assert_eq!(
            (&status["state"], &status["answered"]),
            (&"complete".into(), &3.into()),
            "{status}"
        );
    }
    for worker in &mut workers {
        worker.end();
    }
    assert_eq!(
        field.status()["workers"].as_array().unwrap().len(),
        0,
        "workers that ended are gone"
    );
}

fn centipawn_engine_is_there() -> bool {
    std::process::Command::new("stockfish")
        .arg("quit")
        .output()
        .is_ok()
}

/// Workers look for networks by name in their own folder. A name with a path in it is refused
/// before anything is submitted.
#[test]
fn a_network_without_a_plain_name_is_not_submitted() {
    let Some(field) = Field::new(1) else { return };
    let network = crate::common::root().join("crates/policy/tests/data/res_se_conv_wdl.pb.gz");
    for name in [
        ".hidden.pb.gz".to_owned(),
        "a:b.pb.gz".to_owned(),
        format!("{}.pb.gz", "x".repeat(120)),
    ] {
        let copy = field.path(&name);
        fs::copy(&network, &copy).unwrap();
        let policy = copy.to_str().unwrap();
        let ease = [
            "ease",
            &field.games_file(),
            "--nodes",
            "1000",
            "--engine",
            &fake("ok"),
            "--policy",
            policy,
        ];
        let ran = run(field.submit(&ease));
        assert_eq!(ran.code(), Some(3), "{}", ran.snapshot());
        assert!(
            ran.stderr().contains("cannot be used in a fleet"),
            "{}",
            ran.stderr()
        );
    }
    assert_eq!(field.status()["runs"].as_array().map(Vec::len), Some(0));
}

#[test]
fn killed_workers_and_submitters_lose_no_game() {
    // Use more games than three rounds finish, even if each round notices late that a task is done.
    let Some(field) = Field::new(12) else { return };
    let engine = slow(&field);
    let wanted = field.reviewed_here(&fake("ok"));
    let mut submitter = field.review_child(&engine, "1");
    for _ in 0..3 {
        // With one slot the worker begins with the task that was lost before, so that no task
        // crashes three times and is parked.
        let mut worker = field.worker(&engine, &["-j", "1"]);
        let done = field.done();
        eventually("a task is done", || field.done() > done);
        worker.kill();
        // The same command continues the run.
        submitter.kill().unwrap();
        submitter.wait().unwrap();
        submitter = field.review_child(&engine, "1");
        field.pass_leases();
    }
    let mut worker = field.worker(&engine, &["-j", "2"]);
    assert!(submitter.wait().unwrap().success());
    assert_eq!(field.reviewed(), wanted);
    let status = field.status();
    let runs = status["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "always the same run: {status}");
    assert_eq!(
        (&runs[0]["done"], &runs[0]["answered"]),
        (&12.into(), &12.into()),
        "each counts once: {status}"
    );
    assert_eq!(runs[0]["parked"].as_array().unwrap().len(), 0, "{status}");
    worker.end();
}

#[test]
fn a_stopped_worker_returns_its_task() {
    let Some(field) = Field::new(4) else { return };
    let engine = fake("think 400");
    let mut submitter = field.review_child(&engine, "2");
    let mut worker = field.worker(&engine, &["-j", "1", "--grace", "1"]);
    eventually("a task is taken", || field.status()["runs"][0]["held"] == 1);
    let log = worker.end();
    assert!(log.contains("returned, this worker ends"), "{log}");
    assert!(log.contains("ended: 0 tasks"), "{log}");
    assert_eq!(
        (
            field.status()["runs"][0]["held"].as_i64(),
            field.psql("SELECT sum(returned) FROM centipawn_fleet.task")
        ),
        (Some(0), "1".to_owned())
    );
    // With a longer grace period the worker finishes the game.
    let mut worker = field.worker(&fake("think 10"), &["-j", "1", "--grace", "60"]);
    eventually("a task is taken", || {
        field.status()["runs"][0]["held"] == 1 || field.done() > 0
    });
    let log = worker.end();
    assert!(!log.contains("returned, "), "{log}");
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(submitter.wait().unwrap().success());
    worker.end();
}

/// With --once, a worker stays until no task is left, including tasks that another worker holds:
/// that worker may have crashed.
#[test]
fn once_waits_for_tasks_of_other_workers() {
    let Some(field) = Field::new(1) else { return };
    let mut submitter = field.review_child(&fake("ok"), "1");
    let mut killed = field.worker(&fake("think 300"), &["-j", "1"]);
    eventually("a task is taken", || field.status()["runs"][0]["held"] == 1);
    killed.kill();
    let mut last = field.worker(&fake("ok"), &["-j", "1", "--once"]);
    thread::sleep(Duration::from_secs(1));
    assert!(!last.has_ended(), "{}", last.log());
    field.pass_leases();
    assert!(submitter.wait().unwrap().success());
    eventually("it ends by itself", || last.has_ended());
}

/// A worker with --once fails if the database has no fleet. Without it, the worker waits for one.
#[test]
fn once_needs_a_fleet() {
    let Some(field) = Field::new(1) else { return };
    let other = field.server.database();
    let ran = run(field.command(&[
        "worker",
        "--once",
        "--fleet",
        &other,
        "--engine",
        &fake("ok"),
    ]));
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("there is no fleet at"),
        "{}",
        ran.stderr()
    );
    let mut worker = field.worker_at(&other, &fake("ok"), &["--log", "json"]);
    eventually("it waits", || {
        worker
            .log()
            .contains("centipawn fleet setup, with --fleet URL; waiting for that")
    });
    worker.end();
}

#[test]
fn a_result_after_the_lease_is_discarded() {
    let Some(field) = Field::new(2) else { return };
    let wanted = field.reviewed_here(&fake("ok"));
    let mut submitter = field.review_child(&fake("ok"), "1");
    let mut stopped = field.worker(&fake("think 300"), &["-j", "1"]);
    eventually("a task is taken", || field.status()["runs"][0]["held"] == 1);
    stopped.signal("STOP");
    field.pass_leases();
    let mut other = field.worker(&fake("ok"), &["-j", "1"]);
    assert!(submitter.wait().unwrap().success());
    other.end();
    stopped.signal("CONT");
    thread::sleep(Duration::from_secs(1));
    let log = stopped.end();
    assert_eq!(field.done(), 2, "{log}");
    assert!(
        !log.contains("game done in") || log.contains("another worker was sooner"),
        "{log}"
    );
    assert_eq!(field.reviewed(), wanted);
}

/// A lease may expire while its worker is running, for example during a long database failure.
/// Another slot of the same worker must not lease the task.
#[test]
fn a_worker_does_not_lease_its_own_expired_task() {
    let Some(field) = Field::new(1) else { return };
    let wanted = field.reviewed_here(&fake("ok"));
    let mut submitter = field.review_child(&fake("ok"), "1");
    eventually("the game is submitted", || {
        field.status()["runs"][0]["waiting"] == 1
    });
    // The search takes longer than the longest pause of the idle slot.
    let mut worker = field.worker(&fake("think 500"), &["-j", "2"]);
    eventually("the task is taken", || {
        field.status()["runs"][0]["held"] == 1
    });
    field.pass_leases();
    assert!(submitter.wait().unwrap().success());
    let log = worker.end();
    assert_eq!(
        (
            log.matches(": taken,").count(),
            log.matches("done in").count()
        ),
        (1, 1),
        "{log}"
    );
    assert!(log.contains("ended: 1 task,"), "{log}");
    assert_eq!((field.reviewed(), field.done()), (wanted, 1));
}

#[test]
fn work_continues_after_the_database_restarts() {
    let Some(field) = Field::new(10) else { return };
    let engine = slow(&field);
    let wanted = field.reviewed_here(&fake("ok"));
    let mut submitter = field.review_child(&engine, "1");
    let mut worker = field.worker(&engine, &["-j", "2"]);
    eventually("a task is done", || field.done() > 0);
    // Stop the server as SIGQUIT does, which aborts running transactions.
    field.server.down();
    thread::sleep(Duration::from_secs(12));
    field.server.up();
    assert!(submitter.wait().unwrap().success());
    let log = worker.end();
    assert!(
        log.contains("does not answer") && log.contains("answers again"),
        "{log}"
    );
    assert_eq!(field.reviewed(), wanted);
    assert_eq!(
        (field.done(), field.status()["runs"][0]["failures"].as_i64()),
        (10, Some(0)),
        "{log}"
    );
}

#[test]
fn replies_to_commits_are_lost() {
    let Some(field) = Field::new(8) else { return };
    let wanted = field.reviewed_here(&fake("ok"));
    // The proxy drops the reply to every fourth commit, although the server has committed.
    let proxy = proxy::Proxy::start(field.server.port(), 4);
    let mut submitter = field.review_child(&fake("ok"), "1");
    let mut worker = field.worker_at(&field.url_through(proxy.port), &fake("ok"), &["-j", "2"]);
    assert!(submitter.wait().unwrap().success());
    let log = worker.end();
    assert!(proxy.cuts() > 3, "{} cuts: {log}", proxy.cuts());
    assert_eq!(field.reviewed(), wanted);
    assert_eq!(
        (
            field.done(),
            field.psql("SELECT count(*) FROM centipawn_fleet.answer")
        ),
        (8, "8".to_owned()),
        "{log}"
    );
}

/// Simulates the server's error for a table that cannot grow. A run on a really full disk behaved
/// the same way.
#[test]
fn work_continues_after_the_database_disk_was_full() {
    let Some(field) = Field::new(6) else { return };
    let wanted = field.reviewed_here(&fake("ok"));
    let mut submitter = field.review_child(&fake("ok"), "1");
    eventually("the games are submitted", || {
        field.psql("SELECT count(*) FROM centipawn_fleet.run WHERE state = 'open'") == "1"
    });
    field.psql(
        "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER no_room BEFORE INSERT ON centipawn_fleet.answer FOR EACH ROW EXECUTE FUNCTION no_room()",
    );
    let mut worker = field.worker(&fake("ok"), &["-j", "2"]);
    eventually("the worker names the reason", || {
        worker.log().contains("No space left on device")
    });
    assert_eq!(field.done(), 0);
    field.psql("DROP TRIGGER no_room ON centipawn_fleet.answer");
    assert!(submitter.wait().unwrap().success());
    let log = worker.end();
    assert!(log.contains("answers again"), "{log}");
    assert_eq!(field.reviewed(), wanted);
    assert_eq!(
        (field.done(), field.status()["runs"][0]["failures"].as_i64()),
        (6, Some(0)),
        "{log}"
    );
}

#[test]
fn a_worker_waits_for_a_free_connection() {
    let Some(field) = Field::with(
        3,
        &["max_connections = 6", "superuser_reserved_connections = 0"],
    ) else {
        return;
    };
    let wanted = field.reviewed_here(&fake("ok"));
    let mut submitter = field.review_child(&fake("ok"), "1");
    eventually("the games are submitted", || {
        field.psql("SELECT count(*) FROM centipawn_fleet.run WHERE state = 'open'") == "1"
    });
    let mut crowd: Vec<_> = (0..6)
        .map(|_| field.psql_child("SELECT pg_sleep(8)"))
        .collect();
    thread::sleep(Duration::from_secs(1));
    let mut worker = field.worker(&fake("ok"), &["-j", "1"]);
    assert!(submitter.wait().unwrap().success());
    for child in &mut crowd {
        child.wait().unwrap();
    }
    worker.end();
    assert_eq!(field.reviewed(), wanted);
}

#[test]
fn a_task_that_always_fails_is_parked() {
    let Some(field) = Field::new(4) else { return };
    // Let the engine crash on a position that occurs only in the second game.
    let bad = fake(&format!("die-on {}", field.position_of(2)));
    let submitter = field.review_child(&fake("ok"), "1");
    let mut worker = field.worker(&bad, &["-j", "2"]);
    for failures in 1..=3 {
        eventually("it fails", || {
            field.status()["runs"][0]["failures"] == failures
        });
        field.pass_leases();
    }
    let ended = submitter.wait_with_output();
    assert_eq!(ended.status.code(), Some(1), "as for skipped games");
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("`centipawn fleet retry 1`"), "{said}");
    assert!(
        said.contains("task 2 is parked") && said.contains("the game stays unreviewed"),
        "{said}"
    );
    assert_eq!(
        field.reviewed().matches("[Annotator").count(),
        3,
        "the others are done"
    );
    let followed = run(field.fleet(&["follow", "1"]));
    assert_eq!(followed.code(), Some(1), "{}", followed.stderr());
    worker.end();
    // Retry the task with an engine that works.
    assert!(
        run(field.fleet(&["retry", "1"]))
            .stderr()
            .contains("1 task will be tried again")
    );
    let mut worker = field.worker(&fake("ok"), &[]);
    let mut submitter = field.review_child(&fake("ok"), "1");
    assert!(submitter.wait().unwrap().success());
    assert_eq!(field.reviewed(), field.reviewed_here(&fake("ok")));
    worker.end();
}

/// An oversized answer in the database costs only its game, and is not downloaded.
#[test]
fn an_oversized_answer_costs_only_its_game() {
    let Some(field) = Field::new(4) else { return };
    let submitter = field.review_child(&fake("ok"), "1");
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(submitter.wait_with_output().status.success());
    worker.end();
    let wanted = field.reviewed();
    fs::remove_file(field.path("reviewed.pgn")).unwrap();
    field.psql(
        "UPDATE centipawn_fleet.answer SET document = convert_to(repeat('x', 20000000), 'UTF8') \
         WHERE key = (SELECT key FROM centipawn_fleet.item WHERE number = 2)",
    );
    let ended = field.review_child(&fake("ok"), "1").wait_with_output();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("the answer has 20000000 bytes, and at most 16843776 are read"),
        "{stderr}"
    );
    assert!(stderr.contains("`centipawn fleet retry 1`"), "{stderr}");
    assert_eq!(
        field.reviewed().matches("[Annotator").count(),
        wanted.matches("[Annotator").count() - 1
    );
}

/// `retry` finds damaged and missing answers, and the same command computes them again. This
/// includes answers of a finished task, whose games are no longer in the database, and answers that
/// an earlier run computed.
#[test]
fn retry_recomputes_damaged_and_missing_answers() {
    let Some(field) = Field::new(6) else { return };
    // Turn off second answers by another worker (one in 50 tasks, at random), because such a task
    // keeps its games.
    field.psql("ALTER TABLE centipawn_fleet.run ALTER check_every SET DEFAULT 0");
    let wanted = field.reviewed_here(&fake("ok"));
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(
        field
            .review_child(&fake("ok"), "2")
            .wait()
            .unwrap()
            .success()
    );
    assert_eq!(
        field.psql("SELECT count(*) FROM centipawn_fleet.input"),
        "0",
        "the games of finished tasks are deleted"
    );
    let spoil = |number: i32| {
        format!(
            "document = 'rubbish' WHERE key = (SELECT key FROM centipawn_fleet.item WHERE number = {number} LIMIT 1)"
        )
    };
    field.psql(&format!("UPDATE centipawn_fleet.answer SET {}", spoil(2)));
    field
        .psql("DELETE FROM centipawn_fleet.answer WHERE key = (SELECT key FROM centipawn_fleet.item WHERE number = 5)");
    let ended = field.review_child(&fake("ok"), "2").wait_with_output();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the answer is damaged; `centipawn fleet retry 1`"),
        "{said}"
    );
    assert!(
        said.contains("the answers of task 3 are gone; `centipawn fleet retry 1`"),
        "{said}"
    );
    let retried = run(field.fleet(&["retry", "1"]));
    assert!(
        retried.stderr().contains("1 answer could not be read"),
        "{}",
        retried.stderr()
    );
    assert!(
        retried
            .stderr()
            .contains("run the command that submitted the run again"),
        "{}",
        retried.stderr()
    );
    assert_eq!(field.status()["runs"][0]["without_games"], 2);
    assert!(
        field
            .review_child(&fake("ok"), "2")
            .wait()
            .unwrap()
            .success()
    );
    assert_eq!(field.reviewed(), wanted);
    // A second run of the same games reuses the answers. One of them is damaged afterwards.
    assert_eq!(run(field.fleet(&["drop", "1", "--yes"])).code(), Some(0));
    assert!(
        field
            .review_child(&fake("ok"), "2")
            .wait()
            .unwrap()
            .success()
    );
    assert_eq!(
        field.status()["runs"][0]["done"],
        0,
        "all answers were known"
    );
    field.psql(&format!("UPDATE centipawn_fleet.answer SET {}", spoil(4)));
    let number = field.status()["runs"][0]["run"].to_string();
    assert_eq!(run(field.fleet(&["retry", &number])).code(), Some(0));
    assert!(
        field
            .review_child(&fake("ok"), "2")
            .wait()
            .unwrap()
            .success()
    );
    assert_eq!((field.reviewed(), field.done()), (wanted, 1));
    worker.end();
}

/// The queue has lost a message, for example after a table was restored from a backup.
#[test]
fn a_task_whose_message_was_lost_is_found() {
    let Some(field) = Field::new(2) else { return };
    let mut submitter = field.review_child(&fake("ok"), "1");
    eventually("the games are submitted", || {
        field.status()["runs"][0]["state"] == "open"
    });
    field.psql("DELETE FROM pgmq.q_centipawn_1");
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(
        run(field.fleet(&["retry", "1"]))
            .stderr()
            .contains("2 tasks will be tried again")
    );
    assert!(submitter.wait().unwrap().success());
    worker.end();
    assert_eq!(field.reviewed(), field.reviewed_here(&fake("ok")));
}

/// Starts workers one after another, at most `most`, with an engine that kills its worker, until
/// the run is complete. Returns the status.
fn crash_workers(field: &Field, killer: &str, most: usize) -> serde_json::Value {
    let is_complete = || field.status()["runs"][0]["state"] == "complete";
    for _ in 0..most {
        if is_complete() {
            break;
        }
        let mut worker = field.worker(killer, &["-j", "2"]);
        eventually("it dies, or all is done", || {
            worker.has_ended() || is_complete()
        });
        worker.kill();
        field.pass_leases();
    }
    field.status()
}

#[test]
fn a_task_that_kills_its_worker_is_parked_and_its_neighbour_is_not() {
    let Some(field) = Field::new(4) else { return };
    let killer = fake(&format!("kill-worker {}", field.position_of(2)));
    let submitter = field.review_child(&fake("ok"), "1");
    let status = crash_workers(&field, &killer, 12);
    let run = &status["runs"][0];
    assert_eq!(
        (&run["state"], &run["done"]),
        (&"complete".into(), &3.into()),
        "{status}"
    );
    let parked = run["parked"].as_array().unwrap();
    assert_eq!(parked.len(), 1, "{status}");
    assert_eq!(
        (&parked[0]["task"], &parked[0]["reason"]),
        (&2.into(), &"3 workers crashed with it".into()),
        "{status}"
    );
    let ended = submitter.wait_with_output();
    assert_eq!(
        ended.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}

/// One game in a task of eight kills its worker. The fleet finds it by splitting the task in
/// halves, and the other games are reviewed.
#[test]
fn a_game_that_kills_its_worker_is_isolated() {
    let Some(field) = Field::new(8) else { return };
    let killer = fake(&format!("kill-worker {}", field.position_of(5)));
    let submitter = field.review_child(&fake("ok"), "8");
    let status = crash_workers(&field, &killer, 20);
    let run = &status["runs"][0];
    assert_eq!(
        (&run["state"], &run["answered"]),
        (&"complete".into(), &7.into()),
        "{status}"
    );
    let parked = run["parked"].as_array().unwrap();
    assert_eq!(
        (parked.len(), &parked[0]["games"]),
        (1, &1.into()),
        "{status}"
    );
    let ended = submitter.wait_with_output();
    assert_eq!(
        ended.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(field.reviewed().matches("[Annotator").count(), 7);
    // Retry the task with an engine that works.
    assert_eq!(
        crate::common::run(field.fleet(&["retry", "1"])).code(),
        Some(0)
    );
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(
        field
            .review_child(&fake("ok"), "8")
            .wait()
            .unwrap()
            .success()
    );
    worker.end();
    assert_eq!(field.reviewed(), field.reviewed_here(&fake("ok")));
    // Games are deleted unless a task still awaits a second answer from another worker.
    let unneeded = "SELECT count(*) FROM centipawn_fleet.input WHERE NOT EXISTS (SELECT FROM centipawn_fleet.task WHERE doubled IS NOT NULL)";
    assert_eq!(field.psql(unneeded), "0");
}

#[test]
fn the_same_games_submitted_twice_at_once() {
    let Some(field) = Field::new(30) else { return };
    let mut first = field.review_child(&fake("ok"), "1");
    let mut second = field.review_child_to(&fake("ok"), "1", &field.path("second.pgn"));
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(first.wait().unwrap().success() && second.wait().unwrap().success());
    assert_eq!(
        field.reviewed(),
        fs::read_to_string(field.path("second.pgn")).unwrap()
    );
    let status = field.status();
    assert_eq!(status["runs"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(
        (&status["runs"][0]["games"], field.done()),
        (&30.into(), 30),
        "{status}"
    );
    worker.end();
}

/// A newer version of the program may have other tables, so an older one must not use them.
#[test]
fn a_newer_fleet_is_refused() {
    let Some(field) = Field::new(1) else { return };
    field.psql("UPDATE centipawn_fleet.version SET version = 99");
    for command in ["status", "setup"] {
        let refused = run(field.fleet(&[command]));
        let stderr = refused.stderr();
        assert_eq!(refused.code(), Some(3), "{stderr}");
        assert!(
            stderr.contains("has version 99, and this program supports versions up to 1; update"),
            "{stderr}"
        );
    }
    assert_eq!(
        field.psql("SELECT version FROM centipawn_fleet.version"),
        "99"
    );
}

#[test]
fn workers_that_would_give_other_answers_are_refused() {
    let Some(field) = Field::new(2) else { return };
    let engine = fake("ok");
    let mut submitter = field.review_child(&engine, "1");
    eventually("the games are submitted", || {
        field.status()["runs"][0]["state"] == "open"
    });
    let waits = || {
        field.status()["runs"][0]["waits_for"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        waits(),
        "no worker is there; start one: centipawn worker, with --fleet URL"
    );
    let mut follower = field.background(&["fleet", "follow", "1", "--fleet", &field.url]);
    eventually("it prints why", || {
        follower.log().contains(&format!("; it waits: {}", waits()))
    });
    follower.kill();
    // Workers with other options, or with the same name but other answers, are refused.
    for (engine, more, reason) in [
        (
            engine.as_str(),
            vec!["--option", "Hash=32"],
            "Hash 16, not 32",
        ),
        (&fake("illegal-pv"), vec![], "the engine failed"),
    ] {
        let mut worker = field.worker(engine, &more);
        if reason == "the engine failed" {
            eventually("it cannot start", || worker.has_ended());
            continue;
        }
        eventually("it is refused", || waits().contains(reason));
        let log = worker.end();
        assert!(
            log.contains("is not for this worker") && log.contains(reason),
            "{log}"
        );
    }
    field.psql("UPDATE centipawn_fleet.run SET proof = '[\"e2e4 1 cp depth 5, 1000 nodes\"]'");
    let mut worker = field.worker(&engine, &[]);
    eventually("it is refused", || {
        waits().contains("answers differently to a test question")
    });
    worker.end();
    field.psql(
        "UPDATE centipawn_fleet.run SET need = jsonb_set(need, '{networks}', '[{\"name\":\"/etc/hostname\",\"sha256\":\"00\"}]')",
    );
    let mut worker = field.worker(&engine, &[]);
    eventually("it is refused", || {
        waits()
            .contains("the network \"/etc/hostname\" is refused: its name must be that of a file")
    });
    worker.end();
    field.psql("UPDATE centipawn_fleet.run SET format = 99");
    let mut worker = field.worker(&engine, &[]);
    eventually("it is refused", || {
        waits().contains("its work has format 99, and that of this worker is 1")
    });
    worker.end();
    submitter.kill().unwrap();
    submitter.wait().unwrap();
}

#[test]
fn cancelling_a_run_ends_its_submitter() {
    let Some(field) = Field::new(6) else { return };
    let submitter = field.review_child(&fake("ok"), "1");
    let mut worker = field.worker(&fake("think 300"), &["-j", "1"]);
    eventually("a task is taken", || field.status()["runs"][0]["held"] == 1);
    assert_eq!(run(field.fleet(&["cancel", "1"])).code(), Some(0));
    let ended = submitter.wait_with_output();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(said.contains("run 1 was cancelled"), "{said}");
    assert!(
        !field.path("reviewed.pgn").exists(),
        "half a result is none"
    );
    worker.end();
    assert!(run(field.fleet(&["drop", "1"])).stderr().contains("--yes"));
    assert_eq!(run(field.fleet(&["drop", "1", "--yes"])).code(), Some(0));
    assert_eq!(field.status()["runs"].as_array().unwrap().len(), 0);
    assert_eq!(run(field.fleet(&["status", "1"])).code(), Some(2));
}

/// The results must not be written, because the games collected before the cancel would look like
/// all games.
#[test]
fn a_run_cancelled_after_its_first_answers_writes_no_results() {
    let Some(field) = Field::new(6) else { return };
    let (games, engine) = (field.games_file(), fake("ok"));
    let [shown, pgn, json] =
        ["shown", "reviewed.pgn", "reviewed.json"].map(|name| field.path(name));
    let mut command = field.submit(&[
        "review",
        &games,
        "--nodes",
        "1000",
        "--engine",
        &engine,
        "--task-size",
        "1",
    ]);
    command.arg("-o").arg(&pgn).arg("--json").arg(&json);
    let submitter = Submitter::start(
        command
            .stdout(fs::File::create(&shown).unwrap())
            .stderr(Stdio::piped()),
    );
    let mut worker = field.worker(&slow(&field), &["-j", "1"]);
    eventually("a game is collected", || {
        fs::metadata(&shown).unwrap().len() > 0
    });
    assert_eq!(run(field.fleet(&["cancel", "1"])).code(), Some(0));
    let ended = submitter.wait_with_output();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("run 1 was cancelled"), "{stderr}");
    assert!(!pgn.exists() && !json.exists(), "half a result");
    worker.end();
}

#[test]
fn a_worker_s_role_can_work_and_nothing_else() {
    let Some(field) = Field::new(2) else { return };
    field.psql("CREATE ROLE hand LOGIN");
    let setup = run(field.fleet(&["setup", "--worker-role", "hand"]));
    assert_eq!(setup.code(), Some(0), "{}", setup.stderr());
    let mut submitter = field.review_child(&fake("ok"), "1");
    let url = field.url.replace("postgres@", "hand@");
    let mut worker = field.worker_at(&url, &fake("ok"), &[]);
    assert!(submitter.wait().unwrap().success());
    let log = worker.end();
    assert!(log.contains("2 tasks"), "{log}");
    for forbidden in [
        vec!["cancel", "1"],
        vec!["drop", "1", "--yes"],
        vec!["prune", "--older", "0m"],
    ] {
        let ran = run(field.command(&[&["fleet"], &forbidden[..], &["--fleet", &url]].concat()));
        assert_eq!(ran.code(), Some(3), "{forbidden:?}: {}", ran.stderr());
        assert!(
            ran.stderr().contains("permission denied")
                && ran.stderr().contains("use a role that may"),
            "{}",
            ran.stderr()
        );
    }
}

#[test]
fn errors_say_what_to_do() {
    let Some(field) = Field::new(1) else { return };
    let other = field.server.database();
    for (arguments, code, said) in [
        (
            vec!["fleet", "status", "--fleet", &other],
            3,
            "centipawn fleet setup",
        ),
        (
            vec![
                "fleet",
                "status",
                "--fleet",
                "postgres://me:secret@127.0.0.1:1/x",
            ],
            3,
            "does the server run",
        ),
        (
            vec!["fleet", "status", "--fleet", "games.db"],
            2,
            "postgres://user@host/database",
        ),
        (vec!["fleet", "status"], 2, "$CENTIPAWN_FLEET"),
        (
            vec![
                "fleet",
                "setup",
                "--fleet",
                &field.url,
                "--worker-role",
                "nobody-here",
            ],
            2,
            "CREATE ROLE nobody-here",
        ),
        (
            vec!["fleet", "prune", "--older", "soon", "--fleet", &field.url],
            2,
            "30d",
        ),
        (
            vec!["ease", "startpos", "--fleet", &field.url],
            2,
            "whole games",
        ),
    ] {
        let ran = run(field.command(&arguments));
        assert_eq!(ran.code(), Some(code), "{arguments:?}: {}", ran.stderr());
        assert!(
            ran.stderr().contains(said),
            "{arguments:?}: {}",
            ran.stderr()
        );
        assert!(!ran.stderr().contains("secret"), "{}", ran.stderr());
    }
}
