//! Questions about some moves, for engines that ignore `searchmoves`.

use std::{cmp::Reverse, time::Duration};

use centipawn_core::{Ending, Eval, Mover, Score, Wdl};
use centipawn_progress::Cancel;
use shakmaty::Move;

use super::Engine;
use crate::{Analysis, AnalystError, Line, Question};

impl Engine {
    /// Evaluates each move by a search of the position after it, to the question's limit; the best
    /// `wanted` of them become the lines. Toga II, Ethereal and GNU Chess ignore `searchmoves`.
    pub(super) fn search_after(
        &mut self,
        question: &Question,
        moves: &[Move],
        wanted: usize,
        cancel: &Cancel,
    ) -> Result<Analysis, AnalystError> {
        let mut all = Analysis {
            lines: Vec::new(),
            nodes: 0,
            depth: 0,
            time: Duration::ZERO,
        };
        for &mv in moves {
            let mut history = question.history.clone();
            history.push(mv);
            let line = match history.ending() {
                Some(Ending::Checkmate) => certain(mv, Eval::mate(1)),
                Some(_) => certain(mv, Eval::cp(0)),
                None => {
                    let answer =
                        self.analyse_under(&Question::new(history, question.limit), cancel)?;
                    all.nodes += answer.nodes;
                    all.time += answer.time;
                    match answer.lines.into_iter().next() {
                        Some(line) => one_move_earlier(mv, line),
                        None => certain(mv, Eval::cp(0)),
                    }
                }
            };
            all.lines.push(line);
        }
        all.lines.sort_by_key(|line| Reverse(line.eval));
        all.lines.truncate(wanted);
        all.depth = all.lines.first().map_or(0, |line| line.depth);
        Ok(all)
    }
}

/// Returns the line of a move that ends the game.
fn certain(mv: Move, eval: Eval<Mover>) -> Line {
    Line {
        pv: vec![mv],
        eval,
        last_exact: None,
        wdl: None,
        depth: 0,
        seldepth: None,
    }
}

/// Returns the line that begins with `mv`, from the opponent's best line after it.
fn one_move_earlier(mv: Move, line: Line) -> Line {
    let Line {
        mut pv,
        eval,
        last_exact,
        wdl,
        depth,
        seldepth,
    } = line;
    pv.insert(0, mv);
    let earlier = |eval: Eval<Mover>| match eval.score() {
        Score::Cp(cp) => Eval::cp(cp.saturating_neg()),
        // Seen from the position before the move, the mate takes one move more.
        Score::Mate(moves @ ..0) => Eval::mate(moves.saturating_neg().saturating_add(1)),
        Score::Mate(moves) => Eval::mate(-moves),
    };
    let (eval, last_exact) = (earlier(eval), last_exact.map(earlier));
    let wdl = wdl.map(|Wdl { win, draw, loss }| Wdl {
        win: loss,
        draw,
        loss: win,
    });
    Line {
        pv,
        eval,
        last_exact,
        wdl,
        depth: depth + 1,
        seldepth: seldepth.map(|depth| depth + 1),
    }
}
