//! The claims of the author of a puzzle or a test suite: positions with their correct moves.

use centipawn_core::History;
use shakmaty::Move;

use crate::{Goal, Puzzle, Rule, Theme, Tree};

/// Positions with moves that are claimed to be correct, for a [`Verifier`](crate::Verifier) to
/// check.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::Claim;
///
/// let position = History::from_fen("6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 w - - 0 1", None)?;
/// let mate = position.parse_uci("d1d8")?;
/// assert_eq!(Claim::of_position("mate", position, vec![mate]).unwrap().id, "mate");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Claim {
    /// The id of the puzzle or position.
    pub id: String,
    /// The positions in which the solver is to move, each with its correct moves, the main one
    /// first.
    pub(crate) positions: Vec<(History, Vec<Move>)>,
    /// The goal that the correct moves must reach; `None` if they only need to be better than all
    /// other moves.
    pub(crate) goal: Option<Goal>,
    /// Whether the solution mates.
    pub(crate) is_mate: bool,
}

impl Claim {
    /// Creates the claim of a puzzle: in every position of the solver, no other move is as good,
    /// and the moves reach the goal. The goal is derived from the tree's expected score or from a
    /// theme; without either, it is not to lose.
    pub fn of_puzzle(puzzle: &Puzzle, rule: &Rule) -> Self {
        let expected = puzzle
            .tree
            .as_ref()
            .and_then(|tree| tree.nodes()[0].answers[0].expected);
        let is_win = match expected {
            Some(expected) => expected >= rule.won,
            None => [Theme::Mate, Theme::Crushing]
                .into_iter()
                .any(|theme| puzzle.themes.contains(theme)),
        };
        Self {
            id: puzzle.id.clone(),
            positions: positions(puzzle),
            goal: Some(if is_win { Goal::Win } else { Goal::Save }),
            is_mate: puzzle.themes.contains(Theme::Mate) || puzzle.solution.ends_with_mate(),
        }
    }

    /// Creates the claim of a test suite: these moves are better than all others. Returns `None`
    /// without moves.
    pub fn of_position(
        id: impl Into<String>,
        position: History,
        correct: Vec<Move>,
    ) -> Option<Self> {
        let positions = vec![(position, correct)];
        (!positions[0].1.is_empty()).then(|| Self {
            id: id.into(),
            positions,
            goal: None,
            is_mate: false,
        })
    }
}

fn positions(puzzle: &Puzzle) -> Vec<(History, Vec<Move>)> {
    let shown = puzzle.shown();
    if let Some(tree) = &puzzle.tree {
        let correct = |tree: &Tree| -> Vec<Vec<Move>> {
            tree.nodes()
                .iter()
                .map(|node| node.answers.iter().map(|answer| answer.mv).collect())
                .collect()
        };
        return tree
            .positions(&shown)
            .into_iter()
            .zip(correct(tree))
            .collect();
    }
    let moves: Vec<Move> = puzzle.solution.line().collect();
    let mut now = shown;
    let mut positions = Vec::new();
    for pair in moves.chunks(2) {
        positions.push((now.clone(), vec![pair[0]]));
        pair.iter().for_each(|mv| now.push(*mv));
    }
    positions
}
