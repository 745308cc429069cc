//! Operating a fleet: stopping, health checks, monitoring, deletion in steps.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use super::field::{Field, eventually};
use crate::common::{centipawn, fake, run, run_with};

fn get(address: &str, path: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else {
        return String::new();
    };
    write!(stream, "GET {path} HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// Returns the address of the metrics, as a log prints it.
fn address(log: &str) -> Option<String> {
    let (_, rest) = log.split_once("metrics: http://")?;
    Some(rest.split_once("/metrics")?.0.to_owned())
}

/// Processes end within ten seconds although their server does not answer, and the server ends
/// their statements.
#[test]
fn processes_stop_within_ten_seconds() {
    let Some(field) = Field::new(2) else { return };
    let mut submitter = field.review_child(&fake("ok"), "1");
    let mut worker = field.worker(&fake("ok"), &["--name", "idle", "-j", "1"]);
    eventually("all is done", || field.done() == 2);
    assert!(submitter.wait().unwrap().success());
    fs::remove_file(field.path("reviewed.pgn")).unwrap();
    let mut blocker = field.psql_child(
        "BEGIN; LOCK TABLE centipawn_fleet.run, centipawn_fleet.worker IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60)",
    );
    eventually("the tables are locked", || {
        field.psql("SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted")
            != "0"
    });
    let mut submitter = field.review_child(&fake("ok"), "1");
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'centipawn %' AND wait_event_type = 'Lock'";
    eventually("both wait", || {
        field.psql(waiting).parse::<u32>().unwrap() >= 2
    });
    // The worker's thread that renews leases also waits for the database.
    eventually("its renewal waits", || {
        let renewals = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%centipawn_fleet.renew%' AND wait_event_type = 'Lock'";
        field.psql(renewals) == "1"
    });
    let mut follower = field.background(&["fleet", "follow", "1", "--fleet", &field.url]);
    eventually("the follower of the run waits, too", || {
        let looks = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%queue_age%' AND query NOT LIKE '%pg_stat%' \
                     AND wait_event_type = 'Lock'";
        field.psql(looks) == "1"
    });
    let begin = Instant::now();
    follower.signal("TERM");
    eventually("it ends", || follower.has_ended());
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
    let begin = Instant::now();
    submitter.signal("TERM");
    submitter.wait().unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
    let begin = Instant::now();
    worker.end();
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
    eventually("the server has dropped their statements", || {
        field.psql(waiting) == "0"
    });
    assert!(
        begin.elapsed() < Duration::from_secs(15),
        "{:?}",
        begin.elapsed()
    );
    let _ = blocker.kill();
    let _ = blocker.wait();
}

#[test]
fn health_depends_on_the_database_and_the_exporter_serves_the_state() {
    let Some(field) = Field::new(2) else { return };
    // The worker's own store cannot be opened. This must not count as a database error.
    let engine = fake("ok");
    let mut command = field.command(&[
        "worker",
        "--fleet",
        &field.url,
        "--engine",
        &engine,
        "--metrics",
        "127.0.0.1:0",
    ]);
    command
        .env_remove("CENTIPAWN_STORE")
        .env("XDG_DATA_HOME", "/dev/null");
    let mut worker = field.background_of(command);
    let mut exporter = field.background(&[
        "fleet",
        "status",
        "--serve",
        "127.0.0.1:0",
        "--fleet",
        &field.url,
    ]);
    eventually("both serve", || {
        address(&worker.log()).is_some() && address(&exporter.log()).is_some()
    });
    let (of_worker, of_fleet) = (
        address(&worker.log()).unwrap(),
        address(&exporter.log()).unwrap(),
    );
    // Open many connections that send nothing. They must not block other clients.
    let idle: Vec<_> = (0..130)
        .map(|_| TcpStream::connect(&of_worker).unwrap())
        .collect();
    eventually("it is well", || {
        get(&of_worker, "/healthz").ends_with("ok\n")
    });
    assert!(get(&of_worker, "/livez").ends_with("ok\n"));
    drop(idle);
    assert!(
        field
            .review_child(&fake("ok"), "1")
            .wait()
            .unwrap()
            .success()
    );
    let metrics = get(&of_worker, "/metrics");
    assert!(
        metrics.contains("centipawn_task_duration_seconds_count 2")
            && metrics.contains("centipawn_build_info{"),
        "{metrics}"
    );
    assert!(
        worker.log().contains("evaluations are not kept"),
        "{}",
        worker.log()
    );
    assert!(
        metrics.contains("centipawn_database_errors_total 0\n"),
        "{metrics}"
    );
    thread::sleep(Duration::from_secs(2));
    let state = get(&of_fleet, "/metrics");
    assert!(
        state.contains("centipawn_fleet_tasks{run=\"1\",state=\"done\"} 2"),
        "{state}"
    );
    assert!(
        state.ends_with("\n# EOF\n"),
        "Prometheus refuses a text without its end: {state}"
    );
    field.server.down();
    let begin = Instant::now();
    thread::sleep(Duration::from_secs(3));
    assert!(
        get(&of_fleet, "/metrics").starts_with("HTTP/1.1 503"),
        "an old state is not served"
    );
    assert!(get(&of_fleet, "/healthz").starts_with("HTTP/1.1 503"));
    assert!(get(&of_fleet, "/livez").ends_with("ok\n"));
    // An idle worker polls the queue about every eight seconds.
    eventually("the worker notices", || {
        get(&of_worker, "/healthz").contains("requests to the fleet's database have failed")
    });
    assert!(
        begin.elapsed() < Duration::from_secs(40),
        "{:?}",
        begin.elapsed()
    );
    assert!(get(&of_worker, "/livez").ends_with("ok\n"));
    // An exporter that starts before its database must report that it is alive, because otherwise
    // Kubernetes restarts it again and again.
    let mut early = field.background(&[
        "fleet",
        "status",
        "--serve",
        "127.0.0.1:0",
        "--fleet",
        &field.url,
    ]);
    eventually("it serves", || address(&early.log()).is_some());
    let of_early = address(&early.log()).unwrap();
    assert!(get(&of_early, "/livez").ends_with("ok\n"));
    assert!(get(&of_early, "/metrics").starts_with("HTTP/1.1 503"));
    field.server.up();
    for server in [&of_fleet, &of_early, &of_worker] {
        eventually("it is well again", || {
            get(server, "/healthz").ends_with("ok\n")
        });
    }
    early.end();
    exporter.end();
    worker.end();
}

/// A game whose findings are in the submitter's own store is not submitted. A submitter reports the
/// progress of its run even before its first game is complete.
#[test]
fn findings_in_the_own_store_are_not_submitted() {
    let Some(field) = Field::new(3) else { return };
    let store = field.path("own.db").display().to_string();
    let games = fs::read_to_string(field.games_file()).unwrap();
    let first = field.path("first.pgn").display().to_string();
    fs::write(&first, games.split("\n\n[White").next().unwrap()).unwrap();
    let engine = fake("ok");
    let review = |games: &str, out: &str| {
        let out = field.path(out).display().to_string();
        [
            "review", games, "--nodes", "1000", "--engine", &engine, "--store", &store, "-o", &out,
        ]
        .map(str::to_owned)
    };
    let here = review(&first, "first-reviewed.pgn");
    let ran = run(field.command(&here.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let mut worker = field.worker(&engine, &[]);
    let there = review(&field.games_file(), "reviewed.pgn");
    let mut arguments: Vec<&str> = there.iter().map(String::as_str).collect();
    arguments.extend(["--task-size", "1", "--progress", "json"]);
    let ran = run(field.submit(&arguments));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert_eq!(field.done(), 2, "the first game was not sent");
    assert_eq!(
        field.status()["runs"][0]["answered"],
        3,
        "{}",
        field.status()
    );
    assert_eq!(field.reviewed(), field.reviewed_here(&engine));
    // Now the submitter's store has the findings of all three games.
    assert_eq!(run(field.fleet(&["drop", "1", "--yes"])).code(), Some(0));
    let ran = run(field.submit(&arguments));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert_eq!(
        field.status()["runs"].as_array().map(Vec::len),
        Some(0),
        "nothing is submitted"
    );
    worker.end();
}

/// Skipped games count in the exit status although the others are submitted.
#[test]
fn skipped_games_count_in_the_status_of_a_submission() {
    let Some(field) = Field::new(1) else { return };
    let games = field.path("two.pgn");
    fs::write(
        &games,
        fs::read_to_string(field.games_file()).unwrap() + "1. e4 Ke7 *\n",
    )
    .unwrap();
    let (games, engine, csv) = (
        games.display().to_string(),
        fake("ok"),
        field.path("mined.csv").display().to_string(),
    );
    let network = crate::common::root()
        .join("crates/policy/tests/data/res_se_conv_wdl.pb.gz")
        .display()
        .to_string();
    for command in [
        &["review", &games, "--nodes", "1000"][..],
        &["puzzles", "mine", &games, "-o", &csv],
        &["ease", &games, "--nodes", "1000", "--policy", &network],
    ] {
        let ran = run(field.submit(&[command, &["--engine", &engine, "--submit"]].concat()));
        assert_eq!(ran.code(), Some(1), "{command:?}: {}", ran.stderr());
        assert!(
            ran.stderr().contains("is submitted; the same command"),
            "{}",
            ran.stderr()
        );
    }
}

/// The status of a waiting run names the run before it. The remaining time is estimated from the
/// first lease on, and is missing after a cancel.
#[test]
fn status_names_the_run_before_a_waiting_one() {
    let Some(field) = Field::new(12) else { return };
    let (games, engine) = (field.games_file(), fake("ok"));
    for nodes in ["1000", "2000"] {
        let review = [
            "review",
            &games,
            "--nodes",
            nodes,
            "--engine",
            &engine,
            "--task-size",
            "1",
            "--submit",
        ];
        let submitted = run(field.submit(&review));
        assert_eq!(submitted.code(), Some(0), "{}", submitted.stderr());
    }
    let mut worker = field.worker(&fake("think 100"), &["-j", "1"]);
    let first = "the workers do tasks of run 1 first";
    eventually("the second run waits", || {
        field.status()["runs"][1]["waits_for"] == first
    });
    let shown = run(field.fleet(&["status", "2"]));
    assert!(
        shown.stdout().contains(&format!("\n  it waits: {first}\n")),
        "{}",
        shown.stdout()
    );
    field.psql("UPDATE centipawn_fleet.run SET state = 'submitting' WHERE id = 2");
    let shown = run(field.fleet(&["status", "2"]));
    assert!(
        shown
            .stdout()
            .contains("it waits: workers begin when all its games are submitted"),
        "{}",
        shown.stdout()
    );
    field.psql(
        "UPDATE centipawn_fleet.run SET state = 'open', priority = 1, at = now() - interval '1 hour' WHERE id = 2",
    );
    eventually("it is served", || {
        field.status()["runs"][1]["done"].as_i64() >= Some(2)
    });
    let status = field.status();
    let [first, second] = [&status["runs"][0], &status["runs"][1]];
    assert!(
        second["age"].as_f64() > Some(3000.0) && second["remaining"].as_f64() < Some(90.0),
        "{second}"
    );
    assert_eq!(
        first["waits_for"], "the workers do tasks of run 2 first",
        "{status}"
    );
    assert_eq!(run(field.fleet(&["cancel", "2"])).code(), Some(0));
    let status = field.status();
    let second = &status["runs"][1];
    assert_eq!(
        (&second["state"], &second["waiting"]),
        (&"cancelled".into(), &0.into()),
        "{second}"
    );
    assert!(
        second["remaining"].is_null() && second["waits_for"].is_null(),
        "{second}"
    );
    let shown = run(field.fleet(&["status", "2"]));
    assert!(
        !shown.stdout().contains("waiting") && !shown.stdout().contains(" left"),
        "{}",
        shown.stdout()
    );
    worker.end();
}

#[test]
fn a_complete_run_cannot_be_cancelled() {
    let Some(field) = Field::new(1) else { return };
    let mut submitter = field.review_child(&fake("ok"), "1");
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(submitter.wait().unwrap().success());
    worker.end();
    let ran = run(field.fleet(&["cancel", "1"]));
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("run 1 is complete"),
        "{}",
        ran.stderr()
    );
    assert_eq!(field.status()["runs"][0]["state"], "complete");
    assert_eq!(run(field.fleet(&["follow", "1"])).code(), Some(0));
    assert_eq!(run(field.fleet(&["drop", "1", "--yes"])).code(), Some(0));
}

/// `prune` keeps workers that may be alive, and a worker that was set aside, because its name may
/// not join again for an hour.
#[test]
fn prune_leaves_workers_that_may_be_alive() {
    let Some(field) = Field::new(1) else { return };
    let mut worker = field.worker(&fake("ok"), &["--name", "idle"]);
    eventually("it is ready", || worker.log().contains("is ready"));
    field.psql(
        "INSERT INTO centipawn_fleet.worker (name, version, engine, slots, seen, ended, aside) VALUES \
             ('killed', '1', '{}', 1, now() - interval '50 min', NULL, NULL), \
             ('killed long ago', '1', '{}', 1, now() - interval '70 min', NULL, NULL), \
             ('ended', '1', '{}', 1, now() - interval '1 min', now() - interval '1 min', NULL), \
             ('wrong', '1', '{}', 1, now() - interval '50 min', now() - interval '50 min', 'it was wrong'), \
             ('wrong long ago', '1', '{}', 1, now() - interval '70 min', NULL, 'it was wrong')",
    );
    assert_eq!(
        run(field.fleet(&["prune", "--older", "0m"])).code(),
        Some(0)
    );
    let left =
        field.psql("SELECT string_agg(name, ', ' ORDER BY name) FROM centipawn_fleet.worker");
    assert_eq!(left, "idle, killed, wrong");
    assert!(
        field
            .review_child(&fake("ok"), "1")
            .wait()
            .unwrap()
            .success()
    );
    worker.end();
}

/// Every line of the log is JSON, from the address of the metrics to the final error.
#[test]
fn a_json_log_contains_only_json() {
    let Some(field) = Field::new(1) else { return };
    let json = ["--log", "json", "--metrics", "127.0.0.1:0"];
    let mut worker = field.worker(&fake("ok"), &json);
    eventually("it is ready", || worker.log().contains("\"started\""));
    let log = worker.end();
    let mut failing = field.worker("no-such-engine", &json);
    eventually("it ends", || failing.has_ended());
    for (log, events) in [
        (log, &["metrics", "started", "ended"][..]),
        (failing.log(), &["metrics", "problem"]),
    ] {
        let lines = log
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect(line));
        assert_eq!(
            lines.map(|line| line["event"].clone()).collect::<Vec<_>>(),
            events,
            "{log}"
        );
        assert!(
            address(&log.replace("\"address\":\"", "metrics: ")).is_some(),
            "{log}"
        );
    }
}

/// A large run, and answers that no run needs, are deleted in several transactions.
#[test]
fn large_runs_are_deleted_in_several_transactions() {
    let Some(field) = Field::new(1) else { return };
    let submitted = run(field.submit(&[
        "review",
        &field.games_file(),
        "--engine",
        &fake("ok"),
        "--submit",
    ]));
    assert_eq!(submitted.code(), Some(0), "{}", submitted.stderr());
    field.psql(
        "INSERT INTO centipawn_fleet.item (run, number, key, task) SELECT 1, n, sha256(n::text::bytea), n FROM generate_series(2, 25000) n; \
         INSERT INTO centipawn_fleet.task (run, number, games, source) SELECT 1, n, 1, n FROM generate_series(2, 25000) n; \
         INSERT INTO centipawn_fleet.answer (key, document, at) SELECT sha256(n::text::bytea), '', now() - interval '2 days' \
             FROM generate_series(2, 25000) n",
    );
    assert_eq!(run(field.fleet(&["drop", "1", "--yes"])).code(), Some(0));
    let pruned = run(field.fleet(&["prune", "--older", "1d"]));
    assert!(
        pruned.stderr().contains("24999 answers deleted"),
        "{}",
        pruned.stderr()
    );
    let left = field.psql(
        "SELECT (SELECT count(*) FROM centipawn_fleet.task) + (SELECT count(*) FROM centipawn_fleet.item) \
         + (SELECT count(*) FROM centipawn_fleet.answer) + (SELECT count(*) FROM pgmq.meta)",
    );
    assert_eq!(left, "0");
}

/// PostgreSQL clients ignore a password file that others may read, so the server only reports a
/// missing password. The error must name the file.
#[cfg(unix)]
#[test]
fn an_ignored_password_file_is_named() {
    use std::{net::TcpListener, os::unix::fs::PermissionsExt as _};
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut client in server.incoming().map_while(Result::ok) {
            // Read the client's first message: its length, then its bytes.
            let mut length = [0; 4];
            client.read_exact(&mut length).unwrap();
            client
                .read_exact(&mut vec![0; u32::from_be_bytes(length) as usize - 4])
                .unwrap();
            let fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0";
            let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
            client
                .write_all(&[b"E", length.as_slice(), fields].concat())
                .unwrap();
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pgpass");
    fs::write(&file, "*:*:*:*:secret").unwrap();
    let place = format!("postgres://worker@127.0.0.1:{port}/chess?sslmode=disable");
    for (mode, is_ignored) in [(0o440, true), (0o600, false)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        for command in [
            ["fleet", "status", "--fleet"],
            ["store", "stats", "--store"],
        ] {
            let ran = run_with(
                centipawn([])
                    .args(command)
                    .arg(&place)
                    .env("PGPASSFILE", &file),
            );
            assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
            assert!(
                ran.stderr().contains("password authentication failed"),
                "{}",
                ran.stderr()
            );
            assert_eq!(
                ran.stderr()
                    .contains("because others may read it: use `chmod 600"),
                is_ignored,
                "{}",
                ran.stderr()
            );
        }
    }
}
