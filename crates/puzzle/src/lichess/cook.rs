//! The continuation after a mistake: the only good moves of the solver, and the best replies to
//! them.

use centipawn_core::{Context, Curve, Ending, Eval, History, Mover};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use shakmaty::{Color, Move, Position as _};

use super::{DEFENCE, MATE_SOON, WON};
use crate::{FoundKind, Refusal, Verdict, tree::mating_moves};

/// Minimum difference in winning chances between the only move and the second best.
const GAP: f64 = 0.7;
/// A second move with winning chances of at most this does not win, so a mate in one is still the
/// only move.
const NO_WIN: f64 = 0.6;
const MATE_IN_ONE: Eval<Mover> = Eval::mate(1);

/// Finds the continuation after a mistake with an analyst.
pub(super) struct Cook<'a> {
    pub(super) analyst: &'a dyn Analyst,
    /// Limit of a search for the two best moves.
    pub(super) limit: Limit,
    pub(super) solver: Color,
}

/// The solution of a puzzle, and the verdict on it.
pub(super) struct Cooked {
    pub(super) verdict: Verdict,
    /// The solution without the mistake. If the candidate is refused, the moves found so far.
    pub(super) moves: Vec<Move>,
    /// The analyst's best first move.
    pub(super) best: Option<Move>,
    /// Number of the solver's moves that were confirmed as only moves.
    pub(super) stages: usize,
    /// Evaluation of the solver's last move; `None` for mate puzzles.
    pub(super) worth: Option<Eval<Mover>>,
}

impl Cooked {
    pub(super) fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            moves: Vec::new(),
            best: None,
            stages: 0,
            worth: None,
        }
    }
}

/// The best move of a position with its evaluation, and the second-best evaluation, both for the
/// side to move.
struct Pair {
    mv: Move,
    eval: Eval<Mover>,
    second: Option<Eval<Mover>>,
}

/// Lichess' winning chances, without clamping.
const CURVE: Curve = Curve::Logistic {
    k: 0.003_682_08,
    clamp: None,
};

/// Converts an evaluation to winning chances from −1 to 1.
pub(super) fn win_chances(eval: Eval<Mover>) -> f64 {
    2.0 * CURVE.expected_score(eval, Context::default()) - 1.0
}

impl Cook<'_> {
    /// Follows the line to mate: the solver plays only moves, the defender the best replies.
    pub(super) fn mate(&self, start: &History, tier: u8) -> Result<Cooked, AnalystError> {
        let mut cooked = Cooked::new(FoundKind::OnlyMoves.into());
        let mut history = start.clone();
        while !is_over(&history) {
            let mv = if history.turn() == self.solver {
                let Some(pair) = self.pair(&history)? else {
                    break;
                };
                cooked.best.get_or_insert(pair.mv);
                if !self.is_only(&history, &pair)? {
                    cooked.verdict = Refusal::SecondWins.into();
                    return Ok(cooked);
                }
                if pair.eval < MATE_SOON {
                    cooked.verdict = Refusal::NotMate.into();
                    return Ok(cooked);
                }
                cooked.stages += 1;
                pair.mv
            } else {
                let defence = self
                    .analyst
                    .analyse(&Question::new(history.clone(), DEFENCE))?;
                let Some(line) = defence.best() else { break };
                line.first_move()
            };
            cooked.moves.push(mv);
            history.push(mv);
        }
        if tier == 1 && cooked.moves.len() == 3 {
            cooked.verdict = Refusal::TooShort.into();
        }
        Ok(cooked)
    }

    /// Follows the line while the solver has only moves. Then removes the moves after the last one
    /// that has an alternative.
    pub(super) fn advantage(&self, start: &History, tier: u8) -> Result<Cooked, AnalystError> {
        let mut cooked = Cooked::new(FoundKind::OnlyMoves.into());
        let mut pairs = Vec::new();
        let mut history = start.clone();
        let refused = loop {
            if history.repetitions() >= 2 {
                break Some(Refusal::Repetition);
            }
            let Some(pair) = self.pair(&history)? else {
                break Some(Refusal::GameOver);
            };
            cooked.best.get_or_insert(pair.mv);
            let is_solver = history.turn() == self.solver;
            if is_solver && !self.is_only(&history, &pair)? {
                break pairs.is_empty().then_some(Refusal::SecondWins);
            }
            if (if is_solver {
                pair.eval
            } else {
                pair.eval.for_opponent()
            }) < WON
            {
                break Some(Refusal::NotWon);
            }
            cooked.stages += usize::from(is_solver);
            history.push(pair.mv);
            pairs.push(pair);
        };
        // The solution must end with a move of the solver that has an alternative.
        while pairs
            .last()
            .is_some_and(|pair| pairs.len() % 2 == 0 || pair.second.is_none())
        {
            pairs.pop();
        }
        cooked.worth = pairs.last().map(|pair| pair.eval);
        cooked.moves = pairs.iter().map(|pair| pair.mv).collect();
        cooked.verdict = match (refused, pairs.len()) {
            (Some(refusal), _) => refusal.into(),
            (None, 0 | 1) => Refusal::OneMove.into(),
            (None, 3) if tier < 3 => Refusal::TooShort.into(),
            (None, _) => FoundKind::OnlyMoves.into(),
        };
        Ok(cooked)
    }

    /// Returns the two best moves; `None` if there is no legal move.
    fn pair(&self, history: &History) -> Result<Option<Pair>, AnalystError> {
        let analysis = self
            .analyst
            .analyse(&Question::new(history.clone(), self.limit).lines(2))?;
        let second = analysis.lines.get(1).map(|line| line.eval);
        Ok(analysis.best().map(|line| Pair {
            mv: line.first_move(),
            eval: line.eval,
            second,
        }))
    }

    /// Returns whether the best move is the only good one.
    fn is_only(&self, history: &History, pair: &Pair) -> Result<bool, AnalystError> {
        let Some(second) = pair.second else {
            return Ok(true);
        };
        if win_chances(pair.eval) > win_chances(second) + GAP {
            return Ok(true);
        }
        if pair.eval != MATE_IN_ONE {
            return Ok(false);
        }
        if second != MATE_IN_ONE {
            return Ok(win_chances(second) <= NO_WIN);
        }
        // All mates in one are correct. Request one line more than there are mates, to see whether
        // another move also wins.
        let lines = mating_moves(history.position()).len() + 1;
        let analysis = self
            .analyst
            .analyse(&Question::new(history.clone(), self.limit).lines(lines))?;
        let last = analysis.lines.last().map_or(MATE_IN_ONE, |line| line.eval);
        Ok(last >= MATE_IN_ONE || win_chances(last) <= NO_WIN)
    }
}

/// Returns whether the game ends automatically, which includes fivefold repetition and the 75-move
/// rule.
fn is_over(history: &History) -> bool {
    history.ending().is_some_and(Ending::is_final)
        || history.position().halfmoves() >= 150
        || history.repetitions() >= 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winning_chances_are_those_of_lichess() {
        assert!(
            (win_chances(Eval::cp(100)) - 0.182_052).abs() < 1e-6,
            "{}",
            win_chances(Eval::cp(100))
        );
        assert!(
            (win_chances(Eval::cp(-300)) + 0.502_251).abs() < 1e-6,
            "{}",
            win_chances(Eval::cp(-300))
        );
        assert_eq!(
            (win_chances(Eval::mate(9)), win_chances(Eval::mate(-1))),
            (1.0, -1.0)
        );
    }
}
