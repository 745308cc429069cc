//! The server as a browser meets it: over a socket, with an engine that misbehaves on demand.
#![allow(missing_docs)]

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use centipawn_calibrate::NamedCurveError;
use centipawn_engine::{EngineSpec, Limit};
use centipawn_pgn::Reader;
use centipawn_progress::{Cancel, Files, Placed, ProblemCount, Silent};
use centipawn_review::{Event, ReviewOptions, review_games};
use centipawn_store::Location;
use centipawn_web::{Limits, OwnCurve, ServeOptions, SiteGames, SiteOptions, serve, write_site};
use centipawn_work::{AnalystSpec, Resources, StoreChoice};
use serde_json::{Value, json};
use tempfile::TempDir;

const GAME: &str = "[White \"Anna\"]\n[Black \"Boris\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n";

struct Server {
    address: SocketAddr,
    url: String,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    folder: Arc<TempDir>,
}

fn engine(role: &str) -> EngineSpec {
    let path = centipawn_fake_engine::path().display().to_string();
    EngineSpec { command: format!("{path:?} {role}"), options: Vec::new(), jobs: 2 }
}

fn resources(folder: &TempDir, cancel: &Cancel) -> Resources {
    let store = StoreChoice::At(Location::File(folder.path().join("a.db")));
    Resources::new(store, cancel, Arc::new(Silent))
}

impl Server {
    fn start(role: &str) -> Self {
        Self::start_in(Arc::new(tempfile::tempdir().unwrap()), role, Limits::default())
    }

    fn start_in(folder: Arc<TempDir>, role: &str, limits: Limits) -> Self {
        Self::start_with(folder, |options| ServeOptions { engine: engine(role), limits, ..options })
    }

    fn start_with(folder: Arc<TempDir>, change: impl FnOnce(ServeOptions) -> ServeOptions) -> Self {
        let (cancel, (sender, receiver)) = (Cancel::new(), mpsc::channel());
        let options = ServeOptions::new(ReviewOptions::new(Limit::Nodes(1000)));
        let options = change(ServeOptions { engine: engine(""), ..options });
        let (resources, own) = (resources(&folder, &cancel), cancel.clone());
        let thread = thread::spawn(move || serve(options, resources, &own, |at| sender.send(at).unwrap()).unwrap());
        let at = receiver.recv().unwrap();
        Self { address: at.socket, url: at.url, cancel, thread: Some(thread), folder }
    }

    /// Sends bytes as they are; returns the status and the body.
    fn send(&self, head: &str, body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let head = head.replace('\n', "\r\n");
        // A refusal may come before everything is sent.
        let _ =
            stream.write_all(format!("{head}Connection: close\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned()))
    }

    fn raw(&self, method: &str, path: &str, body: &[u8]) -> (u16, String) {
        self.send(&format!("{method} {path} HTTP/1.1\nHost: {}\nX-Centipawn: 1\n", self.address), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.raw(method, path, body.to_string().as_bytes());
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    fn add(&self, pgn: &str) -> i64 {
        let (status, answer) = self.raw("POST", "/api/games", pgn.as_bytes());
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str::<Value>(&answer).unwrap()["games"][0]["id"].as_i64().unwrap()
    }

    /// Asks for a review and waits for its end.
    fn review(&self, request: &Value) -> Value {
        let (status, job) = self.ask("POST", "/api/reviews", request);
        assert_eq!(status, 200, "{job}");
        self.wait(job["id"].as_i64().unwrap(), |state| !matches!(state, "waiting" | "running"))
    }

    fn wait(&self, id: i64, is_wanted: impl Fn(&str) -> bool) -> Value {
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

    fn stop(mut self) -> Arc<TempDir> {
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

#[test]
fn a_review_is_that_of_the_command_line() {
    let server = Server::start("");
    let game = server.add(GAME);
    let job = server.review(&json!({ "game": game }));
    assert_eq!((&job["state"], &job["done"]), (&json!("done"), &json!(5)));
    assert_eq!(job["title"], "Anna – Boris");
    let id = job["id"].as_i64().unwrap();
    let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);

    let cancel = Cancel::new();
    let folder = tempfile::tempdir().unwrap();
    let spec = AnalystSpec { engine: Some(engine("")), ..AnalystSpec::default() };
    let analyst = resources(&folder, &cancel).some_analyst(&spec).unwrap();
    let options = ReviewOptions::new(Limit::Nodes(1000));
    let games = Reader::new(GAME.as_bytes()).filter_map(Result::ok).filter_map(Result::ok);
    let mut expected = Vec::new();
    review_games(games, &*analyst, &[], &options, &cancel, &Silent, |event| {
        if let Event::Reviewed(review) = event {
            expected.push(serde_json::to_value(review.document()).unwrap());
        }
    });
    assert_eq!(document["games"], json!(expected));
    let analyst = document["games"][0]["analyst"].as_str().unwrap();
    assert!(analyst.starts_with(document["provenance"]["engine"]["name"].as_str().unwrap()), "{document}");

    // The same request is the same job, and nothing is asked for it.
    let (_, again) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    assert_eq!((&again["id"], &again["state"]), (&json!(id), &json!("done")));
    let (status, pgn) = server.raw("GET", &format!("/api/reviews/{id}.pgn"), b"");
    assert!(status == 200 && pgn.contains("2. Qh5"), "{pgn}");
    let (status, html) = server.raw("GET", &format!("/api/reviews/{id}.html"), b"");
    assert!(status == 200 && html.contains("Anna"), "{status}");
}

#[test]
fn finished_reviews_become_a_site() {
    let server = Server::start("");
    let game = server.add(GAME);
    let id = server.review(&json!({ "game": game }))["id"].as_i64().unwrap();
    let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    // Its own evaluations judge the other one; the newest review of a game counts, and work that is not finished does not.
    let other = server.add(include_str!("../../../tests/data/lichess.pgn"));
    server.review(&json!({ "game": other, "reuse_evals": true, "curve": "lichess" }));
    let newest = server.review(&json!({ "game": other, "reuse_evals": true, "curve": "stockfish" }))["id"].clone();
    let folder = server.stop();

    let cancel = Cancel::new();
    let store = resources(&folder, &cancel).store().unwrap().unwrap();
    let site = folder.path().join("site");
    let options = SiteOptions { folder: site.clone(), title: None, review: ReviewOptions::new(Limit::Nodes(1)) };
    let problems = Arc::new(ProblemCount::new(Silent));
    let end = write_site(&options, SiteGames::Stored(store), &mut Files::default(), &cancel, &problems).unwrap();
    assert_eq!((end.outcome.done, end.outcome.skipped, end.index), (2, 0, Placed::Written));
    let page = std::fs::read_to_string(site.join(format!("games/{id:05}.html"))).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let contents: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(contents["review"], document);
    assert!(site.join(format!("games/{:05}.html", newest.as_i64().unwrap())).exists());
    let index = std::fs::read_to_string(site.join("index.html")).unwrap();
    assert_eq!(index.matches("<li>").count(), 2, "{index}");
}

#[test]
fn puzzles_are_mined_in_several_games_and_exported() {
    let server = Server::start("");
    let games = [GAME, "[White \"C\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"].map(|pgn| server.add(pgn));
    let (status, answer) = server.ask("POST", "/api/mining", &json!({ "games": games, "effort": 0.01 }));
    assert_eq!(status, 200, "{answer}");
    let ids: Vec<i64> = answer["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    for id in &ids {
        let job = server.wait(*id, |state| !matches!(state, "waiting" | "running"));
        assert_eq!((&job["state"], &job["kind"]), (&json!("done"), &json!("mining")), "{job}");
    }
    assert_eq!(server.ask("POST", "/api/mining", &json!({ "games": [] })).0, 400);
    assert_eq!(server.ask("POST", "/api/mining", &json!({ "games": [4711] })).0, 404);

    let csv = include_str!("../../../examples/puzzles.csv");
    let (status, added) = server.raw("POST", "/api/puzzles/import?name=puzzles.csv", csv.as_bytes());
    assert_eq!(status, 200, "{added}");
    let lines = |path: &str| server.raw("GET", path, b"").1.lines().count();
    let all = lines("/api/puzzles/export/json?origin=puzzles.csv");
    assert_eq!(all, csv.lines().count() - 1);
    assert_eq!(lines("/api/puzzles/export/csv?origin=puzzles.csv"), all + 1);
    let forks = lines("/api/puzzles/export/json?origin=puzzles.csv&theme=fork");
    assert!(forks > 0 && forks < all, "{forks}");
    assert!(server.raw("GET", "/api/puzzles/export/pgn", b"").1.starts_with("[Event "));
    assert_eq!(server.raw("GET", "/api/puzzles/export/xml", b"").0, 400);
}

#[test]
fn own_curves_have_names_and_limits_have_flags() {
    let model = json!({ "curve": "relevance", "balance": 0.5 });
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let file = folder.path().join("club.json");
    std::fs::write(&file, model.to_string()).unwrap();
    let own_curves = vec![OwnCurve::read(&file).unwrap()];
    let limits = Limits::default().with_uploads(1, 1);
    let server = Server::start_with(Arc::clone(&folder), |options| ServeOptions { own_curves, limits, ..options });
    let (_, status) = server.ask("GET", "/api/status", &Value::Null);
    assert_eq!(status["own_curves"], json!([{ "name": "club.json", "has_plots": false }]));
    assert_eq!(server.raw("GET", "/api/curves/plots.svg?name=club.json", b"").0, 404);
    assert!(status["curves"].as_array().unwrap().contains(&json!("club.json")));
    let (_, curve) = server.ask("POST", "/api/curve", &json!({ "curve": "club.json", "eval": 0.5 }));
    assert_eq!(
        (&curve["balance"], &curve["score"], &curve["balances"][0]),
        (&json!(0.5), &json!(0.75), &json!([17, 0.5]))
    );
    let game = server.add(include_str!("../../../tests/data/lichess.pgn"));
    let id = server.review(&json!({ "game": game, "reuse_evals": true, "curve": "club.json" }))["id"].as_i64().unwrap();
    let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    assert_eq!(document["games"][0]["curve"], "relevance, balance 0.50");
    // A path is no name.
    let path = file.display().to_string();
    assert_eq!(server.ask("POST", "/api/curve", &json!({ "curve": path })).0, 400);

    let (status, answer) = server.raw("POST", "/api/games", &GAME.repeat(2).into_bytes());
    assert!(status == 200 && answer.contains("only the first 1 games"), "{answer}");
    assert_eq!(server.raw("POST", "/api/games", &vec![b' '; (1 << 20) + 1]).0, 413);
    assert!(matches!(OwnCurve::read(&folder.path().join("none")), Err(NamedCurveError::Read { .. })));
    std::fs::write(&file, "{}").unwrap();
    assert!(matches!(OwnCurve::read(&file), Err(NamedCurveError::NoCurve { .. })));
}

#[test]
fn another_curve_asks_no_engine() {
    // The engine is not there: whatever needs it fails.
    let server = Server::start("no such part");
    let pgn = include_str!("../../../tests/data/lichess.pgn");
    let game = server.add(pgn);
    let job = server.review(&json!({ "game": game, "reuse_evals": true, "curve": "lichess", "scheme": "s8" }));
    assert_eq!(job["state"], "done", "{job}");
    let id = job["id"].as_i64().unwrap();
    let (_, by_lichess) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    assert_eq!(by_lichess["games"][0]["curve"], "lichess");
    let judge = json!({ "curve": "stockfish", "scheme": "s20" });
    let (status, by_stockfish) = server.ask("POST", &format!("/api/reviews/{id}/judged"), &judge);
    assert_eq!(status, 200, "{by_stockfish}");
    assert!(by_stockfish["games"][0]["curve"].as_str().unwrap().starts_with("stockfish-"), "{by_stockfish}");
    assert_eq!(by_stockfish["games"][0]["scheme"], "s20,s40");
    assert_ne!(by_lichess["games"][0]["white"], by_stockfish["games"][0]["white"]);

    let (_, by_people) = server.ask("POST", &format!("/api/reviews/{id}/judged"), &json!({ "curve": "auto" }));
    assert!(by_people["games"][0]["curve"].as_str().unwrap().starts_with("human, "), "{by_people}");

    let (_, why) = server.ask("POST", &format!("/api/reviews/{id}/why"), &json!({ "ply": 12 }));
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 0.005;
    assert!(near(&why["difference"], -0.22) && near(&why["possible"], 0.55), "{why}");
    assert_eq!((&why["symbol"], &why["limits"][3]["symbol"]), (&json!("?!"), &json!("?!")));
    assert_eq!(why["limits"][3]["difference"], -0.125);
    let (status, error) = server.ask("POST", &format!("/api/reviews/{id}/why"), &json!({ "ply": 99 }));
    assert_eq!((status, &error["error"]), (400, &json!("there is no judged move 99")));
}

/// Curve and symbols are two choices: a game of people keeps its symbols under the curve of an engine, and a move that gives a won game
/// away keeps its `??`.
#[test]
fn another_curve_leaves_the_symbols() {
    let server = Server::start("");
    let game = server.add(include_str!("../../../tests/data/lichess.pgn"));
    for more in [json!({ "reuse_evals": true }), json!({})] {
        let mut request = json!({ "game": game });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let id = server.review(&request)["id"].as_i64().unwrap();
        let scheme = |judge: Value| {
            let (status, review) = server.ask("POST", &format!("/api/reviews/{id}/judged"), &judge);
            assert_eq!(status, 200, "{review}");
            (review["games"][0]["curve"].as_str().unwrap().to_owned(), review["games"][0]["scheme"].clone())
        };
        let (_, own) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
        assert_eq!(own["games"][0]["scheme"], "s20,s40");
        for curve in ["stockfish-15.1", "relevance", "lichess"] {
            let (shown, symbols) = scheme(json!({ "curve": curve }));
            assert!(shown.starts_with(curve), "{shown}");
            assert_eq!(symbols, "s20,s40", "{curve}");
        }
        assert_eq!(scheme(json!({ "curve": "relevance", "balance": 0.5, "language": "de" })).1, "s20,s40");
        // Symbols are chosen beside it.
        assert_eq!(scheme(json!({ "curve": "relevance", "scheme": "s12" })).1, "s12,s40");
        assert_eq!(scheme(json!({ "curve": "relevance", "scheme": "auto" })).1, "s8,s40");
        assert!(scheme(json!({ "scheme": "s8" })).0.starts_with("human, "));
        // The user's move and the reasons of a symbol are judged likewise.
        let why = json!({ "ply": 12, "curve": "relevance" });
        let (_, why) = server.ask("POST", &format!("/api/reviews/{id}/why"), &why);
        let limits: Vec<f64> =
            why["limits"].as_array().unwrap().iter().map(|at| at["difference"].as_f64().unwrap()).collect();
        assert!(limits.iter().any(|limit| (limit + 0.05).abs() < 1e-9), "?! of s20 begins at 1/20: {limits:?}");
    }
}

#[test]
fn own_moves_are_judged_as_those_of_the_game() {
    let server = Server::start("");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let game = server.add(GAME);
    let id = server.review(&json!({ "game": game }))["id"].as_i64().unwrap();
    let (_, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    let moves: Vec<&str> =
        document["games"][0]["plies"].as_array().unwrap().iter().map(|ply| ply["uci"].as_str().unwrap()).collect();
    for last in 1..=moves.len() {
        let (status, own) =
            server.ask("POST", "/api/moves", &json!({ "fen": start, "moves": moves[..last], "review": id }));
        assert_eq!(status, 200, "{own}");
        for field in ["san", "symbol", "suppressed", "eval_white", "expected_score_loss", "lines", "remark"] {
            assert_eq!(own["ply"][field], document["games"][0]["plies"][last - 1][field], "{field} of {last}");
        }
    }
    let (status, error) = server.ask("POST", "/api/moves", &json!({ "fen": start, "moves": ["e2e5"] }));
    assert!(status == 400 && error["error"].as_str().unwrap().contains("e2e5"), "{error}");
    let lines = json!({ "fen": start, "moves": ["e2e4"], "nodes": 500, "lines": 3 });
    let (status, lines) = server.ask("POST", "/api/lines", &lines);
    assert_eq!((status, lines["lines"].as_array().unwrap().len()), (200, 3), "{lines}");
}

#[test]
fn a_position_is_a_board_to_play_on() {
    let server = Server::start("");
    let game = server.add("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1");
    let job = server.review(&json!({ "game": game }));
    assert_eq!((&job["state"], &job["total"]), (&json!("done"), &json!(0)));
    let id = job["id"].as_i64().unwrap();
    let (status, document) = server.ask("GET", &format!("/api/reviews/{id}"), &Value::Null);
    assert_eq!((status, &document["games"][0]["plies"]), (200, &json!([])));
    let own = json!({ "fen": document["games"][0]["fen"], "moves": ["e2e4"], "review": id });
    let (status, own) = server.ask("POST", "/api/moves", &own);
    assert_eq!((status, &own["ply"]["san"]), (200, &json!("e4")), "{own}");
}

#[test]
fn a_cancelled_job_ends_soon_and_goes_on_later() {
    let server = Server::start("think 60000");
    let game = server.add(GAME);
    let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    let id = job["id"].as_i64().unwrap();
    server.wait(id, |state| state == "running");
    let began = Instant::now();
    assert_eq!(server.ask("DELETE", &format!("/api/jobs/{id}"), &Value::Null).0, 200);
    server.wait(id, |state| state == "cancelled");
    // An engine has 30 s for a search.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let (_, job) = server.ask("POST", &format!("/api/jobs/{id}"), &Value::Null);
    assert!(matches!(job["state"].as_str(), Some("waiting" | "running")), "{job}");
}

#[test]
fn what_a_server_leaves_open_goes_on_in_the_next() {
    let server = Server::start("think 60000");
    let game = server.add(GAME);
    let (_, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
    let id = job["id"].as_i64().unwrap();
    server.wait(id, |state| state == "running");
    let folder = server.stop();
    let server = Server::start_in(folder, "think 60000", Limits::default());
    let job = server.wait(id, |_| true);
    assert_eq!((&job["state"], &job["done"]), (&json!("interrupted"), &json!(0)));
    let (_, rows) = server.ask("GET", "/api/games", &Value::Null);
    assert_eq!(rows["games"][0]["job"]["state"], "interrupted");
    assert_eq!(server.ask("POST", &format!("/api/jobs/{id}"), &Value::Null).0, 200);
    server.wait(id, |state| state == "running");
}

#[test]
fn a_failing_engine_costs_its_game() {
    let server = Server::start("exit");
    let game = server.add(GAME);
    let job = server.review(&json!({ "game": game }));
    assert_eq!(job["state"], "failed", "{job}");
    assert!(job["problem"].as_str().unwrap().contains("stays unreviewed"), "{job}");
    let game = server.add(include_str!("../../../tests/data/lichess.pgn"));
    assert_eq!(server.review(&json!({ "game": game, "reuse_evals": true }))["state"], "done");
}

#[test]
fn a_failed_job_that_finds_no_place_in_the_line_keeps_its_reason() {
    let server = Server::start("exit");
    let game = server.add(GAME);
    let failed = server.review(&json!({ "game": game }));
    let server = Server::start_in(server.stop(), "think 60000", Limits { waiting: 1, ..Limits::default() });
    let others = ["1. d4 *", "1. c4 *"].map(|pgn| server.add(pgn));
    for game in others {
        let (status, job) = server.ask("POST", "/api/reviews", &json!({ "game": game }));
        assert_eq!(status, 200, "{job}");
        // Of the two, the first leaves the line.
        if game == others[0] {
            server.wait(job["id"].as_i64().unwrap(), |state| state == "running");
        }
    }
    let path = format!("/api/jobs/{}", failed["id"]);
    assert_eq!(server.ask("POST", &path, &Value::Null).0, 429);
    let (_, job) = server.ask("GET", &path, &Value::Null);
    assert_eq!((&job["state"], &job["problem"]), (&json!("failed"), &failed["problem"]));
}

#[test]
fn events_tell_each_position() {
    let server = Server::start("");
    let game = server.add(GAME);
    server.review(&json!({ "game": game }));
    let is_job = |event: &&Value| event["event"] == "job";
    let until = Instant::now() + Duration::from_secs(60);
    // The job is done a moment before its event is there.
    let told = loop {
        let (_, told) = server.ask("GET", "/api/events?after=0", &Value::Null);
        let last = told["events"].as_array().unwrap().iter().rfind(is_job);
        if last.is_some_and(|event| event["job"]["state"] == "done") {
            break told;
        }
        assert!(Instant::now() < until, "{told}");
        thread::sleep(Duration::from_millis(20));
    };
    let events = told["events"].as_array().unwrap();
    let positions: Vec<&Value> = events.iter().filter(|event| event["event"] == "position").collect();
    assert_eq!(positions.len(), 5);
    let judged: Vec<i64> = positions
        .iter()
        .flat_map(|event| event["judged"].as_array().unwrap().iter().map(|ply| ply["ply"].as_i64().unwrap()))
        .collect();
    assert_eq!(judged, [1, 2, 3, 4, 5]);
    let last = told["last"].as_u64().unwrap();
    let (_, none) = server.ask("GET", &format!("/api/events?after={last}"), &Value::Null);
    assert_eq!(none["events"], json!([]));
}

#[test]
fn strangers_are_refused_and_the_server_lives() {
    let limits = Limits { games_bytes: 1 << 20, decompressed_bytes: 1 << 20, ..Limits::default() };
    let server = Server::start_in(Arc::new(tempfile::tempdir().unwrap()), "", limits);
    let host = format!("Host: {}\n", server.address);
    let status = |head: &str| server.send(head, b"").0;
    assert_eq!(status("GET / HTTP/1.1\nHost: evil.example\n"), 421);
    assert_eq!(status(&format!("GET /api/jobs HTTP/1.1\n{host}Origin: null\n")), 403);
    assert_eq!(status(&format!("POST /api/jobs/1 HTTP/1.1\n{host}")), 403, "a form of another site");
    assert_eq!(status(&format!("GET /api/jobs HTTP/1.1\n{host}Sec-Fetch-Site: cross-site\n")), 403);

    let (status, error) = server.raw("POST", "/api/games", &b"1. e4 *\n\n".repeat(200_000));
    assert!(status == 413 && error.contains("larger than 1 MiB"), "{status} {error}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&b" ".repeat(64 << 20)).unwrap();
    let (status, error) = server.raw("POST", "/api/games", &gzip.finish().unwrap());
    assert!(status == 200 && error.contains("too large after decompression"), "{status} {error}");

    for path in
        ["/../Cargo.toml", "/etc/passwd", "/%2e%2e/a.db", "/api/games/..%2f..", "/api/reviews/1.sh", "/api/reviews/;id"]
    {
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
        assert!(status == 400 && error["error"].is_string() && error["hint"].is_string(), "{request} {error}");
    }
    // Fields that name engines or options mean nothing here.
    let (_, job) =
        server.ask("POST", "/api/reviews", &json!({ "game": game, "engine": "/bin/sh", "options": [["x", "y"]] }));
    server.wait(job["id"].as_i64().unwrap(), |state| state == "done");
    for body in ["", "[]", "{", "null", "{\"game\":1e400}", "\u{0}"] {
        assert_eq!(server.raw("POST", "/api/reviews", body.as_bytes()).0, 400, "{body:?}");
    }
    assert_eq!(server.ask("GET", "/api/status", &Value::Null).0, 200);
}

#[test]
fn the_page_is_whole() {
    let server = Server::start("");
    for (path, beginning) in [("/", "<!doctype html>"), ("/review/17", "<!doctype html>"), ("/form", "<!doctype html>")]
    {
        let (status, text) = server.raw("GET", path, b"");
        assert!(status == 200 && text.starts_with(beginning), "{path}: {text}");
    }
    for path in ["/page.js", "/form.js", "/page.css", "/events.js", "/icon.svg", "/example.pgn", "/api/openapi.json"] {
        let (status, text) = server.raw("GET", path, b"");
        assert!(status == 200 && !text.is_empty(), "{path}");
    }
    let (status, form) = server.ask("POST", "/api/symbols", &json!({ "played": "-1", "best": "2", "balance": 0.62 }));
    assert_eq!((status, format!("{:.5}", form["relevant"].as_f64().unwrap())), (200, "1.40089".to_owned()));
}

/// The most memory that this process has had, in MiB.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

/// A small file of games with a million variations each: games are kept as they are read, and a game's tree is bounded.
#[test]
#[cfg(target_os = "linux")]
fn a_small_upload_does_not_fill_the_memory() {
    let server = Server::start("");
    let game = format!("[White \"A\"]\n\n1. e4{} e5 *\n\n", " (a3)".repeat(1_000_000));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for name in ["A", "B", "C"] {
        gzip.write_all(game.replace("\"A\"", &format!("\"{name}\"")).as_bytes()).unwrap();
    }
    let bomb = gzip.finish().unwrap();
    assert!(bomb.len() < 100 << 10, "{}", bomb.len());
    drop(game);
    let before = peak_memory();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
    let head = format!(
        "POST /api/games HTTP/1.1\r\nHost: {}\r\nX-Centipawn: 1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
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
    assert!(document["problems"][0].to_string().contains("one move too many"), "{}", document["problems"][0]);
    let after = peak_memory();
    assert!(after < before + 400, "{before} MiB before, {after} MiB after");
}

impl Server {
    /// A connection on which something was sent, and which stays open.
    fn open(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let text = text.replace('\n', "\r\n").replace("HOST", &self.address.to_string());
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    /// The token, and the status and cookie that a token is exchanged for.
    fn session(&self, token: &str) -> (u16, String) {
        let body = json!({ "token": token }).to_string();
        let head = "POST /api/session HTTP/1.1\nHost: HOST\nX-Centipawn: 1\nConnection: close\n";
        let mut stream = self.open(&format!("{head}Content-Length: {}\n\n{body}", body.len()));
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).unwrap_or_default().to_owned();
        (answer.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0), cookie)
    }
}

/// The first line of an answer.
fn first_line(stream: &mut TcpStream) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while byte[0] != b'\n' && stream.read(&mut byte).is_ok_and(|read| read > 0) {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}

#[test]
fn strangers_lock_nobody_out() {
    let limits = Limits { connections: 8, ..Limits::default() };
    let server = Server::start_with(Arc::new(tempfile::tempdir().unwrap()), |options| ServeOptions {
        token: true,
        limits,
        ..options
    });
    let token = server.url.rsplit('=').next().unwrap().to_owned();
    let begin = Instant::now();
    let in_time = |what: &str| assert!(begin.elapsed() < Duration::from_secs(8), "{what}: {:?}", begin.elapsed());
    // Bodies of one byte, heads that never end, connections that say nothing.
    let slow = "POST /api/session HTTP/1.1\nHost: HOST\nX-Centipawn: 1\nContent-Length: 50\n\n{";
    let flood = || -> Vec<TcpStream> {
        [slow, "GET /api/status HT", ""].iter().cycle().take(40).map(|text| server.open(text)).collect()
    };
    let first = flood();
    // Forty wrong tokens at once.
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| assert!(matches!(server.session("wrong").0, 401 | 429 | 0)));
        }
        thread::sleep(Duration::from_millis(300));
        let began = Instant::now();
        let (status, cookie) = server.session(&token);
        assert_eq!(status, 200);
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
        let head = format!("GET /api/events HTTP/1.1\nHost: HOST\nCookie: {cookie}\n\n");
        let mut events = server.open(&head);
        assert!(first_line(&mut events).contains("200"));
        // A client that is let in stays, whatever comes after it.
        let second = flood();
        let status = format!("GET /api/status HTTP/1.1\nHost: HOST\nCookie: {cookie}\n\n");
        assert!(first_line(&mut server.open(&status)).contains("200"));
        events.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let mut rest = [0; 4096];
        while let Ok(read) = events.read(&mut rest) {
            assert!(read > 0, "the stream was closed");
        }
        in_time("all of it");
        drop((first, second));
    });
}

#[test]
fn streams_and_slow_bodies_leave_places() {
    let limits = Limits { connections: 8, ..Limits::default() };
    let server = Server::start_in(Arc::new(tempfile::tempdir().unwrap()), "", limits);
    let begin = Instant::now();
    let mut streams: Vec<TcpStream> = (0..8).map(|_| server.open("GET /api/events HTTP/1.1\nHost: HOST\n\n")).collect();
    let lines: Vec<String> = streams.iter_mut().map(first_line).collect();
    assert_eq!(lines.iter().filter(|line| line.contains("200")).count(), 4, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.contains("503")).count(), 4, "{lines:?}");
    let slow = "POST /api/games HTTP/1.1\nHost: HOST\nX-Centipawn: 1\nContent-Length: 50\n\n1";
    let mut slow: Vec<TcpStream> = (0..40).map(|_| server.open(slow)).collect();
    assert_eq!(server.ask("GET", "/api/status", &Value::Null).0, 200);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // A body that never comes ends with a reason, or has given way.
    slow.iter().for_each(|stream| stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap());
    let ends: Vec<String> = slow.iter_mut().map(first_line).collect();
    assert!(
        ends.iter().any(|end| end.contains("408")) && ends.iter().all(|end| end.is_empty() || end.contains("408")),
        "{ends:?}"
    );
}
