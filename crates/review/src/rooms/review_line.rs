//! The line of a list that shows a finished review.

use centipawn_core::MoveSymbol;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::{Language, Review};

/// What a list shows of a finished review.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReviewLine {
    /// The number of the review.
    pub id: i64,
    /// What it says about White.
    pub white: SideLine,
    /// What it says about Black.
    pub black: SideLine,
    /// The move on which most depended: its half-move, from 1, and the move, as `12... Nxe4??`.
    pub critical: Option<(usize, String)>,
}

/// What a list shows of a player in a finished review.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SideLine {
    /// Accuracy in Lichess' sense, per cent; `None` without a move.
    pub accuracy: Option<f64>,
    /// How often `?!` was given.
    pub dubious: usize,
    /// How often `?` was given.
    pub mistakes: usize,
    /// How often `??` was given.
    pub blunders: usize,
}

impl ReviewLine {
    /// Returns what a list shows of a review with the number `id`.
    pub fn of(review: &Review, id: i64) -> Self {
        let loss = |index: &&usize| review.plies[**index].difference.abs();
        let critical = review
            .critical_moments
            .iter()
            .max_by(|a, b| loss(a).total_cmp(&loss(b)));
        let text = |index: usize| {
            let ply = &review.plies[index];
            format!("{}{}", Language::English.numbered(ply), ply.glyphs())
        };
        let side = |color: Color| {
            let player = review.player(color);
            SideLine {
                accuracy: player.accuracy,
                dubious: player.count(MoveSymbol::Dubious),
                mistakes: player.count(MoveSymbol::Mistake),
                blunders: player.count(MoveSymbol::Blunder),
            }
        };
        Self {
            id,
            white: side(Color::White),
            black: side(Color::Black),
            critical: critical.map(|index| (index + 1, text(*index))),
        }
    }
}
