//! Verifies the solution of a puzzle.

use centipawn_core::{Curve, Eval, History};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use serde::{Deserialize, Serialize};
use shakmaty::{Move, Position as _};

use crate::{Claim, Rule, ScoredMove, Scorer, tree::mating_moves};

/// Asks an engine whether the solution's moves are the only good ones in every position of the
/// solver.
///
/// Solutions may come from any source. A solution holds if no other move is as good and its moves
/// reach the goal. Another move is as good if it is within the rule's margin of the best or, in a
/// mate puzzle, if it mates at most one move slower. In a position with a mate in one, every mate
/// is correct. Trees are checked with all branches; the alternatives that they list may be up to
/// twice the margin behind.
#[derive(Clone, Copy, Debug)]
pub struct Verifier {
    /// Converts evaluations to expected scores.
    pub scorer: Scorer,
    /// The rule that decides whether a move is the only good move.
    pub rule: Rule,
    /// Search limit for each position.
    pub limit: Limit,
}

/// The options of verifying puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyOptions {
    /// Search limit for each position. Default 1,000,000 nodes.
    pub limit: Limit,
    /// The curve from evaluations to expected scores. Default: the engine's own win/draw/loss, or
    /// the curve that fits the engine's name.
    pub curve: Option<Curve>,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            limit: Limit::Nodes(1_000_000),
            curve: None,
        }
    }
}

impl VerifyOptions {
    /// Creates a verifier for an engine with this name.
    pub fn verifier(&self, engine: &str) -> Verifier {
        Verifier {
            scorer: Scorer::new(self.curve, engine),
            rule: Rule::default(),
            limit: self.limit,
        }
    }
}

/// The result of verifying a puzzle.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Number of positions in which the solver is to move.
    pub positions: usize,
    /// Number of the solver's positions in which the solution is correct.
    pub standing: usize,
    /// Whether the engine's best move in the first position is the solution's.
    pub is_first_same: bool,
    /// The first position in which the solution does not hold, with the reason; `None` if it holds
    /// everywhere.
    pub fault: Option<Fault>,
}

/// A position in which a solution does not hold, with the reason.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The position, with the preceding moves.
    pub history: History,
    /// The solution's move.
    pub solution: ScoredMove,
    /// The reason why the solution's move is not correct.
    pub kind: FaultKind,
}

/// The reason why a solution's move does not hold.
#[derive(Clone, Copy, Debug)]
pub enum FaultKind {
    /// Another move is as good.
    AsGood(ScoredMove),
    /// Another move is better.
    Better(ScoredMove),
    /// A move that the solution lists as correct is not correct.
    NotAsGood(ScoredMove),
    /// The move is best, but does not reach the goal: to win, or not to lose.
    Misses,
}

impl Verifier {
    /// Verifies a puzzle, or a position of a test suite. Asks the analyst about each position of
    /// the solver.
    ///
    /// # Errors
    ///
    /// The errors of the analyst, including [`AnalystError::Cancelled`]. The claim is then not
    /// verified.
    pub fn verify(&self, claim: &Claim, analyst: &dyn Analyst) -> Result<Verified, AnalystError> {
        let mut verified = Verified {
            positions: 0,
            standing: 0,
            is_first_same: true,
            fault: None,
        };
        for (history, correct) in &claim.positions {
            let (best, fault) = self.check(history, correct, claim, analyst)?;
            if verified.positions == 0 {
                verified.is_first_same = best == correct[0];
            }
            verified.positions += 1;
            match fault {
                None => verified.standing += 1,
                Some((solution, kind)) => {
                    verified.fault.get_or_insert_with(|| Fault {
                        history: history.clone(),
                        solution,
                        kind,
                    });
                }
            }
        }
        Ok(verified)
    }

    /// Returns the engine's best move in a position, and the fault of the solution's move, if there
    /// is one.
    fn check(
        &self,
        history: &History,
        correct: &[Move],
        claim: &Claim,
        analyst: &dyn Analyst,
    ) -> Result<(Move, Option<(ScoredMove, FaultKind)>), AnalystError> {
        let position = history.position();
        let main = correct[0];
        let mating = mating_moves(position);
        if mating.contains(&main) {
            let scored = |mv, eval, expected| ScoredMove { mv, eval, expected };
            let wrong = correct
                .iter()
                .find(|mv| !mating.contains(mv))
                .map(|mv| scored(*mv, Eval::cp(0), 0.0));
            return Ok((
                main,
                wrong.map(|wrong| {
                    (
                        scored(main, Eval::mate(1), 1.0),
                        FaultKind::NotAsGood(wrong),
                    )
                }),
            ));
        }
        if position.legal_moves().len() == 1 {
            return Ok((main, None));
        }
        let ask = |question: Question| {
            analyst
                .analyse(&question)
                .map(|analysis| self.scorer.of_analysis(&analysis, position))
        };
        let question = Question::new(history.clone(), self.limit);
        let moves = ask(question.clone().lines(correct.len() + 1))?;
        let Some(first) = moves.first().copied() else {
            return Ok((main, None));
        };
        // Moves that the solution lists but the engine does not are searched separately.
        let mut listed = Vec::with_capacity(correct.len());
        for mv in correct {
            listed.push(match moves.iter().find(|scored| scored.mv == *mv) {
                Some(scored) => *scored,
                None => ask(question.clone().searchmoves([*mv]))?
                    .first()
                    .copied()
                    .unwrap_or(first),
            });
        }
        // Searched alone, a move may turn out to be better than all that the engine listed.
        let worth = |scored: &ScoredMove| (scored.expected, scored.eval);
        let best = listed.iter().fold(first, |best, scored| {
            if worth(scored) > worth(&best) {
                *scored
            } else {
                best
            }
        });
        let solution = listed[0];
        let as_good = |scored: &&ScoredMove| {
            !correct.contains(&scored.mv)
                && is_as_good(scored, &best, claim.is_mate, self.rule.margin)
        };
        let wrong = listed[1..]
            .iter()
            .find(|scored| !is_as_good(scored, &best, claim.is_mate, 2.0 * self.rule.margin));
        let kind = match moves.iter().find(as_good) {
            Some(other) if solution.expected < other.expected - self.rule.margin => {
                Some(FaultKind::Better(*other))
            }
            Some(other) => Some(FaultKind::AsGood(*other)),
            None if claim
                .goal
                .is_some_and(|goal| solution.expected < self.rule.middle(goal)) =>
            {
                Some(FaultKind::Misses)
            }
            None => None,
        };
        let kind = kind.or_else(|| wrong.map(|worse| FaultKind::NotAsGood(*worse)));
        Ok((best.mv, kind.map(|kind| (solution, kind))))
    }
}

fn is_as_good(scored: &ScoredMove, best: &ScoredMove, is_mate: bool, margin: f64) -> bool {
    match best.eval.mate_moves() {
        Some(fastest @ 1..) if is_mate => scored
            .eval
            .mate_moves()
            .is_some_and(|moves| (1..=fastest + 1).contains(&moves)),
        _ => scored.expected >= best.expected - margin,
    }
}
