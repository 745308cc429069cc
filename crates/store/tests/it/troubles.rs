//! Files that are damaged or not stores, unreachable locations, and full disks: the error names
//! them, and no data is lost.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::Command,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use crate::common::{engine, evaluation};
use centipawn_engine::{Analysis, Limit, Question};
use centipawn_progress::{Cancel, Problem, Progress, Reporter, Silent};
use centipawn_store::{Attempted, Location, NewPuzzle, Repetition, Store, StoreError, TableFormat};
use centipawn_test_support::postgres::Server;

/// More than the maximum number of connections of a store, so that a test that repeats a request
/// this often uses each of them.
const CONNECTIONS: usize = 6;

fn open(file: &Path) -> Result<Store, StoreError> {
    Store::open(&Location::File(file.to_owned()))
}

fn fill(store: &Store, numbers: std::ops::Range<u64>) -> Result<(), StoreError> {
    let evaluations: Vec<(Question, Analysis)> = numbers
        .map(|number| evaluation(number, Limit::Nodes(1000), 2, 12))
        .collect();
    store.keep_all(
        &engine("X 1"),
        evaluations
            .iter()
            .map(|(question, analysis)| (question, analysis)),
    )
}

#[test]
fn files_that_are_not_stores_are_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(
        &text,
        "My best games, and what I learned from them.\n".repeat(100),
    )
    .unwrap();
    let before = fs::read(&text).unwrap();
    let error = open(&text).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("notes.txt is not a store of Centipawn: file is not a database"),
        "{error}"
    );
    assert_eq!(fs::read(&text).unwrap(), before);

    let other = folder.path().join("other.db");
    fs::write(&other, "").unwrap();
    crate::common::sql(
        &other,
        "CREATE TABLE addresses (name TEXT); INSERT INTO addresses \
         VALUES ('Anderssen')",
    );
    let before = fs::read(&other).unwrap();
    let error = open(&other).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("it is a database with a table \"addresses\""),
        "{error}"
    );
    assert_eq!(fs::read(&other).unwrap(), before);
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2,
        "nothing beside them"
    );
}

#[test]
fn the_unfinished_write_of_a_killed_process_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("x.db"), folder.path().join("copy.db"));
    let store = open(&file).unwrap();
    fill(&store, 0..100).unwrap();
    drop(store);
    // Copies both files in the middle of a transaction, with a rollback journal instead of the
    // usual write-ahead log.
    let url = format!("sqlite://{}", file.display());
    let write = "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN IMMEDIATE; \
                 CREATE TABLE more AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 \
                 FROM n LIMIT 20000) SELECT x FROM n";
    crate::common::sql_then(&url, write, || {
        fs::copy(&file, &copy).unwrap();
        fs::copy(
            folder.path().join("x.db-journal"),
            folder.path().join("copy.db-journal"),
        )
        .unwrap();
    });
    let store = open(&copy).unwrap();
    fill(&store, 100..200).unwrap();
    assert_eq!(store.stats().unwrap().evaluations, 200);
}

/// The disk is full between the two statements.
#[test]
fn an_attempt_is_stored_with_its_repetition_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let store = open(&file).unwrap();
    let new = NewPuzzle {
        key: 7,
        origin: "a",
        rating: None,
        themes: &[],
        place: None,
        document: "{}",
    };
    let (puzzle, _) = store.keep_puzzle(new).unwrap();
    crate::common::sql(
        &file,
        "CREATE TRIGGER t BEFORE UPDATE ON puzzle BEGIN \
         SELECT RAISE(ABORT, 'full'); END",
    );
    let attempt = Attempted {
        puzzle,
        at: 0,
        mistakes: 1,
        hints: 0,
    };
    let repetition = Repetition {
        due: 86_400,
        memory: None,
    };
    store.keep_attempt(attempt, Some(repetition)).unwrap_err();
    assert!(store.attempts().unwrap().is_empty());
}

#[test]
fn a_damaged_store_is_reported_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let store = open(&file).unwrap();
    fill(&store, 0..2000).unwrap();
    drop(store);
    let whole = fs::read(&file).unwrap();
    // Damage every page except the first few, as a failing disk may do.
    let mut damaged = whole.clone();
    for page in damaged.chunks_mut(4096).skip(6) {
        page[..64].fill(0xa5);
    }
    fs::write(&file, &damaged).unwrap();
    let questions: Vec<Question> = (0..2000)
        .map(|number| evaluation(number, Limit::Nodes(1000), 2, 12).0)
        .collect();
    let error = open(&file)
        .and_then(|store| store.find_all(&engine("X 1"), &questions))
        .unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("it is unchanged"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), damaged);

    // Change a byte inside an answer. The database does not notice it, but the checksum does.
    fs::write(&file, &whole).unwrap();
    crate::common::sql(
        &file,
        "UPDATE evaluation SET answer = CAST(substr(answer, 1, 20) || x'00' || substr(answer, 22) \
         AS BLOB)",
    );
    let error = open(&file)
        .unwrap()
        .find_all(&engine("X 1"), &questions)
        .unwrap_err();
    assert!(
        error.to_string().contains("is not as it was kept"),
        "{error}"
    );

    // Damage a byte in the declaration of a column.
    let mut damaged = whole.clone();
    let place = |from: usize, text: &[u8]| {
        let found = whole[from..]
            .windows(text.len())
            .position(|own| own == text);
        from + found.unwrap()
    };
    let declared = place(place(0, b"TABLE centipawn_store"), b"version BIGINT");
    damaged[declared + "version B".len()] = 0xff;
    fs::write(&file, &damaged).unwrap();
    let error = open(&file).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("is damaged (the declaration of a table"),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), damaged);

    // Delete the only row of a table.
    fs::write(&file, &whole).unwrap();
    crate::common::sql(&file, "DELETE FROM centipawn_store");
    let error = open(&file).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("is damaged (its version is missing)"),
        "{error}"
    );

    // Cut the file off in the middle.
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let error = open(&file)
        .and_then(|store| store.find_all(&engine("X 1"), &questions))
        .unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn unreachable_locations_are_reported_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let error = open(&folder.path().join("no/such/x.db"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot open the store") && error.contains("does its folder exist"),
        "{error}"
    );
    let error = open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("cannot open the store"), "{error}");
    let error = open(Path::new("/dev/null")).unwrap_err().to_string();
    assert!(error.contains("it is no regular file"), "{error}");
    // No server listens on this port. The message shows the address without its password.
    let began = std::time::Instant::now();
    let error = Store::open(&"postgres://me:secret@127.0.0.1:1/x".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("postgres://me@127.0.0.1:1/x") && error.contains("does the server run"),
        "{error}"
    );
    assert!(
        !error.contains("secret") && began.elapsed().as_secs() < 20,
        "{error} after {:?}",
        began.elapsed()
    );
}

/// A file system of two megabytes; `None` if the test may not mount one.
struct Small(tempfile::TempDir);

impl Small {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        let done = mount
            .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
            .arg(folder.path())
            .output();
        done.is_ok_and(|output| output.status.success())
            .then(|| Self(folder))
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        assert!(
            mount
                .args(["-o", &format!("remount,{options}")])
                .arg(self.0.path())
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_does_not_damage_stored_rows() {
    let Some(disk) = Small::mount() else { return };
    let file = disk.0.path().join("x.db");
    let store = open(&file).unwrap();
    fill(&store, 0..1000).unwrap();
    let error = (1..100)
        .find_map(|part| fill(&store, part * 1000..(part + 1) * 1000).err())
        .unwrap();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(
        error.to_string().contains("free space on that disk"),
        "{error}"
    );
    drop(store);
    let store = open(&file).unwrap();
    let question = evaluation(0, Limit::Nodes(1000), 2, 12).0;
    assert!(store.find(&engine("X 1"), &question).unwrap().is_some());
    drop(store);
    disk.remount("size=8m");
    fill(&open(&file).unwrap(), 50_000..51_000).unwrap();
}

/// SQLite rolls back a transaction by itself if the disk is full. The connection must stay usable.
#[test]
fn a_store_is_usable_after_a_full_disk() {
    let Some(disk) = Small::mount() else { return };
    let store = open(&disk.0.path().join("x.db")).unwrap();
    // Another program fills the disk.
    let rest = disk.0.path().join("rest");
    let mut file = fs::File::create(&rest).unwrap();
    while file.write_all(&[0; 1024]).is_ok() {}
    drop(file);
    for _ in 0..CONNECTIONS {
        let error = store.keep_batch(&"x".repeat(100_000), &[]).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(store.batches(10).unwrap().is_empty());
    }
    fs::remove_file(rest).unwrap();
    for _ in 0..CONNECTIONS {
        store.keep_batch("games", &[]).unwrap();
    }
    assert_eq!(store.batches(10).unwrap().len(), CONNECTIONS);
}

/// Like the test above, if no small disk can be mounted: a trigger rolls the transaction back.
#[test]
fn a_store_is_usable_after_a_transaction_that_the_database_rolled_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let store = open(&file).unwrap();
    crate::common::sql(
        &file,
        "CREATE TRIGGER t BEFORE INSERT ON batch WHEN NEW.title = 'bad' BEGIN \
         SELECT RAISE(ROLLBACK, 'no'); END",
    );
    for _ in 0..CONNECTIONS {
        let error = store.keep_batch("bad", &[]).unwrap_err();
        assert!(
            error.to_string().ends_with("could not keep a batch: no"),
            "{error}"
        );
        store.keep_batch("games", &[]).unwrap();
    }
}

#[test]
fn a_read_only_folder_is_reported() {
    let Some(disk) = Small::mount() else { return };
    let file = disk.0.path().join("x.db");
    fill(&open(&file).unwrap(), 0..10).unwrap();
    disk.remount("ro");
    let error = open(&file).unwrap_err();
    assert!(error.to_string().contains("may you write there"), "{error}");
    let error = open(&disk.0.path().join("new.db")).unwrap_err();
    assert!(error.to_string().contains("may you write there"), "{error}");
    disk.remount("rw");
    assert_eq!(open(&file).unwrap().stats().unwrap().evaluations, 10);
}

/// The file cannot be written, but its folder can.
#[cfg(unix)]
#[test]
fn a_read_only_file_is_reported_when_it_is_opened() {
    use std::os::unix::fs::PermissionsExt as _;
    let disk = Small::mount();
    let folder = tempfile::tempdir().unwrap();
    let file = disk
        .as_ref()
        .map_or(folder.path(), |disk| disk.0.path())
        .join("x.db");
    fill(&open(&file).unwrap(), 0..10).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    if disk.is_some() {
        // Root may write to a read-only file, so mount it read-only.
        let mount = |args: &[&str]| {
            assert!(
                Command::new("mount")
                    .args(args)
                    .arg(&file)
                    .status()
                    .unwrap()
                    .success()
            );
        };
        mount(&["--bind", file.to_str().unwrap()]);
        mount(&["-o", "remount,bind,ro"]);
    }
    let error = open(&file).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    let read = Store::open_to_read(&Location::File(file.clone()), Arc::new(Silent)).unwrap();
    assert_eq!(read.stats().unwrap().evaluations, 10);
    drop(read);
    if disk.is_some() {
        assert!(
            Command::new("umount")
                .arg(&file)
                .status()
                .unwrap()
                .success()
        );
    }
}

/// SQLite cannot merge its log into a file on a read-only disk, so the store is refused.
#[test]
fn a_read_only_store_with_a_log_is_refused() {
    let Some(disk) = Small::mount() else { return };
    let (file, copy) = (disk.0.path().join("x.db"), disk.0.path().join("copy.db"));
    let store = open(&file).unwrap();
    fill(&store, 0..10).unwrap();
    fs::copy(&file, &copy).unwrap();
    fs::copy(
        disk.0.path().join("x.db-wal"),
        disk.0.path().join("copy.db-wal"),
    )
    .unwrap();
    drop(store);
    disk.remount("ro");
    let read =
        |file: &Path| Store::open_to_read(&Location::File(file.to_owned()), Arc::new(Silent));
    assert_eq!(read(&file).unwrap().stats().unwrap().evaluations, 10);
    let error = read(&copy).unwrap_err();
    assert!(
        matches!(error, StoreError::ReadOnly { .. })
            && error.to_string().contains("the changes in"),
        "{error}"
    );
}

/// A connection that is lost during a query is replaced, and both queries succeed.
#[test]
fn a_broken_connection_is_replaced() {
    let Some(server) = Server::start(&["fsync = off"]) else {
        return;
    };
    let url = server.database();
    let store = Store::open(&url.parse().unwrap()).unwrap();
    let broken = |work: &(dyn Fn() + Sync)| {
        thread::scope(|scope| {
            crate::common::sql_then(
                &url,
                "BEGIN; LOCK TABLE engine, findings IN ACCESS EXCLUSIVE MODE",
                || {
                    scope.spawn(work);
                    let waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                     AND datname = current_database()";
                    let end = format!(
                        "DO $$ BEGIN WHILE NOT EXISTS \
                     (SELECT {waiting}) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); \
                     END LOOP; PERFORM pg_terminate_backend(pid) {waiting}; END $$"
                    );
                    // On another thread, because this one runs the connection that holds the lock.
                    let url = &url;
                    scope
                        .spawn(move || crate::common::sql_at(url, &end))
                        .join()
                        .unwrap();
                },
            );
        });
    };
    broken(&|| fill(&store, 0..3).unwrap());
    assert_eq!(store.stats().unwrap().evaluations, 3);
    store.keep_findings("1. e4 *", "{}", "findings").unwrap();
    broken(&|| {
        assert_eq!(
            store.find_findings("1. e4 *", "{}").unwrap().as_deref(),
            Some("findings")
        );
    });
}

/// If the reply to a commit is lost, the rows may have been stored.
#[test]
fn a_commit_that_failed_is_not_repeated() {
    let Some(server) = Server::start(&["fsync = off"]) else {
        return;
    };
    let url = server.database();
    let store = Store::open(&url.parse().unwrap()).unwrap();
    let new = NewPuzzle {
        key: 7,
        origin: "a",
        rating: None,
        themes: &[],
        place: None,
        document: "{}",
    };
    let (puzzle, _) = store.keep_puzzle(new).unwrap();
    crate::common::sql_at(
        &url,
        "CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS TRIGGER LANGUAGE plpgsql AS $$ \
         BEGIN PERFORM nextval('tries'); RAISE EXCEPTION 'the server stops' USING ERRCODE = \
         '57P01'; END $$; CREATE CONSTRAINT TRIGGER t AFTER INSERT ON attempt DEFERRABLE INITIALLY \
         DEFERRED FOR EACH ROW EXECUTE FUNCTION fail(); CREATE CONSTRAINT TRIGGER t AFTER INSERT \
         ON batch DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()",
    );
    store
        .keep_attempt(
            Attempted {
                puzzle,
                at: 0,
                mistakes: 1,
                hints: 0,
            },
            None,
        )
        .unwrap_err();
    store.keep_batch("games", &[]).unwrap_err();
    crate::common::sql_at(
        &url,
        "DO $$ BEGIN ASSERT (SELECT last_value FROM tries) = 2; END $$",
    );
}

/// The server is restarted during the work.
#[test]
fn work_continues_after_a_restart_of_the_server() {
    let Some(server) = Server::start(&["fsync = off"]) else {
        return;
    };
    let store = Store::open(&server.database().parse().unwrap()).unwrap();
    fill(&store, 0..10).unwrap();
    thread::scope(|scope| {
        server.down();
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(700));
            server.up();
        });
        fill(&store, 10..20).unwrap();
    });
    server.down();
    server.up();
    let questions: Vec<Question> = (0..20)
        .map(|number| evaluation(number, Limit::Nodes(1000), 2, 12).0)
        .collect();
    assert!(
        store
            .find_all(&engine("X 1"), &questions)
            .unwrap()
            .iter()
            .all(Option::is_some)
    );
}

/// The lock of the queue is acquired again after a restart of the database.
#[test]
fn the_queue_is_locked_again_after_a_lost_connection() {
    let Some(server) = Server::start(&["fsync = off"]) else {
        return;
    };
    let place: Location = server.database().parse().unwrap();
    let [one, other] = [(); 2].map(|()| Store::open(&place).unwrap());
    let _lock = one.lock_queue().unwrap();
    server.down();
    server.up();
    let begin = Instant::now();
    // The lock is free until the first store acquires it again.
    while other.lock_queue().is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(500));
    }
    assert!(matches!(
        other.lock_queue().unwrap_err(),
        StoreError::QueueTaken { .. }
    ));
}

#[derive(Default)]
struct Problems(Mutex<Vec<String>>);

impl Reporter for Problems {
    fn progress(&self, _: &Progress) {}

    fn problem(&self, problem: &Problem) {
        self.0.lock().unwrap().push(problem.to_string());
    }
}

/// After five seconds the reason for the wait is reported once, when the store is opened and when
/// it is written.
#[test]
fn a_locked_store_is_reported_once_while_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let problems = Arc::new(Problems::default());
    let reporter: Arc<dyn Reporter> = Arc::<Problems>::clone(&problems);
    let store =
        Store::open_reporting(&Location::File(file.clone()), Arc::clone(&reporter)).unwrap();
    let locked = |work: &dyn Fn()| {
        thread::scope(|scope| {
            let url = format!("sqlite://{}", file.display());
            let (sender, is_locked) = mpsc::channel();
            let problems = &problems;
            scope.spawn(move || {
                crate::common::sql_then(&url, "BEGIN IMMEDIATE", || {
                    sender.send(()).unwrap();
                    let begin = Instant::now();
                    while problems.0.lock().unwrap().is_empty()
                        && begin.elapsed() < Duration::from_secs(50)
                    {
                        thread::sleep(Duration::from_millis(20));
                    }
                    // Leave time for a second report, which must not come.
                    thread::sleep(Duration::from_secs(2));
                });
            });
            is_locked.recv().unwrap();
            work();
        });
        std::mem::take(&mut *problems.0.lock().unwrap())
    };
    let message = format!(
        "the store {} is locked by another program; waiting up to a minute for it",
        file.display()
    );
    assert_eq!(locked(&|| fill(&store, 0..3).unwrap()), [message.as_str()]);
    assert_eq!(store.stats().unwrap().evaluations, 3);
    let open = || {
        drop(Store::open_reporting(&Location::File(file.clone()), Arc::clone(&reporter)).unwrap());
    };
    assert_eq!(locked(&open), [message.as_str()]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_new_store() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let store = open(&file).unwrap();
    fill(&store, 0..1).unwrap();
    for name in ["a.db", "a.db-wal", "a.db-shm"] {
        let mode = fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn reading_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let read = || Store::open_to_read(&Location::File(file.clone()), Arc::new(Silent));
    for text in ["", "x"] {
        fs::write(&file, text).unwrap();
        assert!(
            matches!(read(), Err(StoreError::NotAStore { .. })),
            "{text:?}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    fs::remove_file(&file).unwrap();
    fill(&open(&file).unwrap(), 0..3).unwrap();
    assert_eq!(read().unwrap().stats().unwrap().evaluations, 3);
}

/// Numbers that cannot be probabilities are refused.
#[test]
fn a_table_without_probabilities_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("x.db")).unwrap();
    fill(&store, 0..3).unwrap();
    let file = folder.path().join("table.csv");
    let mut out = store.files().create(&file, &Cancel::new()).unwrap();
    store
        .export(&mut out, TableFormat::of(&file), &Cancel::new(), &Silent)
        .unwrap();
    out.finish(&Cancel::new()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let column = text
        .lines()
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == "mover_p_win")
        .unwrap();
    let with = |number: &str| {
        let row = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            // The engine's options contain commas, later cells do not: count from the end.
            let at = cells.len() - text.lines().next().unwrap().split(',').count() + column;
            cells[at] = number;
            cells.join(",")
        };
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[1] = row(&lines[1]);
        lines.join("\n") + "\n"
    };
    for number in ["4294967", "-0.5", "nan", "0.9999"] {
        fs::write(&file, with(number)).unwrap();
        let copy = open(&folder.path().join("copy.db")).unwrap();
        let error = copy.import(&file, &Cancel::new(), &Silent).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("are no probabilities of a win, a draw and a loss"),
            "{number}: {error}"
        );
    }
}

/// No position has 3,000 lines. The rows of an evaluation are counted while they are read, so that
/// they cannot fill the memory.
#[test]
fn an_evaluation_with_too_many_lines_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.csv");
    let row = |rank: u32| {
        format!(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,X 1,{{}},1000 nodes,1,1000,5,{rank},20,9,e2e4\n"
        )
    };
    let head = "fen,engine,options,limit,lines,nodes,search_seconds,rank,mover_eval_cp,depth,pv\n";
    fs::write(
        &file,
        (1..3000)
            .map(row)
            .fold(head.to_owned(), |text, row| text + &row),
    )
    .unwrap();
    let store = open(&folder.path().join("x.db")).unwrap();
    let error = store
        .import(&file, &Cancel::new(), &Silent)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("rows 2 to 257: two lines begin with e2e4"),
        "{error}"
    );
}
