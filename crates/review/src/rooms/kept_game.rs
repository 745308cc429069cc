//! Games as texts of a store.

use centipawn_core::{FenError, History};
use centipawn_pgn::{Game, Reader};

/// Maximum size in bytes of a text that is checked for being a list of positions.
const LONGEST_POSITIONS: usize = 64 << 10;

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

/// Games without moves, with their lines, if every line of a short text looks like a FEN; of a
/// wrong FEN, the reason.
pub fn read_positions(bytes: &[u8]) -> Option<Vec<(u64, Result<Game, FenError>)>> {
    let text = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| text.len() <= LONGEST_POSITIONS)?;
    let lines = || {
        (1..)
            .zip(text.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty())
    };
    let read = |(number, line): (u64, &str)| {
        (
            number,
            History::from_fen(line, None).map(|position| Game::from_start(&position)),
        )
    };
    (lines().next().is_some() && lines().all(|(_, line)| is_like_fen(line)))
        .then(|| lines().map(read).collect())
}

/// Returns whether a line begins like a FEN: with rows of pieces and numbers, and slashes between
/// them.
fn is_like_fen(line: &str) -> bool {
    let board = line.split(' ').next().unwrap_or_default();
    let is_of_board = |byte: u8| byte.is_ascii_digit() || b"/pnbrqkPNBRQK".contains(&byte);
    board.bytes().all(is_of_board) && board.matches('/').count() >= 3
}
