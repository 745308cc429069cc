//! The levels of play for which ease is judged.

use std::{borrow::Cow, ops::RangeInclusive};

use centipawn_core::Pool;
use centipawn_pgn::{Headers, pool};
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
    /// The ratings in the tags `WhiteElo` and `BlackElo`. Except for games on Lichess, a rating
    /// below 1100 counts as 1100: the lower levels were fitted to Lichess, and the ratings of other
    /// sites are lower for the same strength.
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
            PlayerLevels::Tags => {
                let tags = tags?;
                let rating = Tags::of(tags).rating(color)?;
                let of_site = match pool(|name| tags.get(name).map(Cow::from)) {
                    Pool::Lichess => rating,
                    _ => rating.max(LOWEST_ELSEWHERE),
                };
                PEOPLE.contains(&rating).then_some(of_site)
            }
            PlayerLevels::Given { white, black } => Some(color.fold_wb(white, black)),
        }
    }
}

/// The lowest level for players of other sites than Lichess.
const LOWEST_ELSEWHERE: u32 = 1100;

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
    #[test]
    fn ratings_below_1100_are_levels_on_lichess_only() {
        let mut tags = Headers::default();
        tags.set("BlackElo", "800");
        let black = |tags: &Headers| PlayerLevels::Tags.rating(Some(tags), Color::Black);
        assert_eq!(black(&tags), Some(1100));
        tags.set("Site", "https://lichess.org/abcdefgh");
        assert_eq!(black(&tags), Some(800));
    }
}
