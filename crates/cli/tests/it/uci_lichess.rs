//! `centipawn uci --lichess` with a local server that behaves like Lichess.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::Stdio,
    sync::mpsc::{Sender, channel},
    thread,
    time::Duration,
};

use crate::common::{centipawn, have_stockfish};

/// A request to the server.
#[derive(Debug)]
enum Asked {
    Registered(String),
    /// The id and the lines of an analysis.
    Analysed(String, Vec<String>),
}

const WORK: &str = r#"{"id": "ID", "work": {"sessionId": "s", "threads": 1, "hash": 16, "multiPv": 2, "variant": "chess",
    "initialFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "moves": ["e2e4", "e7e5"], LIMIT}}"#;

fn respond(stream: &mut TcpStream, status: &str, body: &str) {
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

/// Reads the lines of a chunked body. After `most` lines it closes the connection, as the board
/// does when a user leaves.
fn lines(reader: &mut BufReader<TcpStream>, most: usize) -> Vec<String> {
    let mut text = String::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).unwrap();
        text += std::str::from_utf8(&chunk[..size]).unwrap();
        if size == 0 || text.lines().count() >= most {
            return text.lines().map(str::to_owned).collect();
        }
    }
}

fn serve(listener: &TcpListener, asked: &Sender<Asked>) {
    let mut is_broken = false;
    let mut works = ["\"depth\": 8", "\"infinite\": true", "\"nodes\": 3000"]
        .iter()
        .enumerate();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let head: Vec<String> = reader
            .by_ref()
            .lines()
            .map_while(|line| line.ok().filter(|line| !line.is_empty()))
            .collect();
        let header = |name: &str| {
            head.iter().find_map(|line| {
                Some(
                    line.split_once(": ")
                        .filter(|(own, _)| own.eq_ignore_ascii_case(name))?
                        .1
                        .to_owned(),
                )
            })
        };
        let length = header("content-length").map_or(0, |length| length.parse().unwrap());
        let request = head[0].rsplit_once(' ').unwrap().0;
        if let Some(id) = request.strip_prefix("POST /api/external-engine/work/") {
            let most = if id == "work1" { 3 } else { usize::MAX };
            let lines = lines(&mut reader, most);
            if most == usize::MAX {
                respond(&mut stream, "200 OK", "");
            }
            asked.send(Asked::Analysed(id.to_owned(), lines)).unwrap();
            continue;
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let body = String::from_utf8(body).unwrap();
        match request {
            "GET /api/external-engine" => {
                respond(
                    &mut stream,
                    "200 OK",
                    r#"[{"id": "eei_1", "name": "Mine", "userId": "u"}]"#,
                );
            }
            "PUT /api/external-engine/eei_1" => {
                assert_eq!(
                    header("authorization").as_deref(),
                    Some("Bearer lip_secret")
                );
                asked.send(Asked::Registered(body)).unwrap();
                respond(&mut stream, "200 OK", "{}");
            }
            // The first answer is cut off, which must not end the program.
            "POST /api/external-engine/work" if !std::mem::replace(&mut is_broken, true) => {
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n{{"
                );
            }
            "POST /api/external-engine/work" => {
                assert!(body.contains("providerSecret") && header("authorization").is_none());
                match works.next() {
                    Some((index, limit)) => {
                        respond(
                            &mut stream,
                            "200 OK",
                            &WORK
                                .replace("ID", &format!("work{index}"))
                                .replace("LIMIT", limit),
                        );
                    }
                    None => {
                        thread::sleep(Duration::from_millis(100));
                        respond(&mut stream, "204 No Content", "");
                    }
                }
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn the_board_is_served() {
    if !have_stockfish() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = channel();
    thread::spawn(move || serve(&listener, &sender));
    let mut command = centipawn([
        "uci",
        "--lichess",
        "--name",
        "Mine",
        "--option",
        "Score_Type=percentage",
    ]);
    command
        .env("CENTIPAWN_LICHESS", address)
        .env("LICHESS_TOKEN", "lip_secret");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let next = || asked.recv_timeout(Duration::from_secs(60)).unwrap();
    let Asked::Registered(form) = next() else {
        panic!()
    };
    assert!(
        form.contains(r#""name":"Mine""#)
            && form.contains(r#""maxHash":1024"#)
            && form.contains("providerSecret"),
        "{form}"
    );
    let Asked::Analysed(id, lines) = next() else {
        panic!()
    };
    assert!(
        id == "work0" && lines.last().unwrap().starts_with("bestmove"),
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("depth 8") && line.contains("multipv 2")),
        "{lines:?}"
    );
    assert!(lines.iter().all(|line| !line.starts_with("info string")));
    // The score of an even position, in percentages.
    let score = lines.iter().rev().find_map(|line| {
        line.split("score cp ")
            .nth(1)?
            .split(' ')
            .next()?
            .parse::<i32>()
            .ok()
    });
    assert!((4000..6000).contains(&score.unwrap()), "{score:?}");
    // The board closes an endless analysis, and the program continues with the next one.
    let Asked::Analysed(id, lines) = next() else {
        panic!()
    };
    assert!(id == "work1" && lines.len() == 3, "{lines:?}");
    let Asked::Analysed(id, lines) = next() else {
        panic!()
    };
    assert!(
        id == "work2" && lines.last().unwrap().starts_with("bestmove"),
        "{lines:?}"
    );
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(
        said.contains("now offers the engine") && !said.contains("lip_secret"),
        "{said}"
    );

    let mut without = centipawn(["uci", "--lichess"]);
    without.env_remove("LICHESS_TOKEN").stdin(Stdio::null());
    let ran = crate::common::run(without);
    assert!(
        ran.code() == Some(3) && ran.stderr().contains("set LICHESS_TOKEN"),
        "{}",
        ran.stderr()
    );
}
