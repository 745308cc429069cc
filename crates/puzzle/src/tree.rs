//! Solutions with branches.

use centipawn_core::{Eval, History, Mover};
use shakmaty::{Chess, Move, Position as _};

use crate::ScoredMove;

/// The positions a solver may be asked, each with its correct moves and, for the main one, the opponent's replies that
/// lead to further positions.
///
/// Positions are numbered from 0, the first one. A position reached in several ways appears once.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
}

/// Upper limit for positions in a solution; a file with more is damaged or malicious.
pub(crate) const MOST_POSITIONS: usize = 500;

/// A position in which the solver is to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The correct moves, the main one first; never empty.
    pub answers: Vec<CorrectMove>,
    /// The opponent's replies to the main move, the best defence first; empty where the solution ends.
    pub replies: Vec<Reply>,
    /// Why the solution ends here, if it does.
    pub end: Option<LineEnd>,
    /// At the end of a solution: the engine's expected continuation, starting with the opponent's move. It shows the
    /// point of the solution; the solver need not find it.
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
    /// Number of the position it leads to.
    pub next: usize,
}

/// Why a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// Mate.
    Mate,
    /// Beyond this point several moves are correct.
    Choice,
    /// The position is quiet: nothing more can be won immediately.
    Settled,
    /// The game is drawn or the draw can be claimed.
    Draw,
}

impl LineEnd {
    /// The name used in files: `mate`, `choice`, `settled`, `draw`.
    pub fn name(self) -> &'static str {
        match self {
            LineEnd::Mate => "mate",
            LineEnd::Choice => "choice",
            LineEnd::Settled => "settled",
            LineEnd::Draw => "draw",
        }
    }

    /// The inverse of [`name`](Self::name); `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Self> {
        [LineEnd::Mate, LineEnd::Choice, LineEnd::Settled, LineEnd::Draw].into_iter().find(|end| end.name() == name)
    }
}

impl Node {
    /// The main line's move.
    pub fn main(&self) -> Move {
        self.answers[0].mv
    }

    /// Whether a move is among the correct ones.
    pub fn is_correct(&self, mv: Move) -> bool {
        self.answers.iter().any(|answer| answer.mv == mv)
    }
}

impl Tree {
    /// All positions by number, the first one first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The board positions by number, each with the moves that lead to it from `shown`, the first position.
    pub fn positions(&self, shown: &History) -> Vec<History> {
        let mut positions: Vec<Option<History>> = vec![None; self.nodes.len()];
        positions[0] = Some(shown.clone());
        // Every position is numbered before those it leads to; transpositions were reached earlier.
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

    /// Whether a position leads back to itself.
    pub(crate) fn has_cycle(&self) -> bool {
        // Repeatedly remove positions whose replies lead only to removed ones; a cycle never gets removed.
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

    /// The moves of the main line, starting and ending with the solver's.
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

/// Moves that give mate at once.
pub(crate) fn mating_moves(position: &Chess) -> Vec<Move> {
    let is_mate = |mv: &Move| {
        let mut after = position.clone();
        after.play_unchecked(*mv);
        after.is_checkmate()
    };
    position.legal_moves().into_iter().filter(is_mate).collect()
}
