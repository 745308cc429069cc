//! Handlers of batches. A batch is the review of many games.

use axum::extract::{Path, Request, State};

use super::{Answer, Shared, blocking, document, number, parsed};
use crate::{
    batches,
    documents::{BatchDocument, BatchRequest, BatchesDocument, ErrorDocument},
};

/// The newest reviews of many games.
#[utoipa::path(get, path = "/api/batches", responses((status = 200, body = BatchesDocument)))]
pub(crate) async fn list_batches(State(server): Shared) -> Answer {
    blocking(move || document(&batches::list(&server)?)).await
}

/// Review many games as one piece of work.
#[utoipa::path(
    post,
    path = "/api/batches",
    request_body = BatchRequest,
    responses(
        (status = 200, body = BatchDocument),
        (status = 404, body = ErrorDocument, description = "There is no such game")
    )
)]
pub(crate) async fn request_batch(State(server): Shared, request: Request) -> Answer {
    let request: BatchRequest = parsed(&server, request).await?;
    blocking(move || document(&batches::request(&server, &request)?)).await
}

/// Go on with reviews that were paused or interrupted.
#[utoipa::path(
    post,
    path = "/api/batches/{id}",
    params(("id" = i64, Path)),
    responses(
        (status = 200, body = BatchDocument),
        (status = 400, body = ErrorDocument, description = "They were cancelled")
    )
)]
pub(crate) async fn go_on_batch(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("batch", &id)?;
    blocking(move || document(&batches::go_on(&server, id)?)).await
}

/// Pause the reviews of many games.
#[utoipa::path(
    post,
    path = "/api/batches/{id}/pause",
    params(("id" = i64, Path)),
    responses((status = 200, body = BatchDocument), (status = 404, body = ErrorDocument))
)]
pub(crate) async fn pause_batch(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("batch", &id)?;
    blocking(move || document(&batches::pause(&server, id)?)).await
}

/// Cancel the reviews of many games; finished ones stay.
#[utoipa::path(
    delete,
    path = "/api/batches/{id}",
    params(("id" = i64, Path)),
    responses((status = 200, body = BatchDocument), (status = 404, body = ErrorDocument))
)]
pub(crate) async fn cancel_batch(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("batch", &id)?;
    blocking(move || document(&batches::cancel(&server, id)?)).await
}
