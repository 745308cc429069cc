//! The search from a position to a solution with all its branches, or to the reason for its refusal.

use std::collections::HashMap;

use centipawn_core::{Ending, Eval, History};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use shakmaty::{Color, EnPassantMode, Move, Position as _, Role, zobrist::Zobrist64};

use crate::{
    CorrectMove, Goal, Limits, LineEnd, Node, Refusal, Reply, Rule, ScoredMove, Scorer, Tree, tree::mating_moves,
};

/// Maximum number of correct moves; with more, a position is not worth asking.
const MOST_CORRECT: usize = 3;
/// Maximum number of defences followed.
const MOST_REPLIES: usize = 3;
/// Mates in at most this many moves must be delivered; slower ones count as ordinary wins.
const LONGEST_MATE: i32 = 5;
/// Defences are followed if their expected score is at most this far below the best one.
const DEFENCE_MARGIN: f64 = 0.05;

/// Follows a move that stands alone to the end of its solution.
pub(crate) struct SolutionSearch<'a> {
    pub(crate) analyst: &'a dyn Analyst,
    pub(crate) scorer: Scorer,
    pub(crate) rule: Rule,
    pub(crate) limits: &'a Limits,
}

/// Why there is no solution.
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
pub(crate) struct CorrectMoves {
    /// The correct moves, best first; at least one.
    pub(crate) correct: Vec<ScoredMove>,
    /// Whether only one move is correct although several are legal.
    pub(crate) is_alone: bool,
    /// The engine's expected continuation after the best move.
    pub(crate) continuation: Vec<Move>,
}

/// A tree under construction.
struct Growth<'p, 'a> {
    search: &'p SolutionSearch<'a>,
    goal: Goal,
    /// Whether the puzzle is a mate, so that only mating moves are correct.
    is_mate: bool,
    nodes: Vec<Option<Node>>,
    visited: HashMap<Zobrist64, Visited>,
}

/// The state of a position that was reached before.
#[derive(Clone, Copy)]
enum Visited {
    /// On the path to the current position.
    Open,
    Node(usize),
    /// The line ends before this position.
    Ends(LineEnd),
}

impl SolutionSearch<'_> {
    /// The best moves of a position, at most `lines`.
    pub(crate) fn best_moves(
        &self,
        history: &History,
        nodes: u64,
        lines: usize,
    ) -> Result<Vec<ScoredMove>, AnalystError> {
        Ok(self.best_moves_and_line(history, nodes, lines)?.0)
    }

    /// Like [`best_moves`](Self::best_moves), with the engine's expected continuation after the best move.
    pub(crate) fn best_moves_and_line(
        &self,
        history: &History,
        nodes: u64,
        lines: usize,
    ) -> Result<(Vec<ScoredMove>, Vec<Move>), AnalystError> {
        let question = Question::new(history.clone(), Limit::Nodes(nodes)).lines(lines);
        let analysis = self.analyst.analyse(&question)?;
        let expected = analysis.best().map_or_else(Vec::new, |line| line.pv.iter().skip(1).copied().collect());
        Ok((self.scorer.of_analysis(&analysis, history.position()), expected))
    }

    /// The complete solution that starts with `first`, the move that stands alone in `history`.
    pub(crate) fn tree(&self, history: &History, first: &CorrectMoves, goal: Goal) -> Result<Tree, Stop> {
        let is_mate = first.correct[0].eval.mate_moves().is_some_and(|moves| (1..=LONGEST_MATE).contains(&moves));
        let mut growth = Growth { search: self, goal, is_mate, nodes: Vec::new(), visited: HashMap::new() };
        // The first position is in the tree even if the solution ends with its move.
        let _first = growth.add(history, first, 1)?;
        let nodes = growth.nodes.into_iter().flatten().collect();
        Ok(Tree { nodes })
    }

    /// The correct moves of a later position of the solver; `None` if the position is not worth asking.
    pub(crate) fn correct_moves(
        &self,
        history: &History,
        goal: Goal,
        is_mate: bool,
    ) -> Result<Option<CorrectMoves>, Stop> {
        let position = history.position();
        let mating = mating_moves(position);
        if !mating.is_empty() {
            let correct = mating.into_iter().map(|mv| ScoredMove { mv, eval: Eval::mate(1), expected: 1.0 }).collect();
            return Ok(Some(CorrectMoves { correct, is_alone: true, continuation: Vec::new() }));
        }
        let is_choice = position.legal_moves().len() > 1;
        let nodes = self.limits.solver;
        let (mut moves, mut continuation) = self.best_moves_and_line(history, nodes, 2)?;
        let Some(best) = moves.first().copied() else { return Ok(None) };
        if best.expected < self.rule.middle(goal) {
            return Err(Stop::Refused(Refusal::DoesNotHold));
        }
        let right = |mv: &ScoredMove| self.is_correct(goal, is_mate, mv, &best);
        if moves.get(1).is_some_and(right) {
            (moves, continuation) = self.best_moves_and_line(history, nodes, MOST_CORRECT + 1)?;
        }
        let Some(best) = moves.first().copied() else { return Ok(None) };
        let right = |mv: &&ScoredMove| self.is_correct(goal, is_mate, mv, &best);
        let correct: Vec<ScoredMove> = moves.iter().take_while(right).copied().collect();
        // A mate is not followed further if the engine loses it, or tablebases only know it as a win.
        if is_mate && best.eval.mate_moves().is_none_or(|moves| moves <= 0) {
            return Ok(None);
        }
        // The best of the other moves must be clearly worse, since solvers who play it are told that they are wrong.
        let (_, too_little) = self.rule.limits(goal);
        let is_clear = match moves.get(correct.len()) {
            Some(next) => is_mate || next.expected <= too_little,
            None => correct.len() <= MOST_CORRECT,
        };
        let is_alone = is_choice && correct.len() == 1;
        Ok((is_clear && !correct.is_empty()).then_some(CorrectMoves { correct, is_alone, continuation }))
    }

    /// Whether a move is as good as the best one. In a mate puzzle only mates are, at most one move slower than the
    /// fastest.
    pub(crate) fn is_correct(&self, goal: Goal, is_mate: bool, mv: &ScoredMove, best: &ScoredMove) -> bool {
        match (best.eval.mate_moves(), mv.eval.mate_moves()) {
            (Some(fastest @ 1..), other) if is_mate => other.is_some_and(|moves| (1..=fastest + 1).contains(&moves)),
            _ => self.rule.is_correct(goal, mv.expected, best.expected),
        }
    }
}

impl Growth<'_, '_> {
    /// Adds a position of the solver with its continuation, or returns why the line ends before it.
    fn add(&mut self, history: &History, found: &CorrectMoves, depth: u8) -> Result<Result<usize, LineEnd>, Stop> {
        let number = self.nodes.len();
        if number == usize::from(self.search.limits.max_positions) {
            return Err(Stop::Refused(Refusal::TooWide));
        }
        if depth > self.search.limits.max_moves {
            return Err(Stop::Refused(Refusal::TooDeep));
        }
        self.nodes.push(None);
        let key = key(history);
        self.visited.insert(key, Visited::Open);
        let main = found.correct[0];
        let mut after = history.clone();
        after.push(main.mv);
        let (replies, end) = self.replies(&after, depth)?;
        if replies.is_empty() && depth > 1 && !found.is_alone {
            // The position is not asked, so no later position is in the tree either.
            self.nodes.truncate(number);
            let end = end.unwrap_or(LineEnd::Choice);
            self.visited.insert(key, Visited::Ends(end));
            return Ok(Err(end));
        }
        let answers = found.correct.iter().map(|mv| CorrectMove::from(*mv)).collect();
        let is_last = replies.is_empty() && end != Some(LineEnd::Mate);
        let continuation = if is_last { found.continuation.clone() } else { Vec::new() };
        self.nodes[number] = Some(Node { answers, replies, end, continuation });
        self.visited.insert(key, Visited::Node(number));
        Ok(Ok(number))
    }

    /// The defences against the move just played, the best first, or why the line ends with that move.
    fn replies(&mut self, after: &History, depth: u8) -> Result<(Vec<Reply>, Option<LineEnd>), Stop> {
        match after.ending() {
            Some(Ending::Checkmate) => return Ok((Vec::new(), Some(LineEnd::Mate))),
            Some(_) => return Ok((Vec::new(), Some(LineEnd::Draw))),
            None => {}
        }
        let defences = self.defences(after)?;
        let mut replies: Vec<Reply> = Vec::new();
        for (index, mv) in defences.into_iter().enumerate() {
            let mut next = after.clone();
            next.push(mv);
            let key = key(&next);
            let reached = match self.visited.get(&key) {
                Some(Visited::Node(node)) => Ok(*node),
                Some(Visited::Ends(end)) => Err(*end),
                Some(Visited::Open) => Err(self.repeated()),
                None if next.ending().is_some() || next.repetitions() > 1 => Err(self.repeated()),
                None => match self.correct_after(&next, index == 0)? {
                    None => Err(LineEnd::Choice),
                    Some(found) if index == 0 => {
                        if self.is_settled(after, mv, &found) {
                            Err(LineEnd::Settled)
                        } else {
                            self.add(&next, &found, depth + 1)?
                        }
                    }
                    // A further defence becomes a branch only if it needs an answer that no earlier branch has.
                    Some(found) if found.is_alone && !self.is_answered(&replies, found.correct[0].mv) => {
                        self.add_branch(&next, &found, depth + 1)?
                    }
                    Some(_) => continue,
                },
            };
            match reached {
                Ok(node) => replies.push(Reply { mv, next: node }),
                Err(end) if index == 0 => return Ok((Vec::new(), Some(end))),
                Err(_) => {}
            }
        }
        Ok((replies, None))
    }

    /// The correct moves after a defence. If the goal is missed, the best defence refuses the whole solution; another
    /// one is ignored.
    fn correct_after(&self, next: &History, is_best: bool) -> Result<Option<CorrectMoves>, Stop> {
        match self.search.correct_moves(next, self.goal, self.is_mate) {
            Err(Stop::Refused(_)) if !is_best => Ok(None),
            result => result,
        }
    }

    /// Adds a further defence's position with its continuation, or nothing if that is refused: the main line remains a
    /// solution.
    fn add_branch(
        &mut self,
        history: &History,
        found: &CorrectMoves,
        depth: u8,
    ) -> Result<Result<usize, LineEnd>, Stop> {
        let (length, visited) = (self.nodes.len(), self.visited.clone());
        match self.add(history, found, depth) {
            Err(Stop::Refused(_)) => {
                self.nodes.truncate(length);
                self.visited = visited;
                Ok(Err(LineEnd::Choice))
            }
            result => result,
        }
    }

    /// A repetition decides nothing for a solver who wants to win, but is a draw for one who defends.
    fn repeated(&self) -> LineEnd {
        match self.goal {
            Goal::Win => LineEnd::Choice,
            Goal::Save => LineEnd::Draw,
        }
    }

    /// Whether one of these defences already has this answer.
    fn is_answered(&self, replies: &[Reply], answer: Move) -> bool {
        let node = |reply: &Reply| self.nodes.get(reply.next).and_then(Option::as_ref);
        replies.iter().filter_map(node).any(|node| node.is_correct(answer))
    }

    /// The opponent's best moves: those within the margin of the best that do not shorten a mate.
    fn defences(&self, after: &History) -> Result<Vec<Move>, Stop> {
        let legal = after.position().legal_moves();
        if let [only] = legal[..] {
            return Ok(vec![only]);
        }
        let moves = self.search.best_moves(after, self.search.limits.reply, MOST_REPLIES)?;
        let Some(best) = moves.first().copied() else { return Ok(Vec::new()) };
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

    /// Whether the position has become quiet: the solver's last move, the reply and the next move do not capture, check
    /// or push a pawn far. Mates and pawn endings are always played to the end.
    fn is_settled(&self, after: &History, reply: Move, found: &CorrectMoves) -> bool {
        let [.., last] = after.moves() else { return false };
        let board = after.position().board();
        let has_pieces = (board.occupied() & !board.pawns() & !board.kings()).any();
        if self.is_mate || !has_pieces || after.position().is_check() {
            return false;
        }
        let mut next = after.clone();
        next.push(reply);
        let (is_check, solver) = (next.position().is_check(), next.turn());
        let mut end = next.clone();
        end.push(found.correct[0].mv);
        !is_check
            && !end.position().is_check()
            && [(*last, solver), (reply, !solver), (found.correct[0].mv, solver)].into_iter().all(is_quiet)
    }
}

fn is_quiet((mv, side): (Move, Color)) -> bool {
    let rank = mv.to().rank().to_u32();
    let is_far = mv.role() == Role::Pawn && side.fold_wb(rank, 7 - rank) >= 5;
    !mv.is_capture() && !is_far
}

/// Positions that differ only in their move counters have the same key.
pub(crate) fn key(history: &History) -> Zobrist64 {
    history.position().zobrist_hash(EnPassantMode::Legal)
}
