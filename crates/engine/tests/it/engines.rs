//! Tests with the engines that Debian packages, each if it is installed, including their known
//! quirks.

use std::{
    thread,
    time::{Duration, Instant},
};

use centipawn_core::History;
use centipawn_engine::{
    Analysis, AnalystError, Engine, EngineConfig, Limit, Patience, Question, find,
};

const RUY: &str = "r1bqk2r/2ppbppp/p1n2n2/1p2p3/4P3/1B3N2/PPPP1PPP/RNBQR1K1 b kq - 1 7";

fn start(name: &str) -> Option<Engine> {
    let patience = Patience {
        search: Some(Duration::from_secs(20)),
        ..Patience::default()
    };
    find(name)
        .ok()
        .map(|command| Engine::start(&EngineConfig::new(command).patience(patience)).expect(name))
}

fn at(fen: &str, limit: Limit) -> Question {
    Question::new(History::from_fen(fen, None).unwrap(), limit)
}

/// Requirements for every engine: the limit is obeyed; the answer has the requested number of
/// different, ordered lines of legal moves; and a mate is found.
fn does_its_work(engine: &mut Engine) -> Result<(), AnalystError> {
    let name = engine.identity().name.clone();
    let two = engine.analyse(&at(RUY, Limit::Nodes(20_000)).lines(2))?;
    assert_eq!(two.lines.len(), 2, "{name}");
    assert_ne!(
        two.lines[0].first_move(),
        two.lines[1].first_move(),
        "{name}"
    );
    assert!(two.lines[0].eval >= two.lines[1].eval, "{name}: {two:?}");
    assert!(two.nodes >= 20_000, "{name}: {} nodes", two.nodes);
    let mate = engine.analyse(&at("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", Limit::Depth(4)))?;
    assert_eq!(mate.lines[0].eval.mate_moves(), Some(1), "{name}: {mate:?}");
    // There is only one legal move, although five lines are requested.
    let only =
        engine.analyse(&at("6k1/8/8/8/8/8/4RPPP/1r4K1 w - - 0 1", Limit::Depth(3)).lines(5))?;
    assert_eq!(only.lines.len(), 1, "{name}");
    // Positions with mate or stalemate start no search, because engines answer them differently.
    for fen in [
        "7k/5Q2/5K2/8/8/8/8/8 b - - 0 1",
        "8/8/8/8/8/6k1/8/r6K w - - 0 1",
    ] {
        assert_eq!(
            engine.analyse(&at(fen, Limit::Nodes(1000)))?,
            Analysis::terminal(),
            "{name}"
        );
    }
    Ok(())
}

/// Checks that a move is evaluated even if the engine ignores `searchmoves`: by a search of the
/// position after the move.
fn judges_a_move_that_was_not_best(engine: &mut Engine) {
    let name = engine.identity().name.clone();
    let question = at(RUY, Limit::Depth(5));
    let best = engine.analyse(&question).unwrap().lines.remove(0);
    let odd = question.history.parse_uci("g7g5").unwrap();
    let judged = engine
        .analyse(&question.clone().searchmoves([odd]))
        .unwrap()
        .lines
        .remove(0);
    assert_eq!(judged.first_move(), odd, "{name}");
    assert!(
        judged.eval < best.eval && judged.pv.len() > 1,
        "{name}: {judged:?}, {best:?}"
    );
    assert_eq!(
        engine.analyse(&question.searchmoves([odd])).unwrap().lines[0],
        judged,
        "{name}: the same again"
    );
    // The move gives mate, so no search is needed.
    let mates = at("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", Limit::Depth(1));
    let [mate, check] = ["d1d8", "d1g1"].map(|uci| mates.history.parse_uci(uci).unwrap());
    let analysis = engine
        .analyse(&mates.searchmoves([check, mate]).lines(2))
        .unwrap();
    assert_eq!(
        analysis.lines[0].eval.mate_moves(),
        Some(1),
        "{name}: {analysis:?}"
    );
    assert_eq!(analysis.lines.len(), 2, "{name}");
}

fn ends_at_once(engine: Engine) {
    let name = engine.identity().name.clone();
    let began = Instant::now();
    drop(engine);
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{name}: {:?}",
        began.elapsed()
    );
}

#[test]
fn stockfish_answers_at_very_few_nodes() {
    let Some(mut engine) = start("stockfish") else {
        return;
    };
    does_its_work(&mut engine).unwrap();
    for nodes in [1, 2, 5, 20, 100, 300] {
        for lines in [1, 2, 5, 30] {
            let question = at(RUY, Limit::Nodes(nodes)).lines(lines);
            let analysis = engine.analyse(&question).unwrap();
            assert_eq!(
                analysis.lines.len(),
                lines.min(question.candidates().unwrap().len()),
                "{nodes} nodes"
            );
        }
    }
    ends_at_once(engine);
}

#[test]
fn fairy_stockfish() {
    let Some(mut engine) = start("fairy-stockfish") else {
        return;
    };
    does_its_work(&mut engine).unwrap();
    ends_at_once(engine);
}

#[test]
fn ethereal_knows_no_nodes_and_no_searchmoves() {
    let Some(mut engine) = start("ethereal-chess") else {
        return;
    };
    does_its_work(&mut engine).unwrap();
    judges_a_move_that_was_not_best(&mut engine);
    ends_at_once(engine);
}

#[test]
fn toga_ignores_nodes() {
    let Some(mut engine) = start("toga2") else {
        return;
    };
    let analysis = engine.analyse(&at(RUY, Limit::Nodes(20_000))).unwrap();
    assert!(analysis.nodes >= 20_000, "{}", analysis.nodes);
    judges_a_move_that_was_not_best(&mut engine);
    match does_its_work(&mut engine) {
        Ok(()) | Err(AnalystError::TooFewLines { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    ends_at_once(engine);
}

#[test]
fn gnuchess_ignores_nodes_and_crashes_at_quit() {
    let Some(command) = find("gnuchess --uci").ok() else {
        return;
    };
    let patience = Patience {
        search: Some(Duration::from_secs(20)),
        ..Patience::default()
    };
    let mut engine = Engine::start(&EngineConfig::new(command).patience(patience)).unwrap();
    let analysis = engine.analyse(&at(RUY, Limit::Nodes(20_000))).unwrap();
    assert!(analysis.nodes >= 20_000, "{}", analysis.nodes);
    let error = does_its_work(&mut engine).unwrap_err();
    assert!(
        matches!(
            error,
            AnalystError::TooFewLines {
                has_multipv: false,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .ends_with("ask for one line, or use another engine"),
        "{error}"
    );
    judges_a_move_that_was_not_best(&mut engine);
    ends_at_once(engine);
}

#[test]
fn glaurung() {
    let Some(mut engine) = start("glaurung") else {
        return;
    };
    does_its_work(&mut engine).unwrap();
    ends_at_once(engine);
}

/// Runs two engines at once, to test that their processes are independent.
#[test]
fn engines_of_all_kinds_side_by_side() {
    thread::scope(|scope| {
        for name in [
            "stockfish",
            "fairy-stockfish",
            "ethereal-chess",
            "toga2",
            "glaurung",
        ] {
            scope.spawn(move || {
                if let Some(mut engine) = start(name) {
                    engine.analyse(&at(RUY, Limit::Depth(5))).expect(name);
                }
            });
        }
    });
}

/// If the machine stops an engine for three seconds in each search, the answers stay the same.
/// Engines without a node limit (Ethereal, Toga, GNU Chess) are compared at a depth.
#[cfg(unix)]
#[test]
fn slow_machines_get_the_same_answers() {
    let engines = [
        ("fairy-stockfish", Limit::Nodes(100_000)),
        ("glaurung", Limit::Nodes(100_000)),
        ("ethereal-chess", Limit::Depth(9)),
        ("toga2", Limit::Depth(7)),
    ];
    let cases: Vec<_> = engines
        .into_iter()
        .flat_map(|engine| [1, 2, 5].map(|lines| (engine, lines)))
        .collect();
    thread::scope(|scope| {
        for &((name, limit), lines) in &cases {
            scope.spawn(move || {
                let Ok(command) = find(name) else { return };
                let program = command.program.display();
                let slow = format!(
                    "'{}' paused '{program}'",
                    centipawn_fake_engine::path().display()
                );
                let answers = |name: &str| {
                    let mut engine = start(name).unwrap();
                    [
                        RUY,
                        "rnbqkb1r/pp2pppp/3p1n2/2p5/3PP3/2N2N2/PPP2PPP/R1BQKB1R b KQkq - 0 4",
                    ]
                    .map(|fen| {
                        engine
                            .analyse(&at(fen, limit).lines(lines))
                            .map(|answer| answer.lines)
                            .map_err(|error| error.to_string())
                    })
                };
                assert_eq!(answers(name), answers(&slow), "{name}, {lines} lines");
            });
        }
    });
}
