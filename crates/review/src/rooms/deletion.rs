//! Deletion of games.

use serde::{Deserialize, Serialize};

use super::ErrorDocument;

/// Which games to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteWish {
    /// Games with these numbers.
    Games(Vec<i64>),
    /// The games of a batch that are in no other batch, and the batch.
    Batch(i64),
    /// All games of a player, as named in the games.
    Player(String),
}

/// Names games to delete. Exactly one of the fields is given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct DeleteRequest {
    /// Numbers of games.
    pub games: Vec<i64>,
    /// The number of a batch: its games that are in no other batch, and the batch.
    pub batch: Option<i64>,
    /// All games of this player, as named in the games.
    pub player: String,
    /// Delete. Otherwise, only count what would be deleted.
    pub confirmed: bool,
}

impl DeleteRequest {
    /// Returns which games the request names.
    ///
    /// # Errors
    ///
    /// An [`ErrorDocument`] unless exactly one of games, batch and player is given.
    pub fn wish(&self) -> Result<DeleteWish, ErrorDocument> {
        match (&*self.games, self.batch, self.player.trim()) {
            (games, None, "") if !games.is_empty() => Ok(DeleteWish::Games(games.to_vec())),
            ([], Some(batch), "") => Ok(DeleteWish::Batch(batch)),
            ([], None, player) if !player.is_empty() => Ok(DeleteWish::Player(player.to_owned())),
            _ => Err(ErrorDocument::new(
                "a deletion names games, a batch or a player",
                "Give one of them.",
            )),
        }
    }
}

/// What was or would be deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeletedDocument {
    /// Number of games.
    pub games: u64,
    /// Number of finished reviews of these games.
    pub reviews: u64,
    /// Number of puzzles from these games.
    pub puzzles: u64,
    /// Number of attempts at these puzzles.
    pub attempts: u64,
    /// Whether it is deleted.
    pub is_deleted: bool,
}
