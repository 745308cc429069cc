//! `centipawn ease`, as a user sees it.

use std::process::Command;

use crate::common::{centipawn, fake, root, run};
use serde_json::Value;

/// `centipawn ease` with small random networks from the test data.
fn ease(args: &[&str]) -> Command {
    let data = root().join("crates/policy/tests/data");
    let mut command = centipawn(["ease", "--policy"]);
    command.arg(data.join("res_se_conv_wdl.pb.gz")).args(args);
    command
}

fn with_fake(args: &[&str]) -> Command {
    let mut command = ease(args);
    command.args(["--engine", &fake("ok"), "--nodes", "1000", "--jobs", "1"]);
    command
}

fn documents(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const FEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 4";

/// The printed ease equals the formula applied to the printed terms.
#[test]
fn ease_follows_from_its_printed_terms() {
    let ran = run(with_fake(&[FEN, "--json"]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let [document] = &documents(ran.stdout())[..] else {
        panic!("{}", ran.stdout())
    };
    assert_eq!(document["fen"], FEN);
    assert_eq!(document["history_made_up"], 7);
    let moves = document["moves"].as_array().unwrap();
    let number = |mv: &Value, key: &str| mv[key].as_f64().unwrap();
    let best = moves
        .iter()
        .map(|mv| number(mv, "q"))
        .fold(f64::MIN, f64::max);
    let mut sum = 0.0;
    for mv in moves {
        if let Some(cp) = mv["mover_eval"]["cp"].as_f64() {
            assert!(
                (number(mv, "q") - (2.0 / (1.0 + (-0.003_682_08 * cp).exp()) - 1.0)).abs() < 1e-9
            );
        }
        assert!((number(mv, "score_loss") - (best - number(mv, "q")) / 2.0).abs() < 1e-9);
        sum += number(mv, "p_policy").powf(1.5) * number(mv, "score_loss");
    }
    assert!((number(document, "ease") - (1.0 - sum.cbrt())).abs() < 1e-9);
    // The moves cover 90 % of the network's probability, except for moves with less than 1 % each.
    let mass = |key: &str| -> f64 { moves.iter().map(|mv| number(mv, key)).sum() };
    assert!(mass("p_policy") > 0.85, "{}", mass("p_policy"));
    let meter = &document["meter"];
    let covered: f64 = ["good", "inaccurate", "blunder"]
        .iter()
        .map(|key| number(meter, key))
        .sum();
    assert!((mass("p") - covered).abs() < 1e-9);
    let lost: f64 = moves
        .iter()
        .map(|mv| number(mv, "p") * number(mv, "score_loss"))
        .sum();
    assert!((number(document, "expected_loss") - lost / mass("p")).abs() < 1e-9);
}

#[test]
fn explained() {
    let ran = run(with_fake(&[FEN, "--explain"]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stdout()
            .contains("note: the position was given without its game: 7 of the 8"),
        "{}",
        ran.stdout()
    );
    assert!(
        ran.stdout()
            .contains("move       played  policy     eval       Q   loss  share"),
        "{}",
        ran.stdout()
    );
}

/// With --ahead, a position is never easier than without it.
#[test]
fn looking_ahead_never_makes_a_position_easier() {
    let ran = run(with_fake(&[
        "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1",
        "--ahead",
        "2",
        "--json",
    ]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document = &documents(ran.stdout())[0];
    let [ease, ahead] = ["ease", "ease_ahead"].map(|key| document[key].as_f64().unwrap());
    assert!(0.0 < ahead && ahead <= ease, "{document}");
    assert_eq!(
        run(with_fake(&["examples/opera-game.pgn", "--ahead", "2"])).code(),
        Some(2)
    );
}

#[test]
fn one_legal_move_is_easy_and_none_is_an_error() {
    let ran = run(with_fake(&["1r5k/8/8/8/8/8/8/K7 w - - 0 1", "--json"]));
    assert_eq!(
        (documents(ran.stdout())[0]["ease"].as_f64(), ran.code()),
        (Some(1.0), Some(0))
    );
    let ran = run(with_fake(&["7k/5Q2/5K2/8/8/8/8/8 b - - 0 1"]));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("there is no legal move in"),
        "{}",
        ran.stderr()
    );
}

/// With only the game's evaluations, ease is an upper bound, and the output marks it as one.
#[test]
fn evaluations_of_the_game_alone_give_a_bound() {
    let ran = run(ease(&[
        "tests/data/lichess.pgn",
        "--reuse-evals",
        "--no-engine",
        "--json",
    ]));
    // The start position counts as +0.15 and the mate is evaluated by the rules, as in a review.
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let documents = documents(ran.stdout());
    // The game has 53 positions. The first six are left out because they are outside the networks'
    // training data.
    assert_eq!(documents.len(), 47);
    assert_eq!(
        documents[0]["provenance"]["inputs"][0]["name"],
        "lichess.pgn"
    );
    assert!(
        documents[1..]
            .iter()
            .all(|document| document.get("provenance").is_none())
    );
    let folder = tempfile::tempdir().unwrap();
    let gaps = folder.path().join("gaps.pgn");
    std::fs::write(&gaps, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 { [%eval 0.2] } 4. Ba4 { [%eval 0.2] } Nf6 5. O-O Be7 { [%eval 0.2] } 6. Re1 { [%eval 0.2] } *").unwrap();
    let ran = run(ease(&[
        gaps.to_str().unwrap(),
        "--reuse-evals",
        "--no-engine",
    ]));
    assert!(
        ran.stdout()
            .contains("9 positions left out, because they have no evaluation"),
        "{}",
        ran.stdout()
    );
    let ran = run(ease(&[
        "examples/opera-game.pgn",
        "--reuse-evals",
        "--no-engine",
    ]));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("the game has no evaluations"),
        "{}",
        ran.stderr()
    );
    for document in &documents {
        let exact = document["ease"].as_f64();
        assert!(
            exact.is_some() != document["ease_at_most"].is_number(),
            "{document}"
        );
        let is_missing = document["missing"]
            .as_array()
            .is_some_and(|missing| !missing.is_empty());
        assert_eq!(exact.is_none(), is_missing, "{document}");
    }
    assert!(
        documents
            .iter()
            .any(|document| document["ease_at_most"].is_number())
    );
    // With an engine, no evaluation is missing.
    let mut command = ease(&["tests/data/lichess.pgn", "--reuse-evals", "--json"]);
    command.args(["--engine", &fake("ok"), "--nodes", "100", "--jobs", "2"]);
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(ran.stdout().lines().all(|line| !line.contains("missing")));
    assert_eq!(ran.stdout().lines().count(), 47);
}

/// ChessDB answers first. If it fails or its answer is invalid, the engine answers; without an
/// engine the error is reported.
#[test]
fn chessdb_answers_before_the_engine() {
    use std::io::{BufRead as _, BufReader, Write as _};

    let server = |body: &'static str| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("--chessdb=http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(stream);
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    line.clear();
                }
                let _ = write!(
                    reader.into_inner(),
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        address
    };
    // A pawn ending with five legal moves, all of which the fake ChessDB evaluates.
    const PAWN: &str = "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1";
    let known = server(
        r#"{"status":"ok","moves":[{"uci":"e1d2","score":0},{"uci":"e1f2","score":-10},{"uci":"e1d1","score":-300},
        {"uci":"e1f1","score":-310},{"uci":"e2e3","score":-500}]}"#,
    );
    let ran = run(ease(&[PAWN, &known, "--no-engine", "--json"]));
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document = &documents(ran.stdout())[0];
    let losing = document["moves"]
        .as_array()
        .unwrap()
        .iter()
        .find(|mv| mv["uci"] == "e2e3")
        .unwrap();
    assert_eq!(losing["mover_eval"]["cp"], -500);
    for address in [
        server("<html>"),
        server(r#"{"status":"unknown"}"#),
        "--chessdb=http://127.0.0.1:1".to_owned(),
    ] {
        let ran = run(with_fake(&[PAWN, &address, "--json"]));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    }
    let ran = run(ease(&[PAWN, "--chessdb=chessdb.cn", "--no-engine"]));
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr()
            .contains("an address begins with http:// or https://"),
        "{}",
        ran.stderr()
    );
    let ran = run(ease(&[PAWN, &server("<html>"), "--no-engine"]));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("it does not speak as ChessDB does"),
        "{}",
        ran.stderr()
    );
    assert_eq!(run(ease(&[PAWN, "--no-engine"])).code(), Some(2));
}

/// A game at two levels has one graph for each, and the output does not depend on the number of
/// engines.
#[test]
fn a_game_has_a_graph_for_each_level() {
    let other = root().join("crates/policy/tests/data/attn_pemap_nosmolgen_relu.pb.gz");
    let of = |jobs: &str| {
        let mut command = ease(&[
            "examples/opera-game.pgn",
            "--engine",
            &fake("ok"),
            "--nodes",
            "1000",
            "--jobs",
            jobs,
        ]);
        command.arg("--policy").arg(&other);
        run(command).stdout().to_owned()
    };
    let text = of("1");
    assert_eq!(text, of("2"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Morphy, Paul – Duke Karl / Count Isouard");
    assert_eq!(lines[1].chars().count(), 33);
    assert!(
        lines[3].starts_with("res_se_conv_wdl ") && lines[4].starts_with("attn_pemap_nosm"),
        "{text}"
    );
    assert!(
        lines.iter().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

/// Runs the bundled network with the fake engine, with an empty home folder.
fn bundled(args: &[&str]) -> Command {
    let mut command = centipawn(["ease"]);
    command
        .args(args)
        .args(["--engine", &fake("ok"), "--nodes", "1000", "--jobs", "1"]);
    command
        .env_remove("CENTIPAWN_POLICY")
        .env("CENTIPAWN_POLICY_DIR", "/nowhere");
    command
}

#[test]
fn levels_of_the_network_in_the_program() {
    let of = |args: &[&str]| {
        let ran = run(bundled(&[&[FEN, "--json"], args].concat()));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let levels = |document: &Value| {
            (
                document["policy"].clone(),
                document["level"].clone(),
                document["player"].clone(),
            )
        };
        documents(ran.stdout())
            .iter()
            .map(levels)
            .collect::<Vec<_>>()
    };
    let own = |level: u32| (Value::from("centipawn-1"), Value::from(level), Value::Null);
    assert_eq!(of(&[]), [own(1100), own(1500), own(1900)]);
    assert_eq!(
        of(&["--level", "1350", "--level", "1200..1400"]),
        [own(1200), own(1300), own(1350), own(1400)]
    );
    assert_eq!(of(&["--level", "1100..1900"]).len(), 9);
    // Black is to move.
    let players = of(&["--players", "1700,2400"]);
    assert_eq!(
        players.last(),
        Some(&(Value::from("centipawn-1"), 2200.into(), 2400.into()))
    );

    let ran = run(bundled(&[FEN, "--level", "2500"]));
    assert!(
        ran.stderr().contains("level 2500: 2200 is the nearest"),
        "{}",
        ran.stderr()
    );
    let ran = run(with_fake(&[FEN, "--level", "1500"]));
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr()
            .contains("res_se_conv_wdl imitates players of one level"),
        "{}",
        ran.stderr()
    );
    assert_eq!(run(bundled(&[FEN, "--level", "strong"])).code(), Some(2));
}

/// Early losses are computed only for moves of players rated 2300 or more, and a second run takes
/// all answers from the store.
#[test]
fn early_losses_of_a_strong_player() {
    let folder = tempfile::tempdir().unwrap();
    let (games, store) = (
        folder.path().join("strong.pgn"),
        folder.path().join("evals.db"),
    );
    std::fs::write(
        &games,
        "[WhiteElo \"1320\"]\n[BlackElo \"2400\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 g6 4. Qf3 Nf6 5. Qb3 Nd4 *",
    )
    .unwrap();
    let judged = || {
        let ran = run(bundled(&[
            games.to_str().unwrap(),
            "--json",
            "--store",
            store.to_str().unwrap(),
        ]));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let moves = |document: &Value| (document["player"].clone(), document["moves"].clone());
        documents(ran.stdout())
            .iter()
            .map(moves)
            .collect::<Vec<_>>()
    };
    let first = judged();
    assert_eq!(first, judged());
    assert_eq!(
        first.iter().filter(|(player, _)| *player == 2400).count(),
        2
    );
    for (player, moves) in &first {
        let moves = moves.as_array().unwrap();
        assert!(
            moves
                .iter()
                .all(|mv| mv["early_loss"].is_f64() == (*player == 2400)),
            "{player}: {moves:?}"
        );
    }
}

/// Each player's moves are judged at that player's own level.
#[test]
fn players_of_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("rated.pgn");
    let text = "[White \"Anna\"]\n[Black \"Boris\"]\n[WhiteElo \"1320\"]\n[BlackElo \"2430\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 g6 4. Qf3 Nf6 5. Qb3 Nd4 6. Bxf7+ Ke7 *";
    std::fs::write(&games, text).unwrap();
    let games = games.to_str().unwrap();
    let ran = run(bundled(&[games, "--json"]));
    let own: Vec<(u64, u64)> = documents(ran.stdout())
        .iter()
        .filter_map(|document| Some((document["player"].as_u64()?, document["level"].as_u64()?)))
        .collect();
    assert_eq!(own, [(1320, 1320), (2430, 2200)].repeat(3));
    let ran = run(bundled(&[games]));
    assert!(ran.stdout().contains("players' own"), "{}", ran.stdout());
    assert!(
        ran.stdout()
            .contains("note: the network imitates 2200, the level nearest to 2430"),
        "{}",
        ran.stdout()
    );
    assert!(
        ran.stdout().lines().all(|line| line.chars().count() <= 80),
        "{}",
        ran.stdout()
    );
    let ran = run(bundled(&[games, "--json", "--level", "1500"]));
    assert_eq!(documents(ran.stdout()).len(), 6);
}

/// Positions are read from files and standard input, one on each line. An invalid line is reported,
/// and the others are processed.
#[test]
fn positions_from_files() {
    use std::io::Write as _;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    let text =
        format!("# two positions\n{FEN}\n\n8/8/8/8/8/8/8/8 w - - 0 1\nstartpos moves e2e4\n");
    std::fs::write(&file, &text).unwrap();
    let ran = run(bundled(&[
        file.to_str().unwrap(),
        "--level",
        "1500",
        "--json",
    ]));
    assert_eq!(
        (ran.code(), documents(ran.stdout()).len()),
        (Some(1), 2),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr().contains("positions.txt") && ran.stderr().contains("line 4"),
        "{}",
        ran.stderr()
    );
    let from_file = ran.stdout().to_owned();

    let mut command = bundled(&["-", "--level", "1500", "--json"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert_eq!(
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap(),
        from_file
    );
}

/// A forced move has its place in JSON too.
#[test]
fn a_forced_move_is_listed() {
    let ran = run(bundled(&[
        "1r5k/8/8/8/8/8/8/K7 w - - 0 1",
        "--json",
        "--level",
        "1500",
    ]));
    let document = &documents(ran.stdout())[0];
    let moves = document["moves"].as_array().unwrap();
    assert_eq!(
        (moves.len(), &moves[0]["uci"]),
        (1, &"a1a2".into()),
        "{document}"
    );
    assert_eq!(
        (&moves[0]["score_loss"], &moves[0]["mover_eval"]),
        (&0.0.into(), &Value::Null)
    );
    assert!(
        (moves[0]["p"].as_f64().unwrap() - 1.0).abs() < 1e-9,
        "{document}"
    );
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    for args in [&[FEN, "--level", "1100..1900"][..], &[FEN, "--explain"]] {
        let ran = run(bundled(args));
        let wide: Vec<&str> = ran
            .stdout()
            .lines()
            .filter(|line| line.chars().count() > 80)
            .collect();
        assert!(wide.is_empty(), "{wide:#?}");
    }
}

/// Lichess' evaluations of 2021 have an older unit. They are converted to the engine's unit before
/// both are compared.
#[test]
fn evaluations_of_a_game_and_of_the_engine_have_one_unit() {
    let folder = tempfile::tempdir().unwrap();
    let played = |date: &str| {
        let file = folder.path().join(format!("{date}.pgn"));
        let tags = format!("[Site \"https://lichess.org/x\"]\n[Date \"{date}\"]\n\n");
        // Ease begins after three moves of each side, so the evaluations begin there.
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nc3 Nc6 { [%eval 1.73] } 4. e4 { [%eval 1.73] } e5 { [%eval 1.73] } *\n";
        std::fs::write(&file, tags + text).unwrap();
        let ran = run(with_fake(&[
            file.to_str().unwrap(),
            "--reuse-evals",
            "--json",
        ]));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let first: Value = serde_json::from_str(ran.stdout().lines().next().unwrap()).unwrap();
        let moves = first["moves"].as_array().unwrap();
        moves.iter().find(|own| own["uci"] == "e2e4").unwrap()["mover_eval"]["cp"].as_i64()
    };
    assert_eq!(
        (played("2021.10.01"), played("2026.05.01")),
        (Some(99), Some(173))
    );
}
