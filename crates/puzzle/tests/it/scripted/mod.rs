//! An analyst with scripted answers, and games to mine with it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use centipawn_core::{Curve, Eval, Mover};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_pgn::{Dialect, Game, Reader};
use centipawn_puzzle::{Candidate, Limits, Miner, MiningRules, Rule, Scorer, SolverFilter};

/// Moves with their evaluations, best first.
pub(crate) type Lines = [(&'static str, Eval<Mover>)];

/// Knows the lines of some positions, by board and side to move. In all other positions, all moves
/// have the same evaluation.
pub(crate) struct Scripted {
    pub(crate) known: HashMap<String, Vec<(&'static str, Eval<Mover>)>>,
    pub(crate) elsewhere: Eval<Mover>,
    pub(crate) asked: Mutex<Vec<(String, u64, usize)>>,
}

impl Scripted {
    pub(crate) fn new(known: &[(&str, &Lines)]) -> Self {
        let known = known
            .iter()
            .map(|(fen, lines)| (board(fen), lines.to_vec()))
            .collect();
        Self {
            known,
            elsewhere: Eval::cp(0),
            asked: Mutex::default(),
        }
    }

    pub(crate) fn asked(&self) -> Vec<(u64, usize)> {
        self.asked
            .lock()
            .unwrap()
            .iter()
            .map(|(_, nodes, lines)| (*nodes, *lines))
            .collect()
    }
}

pub(crate) fn board(fen: &str) -> String {
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

impl Analyst for Scripted {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        let line = |mv, eval| Line {
            pv: vec![mv],
            eval,
            last_exact: None,
            wdl: None,
            depth: 1,
            seldepth: None,
        };
        let legal = question.candidates()?;
        let mut lines: Vec<Line> = match self.known.get(&board(&history.fen())) {
            Some(lines) => lines
                .iter()
                .map(|(uci, eval)| line(history.parse_uci(uci).unwrap(), *eval))
                .collect(),
            None => legal.iter().map(|mv| line(*mv, self.elsewhere)).collect(),
        };
        lines.retain(|line| legal.contains(&line.pv[0]));
        lines.truncate(question.lines);
        let Limit::Nodes(nodes) = question.limit else {
            panic!("nodes only")
        };
        self.asked
            .lock()
            .unwrap()
            .push((history.fen(), nodes, question.lines));
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

pub(crate) fn cp(cp: i32) -> Eval<Mover> {
    Eval::cp(cp)
}

pub(crate) fn miner() -> Miner {
    Miner {
        scorer: Scorer::by(Curve::Relevance { balance: 1.0 }),
        rule: Rule::default(),
        limits: Limits {
            min_moves: 1,
            ..Limits::default()
        },
        solver: SolverFilter::default(),
    }
}

pub(crate) fn mine(pgn: &str, analyst: &Scripted) -> Vec<Candidate> {
    mine_by(miner(), pgn, analyst)
}

pub(crate) fn mine_by(miner: Miner, pgn: &str, analyst: &Scripted) -> Vec<Candidate> {
    let game: Game = Reader::new(pgn.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    let mined = MiningRules::Centipawn {
        miner: Box::new(miner),
        evals: Some(Dialect::Auto),
    }
    .mine(&game, analyst)
    .unwrap();
    assert!(mined.failures.is_empty(), "{:?}", mined.failures);
    mined.candidates
}

/// After 1... Kf7, White can play 2. Be5 or another move.
pub(crate) const START: &str = "[FEN \"6k1/8/2p5/3p4/8/8/1B6/3R2K1 b - - 0 1\"]\n\n";
pub(crate) const SHOWN: &str = "8/5k2/2p5/3p4/8/8/1B6/3R2K1 w";
pub(crate) const BEFORE: &str = "6k1/8/2p5/3p4/8/8/1B6/3R2K1 b";

/// After 1... Kf7, White plays 2. Be5. Of two defences, only the second best leaves a single
/// answer.
pub(crate) fn two_defences(best: i32, answer: i32) -> Scripted {
    let mut analyst = Scripted::new(&[
        (SHOWN, &[("b2e5", cp(600)), ("g1f2", cp(5))]),
        (BEFORE, &[("g8f8", cp(0))]),
        (
            "8/5k2/2p5/3pB3/8/8/8/3R2K1 b",
            &[("f7e6", cp(best)), ("f7g6", cp(-550))],
        ),
        (
            "8/8/2p3k1/3pB3/8/8/8/3R2K1 w",
            &[("d1d5", cp(answer)), ("g1f2", cp(0))],
        ),
    ]);
    analyst.elsewhere = cp(600);
    analyst
}
