//! The rules of the article "Tactics Frenzy": a puzzle is a position with one winning move that is
//! not obvious.

use centipawn_core::{Eval, History, Mover, Score, static_exchange_eval};
use centipawn_engine::{Analysis, Analyst, AnalystError, Limit, Line, Question};
use serde::{Deserialize, Serialize};
use shakmaty::{Move, Position as _, Role};

use crate::{Candidate, FoundKind, Refusal, Verdict, candidate::before_last, limits::with_effort};

/// The rules of the article "Tactics Frenzy", with its node limits or a fraction of them.
///
/// Every position in which a move was played is scanned with two lines. It is a candidate if the
/// first line wins and the second does not. Candidates are searched again with increasing node
/// limits and must pass each time. [`MiningRules`](crate::MiningRules) applies the rules to a game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classic {
    /// Factor for every node limit, > 0; 1 gives the article's limits.
    pub effort: f64,
}

/// A position is won with a mate or with more than this many centipawns.
const WON: i32 = 280;
/// A position is neither won nor lost below this many centipawns for either side.
const OPEN: i32 = 100;
/// Nodes of the scan and of the first stage.
const NODES: f64 = 1e6;
const MOST_NODES: f64 = 40e6;
const GROWTH: f64 = 1.4;

fn is_won(eval: Eval<Mover>) -> bool {
    match eval.score() {
        Score::Mate(moves) => moves > 0,
        Score::Cp(cp) => cp > WON,
    }
}

fn is_not_won(eval: Eval<Mover>) -> bool {
    match eval.score() {
        Score::Mate(moves) => moves <= 0,
        Score::Cp(cp) => cp < OPEN,
    }
}

fn is_not_lost(eval: Eval<Mover>) -> bool {
    match eval.score() {
        Score::Mate(moves) => moves > 0,
        Score::Cp(cp) => cp > -OPEN,
    }
}

impl Classic {
    /// Scans and verifies the position before the move `played`. Returns `None` if it is not a
    /// candidate.
    pub(crate) fn look(
        self,
        ply: usize,
        history: History,
        played: Move,
        analyst: &dyn Analyst,
    ) -> Result<Option<Candidate>, AnalystError> {
        let scan = analyst.analyse(&Question::new(history.clone(), self.limit(NODES)).lines(2))?;
        let [first, rest @ ..] = &scan.lines[..] else {
            return Ok(None);
        };
        if rest.is_empty() || !is_won(first.eval) || !rest.iter().all(|line| is_not_won(line.eval))
        {
            return Ok(None);
        }
        let mut candidate = Candidate {
            ply,
            history,
            played: Some(played),
            best: Some(first.first_move()),
            verdict: Refusal::InCheck.into(),
            stages: 0,
            puzzle: None,
        };
        // In check the candidate is already refused, so it is not searched again.
        if candidate.history.position().is_check() {
            return Ok(Some(candidate));
        }
        let mut nodes = NODES;
        while nodes <= MOST_NODES {
            let limit = self.limit(nodes);
            let analysis =
                analyst.analyse(&Question::new(candidate.history.clone(), limit).lines(2))?;
            candidate.best = analysis.best().map(Line::first_move).or(candidate.best);
            candidate.verdict = judge(&candidate.history, played, &analysis, limit, analyst)?;
            if !candidate.verdict.is_found() {
                break;
            }
            candidate.stages += 1;
            nodes = (nodes * GROWTH).round();
        }
        Ok(Some(candidate))
    }

    fn limit(self, nodes: f64) -> Limit {
        Limit::Nodes(with_effort(nodes, self.effort))
    }
}

/// Returns the verdict of one search of a position that is not check.
fn judge(
    history: &History,
    played: Move,
    analysis: &Analysis,
    limit: Limit,
    analyst: &dyn Analyst,
) -> Result<Verdict, AnalystError> {
    let [best, rest @ ..] = &analysis.lines[..] else {
        return Ok(Refusal::NotWon.into());
    };
    let mv = best.first_move();
    if !is_won(best.eval) {
        return Ok(Refusal::NotWon.into());
    }
    // This is weaker than the scan: the second line may lie between `OPEN` and `WON`.
    if rest.iter().any(|line| is_won(line.eval)) {
        return Ok(Refusal::SecondWins.into());
    }
    if best.eval.mate_moves() == Some(1) {
        return Ok(Refusal::MateInOne.into());
    }
    if mv.is_en_passant() {
        return Ok(Refusal::EnPassant.into());
    }
    if mv.promotion() == Some(Role::Queen) {
        return Ok(Refusal::Queening.into());
    }
    match static_exchange_eval(history.position(), mv) {
        1.. => return Ok(Refusal::WinsMaterial.into()),
        ..0 => return Ok(FoundKind::Sacrifice.into()),
        0 if mv != played => return Ok(FoundKind::Missed.into()),
        0 => {}
    }
    let Some((_, previous)) = before_last(history) else {
        return Ok(Refusal::Trivial.into());
    };
    let before = analyst.analyse(&Question::new(previous, limit))?;
    let was_open = before.best().is_some_and(|line| is_not_lost(line.eval));
    Ok(if was_open {
        FoundKind::Blunder.into()
    } else {
        Refusal::Trivial.into()
    })
}
