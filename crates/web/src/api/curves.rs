//! Handlers of curves and of the symbols that depend on them.

use axum::{
    extract::{Request, State},
    http::Uri,
};
use centipawn_review::SymbolsDocument;
use centipawn_work::{CurveDocument, PeopleDocument};

use super::{Answer, Shared, document, parsed, query, typed};
use crate::{
    documents::{CurveRequest, ErrorDocument, PeopleRequest, SymbolsRequest},
    error::ApiError,
};

/// The points of a curve.
#[utoipa::path(
    post,
    path = "/api/curve",
    request_body = CurveRequest,
    responses((status = 200, body = CurveDocument))
)]
pub(crate) async fn draw_curve(State(server): Shared, request: Request) -> Answer {
    let request: CurveRequest = parsed(&server, request).await?;
    let curve = server.choices().draw_curve(&request);
    document(&curve.map_err(ApiError::refused)?)
}

/// The plots beside an own curve file.
#[utoipa::path(
    get,
    path = "/api/curves/plots.svg",
    params(("name" = String, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml"), (status = 404, body = ErrorDocument))
)]
pub(crate) async fn plots(State(server): Shared, uri: Uri) -> Answer {
    let name = query(&uri).remove("name").unwrap_or_default();
    let own = server
        .options
        .own_curves
        .iter()
        .find(|own| own.name == name);
    let plots = own
        .and_then(|own| own.plots.clone())
        .ok_or_else(|| ApiError::missing("drawing of the curve", name))?;
    Ok(typed("image/svg+xml", plots))
}

/// Expected score of an evaluation between humans, by rating and time control.
#[utoipa::path(
    post,
    path = "/api/people",
    request_body = PeopleRequest,
    responses((status = 200, body = PeopleDocument))
)]
pub(crate) async fn people(State(server): Shared, request: Request) -> Answer {
    let request: PeopleRequest = parsed(&server, request).await?;
    document(&request.answer().map_err(ApiError::refused)?)
}

/// The document of `centipawn symbols --json`.
#[utoipa::path(
    post,
    path = "/api/symbols",
    request_body = SymbolsRequest,
    responses((status = 200, body = SymbolsDocument))
)]
pub(crate) async fn symbols(State(server): Shared, request: Request) -> Answer {
    let request: SymbolsRequest = parsed(&server, request).await?;
    let symbols = server.choices().symbols(&request);
    document(&symbols.map_err(ApiError::refused)?)
}
