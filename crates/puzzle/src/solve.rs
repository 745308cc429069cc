//! Solving puzzles: choosing them, understanding typed moves and judging them.

mod attempt;
mod board;
mod choice;
mod players;
mod tally;
mod typed_move;

pub use attempt::{Attempt, MoveResult};
pub use board::BoardStyle;
pub use choice::{Ratings, Wanted, parse_theme, seed_of_now, shuffled};
pub use players::Players;
pub use tally::Tally;
pub use typed_move::{NotAMove, typed_move};
