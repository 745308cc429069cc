//! Starts a server for a test, and sends requests to it.

mod description;

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use centipawn_engine::{EngineSpec, Limit};
use centipawn_progress::{Cancel, Silent};
use centipawn_review::ReviewOptions;
use centipawn_store::Location;
use centipawn_web::{Limits, ServeOptions, serve};
use centipawn_work::{Resources, StoreChoice};
use serde_json::{Value, json};
use tempfile::TempDir;

use self::description::Description;

pub(crate) const GAME: &str =
    "[White \"Anna\"]\n[Black \"Boris\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n";

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
    /// The address of the page with a login code.
    pub(crate) login: String,
    pub(crate) description: Description,
    /// Method and address of each request whose answer was compared with the description.
    pub(crate) asked: Mutex<BTreeSet<(String, String)>>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    folder: Arc<TempDir>,
}

pub(crate) fn engine(role: &str) -> EngineSpec {
    let path = centipawn_fake_engine::path().display().to_string();
    EngineSpec {
        command: format!("{path:?} {role}"),
        options: Vec::new(),
        jobs: 2,
    }
}

pub(crate) fn resources(folder: &TempDir, cancel: &Cancel) -> Resources {
    let store = StoreChoice::At(Location::File(folder.path().join("a.db")));
    Resources::new(store, cancel, Arc::new(Silent))
}

impl Server {
    pub(crate) fn start(role: &str) -> Self {
        Self::start_in(
            Arc::new(tempfile::tempdir().unwrap()),
            role,
            Limits::default(),
        )
    }

    pub(crate) fn start_in(folder: Arc<TempDir>, role: &str, limits: Limits) -> Self {
        Self::start_with(folder, |options| ServeOptions {
            engine: engine(role),
            limits,
            ..options
        })
    }

    pub(crate) fn start_with(
        folder: Arc<TempDir>,
        change: impl FnOnce(ServeOptions) -> ServeOptions,
    ) -> Self {
        let (cancel, (sender, receiver)) = (Cancel::new(), mpsc::channel());
        let options = ServeOptions::new(ReviewOptions::new(Limit::Nodes(1000)));
        let options = change(ServeOptions {
            engine: engine(""),
            ..options
        });
        let (resources, own) = (resources(&folder, &cancel), cancel.clone());
        let thread = thread::spawn(move || {
            serve(options, resources, &own, |at| {
                let token = at.token().map(ToOwned::to_owned);
                sender
                    .send((at.socket, token, at.login().unwrap()))
                    .unwrap();
            })
            .unwrap();
        });
        let (address, token, login) = receiver.recv().unwrap();
        Self {
            address,
            token,
            login,
            description: Description::read(),
            asked: Mutex::default(),
            cancel,
            thread: Some(thread),
            folder,
        }
    }

    /// Sends bytes unchanged. Returns the status and the body.
    pub(crate) fn send(&self, head: &str, body: &[u8]) -> (u16, String) {
        let (status, _, body) = self.answer(head, body);
        (status, body)
    }

    /// Sends bytes unchanged. Returns the status, the media type and the body.
    fn answer(&self, head: &str, body: &[u8]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        let head = head.replace('\n', "\r\n");
        // The server may refuse the request and close the connection before everything is sent, so
        // ignore the error.
        let _ = stream.write_all(
            format!(
                "{head}Connection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            )
            .as_bytes(),
        );
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer
            .get(9..12)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let kind = head
            .lines()
            .find_map(|line| line.strip_prefix("content-type: ")?.split(';').next());
        (status, kind.unwrap_or_default().to_owned(), body.to_owned())
    }

    /// Sends a request as the page does, and compares the answer with the description.
    pub(crate) fn raw(&self, method: &str, path: &str, body: &[u8]) -> (u16, String) {
        let head = format!(
            "{method} {path} HTTP/1.1\nHost: {}\nX-Centipawn: 1\n",
            self.address
        );
        let (status, kind, text) = self.answer(&head, body);
        let Some(address) = self.description.address(path) else {
            return (status, text);
        };
        match status {
            200 => {
                self.description.check_type(method, address, &kind);
                if let Ok(answer) = serde_json::from_str(&text) {
                    self.description.check_answer(method, address, &answer);
                    self.asked
                        .lock()
                        .unwrap()
                        .insert((method.to_owned(), address.to_owned()));
                }
            }
            // The server closed the connection before the whole request was sent, so there is no
            // answer to check.
            0 => {}
            status => self.description.check_refusal(method, address, status),
        }
        (status, text)
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        // Send no body instead of `null`. A server that closes the connection while a body is
        // unread may cut off its answer.
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let (status, text) = self.raw(method, path, body.as_bytes());
        (
            status,
            serde_json::from_str(&text).unwrap_or(Value::String(text)),
        )
    }

    pub(crate) fn add(&self, pgn: &str) -> i64 {
        let (status, answer) = self.raw("POST", "/api/games", pgn.as_bytes());
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str::<Value>(&answer).unwrap()["games"][0]["id"]
            .as_i64()
            .unwrap()
    }

    /// Requests a review and waits until it ends.
    pub(crate) fn review(&self, request: &Value) -> Value {
        let (status, job) = self.ask("POST", "/api/reviews", request);
        assert_eq!(status, 200, "{job}");
        self.wait(job["id"].as_i64().unwrap(), |state| {
            !matches!(state, "waiting" | "running")
        })
    }

    pub(crate) fn wait(&self, id: i64, is_wanted: impl Fn(&str) -> bool) -> Value {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let (_, job) = self.ask("GET", &format!("/api/jobs/{id}"), &Value::Null);
            if is_wanted(job["state"].as_str().unwrap()) {
                return job;
            }
            assert!(Instant::now() < until, "{job}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the folder of the server's store.
    pub(crate) fn folder(&self) -> Arc<TempDir> {
        Arc::clone(&self.folder)
    }

    pub(crate) fn stop(mut self) -> Arc<TempDir> {
        self.end();
        Arc::clone(&self.folder)
    }

    fn end(&mut self) {
        self.cancel.set();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

impl Server {
    /// Opens a connection, sends `text`, and leaves the connection open.
    pub(crate) fn open(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let text = text
            .replace('\n', "\r\n")
            .replace("HOST", &self.address.to_string());
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    /// Exchanges a token. Returns the status and the cookie.
    pub(crate) fn session(&self, token: &str) -> (u16, String) {
        self.exchange(&json!({ "token": token }))
    }

    pub(crate) fn exchange(&self, secret: &Value) -> (u16, String) {
        let body = secret.to_string();
        let head = "POST /api/session HTTP/1.1\nHost: HOST\nX-Centipawn: 1\nConnection: close\n";
        let mut stream = self.open(&format!("{head}Content-Length: {}\n\n{body}", body.len()));
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let cookie = answer
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie
            .and_then(|cookie| cookie.split(';').next())
            .unwrap_or_default()
            .to_owned();
        (
            answer
                .get(9..12)
                .and_then(|status| status.parse().ok())
                .unwrap_or(0),
            cookie,
        )
    }
}

/// Returns the first line of an answer.
pub(crate) fn first_line(stream: &mut TcpStream) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while byte[0] != b'\n' && stream.read(&mut byte).is_ok_and(|read| read > 0) {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}
