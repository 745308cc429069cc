//! The routes under `/api`. Each handler runs its work on a thread that may block.

pub(crate) mod batches;
pub(crate) mod curves;
pub(crate) mod games;
pub(crate) mod jobs;
pub(crate) mod lessons;
pub(crate) mod library;
pub(crate) mod players;
pub(crate) mod positions;
pub(crate) mod puzzles;
pub(crate) mod reviews;
pub(crate) mod server;

use std::{collections::HashMap, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use centipawn_progress::Cancel;
use percent_encoding::percent_decode_str;
use serde::{Serialize, de::DeserializeOwned};

use crate::{assets::asset, body::small, error::ApiError, guard::guard, server::Server};

type Shared = State<Arc<Server>>;
type Answer = Result<Response, ApiError>;

/// Returns all addresses of the server, with their handlers.
pub(crate) fn router(server: &Arc<Server>) -> Router {
    Router::new()
        .route("/api/status", get(server::status))
        .route("/api/engines", get(server::engines))
        .route(
            "/api/session",
            post(server::session).delete(server::end_session),
        )
        .route("/api/openapi.json", get(server::openapi))
        .route("/api/games", post(games::add_games))
        .route("/api/games/select", post(games::select_games))
        .route("/api/games/{id}", get(games::game))
        .route("/api/games/{id}/notes", post(games::set_own_note))
        .route("/api/reviews", post(reviews::request_review))
        .route("/api/reviews/{id}", get(reviews::review))
        .route("/api/reviews/{id}/judged", post(reviews::judged))
        .route("/api/reviews/{id}/why", post(reviews::why))
        .route(
            "/api/batches",
            get(batches::list_batches).post(batches::request_batch),
        )
        .route(
            "/api/batches/{id}",
            post(batches::go_on_batch).delete(batches::cancel_batch),
        )
        .route("/api/batches/{id}/pause", post(batches::pause_batch))
        .route("/api/players", get(players::players))
        .route("/api/profile", get(players::profile))
        .route("/api/lessons", post(lessons::lesson))
        .route("/api/library/export.jsonl.gz", get(library::export))
        .route("/api/library/import", post(library::import))
        .route("/api/library/delete", post(library::delete))
        .route("/api/moves", post(reviews::judge_move))
        .route("/api/lines", post(reviews::lines))
        .route("/api/curve", post(curves::draw_curve))
        .route("/api/curves/plots.svg", get(curves::plots))
        .route("/api/people", post(curves::people))
        .route("/api/symbols", post(curves::symbols))
        .route("/api/ease", post(positions::ease))
        .route("/api/position", post(positions::position))
        .route("/api/table", post(positions::table))
        .route("/api/puzzles", post(puzzles::list_puzzles))
        .route("/api/puzzles/import", post(puzzles::import_puzzles))
        .route("/api/puzzles/mistakes", post(puzzles::add_mistakes))
        .route("/api/puzzles/attempts.csv", get(puzzles::attempts))
        .route("/api/puzzles/worksheet", get(puzzles::worksheet))
        .route("/api/puzzles/export/{format}", get(puzzles::export_puzzles))
        .route("/api/puzzles/{id}", get(puzzles::puzzle))
        .route("/api/puzzles/{id}/answer", post(puzzles::answer_puzzle))
        .route("/api/puzzles/{id}/attempt", post(puzzles::note_attempt))
        .route("/api/puzzles/{id}/edit", post(puzzles::edit_puzzle))
        .route(
            "/api/puzzles/{id}/repetition",
            post(puzzles::set_repetition),
        )
        .route("/api/puzzles/{id}/solution", get(puzzles::solution))
        .route("/api/mining", post(jobs::request_mining))
        .route("/api/jobs", get(jobs::list_jobs))
        .route(
            "/api/jobs/{id}",
            get(jobs::job).post(jobs::go_on).delete(jobs::cancel),
        )
        .route("/api/events", get(server::events))
        .route("/healthz", get(server::healthz))
        .method_not_allowed_fallback(other_method)
        .fallback(page)
        .layer(middleware::from_fn_with_state(Arc::clone(server), guard))
        .with_state(Arc::clone(server))
}

async fn page(State(server): Shared, uri: Uri, headers: HeaderMap) -> Response {
    if uri.path().starts_with("/api/") {
        return ApiError::missing("address", uri.path()).into_response();
    }
    asset(&server.options.base, uri.path(), &headers)
}

async fn other_method(method: Method, uri: Uri) -> ApiError {
    let error = format!("{} does not take {method}", uri.path());
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        error,
        "See /api/openapi.json.",
    )
}

/// Returns the name of the input for messages. It is never used as a path.
fn input_name(request: &Request) -> String {
    let name = query(request.uri()).remove("name");
    name.as_deref()
        .unwrap_or("pasted text")
        .chars()
        .filter(|c| !c.is_control())
        .take(100)
        .collect()
}

/// Runs `work` on a thread that may block. A panic becomes an error of this request; the server
/// goes on.
async fn blocking(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let hint = "Please report it; other requests are not affected.";
        Err(ApiError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the request failed inside Centipawn",
            hint,
        ))
    })
}

/// Runs `work` that uses an engine or another server. If the browser closes the connection, the
/// work is cancelled.
async fn asking(
    server: &Arc<Server>,
    work: impl FnOnce(&Server, &Cancel) -> Answer + Send + 'static,
) -> Answer {
    struct OnLeave(Cancel);
    impl Drop for OnLeave {
        fn drop(&mut self) {
            self.0.set();
        }
    }
    let cancel = server.cancel.child();
    let on_leave = OnLeave(cancel.clone());
    let server = Arc::clone(server);
    let answer = blocking(move || work(&server, &cancel)).await;
    drop(on_leave);
    answer
}

/// Reads the body of a request as JSON.
async fn parsed<T: DeserializeOwned>(server: &Server, request: Request) -> Result<T, ApiError> {
    let bytes = small(
        request,
        server.options.limits.request_bytes,
        "Ask for less.",
    )
    .await?;
    serde_json::from_slice(&bytes).map_err(|error| {
        ApiError::bad(
            format!("the request is not understood: {error}"),
            "See /api/openapi.json.",
        )
    })
}

fn number(what: &str, text: &str) -> Result<i64, ApiError> {
    text.parse().map_err(|_| ApiError::missing(what, text))
}

/// Returns the query parameters of an address, decoded.
fn query(uri: &Uri) -> HashMap<String, String> {
    let pairs = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), decoded(value)))
        .collect()
}

/// Decodes `%20` and `+` in a query.
fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " "))
        .decode_utf8_lossy()
        .into_owned()
}

fn document(value: &impl Serialize) -> Answer {
    Ok(typed("application/json", serde_json::to_vec(value)?))
}

fn typed(kind: &'static str, body: impl Into<Body>) -> Response {
    (
        [
            (header::CONTENT_TYPE, kind),
            (header::CACHE_CONTROL, "no-store"),
        ],
        body.into(),
    )
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_parameters_are_decoded() {
        let parameters = query(
            &"/api/games?search=M%C3%BCller+%26%zz&name=a.pgn"
                .parse()
                .unwrap(),
        );
        assert_eq!(
            (&*parameters["search"], &*parameters["name"]),
            ("Müller &%zz", "a.pgn")
        );
    }
}
