//! Handlers of lessons.

use axum::extract::{Request, State};
use centipawn_puzzle::Side;
use centipawn_site::LineMove;
use centipawn_work::library::{Decoy, LessonItem, LessonWish};

use super::{Answer, Shared, blocking, document, parsed};
use crate::{
    documents::{DecoyDocument, ErrorDocument, LessonAnswer, LessonItemDocument, LessonRequest},
    error::ApiError,
    puzzles,
};

/// Make a lesson: of a player's mistakes by one cause, or of the puzzles that match a filter.
#[utoipa::path(
    post,
    path = "/api/lessons",
    request_body = LessonRequest,
    responses((status = 200, body = LessonAnswer), (status = 400, body = ErrorDocument))
)]
pub(crate) async fn lesson(State(server): Shared, request: Request) -> Answer {
    let request: LessonRequest = parsed(&server, request).await?;
    blocking(move || {
        let now = puzzles::now();
        let (own, others, sitting) = if request.cause.is_empty() {
            let all = puzzles::for_lesson(&server, &request.puzzles)?;
            let sitting = server
                .library
                .sitting_of(&all, request.decoys, request.again, now)?;
            (Vec::new(), all, sitting)
        } else {
            let wish = LessonWish {
                player: request.player,
                kind: request.kind,
                cause: request.cause,
                decoys: request.decoys,
                again: request.again,
            };
            let lesson = server.library.keep_lesson(&wish, now)?;
            (lesson.own, lesson.others, lesson.sitting)
        };
        if own.is_empty() && others.is_empty() {
            let hint =
                "Take a cause of the player's profile, of a game that was reviewed by an engine.";
            return Err(ApiError::bad("there is no puzzle for this lesson", hint));
        }
        let item = |item: LessonItem| match item {
            LessonItem::Puzzle(id) => LessonItemDocument {
                puzzle: Some(id),
                decoy: None,
            },
            LessonItem::Decoy(decoy) => LessonItemDocument {
                puzzle: None,
                decoy: Some(decoy_document(&decoy)),
            },
        };
        document(&LessonAnswer {
            own,
            others,
            items: sitting.items.into_iter().map(item).collect(),
            waiting: sitting.waiting,
            resting: sitting.resting,
            next_due: sitting.next_due,
        })
    })
    .await
}

fn decoy_document(decoy: &Decoy) -> DecoyDocument {
    DecoyDocument {
        review: decoy.review,
        ply: decoy.ply,
        fen: decoy.start.fen(),
        chess960: decoy.start.mode() == shakmaty::CastlingMode::Chess960,
        first: LineMove {
            uci: decoy.start.uci(decoy.first).to_string(),
            san: decoy.start.san(decoy.first),
        },
        solver: decoy.solver.fold_wb(Side::White, Side::Black),
        played: decoy.played.clone(),
    }
}
