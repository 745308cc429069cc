//! The requests and answers of lessons.

use centipawn_puzzle::Side;
use serde::{Deserialize, Serialize};

use super::{LineMove, PuzzlesRequest};

/// Asks for a lesson: on one cause of a player's losses, or with the puzzles that match a filter.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct LessonRequest {
    /// The player's name.
    pub player: String,
    /// `allows` or `misses`: what the mistakes of this cause do.
    pub kind: String,
    /// The cause, as in the player's profile. Empty for a lesson with the puzzles of `puzzles`.
    pub cause: String,
    /// The filter of the puzzles, if no cause is given.
    pub puzzles: PuzzlesRequest,
    /// Mix in positions in which nothing is to be won. Default true.
    pub decoys: bool,
    /// Ask puzzles that are not due now as well.
    pub again: bool,
}

impl Default for LessonRequest {
    fn default() -> Self {
        Self {
            player: String::new(),
            kind: String::new(),
            cause: String::new(),
            puzzles: PuzzlesRequest::default(),
            decoys: true,
            again: false,
        }
    }
}

/// A lesson, and what is asked in it now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LessonAnswer {
    /// Numbers of the puzzles made from the player's own mistakes.
    pub own: Vec<i64>,
    /// Numbers of other puzzles.
    pub others: Vec<i64>,
    /// What is asked now, in order.
    pub items: Vec<LessonItemDocument>,
    /// Number of puzzles that are due as well, and wait for the next lesson.
    pub waiting: usize,
    /// Number of puzzles that were answered and are not due yet.
    pub resting: usize,
    /// When the first of these is due, in seconds since 1970.
    pub next_due: Option<i64>,
}

/// A part of a lesson: a puzzle or a decoy.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LessonItemDocument {
    /// The number of a puzzle.
    pub puzzle: Option<i64>,
    /// A position in which nothing is to be won.
    pub decoy: Option<DecoyDocument>,
}

/// A position from a reviewed game in which several moves are equally good and none wins anything.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DecoyDocument {
    /// The number of the review.
    pub review: i64,
    /// Number of half-moves of the game before the position.
    pub ply: usize,
    /// The position before the opponent's move, as FEN.
    pub fen: String,
    /// Whether it uses Chess960 castling.
    pub chess960: bool,
    /// The opponent's move.
    pub first: LineMove,
    /// The side to move.
    pub solver: Side,
    /// The move that was played in the game.
    pub played: String,
}
