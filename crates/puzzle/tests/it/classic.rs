//! The classic rules, with an analyst that gives fixed answers.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use centipawn_core::Eval;
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_pgn::{Game, Reader};
use centipawn_puzzle::{
    Candidate, Classic, Format, FoundKind, MineOptions, MiningRules, Refusal, RuleSet, Verdict,
    Writer,
};
use shakmaty::Position as _;

/// In positions with the board `fen` the lines are `lines`, and `later` if the position is asked
/// again. In all other positions, all moves have the same evaluation.
struct Scripted {
    fen: &'static str,
    lines: Vec<(&'static str, i32)>,
    later: Vec<(&'static str, i32)>,
    /// The evaluation of the previous position, for the side to move in it.
    before: i32,
    /// Nodes, FEN and number of lines of each engine request.
    asked: Mutex<Vec<(u64, String, usize)>>,
}

impl Analyst for Scripted {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        let line = |mv, cp| Line {
            pv: vec![mv],
            eval: Eval::cp(cp),
            last_exact: None,
            wdl: None,
            depth: 1,
            seldepth: None,
        };
        let lines = if history.fen().starts_with(self.fen) {
            let is_again = self
                .asked
                .lock()
                .unwrap()
                .iter()
                .any(|(_, fen, _)| fen.starts_with(self.fen));
            let lines = if is_again { &self.later } else { &self.lines };
            lines
                .iter()
                .map(|(uci, cp)| line(history.parse_uci(uci).unwrap(), *cp))
                .collect()
        } else {
            let cp = if question.lines == 1 { self.before } else { 0 };
            history
                .position()
                .legal_moves()
                .into_iter()
                .take(2)
                .map(|mv| line(mv, cp))
                .collect()
        };
        if let Limit::Nodes(nodes) = question.limit {
            self.asked
                .lock()
                .unwrap()
                .push((nodes, history.fen(), question.lines));
        }
        Ok(Analysis {
            lines,
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

fn game(pgn: &str) -> Game {
    Reader::new(pgn.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap()
}

fn run(effort: f64, game: &Game, analyst: &Scripted) -> Vec<Candidate> {
    let mined = MiningRules::Classic(Classic { effort })
        .mine(game, analyst)
        .unwrap();
    assert!(mined.failures.is_empty(), "{:?}", mined.failures);
    mined.candidates
}

const START: &str = "[FEN \"6k1/8/2p5/3p4/8/8/1B6/3R2K1 b - - 0 1\"]\n\n1... Kf7 2. ";

/// White is to move after 1... Kf7.
const FEN: &str = "8/5k2/2p5/3p4/8/8/1B6/3R2K1 w";

fn mine(
    played: &str,
    lines: &[(&'static str, i32)],
    before: i32,
) -> (Vec<Candidate>, Vec<(u64, usize)>) {
    let analyst = Scripted {
        fen: FEN,
        lines: lines.to_vec(),
        later: lines.to_vec(),
        before,
        asked: Mutex::default(),
    };
    let game = game(&format!("{START}{played} *"));
    let candidates = run(0.1, &game, &analyst);
    (candidates, asked(&analyst))
}

fn asked(analyst: &Scripted) -> Vec<(u64, usize)> {
    analyst
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|(nodes, _, lines)| (*nodes, *lines))
        .collect()
}

fn verdict(played: &str, lines: &[(&'static str, i32)], before: i32) -> Option<Verdict> {
    mine(played, lines, before)
        .0
        .first()
        .map(|candidate| candidate.verdict)
}

#[test]
fn a_candidate_has_one_winning_line() {
    assert_eq!(
        verdict("Kf2", &[("b2e5", 280), ("g1f2", 0)], 0),
        None,
        "won is more than 280"
    );
    assert_eq!(
        verdict("Kf2", &[("b2e5", 281), ("g1f2", 100)], 0),
        None,
        "not won is less than 100"
    );
    assert_eq!(
        verdict("Kf2", &[("b2e5", 281)], 0),
        None,
        "an only move is no choice"
    );
    assert_eq!(
        verdict("Kf2", &[("b2e5", 281), ("g1f2", 99)], 0),
        Some(Verdict::Found(FoundKind::Missed))
    );
}

#[test]
fn a_move_that_was_not_played_passes_all_stages() {
    let (candidates, asked) = mine("Kf2", &[("b2e5", 300), ("g1f2", 0)], 0);
    assert_eq!(
        (candidates.len(), candidates[0].stages, candidates[0].ply),
        (1, 11, 1)
    );
    // Two scans, then a tenth of 1,000,000 × 1.4ⁿ nodes, rounded at each stage.
    let nodes: Vec<u64> = asked.iter().map(|(nodes, _)| *nodes).collect();
    let stages = [100_000, 140_000, 196_000, 274_400, 384_160, 537_824];
    assert_eq!(nodes[..8], [&[100_000, 100_000], &stages[..]].concat());
    assert_eq!((nodes.len(), nodes[12]), (13, 2_892_546));
}

#[test]
fn verification_accepts_a_better_second_line_than_the_scan() {
    let script = |second| Scripted {
        fen: FEN,
        lines: vec![("b2e5", 300), ("g1f2", 99)],
        later: vec![("b2e5", 300), ("g1f2", second)],
        before: 0,
        asked: Mutex::default(),
    };
    let verdict = |second| {
        let game = game(&format!("{START}Kf2 *"));
        run(0.1, &game, &script(second))[0].verdict
    };
    assert_eq!(
        verdict(280),
        Verdict::Found(FoundKind::Missed),
        "not won itself"
    );
    assert_eq!(verdict(281), Verdict::Refused(Refusal::SecondWins));
}

#[test]
fn a_move_that_was_played_needs_a_blunder_before() {
    assert_eq!(
        verdict("Be5", &[("b2e5", 300), ("g1f2", 0)], -99),
        Some(Verdict::Found(FoundKind::Blunder))
    );
    assert_eq!(
        verdict("Be5", &[("b2e5", 300), ("g1f2", 0)], -100),
        Some(Verdict::Refused(Refusal::Trivial))
    );
    let (_, asked) = mine("Be5", &[("b2e5", 300), ("g1f2", 0)], 0);
    assert_eq!(asked.iter().filter(|(_, lines)| *lines == 1).count(), 11);
}

#[test]
fn a_sacrifice_is_found_whether_or_not_it_was_played() {
    assert_eq!(
        verdict("Kf2", &[("d1d5", 300), ("g1f2", 0)], 0),
        Some(Verdict::Found(FoundKind::Sacrifice))
    );
    assert_eq!(
        verdict("Rxd5", &[("d1d5", 300), ("g1f2", 0)], -900),
        Some(Verdict::Found(FoundKind::Sacrifice))
    );
}

#[test]
fn positions_in_check_are_not_searched_again() {
    let pgn = "[FEN \"6k1/8/8/8/8/8/r7/6K1 b - - 0 1\"]\n\n1... Ra1+ 2. Kf2 *";
    let fen = "6k1/8/8/8/8/8/8/r5K1 w";
    let lines = vec![("g1f2", 300), ("g1g2", 0)];
    let analyst = Scripted {
        fen,
        later: lines.clone(),
        lines,
        before: 0,
        asked: Mutex::default(),
    };
    let candidates = run(1.0, &game(pgn), &analyst);
    assert_eq!(candidates[0].verdict, Verdict::Refused(Refusal::InCheck));
    assert_eq!(asked(&analyst), [(1_000_000, 2), (1_000_000, 2)]);
}

#[test]
fn solutions_are_written_as_trees() {
    let analyst = Scripted {
        fen: FEN,
        lines: vec![("d1d5", 500), ("g1f2", 0)],
        later: vec![("d1d5", 500), ("g1f2", 0)],
        before: 0,
        asked: Mutex::default(),
    };
    let game = game(&format!("{START}Kf2 *"));
    let options = MineOptions {
        rules: RuleSet::Classic,
        effort: 0.1,
        solutions: true,
        ..MineOptions::default()
    };
    options.check().unwrap();
    let mined = options.rules_for("Stockfish 15.1").mine(&game, &analyst);
    let candidates = mined.unwrap().candidates;
    let puzzle = candidates[0].puzzle.as_ref().unwrap();
    let first = &puzzle.tree.as_ref().unwrap().nodes()[0];
    assert_eq!(puzzle.solution.line().next(), Some(first.main()));
    assert_eq!(candidates[0].best, Some(first.main()));
    // The puzzle begins with the opponent's last move, and its position is the one found.
    let mut out = Writer::new(Vec::new(), Format::Pgn);
    out.write(puzzle).unwrap();
    let text = String::from_utf8(out.finish().unwrap()).unwrap();
    assert!(
        text.contains("1... Kf7") && text.contains("2. Rxd5"),
        "{text}"
    );
    let other = MineOptions {
        rules: RuleSet::Centipawn,
        ..options
    };
    let error = other.check().unwrap_err().to_string();
    assert_eq!(
        error,
        "solutions belongs to the rules classic; leave it out"
    );
}
