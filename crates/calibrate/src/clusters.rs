//! Which rows of a table are witnesses of their own.

use serde::{Deserialize, Serialize};

/// What errors count as independent.
///
/// Rows of one game share their result, so errors that take rows for games are several times too small. A table without game numbers is
/// refused unless the caller states that each of its rows counts as a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clusters {
    /// Games, which the rows must name.
    #[default]
    Game,
    /// Rows. Those that name their game still belong together.
    Row,
}

impl Clusters {
    /// Whether these are the clusters without an option for them.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What to do about rows that name no game.
pub(crate) const NAME_GAMES: &str = "rows of one game share their result, so errors would be several times too small; \
    number the games, or set the option `clusters` to row if each row is of another game";
