//! `--player`: the player whose games, moves or mistakes count.

use anyhow::Result;
use centipawn_work::engine::NotInGames;

use crate::exit::usage;

/// Returns the name of the flag, trimmed.
pub(crate) fn named(given: Option<&str>) -> Result<Option<&str>> {
    let player = given.map(str::trim);
    if player.is_some_and(str::is_empty) {
        Err(usage("--player has no name"))
    } else {
        Ok(player)
    }
}

/// Returns the usage error for a player who occurs in none of the games read.
pub(crate) fn not_in_games(player: &str) -> anyhow::Error {
    usage(NotInGames(player.to_owned()).to_string())
}
