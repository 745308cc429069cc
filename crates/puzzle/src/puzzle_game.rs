//! The game that a puzzle comes from.

use std::fmt;

use centipawn_pgn::Game;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// The game that a puzzle comes from. Unknown values are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct PuzzleGame {
    /// White's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub white: String,
    /// Black's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub black: String,
    /// Place of the game, or its URL on a site.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// Date of the game, as in PGN: `2021.10.31`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// The move that the solver's side played, in SAN; empty if the game ended in the position.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub played: String,
    /// The symbol that a review gives to that move, such as `??`; empty for a mined puzzle.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub played_symbol: String,
    /// Why that move was a mistake, and what was better, in the language of the review; empty for a
    /// mined puzzle.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub explanation: String,
    /// The sides that made a mistake, in the order of the moves: the opponent, whose move allowed
    /// the solution, and the player who missed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub erred: Vec<Side>,
}

/// A side, named as in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

impl fmt::Display for PuzzleGame {
    /// Formats the players, the date and the move played, as far as they are known: `Ann – Bob,
    /// 2024.02.01 (played: Kf2)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |name: &str| {
            if name.is_empty() {
                "?".to_owned()
            } else {
                name.to_owned()
            }
        };
        if !(self.white.is_empty() && self.black.is_empty()) {
            write!(f, "{} – {}", name(&self.white), name(&self.black))?;
            if !self.date.is_empty() {
                write!(f, ", {}", self.date)?;
            }
            if !self.played.is_empty() {
                write!(f, " (played: {})", self.played)?;
            }
        }
        Ok(())
    }
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        color.fold_wb(Side::White, Side::Black)
    }
}

impl PuzzleGame {
    /// Reads the tags of `game`.
    pub(crate) fn of(game: &Game) -> Self {
        let tag = |name: &str| match game.headers.get(name).map(str::trim) {
            None | Some("?" | "????.??.??") => String::new(),
            Some(text) => text.to_owned(),
        };
        // Games exported by Lichess have the day in a separate tag.
        let date = Some(tag("Date"))
            .filter(|date| !date.is_empty())
            .unwrap_or_else(|| tag("UTCDate"));
        Self {
            white: tag("White"),
            black: tag("Black"),
            site: tag("Site"),
            date,
            ..Self::default()
        }
    }

    /// Returns whether nothing is known about the game.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_parts_of_a_game_are_omitted() {
        let game = PuzzleGame {
            white: "Ann".to_owned(),
            date: "2024.02.01".to_owned(),
            ..PuzzleGame::default()
        };
        assert_eq!(game.to_string(), "Ann – ?, 2024.02.01");
        let game = PuzzleGame {
            black: "Bob".to_owned(),
            played: "Kf2".to_owned(),
            ..PuzzleGame::default()
        };
        assert_eq!(game.to_string(), "? – Bob (played: Kf2)");
        assert_eq!(
            PuzzleGame {
                date: "2024.02.01".to_owned(),
                ..PuzzleGame::default()
            }
            .to_string(),
            ""
        );
    }
}
