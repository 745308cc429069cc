//! Handlers of puzzles: list, add, solve, repeat and export.

use std::collections::HashMap;

use axum::{
    extract::{Path, Request, State},
    http::{Uri, header},
    response::IntoResponse,
};
use centipawn_review::Language;

use super::{Answer, Shared, asking, blocking, document, input_name, number, parsed, query, typed};
use crate::{
    documents::{
        AddedPuzzles, AnswerDocument, AnswerRequest, AttemptRequest, ErrorDocument,
        MistakesRequest, PosedPuzzle, PuzzleEditRequest, PuzzlesDocument, PuzzlesRequest,
        RepetitionRequest, SolutionDocument,
    },
    error::ApiError,
    puzzles,
};

/// The policy of a page to print: its styles are inside it, and it has no scripts.
const PAPER: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                     form-action 'none'; frame-ancestors 'none'";

/// List puzzles, and the next one.
#[utoipa::path(
    post,
    path = "/api/puzzles",
    request_body = PuzzlesRequest,
    responses((status = 200, body = PuzzlesDocument))
)]
pub(crate) async fn list_puzzles(State(server): Shared, request: Request) -> Answer {
    let request: PuzzlesRequest = parsed(&server, request).await?;
    blocking(move || document(&puzzles::list(&server, &request)?)).await
}

/// Add puzzles: CSV, JSON lines or PGN, plain or compressed.
#[utoipa::path(
    post,
    path = "/api/puzzles/import",
    params(("name" = Option<String>, Query, description = "Names the input, and is the origin of its puzzles")),
    request_body(content = String, content_type = "text/csv"),
    responses(
        (status = 200, body = AddedPuzzles),
        (status = 503, body = ErrorDocument, description = "Other uploads take all the memory for uploads")
    )
)]
pub(crate) async fn import_puzzles(State(server): Shared, request: Request) -> Answer {
    let name = input_name(&request);
    let (most, hint) = (
        server.options.limits.games_bytes,
        "Compress the puzzles, or give them in parts.",
    );
    let upload = server.uploads.receive(request, most, hint).await?;
    blocking(move || document(&puzzles::add(&server, &name, &upload)?)).await
}

/// Turn a player's mistakes in all finished reviews into puzzles.
#[utoipa::path(
    post,
    path = "/api/puzzles/mistakes",
    request_body = MistakesRequest,
    responses((status = 200, body = AddedPuzzles))
)]
pub(crate) async fn add_mistakes(State(server): Shared, request: Request) -> Answer {
    let request: MistakesRequest = parsed(&server, request).await?;
    blocking(move || document(&puzzles::add_mistakes(&server, &request)?)).await
}

/// All attempts at puzzles.
#[utoipa::path(
    get,
    path = "/api/puzzles/attempts.csv",
    responses((status = 200, body = String, content_type = "text/csv"))
)]
pub(crate) async fn attempts(State(server): Shared) -> Answer {
    blocking(move || {
        let name = "attachment; filename=\"attempts.csv\"";
        let text = typed("text/csv; charset=utf-8", puzzles::attempts(&server)?);
        Ok(([(header::CONTENT_DISPOSITION, name)], text).into_response())
    })
    .await
}

/// Puzzles as a file: csv, json (lines), pgn, or anki.
#[utoipa::path(
    get,
    path = "/api/puzzles/export/{format}",
    params(
        ("format" = String, Path),
        ("theme" = Option<String>, Query),
        ("rating" = Option<String>, Query),
        ("origin" = Option<String>, Query),
        ("only" = Option<String>, Query, description = "Numbers of puzzles, divided by commas"),
        ("language" = Option<String>, Query, description = "`en` or `de`, of Anki's notes")
    ),
    responses(
        (
            status = 200,
            content(
                (String = "text/csv"),
                (String = "application/x-ndjson"),
                (String = "application/x-chess-pgn"),
                (String = "text/plain")
            )
        ),
        (status = 400, body = ErrorDocument)
    )
)]
pub(crate) async fn export_puzzles(
    State(server): Shared,
    Path(format): Path<String>,
    uri: Uri,
) -> Answer {
    let mut given = query(&uri);
    let (request, language) = (wanted(&mut given)?, language(&mut given)?);
    let format = match &*format {
        "anki" => puzzles::FileFormat::Anki(language),
        other => {
            let unknown = |_| {
                ApiError::bad(
                    format!("puzzles have no format {other:?}"),
                    "Ask for csv, json, pgn or anki.",
                )
            };
            puzzles::FileFormat::Puzzles(other.parse().map_err(unknown)?)
        }
    };
    blocking(move || {
        let (kind, end) = format.names();
        let name = format!("attachment; filename=\"puzzles.{end}\"");
        let text = typed(kind, puzzles::export(&server, &request, format)?);
        Ok(([(header::CONTENT_DISPOSITION, name)], text).into_response())
    })
    .await
}

/// Puzzles as a page to print: six diagrams on a sheet, and the solutions at the end.
#[utoipa::path(
    get,
    path = "/api/puzzles/worksheet",
    params(
        ("theme" = Option<String>, Query),
        ("rating" = Option<String>, Query),
        ("origin" = Option<String>, Query),
        ("only" = Option<String>, Query, description = "Numbers of puzzles, divided by commas"),
        ("title" = Option<String>, Query),
        ("language" = Option<String>, Query, description = "`en` or `de`")
    ),
    responses(
        (status = 200, body = String, content_type = "text/html"),
        (status = 400, body = ErrorDocument)
    )
)]
pub(crate) async fn worksheet(State(server): Shared, uri: Uri) -> Answer {
    let mut given = query(&uri);
    let (request, language) = (wanted(&mut given)?, language(&mut given)?);
    let title = given.remove("title").unwrap_or_default();
    blocking(move || {
        let page = puzzles::worksheet(&server, &request, &title, language)?;
        let policy = [(header::CONTENT_SECURITY_POLICY, PAPER)];
        Ok((policy, typed("text/html; charset=utf-8", page)).into_response())
    })
    .await
}

/// Returns the filter of puzzles in a query.
fn wanted(given: &mut HashMap<String, String>) -> Result<PuzzlesRequest, ApiError> {
    let only = given
        .remove("only")
        .map(|text| text.split(',').map(|id| number("puzzle", id)).collect())
        .transpose()?;
    Ok(PuzzlesRequest {
        theme: given.remove("theme"),
        rating: given.remove("rating"),
        origin: given.remove("origin"),
        only,
        ..PuzzlesRequest::default()
    })
}

/// Returns the language of a query, English if it has none.
fn language(given: &mut HashMap<String, String>) -> Result<Language, ApiError> {
    let language = given
        .remove("language")
        .map(|text| text.parse::<Language>())
        .transpose();
    Ok(language
        .map_err(|error| ApiError::bad(error, "Choose en or de."))?
        .unwrap_or_default())
}

/// A puzzle without its solution.
#[utoipa::path(
    get,
    path = "/api/puzzles/{id}",
    params(("id" = i64, Path)),
    responses((status = 200, body = PosedPuzzle))
)]
pub(crate) async fn puzzle(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("puzzle", &id)?;
    blocking(move || document(&puzzles::pose(&server, id)?)).await
}

/// Judge a move of the solver.
#[utoipa::path(
    post,
    path = "/api/puzzles/{id}/answer",
    params(("id" = i64, Path)),
    request_body = AnswerRequest,
    responses((status = 200, body = AnswerDocument))
)]
pub(crate) async fn answer_puzzle(
    State(server): Shared,
    Path(id): Path<String>,
    request: Request,
) -> Answer {
    let id = number("puzzle", &id)?;
    let request: AnswerRequest = parsed(&server, request).await?;
    asking(&server, move |server, cancel| {
        document(&puzzles::answer(server, id, &request, cancel)?)
    })
    .await
}

/// Record an attempt at a puzzle.
#[utoipa::path(
    post,
    path = "/api/puzzles/{id}/attempt",
    params(("id" = i64, Path)),
    request_body = AttemptRequest,
    responses((status = 200, body = PosedPuzzle))
)]
pub(crate) async fn note_attempt(
    State(server): Shared,
    Path(id): Path<String>,
    request: Request,
) -> Answer {
    let id = number("puzzle", &id)?;
    let request: AttemptRequest = parsed(&server, request).await?;
    blocking(move || document(&puzzles::note(&server, id, &request)?)).await
}

/// Add a puzzle to repetition, or remove it.
#[utoipa::path(
    post,
    path = "/api/puzzles/{id}/repetition",
    params(("id" = i64, Path)),
    request_body = RepetitionRequest,
    responses((status = 200, body = PosedPuzzle))
)]
pub(crate) async fn set_repetition(
    State(server): Shared,
    Path(id): Path<String>,
    request: Request,
) -> Answer {
    let id = number("puzzle", &id)?;
    let RepetitionRequest { repeat } = parsed(&server, request).await?;
    blocking(move || document(&puzzles::set_repetition(&server, id, repeat)?)).await
}

/// Change a puzzle: its name, the mark of those chosen by hand, the lines of its solution.
#[utoipa::path(
    post,
    path = "/api/puzzles/{id}/edit",
    params(("id" = i64, Path)),
    request_body = PuzzleEditRequest,
    responses((status = 200, body = PosedPuzzle), (status = 400, body = ErrorDocument))
)]
pub(crate) async fn edit_puzzle(
    State(server): Shared,
    Path(id): Path<String>,
    request: Request,
) -> Answer {
    let id = number("puzzle", &id)?;
    let edit: PuzzleEditRequest = parsed(&server, request).await?;
    blocking(move || document(&puzzles::edit(&server, id, &edit)?)).await
}

/// The solution, with themes, ratings and origin.
#[utoipa::path(
    get,
    path = "/api/puzzles/{id}/solution",
    params(
        ("id" = i64, Path),
        ("language" = Option<String>, Query, description = "`en` or `de`, of the remark")
    ),
    responses((status = 200, body = SolutionDocument))
)]
pub(crate) async fn solution(State(server): Shared, Path(id): Path<String>, uri: Uri) -> Answer {
    let id = number("puzzle", &id)?;
    let language = query(&uri).remove("language");
    blocking(move || document(&puzzles::solution(&server, id, language)?)).await
}
