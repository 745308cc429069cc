//! Handlers of the server itself: limits, engines, sessions, events, and the description of the
//! interface.

use std::ops::RangeInclusive;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Uri, header},
    response::{AppendHeaders, IntoResponse},
};
use centipawn_core::{Curve, CurveChoice, CurveParameter, MoveScheme, PositionScheme};
use centipawn_policy::{Kernel, Network};
use centipawn_review::rooms::choice_text;

use super::{Answer, Shared, blocking, document, number, parsed, query, typed};
use crate::{
    documents::{
        EnginesDocument, ErrorDocument, EventsDocument, OwnCurveRow, SessionDocument,
        SessionRequest, StatusDocument,
    },
    guard::peer,
    token::Opened,
};

/// `ok` while the server answers, for programs that watch it. Needs no session.
#[utoipa::path(
    get,
    path = "/healthz",
    responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn healthz() -> &'static str {
    "ok"
}

/// Limits, curves and symbols of the server.
#[utoipa::path(get, path = "/api/status", responses((status = 200, body = StatusDocument)))]
pub(crate) async fn status(State(server): Shared) -> Answer {
    let options = &server.options;
    let own_curves = options.own_curves.iter();
    let own_curves = own_curves.map(|own| OwnCurveRow {
        name: own.name.clone(),
        has_plots: own.plots.is_some(),
    });
    let own_curves: Vec<OwnCurveRow> = own_curves.collect();
    document(&StatusDocument {
        centipawn: env!("CARGO_PKG_VERSION"),
        engine: options.engine.command.clone(),
        has_engine: centipawn_engine::find(&options.engine.command).is_ok(),
        engines: options.engine.jobs,
        store: server.store.location().to_string(),
        limit: options.review.judge.limit.to_string(),
        curve: choice_text(&options.review.judge.curve),
        scheme: options.review.judge.scheme.to_string(),
        language: options.review.language.to_string(),
        curves: CurveChoice::names()
            .chain(own_curves.iter().map(|own| own.name.clone()))
            .collect(),
        curves_with_balance: Curve::NAMED
            .iter()
            .filter(|named| named.parameter == CurveParameter::Balance)
            .map(|named| named.name)
            .collect(),
        own_curves,
        has_positions: !options.positions.is_empty(),
        table_men: server.tables()?.map_or(0, |tables| tables.men()),
        schemes: [
            MoveScheme::ALL.map(MoveScheme::name).to_vec(),
            PositionScheme::ALL.map(PositionScheme::name).to_vec(),
        ],
        most_nodes: options.limits.nodes,
        most_lines: options.limits.lines,
    })
}

/// The engine, the network and the contents of the store.
#[utoipa::path(get, path = "/api/engines", responses((status = 200, body = EnginesDocument)))]
pub(crate) async fn engines(State(server): Shared) -> Answer {
    blocking(move || {
        let engine = &server.options.engine;
        let network = server.board.network(Network::BUNDLED, Kernel::best())?;
        document(&EnginesDocument {
            engine: engine.command.clone(),
            options: engine.options.clone(),
            processes: engine.jobs,
            network: network.name().to_owned(),
            levels: network.levels().map(RangeInclusive::into_inner),
            store: server.store.stats()?,
            place: server.store.location().to_string(),
            limits: server.options.limits,
        })
    })
    .await
}

/// Exchange the token that the server printed, or a login code, for a session with a cookie.
#[utoipa::path(
    post,
    path = "/api/session",
    request_body = SessionRequest,
    responses(
        (status = 200, body = SessionDocument),
        (status = 401, body = ErrorDocument, description = "The token or login code is wrong"),
        (status = 429, body = ErrorDocument, description = "Too many wrong tokens")
    )
)]
pub(crate) async fn session(State(server): Shared, request: Request) -> Answer {
    let (peer, headers) = (peer(&request), request.headers().clone());
    let SessionRequest { token, code } = parsed(&server, request).await?;
    let Some(own) = &server.token else {
        return document(&SessionDocument {
            path: String::new(),
        });
    };
    let Opened { path, cookie } = own
        .exchange(code.as_ref().unwrap_or(&token), peer, &headers)
        .await?;
    Ok((
        [(header::SET_COOKIE, cookie)],
        document(&SessionDocument { path })?,
    )
        .into_response())
}

/// End the session, which invalidates its cookie.
#[utoipa::path(delete, path = "/api/session", responses((status = 200, body = ())))]
pub(crate) async fn end_session(State(server): Shared, headers: HeaderMap) -> Answer {
    let ended = server
        .token
        .as_ref()
        .map_or_else(Vec::new, |token| token.end(&headers));
    Ok((
        AppendHeaders(ended.into_iter().map(|cookie| (header::SET_COOKIE, cookie))),
        document(&())?,
    )
        .into_response())
}

/// A stream of events; with `after`, the events after that number, without waiting.
#[utoipa::path(
    get,
    path = "/api/events",
    params(("after" = Option<u64>, Query)),
    responses(
        (status = 200, content((EventsDocument = "application/json"), (String = "text/event-stream"))),
        (status = 404, body = ErrorDocument),
        (status = 503, body = ErrorDocument, description = "Too many streams")
    )
)]
pub(crate) async fn events(State(server): Shared, uri: Uri) -> Answer {
    match query(&uri).remove("after") {
        Some(after) => document(&server.events.after(number("event", &after)?.unsigned_abs())),
        None => Ok(typed("text/event-stream", server.events.stream()?)),
    }
}

/// This description.
#[utoipa::path(get, path = "/api/openapi.json", responses((status = 200, body = Value)))]
pub(crate) async fn openapi() -> Answer {
    Ok(typed("application/json", crate::openapi()))
}
