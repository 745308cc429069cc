//! The requests and answers about everything that a store keeps.

use centipawn_progress::Problem;
use centipawn_work::library::ImportedLibrary;
use serde::{Deserialize, Serialize};

/// What the import of a library file has added.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportedDocument {
    #[serde(flatten)]
    pub(crate) imported: ImportedLibrary,
    /// The lines that could not be read, with number and reason.
    pub(crate) problems: Vec<Problem>,
}

/// Names games to delete. Exactly one of the fields is given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct DeleteRequest {
    /// Numbers of games.
    pub(crate) games: Vec<i64>,
    /// The number of a batch: its games that are in no other batch, and the batch.
    pub(crate) batch: Option<i64>,
    /// All games of this player, as named in the games.
    pub(crate) player: String,
    /// Delete. Otherwise, only count what would be deleted.
    pub(crate) confirmed: bool,
}

/// What was or would be deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct DeletedDocument {
    pub(crate) games: u64,
    /// Number of finished reviews of these games.
    pub(crate) reviews: u64,
    /// Number of puzzles from these games.
    pub(crate) puzzles: u64,
    /// Number of attempts at these puzzles.
    pub(crate) attempts: u64,
    /// Whether it is deleted.
    pub(crate) is_deleted: bool,
}
