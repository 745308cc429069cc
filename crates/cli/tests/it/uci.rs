//! `centipawn uci`, as a GUI sees it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use crate::common::{centipawn, fake, have_stockfish};

/// A conversation with an engine.
struct Conversation {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Conversation {
    fn with(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let (sender, lines) = channel();
        thread::spawn(move || {
            output
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Self {
            child,
            input,
            lines,
            heard: Vec::new(),
        }
    }

    fn of(args: &[&str]) -> Self {
        let mut command = centipawn(["uci"]);
        command.args(args);
        Self::with(command)
    }

    fn send(&mut self, command: &str) {
        writeln!(self.input, "{command}").unwrap();
    }

    /// Reads lines up to one that begins with `word`.
    fn until(&mut self, word: &str) -> Vec<String> {
        let (deadline, mut lines) = (Instant::now() + Duration::from_secs(60), Vec::new());
        loop {
            let line = self
                .lines
                .recv_timeout(deadline.saturating_duration_since(Instant::now()));
            let line = line.unwrap_or_else(|_| panic!("no {word} after {:?}", self.heard));
            self.heard.push(line.clone());
            lines.push(line);
            if lines.last().unwrap().split(' ').next() == Some(word) {
                return lines;
            }
        }
    }

    fn ask(&mut self, command: &str, word: &str) -> Vec<String> {
        self.send(command);
        self.until(word)
    }

    fn quit(mut self) -> Option<i32> {
        self.send("quit");
        drop(self.input);
        self.child.wait().unwrap().code()
    }
}

/// Returns the value that follows a field's name in a line.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|word| *word != name).nth(1)
}

fn wdl(line: &str) -> Option<Vec<u32>> {
    let words = line
        .split(' ')
        .skip_while(|word| *word != "wdl")
        .skip(1)
        .take(3);
    Some(
        words
            .map(|word| word.parse().unwrap())
            .collect::<Vec<u32>>(),
    )
    .filter(|wdl| !wdl.is_empty())
}

/// Returns the lines about the search, without fields that depend on time.
fn lasting(lines: &[String]) -> Vec<String> {
    let is_of_time = |word: &str| ["time", "nps", "hashfull"].contains(&word);
    let lines = lines
        .iter()
        .filter(|line| !line.starts_with("info string") && !line.contains("currmove"));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let kept = (0..words.len())
                .filter(|&at| !is_of_time(words[at]) && (at == 0 || !is_of_time(words[at - 1])));
            kept.map(|at| words[at]).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

const ITALIAN: &str = "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4";

#[test]
fn the_engine_is_unchanged() {
    if !have_stockfish() {
        return;
    }
    let command = centipawn_engine::find("stockfish").unwrap();
    let mut alone = Conversation::with(Command::new(command.program));
    let mut wrapped = Conversation::of(&["--option", "Show_Human=false"]);
    for engine in [&mut alone, &mut wrapped] {
        engine.ask("uci", "uciok");
        engine.send("setoption name MultiPV value 3");
        engine.ask("isready", "readyok");
        engine.send(ITALIAN);
    }
    for go in [
        "go nodes 30000",
        "go depth 9 searchmoves f8c5 g8f6 a7a6",
        "go mate 1 depth 8",
    ] {
        if go.starts_with("go mate") {
            let mate = "position startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6";
            [&mut alone, &mut wrapped]
                .into_iter()
                .for_each(|engine| engine.send(mate));
        }
        let [alone, wrapped] =
            [&mut alone, &mut wrapped].map(|engine| lasting(&engine.ask(go, "bestmove")));
        assert_eq!(wrapped, alone, "{go}");
        // Both engines keep their hash between searches, so the next search compares that, too.
    }
    assert_eq!((alone.quit(), wrapped.quit()), (Some(0), Some(0)));
}

#[test]
fn options_of_both_are_offered() {
    if !have_stockfish() {
        return;
    }
    let mut engine = Conversation::of(&[
        "--option",
        "Rating=1500",
        "--option",
        "hash=32",
        "--curve",
        "lichess",
    ]);
    let lines = engine.ask("uci", "uciok");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("id name Centipawn with Stockfish")),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"option name Rating type spin default 1500 min 100 max 4000".to_owned()),
        "{lines:#?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("option name Curve type combo default lichess var human"))
    );
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("UCI_ShowWDL"))
            .count(),
        1
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("option name SyzygyPath"))
    );
    let complaints = engine.ask("setoption name rating value fast\nisready", "readyok");
    assert!(
        complaints[0].starts_with("info string option Rating takes a rating from 100 to 4000"),
        "{complaints:?}"
    );
    assert_eq!(engine.quit(), Some(0));
    assert_eq!(
        Conversation::of(&["--option", "Rating=fast"])
            .child
            .wait()
            .unwrap()
            .code(),
        Some(2)
    );
    for (option, says) in [
        ("Hsh=32", "there is no option \"Hsh\"; did you mean Hash?"),
        ("Hash=0", "from 1 to"),
    ] {
        let mut engine = centipawn(["uci", "--option", option]);
        let mut engine = engine
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        writeln!(engine.stdin.as_mut().unwrap(), "uci").unwrap();
        // The wrapper ends by itself, although its input is still open.
        let mut error = String::new();
        engine
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut error)
            .unwrap();
        assert_eq!(engine.wait().unwrap().code(), Some(3), "{error}");
        assert!(error.contains(says), "{error}");
    }
    assert_eq!(
        Conversation::of(&["--engine", "/no/engine"])
            .child
            .wait()
            .unwrap()
            .code(),
        Some(3)
    );
}

#[test]
fn worth_depends_on_ratings_and_clocks() {
    if !have_stockfish() {
        return;
    }
    let mut engine = Conversation::of(&["--option", "UCI_ShowWDL=true"]);
    engine.ask("uci", "uciok");
    let mut worth = |options: &str, position: &str, go: &str| {
        options
            .split(';')
            .filter(|option| !option.is_empty())
            .for_each(|option| engine.send(&format!("setoption name {option}")));
        engine.send("ucinewgame");
        engine.send(position);
        let lines = engine.ask(go, "bestmove");
        let best = lines
            .iter()
            .rfind(|line| line.contains(" score "))
            .unwrap()
            .clone();
        (
            wdl(&best),
            field(&best, "cp").and_then(|cp| cp.parse::<i32>().ok()),
            lines,
        )
    };
    // White is a rook up, and Black is to move. Between strong players with much time, Black loses
    // more often than in fast games.
    let rook_up = "position fen 4k3/pppp1ppp/8/8/8/8/PPPPPPPP/R3K3 b - - 0 1";
    let (slow, cp, _) = worth(
        "Rating value 2400;TimeControl value 90+30",
        rook_up,
        "go nodes 5000",
    );
    let (fast, ..) = worth(
        "Rating value 1200;TimeControl value 60+0",
        rook_up,
        "go nodes 5000",
    );
    let (slow, fast) = (slow.unwrap(), fast.unwrap());
    assert!(
        cp.unwrap() < -300 && slow[2] > fast[2] + 200 && slow.iter().sum::<u32>() == 1000,
        "{cp:?} {slow:?} {fast:?}"
    );
    // The clocks of the game change the worth of a position.
    let (flagging, ..) = worth(
        "TimeControl value <empty>",
        rook_up,
        "go wtime 3000 btime 60000 nodes 5000",
    );
    assert!(flagging.unwrap()[2] < fast[2]);
    // Select another curve, and percentages as lc0 prints them.
    let (_, percentage, _) = worth(
        "Curve value lichess;Score_Type value percentage",
        rook_up,
        "go nodes 5000",
    );
    let expected = 10_000.0 / (1.0 + (-0.003_682_08 * f64::from(cp.unwrap().max(-1000))).exp());
    assert!(
        (f64::from(percentage.unwrap()) - expected).abs() < 30.0,
        "{percentage:?} {expected}"
    );
    let (own, ..) = worth(
        "Curve value engine;Score_Type value engine",
        rook_up,
        "go nodes 5000",
    );
    assert_eq!(own.unwrap().iter().sum::<u32>(), 1000);
    let (none, ..) = worth("UCI_ShowWDL value false", rook_up, "go nodes 5000");
    assert_eq!(none, None);
    // A position with mate on the board, and an invalid position.
    let (.., lines) = worth(
        "",
        "position startpos moves f2f3 e7e5 g2g4 d8h4",
        "go nodes 100",
    );
    assert_eq!(lines.last().unwrap(), "bestmove (none)");
    // A finished drawn game is worth a draw at any ratings.
    for drawn in [
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "7k/8/6K1/8/8/8/8/8 w - - 0 1",
    ] {
        let (wdl, _, lines) = worth(
            "UCI_ShowWDL value true;Curve value human;Rating value 1200;Opponent value 2400",
            &format!("position fen {drawn}"),
            "go depth 1",
        );
        assert_eq!(wdl, Some(vec![0, 1000, 0]), "{lines:#?}");
    }
    // No message about unknown probabilities is printed for a position without moves. Messages come
    // after the answer, so wait a little.
    engine.ask(
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo depth 1",
        "bestmove",
    );
    thread::sleep(Duration::from_millis(200));
    let lines = engine.ask("isready", "readyok");
    assert!(
        !lines.iter().any(|line| line.contains("is not known")),
        "{lines:#?}"
    );
    assert_eq!(engine.quit(), Some(0));
}

#[test]
fn human_chances_are_printed_and_order_the_lines() {
    if !have_stockfish() {
        return;
    }
    let mut engine = Conversation::of(&["--option", "Level=1500", "--option", "MultiPV=4"]);
    engine.ask("uci", "uciok");
    engine.send("position startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6");
    engine.send("go infinite");
    let mut said = Vec::new();
    while !said
        .iter()
        .any(|line: &String| line.contains("players of 1500 play"))
    {
        said.extend(engine.until("info"));
    }
    assert!(
        said.iter()
            .any(|line| line.contains("between 1800 and 1800: White wins")),
        "{said:#?}"
    );
    engine.ask("stop", "bestmove");
    engine.send("setoption name Show_Human value false");
    for order in ["human", "ease"] {
        engine.send(&format!("setoption name Order value {order}"));
        let lines = engine.ask("go movetime 700", "bestmove");
        let ranks: Vec<usize> = lines
            .iter()
            .filter_map(|line| field(line, "multipv")?.parse().ok())
            .collect();
        let steps = ranks
            .windows(2)
            .filter(|pair| pair[1] != pair[0] + 1 && pair[1] != 1)
            .count();
        assert!(ranks.len() > 8 && steps == 0, "{order}: {ranks:?}");
        // The best move is the mate, whatever the order of the lines.
        assert!(
            lines.last().unwrap().starts_with("bestmove h5f7"),
            "{order}"
        );
    }
    assert_eq!(engine.quit(), Some(0));
}

#[test]
fn a_crash_is_reported_and_survived() {
    let fake = |role: &str| crate::common::fake(role);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("died");
    let mut engine =
        Conversation::of(&["--engine", &fake(&format!("die-once {}", file.display()))]);
    engine.ask("uci", "uciok");
    engine.send(ITALIAN);
    let lines = engine.ask("go nodes 1000", "bestmove");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("crashed (exit status: 7") && line.contains("started again")),
        "{lines:#?}"
    );
    assert!(engine.ask("isready", "readyok").len() == 1);
    assert_eq!(engine.quit(), Some(0));

    // An engine that crashes in every search: the wrapper plays a legal move, then gives up.
    let mut engine = Conversation::of(&["--engine", &fake("die-on r1bqkbnr")]);
    engine.ask("uci", "uciok");
    engine.send(ITALIAN);
    let lines = engine.ask("go nodes 1000", "bestmove");
    assert_eq!(
        lines.iter().filter(|line| line.contains("crashed")).count(),
        2,
        "{lines:#?}"
    );
    engine.send("go nodes 1000");
    engine.until("bestmove");
    engine.send("go nodes 1000");
    engine.send("isready");
    assert_eq!(engine.child.wait().unwrap().code(), Some(3));
    // The engine exits before the handshake.
    let mut engine = Conversation::of(&["--engine", &fake("exit")]);
    assert_eq!(engine.child.wait().unwrap().code(), Some(3));
}

/// Writes a shell script that acts as an engine. `cases` are the branches of a `case` statement
/// over its input lines.
#[cfg(unix)]
fn script(folder: &std::path::Path, cases: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;

    let path = folder.join("engine.sh");
    let text = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n{cases}\nquit) exit;;\nesac; done\n"
    );
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[cfg(unix)]
#[test]
fn other_variants_are_passed_through() {
    let folder = tempfile::tempdir().unwrap();
    let info = "info depth 1 score cp 10 nodes 5 pv c3b5";
    let engine = script(
        folder.path(),
        &format!(
            "uci) echo 'id name Variants'
                echo 'option name UCI_Variant type combo default chess var chess var antichess'; echo uciok;;
            isready) echo readyok;;
            go*) echo '{info}'; echo 'bestmove c3b5';;"
        ),
    );
    let options = [
        "UCI_ShowWDL=true",
        "Play_Like=1500",
        "Score_Type=percentage",
    ];
    let options = options.map(|option| ["--option", option]).concat();
    let mut engine = Conversation::of(&[&["--engine", &engine, "--seed", "1"], &*options].concat());
    engine.send("uci");
    engine.send("position startpos");
    engine.send("setoption name UCI_Variant value antichess");
    engine.until("uciok");
    engine.send("position startpos moves h2h3 b7b5 b1c3 f7f6");
    let lines = engine.ask("go depth 6", "bestmove");
    assert!(
        lines[0].starts_with("info string UCI_Variant is antichess: the engine's lines pass"),
        "{lines:#?}"
    );
    assert_eq!(lines[1..], [info, "bestmove c3b5"]);
    // The message is printed only once.
    assert_eq!(
        engine.ask("go depth 6", "bestmove"),
        [info, "bestmove c3b5"]
    );
    engine.send("setoption name UCI_Variant value chess");
    engine.send("setoption name Play_Like value 0");
    let lines = engine.ask("go depth 6", "bestmove");
    assert!(
        lines.iter().any(|line| line.contains(" wdl ")),
        "{lines:#?}"
    );
    assert_eq!(engine.quit(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_second_engine_has_the_options_of_the_gui() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let engine = script(
        folder.path(),
        &format!(
            "uci) echo 'id name Log'; echo 'option name Style type string default <empty>'
                echo 'option name Hash type spin default 16 min 1 max 64'; echo uciok;;
            isready) echo readyok;;
            setoption*) echo \"$$ $line\" >> '{}';;
            go*) echo 'info depth 1 score cp 0 nodes 1 pv e2e4'; echo 'bestmove e2e4';;",
            log.display()
        ),
    );
    let mut engine = Conversation::of(&[
        "--engine",
        &engine,
        "--option",
        "Play_Like=1500",
        "--seed",
        "1",
    ]);
    engine.ask("uci", "uciok");
    engine.send("setoption name Hash value 32");
    for style in ["solid", "wild"] {
        engine.send(&format!("setoption name Style value {style}"));
        engine.send("position startpos");
        engine.ask("go movetime 50", "bestmove");
    }
    assert_eq!(engine.quit(), Some(0));
    let log = std::fs::read_to_string(log).unwrap();
    let of = |option: &str| {
        let lines = log
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(_, line)| line.ends_with(option));
        lines
            .map(|(process, _)| process)
            .collect::<std::collections::BTreeSet<_>>()
    };
    let (solid, wild) = (of("name Style value solid"), of("name Style value wild"));
    assert_eq!(
        (solid.len(), wild.len(), solid.intersection(&wild).count()),
        (2, 2, 1),
        "{log}"
    );
    // The wrapper gives its second engine only 32 MiB of hash memory.
    assert_eq!(of("name Hash value 32").len(), 1, "{log}");
}

#[cfg(unix)]
#[test]
fn a_crash_loses_no_option() {
    let folder = tempfile::tempdir().unwrap();
    let (log, died) = (folder.path().join("log"), folder.path().join("died"));
    let engine = script(
        folder.path(),
        &format!(
            "uci) echo 'id name Options'; echo 'option name Hash type spin default 16 min 1 max 64'
                echo 'option name Hash File type string default <empty>'; echo uciok;;
            isready) echo readyok;;
            setoption*) echo \"$line\" >> '{}';;
            go*) [ -e '{died}' ] || {{ : > '{died}'; exit 7; }}; echo 'bestmove e2e4';;",
            log.display(),
            died = died.display()
        ),
    );
    let mut engine = Conversation::of(&["--engine", &engine]);
    engine.ask("uci", "uciok");
    let options = [
        "setoption name Hash File value book.bin",
        "setoption name Hash value 32",
    ];
    options.iter().for_each(|option| engine.send(option));
    engine.send("position startpos");
    engine.ask("go depth 1", "bestmove");
    assert_eq!(engine.quit(), Some(0));
    let sent = std::fs::read_to_string(log).unwrap();
    let sent: Vec<&str> = sent.lines().collect();
    assert!(
        sent.ends_with(&options) && sent.starts_with(&options) && sent.len() > 2,
        "{sent:#?}"
    );
}

#[cfg(unix)]
#[test]
fn a_position_that_crashes_the_engine_is_not_searched_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = script(
        folder.path(),
        "uci) echo 'id name Fragile'; echo uciok;;
        isready) echo readyok;;
        position*8/8/8/8*) exit 7;;
        go*) echo 'bestmove e2e4';;",
    );
    let mut engine = Conversation::of(&["--engine", &engine]);
    engine.ask("uci", "uciok");
    engine.send("position fen 8/8/8/8/8/8/8/8 w - - 0 1");
    engine.until("info");
    let lines = engine.ask("isready", "readyok");
    assert_eq!(
        lines.iter().filter(|line| line.contains("crashed")).count(),
        1,
        "{lines:#?}"
    );
    // After two crashes at a position the wrapper does not search it again.
    let lines = engine.ask("go depth 1", "bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove (none)");
    engine.send("position startpos");
    let lines = engine.ask("go depth 1", "bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove e2e4");
    assert_eq!(engine.quit(), Some(0));
}

#[test]
fn an_engine_that_ignores_quit_is_killed() {
    let mut engine = Conversation::of(&["--engine", &crate::common::fake("slow-quit")]);
    engine.ask("uci", "uciok");
    engine.ask("isready", "readyok");
    let begun = Instant::now();
    assert_eq!(engine.quit(), Some(0));
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn the_sparring_partner_moves_as_people_do() {
    if !have_stockfish() {
        return;
    }
    let mut engine = Conversation::of(&["--option", "Play_Like=1300", "--seed", "3"]);
    engine.ask("uci", "uciok");
    let (mut game, mut left) = (String::from("position startpos moves e2e4"), 3000.0);
    for _ in 0..5 {
        engine.send(&game);
        let begun = Instant::now();
        let answer = engine.ask(
            &format!("go wtime 3000 btime {left:.0} winc 0 binc 0"),
            "bestmove",
        );
        left -= begun.elapsed().as_secs_f64() * 1000.0;
        let best = field(answer.last().unwrap(), "bestmove").unwrap();
        game += &format!(" {best}");
        // White plays the first legal move. Parsing all moves also shows that Black's reply was
        // legal.
        let mut history = centipawn_core::History::default();
        for uci in game.split(" moves ").nth(1).unwrap().split(' ') {
            history.push(history.parse_uci(uci).unwrap());
        }
        let reply = shakmaty::Position::legal_moves(history.position())[0];
        game += &format!(" {}", history.uci(reply));
    }
    assert!(left > 0.0);
    // After `stop` the move comes at once. An infinite analysis is answered by the engine.
    engine.send("position startpos");
    engine.send("go wtime 600000 btime 600000");
    thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    engine.ask("stop", "bestmove");
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert!(engine.ask("go infinite\nstop", "bestmove").len() > 1);
    assert_eq!(engine.quit(), Some(0));
}

#[test]
fn commands_from_a_file_are_finished() {
    if !have_stockfish() {
        return;
    }
    let mut engine = Conversation::of(&[]);
    engine.send("uci\nsetoption name UCI_Chess960 value true");
    engine.send("position fen 1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1 moves e1b1\ngo nodes 20000");
    drop(engine.input);
    let lines: Vec<String> = engine.lines.iter().collect();
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:#?}");
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

/// Some GUIs send `stop` and the next search without waiting for `bestmove`, and a file of commands
/// does not wait either.
#[test]
fn a_search_waits_for_the_end_of_the_last_one() {
    let mut engine = Conversation::of(&[
        "--engine",
        &fake("think 300"),
        "--option",
        "UCI_ShowWDL=true",
    ]);
    engine.ask("uci", "uciok");
    engine.send("position startpos\ngo nodes 100\nposition startpos moves e2e4\ngo nodes 100");
    drop(engine.input);
    let lines: Vec<String> = engine.lines.iter().collect();
    let searches: Vec<&[String]> = lines.split(|line| line.starts_with("bestmove ")).collect();
    assert_eq!(searches.len(), 3, "{lines:#?}");
    for search in &searches[..2] {
        assert!(search.iter().any(|line| wdl(line).is_some()), "{lines:#?}");
    }
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

/// Options of the command line are set before commands that the GUI sent without waiting for
/// `uciok`.
#[test]
fn options_come_before_the_first_search() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let engine = fake(&format!("log '{}' 0", log.display()));
    let mut engine = Conversation::of(&["--engine", &engine, "--option", "MultiPV=3"]);
    engine.send("uci\nposition startpos\ngo nodes 100");
    engine.until("bestmove");
    assert_eq!(engine.quit(), Some(0));
    let asked = std::fs::read_to_string(&log).unwrap();
    assert!(asked.contains("multipv 3 go nodes 100"), "{asked}");
}

/// Without a `position` command the engine searches the start position, and its lines have win,
/// draw and loss as well.
#[test]
fn a_search_without_a_position_uses_the_start() {
    let mut engine = Conversation::of(&["--engine", &fake("ok"), "--option", "UCI_ShowWDL=true"]);
    engine.ask("uci", "uciok");
    let lines = engine.ask("go nodes 100", "bestmove");
    assert!(lines.iter().any(|line| wdl(line).is_some()), "{lines:#?}");
    assert_eq!(engine.quit(), Some(0));
}

/// Counting positions gives no `bestmove`, so the end of the input must not wait for one.
#[test]
fn perft_gives_no_bestmove() {
    let mut engine = Conversation::of(&["--engine", &fake("ok")]);
    engine.ask("uci", "uciok");
    engine.send("position startpos");
    engine.ask("go perft 1", "Nodes");
    drop(engine.input);
    let (mut child, begun) = (engine.child, Instant::now());
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("the wrapper waits for the end of a search");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
