//! Handlers of questions about one position.

use axum::extract::{Request, State};

use super::{Answer, Shared, asking, blocking, document, parsed};
use crate::{
    documents::{
        EaseAnswer, EaseRequest, PositionAnswer, PositionRequest, TableAnswer, TableRequest,
    },
    ease, positions,
};

/// How easy a position is for players of several levels: the lines of `centipawn ease --json`.
#[utoipa::path(
    post,
    path = "/api/ease",
    request_body = EaseRequest,
    responses((status = 200, body = EaseAnswer))
)]
pub(crate) async fn ease(State(server): Shared, request: Request) -> Answer {
    let request: EaseRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| {
        document(&ease::judge(server, &request, cancel)?)
    })
    .await
}

/// How often a position occurs in the games of the server's indexes, with results and moves.
#[utoipa::path(
    post,
    path = "/api/position",
    request_body = PositionRequest,
    responses((status = 200, body = PositionAnswer))
)]
pub(crate) async fn position(State(server): Shared, request: Request) -> Answer {
    let request: PositionRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| {
        document(&positions::look_up(server, &request, cancel)?)
    })
    .await
}

/// What endgame tables say about a position.
#[utoipa::path(
    post,
    path = "/api/table",
    request_body = TableRequest,
    responses((status = 200, body = TableAnswer))
)]
pub(crate) async fn table(State(server): Shared, request: Request) -> Answer {
    let request: TableRequest = parsed(&server, request).await?;
    blocking(move || document(&positions::table(&server, &request)?)).await
}
