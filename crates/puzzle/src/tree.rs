//! Solutions with all their branches.

use centipawn_core::{Eval, History, Mover};
use shakmaty::{Chess, Move, Position as _};

use crate::ScoredMove;

/// What a solver may be asked, and what is right: positions of the solver, each with the moves that are correct there, and for
/// the main one the opponent's replies that lead to further positions.
///
/// Positions are numbered, 0 being the first; one that is reached in two ways is there once.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
}

/// More positions than any solution has; a file with more is damaged or malicious.
pub(crate) const MOST_POSITIONS: usize = 500;

/// A position in which the solver moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Moves that are correct, the main one first; at least one.
    pub answers: Vec<CorrectMove>,
    /// What the opponent may reply to the main one, the best defence first; none where the solution ends.
    pub replies: Vec<Reply>,
    /// Why the solution ends here, where it does.
    pub end: Option<LineEnd>,
    /// Where it ends: how the engine goes on, the opponent first. The solver need not find it; it shows what the solution is for.
    pub continuation: Vec<Move>,
}

/// A correct move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectMove {
    /// The move.
    pub mv: Move,
    /// As an engine says, where one was asked.
    pub eval: Option<Eval<Mover>>,
    /// Expected score for the solver, 0 to 1.
    pub expected: Option<f64>,
}

/// A defence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The opponent's move.
    pub mv: Move,
    /// The position it leads to.
    pub next: usize,
}

/// Why a line goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// Mate.
    Mate,
    /// From there on several moves do.
    Choice,
    /// Nothing more is to be won at once.
    Settled,
    /// The game is drawn there, or can be.
    Draw,
}

impl LineEnd {
    /// As files have it: `mate`, `choice`, `settled`, `draw`.
    pub fn name(self) -> &'static str {
        match self {
            LineEnd::Mate => "mate",
            LineEnd::Choice => "choice",
            LineEnd::Settled => "settled",
            LineEnd::Draw => "draw",
        }
    }

    /// The inverse of [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        [LineEnd::Mate, LineEnd::Choice, LineEnd::Settled, LineEnd::Draw].into_iter().find(|end| end.name() == name)
    }
}

impl Node {
    /// The move of the main line.
    pub fn main(&self) -> Move {
        self.answers[0].mv
    }

    /// Whether a move is among the correct ones.
    pub fn is_correct(&self, mv: Move) -> bool {
        self.answers.iter().any(|answer| answer.mv == mv)
    }
}

impl Tree {
    /// All positions, the first first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The positions themselves, each with the moves that lead to it from `shown`, the first one.
    pub fn positions(&self, shown: &History) -> Vec<History> {
        let mut positions: Vec<Option<History>> = vec![None; self.nodes.len()];
        positions[0] = Some(shown.clone());
        // A position comes before those it leads to, but for transpositions, which were there before.
        for (number, node) in self.nodes.iter().enumerate() {
            let Some(mut after) = positions[number].clone() else { continue };
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
        positions.into_iter().map(|position| position.unwrap_or_else(|| shown.clone())).collect()
    }

    /// Whether some position leads back to itself.
    pub(crate) fn has_cycle(&self) -> bool {
        // Positions that lead nowhere, or only to such, are taken away until there are none.
        let mut left: Vec<usize> = self.nodes.iter().map(|node| node.replies.len()).collect();
        let mut ends: Vec<usize> = (0..left.len()).filter(|&number| left[number] == 0).collect();
        let mut taken = 0;
        while let Some(end) = ends.pop() {
            taken += 1;
            for (number, node) in self.nodes.iter().enumerate() {
                let to_it = node.replies.iter().filter(|reply| reply.next == end).count();
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

    /// Numbers of the positions of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(0), |&node: &usize| self.nodes[node].replies.first().map(|reply| reply.next))
    }

    /// The moves of the main line, the solver's first and last.
    pub fn main_moves(&self) -> impl Iterator<Item = Move> {
        self.main_line().flat_map(|node| {
            let node = &self.nodes[node];
            std::iter::once(node.main()).chain(node.replies.first().map(|reply| reply.mv))
        })
    }
}

impl From<ScoredMove> for CorrectMove {
    fn from(ScoredMove { mv, eval, expected }: ScoredMove) -> Self {
        Self { mv, eval: Some(eval), expected: Some(expected) }
    }
}

/// Moves that mate at once.
pub(crate) fn mating_moves(position: &Chess) -> Vec<Move> {
    let is_mate = |mv: &Move| {
        let mut after = position.clone();
        after.play_unchecked(*mv);
        after.is_checkmate()
    };
    position.legal_moves().into_iter().filter(is_mate).collect()
}
