//! Import and deletion of what the store keeps.

use centipawn_progress::Cancel;
use centipawn_store::Deleted;
use centipawn_work::library::{LibraryError, LibraryFileError};

use crate::{
    body::Upload,
    documents::{DeleteRequest, DeletedDocument, ImportedDocument},
    error::ApiError,
    server::Server,
};

/// Adds everything of a library file.
pub(crate) fn import(
    server: &Server,
    name: &str,
    upload: &Upload,
    cancel: &Cancel,
) -> Result<ImportedDocument, ApiError> {
    let limits = server.options.limits.uploads(usize::MAX);
    let imported = server
        .library
        .import_upload(name, upload.bytes.clone(), limits, cancel);
    let (imported, problems) = imported.map_err(|error| match error {
        LibraryFileError::Library(error) => error.into(),
        error => ApiError::bad(
            error,
            "Choose a file that `centipawn store export` or this page wrote.",
        ),
    })?;
    Ok(ImportedDocument { imported, problems })
}

/// Deletes games, or counts what would be deleted.
pub(crate) fn delete(
    server: &Server,
    request: &DeleteRequest,
) -> Result<DeletedDocument, ApiError> {
    let wish = request.wish().map_err(ApiError::refused)?;
    let plan = server
        .library
        .plan_deletion(&wish)
        .map_err(|error| match error {
            LibraryError::Missing(_) => ApiError::bad(error, "Load the page again."),
            error => error.into(),
        })?;
    let counts = if request.confirmed {
        // No job begins or ends while its game is deleted.
        server.queue.with_running(|running| {
            let running = running
                .map(|id| server.store.job(id))
                .transpose()?
                .flatten();
            if running.is_some_and(|job| plan.games.contains(&job.game)) {
                return Err(ApiError::bad(
                    "one of these games is being worked on",
                    "Cancel the work, or wait until it is done.",
                ));
            }
            Ok(server.library.delete(&plan)?)
        })?
    } else {
        plan.counts
    };
    let Deleted {
        games,
        reviews,
        puzzles,
        attempts,
    } = counts;
    Ok(DeletedDocument {
        games,
        reviews,
        puzzles,
        attempts,
        is_deleted: request.confirmed,
    })
}
