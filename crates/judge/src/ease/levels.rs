//! The levels of play for which ease is judged.

use std::ops::RangeInclusive;

use centipawn_pgn::Headers;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::Tags;

/// For which levels the network in the program judges ease. Networks from files imitate one level
/// each, and answer for that.
///
/// ```
/// use centipawn_judge::ease::{EaseLevels, PlayerLevels};
///
/// let levels: EaseLevels = serde_json::from_str(r#"{ "fixed": [1350], "players": { "given": { "white": 1400, "black": 1700 } } }"#)?;
/// assert_eq!(levels.players, PlayerLevels::Given { white: 1400, black: 1700 });
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EaseLevels {
    /// Ratings (Lichess) for all positions. Default 1100, 1500 and 1900.
    pub fixed: Vec<u32>,
    /// The rating of the player to move, which is added. Default: that of the game's tags.
    pub players: PlayerLevels,
}

/// The source of the two players' ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PlayerLevels {
    /// Ease is not judged for the players themselves.
    None,
    /// The ratings in the tags `WhiteElo` and `BlackElo`.
    #[default]
    Tags,
    /// The given ratings; the tags of the game are ignored.
    Given {
        /// White's rating.
        white: u32,
        /// Black's rating.
        black: u32,
    },
}

impl Default for EaseLevels {
    fn default() -> Self {
        Self {
            fixed: centipawn_policy::LEVELS.to_vec(),
            players: PlayerLevels::default(),
        }
    }
}

impl PlayerLevels {
    /// Returns the rating of the player of this colour; `None` if it is unknown or does not matter.
    /// `tags` are those of the game.
    pub fn rating(self, tags: Option<&Headers>, color: Color) -> Option<u32> {
        match self {
            PlayerLevels::None => None,
            PlayerLevels::Tags => Tags::of(tags?)
                .rating(color)
                .filter(|rating| PEOPLE.contains(rating)),
            PlayerLevels::Given { white, black } => Some(color.fold_wb(white, black)),
        }
    }
}

/// Plausible ratings of humans. Others in tags are ignored: engines have higher ones.
const PEOPLE: RangeInclusive<u32> = 100..=3300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_of_players() {
        let mut tags = Headers::default();
        tags.set("WhiteElo", "1703?");
        tags.set("BlackElo", "-");
        let of = |players: PlayerLevels| {
            [Color::White, Color::Black].map(|color| players.rating(Some(&tags), color))
        };
        assert_eq!(of(PlayerLevels::Tags), [Some(1703), None]);
        assert_eq!(
            Tags::of(&tags).rating(Color::White),
            Some(1703),
            "reports have the same"
        );
        assert_eq!(of(PlayerLevels::None), [None, None]);
        assert_eq!(
            of(PlayerLevels::Given {
                white: 1400,
                black: 1700
            }),
            [Some(1400), Some(1700)]
        );
        assert_eq!(PlayerLevels::Tags.rating(None, Color::White), None);
        for text in ["0", "?", "", "3581", "fish"] {
            tags.set("BlackElo", text);
            assert_eq!(
                PlayerLevels::Tags.rating(Some(&tags), Color::Black),
                None,
                "{text}"
            );
        }
    }
}
