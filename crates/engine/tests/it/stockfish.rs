//! Tests with the real Stockfish, skipped if it is missing. `CENTIPAWN_REQUIRE_ENGINES=1` makes
//! that an error.

use std::{
    env,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use centipawn_core::History;
use centipawn_engine::{
    Analyst, AnalystError, Cancel, Engine, EngineConfig, Limit, Line, Patience, Pool, Question,
    find,
};
use centipawn_test_support::skipped;

fn stockfish() -> Option<EngineConfig> {
    let found = find("stockfish").map(EngineConfig::new);
    found
        .inspect_err(|error| skipped(&error.to_string(), "CENTIPAWN_REQUIRE_ENGINES"))
        .ok()
}

fn at(fen: &str, limit: Limit) -> Question {
    Question::new(History::from_fen(fen, None).unwrap(), limit)
}

fn first_moves(question: &Question, lines: &[Line]) -> Vec<String> {
    lines
        .iter()
        .map(|line| question.history.uci(line.first_move()).to_string())
        .collect()
}

const RUY: &str = "r1bqk2r/2ppbppp/p1n2n2/1p2p3/4P3/1B3N2/PPPP1PPP/RNBQR1K1 b kq - 1 7";
const ENDING: &str = "8/5pk1/6p1/7p/1R5P/5KP1/r4P2/8 w - - 4 41";
const SHARP: &str = "r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 1 7";

#[test]
fn the_same_question_gets_the_same_lines() {
    let Some(config) = stockfish() else { return };
    let questions: Vec<Question> = [RUY, ENDING, SHARP]
        .iter()
        .flat_map(|fen| {
            [
                at(fen, Limit::Nodes(30_000)).lines(3),
                at(fen, Limit::Nodes(20_000)),
                at(fen, Limit::Depth(9)).lines(2),
            ]
        })
        .collect();
    let ask = |order: &[usize], processes: usize| {
        let pool = Pool::start(&[(config.clone(), processes)], &Cancel::new()).unwrap();
        let mut answers = vec![Vec::new(); questions.len()];
        thread::scope(|scope| {
            let tasks: Vec<_> = (0..processes)
                .map(|worker| {
                    let (pool, questions) = (&pool, &questions);
                    scope.spawn(move || {
                        let own = order.iter().skip(worker).step_by(processes);
                        own.map(|&index| (index, pool.analyse(&questions[index]).unwrap()))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            for (index, analysis) in tasks.into_iter().flat_map(|task| task.join().unwrap()) {
                answers[index] = vec![(analysis.nodes, analysis.lines)];
            }
        });
        answers
    };
    let forwards: Vec<usize> = (0..questions.len()).collect();
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    let expected = ask(&forwards, 1);
    assert_eq!(ask(&backwards, 1), expected);
    assert_eq!(ask(&forwards, 2), expected);

    let mut engine = Engine::start(&config).unwrap();
    let twice = [(); 2].map(|()| engine.analyse(&questions[0]).unwrap().lines);
    assert_eq!(twice[0], twice[1]);
    assert_eq!(twice[0], expected[0][0].1);
}

#[test]
fn lines_are_distinct_exact_and_ordered_wherever_the_search_stops() {
    let Some(config) = stockfish() else { return };
    let pool = Pool::start(&[(config, 1)], &Cancel::new()).unwrap();
    for nodes in (400..6000).step_by(271) {
        for fen in [RUY, ENDING, SHARP] {
            let question = at(fen, Limit::Nodes(nodes)).lines(4);
            let lines = pool.analyse(&question).unwrap().lines;
            assert_eq!(lines.len(), 4, "{nodes} {fen}");
            let mut moves = first_moves(&question, &lines);
            moves.sort();
            moves.dedup();
            assert_eq!(moves.len(), 4, "{nodes} {fen}: {lines:?}");
            assert!(
                lines.is_sorted_by(|a, b| a.eval >= b.eval),
                "{nodes} {fen}: {lines:?}"
            );
            assert!(lines.iter().all(|line| line.wdl.is_some()));
        }
    }
}

#[test]
fn searchmoves_and_the_number_of_lines() {
    let Some(config) = stockfish() else { return };
    let mut engine = Engine::start(&config).unwrap();
    let question = at(RUY, Limit::Nodes(5_000)).lines(5);
    let chosen = ["a6a5", "h7h6"].map(|uci| question.history.parse_uci(uci).unwrap());
    let question = question.searchmoves(chosen);
    let mut moves = first_moves(&question, &engine.analyse(&question).unwrap().lines);
    moves.sort();
    assert_eq!(moves, ["a6a5", "h7h6"]);
    // A check with only one legal reply.
    let only = at("6k1/8/8/8/8/8/4RPPP/1r4K1 w - - 0 1", Limit::Nodes(1_000)).lines(5);
    assert_eq!(
        first_moves(&only, &engine.analyse(&only).unwrap().lines),
        ["e2e1"]
    );
}

#[test]
fn mates_are_counted_in_moves_of_the_mover() {
    let Some(config) = stockfish() else { return };
    let mut engine = Engine::start(&config).unwrap();
    let mut mate = |fen: &str| {
        engine.analyse(&at(fen, Limit::Depth(12))).unwrap().lines[0]
            .eval
            .to_string()
    };
    assert_eq!(mate("7k/8/5K2/8/8/8/8/6R1 w - - 0 1"), "#2");
    assert_eq!(mate("k7/8/1K6/8/8/8/8/7R b - - 0 1"), "#-1");
    assert_eq!(mate("k7/8/1K6/8/8/8/8/7R w - - 0 1"), "#1");
}

#[test]
fn a_repetition_in_the_history_is_seen() {
    let Some(config) = stockfish() else { return };
    let mut engine = Engine::start(&config).unwrap();
    // White is a queen down but can repeat the position for the third time by Qe8+ and Qh5+.
    let fen = "6k1/6p1/8/7Q/8/8/1q4PP/r5BK w - - 0 1";
    let mut question = at(fen, Limit::Nodes(20_000));
    for uci in ["h5e8", "g8h7", "e8h5", "h7g8", "h5e8", "g8h7", "e8h5"] {
        let mv = question.history.parse_uci(uci).unwrap();
        question.history.push(mv);
    }
    // Black's only move repeats the position for the third time.
    assert_eq!(
        engine.analyse(&question).unwrap().lines[0].eval.to_string(),
        "0.00"
    );
}

#[test]
fn chess960_castling() {
    let Some(config) = stockfish() else { return };
    let mut engine = Engine::start(&config).unwrap();
    // The king stands beside its rook and castles onto the rook's square, which would be illegal in
    // standard chess.
    let beside = at(
        "r3kr2/pppppppp/8/8/8/8/PPPPPPPP/R3KR2 w FAfa - 0 1",
        Limit::Nodes(2_000),
    );
    assert_eq!(beside.history.mode(), shakmaty::CastlingMode::Chess960);
    let castle = beside.history.parse_uci("e1f1").unwrap();
    assert!(castle.is_castle());
    assert_eq!(
        engine.analyse(&beside.searchmoves([castle])).unwrap().lines[0].first_move(),
        castle
    );
    // The same position in standard chess, where castling has the usual notation.
    let standard = at(
        "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
        Limit::Nodes(2_000),
    );
    let castle = standard.history.parse_uci("e1g1").unwrap();
    assert_eq!(
        engine
            .analyse(&standard.searchmoves([castle]))
            .unwrap()
            .lines[0]
            .first_move(),
        castle
    );
}

#[test]
fn limits_are_obeyed() {
    let Some(config) = stockfish() else { return };
    // Allow a minute, so that an engine that ignores its limit exceeds it visibly.
    let patience = Patience {
        search: Some(Duration::from_secs(60)),
        ..Patience::default()
    };
    let mut engine = Engine::start(&config.patience(patience)).unwrap();
    for nodes in [1_000, 50_000] {
        let analysis = engine.analyse(&at(SHARP, Limit::Nodes(nodes))).unwrap();
        assert!(
            (nodes..nodes + 200).contains(&analysis.nodes),
            "{nodes}: {}",
            analysis.nodes
        );
    }
    assert_eq!(
        engine.analyse(&at(SHARP, Limit::Depth(8))).unwrap().depth,
        8
    );
    let time = Duration::from_millis(150);
    let analysis = engine.analyse(&at(SHARP, Limit::MoveTime(time))).unwrap();
    assert!(
        (time / 2..Duration::from_secs(20)).contains(&analysis.time),
        "{:?}",
        analysis.time
    );
}

#[test]
fn the_identity_has_name_and_options() {
    let Some(config) = stockfish() else { return };
    let identity = Engine::start(&config.option("Hash", "8"))
        .unwrap()
        .identity();
    assert!(identity.name.starts_with("Stockfish"), "{identity}");
    assert_eq!(
        (
            identity.options["Hash"].as_str(),
            identity.options["Threads"].as_str()
        ),
        ("8", "1")
    );
    assert!(
        identity.options["EvalFile"].ends_with(".nnue"),
        "{}",
        identity.with_options()
    );
}

/// Cancelling a session in the middle of its searches does not change the answers of another
/// session that uses the same processes.
#[test]
fn sessions_do_not_disturb_each_other() {
    let Some(config) = stockfish() else { return };
    let questions = [RUY, ENDING, SHARP].map(|fen| at(fen, Limit::Nodes(40_000)).lines(2));
    let alone = Pool::start(&[(config.clone(), 1)], &Cancel::new()).unwrap();
    let lines = |analyst: &dyn Analyst| {
        questions
            .clone()
            .map(|question| analyst.analyse(&question).unwrap().lines)
    };
    let expected = lines(&alone);
    let pool = Arc::new(Pool::start(&[(config, 2)], &Cancel::new()).unwrap());
    for _ in 0..3 {
        let cancel = Cancel::new();
        let (ending, going) = (pool.under(&cancel), pool.under(&Cancel::new()));
        let endless = at(SHARP, Limit::Nodes(1_000_000_000));
        thread::scope(|scope| {
            let asking = scope.spawn(|| ending.analyse(&endless));
            let answers = scope.spawn(|| lines(&going));
            thread::sleep(Duration::from_millis(300));
            let began = Instant::now();
            cancel.set();
            assert_eq!(asking.join().unwrap(), Err(AnalystError::Cancelled));
            // Less than the timeout of 3 s after `stop`.
            assert!(
                began.elapsed() < Duration::from_millis(2500),
                "{:?}",
                began.elapsed()
            );
            assert_eq!(answers.join().unwrap(), expected);
        });
        assert_eq!(
            lines(&going),
            expected,
            "on the process that was stopped, too"
        );
    }
    let stats = pool.stats();
    assert_eq!(stats.searches, 18);
    // On a busy machine an engine may miss the timeout after `stop` and be replaced.
    assert!(stats.restarts <= 3, "{} restarts", stats.restarts);
}

/// After three seconds by its own clock, Stockfish also reports unfinished iterations. Answers must
/// not change on a slow machine.
#[cfg(unix)]
#[test]
fn a_slow_machine_gives_the_same_answers() {
    const GAME: &str = "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3";
    let Some(config) = stockfish() else { return };
    let program = config.command.program.display();
    let paused = find(&format!(
        "'{}' paused '{program}'",
        centipawn_fake_engine::path().display()
    ))
    .unwrap();
    let (mut history, mut questions) = (History::default(), Vec::new());
    for uci in GAME.split(' ') {
        for lines in [1, 2, 5] {
            questions.push(Question::new(history.clone(), Limit::Nodes(200_000)).lines(lines));
        }
        let mv = history.parse_uci(uci).unwrap();
        history.push(mv);
    }
    if env::var_os("CENTIPAWN_TEST_ALL").is_none() {
        // Test each number of lines twice.
        questions = questions.into_iter().step_by(4).collect();
    }
    let answers = |config: EngineConfig, engines: usize| {
        let pool = Pool::start(&[(config, engines)], &Cancel::new()).unwrap();
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(vec![None; questions.len()]);
        thread::scope(|scope| {
            for _ in 0..engines {
                scope.spawn(|| {
                    while let Some((index, question)) = Some(next.fetch_add(1, Ordering::Relaxed))
                        .and_then(|index| Some((index, questions.get(index)?)))
                    {
                        let lines = pool.analyse(question).unwrap().lines;
                        answers.lock().unwrap()[index] = Some(lines);
                    }
                });
            }
        });
        answers.into_inner().unwrap()
    };
    let slow = answers(EngineConfig::new(paused), questions.len().min(12));
    let quick = answers(config, 2);
    for (question, (quick, slow)) in questions.iter().zip(quick.iter().zip(&slow)) {
        assert_eq!(quick, slow, "{question:?}");
    }
}
