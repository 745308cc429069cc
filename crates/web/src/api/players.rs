//! Handlers of the players in the store's games: profiles and lessons.

use axum::{
    extract::{Request, State},
    http::Uri,
};
use centipawn_review::ProfileDocument;

use super::{Answer, Shared, blocking, document, parsed, query};
use crate::{
    documents::{
        ErrorDocument, JudgeRequest, LessonAnswer, LessonRequest, PlayerRow, PlayersDocument,
    },
    error::ApiError,
    puzzles,
};

/// Maximum number of players in the list.
const PLAYERS: usize = 100;

/// The players of the store's games.
#[utoipa::path(get, path = "/api/players", responses((status = 200, body = PlayersDocument)))]
pub(crate) async fn players(State(server): Shared) -> Answer {
    blocking(move || {
        let players = server.library.players(PLAYERS)?;
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

/// Make a lesson of a player's mistakes by one cause.
#[utoipa::path(
    post,
    path = "/api/lessons",
    request_body = LessonRequest,
    responses((status = 200, body = LessonAnswer), (status = 400, body = ErrorDocument))
)]
pub(crate) async fn lesson(State(server): Shared, request: Request) -> Answer {
    let LessonRequest {
        player,
        kind,
        cause,
    } = parsed(&server, request).await?;
    blocking(move || {
        let lesson = server
            .library
            .keep_lesson(&player, &kind, &cause, puzzles::now())?;
        if lesson.own.is_empty() && lesson.others.is_empty() {
            let hint =
                "Take a cause of the player's profile, of a game that was reviewed by an engine.";
            return Err(ApiError::bad("there is no puzzle for this lesson", hint));
        }
        document(&LessonAnswer {
            own: lesson.own,
            others: lesson.others,
        })
    })
    .await
}
