//! Handlers of reviews of one game, and of questions about positions beside the board.

use axum::{
    extract::{Path, Request, State},
    http::{Uri, header},
    response::IntoResponse,
};
use centipawn_review::{ReviewDocument, WhyDocument};

use super::{Answer, Shared, asking, blocking, document, number, parsed, query, typed};
use crate::{
    documents::{
        ErrorDocument, JobDocument, JudgeRequest, LinesDocument, LinesRequest, MoveDocument,
        MoveRequest, ReviewRequest, WhyRequest,
    },
    error::ApiError,
    jobs, reviews,
};

/// Start a review; equal requests share one job.
#[utoipa::path(
    post,
    path = "/api/reviews",
    request_body = ReviewRequest,
    responses(
        (status = 200, body = JobDocument),
        (status = 404, body = ErrorDocument, description = "There is no such game"),
        (status = 429, body = ErrorDocument, description = "Too many wait")
    )
)]
pub(crate) async fn request_review(State(server): Shared, request: Request) -> Answer {
    let request: ReviewRequest = parsed(&server, request).await?;
    blocking(move || {
        let options = match request.like {
            Some(id) => reviews::options_like(&server, id, &request)?,
            None => reviews::options(&server, &request.review)?,
        };
        document(&jobs::request(&server, request.game, &options)?)
    })
    .await
}

/// The document of `centipawn review --json`; with .pgn or .html after the number, in that format.
#[utoipa::path(
    get,
    path = "/api/reviews/{id}",
    params(
        ("id" = String, Path),
        ("language" = Option<String>, Query, description = "`en` or `de`; the review's own by default"),
        ("curve" = Option<String>, Query, description = "The name of a curve; the review's own by default"),
        (
            "balance" = Option<f64>,
            Query,
            description = "Win-draw balance in pawns, for the curves of the article"
        ),
        (
            "scheme" = Option<String>,
            Query,
            description = "`auto`, or names such as `s20,s40`; the review's own by default"
        )
    ),
    responses(
        (
            status = 200,
            description = "Up to the first position not evaluated",
            content(
                (ReviewDocument = "application/json"),
                (String = "application/x-chess-pgn"),
                (String = "text/html")
            )
        ),
        (status = 400, body = ErrorDocument)
    )
)]
pub(crate) async fn review(State(server): Shared, Path(name): Path<String>, uri: Uri) -> Answer {
    let (id, format) = name.split_once('.').unwrap_or((&name, "json"));
    let (id, format) = (number("review", id)?, format.to_owned());
    let mut given = query(&uri);
    let balance = given.remove("balance").map(|text| text.parse());
    let balance = balance
        .transpose()
        .map_err(|error| ApiError::bad(error, "Correct the balance."))?;
    let [curve, scheme, language] = ["curve", "scheme", "language"].map(|name| given.remove(name));
    let is_judged = balance.is_some()
        || [&curve, &scheme, &language]
            .iter()
            .any(|value| value.is_some());
    let judge = JudgeRequest {
        curve,
        balance,
        scheme,
        language,
        every_symbol: None,
    };
    blocking(move || {
        let judge = Some(&judge).filter(|_| is_judged);
        let (kind, bytes) = match &*format {
            "json" => ("application/json", reviews::json(&server, id, judge)?),
            "pgn" => ("application/x-chess-pgn", reviews::pgn(&server, id, judge)?),
            "html" => (
                "text/html; charset=utf-8",
                reviews::html(&server, id, judge)?,
            ),
            _ => return Err(ApiError::missing("format", format)),
        };
        let name = format!("attachment; filename=\"review-{id}.{format}\"");
        // A report contains scripts. As an attachment it is saved, so its scripts do not run with
        // this server's address.
        Ok(([(header::CONTENT_DISPOSITION, name)], typed(kind, bytes)).into_response())
    })
    .await
}

/// Judge the same evaluations by another curve or scheme, without an engine.
#[utoipa::path(
    post,
    path = "/api/reviews/{id}/judged",
    params(("id" = i64, Path)),
    request_body = JudgeRequest,
    responses((status = 200, body = ReviewDocument))
)]
pub(crate) async fn judged(
    State(server): Shared,
    Path(id): Path<String>,
    request: Request,
) -> Answer {
    let id = number("review", &id)?;
    let request: JudgeRequest = parsed(&server, request).await?;
    blocking(move || {
        Ok(typed(
            "application/json",
            reviews::json(&server, id, Some(&request))?,
        ))
    })
    .await
}

/// Explain the symbol of a move: evaluations on the curve, thresholds.
#[utoipa::path(
    post,
    path = "/api/reviews/{id}/why",
    params(("id" = i64, Path)),
    request_body = WhyRequest,
    responses((status = 200, body = WhyDocument))
)]
pub(crate) async fn why(State(server): Shared, Path(id): Path<String>, request: Request) -> Answer {
    let id = number("review", &id)?;
    let request: WhyRequest = parsed(&server, request).await?;
    blocking(move || document(&reviews::why(&server, id, &request)?)).await
}

/// Judge the last move of a line like a move of the game.
#[utoipa::path(
    post,
    path = "/api/moves",
    request_body = MoveRequest,
    responses(
        (status = 200, body = MoveDocument),
        (status = 404, body = ErrorDocument, description = "There is no such review")
    )
)]
pub(crate) async fn judge_move(State(server): Shared, request: Request) -> Answer {
    let request: MoveRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| {
        document(&reviews::judge_move(server, &request, cancel)?)
    })
    .await
}

/// The best lines of a position.
#[utoipa::path(
    post,
    path = "/api/lines",
    request_body = LinesRequest,
    responses((status = 200, body = LinesDocument))
)]
pub(crate) async fn lines(State(server): Shared, request: Request) -> Answer {
    let request: LinesRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| {
        document(&reviews::lines(server, &request, cancel)?)
    })
    .await
}
