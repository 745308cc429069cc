//! The page and the command line give the same document for the same request.
//! `crates/python/tests/test_doors.py` compares Python's.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::common::{centipawn, fake, run_with, wait_until};
use serde_json::{Value, json};

const GAME: &str =
    "[White \"Anna\"]\n[Black \"Boris\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n\n";

/// `centipawn serve` with the fake engine.
pub(crate) struct Page {
    server: Child,
    pub(crate) host: String,
}

impl Page {
    fn open(store: &Path) -> Self {
        Self::start(centipawn([]), store)
    }

    /// Starts the server with the environment and settings of `command`.
    pub(crate) fn start(mut command: Command, store: &Path) -> Self {
        command
            .args([
                "serve",
                "--port",
                "0",
                "--nodes",
                "1000",
                "--engine",
                &fake(""),
                "--store",
            ])
            .arg(store);
        let mut server = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let host = address
            .trim()
            .strip_prefix("http://")
            .unwrap()
            .trim_end_matches('/')
            .to_owned();
        Self { server, host }
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = self.send(method, path, body);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        body.to_owned()
    }

    /// Sends a request and returns the connection without reading the answer.
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nX-Centipawn: 1\r\nConnection: close\r\nContent-Length: {length}",
            self.host
        );
        stream
            .write_all(format!("{head}\r\n\r\n{body}").as_bytes())
            .unwrap();
        stream
    }

    /// Ends the server with SIGINT, as Ctrl-C does.
    #[cfg(unix)]
    pub(crate) fn interrupt(mut self) {
        let process = rustix::process::Pid::from_child(&self.server);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        self.server.wait().unwrap();
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Value {
        serde_json::from_str(&self.ask(method, path, &body.to_string())).unwrap()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Returns the JSON documents that the command line prints, one per line or a single one.
fn printed(arguments: &[&str]) -> String {
    let ran = run_with(centipawn([]).args(arguments));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    ran.stdout().to_owned()
}

fn document(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).unwrap()
}

#[test]
fn page_and_command_line_give_the_same_review() {
    let folder = tempfile::tempdir().unwrap();
    let (file, engine) = (folder.path().join("game.pgn"), fake(""));
    std::fs::write(&file, GAME).unwrap();
    let file = file.to_str().unwrap();
    let page = Page::open(&folder.path().join("a.db"));
    let added: Value = serde_json::from_str(&page.ask("POST", "/api/games", GAME)).unwrap();
    for (request, flags) in [
        (json!({}), &[][..]),
        (
            json!({ "lines": 3, "limit": "2000 nodes" }),
            &["--lines", "3", "--nodes", "2000"],
        ),
        (
            json!({ "curve": "lichess", "scheme": "s7" }),
            &["--curve", "lichess", "--scheme", "s7"],
        ),
        (
            json!({ "language": "de", "every_symbol": true }),
            &["--language", "de", "--every-symbol"],
        ),
    ] {
        let mut request = request;
        request["game"] = added["games"][0]["id"].clone();
        let id = page.json("POST", "/api/reviews", &request)["id"]
            .as_i64()
            .unwrap();
        let job = || page.json("GET", &format!("/api/jobs/{id}"), &Value::Null);
        wait_until("the review is done", || job()["state"] == "done");
        let mut of_page = page.json("GET", &format!("/api/reviews/{id}"), &Value::Null);
        let base = [
            "review", file, "--nodes", "1000", "--engine", &engine, "--quiet",
        ];
        let review = |more: &[&str]| {
            // Remove the default --nodes if the flags contain one, because clap accepts it only
            // once.
            let own = base
                .iter()
                .enumerate()
                .filter(|(at, _)| !(flags.contains(&"--nodes") && [2, 3].contains(at)));
            let own: Vec<&str> = own
                .map(|(_, word)| *word)
                .chain(flags.iter().copied())
                .collect();
            printed(&[&own, more].concat())
        };
        let mut of_program: Value = serde_json::from_str(&review(&["--json", "-"])).unwrap();
        // A pasted game has no file, so leave the inputs in the provenance out of the comparison.
        let inputs =
            [&mut of_page, &mut of_program].map(|document| document["provenance"]["inputs"].take());
        assert_eq!(inputs[1][0]["name"], "game.pgn");
        assert_eq!(of_page, of_program, "{flags:?}");
        assert_eq!(
            page.ask("GET", &format!("/api/reviews/{id}.pgn"), ""),
            review(&["-o", "-"]),
            "{flags:?}"
        );
    }
}

#[test]
fn page_and_command_line_give_the_same_symbols() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::open(&folder.path().join("a.db"));
    let request = json!({ "side": "black", "played": "0.31", "best": "-0.8", "second": "-0.2", "balance": 0.8 });
    let flags = [
        "--side",
        "black",
        "--played",
        "0.31",
        "--best",
        "-0.8",
        "--second",
        "-0.2",
        "--balance",
        "0.8",
    ];
    let of_program = document(&[&["symbols", "--json"], &flags[..]].concat());
    assert_eq!(page.json("POST", "/api/symbols", &request), of_program);
}

#[test]
fn page_and_command_line_give_the_same_ease() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::open(&folder.path().join("a.db"));
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 4";
    let of_page = page.json("POST", "/api/ease", &json!({ "fen": fen }));
    let engine = fake("");
    let lines = printed(&[
        "ease",
        fen,
        "--level",
        "600..2200",
        "--nodes",
        "1000",
        "--engine",
        &engine,
        "--json",
    ]);
    let of_program: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(of_page["levels"], Value::Array(of_program));
}
