//! Solutions with branches.

use centipawn_core::{Eval, History, Mover};
use shakmaty::{Chess, Move, Position as _};

use crate::ScoredMove;

/// The positions in which the solver is to move, each with its correct moves and, for the main one,
/// the opponent's replies that lead to further positions.
///
/// Positions are numbered from 0, which is the first one. A position reached in several ways
/// appears once.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
}

/// Maximum number of positions in a solution. A file with more is damaged or malicious.
pub(crate) const MOST_POSITIONS: usize = 500;

/// A position in which the solver is to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The correct moves, the main one first; never empty.
    pub answers: Vec<CorrectMove>,
    /// The opponent's replies to the main move, the best defence first; empty at the end of the
    /// solution.
    pub replies: Vec<Reply>,
    /// The reason why the solution ends here; `None` if it continues.
    pub end: Option<LineEnd>,
    /// At the end of a solution: the engine's expected continuation, starting with the opponent's
    /// move. It shows the point of the solution; the solver need not find it.
    pub continuation: Vec<Move>,
}

/// A correct move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectMove {
    /// The move.
    pub mv: Move,
    /// The engine's evaluation, if an engine was asked.
    pub eval: Option<Eval<Mover>>,
    /// Expected score for the solver, 0 to 1.
    pub expected: Option<f64>,
}

/// A defence of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The opponent's move.
    pub mv: Move,
    /// Number of the position to which the move leads.
    pub next: usize,
}

/// The reason why a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// Mate.
    Mate,
    /// Several moves are correct from here on.
    Choice,
    /// The position is quiet: nothing more can be won immediately.
    Settled,
    /// The game is drawn, or a draw can be claimed.
    Draw,
}

impl LineEnd {
    /// Returns the name used in files: `mate`, `choice`, `settled`, `draw`.
    pub fn name(self) -> &'static str {
        match self {
            LineEnd::Mate => "mate",
            LineEnd::Choice => "choice",
            LineEnd::Settled => "settled",
            LineEnd::Draw => "draw",
        }
    }

    /// The inverse of [`name`](Self::name). Returns `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            LineEnd::Mate,
            LineEnd::Choice,
            LineEnd::Settled,
            LineEnd::Draw,
        ]
        .into_iter()
        .find(|end| end.name() == name)
    }
}

impl Node {
    /// Returns the move of the main line.
    pub fn main(&self) -> Move {
        self.answers[0].mv
    }

    /// Returns whether a move is one of the correct moves.
    pub(crate) fn is_correct(&self, mv: Move) -> bool {
        self.answers.iter().any(|answer| answer.mv == mv)
    }
}

impl Tree {
    /// Returns all positions in the order of their numbers.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the board positions in the order of their numbers, each with the moves that lead to
    /// it from `shown`, the first position.
    pub fn positions(&self, shown: &History) -> Vec<History> {
        let mut positions: Vec<Option<History>> = vec![None; self.nodes.len()];
        positions[0] = Some(shown.clone());
        // Every position has a lower number than those to which it leads, except transpositions,
        // which were reached earlier.
        for (number, node) in self.nodes.iter().enumerate() {
            let Some(mut after) = positions[number].clone() else {
                continue;
            };
            after.push(node.main());
            for reply in &node.replies {
                let place = &mut positions[reply.next];
                if place.is_none() {
                    let mut next = after.clone();
                    next.push(reply.mv);
                    *place = Some(next);
                }
            }
        }
        positions
            .into_iter()
            .map(|position| position.unwrap_or_else(|| shown.clone()))
            .collect()
    }

    /// Returns whether a position leads back to itself.
    pub(crate) fn has_cycle(&self) -> bool {
        // Repeatedly remove positions whose replies lead only to removed ones. The positions of a
        // cycle are never removed.
        let mut left: Vec<usize> = self.nodes.iter().map(|node| node.replies.len()).collect();
        let mut ends: Vec<usize> = (0..left.len())
            .filter(|&number| left[number] == 0)
            .collect();
        let mut taken = 0;
        while let Some(end) = ends.pop() {
            taken += 1;
            for (number, node) in self.nodes.iter().enumerate() {
                let to_it = node
                    .replies
                    .iter()
                    .filter(|reply| reply.next == end)
                    .count();
                if to_it > 0 {
                    left[number] -= to_it;
                    if left[number] == 0 {
                        ends.push(number);
                    }
                }
            }
        }
        taken < self.nodes.len()
    }

    /// Returns the numbers of the positions of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(0), |&node: &usize| {
            self.nodes[node].replies.first().map(|reply| reply.next)
        })
    }

    /// Returns the moves of the main line, starting and ending with the solver's.
    pub(crate) fn main_moves(&self) -> impl Iterator<Item = Move> {
        self.main_line().flat_map(|node| {
            let node = &self.nodes[node];
            std::iter::once(node.main()).chain(node.replies.first().map(|reply| reply.mv))
        })
    }
}

impl From<ScoredMove> for CorrectMove {
    fn from(ScoredMove { mv, eval, expected }: ScoredMove) -> Self {
        Self {
            mv,
            eval: Some(eval),
            expected: Some(expected),
        }
    }
}

/// Returns the moves that give mate at once.
pub(crate) fn mating_moves(position: &Chess) -> Vec<Move> {
    let is_mate = |mv: &Move| {
        let mut after = position.clone();
        after.play_unchecked(*mv);
        after.is_checkmate()
    };
    position.legal_moves().into_iter().filter(is_mate).collect()
}
