//! Handlers of curves and of the symbols that depend on them.

use axum::{
    extract::{Request, State},
    http::Uri,
};
use centipawn_core::{Context, Curve, HumanModel};
use centipawn_review::{FormEval, SymbolsDocument, SymbolsForm};
use centipawn_work::{CurveDocument, PeopleDocument};
use shakmaty::Color;

use super::{Answer, Shared, document, parsed, query, typed};
use crate::{
    documents::{CurveRequest, ErrorDocument, PeopleRequest, SymbolsRequest},
    error::ApiError,
    server::{Server, seconds},
};

/// Maximum number of time controls in a graph.
const MOST_TIMES: usize = 10;

/// The points of a curve.
#[utoipa::path(
    post,
    path = "/api/curve",
    request_body = CurveRequest,
    responses((status = 200, body = CurveDocument))
)]
pub(crate) async fn draw_curve(State(server): Shared, request: Request) -> Answer {
    let CurveRequest {
        curve: name,
        balance,
        material,
        ply,
        eval,
    } = parsed(&server, request).await?;
    let curve = server
        .options
        .curve(name.as_deref(), balance)?
        .unwrap_or(Curve::Relevance {
            balance: Curve::DEFAULT_BALANCE,
        });
    let context = context(material, ply);
    document(&CurveDocument::new(&curve, context, eval))
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
    let PeopleRequest { eval, times } = parsed(&server, request).await?;
    if times.len() > MOST_TIMES {
        return Err(ApiError::bad(
            "too many time controls",
            format!("Ask for {MOST_TIMES} at most."),
        ));
    }
    let times: Vec<f64> = times
        .iter()
        .map(|time| seconds(time))
        .collect::<Result<_, _>>()?;
    document(&PeopleDocument::new(&HumanModel::default(), eval, &times))
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
    document(&form(&server, &request)?.document())
}

fn form(server: &Server, request: &SymbolsRequest) -> Result<SymbolsForm, ApiError> {
    let eval = |text: &str| {
        text.trim()
            .parse::<FormEval>()
            .map_err(|error| ApiError::bad(error, "Correct the number."))
    };
    let side = match &*request.side {
        "white" | "" => Color::White,
        "black" => Color::Black,
        _ => return Err(ApiError::bad("a side is white or black", "Choose one.")),
    };
    let second = request
        .second
        .as_deref()
        .filter(|text| !text.trim().is_empty())
        .map(eval)
        .transpose()?;
    let curve = server
        .options
        .curve(request.curve.as_deref(), request.balance)?
        .unwrap_or(Curve::Relevance {
            balance: Curve::DEFAULT_BALANCE,
        });
    let context = context(request.material, request.ply);
    SymbolsForm::new(
        side,
        eval(&request.played)?,
        eval(&request.best)?,
        second,
        curve,
        context,
    )
    .map_err(|error| ApiError::bad(error, "Exchange the two."))
}

/// Returns the context of a request. Missing values are those of the middle of a game.
fn context(material: Option<u32>, ply: Option<u32>) -> Context {
    let middle = Context::default();
    Context {
        material: material.unwrap_or(middle.material),
        ply: ply.unwrap_or(middle.ply),
    }
}
