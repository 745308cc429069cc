//! Formats ratings of players, estimated from their moves.

use std::fmt::Write as _;

use centipawn_progress::text::{plural, printable};
use centipawn_review::PlayRatingsDocument;

use crate::columns::{padded, wrapped};

/// Maximum number of players in the table. The JSON document has all players.
const PLAYERS_SHOWN: usize = 30;
/// Width of the notes in columns.
const WIDTH: usize = 76;
/// Number of games below which a note warns that an estimate is uncertain.
const FEW_GAMES: u64 = 5;

/// Returns a table of the players with their estimated ratings, those with the most games first.
pub fn play_ratings(document: &PlayRatingsDocument) -> String {
    let mut text = format!(
        "{:<30}{:>7}{:>9}{:>17}{:>13}\n",
        "player", "games", "rating", "80 % interval", "in the tags"
    );
    for player in document.players.iter().take(PLAYERS_SHOWN) {
        let tags = player
            .tag_rating
            .map_or_else(|| "–".to_owned(), |rating| format!("{rating:.0}"));
        let name = padded(&printable(&player.name), 30);
        let _ = match &player.estimate {
            Some(estimate) => {
                let interval = format!("{} to {}", estimate.low, estimate.high);
                writeln!(
                    text,
                    "{name}{:>7}{:>9}{interval:>17}{tags:>13}",
                    estimate.games, estimate.rating
                )
            }
            None => writeln!(text, "{name}{:>7}{:>9}{:>17}{tags:>13}", 0, "–", "–"),
        };
    }
    if let Some(others @ 1..) = document.players.len().checked_sub(PLAYERS_SHOWN) {
        let _ = writeln!(
            text,
            "and {}; JSON has all of them",
            plural(others as u64, "other")
        );
    }
    let mut note = format!(
        "Each rating is an estimate from the player's moves, on the scale of this pool: {}. Ratings of other sites and of federations have \
         other scales.",
        document.pool
    );
    let most = document
        .players
        .iter()
        .filter_map(|player| player.estimate)
        .map(|estimate| estimate.games)
        .max();
    match most {
        Some(1) => {
            note +=
                " A single game says little about a player, as the width of the interval shows.";
        }
        Some(2..FEW_GAMES) => {
            note += " So few games say little about a player, as the width of the interval shows.";
        }
        None => {
            note += " No player made enough moves: a game counts if five moves of the player \
                     come after move 5.";
        }
        Some(_) => {}
    }
    let _ = writeln!(text, "\n{}", wrapped(&note, WIDTH).join("\n"));
    text
}
