//! How sure a symbol is: whether a much longer search would give it, too.

use centipawn_core::{Context, Curve, MoveSymbol, SearchError, SearchedMove};
use centipawn_engine::{Identity, Limit, behind_tables};

use shakmaty::Position as _;

use crate::{JudgedMove, is_forced};

/// Below this probability a symbol is shown as unsure.
pub const UNSURE: f64 = 0.7;

/// What is known about a move's symbol.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certainty {
    /// Probability, 0..=1, that a search of four million nodes gives the same symbol of blame, at
    /// least the same praise, or, for a move without a symbol, no blame.
    pub symbol: f64,
    /// Probability, 0..=1, that such a search gives a symbol of blame.
    pub blame: f64,
    /// Standard deviation of the expected score that the move loses.
    pub loss_error: f64,
}

/// Sets how sure the symbols of a game are. They stay unknown if an engine made the evaluations
/// whose errors were not measured.
pub(crate) fn set_certainties(plies: &mut [JudgedMove], curve: &Curve, analyst: Option<&Identity>) {
    // The errors of Stockfish 15.1 were measured; other engines may err more.
    let Some((name, men)) = analyst.map(behind_tables) else {
        return;
    };
    if !name.starts_with("Stockfish") {
        return;
    }
    for index in 0..plies.len() {
        // What tables say is exact.
        if plies[index].before.position().board().occupied().count() <= men {
            continue;
        }
        let next = plies
            .get(index + 1)
            .filter(|next| next.limit.is_some())
            .map(|next| next.expected_score_best);
        plies[index].certainty = of(&plies[index], next, curve);
    }
}

/// `next` is White's expected score by the search of the position after the move.
fn of(ply: &JudgedMove, next: Option<f64>, curve: &Curve) -> Option<Certainty> {
    let Some(Limit::Nodes(nodes)) = ply.limit else {
        return None;
    };
    // The rules decide these moves, and a short mate its symbol.
    if ply.ended.is_some() || is_forced(&ply.before) || ply.short_mate().is_some() {
        return None;
    }
    let error = SearchError::of(&SearchedMove {
        nodes,
        difference: ply.difference,
        expected_score: f64::midpoint(ply.expected_score, ply.expected_score_best),
        disagreement: next.map(|next| next - ply.expected_score),
        total: curve.total(Context::of(ply.before.position())),
    });
    // A suppressed symbol leaves a move as it is without one: without blame.
    let (from, to) = ply.scheme.range(ply.symbol);
    let least = ply.scheme.threshold(MoveSymbol::Dubious);
    Some(Certainty {
        symbol: error.probability(from, to),
        blame: error.probability(f64::NEG_INFINITY, least),
        loss_error: error.deviation(),
    })
}

impl JudgedMove {
    /// Returns whether a longer search may well change the symbol: with a probability of more than
    /// 3 in 10.
    pub fn is_unsure(&self) -> bool {
        let stands = self.certainty.map(|certainty| certainty.symbol);
        self.symbol.is_some() && stands.is_some_and(|stands| stands < UNSURE)
    }
}
