//! Engines, questions and answers that are derived from a number.

use std::time::Duration;

use centipawn_core::{Eval, History, Wdl};
use centipawn_engine::{Analysis, Identity, Limit, Line, Question};
use shakmaty::Position as _;

pub fn engine(name: &str) -> Identity {
    let options = [
        ("Hash".to_owned(), "16".to_owned()),
        ("Threads".to_owned(), "1".to_owned()),
    ];
    Identity {
        name: name.to_owned(),
        author: "the tests".to_owned(),
        options: options.into(),
    }
}

/// Returns a position some plies into a game that is derived from the number. It always has a legal
/// move.
pub fn position(number: u64) -> History {
    let mut history = History::default();
    let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..6 + number % 20 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let legal = history.position().legal_moves();
        let mut next = history.clone();
        next.push(legal[random as usize % legal.len()]);
        if next.position().legal_moves().is_empty() {
            break;
        }
        history = next;
    }
    history
}

/// Returns a question with an answer of `lines` lines, with up to `plies` moves each.
pub fn evaluation(number: u64, limit: Limit, lines: usize, plies: usize) -> (Question, Analysis) {
    let history = position(number);
    let lines = history
        .position()
        .legal_moves()
        .into_iter()
        .take(lines)
        .enumerate()
        .map(|(index, first)| {
            let mut pv = vec![first];
            let mut line = History::new(history.position().clone(), history.mode());
            line.push(first);
            while let Some(&mv) = line
                .position()
                .legal_moves()
                .get(pv.len() % 3)
                .filter(|_| pv.len() < plies)
            {
                line.push(mv);
                pv.push(mv);
            }
            Line {
                pv,
                eval: Eval::cp((number % 400) as i32 - 200 - 10 * index as i32),
                last_exact: number.is_multiple_of(3).then(|| Eval::cp(250)),
                wdl: Wdl::from_per_mille(100, 800, 100),
                depth: 14,
                seldepth: Some(20),
            }
        });
    let lines: Vec<Line> = lines.collect();
    let analysis = Analysis {
        nodes: 100_000 + number % 50,
        depth: 14,
        time: Duration::from_micros(91_234),
        lines,
    };
    (
        Question::new(history, limit).lines(analysis.lines.len()),
        analysis,
    )
}
