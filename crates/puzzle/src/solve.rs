//! Solving puzzles: choosing them, understanding typed moves and judging them.

mod attempt;
mod choice;
mod typed_move;

pub use attempt::{Attempt, MoveResult};
pub use choice::{Ratings, Wanted, parse_theme, seed_of_now, shuffled};
pub use typed_move::{NotAMove, typed_move};
