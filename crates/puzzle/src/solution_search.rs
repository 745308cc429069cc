//! The searches for a solution: the correct moves in the solver's positions.

use std::{cell::RefCell, collections::HashMap};

use centipawn_core::{Eval, History};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use shakmaty::{Chess, EnPassantMode, Move, Position as _, zobrist::Zobrist64};

use crate::{Goal, Limits, Refusal, Rule, ScoredMove, Scorer, tree::mating_moves};

/// Maximum number of correct moves. A position with more is not asked in a puzzle.
pub(crate) const MOST_CORRECT: usize = 3;
/// Maximum number of defences that are followed.
const MOST_REPLIES: usize = 3;
/// A defence is followed if its expected score is at most this far below the best one.
const DEFENCE_MARGIN: f64 = 0.05;
/// Maximum length in plies of the continuation after the end of a solution.
const LONGEST_CONTINUATION: usize = 6;

/// Asks the analyst about the positions of a solution.
pub(crate) struct SolutionSearch<'a> {
    analyst: &'a dyn Analyst,
    scorer: Scorer,
    pub(crate) rule: Rule,
    pub(crate) limits: &'a Limits,
    /// The answers so far, so that no position is searched twice with the same limit.
    known: RefCell<HashMap<AskedKey, BestMoves>>,
}

/// Start position, moves, nodes and number of lines.
type AskedKey = (Zobrist64, Vec<Move>, u64, usize);

/// The best moves, and the expected continuation after the first.
type BestMoves = (Vec<ScoredMove>, Vec<Move>);

/// The reason why there is no solution.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Refused(Refusal),
    Failed(AnalystError),
}

impl From<AnalystError> for Stop {
    fn from(error: AnalystError) -> Self {
        Stop::Failed(error)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Stop::Refused(refusal)
    }
}

/// The correct moves in a position of the solver.
#[derive(Clone)]
pub(crate) struct CorrectMoves {
    /// The correct moves, best first; at least one.
    pub(crate) correct: Vec<ScoredMove>,
    /// The best of the other moves; `None` if no other move was searched.
    pub(crate) next: Option<ScoredMove>,
    /// Whether only one move is correct although several are legal.
    pub(crate) is_alone: bool,
    /// The engine's expected continuation after the best move.
    pub(crate) continuation: Vec<Move>,
}

/// The answers in a position of the solver.
pub(crate) enum Answers {
    /// The correct moves are known, and every other move is clearly worse.
    Clear(CorrectMoves),
    /// The second-best move is also correct, and further moves may be.
    Several,
    /// No move is correct, or other moves are nearly as good, so the position is not asked in a
    /// puzzle.
    Unclear,
}

impl<'a> SolutionSearch<'a> {
    /// Creates a search for one solution.
    pub(crate) fn new(
        analyst: &'a dyn Analyst,
        scorer: Scorer,
        rule: Rule,
        limits: &'a Limits,
    ) -> Self {
        Self {
            analyst,
            scorer,
            rule,
            limits,
            known: RefCell::default(),
        }
    }

    /// Returns the best moves of a position, at most `lines`.
    pub(crate) fn best_moves(
        &self,
        history: &History,
        nodes: u64,
        lines: usize,
    ) -> Result<Vec<ScoredMove>, AnalystError> {
        Ok(self.best_moves_and_line(history, nodes, lines)?.0)
    }

    /// Like [`best_moves`](Self::best_moves), but also returns the engine's expected continuation
    /// after the best move.
    pub(crate) fn best_moves_and_line(
        &self,
        history: &History,
        nodes: u64,
        lines: usize,
    ) -> Result<BestMoves, AnalystError> {
        let start = history.start().zobrist_hash(EnPassantMode::Legal);
        let key = (start, history.moves().to_vec(), nodes, lines);
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        let question = Question::new(history.clone(), Limit::Nodes(nodes)).lines(lines);
        let analysis = self.analyst.analyse(&question)?;
        let expected = analysis.best().map_or_else(Vec::new, |line| {
            line.pv
                .iter()
                .skip(1)
                .take(LONGEST_CONTINUATION)
                .copied()
                .collect()
        });
        let best = (
            self.scorer.of_analysis(&analysis, history.position()),
            expected,
        );
        self.known.borrow_mut().insert(key, best.clone());
        Ok(best)
    }

    /// Returns the opponent's best moves: those within the margin of the best one that do not
    /// shorten a mate.
    pub(crate) fn defences(&self, after: &History) -> Result<Vec<Move>, AnalystError> {
        let legal = after.position().legal_moves();
        if let [only] = legal[..] {
            return Ok(vec![only]);
        }
        let moves = self.best_moves(after, self.limits.reply, MOST_REPLIES)?;
        let Some(best) = moves.first().copied() else {
            return Ok(Vec::new());
        };
        let is_good = |mv: &&ScoredMove| {
            let is_long_enough = match (best.eval.mate_moves(), mv.eval.mate_moves()) {
                (Some(best), Some(other)) if best < 0 => other <= best,
                (_, Some(other)) => other > 0,
                _ => true,
            };
            is_long_enough && mv.expected >= best.expected - DEFENCE_MARGIN
        };
        Ok(moves.iter().filter(is_good).map(|mv| mv.mv).collect())
    }

    /// Returns the answers in a later position of the solver, as far as a search with two lines
    /// shows them.
    pub(crate) fn answers(
        &self,
        history: &History,
        goal: Goal,
        is_mate: bool,
        nodes: u64,
    ) -> Result<Answers, Stop> {
        let mating = mating_moves(history.position());
        if !mating.is_empty() {
            let correct = mating
                .into_iter()
                .map(|mv| ScoredMove {
                    mv,
                    eval: Eval::mate(1),
                    expected: 1.0,
                })
                .collect();
            return Ok(Answers::Clear(CorrectMoves {
                correct,
                next: None,
                is_alone: true,
                continuation: Vec::new(),
            }));
        }
        let (moves, continuation) = self.best_moves_and_line(history, nodes, 2)?;
        let Some(best) = moves.first().copied() else {
            return Ok(Answers::Unclear);
        };
        if best.expected < self.rule.middle(goal) {
            return Err(Stop::Refused(Refusal::DoesNotHold));
        }
        if moves
            .get(1)
            .is_some_and(|second| self.is_correct(goal, is_mate, second, &best))
        {
            return Ok(Answers::Several);
        }
        Ok(self.clear(history, goal, is_mate, &moves, continuation))
    }

    /// Returns all answers if there are [several](Answers::Several); `None` if the position is not
    /// asked in a puzzle.
    pub(crate) fn several_answers(
        &self,
        history: &History,
        goal: Goal,
        is_mate: bool,
    ) -> Result<Option<CorrectMoves>, Stop> {
        let (moves, continuation) =
            self.best_moves_and_line(history, self.limits.solver, MOST_CORRECT + 1)?;
        Ok(
            match self.clear(history, goal, is_mate, &moves, continuation) {
                Answers::Clear(found) => Some(found),
                Answers::Several | Answers::Unclear => None,
            },
        )
    }

    /// Returns whether a deeper search confirms the correct moves of a close position: it finds the
    /// same moves, and if an evaluation has moved towards the other answer, moving by the same
    /// amount again would not reach it. Mates are never close.
    pub(crate) fn is_confirmed(
        &self,
        history: &History,
        goal: Goal,
        is_mate: bool,
        found: &CorrectMoves,
        is_first: bool,
    ) -> Result<bool, AnalystError> {
        let position = history.position();
        if is_mate || !self.is_close(position, goal, found, is_first) {
            return Ok(true);
        }
        let moves =
            self.best_moves(history, self.limits.confirmation.0, found.correct.len() + 1)?;
        let (correct, others): (Vec<ScoredMove>, Vec<ScoredMove>) = moves
            .iter()
            .partition(|mv| found.correct.iter().any(|known| known.mv == mv.mv));
        if correct.len() < found.correct.len() {
            return Ok(false);
        }
        let further =
            |now: &ScoredMove, before: &ScoredMove| self.scorer.further(now, before, position);
        let [best, before] = [&correct[0], &found.correct[0]];
        let still_reaches = best.expected.min(further(best, before)) >= self.rule.middle(goal);
        let limit = self.rule.far_too_much(goal, before.expected);
        let still_misses = others.first().is_none_or(|other| {
            let further = found
                .next
                .map_or(other.expected, |before| further(other, &before));
            other.expected.max(further) <= limit
        });
        Ok(still_reaches && still_misses)
    }

    /// Returns whether another evaluation of one move, within the doubt, would change the answer:
    /// the best move would miss the goal, or the best of the other moves would be too good. In the
    /// first position, which is searched with more nodes, the evaluations of other moves are twice
    /// as certain.
    fn is_close(&self, position: &Chess, goal: Goal, found: &CorrectMoves, is_first: bool) -> bool {
        let doubt = self.limits.confirmation.1;
        let doubt_of_others = if is_first { doubt / 2.0 } else { doubt };
        let best = &found.correct[0];
        let too_little = self.rule.too_little(goal, best.expected);
        self.scorer.shifted(best, -doubt, position) < self.rule.reached(goal)
            || found.next.is_some_and(|next| {
                self.scorer.shifted(&next, doubt_of_others, position) > too_little
            })
    }

    /// Returns whether a move that is not correct also wins, perhaps more slowly.
    pub(crate) fn wins_otherwise(&self, found: &CorrectMoves) -> bool {
        found.next.is_some_and(|next| {
            next.expected > self.rule.too_little(Goal::Win, found.correct[0].expected)
        })
    }

    /// Returns the correct moves among the best ones, if every other move is clearly worse.
    fn clear(
        &self,
        history: &History,
        goal: Goal,
        is_mate: bool,
        moves: &[ScoredMove],
        continuation: Vec<Move>,
    ) -> Answers {
        let Some(best) = moves.first() else {
            return Answers::Unclear;
        };
        // The line ends here if the engine loses the mate, or knows the position only as a
        // tablebase win.
        if is_mate && best.eval.mate_moves().is_none_or(|moves| moves <= 0) {
            return Answers::Unclear;
        }
        let right = |mv: &&ScoredMove| self.is_correct(goal, is_mate, mv, best);
        let correct: Vec<ScoredMove> = moves.iter().take_while(right).copied().collect();
        // The best of the other moves must be clearly worse, because it counts as wrong.
        let too_little = self.rule.too_little(goal, best.expected);
        let next = moves.get(correct.len()).copied();
        let is_clear = match next {
            Some(next) => is_mate || next.expected <= too_little,
            None => correct.len() <= MOST_CORRECT,
        };
        if !is_clear || correct.is_empty() {
            return Answers::Unclear;
        }
        let is_alone = history.position().legal_moves().len() > 1 && correct.len() == 1;
        Answers::Clear(CorrectMoves {
            correct,
            next,
            is_alone,
            continuation,
        })
    }

    /// Returns whether a move is as good as the best one. In a mate puzzle, only mates at most one
    /// move slower than the fastest are.
    pub(crate) fn is_correct(
        &self,
        goal: Goal,
        is_mate: bool,
        mv: &ScoredMove,
        best: &ScoredMove,
    ) -> bool {
        match (best.eval.mate_moves(), mv.eval.mate_moves()) {
            (Some(fastest @ 1..), other) if is_mate => {
                other.is_some_and(|moves| (1..=fastest + 1).contains(&moves))
            }
            _ => self.rule.is_correct(goal, mv.expected, best.expected),
        }
    }
}

/// Returns a key that is equal for positions that differ only in their move counters.
pub(crate) fn key(history: &History) -> Zobrist64 {
    history.position().zobrist_hash(EnPassantMode::Legal)
}
