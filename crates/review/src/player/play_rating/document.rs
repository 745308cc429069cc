//! Ratings from play as JSON.

use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{PlayFeatures, PlayRating};

/// Ratings of players, estimated from their moves, as `centipawn rating --json` writes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlayRatingsDocument {
    /// Whose ratings the estimates are: `Lichess, blitz and rapid`.
    pub pool: String,
    /// The players, those with the most games first.
    pub players: Vec<PlayRatingDocument>,
    /// The program, options, inputs and network behind it.
    pub provenance: Provenance,
}

/// The rating of one player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlayRatingDocument {
    /// The name in the games.
    pub name: String,
    /// Mean rating in the games' tags; `None` if no tag has one.
    pub tag_rating: Option<f64>,
    /// The estimate; `None` if no game has enough moves.
    pub estimate: Option<PlayRating>,
    /// Each game; empty unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub by_game: Vec<PlayGameDocument>,
}

/// What one game says about a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlayGameDocument {
    /// The game's number among the games read, from 1.
    pub game: u64,
    /// `white` or `black`.
    #[schema(value_type = crate::openapi::Color)]
    pub color: String,
    /// The rating in the game's tags.
    pub tag_rating: Option<f64>,
    /// The estimate by this game alone.
    pub estimate: PlayRating,
    /// What the estimate was computed from.
    pub features: PlayFeatures,
}

impl PlayRatingsDocument {
    /// Creates the document of these players.
    pub fn new(pool: &str, players: Vec<PlayRatingDocument>, provenance: Provenance) -> Self {
        Self {
            pool: pool.to_owned(),
            players,
            provenance,
        }
    }
}

impl PlayRatingDocument {
    /// Creates the document of a player.
    pub fn new(
        name: String,
        tag_rating: Option<f64>,
        estimate: Option<PlayRating>,
        by_game: Vec<PlayGameDocument>,
    ) -> Self {
        Self {
            name,
            tag_rating,
            estimate,
            by_game,
        }
    }
}

impl PlayGameDocument {
    /// Returns what a game says about a player. `color` is `white` or `black`.
    pub fn new(
        game: u64,
        color: String,
        tag_rating: Option<f64>,
        estimate: PlayRating,
        features: PlayFeatures,
    ) -> Self {
        Self {
            game,
            color,
            tag_rating,
            estimate,
            features,
        }
    }
}
