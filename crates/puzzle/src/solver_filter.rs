//! Selects puzzles by their solver.

use centipawn_pgn::Game;
use shakmaty::Color;

/// Selects puzzles by the player to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolverFilter {
    /// Only positions in which this player is to move, by [`has_name`](Self::has_name). `None`
    /// selects both sides.
    pub player: Option<String>,
    /// Only puzzles that the player to move did not solve.
    pub missed: bool,
}

impl SolverFilter {
    /// Returns whether positions of this side of a game are selected.
    pub(crate) fn includes(&self, game: &Game, side: Color) -> bool {
        let tag = side.fold_wb("White", "Black");
        self.player
            .as_deref()
            .is_none_or(|player| Self::has_name(game.headers.get(tag).unwrap_or_default(), player))
    }

    /// Returns whether a name in a tag is the player's: it contains every word of `player`, in any
    /// order and case.
    ///
    /// ```
    /// use centipawn_puzzle::SolverFilter;
    ///
    /// assert!(SolverFilter::has_name("Carlsen, Magnus", "magnus carlsen"));
    /// assert!(SolverFilter::has_name("Carlsen, M.", "Carlsen"));
    /// assert!(!SolverFilter::has_name("Carlsson, Magnus", "Carlsen"));
    /// ```
    pub fn has_name(tag: &str, player: &str) -> bool {
        let words = |text: &str| -> Vec<String> {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'');
            text.split(|c| !is_part(c))
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect()
        };
        let (tag, player) = (words(tag), words(player));
        !player.is_empty() && player.iter().all(|word| tag.contains(word))
    }
}
