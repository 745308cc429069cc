//! Grows a solution, with all its branches, from its first move.

use std::collections::HashMap;

use centipawn_core::{Ending, History};
use shakmaty::{Color, Move, Position as _, Role, zobrist::Zobrist64};

use crate::{
    CorrectMove, Goal, LineEnd, Node, Refusal, Reply, ScoredMove, Tree,
    outlook::{Outlook, throws_away},
    solution_search::{Answers, CorrectMoves, SolutionSearch, Stop, key},
};

/// Mates in at most this many moves must be played to the mate. Slower ones count as ordinary wins.
const LONGEST_MATE: i32 = 5;

/// Returns the complete solution that starts with `first`, the only good move in `history`.
pub(crate) fn grow(
    search: &SolutionSearch<'_>,
    history: &History,
    first: &CorrectMoves,
    goal: Goal,
) -> Result<Tree, Stop> {
    let is_mate = is_short_mate(&first.correct[0]);
    let mut growth = Growth {
        search,
        goal,
        is_mate,
        nodes: Vec::new(),
        visited: HashMap::new(),
        branches: 0,
    };
    // The first position is in the tree even if the solution ends with its move.
    let _first = growth.add(history, first, 1)?;
    Ok(Tree {
        nodes: growth.nodes.into_iter().flatten().collect(),
    })
}

/// Returns whether a first move starts a mate that must be played to its end.
pub(crate) fn is_short_mate(first: &ScoredMove) -> bool {
    first
        .eval
        .mate_moves()
        .is_some_and(|moves| (1..=LONGEST_MATE).contains(&moves))
}

/// A tree under construction.
struct Growth<'p, 'a> {
    search: &'p SolutionSearch<'a>,
    goal: Goal,
    /// Whether the puzzle is a mate, so that only mating moves are correct.
    is_mate: bool,
    nodes: Vec<Option<Node>>,
    visited: HashMap<Zobrist64, Visited>,
    /// Number of branches from the main line to the current position.
    branches: usize,
}

/// A defence of the opponent.
struct Defence {
    mv: Move,
    /// The position after the move.
    next: History,
    /// The next position of the solver, or the reason why the line ends with this defence.
    leads_to: Result<LeadsTo, LineEnd>,
}

enum LeadsTo {
    /// A position that is already in the tree.
    Node(usize),
    /// A new position with these correct moves.
    Found(CorrectMoves),
    /// A position with several answers, which must still be searched.
    Several,
}

/// The state of a position that was already reached.
#[derive(Clone, Copy)]
enum Visited {
    /// The position is on the path to the current position, so the line repeats it.
    Open,
    Node(usize),
    /// The line ends before this position.
    Ends(LineEnd),
}

impl Growth<'_, '_> {
    /// Returns whether the answers in a later position are certain enough to be part of the
    /// solution.
    fn is_asked(&self, history: &History, found: &CorrectMoves) -> Result<bool, Stop> {
        // In the main line of a mate, other moves may win too, only more slowly. A branch exists
        // only for its single answer, so no other move may win in it.
        if self.is_mate && self.branches > 0 && self.search.wins_otherwise(found) {
            return Ok(false);
        }
        Ok(self
            .search
            .is_confirmed(history, self.goal, self.is_mate, found, false)?)
    }

    /// Adds a position of the solver with its continuation, or returns the reason why the line ends
    /// before it.
    fn add(
        &mut self,
        history: &History,
        found: &CorrectMoves,
        depth: u8,
    ) -> Result<Result<usize, LineEnd>, Stop> {
        if depth > 1 && !self.is_asked(history, found)? {
            self.visited
                .insert(key(history), Visited::Ends(LineEnd::Choice));
            return Ok(Err(LineEnd::Choice));
        }
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
            // The position is left out, so its later positions must be removed from the tree too.
            self.nodes.truncate(number);
            let end = end.unwrap_or(LineEnd::Choice);
            self.visited.insert(key, Visited::Ends(end));
            return Ok(Err(end));
        }
        let answers = found
            .correct
            .iter()
            .map(|mv| CorrectMove::from(*mv))
            .collect();
        let is_last = replies.is_empty() && end != Some(LineEnd::Mate);
        let continuation = if is_last {
            found.continuation.clone()
        } else {
            Vec::new()
        };
        self.nodes[number] = Some(Node {
            answers,
            replies,
            end,
            continuation,
        });
        self.visited.insert(key, Visited::Node(number));
        Ok(Ok(number))
    }

    /// Returns the defences against the last move, that of the main line first, or the reason why
    /// the line ends with that move.
    fn replies(
        &mut self,
        after: &History,
        depth: u8,
    ) -> Result<(Vec<Reply>, Option<LineEnd>), Stop> {
        match after.ending() {
            Some(Ending::Checkmate) => return Ok((Vec::new(), Some(LineEnd::Mate))),
            Some(_) => return Ok((Vec::new(), Some(LineEnd::Draw))),
            None => {}
        }
        let mut defences = Vec::new();
        for (index, mv) in self.search.defences(after)?.into_iter().enumerate() {
            let defence = self.defence(after, mv, index == 0)?;
            let is_over = index == 0 && self.is_mate && defence.leads_to.is_err();
            defences.push(defence);
            if is_over {
                break;
            }
        }
        self.put_main_first(after, &mut defences)?;
        let mut replies: Vec<Reply> = Vec::new();
        for (index, Defence { mv, next, leads_to }) in defences.into_iter().enumerate() {
            let reached = match leads_to {
                Ok(LeadsTo::Node(node)) => Ok(node),
                Err(end) => Err(end),
                Ok(LeadsTo::Found(found)) if index == 0 => self.add(&next, &found, depth + 1)?,
                Ok(LeadsTo::Several) if index == 0 => {
                    match self
                        .search
                        .several_answers(&next, self.goal, self.is_mate)?
                    {
                        None => Err(LineEnd::Choice),
                        Some(found) if self.is_settled(after, mv, &found) => Err(LineEnd::Settled),
                        Some(found) => self.add(&next, &found, depth + 1)?,
                    }
                }
                // A further defence becomes a branch only if it needs an answer that no earlier
                // branch has.
                Ok(LeadsTo::Found(found))
                    if found.is_alone && !self.is_answered(&replies, found.correct[0].mv) =>
                {
                    self.add_branch(&next, &found, depth + 1)?
                }
                Ok(LeadsTo::Found(_) | LeadsTo::Several) => continue,
            };
            match reached {
                Ok(node) => replies.push(Reply { mv, next: node }),
                Err(end) if index == 0 => return Ok((Vec::new(), Some(end))),
                Err(_) => {}
            }
        }
        Ok((replies, None))
    }

    /// Returns a defence with its continuation.
    fn defence(&self, after: &History, mv: Move, is_best: bool) -> Result<Defence, Stop> {
        let mut next = after.clone();
        next.push(mv);
        let leads_to = match self.visited.get(&key(&next)) {
            Some(Visited::Node(node)) => Ok(LeadsTo::Node(*node)),
            Some(Visited::Ends(end)) => Err(*end),
            Some(Visited::Open) => Err(self.repeated()),
            None if next.ending().is_some() || next.repetitions() > 1 => Err(self.repeated()),
            None => self.leads_to(after, mv, &next, is_best)?,
        };
        Ok(Defence { mv, next, leads_to })
    }

    /// Returns the continuation after a defence; `next` is the position after it. A short search
    /// comes first.
    fn leads_to(
        &self,
        after: &History,
        mv: Move,
        next: &History,
        is_best: bool,
    ) -> Result<Result<LeadsTo, LineEnd>, Stop> {
        if !self.is_mate
            && let Outlook::Ends(end) = Outlook::of(self.search, after, mv, is_best, self.goal)?
        {
            return Ok(Err(end));
        }
        Ok(
            match if is_best {
                self.answers(next)?
            } else {
                self.single_answer(next)?
            } {
                Answers::Unclear => Err(LineEnd::Choice),
                Answers::Several => Ok(LeadsTo::Several),
                Answers::Clear(found) if self.is_settled(after, mv, &found) => {
                    Err(LineEnd::Settled)
                }
                Answers::Clear(found) => Ok(LeadsTo::Found(found)),
            },
        )
    }

    fn answers(&self, next: &History) -> Result<Answers, Stop> {
        self.search
            .answers(next, self.goal, self.is_mate, self.search.limits.solver)
    }

    /// Returns the answers to a defence other than the best one, which matters only if it has a
    /// single answer. If the goal is missed, the defence is ignored.
    fn single_answer(&self, next: &History) -> Result<Answers, Stop> {
        let short = self
            .search
            .answers(next, self.goal, self.is_mate, self.search.limits.reply);
        let is_single =
            |answers: &Answers| matches!(answers, Answers::Clear(found) if found.is_alone);
        match short {
            Ok(answers) if is_single(&answers) => match self.answers(next) {
                Err(Stop::Refused(_)) => Ok(Answers::Unclear),
                answers => answers,
            },
            Ok(_) | Err(Stop::Refused(_)) => Ok(Answers::Unclear),
            Err(stop) => Err(stop),
        }
    }

    /// Adds the position after a further defence, with its continuation. If the continuation is
    /// refused, adds nothing: the main line is still a solution.
    fn add_branch(
        &mut self,
        history: &History,
        found: &CorrectMoves,
        depth: u8,
    ) -> Result<Result<usize, LineEnd>, Stop> {
        let (length, visited) = (self.nodes.len(), self.visited.clone());
        self.branches += 1;
        let added = self.add(history, found, depth);
        self.branches -= 1;
        match added {
            Err(Stop::Refused(_)) => {
                self.nodes.truncate(length);
                self.visited = visited;
                Ok(Err(LineEnd::Choice))
            }
            result => result,
        }
    }

    /// Returns the end of a line that repeats a position: no result for a solver who plays to win,
    /// but a draw for a solver who defends.
    fn repeated(&self) -> LineEnd {
        match self.goal {
            Goal::Win => LineEnd::Choice,
            Goal::Save => LineEnd::Draw,
        }
    }

    /// Returns whether one of these replies already has this answer.
    fn is_answered(&self, replies: &[Reply], answer: Move) -> bool {
        let node = |reply: &Reply| self.nodes.get(reply.next).and_then(Option::as_ref);
        replies
            .iter()
            .filter_map(node)
            .any(|node| node.is_correct(answer))
    }

    /// Puts the defence of the main line first: the best one that leaves the solver a single
    /// answer, so that the puzzle continues. Defences that only lose material do not count. If none
    /// leaves a single answer, the best defence stays first.
    fn put_main_first(&self, after: &History, defences: &mut [Defence]) -> Result<(), Stop> {
        for index in 0..defences.len() {
            let defence = &mut defences[index];
            let answer = match &defence.leads_to {
                Ok(LeadsTo::Found(found)) => found.is_alone.then(|| found.correct[0].mv),
                Ok(LeadsTo::Node(node)) => self
                    .nodes
                    .get(*node)
                    .and_then(Option::as_ref)
                    .map(Node::main),
                Ok(LeadsTo::Several) | Err(_) => None,
            };
            let is_sound =
                answer.is_some_and(|answer| index == 0 || !throws_away(after, defence.mv, answer));
            if is_sound && self.is_confirmed(defence)? {
                defences[..=index].rotate_right(1);
                break;
            }
        }
        Ok(())
    }

    /// Returns whether the answer to a defence is confirmed if it is close. Otherwise the line ends
    /// before it.
    fn is_confirmed(&self, defence: &mut Defence) -> Result<bool, Stop> {
        if let Ok(LeadsTo::Found(found)) = &defence.leads_to
            && !self
                .search
                .is_confirmed(&defence.next, self.goal, self.is_mate, found, false)?
        {
            defence.leads_to = Err(LineEnd::Choice);
        }
        Ok(defence.leads_to.is_ok())
    }

    fn is_settled(&self, after: &History, reply: Move, found: &CorrectMoves) -> bool {
        !self.is_mate && is_settled(after, reply, found.correct[0].mv)
    }
}

/// Returns whether the position has become quiet: the solver's last move, the reply and the next
/// move do not capture, check or push a pawn far. Mates and pawn endings are always played to the
/// end.
pub(crate) fn is_settled(after: &History, reply: Move, answer: Move) -> bool {
    let [.., last] = after.moves() else {
        return false;
    };
    let board = after.position().board();
    let has_pieces = (board.occupied() & !board.pawns() & !board.kings()).any();
    if !has_pieces || after.position().is_check() {
        return false;
    }
    let mut next = after.clone();
    next.push(reply);
    let (is_check, solver) = (next.position().is_check(), next.turn());
    let mut end = next.clone();
    end.push(answer);
    !is_check
        && !end.position().is_check()
        && [(*last, solver), (reply, !solver), (answer, solver)]
            .into_iter()
            .all(is_quiet)
}

fn is_quiet((mv, side): (Move, Color)) -> bool {
    let rank = mv.to().rank().to_u32();
    let is_far = mv.role() == Role::Pawn && side.fold_wb(rank, 7 - rank) >= 5;
    !mv.is_capture() && !is_far
}
