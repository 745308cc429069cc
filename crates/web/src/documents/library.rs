//! The requests and answers about everything that a store keeps.

use centipawn_progress::Problem;
use centipawn_work::library::ImportedLibrary;
use serde::Serialize;

/// What the import of a library file has added.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportedDocument {
    #[serde(flatten)]
    pub(crate) imported: ImportedLibrary,
    /// The lines that could not be read, with number and reason.
    pub(crate) problems: Vec<Problem>,
}
