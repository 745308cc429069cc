//! `--player`: the player whose games, moves or mistakes count.

use anyhow::Result;
use centipawn_work::engine::NotInGames;

use crate::exit::usage;

/// The name without blanks around it.
pub(crate) fn named(given: Option<&str>) -> Result<Option<&str>> {
    let player = given.map(str::trim);
    if player.is_some_and(str::is_empty) {
        Err(usage("--player has no name"))
    } else {
        Ok(player)
    }
}

/// The error where games were read, and none is the player's.
pub(crate) fn not_in_games(player: &str) -> anyhow::Error {
    usage(NotInGames(player.to_owned()).to_string())
}
