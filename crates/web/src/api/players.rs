//! Handlers of the players in the store's games.

use axum::{extract::State, http::Uri};
use centipawn_review::ProfileDocument;

use super::{Answer, Shared, blocking, document, query};
use crate::{
    documents::{ErrorDocument, JudgeRequest, PlayerRow, PlayersDocument},
    error::ApiError,
};

/// Maximum number of players in the list.
const PLAYERS: usize = 100;
/// Maximum number of players with a similar name.
const SIMILAR: usize = 5;

/// The players of the store's games, those with the most games first; with `like`, the players
/// whose names are spelled like this name, the most similar ones first.
#[utoipa::path(
    get,
    path = "/api/players",
    params(("like" = Option<String>, Query, description = "A name")),
    responses((status = 200, body = PlayersDocument))
)]
pub(crate) async fn players(State(server): Shared, uri: Uri) -> Answer {
    let like = query(&uri).remove("like");
    blocking(move || {
        let players = match like {
            Some(name) => server.library.players_like(&name, SIMILAR)?,
            None => server.library.players(PLAYERS)?,
        };
        let players = players
            .into_iter()
            .map(|(name, games)| PlayerRow { name, games })
            .collect();
        document(&PlayersDocument { players })
    })
    .await
}

/// The profile of a player from all finished reviews, with the newest review of each game.
#[utoipa::path(
    get,
    path = "/api/profile",
    params(
        ("player" = String, Query, description = "The name as in the games"),
        ("language" = Option<String>, Query, description = "`en` or `de`; the server's own by default")
    ),
    responses((status = 200, body = ProfileDocument), (status = 400, body = ErrorDocument))
)]
pub(crate) async fn profile(State(server): Shared, uri: Uri) -> Answer {
    let mut given = query(&uri);
    let player = given.remove("player").unwrap_or_default().trim().to_owned();
    let language = given.remove("language");
    blocking(move || {
        if player.is_empty() {
            return Err(ApiError::bad(
                "no player is named",
                "Give the player's name as in the games.",
            ));
        }
        let mut options = server.options.review.clone();
        let request = JudgeRequest {
            language,
            ..JudgeRequest::default()
        };
        server.set_judge(&request, &mut options)?;
        document(&server.library.profile(&player)?.document(options.language))
    })
    .await
}
