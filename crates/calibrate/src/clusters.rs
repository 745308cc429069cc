//! Which rows of a table count as independent observations.

use serde::{Deserialize, Serialize};

/// What errors treat as one independent observation.
///
/// Rows of one game share their result, so errors that take rows for games are several times too
/// small. A table without game numbers is refused unless the caller states that each of its rows
/// counts as a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clusters {
    /// A game. Each row must name its game.
    #[default]
    Game,
    /// A row, if it names no game. Rows that name the same game still count as one observation.
    Row,
}

impl Clusters {
    /// Whether this is the default, which documents leave out.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What to do about rows that name no game.
pub(crate) const NAME_GAMES: &str = "rows of one game share their result, so errors would be several times too small; \
    number the games, or set the option `clusters` to row if each row is of another game";
