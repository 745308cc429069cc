//! `centipawn study`: files that our reader and python-chess can read, and studies on a local
//! server that follows Lichess' API documentation.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    thread,
};

use crate::common::{centipawn, fake, have_stockfish, run, run_with};
use centipawn_pgn::{Game, Reader};

const PUZZLES: &str = "examples/puzzles.csv";
const TOKEN: &str = "lip_secret";

/// A form that the server received.
#[derive(Clone, Debug)]
struct Form {
    path: String,
    authorization: String,
    fields: Vec<(String, String)>,
}

impl Form {
    fn get(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Server {
    forms: Mutex<Vec<Form>>,
    /// Status lines of the next answers instead of the usual ones; an empty one closes the
    /// connection.
    statuses: Mutex<Vec<&'static str>>,
}

/// Decodes `%20` and `+` in a form's text.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            }
            b'+' => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}

impl Server {
    fn start() -> (Arc<Self>, String) {
        let server = Arc::new(Self::default());
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
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let lines: Vec<String> = reader
            .by_ref()
            .lines()
            .map_while(|line| line.ok().filter(|line| !line.is_empty()))
            .collect();
        let header = |name: &str| {
            let found = lines.iter().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            });
            found.unwrap_or_default()
        };
        let mut body = vec![0; header("content-length").parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        assert!(
            lines[0].starts_with("POST ")
                && header("content-type") == "application/x-www-form-urlencoded"
        );
        let body = String::from_utf8(body).unwrap();
        let fields = body.split('&').filter_map(|pair| pair.split_once('='));
        let form = Form {
            path: lines[0].split(' ').nth(1).unwrap().to_owned(),
            authorization: header("authorization"),
            fields: fields
                .map(|(name, value)| (decoded(name), decoded(value)))
                .collect(),
        };
        let mut statuses = self.statuses.lock().unwrap();
        let status = if statuses.is_empty() {
            "200 OK"
        } else {
            statuses.remove(0)
        };
        // Split games as Lichess' server (lila) does.
        let chapters = form.get("pgn").unwrap_or_default().split("\n\n[").count();
        let answer = match status {
            "200 OK" if form.path == "/api/study" => r#"{"id": "9kze56XR"}"#.to_owned(),
            "200 OK" => format!(
                "{{\"chapters\": [{}]}}",
                vec![r#"{"id": "abcd1234"}"#; chapters].join(", ")
            ),
            _ => r#"{"error": "No such thing"}"#.to_owned(),
        };
        self.forms.lock().unwrap().push(form);
        if status.is_empty() {
            return;
        }
        let length = answer.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nRetry-After: 0\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        let _ = stream.write_all(format!("{head}{answer}").as_bytes());
    }

    fn forms(&self) -> Vec<Form> {
        std::mem::take(&mut *self.forms.lock().unwrap())
    }
}

fn program(args: &[&str], address: &str) -> Command {
    let mut command = centipawn(["study"]);
    command
        .args(args)
        .env("CENTIPAWN_LICHESS", address)
        .env("LICHESS_TOKEN", TOKEN);
    command
}

fn games(pgn: &str) -> Vec<Game> {
    let games: Vec<Game> = Reader::new(pgn.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    assert!(games.iter().all(|game| game.warnings.is_empty()), "{pgn}");
    games
}

/// Reads a file with python-chess, if it is installed.
fn check_with_python(file: &Path, count: usize) {
    let script = "import chess.pgn, sys\n\
                  file = open(sys.argv[1])\n\
                  games = list(iter(lambda: chess.pgn.read_game(file), None))\n\
                  assert not any(game.errors for game in games), [game.errors for game in games]\n\
                  assert all(any(node.arrows() for node in game.mainline()) for game in games)\n\
                  print(len(games))";
    let has_chess = |output: &std::process::Output| {
        !String::from_utf8_lossy(&output.stderr).contains("No module named")
    };
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(file)
        .output();
    if let Some(output) = output.ok().filter(has_chess) {
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            count.to_string(),
            "{output:?}"
        );
    }
}

#[test]
fn mistakes_of_a_game_are_a_lesson() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lesson.pgn");
    let (server, address) = Server::start();
    let player = "duke karl / count isouard";
    let args = [
        "lesson",
        "examples/opera-game.pgn",
        "--nodes",
        "20k",
        "--player",
        player,
        "--post",
        "-o",
    ];
    let ran = run({
        let mut command = program(&args, &address);
        command.arg(&file);
        command
    });
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert_eq!(ran.stdout(), format!("{address}/study/9kze56XR\n"));
    let written = std::fs::read_to_string(&file).unwrap();
    let chapters = games(&written);
    assert!(chapters.len() > 2, "{written}");
    check_with_python(&file, chapters.len());
    for chapter in &chapters {
        assert_eq!(
            (chapter.start.turn(), chapter.plies.len() % 2),
            (shakmaty::Color::Black, 1)
        );
        let played = &chapter.plies[0].variations[0][0];
        assert!(
            matches!(played.nags[0].0, 2 | 4 | 6)
                && chapter.plies[0].comments[0].starts_with("[%c"),
            "{chapter}"
        );
        assert!(chapter.headers.get("FEN").is_some() && chapter.headers.get("Result") == Some("*"));
    }
    let [study, chapters] = &server.forms()[..] else {
        panic!()
    };
    assert_eq!(
        (&*study.path, &*study.authorization),
        ("/api/study", "Bearer lip_secret")
    );
    assert_eq!(
        study.get("name"),
        Some("Mistakes of duke karl / count isouard")
    );
    assert_eq!(study.get("visibility"), Some("private"));
    assert_eq!(
        (&*chapters.path, &*chapters.authorization),
        ("/api/study/9kze56XR/import-pgn", "Bearer lip_secret")
    );
    let field = |name| chapters.get(name);
    assert_eq!(
        [field("mode"), field("orientation"), field("initial")],
        [Some("gamebook"), Some("black"), Some("true")]
    );
    let pgn = |games: &[Game]| games.iter().map(ToString::to_string).collect::<String>();
    assert_eq!(
        pgn(&games(field("pgn").unwrap())),
        pgn(&games(&written)),
        "the same games"
    );
    let all = format!("{written}{}{}", ran.stdout(), ran.stderr());
    assert!(
        !all.contains(TOKEN)
            && !chapters
                .fields
                .iter()
                .any(|(_, value)| value.contains(TOKEN))
    );
}

#[test]
fn a_reviewed_game_is_a_study() {
    let folder = tempfile::tempdir().unwrap();
    let (games_in, file) = (
        folder.path().join("in.pgn"),
        folder.path().join("study.pgn"),
    );
    let game = "[White \"Anna\"]\n[Black \"Bo\"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.3] [%clk 0:03:00] } 2. Qh5 { [%eval -0.3] } \
                Ke7 { [%eval #1] Nc6 was best. } ( 2... Nc6 3. Bc4 ) 3. Qxe5# 1-0\n";
    std::fs::write(&games_in, game).unwrap();
    let args = [
        "games",
        games_in.to_str().unwrap(),
        "--reuse-evals",
        "-o",
        file.to_str().unwrap(),
    ];
    let ran = run(program(&args, "http://127.0.0.1:1"));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let written = std::fs::read_to_string(&file).unwrap();
    let [game] = &games(&written)[..] else {
        panic!("{written}")
    };
    assert_eq!(game.headers.get("ChapterName"), Some("Anna – Bo 1–0"));
    assert_eq!(game.plies[3].nags[0].0, 4);
    assert!(
        written.contains("[%cal Gb8c6]") && !written.contains("[%loss"),
        "{written}"
    );
}

/// On standard output, diagrams are printed as text.
#[test]
fn a_review_is_markdown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in.pgn");
    let game = "[White \"Anna\"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } 3. Qxe5# 1-0\n";
    std::fs::write(&file, game).unwrap();
    let ran = run(centipawn([
        "review",
        file.to_str().unwrap(),
        "--reuse-evals",
        "--markdown",
        "-",
    ]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stdout().starts_with("# Anna – ") && ran.stdout().contains("| Accuracy | "),
        "{}",
        ran.stdout()
    );
    assert!(
        ran.stdout()
            .contains("2. Qh5 **Ke7??**\n\n```text\n1  R N B K . B N R\n"),
        "{}",
        ran.stdout()
    );
}

/// Draws both formats, and reports invalid arguments.
#[test]
fn a_diagram_is_svg_or_png() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |position: &str, more: &[&str]| {
        let mut command = centipawn(["diagram", position]);
        command.args(more).current_dir(folder.path());
        run(command)
    };
    let svg = draw(
        "startpos moves e2e4",
        &[
            "--draw",
            "Re7e5,d4",
            "--orientation",
            "black",
            "--size",
            "200",
        ],
    );
    assert_eq!(svg.code(), Some(0), "{}", svg.stderr());
    for part in ["width=\"200\"", "#b3151b", "#15781b", "#cdd26a"] {
        assert!(svg.stdout().contains(part), "{part}");
    }
    assert_eq!(
        draw("startpos", &["-o", "board.png", "--size", "64"]).code(),
        Some(0)
    );
    assert!(
        std::fs::read(folder.path().join("board.png"))
            .unwrap()
            .starts_with(b"\x89PNG\r\n")
    );
    for (position, more, text) in [
        ("8/8", &[][..], "8/8"),
        (
            "startpos",
            &["-o", "board.gif"],
            "board.gif: pictures of boards are .svg or .png",
        ),
        ("startpos", &["--draw", "x9"], "no arrow and no circle"),
        (
            "startpos",
            &["--last-move", "e2"],
            "--last-move has two squares",
        ),
        ("startpos", &["--size", "100000"], "100000"),
    ] {
        let ran = draw(position, more);
        assert!(
            ran.code() == Some(2) && ran.stderr().contains(text),
            "{position} {more:?}: {}",
            ran.stderr()
        );
    }
}

#[test]
fn many_puzzles_are_several_studies() {
    let folder = tempfile::tempdir().unwrap();
    let (many, file) = (
        folder.path().join("many.csv"),
        folder.path().join("study.pgn"),
    );
    let text = std::fs::read_to_string(crate::common::root().join(PUZZLES)).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let repeated: Vec<&str> = rows.lines().cycle().take(70).collect();
    std::fs::write(&many, format!("{header}\n{}\n", repeated.join("\n"))).unwrap();
    let (server, address) = Server::start();
    *server.statuses.lock().unwrap() = vec!["429 Too Many Requests"];
    let args = [
        "puzzles",
        many.to_str().unwrap(),
        "--post",
        "--name",
        "Tactics",
        "--visibility",
        "unlisted",
        "-o",
    ];
    let ran = run({
        let mut command = program(&args, &address);
        command.arg(&file);
        command
    });
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stderr()
            .contains("70 chapters in 2 studies; a study on Lichess has at most 64"),
        "{}",
        ran.stderr()
    );
    let count =
        |name: &str| games(&std::fs::read_to_string(folder.path().join(name)).unwrap()).len();
    assert_eq!([count("study.pgn"), count("study-2.pgn")], [64, 6]);
    check_with_python(&folder.path().join("study-2.pgn"), 6);
    let forms = server.forms();
    let names: Vec<_> = forms.iter().filter_map(|form| form.get("name")).collect();
    assert_eq!(
        names,
        ["Tactics (1/2)", "Tactics (1/2)", "Tactics (2/2)"],
        "after status 429 once more"
    );
    let sent: usize = forms
        .iter()
        .filter_map(|form| form.get("pgn"))
        .map(|pgn| games(pgn).len())
        .sum();
    assert_eq!(sent, 70);
    // A shorter study replaces the first file. The second file then belongs to the earlier study,
    // so it is reported.
    let shorter = |first: &str| {
        let mut command = program(
            &["puzzles", many.to_str().unwrap(), "--first", first, "-o"],
            &address,
        );
        command.arg(&file);
        run(command)
    };
    let (left, third) = (
        folder.path().join("study-2.pgn"),
        folder.path().join("study-3.pgn"),
    );
    let warning = format!("warning: {} is not part of this study", left.display());
    let ran = shorter("1");
    assert!(
        ran.code() == Some(0) && ran.stderr().contains(&warning),
        "{}",
        ran.stderr()
    );
    assert!(left.exists(), "it may be of the user");
    std::fs::write(&third, "").unwrap();
    let warning = format!("warning: {} is not part of this study", third.display());
    let ran = shorter("65");
    assert!(
        ran.code() == Some(0) && ran.stderr().contains(&warning),
        "{}",
        ran.stderr()
    );
    // On standard output, all parts of the study form one text.
    let ran = run(program(&["puzzles", many.to_str().unwrap()], &address));
    assert_eq!(games(ran.stdout()).len(), 70);
}

#[test]
fn errors_are_reported() {
    let (server, address) = Server::start();
    let post = |statuses: &[&'static str]| {
        *server.statuses.lock().unwrap() = statuses.to_vec();
        let ran = run(program(
            &[
                "puzzles", PUZZLES, "--first", "2", "--post", "--name", "Tactics",
            ],
            &address,
        ));
        assert!(!format!("{}{}", ran.stdout(), ran.stderr()).contains(TOKEN));
        assert_eq!(ran.code(), Some(3), "{statuses:?}");
        (
            ran.stderr().replace(&address, "ADDRESS"),
            server.forms().len(),
        )
    };
    let all = [
        &["401 Unauthorized"][..],
        &["200 OK", "403 Forbidden"],
        &["200 OK", "404 Not Found"],
        &["429 Too Many Requests"; 5],
        &["400 Bad Request"],
        &["500 Internal Server Error"],
        &["200 OK", ""],
    ]
    .map(post);
    let texts: Vec<String> = all
        .iter()
        .map(|(text, requests)| format!("{requests} requests\n{text}"))
        .collect();
    insta::assert_snapshot!(texts.join("\n"));
    let wrong = |args: &[&str], token: &str| {
        let mut command = program(args, "http://127.0.0.1:1");
        let ran = run({
            command.env("LICHESS_TOKEN", token);
            command
        });
        (ran.code(), ran.stderr().to_owned())
    };
    for (args, token, code, text) in [
        (
            &["puzzles", PUZZLES, "--post"][..],
            "",
            3,
            "LICHESS_TOKEN has no token",
        ),
        (&["puzzles", PUZZLES, "--post"], "two\nlines", 3, ""),
        (
            &["puzzles", PUZZLES, "--post", "--first", "1"],
            TOKEN,
            3,
            "nothing was sent",
        ),
        (
            &["puzzles", PUZZLES, "--post", "--name", "x"],
            TOKEN,
            2,
            "2 to 100 characters",
        ),
        (
            &["puzzles", PUZZLES, "--visibility", "public"],
            TOKEN,
            2,
            "--post",
        ),
        (&["puzzles", PUZZLES, "-o", PUZZLES], TOKEN, 2, PUZZLES),
        (
            &["lesson", "examples/opera-game.pgn", "--level", "1500"],
            TOKEN,
            2,
            "for --ease",
        ),
        (
            &["lesson", "examples/opera-game.pgn", "--player", " "],
            TOKEN,
            2,
            "--player has no name",
        ),
    ] {
        let (found, stderr) = wrong(args, token);
        assert!(
            found == Some(code) && stderr.contains(text) && !stderr.contains("lines"),
            "{args:?}: {found:?} {stderr}"
        );
    }
}

/// Exercises often begin with the mistake, so no earlier move exists. The comment explains the
/// better move instead of the missed one.
#[test]
fn a_mistake_at_the_first_move_is_a_chapter_of_a_lesson() {
    if !have_stockfish() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("exercise.pgn").display().to_string();
    let fen = "4k3/5pbp/1r1r2p1/5p1P/b7/5n2/8/n1K5 b - - 0 31";
    std::fs::write(
        &games,
        format!("[White \"A\"]\n[Black \"B\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n31... gxh5 *\n"),
    )
    .unwrap();
    for (language, words) in [("en", "] Mates."), ("de", "] Setzt matt.")] {
        let ran = run(centipawn([
            "study",
            "lesson",
            &games,
            "--nodes",
            "2000",
            "--store",
            "none",
            "--language",
            language,
            "-o",
            "-",
            "-q",
        ]));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let text = ran
            .stdout()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            text.contains("31... Bh6# {") && text.contains(words),
            "{text}"
        );
    }
}

/// A lesson uses the reviews that the store has, unless another limit or other lines are requested.
#[test]
fn a_lesson_of_reviewed_games_searches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let ran = |args: &[&str], log: &str| {
        let engine = fake(&format!("log '{}' 1", file(log)));
        let mut command = centipawn([]);
        command
            .args(args)
            .args(["examples/opera-game.pgn", "--quiet"]);
        command.args(["--engine", &engine, "--store", &file("a.db")]);
        let ran = run_with(&mut command);
        assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
        std::fs::read_to_string(file(log)).map_or(0, |log| log.lines().count())
    };
    let searched = ran(&["review", "--nodes", "1000", "--json", "/dev/null"], "1");
    assert!(searched > 20, "{searched}");
    let output = file("lesson.pgn");
    let lesson = ["study", "lesson", "-o", &output];
    assert_eq!(ran(&lesson, "2"), 0);
    let other = ["study", "lesson", "-o", &output, "--lines", "1"];
    assert!(ran(&other, "3") > 20);
}

/// A page to print, from standard input, and no page without puzzles.
#[test]
fn puzzles_are_a_worksheet() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = folder.path().join("sheet.html");
    let mut command = centipawn([
        "study",
        "worksheet",
        PUZZLES,
        "--most",
        "8",
        "--title",
        "A<B",
    ]);
    command.args(["--shuffle", "--seed", "7", "--language", "de", "-o"]);
    let done = run_with(command.arg(&sheet));
    assert_eq!((done.code(), done.stderr()), (Some(0), ""));
    let page = std::fs::read_to_string(&sheet).unwrap();
    assert_eq!(page.matches("class=\"diagram\"").count(), 8);
    assert_eq!(page.matches("<section class=\"sheet\">").count(), 2);
    assert!(page.contains("<title>A&lt;B</title>") && page.contains("Lösungen"));
    // The same seed gives the same sheet.
    run_with(command.arg("--quiet"));
    assert_eq!(std::fs::read_to_string(&sheet).unwrap(), page);

    let empty = folder.path().join("empty.jsonl");
    std::fs::write(&empty, "").unwrap();
    let mut nothing = centipawn(["study", "worksheet"]);
    run_with(nothing.arg(&empty).arg("-o").arg(&sheet));
    assert_eq!(std::fs::read_to_string(&sheet).unwrap(), page, "it stays");
}
