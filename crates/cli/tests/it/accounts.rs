//! Games of accounts on Lichess and Chess.com, from a local server that follows the sites' API
//! documentation.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::{
    common::{centipawn, run},
    faces::Page,
};

/// Milliseconds from 1970 to the beginning of a day of October 2026.
fn day(day: u64) -> u64 {
    1_790_812_800_000 + (day - 1) * 86_400_000
}

/// Returns a game of `anna` on a day of October 2026.
fn game(number: u64) -> String {
    let (white, black) = if number.is_multiple_of(2) {
        ("anna", "bob")
    } else {
        ("bob", "Anna")
    };
    let control = if number.is_multiple_of(3) {
        "600+0"
    } else {
        "180+2"
    };
    format!(
        "[Event \"Rated game\"]\n[Site \"https://lichess.org/{number:08}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
         [Result \"*\"]\n[UTCDate \"2026.10.{number:02}\"]\n[UTCTime \"12:00:00\"]\n[TimeControl \"{control}\"]\n\n\
         1. e4 e5 2. Nf3 {{ game {number} }} *\n\n\n"
    )
}

#[derive(Default)]
struct Server {
    /// Number of the account's games, which are numbered from 1, one on each day.
    games: Mutex<u64>,
    /// The requests received: path, and the header `Authorization`.
    requests: Mutex<Vec<(String, String)>>,
    /// The header `User-Agent` of each request.
    agents: Mutex<Vec<String>>,
    /// If set, the server answers with status 503 and the given page.
    failing: Mutex<Option<String>>,
    /// Number of answers with status 429 before the next regular answer.
    too_many: Mutex<u32>,
    /// Whether the next stream breaks in the middle of its third game.
    breaks: Mutex<bool>,
    /// Whether all games of Lichess began in the same second.
    at_once: Mutex<bool>,
    /// Whether the server answers every request with an HTML page instead of games.
    sends_pages: Mutex<bool>,
    /// Whether Chess.com's archive of October begins with a game that started in September.
    over_the_month: Mutex<bool>,
}

impl Server {
    fn start(games: u64) -> (Arc<Self>, String) {
        let server = Arc::new(Self {
            games: Mutex::new(games),
            ..Self::default()
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::clone(&server);
        thread::spawn(move || {
            for stream in listener.incoming() {
                shared.answer(stream.unwrap());
            }
        });
        (server, address)
    }

    fn answer(&self, mut stream: TcpStream) {
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let lines: Vec<String> = lines
            .map_while(|line| line.ok().filter(|line| !line.is_empty()))
            .collect();
        let path = lines[0].split(' ').nth(1).unwrap().to_owned();
        let header = |name: &str| {
            let found = lines.iter().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            });
            found.unwrap_or_default()
        };
        self.requests
            .lock()
            .unwrap()
            .push((path.clone(), header("authorization")));
        self.agents.lock().unwrap().push(header("user-agent"));
        let mut too_many = self.too_many.lock().unwrap();
        let (status, more, body, cut) = if *too_many > 0 {
            *too_many -= 1;
            let words = r#"{"error": "Please only run 1 request at a time"}"#;
            (
                "429 Too Many Requests",
                "Retry-After: 0\r\n".to_owned(),
                words.to_owned(),
                false,
            )
        } else if let Some(page) = self.failing.lock().unwrap().clone() {
            ("503 Service Unavailable", String::new(), page, false)
        } else if *self.sends_pages.lock().unwrap() {
            let page =
                "<html>\n<title>Just a moment…</title> https://example.org/games/2026/10 </html>";
            ("200 OK", String::new(), page.to_owned(), false)
        } else if let Some(query) = path.strip_prefix("/api/games/user/anna?") {
            let breaks = std::mem::take(&mut *self.breaks.lock().unwrap());
            ("200 OK", String::new(), self.lichess(query), breaks)
        } else if path == "/pub/player/anna/games/archives" {
            let list = r#"{"archives": ["https://api.chess.com/pub/player/anna/games/2026/09", "https://api.chess.com/pub/player/anna/games/2099/10"]}"#;
            ("200 OK", String::new(), list.to_owned(), false)
        } else if let Some(month) = path.strip_prefix("/pub/player/anna/games/") {
            if header("if-none-match") == "\"1\"" {
                ("304 Not Modified", String::new(), String::new(), false)
            } else {
                // The archive of October begins with a game that started in September.
                let early = self
                    .over_the_month
                    .lock()
                    .unwrap()
                    .then(|| game(9).replace("2026.10.09", "2026.09.30"));
                let numbers = 1..=*self.games.lock().unwrap();
                let october = || {
                    early
                        .into_iter()
                        .chain(numbers.map(game))
                        .collect::<String>()
                };
                let september = || game(1).replace("2026.10.01", "2026.09.30");
                let games = if month == "2099/10/pgn" {
                    october()
                } else {
                    september()
                };
                ("200 OK", "ETag: \"1\"\r\n".to_owned(), games, false)
            }
        } else {
            let page = "<!doctype html><title>No such\n user\x1b[2J</title><body>Menu</body>";
            ("404 Not Found", String::new(), page.to_owned(), false)
        };
        let sent = if cut {
            &body[..game(1).len() * 2 + 40]
        } else {
            &body
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{more}Connection: close\r\n\r\n",
            body.len()
        );
        let _ = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(sent.as_bytes()));
    }

    fn lichess(&self, query: &str) -> String {
        let of = |name: &str| {
            query
                .split('&')
                .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let since: u64 = of("since").map_or(0, |since| since.parse().unwrap());
        let until: u64 = of("until").map_or(u64::MAX, |until| until.parse().unwrap());
        let count = *self.games.lock().unwrap();
        let at_once = *self.at_once.lock().unwrap();
        let game = |number| {
            if at_once {
                game(number).replace(&format!("2026.10.{number:02}"), "2026.10.01")
            } else {
                game(number)
            }
        };
        let is_in = |number: &u64| {
            (since..=until).contains(&(day(if at_once { 1 } else { *number }) + 43_200_500))
        };
        let mut numbers: Vec<u64> = (1..=count).rev().filter(is_in).collect();
        numbers.truncate(of("max").map_or(usize::MAX, |max| max.parse().unwrap()));
        if of("sort") == Some("dateAsc") {
            numbers.reverse();
        }
        numbers.into_iter().map(game).collect()
    }

    fn requests(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

fn program<const N: usize>(args: [&str; N], address: &str, data: &Path) -> Command {
    let mut command = centipawn(args);
    command
        .env("CENTIPAWN_LICHESS", address)
        .env("CENTIPAWN_CHESSCOM", address)
        .env("XDG_DATA_HOME", data);
    command
}

/// Returns the numbers of the games in a PGN text.
fn numbers(pgn: &str) -> Vec<u64> {
    let place = |part: &str| part.split([' ', '\n', '}']).next().unwrap().parse().ok();
    pgn.replace('\n', " ")
        .split(" game ")
        .skip(1)
        .filter_map(place)
        .collect()
}

#[test]
fn a_second_run_downloads_only_new_games() {
    let (server, address) = Server::start(4);
    let data = tempfile::tempdir().unwrap();
    let clean = |games: &str| {
        let mut command = program(["pgn", "clean", games], &address, data.path());
        let ran = run({
            command.env("LICHESS_TOKEN", "lip_secret");
            command
        });
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        assert!(!format!("{}{}", ran.stdout(), ran.stderr()).contains("lip_secret"));
        numbers(ran.stdout())
    };
    *server.too_many.lock().unwrap() = 1;
    *server.breaks.lock().unwrap() = true;
    assert_eq!(
        clean("lichess:Anna"),
        [1, 2, 3, 4],
        "after a break the rest"
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 3, "refused once, broken once: {requests:?}");
    assert!(
        requests
            .iter()
            .all(|(path, token)| token == "Bearer lip_secret" && !path.contains("secret"))
    );
    assert!(
        requests[2]
            .0
            .ends_with(&format!("since={}", day(2) + 43_200_000)),
        "{requests:?}"
    );
    *server.games.lock().unwrap() = 6;
    assert_eq!(clean("lichess:anna"), [1, 2, 3, 4, 5, 6]);
    let [(path, _)] = &server.requests()[..] else {
        panic!()
    };
    assert!(
        path.ends_with(&format!("since={}", day(4) + 43_200_000)),
        "{path}"
    );
    assert_eq!(
        clean("lichess:anna?since=2026-10-03&until=2026-10-05&time-class=blitz"),
        [4, 5]
    );
    assert_eq!(clean("lichess:anna?max=2"), [5, 6]);
    assert_eq!(clean("lichess:anna?color=white"), [2, 4, 6]);
}

/// Earlier games are not mixed with kept ones before the games between them are complete, and kept
/// games survive an unreachable site.
#[test]
fn earlier_games_are_added_without_gaps() {
    let (server, address) = Server::start(3);
    let data = tempfile::tempdir().unwrap();
    let clean = |games: &str| {
        let ran = run(program(["pgn", "clean", games], &address, data.path()));
        (ran.code(), numbers(ran.stdout()))
    };
    assert_eq!(
        clean("lichess:anna?since=2026-10-02"),
        (Some(0), vec![2, 3])
    );
    *server.games.lock().unwrap() = 9;
    assert_eq!(
        clean("lichess:anna?since=2026-10-08"),
        (Some(0), vec![8, 9])
    );
    assert_eq!(
        clean("lichess:anna?since=2026-10-02"),
        (Some(0), (2..=9).collect())
    );
    // Request earlier games from an unreachable server. The kept games must stay until the earlier
    // ones are complete.
    let kept = data
        .path()
        .join("centipawn/accounts/lichess/anna/games.pgn");
    let before = std::fs::read_to_string(&kept).unwrap();
    let (_, nowhere) = (server.requests(), "http://127.0.0.1:1");
    let ran = run(program(
        ["pgn", "clean", "lichess:anna"],
        nowhere,
        data.path(),
    ));
    assert_eq!(
        (ran.code(), std::fs::read_to_string(&kept).unwrap()),
        (Some(3), before)
    );
    assert_eq!(clean("lichess:anna"), (Some(0), (1..=9).collect()));
    // Remove the end of the last kept game, as a killed run might. That game is downloaded again.
    let whole = std::fs::read_to_string(&kept).unwrap();
    std::fs::write(&kept, &whole[..whole.len() - 30]).unwrap();
    assert_eq!(clean("lichess:ANNA"), (Some(0), (1..=9).collect()));
    // An account that is named twice is read once. With two different conditions each game is still
    // kept only once.
    let ran = run(program(
        ["pgn", "stats", "lichess:anna", "lichess:Anna", "--json"],
        &address,
        data.path(),
    ));
    assert!(ran.stdout().contains("\"games\": 9"), "{}", ran.stdout());
    let two = [
        "pgn",
        "stats",
        "lichess:bob?color=white",
        "lichess:anna?color=white",
        "lichess:anna?color=black",
    ];
    assert_eq!(
        run(program(two, &address, data.path())).code(),
        Some(1),
        "there is no bob"
    );
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), whole);
}

/// The download ends after the first game past the end of the requested period.
#[test]
fn games_after_the_wanted_time_are_not_downloaded() {
    let (_server, address) = Server::start(9);
    let data = tempfile::tempdir().unwrap();
    let clean = |games: &str| {
        numbers(run(program(["pgn", "clean", games], &address, data.path())).stdout())
    };
    let kept = |name: &str| {
        let file = data
            .path()
            .join("centipawn/accounts/lichess/anna")
            .join(name);
        numbers(&std::fs::read_to_string(file).unwrap())
    };
    assert_eq!(
        clean("lichess:anna?since=2026-10-05&until=2026-10-06"),
        [5, 6]
    );
    assert_eq!(kept("games.pgn"), [5, 6, 7]);
    // A download of earlier games goes to a separate file until it is complete.
    assert_eq!(
        clean("lichess:anna?since=2026-10-01&until=2026-10-02"),
        [1, 2]
    );
    assert_eq!(
        (kept("games.pgn"), kept("part.pgn")),
        (vec![5, 6, 7], vec![1, 2, 3])
    );
    assert_eq!(
        clean("lichess:anna?since=2026-10-02&until=2026-10-03"),
        [2, 3]
    );
    assert_eq!(clean("lichess:anna?since=2026-10-05"), [5, 6, 7, 8, 9]);
    assert_eq!(
        clean("lichess:anna?since=2026-10-01"),
        (1..=9).collect::<Vec<_>>()
    );
    assert_eq!(kept("games.pgn"), (1..=9).collect::<Vec<_>>());
}

#[test]
fn max_reads_only_the_newest_games() {
    let (server, address) = Server::start(9);
    let data = tempfile::tempdir().unwrap();
    let stats = |more: [&str; 2]| {
        let mut command = program(["review", "lichess:anna"], &address, data.path());
        command.args(more).args([
            "--reuse-evals",
            "--engine",
            &crate::common::fake("ok"),
            "--nodes",
            "10",
            "-o",
            "-",
        ]);
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        numbers(ran.stdout())
    };
    assert_eq!(stats(["--max", "3"]), [7, 8, 9]);
    let [(path, _)] = &server.requests()[..] else {
        panic!()
    };
    assert!(path.ends_with("&max=3"), "{path}");
    *server.games.lock().unwrap() = 10;
    assert_eq!(stats(["--max", "3"]), [8, 9, 10]);
    let [(path, _)] = &server.requests()[..] else {
        panic!()
    };
    assert!(path.contains("since="), "only the news: {path}");
    // Request more games than are kept.
    assert_eq!(stats(["--max", "5"]), [6, 7, 8, 9, 10]);
    assert_eq!(
        stats(["--since", "2026-10-02"]),
        [2, 3, 4, 5, 6, 7, 8, 9, 10]
    );
    // A request for fewer games than the new ones must not discard the kept games.
    *server.games.lock().unwrap() = 14;
    server.requests();
    assert_eq!(stats(["--max", "2"]), [13, 14]);
    assert_eq!(
        stats(["--since", "2026-10-02"]),
        (2..=14).collect::<Vec<_>>()
    );
    let requests = server.requests();
    assert!(
        requests[1]
            .0
            .ends_with(&format!("since={}", day(10) + 43_200_000)),
        "from the newest kept one on: {requests:?}"
    );
}

#[test]
fn months_of_chess_com_are_kept() {
    let (server, address) = Server::start(3);
    let data = tempfile::tempdir().unwrap();
    let clean = |games: &str| {
        let ran = run(program(["pgn", "clean", games], &address, data.path()));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        numbers(ran.stdout())
    };
    assert_eq!(clean("chesscom:Anna"), [1, 1, 2, 3]);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(clean("chesscom:anna"), [1, 1, 2, 3], "unchanged (304)");
    let paths: Vec<String> = server
        .requests()
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(
        paths,
        [
            "/pub/player/anna/games/archives",
            "/pub/player/anna/games/2099/10/pgn"
        ],
        "September is over"
    );
    assert_eq!(clean("chesscom:anna?since=2026-10"), [1, 2, 3]);
    assert_eq!(clean("chesscom:anna?max=2"), [2, 3]);
}

/// After a power failure a file may be empty or truncated. A month counts as final only if it still
/// has the number of games that was recorded with it.
#[test]
fn damaged_months_are_downloaded_again() {
    let (server, address) = Server::start(3);
    let data = tempfile::tempdir().unwrap();
    let clean = || {
        let ran = run(program(
            ["pgn", "clean", "chesscom:anna"],
            &address,
            data.path(),
        ));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        numbers(ran.stdout())
    };
    let folder = data.path().join("centipawn/accounts/chesscom/anna");
    assert_eq!(clean(), [1, 1, 2, 3]);
    for month in ["2026-09.pgn", "2099-10.pgn"] {
        let whole = std::fs::read(folder.join(month)).unwrap();
        for damaged in ["", &game(7)] {
            std::fs::write(folder.join(month), damaged).unwrap();
            assert_eq!(clean(), [1, 1, 2, 3], "{month}: {damaged:?}");
            assert_eq!(std::fs::read(folder.join(month)).unwrap(), whole);
        }
    }
    server.requests();
    assert_eq!(clean(), [1, 1, 2, 3]);
    assert_eq!(server.requests().len(), 2, "September is final again");
}

/// A run may end between the writes of the games and of their time. The next run must not assume
/// that all games since the recorded time are kept.
#[test]
fn newest_games_leave_no_gap_when_the_time_cannot_be_written() {
    let (server, address) = Server::start(2);
    let data = tempfile::tempdir().unwrap();
    let clean = |games: &str, code: i32| {
        let ran = run(program(["pgn", "clean", games], &address, data.path()));
        assert_eq!(ran.code(), Some(code), "{}", ran.stderr());
        numbers(ran.stdout())
    };
    assert_eq!(clean("lichess:anna", 0), [1, 2]);
    *server.games.lock().unwrap() = 9;
    let new = data
        .path()
        .join("centipawn/accounts/lichess/anna/since.new");
    std::fs::create_dir(&new).unwrap();
    assert_eq!(clean("lichess:anna?max=3", 3), [0; 0]);
    std::fs::remove_dir(&new).unwrap();
    assert_eq!(clean("lichess:anna", 0), (1..=9).collect::<Vec<_>>());
}

#[test]
fn a_game_across_the_end_of_a_month_is_read_once() {
    let (server, address) = Server::start(2);
    *server.over_the_month.lock().unwrap() = true;
    let data = tempfile::tempdir().unwrap();
    let clean = |games: &str| {
        numbers(run(program(["pgn", "clean", games], &address, data.path())).stdout())
    };
    assert_eq!(clean("chesscom:anna?until=2026-09"), [1]);
    assert_eq!(clean("chesscom:anna?since=2026-10"), [9, 1, 2]);
}

#[test]
fn games_that_began_in_the_same_second_are_all_kept() {
    let (server, address) = Server::start(4);
    let clean = |games: &str, data: &Path| {
        let ran = run(program(["pgn", "clean", games], &address, data));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        numbers(ran.stdout())
    };
    *server.at_once.lock().unwrap() = true;
    let data = tempfile::tempdir().unwrap();
    *server.breaks.lock().unwrap() = true;
    assert_eq!(
        clean("lichess:anna", data.path()),
        [1, 2, 3, 4],
        "after a break the rest"
    );
    *server.games.lock().unwrap() = 6;
    assert_eq!(clean("lichess:anna", data.path()), [1, 2, 3, 4, 5, 6]);
    *server.games.lock().unwrap() = 7;
    assert_eq!(clean("lichess:anna?max=3", data.path()), [5, 6, 7]);
    assert_eq!(clean("lichess:anna", data.path()), [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_busy_site_is_not_reported_as_a_network_failure() {
    let (server, address) = Server::start(1);
    *server.too_many.lock().unwrap() = 9;
    let data = tempfile::tempdir().unwrap();
    let stderr = |address| {
        run(program(
            ["pgn", "stats", "lichess:anna"],
            address,
            data.path(),
        ))
        .stderr()
        .to_owned()
    };
    let (busy, nowhere) = thread::scope(|scope| {
        let busy = scope.spawn(|| stderr(&address));
        let nowhere = stderr("http://127.0.0.1:1");
        (busy.join().unwrap(), nowhere)
    });
    assert!(
        busy.contains("(status 429: \"Please only run 1 request at a time\"); 5 attempts failed. Try again later"),
        "{busy}"
    );
    assert!(
        nowhere.contains("5 attempts failed. Is there a network? Try again later"),
        "{nowhere}"
    );
}

#[test]
fn a_page_in_place_of_games_is_an_error() {
    let (server, address) = Server::start(2);
    let data = tempfile::tempdir().unwrap();
    let clean = |games: &str| run(program(["pgn", "clean", games], &address, data.path()));
    for (account, games) in [("chesscom:anna", &[1, 1, 2][..]), ("lichess:anna", &[1, 2])] {
        *server.sends_pages.lock().unwrap() = true;
        let ran = clean(account);
        assert_eq!(
            (ran.code(), numbers(ran.stdout())),
            (Some(3), vec![]),
            "{account}: {}",
            ran.stderr()
        );
        assert!(
            ran.stderr()
                .contains("it begins with \"<html> <title>Just a moment"),
            "{}",
            ran.stderr()
        );
        *server.sends_pages.lock().unwrap() = false;
        assert_eq!(numbers(clean(account).stdout()), games);
        // The site fails again, but the kept games are still read.
        *server.sends_pages.lock().unwrap() = true;
        let ran = clean(account);
        assert_eq!(
            (ran.code(), numbers(ran.stdout())),
            (Some(1), games.to_vec()),
            "{account}: {}",
            ran.stderr()
        );
        assert!(ran.stderr().contains("it begins with"), "{}", ran.stderr());
    }
}

#[test]
fn errors_are_reported() {
    let (_, address) = Server::start(1);
    let data = tempfile::tempdir().unwrap();
    for (args, code, text) in [
        (
            ["pgn", "stats", "lichess:nobody"],
            3,
            "Lichess answers with status 404 for the account nobody (\"No such user\u{fffd}[2J\"); check the name",
        ),
        (
            ["pgn", "stats", "chesscom:nobody"],
            3,
            "Chess.com answers with status 404 for the account nobody (\"No such user\u{fffd}[2J\"); check the name",
        ),
        (
            ["pgn", "stats", "lichess:anna?since=soon"],
            3,
            "\"soon\" is no date",
        ),
        (
            ["rating", "games.pgn", "--max=5"],
            2,
            "--max is for games of an account",
        ),
    ] {
        let ran = run(program(args, &address, data.path()));
        assert_eq!(ran.code(), Some(code), "{args:?}: {}", ran.stderr());
        assert!(ran.stderr().contains(text), "{args:?}: {}", ran.stderr());
    }
}

/// Lichess answers requests without a User-Agent with status 404, and both sites ask for a contact
/// address in it.
#[test]
fn every_request_names_the_program_its_version_and_the_project() {
    let (server, address) = Server::start(1);
    let data = tempfile::tempdir().unwrap();
    for account in ["lichess:anna", "chesscom:anna", "lichess:nobody"] {
        run(program(["pgn", "stats", account], &address, data.path()));
    }
    let mut command = program(["pgn", "stats"], &address, data.path());
    command.arg(format!("{address}/pub/player/anna/games/2099/10/pgn"));
    assert_eq!(run(command).code(), Some(0));
    let mut command = program(
        ["policy", "fetch", "maia-1500", "--url"],
        &address,
        data.path(),
    );
    command.arg(&address);
    assert_eq!(run(command).code(), Some(3));
    let agents = server.agents.lock().unwrap();
    assert!(agents.len() >= 6, "{agents:?}");
    for agent in &*agents {
        let rest = agent.strip_prefix(concat!(
            "centipawn/",
            env!("CARGO_PKG_VERSION"),
            " (+https://"
        ));
        assert!(
            rest.is_some_and(|rest| rest.len() > 10 && rest.ends_with(')')),
            "{agent}"
        );
    }
}

/// An error message quotes a few words of the site's answer, without HTML elements.
#[test]
fn messages_quote_the_site_without_html() {
    let (server, address) = Server::start(1);
    let data = tempfile::tempdir().unwrap();
    *server.too_many.lock().unwrap() = u32::MAX;
    let ran = run(program(
        ["pgn", "stats", "lichess:anna"],
        &address,
        data.path(),
    ));
    let words =
        "the site asks for fewer requests (status 429: \"Please only run 1 request at a time\")";
    assert!(
        ran.code() == Some(3) && ran.stderr().contains(words),
        "{}",
        ran.snapshot()
    );
    *server.too_many.lock().unwrap() = 0;
    let page = "<html><head><style>x{}</style></head><body><h1>Down for\tmaintenance</h1> until noon</body></html>";
    *server.failing.lock().unwrap() = Some(page.to_owned());
    let ran = run(program(
        ["pgn", "stats", "chesscom:anna"],
        &address,
        data.path(),
    ));
    let words =
        "the site answers with status 503 (\"Down for maintenance until noon\"); 5 attempts failed";
    assert!(
        ran.code() == Some(3) && ran.stderr().contains(words),
        "{}",
        ran.snapshot()
    );
    let mut command = program(
        ["policy", "fetch", "maia-1500", "--url"],
        &address,
        data.path(),
    );
    command.arg(&address);
    let ran = run(command);
    let words = "status: 503 (\"Down for maintenance until noon\"); try again later";
    assert!(
        ran.code() == Some(3) && ran.stderr().contains(words),
        "{}",
        ran.snapshot()
    );
}

/// While one upload waits for a slow site, others can add games. The download ends when its client
/// disconnects.
#[test]
fn a_slow_site_does_not_block_other_uploads() {
    let site = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", site.local_addr().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let page = Page::start(
        program([], &address, folder.path()),
        &folder.path().join("a.db"),
    );
    let client = page.send("POST", "/api/games", "lichess:anna?max=1000000");
    let (mut stream, _) = site.accept().unwrap();
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    assert!(
        lines
            .map_while(Result::ok)
            .take_while(|line| !line.is_empty())
            .count()
            > 0
    );
    stream
        .write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        .unwrap();
    stream.write_all(game(1).as_bytes()).unwrap();
    let added = page.ask("POST", "/api/games", &game(2));
    assert!(added.contains("\"total\":1"), "{added}");
    // The site sends games until the server closes the connection.
    drop(client);
    let begin = Instant::now();
    while stream.write_all(game(3).as_bytes()).is_ok() {
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "the download goes on without its client"
        );
        thread::sleep(Duration::from_millis(20));
    }
}
