//! Which rows of a table count as independent observations.

use serde::{Deserialize, Serialize};

/// What errors treat as one independent observation.
///
/// Rows of one game share their result, so errors that treat each row as a game are several times
/// too small. A table without game numbers is therefore refused, unless the caller states that each
/// of its rows counts as a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clusters {
    /// Each game is one observation, so each row must name its game.
    #[default]
    Game,
    /// Each row that names no game is one observation. Rows that name the same game still count
    /// together.
    Row,
}

impl Clusters {
    /// Returns whether this is the default, which documents leave out.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The part of error messages that explains what to do about rows without a game.
pub(crate) const NAME_GAMES: &str = "rows of one game share their result, so errors would be several times too small; \
    number the games, or set the option `clusters` to row if each row is of another game";
