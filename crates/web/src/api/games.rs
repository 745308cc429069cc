//! Handlers of the games in the store.

use axum::extract::{Path, Request, State};

use super::{Answer, Shared, asking, blocking, document, input_name, number, parsed};
use crate::{
    documents::{ErrorDocument, GamesDocument, GamesRequest, OwnNoteRequest, StoredGameDocument},
    games,
};

/// Games of the store that match a filter, in an order, with results of their reviews.
#[utoipa::path(
    post,
    path = "/api/games/select",
    request_body = GamesRequest,
    responses((status = 200, body = GamesDocument))
)]
pub(crate) async fn select_games(State(server): Shared, request: Request) -> Answer {
    let request: GamesRequest = parsed(&server, request).await?;
    blocking(move || document(&games::select(&server, &request)?)).await
}

/// Add games: PGN, plain or compressed, FENs, or the name of an account such as `lichess:NAME`.
#[utoipa::path(
    post,
    path = "/api/games",
    params(("name" = Option<String>, Query, description = "Names the input in problems")),
    request_body(content = String, content_type = "application/x-chess-pgn"),
    responses(
        (status = 200, body = GamesDocument),
        (status = 503, body = ErrorDocument, description = "Other uploads take all the memory for uploads")
    )
)]
pub(crate) async fn add_games(State(server): Shared, request: Request) -> Answer {
    let name = input_name(&request);
    let (most, hint) = (
        server.options.limits.games_bytes,
        "Compress the games, or give them in parts.",
    );
    let upload = server.uploads.receive(request, most, hint).await?;
    asking(&server, move |server, cancel| {
        document(&games::add(server, &name, &upload, cancel)?)
    })
    .await
}

/// A game with its moves.
#[utoipa::path(
    get,
    path = "/api/games/{id}",
    params(("id" = i64, Path)),
    responses((status = 200, body = StoredGameDocument), (status = 404, body = ErrorDocument))
)]
pub(crate) async fn game(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("game", &id)?;
    blocking(move || document(&games::moves(&server, id)?)).await
}

/// Set your own symbols and comment on a move; the game and its PGN then have them.
#[utoipa::path(
    post,
    path = "/api/games/{id}/notes",
    params(("id" = i64, Path)),
    request_body = OwnNoteRequest,
    responses(
        (status = 200, body = StoredGameDocument),
        (status = 400, body = ErrorDocument),
        (status = 404, body = ErrorDocument)
    )
)]
pub(crate) async fn set_own_note(
    State(server): Shared,
    Path(id): Path<String>,
    request: Request,
) -> Answer {
    let id = number("game", &id)?;
    let request: OwnNoteRequest = parsed(&server, request).await?;
    blocking(move || document(&games::set_own_note(&server, id, request)?)).await
}
