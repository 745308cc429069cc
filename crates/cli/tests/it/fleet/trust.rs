//! Workers that cannot be trusted: engines that fail later, stolen passwords, revoked database
//! rights.

use super::field::{Field, eventually};
use crate::common::{fake, run};

/// The engine gives wrong answers after some searches. Its answers since the last passed check are
/// discarded.
#[test]
fn an_engine_that_fails_later_is_detected() {
    let Some(field) = Field::new(8) else { return };
    let wanted = field.reviewed_here(&fake("ok"));
    let mut submitter = field.review_child(&fake("ok"), "2");
    let mut liar = field.worker(&fake("lie-from 21"), &["-j", "1"]);
    eventually("it ends", || liar.has_ended());
    let log = liar.log();
    assert!(
        log.contains("it answers differently than at the start"),
        "{log}"
    );
    let mut worker = field.worker(&fake("ok"), &[]);
    assert!(submitter.wait().unwrap().success());
    worker.end();
    assert_eq!(field.reviewed(), wanted);
}

/// The engine gives wrong answers only where no check looks. Another worker repeats the task, and a
/// third one decides.
#[test]
fn an_outvoted_worker_is_set_aside() {
    let Some(field) = Field::new(6) else { return };
    let wanted = field.reviewed_here(&fake("ok"));
    let submitted = run(field.submit(&[
        "review",
        &field.games_file(),
        "--nodes",
        "1000",
        "--engine",
        &fake("ok"),
        "--task-size",
        "1",
        "--submit",
    ]));
    assert_eq!(submitted.code(), Some(0), "{}", submitted.stderr());
    // Let every task be answered by two workers.
    field.psql("UPDATE centipawn_fleet.run SET check_every = 1");
    let liar = fake(&format!("lie-on {}", field.position_of(3)));
    let mut first = field.worker(&liar, &["-j", "1", "--name", "liar"]);
    eventually("it has done all", || field.done() == 6);
    let mut second = field.worker(&fake("ok"), &["-j", "1"]);
    eventually("the other one differs", || {
        second.log().contains("another worker gave other answers")
    });
    // The first worker is set aside although others agree with its later answers.
    eventually("all but one are compared", || {
        field.status()["runs"][0]["doubles"] == 1
    });
    let mut third = field.worker(&fake("ok"), &["-j", "1"]);
    eventually("the first one is set aside", || first.has_ended());
    assert!(
        first
            .log()
            .contains("was set aside: two others answered task 3 of run 1 alike"),
        "{}",
        first.log()
    );
    // The submitter still has the games whose answers were discarded.
    let mut submitter = field.review_child(&fake("ok"), "1");
    assert!(submitter.wait().unwrap().success());
    assert_eq!(field.reviewed(), wanted);
    assert!(
        field.status()["runs"][0]["redone"].as_i64() >= Some(1),
        "{}",
        field.status()
    );
    // A restarted worker of the same name is refused.
    let mut again = field.worker(&liar, &["--name", "liar"]);
    eventually("it is refused", || again.has_ended());
    second.end();
    third.end();
}

/// A wrong answer is replaced even if its worker gave a right one later, or was set aside before
/// the comparison ended.
#[test]
fn outvoted_answers_are_computed_again() {
    let Some(field) = Field::new(3) else { return };
    let games = field.games_file();
    let submitted = run(field.submit(&[
        "review",
        &games,
        "--engine",
        &fake("ok"),
        "--task-size",
        "1",
        "--submit",
    ]));
    assert_eq!(submitted.code(), Some(0), "{}", submitted.stderr());
    field.psql("UPDATE centipawn_fleet.run SET check_every = 1");
    let enlist = |name: &str| {
        let sql = format!(
            "SELECT format('%s, %L', worker, secret) FROM centipawn_fleet.enlist('{name}', '1', '', '{{}}', 3)"
        );
        field.psql(&sql)
    };
    let lease = |worker: &str, request: u32| {
        field.psql(&format!(
            "SELECT task FROM centipawn_fleet.lease({worker}, {request}, '{{1}}', '{{}}')"
        ))
    };
    let key =
        |task: u32| format!("ARRAY(SELECT key FROM centipawn_fleet.item WHERE task = {task})");
    let finish = |worker: &str, task: u32, digest: &str| {
        let (key, digest) = (key(task), format!("ARRAY['{digest}'::bytea]"));
        field.psql(&format!(
            "SELECT centipawn_fleet.finish({worker}, 1, {task}, 1, 1, {key}, {digest}, {digest})"
        ))
    };
    let compare = |worker: &str, task: u32| {
        let key = key(task);
        field.psql(&format!(
            "SELECT centipawn_fleet.compare({worker}, 1, {task}, {key}, ARRAY['right'::bytea])"
        ))
    };
    let [first, second, third] = ["first", "second", "third"].map(enlist);
    assert_eq!(lease(&first, 1), "1");
    assert_eq!(
        lease(&first, 1),
        "1",
        "asked again, the same, although other slots are free"
    );
    assert_eq!([2, 3].map(|request| lease(&first, request)), ["2", "3"]);
    for (task, digest) in [(3, "wrong"), (1, "right"), (2, "wrong")] {
        assert_eq!(finish(&first, task, digest), "t");
    }
    assert_eq!(
        [1, 2, 3].map(|request| lease(&second, request)),
        ["1", "2", "3"]
    );
    assert_eq!(
        [1, 2, 3].map(|task| compare(&second, task)),
        ["agrees", "differs", "differs"]
    );
    assert_eq!([1, 2].map(|request| lease(&third, request)), ["2", "3"]);
    assert_eq!(
        [2, 3].map(|task| compare(&third, task)),
        ["agrees", "agrees"]
    );
    let tasks = "SELECT string_agg(number || ' ' || state || coalesce(doubled, ''), ', ' ORDER BY number) FROM centipawn_fleet.task";
    assert_eq!(field.psql(tasks), "1 done, 2 waiting, 3 waiting");
    assert_eq!(
        field.psql("SELECT string_agg(document::text, ' ') FROM centipawn_fleet.answer"),
        r"\x7269676874"
    );
    assert_eq!(field.psql("SELECT count(*) FROM centipawn_fleet.vote"), "0");
    let status = &field.status()["runs"][0];
    assert_eq!(
        (&status["redone"], &status["doubles"], &status["done"]),
        (&2.into(), &0.into(), &1.into()),
        "{status}"
    );
    // Answers of a cancelled run are not compared.
    assert_eq!(lease(&second, 4), "2");
    assert_eq!(finish(&second, 2, "right"), "t");
    assert_eq!(lease(&third, 3), "2");
    assert_eq!(run(field.fleet(&["cancel", "1"])).code(), Some(0));
    assert_eq!(compare(&third, 2), "late");
}

/// Losing database rights is not a crash: the task stays with its worker, and no game counts as the
/// cause.
#[test]
fn losing_database_rights_does_not_count_as_a_crash() {
    let Some(field) = Field::new(3) else { return };
    let wanted = field.reviewed_here(&fake("ok"));
    field.psql("CREATE ROLE hand LOGIN PASSWORD 'one'");
    assert_eq!(
        run(field.fleet(&["setup", "--worker-role", "hand"])).code(),
        Some(0)
    );
    let url = field.url.replace("postgres@", "hand@");
    let mut submitter = field.review_child(&fake("ok"), "3");
    let mut worker = field.worker_at(&url, &fake("think 300"), &["-j", "1"]);
    eventually("a task is taken", || field.status()["runs"][0]["held"] == 1);
    field.psql("REVOKE USAGE ON SCHEMA centipawn_fleet FROM hand");
    eventually("it waits", || worker.log().contains("permission denied"));
    // Meanwhile other workers lease the task, and also lose the connection.
    for _ in 0..3 {
        field.pass_leases();
        let mut other = field.worker(&fake("think 3000"), &["-j", "1"]);
        eventually("it is taken", || field.status()["runs"][0]["held"] == 1);
        other.kill();
        field.psql(
            "UPDATE centipawn_fleet.task SET lost = array_remove(lost, worker), worker = NULL",
        );
    }
    field.psql("GRANT USAGE ON SCHEMA centipawn_fleet TO hand");
    field.pass_leases();
    let mut other = field.worker(&fake("ok"), &[]);
    assert!(submitter.wait().unwrap().success());
    let log = worker.end();
    assert!(log.contains("answers again"), "{log}");
    assert_eq!(field.reviewed(), wanted);
    assert_eq!(
        field.psql("SELECT count(*) FROM centipawn_fleet.failure"),
        "0"
    );
    other.end();
}

/// With a worker's password one can read only the leased games, and end only one's own leases.
#[test]
fn a_worker_password_gives_access_only_to_leased_games() {
    let Some(field) = Field::new(4) else { return };
    // Setup revokes rights that an administrator granted by mistake.
    field.psql(
        "CREATE ROLE hand LOGIN; CREATE ROLE eye LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA centipawn_fleet TO hand, eye",
    );
    let setup = run(field.fleet(&["setup", "--worker-role", "hand", "--monitor-role", "eye"]));
    assert_eq!(setup.code(), Some(0), "{}", setup.stderr());
    let submitted = run(field.submit(&[
        "review",
        &field.games_file(),
        "--engine",
        &fake("ok"),
        "--task-size",
        "1",
        "--submit",
    ]));
    assert_eq!(submitted.code(), Some(0), "{}", submitted.stderr());
    let as_hand = |sql: &str| field.psql_as("hand", sql);
    for table in ["input", "answer", "task", "item", "run", "worker"] {
        let error = as_hand(&format!("SELECT * FROM centipawn_fleet.{table}")).unwrap_err();
        assert!(error.contains("permission denied"), "{table}: {error}");
    }
    assert!(
        as_hand("SELECT * FROM pgmq.q_centipawn_1")
            .unwrap_err()
            .contains("permission denied")
    );
    assert!(
        as_hand("SELECT centipawn_fleet.drop_queue(1)")
            .unwrap_err()
            .contains("permission denied")
    );
    let badge = as_hand(
        "SELECT worker || ' ' || secret FROM centipawn_fleet.enlist('thief', '1', '', '{}', 1)",
    )
    .unwrap();
    let (id, secret) = badge.split_once(' ').unwrap();
    let lease = |request: i32| {
        as_hand(&format!(
            "SELECT task FROM centipawn_fleet.lease({id}, '{secret}', {request}, '{{1}}', '{{}}')"
        ))
        .unwrap()
    };
    assert_eq!(
        (lease(1).as_str(), lease(2).as_str()),
        ("1", ""),
        "as many as it has slots"
    );
    assert_eq!(lease(1), "1", "asked again, the same");
    let finish = |task: i32| {
        as_hand(&format!(
            "SELECT centipawn_fleet.finish({id}, '{secret}', 1, {task}, 0, 0, '{{}}'::bytea[], '{{}}'::bytea[], '{{}}'::bytea[])"
        ))
    };
    assert_eq!(finish(2).unwrap(), "f", "not its own");
    assert!(finish(1).unwrap_err().contains("answers are missing"));
    let other = as_hand(&format!(
        "SELECT centipawn_fleet.discharge({id}, 'guessed')"
    ))
    .unwrap_err();
    assert!(other.contains("is not registered"), "{other}");
    // A monitor can read the progress of runs, but no games.
    let seen = run(field.command(&[
        "fleet",
        "status",
        "--json",
        "--fleet",
        &field.url.replace("postgres@", "eye@"),
    ]));
    assert!(
        seen.stdout().contains("\"games\": 4"),
        "{} {}",
        seen.stdout(),
        seen.stderr()
    );
    for table in ["input", "answer", "item"] {
        assert!(
            field
                .psql_as("eye", &format!("SELECT * FROM centipawn_fleet.{table}"))
                .is_err(),
            "{table}"
        );
    }
    assert!(
        field
            .psql_as("eye", "SELECT token FROM centipawn_fleet.worker")
            .is_err()
    );
}
