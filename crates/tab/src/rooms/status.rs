//! Limits, curves and symbols of the tab.

use centipawn_core::{Curve, CurveChoice, CurveParameter, MoveScheme, PositionScheme};
use centipawn_review::rooms::{StatusDocument, choice_text};

use crate::{Reply, Tab, router::Answer};

/// The name of the engine before it has introduced itself.
const ENGINE: &str = "Stockfish";

pub(crate) fn status(tab: &Tab) -> Answer {
    let (choices, review) = (tab.choices(), &tab.review);
    let engine = tab.engine.as_ref().map_or_else(
        || ENGINE.to_owned(),
        |engine| engine.identity().name.clone(),
    );
    Ok(Reply::document(&StatusDocument {
        centipawn: env!("CARGO_PKG_VERSION"),
        engine,
        has_engine: true,
        engines: tab.engines,
        store: "this browser".to_owned(),
        limit: review.judge.limit.to_string(),
        curve: choice_text(&review.judge.curve),
        scheme: review.judge.scheme.to_string(),
        language: review.language.to_string(),
        curves: CurveChoice::names().collect(),
        curves_with_balance: Curve::NAMED
            .iter()
            .filter(|named| named.parameter == CurveParameter::Balance)
            .map(|named| named.name)
            .collect(),
        own_curves: Vec::new(),
        has_positions: false,
        table_men: 0,
        schemes: [
            MoveScheme::ALL.map(MoveScheme::name).to_vec(),
            PositionScheme::ALL.map(PositionScheme::name).to_vec(),
        ],
        most_nodes: choices.nodes,
        most_lines: choices.lines,
    }))
}
