//! The rules of Lichess' generator, with an analyst that gives fixed answers.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use centipawn_core::Eval;
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_pgn::{Dialect, Game, Reader};
use centipawn_puzzle::{Candidate, FoundKind, Lichess, MiningRules, Refusal, Theme, Verdict};
use shakmaty::Position as _;

/// The evaluation of a line for the side to move.
#[derive(Clone, Copy)]
enum Worth {
    Cp(i32),
    Mate(i32),
}
use Worth::{Cp, Mate};

/// Answers by board and side to move. In all other positions the first move is best, and its
/// evaluation is the number below.
#[derive(Default)]
struct Scripted {
    answers: BTreeMap<&'static str, Vec<(&'static str, Worth)>>,
    asked: Mutex<Vec<(String, Limit, usize)>>,
}

impl Analyst for Scripted {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        let fen = history.fen();
        self.asked
            .lock()
            .unwrap()
            .push((fen.clone(), question.limit, question.lines));
        let line = |mv, worth| {
            let eval = match worth {
                Cp(cp) => Eval::cp(cp),
                Mate(moves) => Eval::mate(moves),
            };
            Line {
                pv: vec![mv],
                eval,
                last_exact: None,
                wdl: None,
                depth: 1,
                seldepth: None,
            }
        };
        let lines = match self
            .answers
            .iter()
            .find(|(board, _)| fen.starts_with(**board))
        {
            Some((_, lines)) => lines
                .iter()
                .map(|(uci, worth)| line(history.parse_uci(uci).unwrap(), *worth))
                .collect(),
            None => history
                .position()
                .legal_moves()
                .iter()
                .map(|mv| line(*mv, Cp(0)))
                .collect::<Vec<_>>(),
        };
        Ok(Analysis {
            lines: lines.into_iter().take(question.lines).collect(),
            nodes: 1,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

fn scripted(answers: &[(&'static str, &[(&'static str, Worth)])]) -> Scripted {
    let answers = answers
        .iter()
        .map(|(board, lines)| (*board, lines.to_vec()))
        .collect();
    Scripted {
        answers,
        asked: Mutex::default(),
    }
}

fn game(pgn: &str) -> Game {
    Reader::new(pgn.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap()
}

const ALL: Lichess = Lichess {
    effort: 1.0,
    tiers: false,
};

fn mine_game(rules: Lichess, game: &Game, analyst: &dyn Analyst) -> Vec<Candidate> {
    let mined = MiningRules::Lichess {
        rules,
        evals: Dialect::Auto,
    }
    .mine(game, analyst)
    .unwrap();
    assert!(mined.failures.is_empty(), "{:?}", mined.failures);
    mined.candidates
}

fn mine(rules: Lichess, pgn: &str, analyst: &Scripted) -> Vec<Candidate> {
    mine_game(rules, &game(pgn), analyst)
}

fn verdicts(pgn: &str, analyst: &Scripted) -> Vec<Verdict> {
    mine(ALL, pgn, analyst)
        .iter()
        .map(|candidate| candidate.verdict)
        .collect()
}

fn solution(candidate: &Candidate) -> String {
    candidate
        .puzzle
        .as_ref()
        .unwrap()
        .uci_moves()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Both sides have a rook and three pawns. Black's rook leaves the first rank.
const START: &str = "[FEN \"1r4k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1\"]\n";
/// The position after 1... Rb2, then after 2. Rd7 and Ra2, 3. Ra7 and Rb2.
const FIRST: &str = "6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 w";
const REPLY: &str = "6k1/3R1ppp/8/8/8/8/1r3PPP/6K1 b";
const SECOND: &str = "6k1/3R1ppp/8/8/8/8/r4PPP/6K1 w";
const SECOND_REPLY: &str = "6k1/R4ppp/8/8/8/8/r4PPP/6K1 b";

fn blunder(eval: &str) -> String {
    format!("{START}\n1... Rb2 {{[%eval {eval}]}} *")
}

fn answers(first: i32, last: i32) -> Scripted {
    scripted(&[
        (FIRST, &[("d1d7", Cp(first)), ("h2h3", Cp(0))]),
        (REPLY, &[("b2a2", Cp(-500)), ("b2b4", Cp(-600))]),
        (SECOND, &[("d7a7", Cp(last)), ("h2h3", Cp(-300))]),
        (SECOND_REPLY, &[("a2b2", Cp(-700)), ("a2c2", Cp(-700))]),
    ])
}

#[test]
fn an_advantage_is_followed_as_long_as_moves_are_the_only_ones() {
    let analyst = answers(500, 600);
    let found = mine(ALL, &blunder("5.0"), &analyst);
    assert_eq!(
        (found[0].verdict, found[0].ply, found[0].stages),
        (Verdict::Found(FoundKind::OnlyMoves), 1, 2)
    );
    assert_eq!(solution(&found[0]), "b8b2 d1d7 b2a2 d7a7");
    let themes = found[0].puzzle.as_ref().unwrap().themes;
    assert!(themes.contains(Theme::Advantage) && themes.contains(Theme::RookEndgame));
    // The generator also requests the last reply, and the position after it.
    let asked = analyst.asked.into_inner().unwrap();
    assert_eq!(asked.len(), 5);
    assert!(
        asked
            .iter()
            .all(|(_, limit, lines)| (*limit, *lines) == (Limit::Nodes(25_000_000), 2))
    );

    let found = mine(ALL, &blunder("5.0"), &answers(500, 601));
    assert!(
        found[0]
            .puzzle
            .as_ref()
            .unwrap()
            .themes
            .contains(Theme::Crushing)
    );
    let tenth = answers(500, 600);
    mine(Lichess { effort: 0.1, ..ALL }, &blunder("5.0"), &tenth);
    assert_eq!(
        tenth.asked.into_inner().unwrap()[0].1,
        Limit::Nodes(2_500_000)
    );
}

#[test]
fn the_evaluations_of_the_game_select_the_positions() {
    let found = |eval: &str| verdicts(&blunder(eval), &answers(500, 600));
    // The game begins with +0.20, winning chances of 0.037. A rise by 0.6 needs 4.1 pawns.
    assert_eq!(found("4.1"), [Verdict::Found(FoundKind::OnlyMoves)]);
    assert_eq!(found("4.08"), []);
    assert_eq!(found("-5.0"), []);
    let from = |before: &str, eval: &str| {
        let pgn = format!("{START}\n{{[%eval {before}]}} 1... Rb2 {{[%eval {eval}]}} *");
        verdicts(&pgn, &answers(500, 600))
    };
    assert_eq!(from("0.6", "5.0"), [Verdict::Found(FoundKind::OnlyMoves)]);
    assert_eq!(from("0.7", "5.0"), []);
    assert_eq!(from("-5.0", "4.0"), [Verdict::Found(FoundKind::OnlyMoves)]);
    assert_eq!(
        from("-5.0", "3.99"),
        [Verdict::Refused(Refusal::NotClear)],
        "no material was won back"
    );
    assert_eq!(
        from("0.2", "#20"),
        [Verdict::Found(FoundKind::OnlyMoves)],
        "a late mate is an advantage"
    );
    assert_eq!(from("9.0", "#20"), []);
}

#[test]
fn advantages_are_refused_for_the_right_reason() {
    let found = |answers: &[_]| verdicts(&blunder("5.0"), &scripted(answers));
    let first: (&str, &[_]) = (FIRST, &[("d1d7", Cp(500)), ("h2h3", Cp(0))]);
    let reply: (&str, &[_]) = (REPLY, &[("b2a2", Cp(-500))]);
    assert_eq!(
        found(&[(FIRST, &[("d1d7", Cp(500)), ("h2h3", Cp(60))])]),
        [Verdict::Refused(Refusal::SecondWins)]
    );
    assert_eq!(
        found(&[(FIRST, &[("d1d7", Cp(199)), ("h2h3", Cp(-900))])]),
        [Verdict::Refused(Refusal::NotWon)]
    );
    assert_eq!(found(&[first, reply]), [Verdict::Refused(Refusal::OneMove)]);
    assert_eq!(
        found(&[first, (REPLY, &[("b2a2", Cp(-199))])]),
        [Verdict::Refused(Refusal::NotWon)],
        "the reply is good enough"
    );
    let only: (&str, &[_]) = (SECOND, &[("d7a7", Cp(600))]);
    let last: (&str, &[_]) = (SECOND_REPLY, &[("a2b2", Cp(-700))]);
    assert_eq!(
        found(&[first, reply, only, last]),
        [Verdict::Refused(Refusal::OneMove)],
        "an only move is no choice"
    );
    let back: (&str, &[_]) = (REPLY, &[("b2b8", Cp(-500))]);
    let home: (&str, &[_]) = (
        "1r4k1/3R1ppp/8/8/8/8/5PPP/6K1 w",
        &[("d7d1", Cp(500)), ("h2h3", Cp(0))],
    );
    assert_eq!(
        found(&[first, back, home]),
        [Verdict::Refused(Refusal::Repetition)]
    );
    let mate: (&str, &[_]) = (FIRST, &[("d1d8", Mate(1)), ("h2h3", Cp(0))]);
    assert_eq!(
        found(&[mate]),
        [Verdict::Refused(Refusal::GameOver)],
        "no mate was expected"
    );
}

#[test]
fn mates_are_followed_to_the_end_if_they_are_short() {
    let analyst = scripted(&[(FIRST, &[("d1d8", Mate(1)), ("d1d7", Cp(190))])]);
    let found = mine(ALL, &blunder("#1"), &analyst);
    assert_eq!(
        (found[0].verdict, solution(&found[0]).as_str()),
        (Verdict::Found(FoundKind::OnlyMoves), "b8b2 d1d8")
    );
    let themes = found[0].puzzle.as_ref().unwrap().themes;
    assert!(themes.contains(Theme::BackRankMate) && !themes.iter().any(Theme::is_goal));

    let found = |lines: &[_]| verdicts(&blunder("#3"), &scripted(&[(FIRST, lines)]));
    assert_eq!(
        found(&[("d1d8", Mate(1)), ("d1d7", Mate(3))]),
        [Verdict::Refused(Refusal::SecondWins)],
        "a later mate is a win too"
    );
    assert_eq!(
        found(&[("d1d7", Cp(900)), ("h2h3", Cp(0))]),
        [Verdict::Refused(Refusal::NotMate)]
    );
    assert_eq!(
        found(&[("d1d7", Mate(16)), ("h2h3", Cp(0))]),
        [Verdict::Refused(Refusal::NotMate)],
        "too late"
    );
}

/// Queen and rook both mate, on c8 and d8.
const TWO_MATES: &str =
    "[FEN \"1r4k1/q4ppp/8/8/8/8/5PPP/2QR2K1 b - - 0 1\"]\n\n1... Rb2 {[%eval #1]} *";

#[test]
fn several_mates_in_one_are_accepted_if_no_other_move_wins() {
    let board = "6k1/q4ppp/8/8/8/8/1r3PPP/2QR2K1 w";
    let found = |third| {
        let analyst = scripted(&[(
            board,
            &[("d1d8", Mate(1)), ("c1c8", Mate(1)), ("h2h3", third)],
        )]);
        let verdicts = verdicts(TWO_MATES, &analyst);
        let lines: Vec<usize> = analyst
            .asked
            .lock()
            .unwrap()
            .iter()
            .map(|(_, _, lines)| *lines)
            .collect();
        assert_eq!(lines, [2, 3]);
        verdicts
    };
    assert_eq!(found(Cp(188)), [Verdict::Found(FoundKind::OnlyMoves)]);
    assert_eq!(found(Cp(900)), [Verdict::Refused(Refusal::SecondWins)]);
    assert_eq!(found(Mate(4)), [Verdict::Refused(Refusal::SecondWins)]);
}

#[test]
fn the_defence_is_searched_with_one_line_to_a_depth() {
    let pgn = "[FEN \"q4rk1/5p2/7p/8/8/8/1B3PPP/3Q2K1 b - - 0 1\"]\n\n1... Kh7 {[%eval #2]} *";
    let analyst = scripted(&[
        (
            "q4r2/5p1k/7p/8/8/8/1B3PPP/3Q2K1 w",
            &[("d1d4", Mate(2)), ("h2h3", Cp(0))],
        ),
        ("q4r2/5p1k/7p/8/3Q4/8/1B3PPP/6K1 b", &[("f8g8", Mate(-1))]),
        (
            "q5r1/5p1k/7p/8/3Q4/8/1B3PPP/6K1 w",
            &[("d4e4", Cp(300)), ("h2h3", Cp(-400))],
        ),
    ]);
    assert_eq!(
        verdicts(pgn, &analyst),
        [Verdict::Refused(Refusal::NotMate)]
    );
    let asked = analyst.asked.into_inner().unwrap();
    assert_eq!((asked[1].1, asked[1].2), (Limit::Depth(15), 1));
    assert_eq!(asked.len(), 3);
}

#[test]
fn a_solver_ahead_in_material_is_refused_without_a_search() {
    let analyst = answers(500, 600);
    let pgn = blunder("5.0").replace("8/5PPP", "P7/5PPP");
    assert_eq!(
        verdicts(&pgn, &analyst),
        [Verdict::Refused(Refusal::MaterialUp)]
    );
    assert!(analyst.asked.lock().unwrap().is_empty());
}

#[test]
fn mining_a_game_stops_at_its_first_puzzle_and_at_a_missing_evaluation() {
    let analyst = answers(500, 600);
    let pgn =
        format!("{START}\n1... Rb2 {{[%eval 5.0]}} 2. Rd7 {{[%eval 0.0]}} Ra2 {{[%eval 9.0]}} *");
    assert_eq!(
        verdicts(&pgn, &analyst),
        [Verdict::Found(FoundKind::OnlyMoves)]
    );
    let pgn = format!("{START}\n1... Rb2 {{[%eval 0.0]}} 2. Rd7 Ra2 {{[%eval 9.0]}} *");
    assert_eq!(verdicts(&pgn, &answers(500, 600)), []);
    let pgn = format!("[Variant \"Antichess\"]\n{}", blunder("5.0"));
    assert!(
        mine(
            ALL,
            &pgn.replace("Antichess", "From Position"),
            &answers(500, 600)
        )
        .is_empty()
    );
}

#[test]
fn positions_after_a_repetition_are_skipped_until_an_irreversible_move() {
    let even = "{[%eval 0.0]}";
    let shuffle =
        format!("1... Rc8 {even} 2. Kf1 {even} Rb8 {even} 3. Kg1 {even} Rc8 {even} 4. Kf1 {even}");
    // The fifth move repeats a position. The mistake after it is skipped, but the one after a pawn
    // move is examined.
    let pgn = format!("{START}\n{shuffle} Rb8 {even} 5. Kg1 {even} Rb2 {{[%eval 5.0]}} *");
    assert_eq!(verdicts(&pgn, &answers(500, 600)), []);
    let pgn = format!("{START}\n{shuffle} h6 {even} 5. Kg1 {even} Rc2 {{[%eval 5.0]}} *");
    assert_eq!(
        verdicts(&pgn, &Scripted::default()),
        [Verdict::Refused(Refusal::SecondWins)]
    );
}

#[test]
fn games_of_weak_players_have_stricter_limits() {
    let rules = Lichess { tiers: true, ..ALL };
    let found = |elo: u32, eval: &str, answers: &Scripted| {
        let moves = "Kf1 Kf8 Kg1 Kg8 ".repeat(10);
        let pgn = format!("[WhiteElo \"{elo}\"]\n{START}\n1... Rb2 {{[%eval {eval}]}} {moves} *");
        mine(rules, &pgn, answers)
            .first()
            .map(|candidate| candidate.verdict)
    };
    let mate = scripted(&[(FIRST, &[("d1d8", Mate(1)), ("d1d7", Cp(0))])]);
    assert_eq!(
        found(1751, "#1", &mate),
        Some(Verdict::Found(FoundKind::OnlyMoves))
    );
    assert_eq!(
        found(1750, "#1", &mate),
        Some(Verdict::Refused(Refusal::MateInOne))
    );
    assert_eq!(
        found(1751, "5.0", &answers(500, 600)),
        Some(Verdict::Found(FoundKind::OnlyMoves))
    );
    assert_eq!(
        found(1750, "5.0", &answers(500, 600)),
        Some(Verdict::Refused(Refusal::TooShort))
    );
    assert_eq!(found(1500, "5.0", &answers(500, 600)), None);
    let mate_in_two = scripted(&[
        (FIRST, &[("d1d7", Mate(2)), ("h2h3", Cp(0))]),
        (REPLY, &[("b2a2", Mate(-1))]),
        (SECOND, &[("d7d8", Mate(1)), ("h2h3", Cp(0))]),
    ]);
    assert_eq!(
        found(1601, "#2", &mate_in_two),
        Some(Verdict::Found(FoundKind::OnlyMoves))
    );
    assert_eq!(
        found(1600, "#2", &mate_in_two),
        Some(Verdict::Refused(Refusal::TooShort))
    );
}

#[test]
fn a_lost_castling_right_that_the_board_does_not_show_is_refused() {
    let pgn = |rights: &str| {
        format!(
            "[FEN \"1r4k1/5ppp/8/8/8/8/5PPP/4K2R b {rights} - 0 1\"]\n\n1... Rb2 {{[%eval 5.0]}} *"
        )
    };
    assert_eq!(verdicts(&pgn("-"), &Scripted::default()), []);
    assert_eq!(
        verdicts(&pgn("K"), &Scripted::default()),
        [Verdict::Refused(Refusal::SecondWins)]
    );
}

mod golden {
    //! The generator's own test cases, with the recorded answers of its engine.

    use centipawn_core::{History, Score, White};
    use centipawn_pgn::Ply;
    use centipawn_test_support::data::text;
    use serde_json::Value;

    use super::*;

    fn records(name: &str) -> Vec<Value> {
        let text = text(&format!("golden/puzzles/{name}"));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn score(value: &Value) -> Score {
        let number = i32::try_from(value["value"].as_i64().unwrap()).unwrap();
        if value["type"] == "mate" {
            Score::Mate(number)
        } else {
            Score::Cp(number)
        }
    }

    /// Answers recorded by position and number of lines.
    struct Recorded(BTreeMap<(String, usize), Vec<(String, Score)>>);

    impl Recorded {
        fn read() -> Self {
            let mut answers = BTreeMap::new();
            for record in records("engine_diskettes.jsonl.zst") {
                let lines = record["lines"].as_array().unwrap().iter();
                let lines = lines.map(|line| {
                    (
                        line["pv"][0].as_str().unwrap().to_owned(),
                        score(&line["score"]),
                    )
                });
                let key = (
                    record["fen"].as_str().unwrap().to_owned(),
                    record["multipv"].as_u64().unwrap() as usize,
                );
                answers.insert(key, lines.collect());
            }
            // With seven men on the board, the generator asked a tablebase here, according to which
            // more than one move wins.
            let won = ["a3b2", "a3b3"].map(|uci| (uci.to_owned(), Score::Cp(20_000)));
            answers.insert(
                ("8/8/5p2/4p3/p3K1P1/k4P2/8/8 b - - 1 47".to_owned(), 2),
                won.to_vec(),
            );
            Self(answers)
        }

        /// Returns a defence that was not recorded: a move that leads to a recorded position, or
        /// else any move.
        fn defence(&self, history: &History) -> Vec<(String, Score)> {
            let legal = history.position().legal_moves();
            let is_known = |mv: &&shakmaty::Move| {
                let mut next = history.clone();
                next.push(**mv);
                self.0.contains_key(&(next.fen(), 2))
            };
            let mv = legal.iter().find(is_known).unwrap_or(&legal[0]);
            vec![(history.uci(*mv).to_string(), Score::Mate(-1))]
        }
    }

    impl Analyst for Recorded {
        fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
            let (history, fen) = (&question.history, question.history.fen());
            let lines = match question.lines {
                1 => self.defence(history),
                lines => self
                    .0
                    .get(&(fen.clone(), lines))
                    .unwrap_or_else(|| panic!("no answer for {fen}"))
                    .clone(),
            };
            let lines = lines.into_iter().map(|(uci, score)| {
                let pv = vec![history.parse_uci(&uci).unwrap()];
                Line {
                    pv,
                    eval: Eval::new(score),
                    last_exact: None,
                    wdl: None,
                    depth: 1,
                    seldepth: None,
                }
            });
            Ok(Analysis {
                lines: lines.collect(),
                nodes: 1,
                depth: 1,
                time: Duration::ZERO,
            })
        }

        fn identity(&self) -> Arc<Identity> {
            Arc::default()
        }

        fn parallelism(&self) -> usize {
            1
        }
    }

    #[test]
    fn the_generators_test_cases_have_the_same_result() {
        let (analyst, mut wrong) = (Recorded::read(), Vec::new());
        for case in records("generator_tests.jsonl") {
            let name = case["test"].as_str().unwrap();
            let start = History::from_fen(case["fen_before"].as_str().unwrap(), None).unwrap();
            let mut game = Game::from_start(&start);
            let mv = start.parse_uci(case["move"].as_str().unwrap()).unwrap();
            let white =
                |value: &Value| -> Eval<White> { Eval::new(score(value)).for_white(!start.turn()) };
            let before = white(&case["prev_score"]).to_string();
            game.comments
                .push(format!("[%eval {}]", before.trim_start_matches('+')));
            game.plies.push(Ply::new(mv));
            game.plies[0].set_eval(white(&case["current_score_white_or_winner"]));
            let found = mine_game(ALL, &game, &analyst);
            let puzzle = found
                .first()
                .and_then(|candidate| candidate.puzzle.as_ref());
            let moves = puzzle.map(|puzzle| puzzle.uci_moves().skip(1).collect::<Vec<_>>());
            let wanted: Option<Vec<String>> =
                serde_json::from_value(case["solution"].clone()).unwrap();
            if moves != wanted || moves.is_some() != case["is_puzzle"].as_bool().unwrap() {
                wrong.push(format!("{name}: {moves:?} for {wanted:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_threefold_repetition_is_no_puzzle() {
        let text = text("golden/puzzles/not_puzzle_17_3fold_uDMCM.pgn");
        for tiers in [false, true] {
            let rules = Lichess { tiers, ..ALL };
            let found = mine_game(rules, &game(&text), &Recorded::read());
            assert!(
                found.iter().all(|candidate| !candidate.verdict.is_found()),
                "{found:?}"
            );
            assert!(!found.is_empty());
        }
    }
}
