//! `centipawn review --store`: an evaluated position is not evaluated again, whatever interrupts a
//! run.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{Ran, centipawn, fake, have_stockfish, length, root, run_with, wait_until};
use centipawn_test_support::postgres::Server;

/// A folder for one test, with a store, a log of searches, and outputs.
struct Place {
    folder: tempfile::TempDir,
    store: String,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store.db").display().to_string();
        Self { folder, store }
    }

    fn with_store(store: String) -> Self {
        Self {
            store,
            ..Self::new()
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a review of the examples with an engine that needs `ms` for each search and logs it.
    fn review(&self, ms: u32, output: &str) -> Command {
        let engine = fake(&format!("log '{}' {ms}", self.file("log").display()));
        let mut command = centipawn([
            "review", "--jobs", "2", "--nodes", "1000", "--quiet", "--engine", &engine,
        ]);
        command.args(
            ["opera-game", "evergreen-game", "immortal-draw"]
                .map(|game| format!("examples/{game}.pgn")),
        );
        command
            .args(["--store", &self.store])
            .arg("-o")
            .arg(self.file(&format!("{output}.pgn")))
            .arg("--json")
            .arg(self.file(&format!("{output}.json")));
        command
    }

    /// Returns the number of evaluations in the store, as `centipawn store stats` prints it.
    fn evaluations(&self) -> u64 {
        let ran = run_with(&mut centipawn([
            "store",
            "stats",
            "--json",
            "--store",
            &self.store,
        ]));
        let document: serde_json::Value = serde_json::from_str(ran.stdout()).unwrap();
        document["evaluations"].as_u64().unwrap()
    }

    fn results(&self, output: &str) -> [String; 2] {
        ["pgn", "json"]
            .map(|kind| fs::read_to_string(self.file(&format!("{output}.{kind}"))).unwrap())
    }

    /// Returns how often each search was made.
    fn searches(&self) -> HashMap<String, usize> {
        let mut searches = HashMap::new();
        for line in fs::read_to_string(self.file("log"))
            .unwrap_or_default()
            .lines()
        {
            *searches.entry(line.to_owned()).or_default() += 1;
        }
        searches
    }
}

fn fine(ran: &Ran) {
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
}

/// Repeats the tests with a PostgreSQL server.
#[test]
fn the_same_on_postgres() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    second_run(&Place::with_store(server.database()));
    killed(&Place::with_store(server.database()), 5);
    share(&Place::with_store(server.database()));
}

/// The server's message, without the line of its source code.
#[test]
fn a_missing_database_is_an_error() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let url = format!("{}none", server.database());
    let ran = run_with(&mut centipawn(["store", "stats", "--store", &url]));
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr()
            .contains("none\" does not exist; does the server run"),
        "{}",
        ran.stderr()
    );
}

/// A backup is a whole store, also while a review writes into the original.
#[test]
fn a_backup_is_made_while_the_store_is_used() {
    let place = Place::new();
    let mut running = place
        .review(20, "first")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("a search is made", || length(&place.file("log")) > 1000);
    let copy = place.file("copy.db").display().to_string();
    let back_up = || {
        let args = ["store", "backup", &copy, "--store", &place.store];
        let ran = run_with(&mut centipawn(args));
        assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
        Place {
            store: copy.clone(),
            ..Place::new()
        }
    };
    let early = back_up().evaluations();
    assert!(running.wait().unwrap().success());
    assert!(early > 0 && early < place.evaluations(), "{early}");
    // A later backup replaces it, and a review on it searches nothing.
    let whole = back_up();
    assert_eq!(whole.evaluations(), place.evaluations());
    fine(&run_with(&mut whole.review(1, "again")));
    assert!(whole.searches().is_empty());
    // The store itself is no place for its backup.
    let own = ["store", "backup", &place.store, "--store", &place.store];
    let ran = run_with(&mut centipawn(own));
    assert_ne!(ran.code(), Some(0));
    assert_eq!(whole.evaluations(), place.evaluations(), "{}", ran.stderr());
}

#[test]
fn a_second_run_searches_nothing() {
    second_run(&Place::new());
}

fn second_run(place: &Place) {
    fine(&run_with(&mut place.review(1, "first")));
    let searched = place.searches();
    assert!(
        searched.len() > 80 && searched.values().all(|times| *times == 1),
        "{searched:?}"
    );
    fs::remove_file(place.file("log")).unwrap();
    fine(&run_with(&mut place.review(1, "second")));
    assert!(place.searches().is_empty());
    assert_eq!(place.results("first"), place.results("second"));
    // A review with fewer lines needs no new searches either.
    fine(&run_with(place.review(1, "fewer").args(["--lines", "1"])));
    fs::remove_file(place.file("log")).ok();
    fine(&run_with(place.review(1, "fewer").args(["--lines", "1"])));
    assert!(place.searches().is_empty());
}

/// Kills runs at twenty moments, then finishes one. The output is the same, and only searches that
/// were under way at a kill are repeated.
#[test]
fn killed_runs_repeat_only_searches_in_flight() {
    killed(&Place::new(), 20);
}

fn killed(place: &Place, times: usize) {
    let undisturbed = Place::new();
    fine(&run_with(&mut undisturbed.review(1, "whole")));

    let mut kills = 0;
    let mut pause = Duration::from_millis(60);
    while kills < times {
        let mut child = place
            .review(80, "whole")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Vary the moment of the kill within the time that a start needs.
        pause = Duration::from_millis(50 + (pause.as_millis() as u64 * 7 + 31) % 120);
        thread::sleep(pause);
        child.kill().unwrap();
        assert!(
            !child.wait().unwrap().success(),
            "it was done before the kill"
        );
        kills += 1;
    }
    assert!(!place.file("whole.pgn").exists());
    fine(&run_with(&mut place.review(1, "whole")));
    assert_eq!(place.results("whole"), undisturbed.results("whole"));

    let [whole, pieces] = [undisturbed.searches(), place.searches()];
    let mut keys: Vec<_> = whole.keys().collect();
    keys.sort();
    let mut same: Vec<_> = pieces.keys().collect();
    same.sort();
    assert_eq!(keys, same);
    let twice: usize = pieces.values().map(|times| times - 1).sum();
    eprintln!(
        "{} searches, {twice} of them again after {kills} kills",
        whole.len()
    );
    // Each kill may lose the searches of two engines, and two answers that were not yet stored.
    assert!(
        twice <= 2 * kills + 2 * kills,
        "{twice} searches again after {kills} kills"
    );
}

/// Four processes run at once, two for each game. All succeed, and no evaluation is lost.
#[test]
fn processes_share_a_store() {
    share(&Place::new());
}

fn share(place: &Place) {
    let alone = Place::new();
    fine(&run_with(&mut alone.review(0, "all")));
    let expected = alone.evaluations();

    let running: Vec<_> = (0..4)
        .map(|number| {
            let mut command = place.review(5, &format!("part{number}"));
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // On a busy machine one process may wait long for another, and prints that.
        let is_fine = said
            .lines()
            .all(|line| line.ends_with("waiting up to a minute for it"));
        assert!(output.status.success() && is_fine, "{said}");
    }
    assert_eq!(place.evaluations(), expected);
    for number in 0..4 {
        assert_eq!(
            place.results(&format!("part{number}")),
            alone.results("all")
        );
    }
    fs::remove_file(place.file("log")).unwrap();
    fine(&run_with(&mut place.review(0, "again")));
    assert!(place.searches().is_empty());
}

#[test]
fn engines_do_not_outlive_a_kill() {
    let place = Place::new();
    let mark = place.file("engine-of-the-killed");
    fs::copy(centipawn_fake_engine::path(), &mark).unwrap();
    let mut command = centipawn([
        "review",
        "examples/opera-game.pgn",
        "--jobs",
        "2",
        "--engine",
    ]);
    command.arg(format!("'{}' think 60000", mark.display()));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let running = format!("{} think", mark.display());
    let wait_for = |count: usize| {
        wait_until(&format!("{count} engines run"), || {
            crate::common::processes_with(&running) == count
        });
    };
    wait_for(2);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for(0);
}

#[test]
fn unusable_stores_are_reported() {
    let place = Place::new();
    let games = root().join("examples/opera-game.pgn");
    let review = |store: &Path| {
        let mut command = centipawn([
            "review",
            "--jobs",
            "1",
            "--nodes",
            "1000",
            "--engine",
            &fake("ok"),
            "--store",
        ]);
        run_with(
            command
                .arg(store)
                .arg(&games)
                .arg("-o")
                .arg(place.file("out.pgn")),
        )
    };
    fs::write(
        place.file("text"),
        "not a database, but long enough to look at. ".repeat(40),
    )
    .unwrap();
    for (store, code, said) in [
        (place.file("no/such/folder.db"), 3, "does its folder exist"),
        (place.file("text"), 3, "is not a store of Centipawn"),
        (
            "mysql://x".into(),
            2,
            "only sqlite: and postgres:// are supported",
        ),
    ] {
        let ran = review(&store);
        assert!(
            ran.code() == Some(code) && ran.stderr().contains(said),
            "{:?} {}",
            ran.code(),
            ran.stderr()
        );
        assert!(!place.file("out.pgn").exists());
    }

    // A review works without the default store, but prints a warning.
    let review = |data: &Path| {
        let mut command = centipawn([
            "review",
            "--jobs",
            "1",
            "--nodes",
            "1000",
            "--engine",
            &fake("ok"),
        ]);
        run_with(
            command
                .arg(&games)
                .env_remove("CENTIPAWN_STORE")
                .env("XDG_DATA_HOME", data),
        )
    };
    let ran = review(&place.file("text"));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stderr().starts_with("warning: cannot make the folder"),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr().contains("evaluations are not kept"),
        "{}",
        ran.stderr()
    );
    fine(&review(&place.file("data")));
    assert!(place.file("data/centipawn/centipawn.db").is_file());
}

/// A disk that fills up during a review does not end it.
#[test]
fn a_full_disk_does_not_end_the_review() {
    let place = Place::new();
    // Limits the size of files, in blocks of 512 bytes. The shell ignores the signal that would
    // otherwise kill the program.
    let mut command = centipawn([
        "review",
        "--jobs",
        "2",
        "--nodes",
        "1000",
        "--quiet",
        "--engine",
        &fake("ok"),
    ]);
    command
        .args(["examples/opera-game.pgn", "--store"])
        .arg(place.file("store.db"))
        .arg("-o")
        .arg(place.file("out.pgn"));
    let line = format!(
        "trap '' XFSZ; ulimit -f 320; exec {}",
        std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''")))
            .collect::<Vec<_>>()
            .join(" ")
    );
    command = Command::new("sh");
    command
        .args(["-c", &line])
        .current_dir(root())
        .env("CENTIPAWN_STORE", "none");
    let ran = run_with(&mut command);
    assert_eq!(ran.code(), Some(1), "{}", ran.stderr());
    assert!(
        ran.stderr()
            .contains("from here on evaluations are not kept"),
        "{}",
        ran.stderr()
    );
    assert!(
        fs::read_to_string(place.file("out.pgn"))
            .unwrap()
            .contains("%eval")
    );
}

#[test]
fn exported_evaluations_can_be_imported() {
    let place = Place::new();
    fine(&run_with(&mut place.review(0, "first")));
    let store = |args: &[&str], store: &str| {
        let mut command = centipawn(["store"]);
        run_with(command.args(args).arg("--store").arg(place.file(store)))
    };
    let count = |name: &str| {
        let document: serde_json::Value =
            serde_json::from_str(store(&["stats", "--json"], name).stdout()).unwrap();
        assert_eq!(document["engines"][0]["name"], "Fake 1.0");
        document["evaluations"].as_u64().unwrap()
    };
    let evaluations = count("store.db");
    assert_eq!(evaluations as usize, place.searches().len());
    for ending in ["csv", "parquet"] {
        let file = place.file(&format!("all.{ending}")).display().to_string();
        let exported = store(&["export", &file], "store.db");
        assert_eq!(
            exported.stdout(),
            format!("{evaluations} evaluations written\n"),
            "{}",
            exported.stderr()
        );
        let imported = store(&["import", &file], &format!("{ending}.db"));
        assert_eq!(
            imported.stdout(),
            format!("{evaluations} evaluations read, {evaluations} of them new\n")
        );
        assert_eq!(count(&format!("{ending}.db")), evaluations);
    }
    let text = store(&["stats"], "store.db");
    assert!(text.stdout().contains(&format!(
        "{evaluations:>12}  Fake 1.0 (EvalFile fake.nnue, Hash 16, Threads 1)"
    )));
    let vacuum = store(&["vacuum"], "store.db");
    assert!(
        vacuum.code() == Some(0) && vacuum.stdout().ends_with(" now\n"),
        "{}",
        vacuum.stderr()
    );
    // A store that was imported from the export replaces the original.
    fs::remove_file(place.file("log")).unwrap();
    fs::rename(place.file("parquet.db"), place.file("store.db")).unwrap();
    for log in ["store.db-wal", "store.db-shm"] {
        let _ = fs::remove_file(place.file(log));
    }
    fine(&run_with(&mut place.review(0, "again")));
    assert!(place.searches().is_empty());
    assert_eq!(place.results("first"), place.results("again"));

    let missing = store(&["import", "nowhere.csv"], "store.db");
    assert!(
        missing.code() == Some(3) && missing.stderr().contains("nowhere.csv: No such file"),
        "{}",
        missing.stderr()
    );
    assert_eq!(store(&["import", "nowhere.csv"], "new.db").code(), Some(3));
    assert!(!place.file("new.db").exists());
    let missing = store(&["stats"], "slip-in-the-name.db");
    assert!(
        missing.code() == Some(3) && missing.stderr().contains("there is no store"),
        "{}",
        missing.stderr()
    );
    assert!(!place.file("slip-in-the-name.db").exists());
    let none = run_with(&mut centipawn(["store", "stats"]));
    assert!(
        none.code() == Some(2) && none.stderr().contains("needs a store"),
        "{}",
        none.stderr()
    );
}

/// Another language, scheme or selection of symbols needs no searches, and gives the output of a
/// new run.
#[test]
fn stored_findings_serve_other_options() {
    let place = Place::new();
    fine(&run_with(&mut place.review(0, "first")));
    for (number, other) in [
        &["--language", "de"][..],
        &["--scheme", "s8,s9"],
        &["--every-symbol", "--replace"],
        &[],
    ]
    .into_iter()
    .enumerate()
    {
        fs::remove_file(place.file("log")).ok();
        let name = format!("again{number}");
        fine(&run_with(place.review(0, &name).args(other)));
        assert!(place.searches().is_empty(), "{other:?}");
        let fresh = Place::new();
        fine(&run_with(fresh.review(0, &name).args(other)));
        assert_eq!(place.results(&name), fresh.results(&name), "{other:?}");
    }
}

/// Deeper answers in the store do not change results. With `--at-least` they are used, and the
/// documents say so.
#[test]
fn deeper_stored_answers_do_not_change_results() {
    if !have_stockfish() {
        return;
    }
    let place = Place::new();
    let review = |nodes: &str, store: &str, more: &[&str], name: &str| {
        let mut command = centipawn([
            "review",
            "examples/opera-game.pgn",
            "--jobs",
            "2",
            "--quiet",
            "--nodes",
            nodes,
        ]);
        command
            .args(["--store", store])
            .args(more)
            .arg("--json")
            .arg(place.file(name));
        fine(&run_with(&mut command));
        fs::read_to_string(place.file(name)).unwrap()
    };
    review("50k", &place.store, &[], "warm.json");
    let cold = review("10k", "none", &[], "cold.json");
    // Run this first, because later runs store answers at exactly this limit.
    let at_least = review("10k", &place.store, &["--at-least"], "at-least.json");
    assert_eq!(review("10k", &place.store, &[], "exact.json"), cold);
    let games =
        |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["games"].clone();
    assert_ne!(games(&at_least), games(&cold), "the deeper answers");
    assert!(
        at_least.contains("\"limit\":\"at least 10000 nodes\"")
            && at_least.contains("\"at_least\":true")
    );
    assert!(!cold.contains("at_least"));

    let ease = |store: &str, more: &[&str]| {
        let network = "crates/policy/tests/data/res_se_conv_wdl.pb.gz";
        let mut command = centipawn([
            "ease",
            "startpos moves e2e4 e7e5 f1c4",
            "--json",
            "--policy",
            network,
        ]);
        let ran = run_with(command.args(["--jobs", "1", "--store", store]).args(more));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        ran.stdout().to_owned()
    };
    let cold = ease("none", &["--nodes", "10k"]);
    ease(&place.store, &["--nodes", "50k"]);
    let at_least = ease(&place.store, &["--nodes", "10k", "--at-least"]);
    assert!(
        at_least != cold && at_least.contains("at least 10000 nodes"),
        "{at_least}"
    );
    assert_eq!(ease(&place.store, &["--nodes", "10k"]), cold);
}

/// Documents and statistics contain only the file names of engine options, without folders. The
/// store contains the whole value.
#[test]
fn documents_omit_the_folders_of_engine_options() {
    let place = Place::new();
    let page = place.file("page.html");
    let review = |net: &str| {
        let mut command = place.review(0, "out");
        command
            .arg("--option")
            .arg(format!("EvalFile={net}"))
            .arg("--html")
            .arg(&page);
        assert_eq!(run_with(&mut command).code(), Some(0));
    };
    let searches = || {
        fs::read_to_string(place.file("log"))
            .unwrap()
            .lines()
            .count()
    };
    review("/home/anna/secret-folder/net.nnue");
    let after_one = searches();
    let mut texts: Vec<(String, String)> = ["out.pgn", "out.json", "page.html"]
        .map(|name| {
            (
                name.to_owned(),
                fs::read_to_string(place.file(name)).unwrap(),
            )
        })
        .into();
    let mut provenance = 0;
    for options in [&["--json"][..], &[]] {
        let mut command = centipawn(["store", "stats", "--store", &place.store]);
        texts.push((
            "stats".to_owned(),
            run_with(command.args(options)).stdout().to_owned(),
        ));
    }
    for (name, text) in &texts {
        assert!(
            name == "out.pgn" || text.contains("net.nnue"),
            "{name}: {text:.3000}"
        );
        assert!(
            !text.contains("secret-folder") && !text.contains("anna"),
            "{name}"
        );
        provenance += text.matches("\"provenance\"").count();
    }
    assert!(provenance > 0);
    review("/home/anna/secret-folder/net.nnue");
    assert_eq!(searches(), after_one, "the same engine is found again");
    review("/srv/net.nnue");
    assert!(
        searches() > after_one,
        "a file of that name elsewhere may be another network"
    );
}
