//! `centipawn policy`, as a user sees it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::PathBuf,
    process::Command,
    thread,
};

use crate::common::{Ran, centipawn, root, run};
use centipawn_test_support::data::shared;
use serde_json::Value;

/// Returns the path of a small random network from the test data.
fn network() -> String {
    root()
        .join("crates/policy/tests/data/res_se_conv_wdl.pb.gz")
        .display()
        .to_string()
}

/// Starts a server that gives every request the same answer, and returns its address.
fn server(status: &'static str, body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let mut stream = reader.into_inner();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&body);
        }
    });
    format!("http://{address}")
}

fn fetch(folder: &tempfile::TempDir, url: &str, name: &str) -> Command {
    let mut command = centipawn(["policy", "fetch", name, "--url", url]);
    command.env("CENTIPAWN_POLICY_DIR", folder.path().join("new"));
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ] {
        command.env_remove(name);
    }
    command
}

fn fetched(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("new/maia-1500.pb.gz")
}

#[test]
fn fetch_keeps_only_what_was_published() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(fetch(
        &folder,
        &server("200 OK", b"something else".to_vec()),
        "maia-1500",
    ));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("its SHA-256 is") && ran.stderr().contains("nothing was kept"),
        "{}",
        ran.stderr()
    );
    assert!(!fetched(&folder).exists());

    let Some(maia) = shared("data/maia/maia-1500.pb.gz") else {
        return;
    };
    let bytes = fs::read(maia).unwrap();
    let url = server("200 OK", bytes.clone());
    let ran = run(fetch(&folder, &url, "maia-1500"));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stdout()
            .starts_with("maia-1500: fetched, SHA-256 35ab6f20421d… as published"),
        "{}",
        ran.stdout()
    );
    assert_eq!(fs::read(fetched(&folder)).unwrap(), bytes);
    // A network is not fetched again, unless the file is damaged.
    let ran = run(fetch(&folder, "http://127.0.0.1:1", "maia-1500"));
    assert!(
        ran.stdout().contains("was here already"),
        "{}",
        ran.stderr()
    );
    fs::write(fetched(&folder), "damaged").unwrap();
    assert_eq!(run(fetch(&folder, &url, "maia-1500")).code(), Some(0));
    assert_eq!(fs::read(fetched(&folder)).unwrap(), bytes);

    let mut command = centipawn(["policy", "list"]);
    command.env("CENTIPAWN_POLICY_DIR", folder.path().join("new"));
    let listed = run(command);
    assert!(
        listed
            .stdout()
            .contains("maia-1500    humans of about 1500 (Lichess)   installed"),
        "{}",
        listed.stdout()
    );
    assert!(
        listed
            .stdout()
            .contains("maia-1900    humans of about 1900 (Lichess)   can be fetched")
    );
}

#[test]
fn fetch_reports_errors() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(fetch(
        &folder,
        &server("404 Not Found", Vec::new()),
        "maia-1100",
    ));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("404") && ran.stderr().contains("was it moved?"),
        "{}",
        ran.stderr()
    );

    // No server listens on port 1, so the download fails.
    let ran = run(fetch(&folder, "http://127.0.0.1:1", "maia-1100"));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("Behind a proxy, set HTTPS_PROXY"),
        "{}",
        ran.stderr()
    );

    let mut command = fetch(&folder, "http://nowhere.invalid", "maia-1100");
    command
        .env("HTTP_PROXY", "http://me:secret@127.0.0.1:1")
        .env("ALL_PROXY", "http://me:secret@127.0.0.1:1");
    let ran = run(command);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("the proxy 127.0.0.1:1: is that right?"),
        "{}",
        ran.stderr()
    );
    assert!(!ran.stderr().contains("secret"), "{}", ran.stderr());

    let ran = run(fetch(&folder, "http://127.0.0.1:1", "maia-2500"));
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr().contains("is not a published network"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn run_of_positions() {
    let mut command = centipawn([
        "policy",
        "run",
        "startpos moves e2e4 e7e5",
        "--json",
        "--policy",
    ]);
    let ran = run({
        command.arg(network());
        command
    });
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    assert_eq!(
        (&document["policy"], &document["history_made_up"]),
        (&"res_se_conv_wdl".into(), &0.into())
    );
    let moves = document["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 29);
    assert!(
        (moves
            .iter()
            .map(|mv| mv["p"].as_f64().unwrap())
            .sum::<f64>()
            - 1.0)
            .abs()
            < 1e-9
    );

    // A FEN has no earlier positions, so there is a note. Three digits are the same on every
    // kernel.
    const FEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
    let mut command = centipawn(["policy", "run", FEN, "--moves", "3", "--policy"]);
    command.arg(network());
    insta::assert_snapshot!(run(command).stdout());
}

fn wrong(args: &[&str]) -> Ran {
    let mut command = centipawn(["policy", "run"]);
    command.args(args).arg("--policy").arg(network());
    run(command)
}

#[test]
fn positions_without_an_answer_are_reported() {
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let ran = wrong(&[mated]);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .starts_with("error: there is no legal move in rnb1kbnr"),
        "{}",
        ran.stderr()
    );
    assert_eq!(wrong(&[mated, "startpos"]).code(), Some(1));
    let ran = wrong(&["8/8/8/8/8/8/8/8 w - - 0 1"]);
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr().contains("not a position of chess"),
        "{}",
        ran.stderr()
    );
    assert_eq!(wrong(&["startpos moves e2e5"]).code(), Some(2));
    assert_eq!(
        wrong(&["startpos", "examples/opera-game.pgn"]).code(),
        Some(2)
    );

    let mut command = centipawn(["policy", "run", "startpos", "--policy", "maia-1400"]);
    command.env("CENTIPAWN_POLICY_DIR", "/nowhere");
    let ran = run(command);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("get it with: centipawn policy fetch maia-1400"),
        "{}",
        ran.stderr()
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cut.pb.gz");
    fs::write(&file, &fs::read(network()).unwrap()[..5000]).unwrap();
    let mut command = centipawn(["policy", "show"]);
    command.arg(&file);
    let ran = run(command);
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr()
            .contains("cut.pb.gz: the compressed file is damaged or cut off"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn run_of_a_game_and_show() {
    let mut command = centipawn([
        "policy",
        "run",
        "examples/opera-game.pgn",
        "--json",
        "--policy",
    ]);
    command.arg(network());
    let ran = run(command);
    assert_eq!(ran.stdout().lines().count(), 33);
    let last: Value = serde_json::from_str(ran.stdout().lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["played"], &last["ply"]),
        (&"d1d8".into(), &33.into())
    );

    let mut command = centipawn(["policy", "show", "--json"]);
    command.arg(network());
    let shown: Value = serde_json::from_str(run(command).stdout()).unwrap();
    assert_eq!(
        (&shown["policy"], &shown["wdl"]),
        (&"convolution".into(), &true.into())
    );
}

/// An empty home folder: the bundled network needs no download.
#[test]
fn the_bundled_network_needs_no_download() {
    let policy = |args: &[&str]| {
        let mut command = centipawn(["policy"]);
        command
            .args(args)
            .env("CENTIPAWN_POLICY_DIR", "/nowhere")
            .env_remove("CENTIPAWN_POLICY");
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        ran.stdout().to_owned()
    };
    let document: Value = serde_json::from_str(&policy(&["run", "startpos", "--json"])).unwrap();
    assert_eq!(
        (&document["policy"], &document["level"]),
        (&"centipawn-1".into(), &1500.into())
    );
    assert_eq!(document["provenance"]["networks"][0]["name"], "centipawn-1");
    let many = policy(&[
        "run",
        "startpos",
        "startpos moves e2e4",
        "--level",
        "1100..1900",
        "--json",
    ]);
    let many: Vec<Value> = many
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (many.len(), &many[3]["level"], &many[17]["level"]),
        (18, &1400.into(), &1900.into())
    );
    assert!(
        policy(&["list"])
            .starts_with("centipawn-1  humans of 600 to 2200 (Lichess)  in the program\n")
    );
    let shown = policy(&["show", "centipawn-1"]);
    assert!(
        shown.contains("levels    600 to 2200, mixed from 4 networks"),
        "{shown}"
    );
    assert!(
        shown.contains("licence   GPL-3.0. Derived from maia-1100 of the Maia project"),
        "{shown}"
    );
    assert!(
        policy(&["run", "examples/opera-game.pgn"])
            .lines()
            .all(|line| line.chars().count() <= 80)
    );
}

/// A Maia network with the extra field by which `research/train_policy.py` marks a rating plane in
/// the input.
#[test]
fn a_network_with_a_rating_input_imitates_every_level() {
    /// The compressed field: plane 110 contains (rating − 1500) / 400, for ratings from 1100 to
    /// 1900.
    const FIELD: [u8; 40] = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3, 1, 17, 0, 0xee, 0xff, 0xa2, 0x38, 14, 8, 110, 0x10,
        0xdc, 0x0b, 0x18, 0x90, 3, 0x20, 0xcc, 8, 0x28, 0xec, 0x0e, 0xa7, 0x1e, 0xd5, 0x14, 17, 0,
        0, 0,
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuned.pb.gz").display().to_string();
    let mut bytes = fs::read(root().join("crates/policy/networks/maia-1500-packed.pb.gz")).unwrap();
    bytes.extend(FIELD);
    fs::write(&file, bytes).unwrap();

    let ran = run(centipawn(["policy", "show", file.as_str()]));
    assert!(
        ran.stdout().contains("\n  levels    1100 to 1900\n"),
        "{}",
        ran.stdout()
    );
    let of = |more: &[&str]| {
        let mut command = centipawn(["policy", "run", "startpos", "--policy"]);
        command.arg(&file).args(more);
        run(command)
    };
    let ran = of(&["--level", "1350", "--level", "2500", "--json"]);
    let documents = ran
        .stdout()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert_eq!(
        documents
            .map(|document| document["level"].clone())
            .collect::<Vec<_>>(),
        [1350, 1900]
    );
    assert!(
        ran.stderr().contains("level 2500: 1900 is the nearest"),
        "{}",
        ran.stderr()
    );
    let ran = of(&[]);
    assert!(
        ran.stdout().contains("\ntuned 1500: win "),
        "{}",
        ran.stdout()
    );
}
