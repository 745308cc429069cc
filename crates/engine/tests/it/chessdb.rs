//! Tests of the ChessDB client with a local server that sends ChessDB's replies and typical
//! failures of servers, and of its combination with other analysts.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use centipawn_core::{Eval, History};
use centipawn_engine::{
    Analyst, AnalystError, Cancel, ChessDb, EngineCommand, EngineConfig, Fallback, Limit, Pool,
    Question,
};

const START: &str = r#"{"status":"ok","moves":[
    {"uci":"e2e4","san":"e4","score":25,"rank":2,"note":"! (20-00)","winrate":"51.20"},
    {"uci":"d2d4","san":"d4","score":31,"rank":2,"note":"! (20-00)","winrate":"51.90"},
    {"uci":"g1f3","san":"Nf3","score":0,"rank":1,"note":"* (20-00)","winrate":"50.00"},
    {"uci":"g2g4","san":"g4","score":-19980,"rank":0,"note":"? (20-00)","winrate":"00.00"},
    {"uci":"f2f3","san":"f3","score":"??","rank":0,"note":"? (??-??)","winrate":""}],"ply":12}"#;

/// A server that sends its replies in turn and repeats the last one. It records the requests and
/// the largest number of simultaneous requests.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
    most_at_once: Arc<AtomicUsize>,
}

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn status(line: &str) -> String {
    format!("HTTP/1.1 {line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
}

impl Server {
    fn start(replies: &[String]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (requests, most_at_once) = (
            Arc::<Mutex<Vec<String>>>::default(),
            Arc::<AtomicUsize>::default(),
        );
        let (seen, most, now) = (
            Arc::clone(&requests),
            Arc::clone(&most_at_once),
            Arc::<AtomicUsize>::default(),
        );
        let replies = replies.to_vec();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, most, now, replies) = (
                    Arc::clone(&seen),
                    Arc::clone(&most),
                    Arc::clone(&now),
                    replies.clone(),
                );
                thread::spawn(move || {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    serve(stream, &seen, &now, &replies);
                });
            }
        });
        Self {
            address,
            requests,
            most_at_once,
        }
    }

    fn client(&self) -> ChessDb {
        ChessDb::at(&self.address)
            .patience(Duration::from_secs(20), &[Duration::from_millis(20); 2])
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<String>>, now: &AtomicUsize, replies: &[String]) {
    let mut request = String::new();
    let mut lines = BufReader::new(stream.try_clone().unwrap())
        .lines()
        .map_while(Result::ok);
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        request += &line;
        request.push('\n');
    }
    let mut seen = seen.lock().unwrap();
    let reply = replies[seen.len().min(replies.len() - 1)].clone();
    seen.push(request);
    drop(seen);
    if reply == "silence" {
        thread::sleep(Duration::from_secs(60));
    }
    thread::sleep(Duration::from_millis(5));
    // Count down before the reply is sent, because the next request may follow immediately.
    now.fetch_sub(1, Ordering::SeqCst);
    let _ = stream.write_all(reply.as_bytes());
}

fn start() -> Question {
    Question::new(History::default(), Limit::Depth(1))
}

#[test]
fn known_positions_are_answered() {
    let server = Server::start(&[ok(START)]);
    let client = server.client();
    let analysis = client.analyse(&start().lines(4)).unwrap();
    let lines: Vec<(String, String)> = analysis
        .lines
        .iter()
        .map(|line| {
            (
                start().history.uci(line.first_move()).to_string(),
                line.eval.to_string(),
            )
        })
        .collect();
    let expected = [
        ("d2d4", "+0.31"),
        ("e2e4", "+0.25"),
        ("g1f3", "0.00"),
        ("g2g4", "-199.80"),
    ];
    assert_eq!(
        lines,
        expected.map(|(mv, eval)| (mv.to_owned(), eval.to_owned()))
    );
    let request = server.requests.lock().unwrap()[0].clone();
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201";
    assert!(
        request.starts_with(&format!(
            "GET /cdb.php?action=queryall&board={fen}&json=1 HTTP/1.1\n"
        )),
        "{request}"
    );

    // More lines than the service has evaluated, and a move without a score.
    let error = client.analyse(&start().lines(5)).unwrap_err();
    assert!(
        error.to_string().contains("ChessDB has no answer") && error.to_string().contains("4 of 5"),
        "{error}"
    );
    let mv = |uci: &str| start().history.parse_uci(uci).unwrap();
    assert_eq!(
        client
            .analyse(&start().searchmoves([mv("e2e4")]))
            .unwrap()
            .lines[0]
            .eval,
        Eval::cp(25)
    );
    for unscored in ["f2f3", "a2a3"] {
        let error = client
            .analyse(&start().searchmoves([mv(unscored)]))
            .unwrap_err();
        assert!(matches!(error, AnalystError::Unknown { .. }), "{error}");
    }
    // Positions at the end of a game are answered without a request.
    let asked = server.count();
    let mate = Question::new(
        History::from_fen("8/8/8/8/8/6k1/8/r6K w - - 0 1", None).unwrap(),
        Limit::Depth(1),
    );
    assert!(client.analyse(&mate).unwrap().lines.is_empty());
    let chess960 = History::from_fen(
        "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
        None,
    )
    .unwrap();
    let error = client
        .analyse(&Question::new(chess960, Limit::Depth(1)))
        .unwrap_err();
    assert!(matches!(error, AnalystError::NoChess960 { .. }), "{error}");
    assert_eq!(server.count(), asked);
    assert_eq!(client.identity().name, "ChessDB");
    assert_eq!(client.identity().options["address"], server.address);
}

#[test]
fn statuses_become_errors() {
    for (reply, said) in [
        (r#"{"status":"unknown"}"#, "the position is not in it"),
        (
            r#"{"status":"nobestmove"}"#,
            "no move of it is evaluated yet",
        ),
        (r#"{"status":"checkmate"}"#, "it answers \"checkmate\""),
        (r#"{"status":"stalemate"}"#, "it answers \"stalemate\""),
        (
            r#"{"status":"invalid board"}"#,
            "it answers \"invalid board\"",
        ),
        (r#"{"status":"ok","moves":[]}"#, "0 of 1 moves"),
    ] {
        let server = Server::start(&[ok(reply)]);
        let error = server.client().analyse(&start()).unwrap_err();
        assert!(
            matches!(error, AnalystError::Unknown { .. }) && error.to_string().contains(said),
            "{error}"
        );
        assert_eq!(server.count(), 1, "an answer is an answer");
    }
    let server = Server::start(&[ok(r#"{"status":"ok","moves":[{"uci":"e2e5","score":1}]}"#)]);
    let error = server.client().analyse(&start()).unwrap_err();
    assert!(matches!(error, AnalystError::IllegalMove { .. }), "{error}");
}

#[test]
fn passing_failures_are_retried() {
    let limited = ok("rate limit exceeded");
    let limited_too = ok(r#"{"status":"rate limit exceeded"}"#);
    for failure in [
        status("503 Service Unavailable"),
        status("429 Too Many Requests"),
        limited,
        limited_too,
        String::new(),
    ] {
        let server = Server::start(&[failure.clone(), failure.clone(), ok(START)]);
        let analysis = server
            .client()
            .analyse(&start())
            .unwrap_or_else(|error| panic!("{failure}: {error}"));
        assert_eq!(
            (analysis.lines[0].eval, server.count()),
            (Eval::cp(31), 3),
            "{failure}"
        );
    }
}

#[test]
fn lasting_failures_are_returned_at_once() {
    let server = Server::start(&[status("503 Service Unavailable")]);
    let error = server.client().analyse(&start()).unwrap_err().to_string();
    assert!(
        error.contains(&server.address) && error.contains("status 503 (3 attempts)"),
        "{error}"
    );
    for (reply, said) in [
        (status("404 Not Found"), "status 404"),
        (
            ok("<html>It works!</html>"),
            "does not speak as ChessDB does",
        ),
        (
            ok(r#"{"status":"ok","moves":[{"#),
            "does not speak as ChessDB does",
        ),
    ] {
        let server = Server::start(&[reply]);
        let error = server.client().analyse(&start()).unwrap_err();
        assert!(
            matches!(error, AnalystError::Service { .. }) && error.to_string().contains(said),
            "{error}"
        );
        assert_eq!(server.count(), 1);
    }
    let server = Server::start(&["silence".to_owned()]);
    let client = ChessDb::at(&server.address).patience(Duration::from_secs(1), &[]);
    let began = Instant::now();
    let error = client.analyse(&start()).unwrap_err();
    assert!(matches!(error, AnalystError::Service { .. }), "{error}");
    // The server delays its reply by a minute.
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
    let nobody = ChessDb::at("http://127.0.0.1:1").patience(Duration::from_secs(1), &[]);
    assert!(matches!(
        nobody.analyse(&start()).unwrap_err(),
        AnalystError::Service { .. }
    ));
}

/// A cancelled session abandons its reply, its pause, or its place in the queue; other sessions
/// continue.
#[test]
fn cancelling_one_session_leaves_the_others() {
    let promptly = |began: Instant| {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{:?}",
            began.elapsed()
        );
    };
    for (replies, pauses) in [
        (["silence".to_owned(), ok(START)], vec![]),
        (
            [status("503 Service Unavailable"), ok(START)],
            vec![Duration::from_secs(60)],
        ),
    ] {
        let server = Server::start(&replies);
        let client = ChessDb::at(&server.address).patience(Duration::from_secs(60), &pauses);
        let (cancel, queued) = (Cancel::new(), Cancel::new());
        let (session, waiting) = (client.under(&cancel), client.under(&queued));
        thread::scope(|scope| {
            let asking = scope.spawn(move || session.analyse(&start()));
            while server.count() == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            let waiting = scope.spawn(move || waiting.analyse(&start()));
            thread::sleep(Duration::from_millis(50));
            let began = Instant::now();
            queued.set();
            assert_eq!(waiting.join().unwrap(), Err(AnalystError::Cancelled));
            promptly(began);
            cancel.set();
            assert_eq!(asking.join().unwrap(), Err(AnalystError::Cancelled));
            promptly(began);
        });
        assert_eq!(
            client.analyse(&start()).unwrap().lines[0].eval,
            Eval::cp(31)
        );
    }
}

#[test]
fn one_question_at_a_time() {
    let server = Server::start(&[ok(START)]);
    let client = server.client();
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| client.analyse(&start()).unwrap());
        }
    });
    assert_eq!(
        (
            server.count(),
            server.most_at_once.load(Ordering::SeqCst),
            client.parallelism()
        ),
        (6, 1, 1)
    );
}

#[test]
fn engines_answer_what_chessdb_lacks() {
    let server = Server::start(&[ok(START), ok(r#"{"status":"unknown"}"#)]);
    let command = EngineCommand {
        program: centipawn_fake_engine::path(),
        args: vec![],
    };
    let pool = Pool::start(&[(EngineConfig::new(command), 2)], &Cancel::new()).unwrap();
    let expected = pool.analyse(&start()).unwrap().lines;
    let both = Fallback::new(server.client(), pool);
    assert_eq!(both.analyse(&start()).unwrap().lines[0].eval, Eval::cp(31));
    assert_eq!(both.analyse(&start()).unwrap().lines, expected);
    assert_eq!(
        (both.identity().name.as_str(), both.parallelism()),
        ("ChessDB, else Fake 1.0", 2)
    );
    assert_eq!(both.identity().options["2 Fake 1.0: Hash"], "16");
    let mut later = start().searchmoves([start().history.parse_uci("e2e4").unwrap()]);
    let mv = later.history.parse_uci("e2e4").unwrap();
    later.history.push(mv);
    assert!(matches!(
        both.analyse(&later).unwrap_err(),
        AnalystError::NotLegal { .. }
    ));
}
