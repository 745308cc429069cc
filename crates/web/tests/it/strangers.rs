//! Tests of requests that are refused, slow or too large, and of sessions.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crate::common::{GAME, Server, first_line};
use centipawn_web::{Limits, ServeOptions};
use serde_json::{Value, json};

#[test]
fn invalid_and_foreign_requests_are_refused_and_the_server_continues() {
    let limits = Limits {
        games_bytes: 1 << 20,
        decompressed_bytes: 1 << 20,
        ..Limits::default()
    };
    let server = Server::start_in(Arc::new(tempfile::tempdir().unwrap()), "", limits);
    let host = format!("Host: {}\n", server.address);
    let status = |head: &str| server.send(head, b"").0;
    assert_eq!(status("GET / HTTP/1.1\nHost: evil.example\n"), 421);
    assert_eq!(
        status(&format!("GET /api/jobs HTTP/1.1\n{host}Origin: null\n")),
        403
    );
    assert_eq!(
        status(&format!("POST /api/jobs/1 HTTP/1.1\n{host}")),
        403,
        "a form of another site"
    );
    assert_eq!(
        status(&format!(
            "GET /api/jobs HTTP/1.1\n{host}Sec-Fetch-Site: cross-site\n"
        )),
        403
    );

    let (status, error) = server.raw("POST", "/api/games", &b"1. e4 *\n\n".repeat(200_000));
    assert!(
        status == 413 && error.contains("larger than 1 MiB"),
        "{status} {error}"
    );
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&b" ".repeat(64 << 20)).unwrap();
    let (status, error) = server.raw("POST", "/api/games", &gzip.finish().unwrap());
    assert!(
        status == 200 && error.contains("too large after decompression"),
        "{status} {error}"
    );

    for path in [
        "/../Cargo.toml",
        "/etc/passwd",
        "/%2e%2e/a.db",
        "/api/games/..%2f..",
        "/api/reviews/1.sh",
        "/api/reviews/;id",
    ] {
        let (status, _) = server.raw("GET", path, b"");
        assert_eq!(status, 404, "{path}");
    }
    let game = server.add(GAME);
    for (field, value) in [
        ("curve", json!("/etc/passwd")),
        ("curve", json!("../curve.json")),
        ("limit", json!("1000000000 nodes")),
        ("limit", json!("100 ms")),
        ("lines", json!(0)),
        ("lines", json!(500)),
        ("scheme", json!("$(id)")),
        ("language", json!("xx")),
        ("balance", json!(-1)),
        ("game", json!("1; DROP TABLE game")),
    ] {
        let mut request = json!({ "game": game });
        request[field] = value;
        let (status, error) = server.ask("POST", "/api/reviews", &request);
        assert!(
            status == 400 && error["error"].is_string() && error["hint"].is_string(),
            "{request} {error}"
        );
    }
    // Fields that name an engine or its options are ignored.
    let (_, job) = server.ask(
        "POST",
        "/api/reviews",
        &json!({ "game": game, "engine": "/bin/sh", "options": [["x", "y"]] }),
    );
    server.wait(job["id"].as_i64().unwrap(), |state| state == "done");
    for body in ["", "[]", "{", "null", "{\"game\":1e400}", "\u{0}"] {
        assert_eq!(
            server.raw("POST", "/api/reviews", body.as_bytes()).0,
            400,
            "{body:?}"
        );
    }
    assert_eq!(server.ask("GET", "/api/status", &Value::Null).0, 200);
}

/// Returns the peak memory of this process in MiB.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        >> 10
}

/// A small compressed file whose games have a million variations each. Games are stored one by one
/// and the tree of a game is limited, so memory stays small.
#[test]
#[cfg(target_os = "linux")]
fn a_small_upload_does_not_fill_the_memory() {
    let server = Server::start("");
    let game = format!(
        "[White \"A\"]\n\n1. e4{} e5 *\n\n",
        " (a3)".repeat(1_000_000)
    );
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for name in ["A", "B", "C"] {
        gzip.write_all(game.replace("\"A\"", &format!("\"{name}\"")).as_bytes())
            .unwrap();
    }
    let bomb = gzip.finish().unwrap();
    assert!(bomb.len() < 100 << 10, "{}", bomb.len());
    drop(game);
    let before = peak_memory();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(300)))
        .unwrap();
    let head = format!(
        "POST /api/games HTTP/1.1\r\nHost: {}\r\nX-Centipawn: 1\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        server.address,
        bomb.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&bomb).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer:.300}");
    let document: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(document["games"].as_array().unwrap().len(), 3);
    assert!(
        document["problems"][0]
            .to_string()
            .contains("one move too many"),
        "{}",
        document["problems"][0]
    );
    let after = peak_memory();
    assert!(
        after < before + 400,
        "{before} MiB before, {after} MiB after"
    );
}

#[test]
fn a_login_code_works_once_and_a_session_can_be_ended() {
    let server = Server::start_with(Arc::new(tempfile::tempdir().unwrap()), |options| {
        ServeOptions {
            token: true,
            ..options
        }
    });
    let token = server.token.as_deref().unwrap();
    assert!(!server.login.contains(token), "{}", server.login);
    let (_, code) = server.login.split_once("#code=").unwrap();
    let (status, cookie) = server.exchange(&json!({ "code": code }));
    assert_eq!(status, 200);
    assert_eq!(
        server.exchange(&json!({ "code": code })).0,
        401,
        "it has served"
    );
    let host = format!("Host: {}\nX-Centipawn: 1\n", server.address);
    let ask = |method: &str, path: &str, cookie: &str| {
        server
            .send(
                &format!("{method} {path} HTTP/1.1\n{host}Cookie: {cookie}\n"),
                b"",
            )
            .0
    };
    assert_eq!(
        ask("GET", "/session/3f0c/api/jobs", &cookie),
        200,
        "the path only decides where browsers send the cookie"
    );
    assert_eq!(ask("GET", "/api/jobs", &cookie), 200);
    assert_eq!(ask("GET", "/session/3f0c/api/jobs", "centipawn=1"), 401);
    assert_eq!(ask("DELETE", "/api/session", &cookie), 200);
    assert_eq!(
        ask("GET", "/api/jobs", &cookie),
        401,
        "the session has ended"
    );
    assert_eq!(server.session(token).0, 200, "the token serves on");
}

#[test]
fn strangers_do_not_lock_users_out() {
    let limits = Limits {
        connections: 8,
        ..Limits::default()
    };
    let server = Server::start_with(Arc::new(tempfile::tempdir().unwrap()), |options| {
        ServeOptions {
            token: true,
            limits,
            ..options
        }
    });
    let token = server.token.clone().unwrap();
    let begin = Instant::now();
    let in_time = |what: &str| {
        assert!(
            begin.elapsed() < Duration::from_secs(8),
            "{what}: {:?}",
            begin.elapsed()
        );
    };
    // Send bodies of one byte, heads that never end, and nothing at all.
    let slow = "POST /api/session HTTP/1.1\nHost: HOST\nX-Centipawn: 1\nContent-Length: 50\n\n{";
    let flood = || -> Vec<TcpStream> {
        [slow, "GET /api/status HT", ""]
            .iter()
            .cycle()
            .take(40)
            .map(|text| server.open(text))
            .collect()
    };
    let first = flood();
    // Send forty wrong tokens at the same time.
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| assert!(matches!(server.session("wrong").0, 401 | 429 | 0)));
        }
        thread::sleep(Duration::from_millis(300));
        let began = Instant::now();
        let (status, cookie) = server.session(&token);
        assert_eq!(status, 200);
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{:?}",
            began.elapsed()
        );
        let head = format!("GET /api/events HTTP/1.1\nHost: HOST\nCookie: {cookie}\n\n");
        let mut events = server.open(&head);
        assert!(first_line(&mut events).contains("200"));
        // A client that was admitted keeps its connection, even if many clients connect after it.
        let second = flood();
        let status = format!("GET /api/status HTTP/1.1\nHost: HOST\nCookie: {cookie}\n\n");
        assert!(first_line(&mut server.open(&status)).contains("200"));
        events
            .set_read_timeout(Some(Duration::from_millis(300)))
            .unwrap();
        let mut rest = [0; 4096];
        while let Ok(read) = events.read(&mut rest) {
            assert!(read > 0, "the stream was closed");
        }
        in_time("all of it");
        drop((first, second));
    });
}

#[test]
fn streams_and_slow_bodies_do_not_take_all_connections() {
    let limits = Limits {
        connections: 8,
        ..Limits::default()
    };
    let server = Server::start_in(Arc::new(tempfile::tempdir().unwrap()), "", limits);
    let begin = Instant::now();
    let mut streams: Vec<TcpStream> = (0..8)
        .map(|_| server.open("GET /api/events HTTP/1.1\nHost: HOST\n\n"))
        .collect();
    let lines: Vec<String> = streams.iter_mut().map(first_line).collect();
    assert_eq!(
        lines.iter().filter(|line| line.contains("200")).count(),
        4,
        "{lines:?}"
    );
    assert_eq!(
        lines.iter().filter(|line| line.contains("503")).count(),
        4,
        "{lines:?}"
    );
    let slow = "POST /api/games HTTP/1.1\nHost: HOST\nX-Centipawn: 1\nContent-Length: 50\n\n1";
    let mut slow: Vec<TcpStream> = (0..40).map(|_| server.open(slow)).collect();
    assert_eq!(server.ask("GET", "/api/status", &Value::Null).0, 200);
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
    // Each incomplete body ends with status 408, or its connection was replaced by a newer one.
    slow.iter().for_each(|stream| {
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
    });
    let ends: Vec<String> = slow.iter_mut().map(first_line).collect();
    assert!(
        ends.iter().any(|end| end.contains("408"))
            && ends.iter().all(|end| end.is_empty() || end.contains("408")),
        "{ends:?}"
    );
}
