//! Games as texts of a store.

use centipawn_pgn::{Game, Reader};

/// Returns a game from its text in a store, or why this version cannot read it.
///
/// # Errors
///
/// A problem in the text.
pub fn read_kept_game(text: &str) -> Result<Game, String> {
    match Reader::new(text.as_bytes()).next() {
        Some(Ok(Ok(game))) => Ok(game),
        Some(Ok(Err(error))) => Err(error.message()),
        Some(Err(error)) => Err(error.to_string()),
        // A position without moves may have no text that a reader recognises as a game.
        None => Ok(Game::default()),
    }
}

/// Returns White's and Black's names; `White` and `Black` where the game has none.
pub fn player_names(game: &Game) -> [String; 2] {
    ["White", "Black"].map(|side| {
        let name = game.headers.get(side).map_or("", str::trim);
        if name.trim_matches('?').is_empty() {
            side.to_owned()
        } else {
            name.to_owned()
        }
    })
}

/// Returns both players' names in a line.
pub fn game_title(game: &Game) -> String {
    let [white, black] = player_names(game);
    format!("{white} – {black}")
}
