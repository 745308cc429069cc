//! Solving puzzles: choosing them, understanding typed moves and judging them.

mod attempt;
mod choice;
mod level_players;
mod memory;
mod solve_counts;
mod typed_move;

pub use attempt::{Attempt, MoveResult};
pub use choice::{Ratings, Wanted, parse_theme, seed_of_now, shuffled};
pub use level_players::LevelPlayers;
pub use memory::{Memory, Recall};
pub use solve_counts::SolveCounts;
pub use typed_move::{NotAMove, typed_move};
