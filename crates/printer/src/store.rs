//! Stores of evaluations.

use centipawn_progress::text::{bytes, plural};
use centipawn_store::StoreStats;

/// The contents of a store in numbers: the store, then a line for each engine.
pub fn store(stats: &StoreStats) -> String {
    let mut text = format!("{}: {}, {}\n", stats.store, plural(stats.evaluations, "evaluation"), bytes(stats.bytes));
    if stats.games > 0 {
        text += &format!("{}, {}\n", plural(stats.games, "game"), plural(stats.reviews, "review"));
    }
    for engine in &stats.engines {
        text += &format!("{:>12}  {}\n", engine.evaluations, engine.identity.with_options());
    }
    text
}
