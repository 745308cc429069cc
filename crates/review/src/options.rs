//! How games are reviewed.

use centipawn_core::{Curve, Scheme};
use centipawn_engine::Limit;
use centipawn_pgn::Dialect;

/// How games are reviewed.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long the analyst thinks about a position.
    pub limit: Limit,
    /// How many lines it gives; good moves can be told only from two on.
    pub lines: usize,
    /// From evaluations to expected scores.
    pub curve: Curve,
    /// From expected scores to symbols.
    pub scheme: Scheme,
    /// Gives good-move symbols by the bare formula, also where they mislead: for recaptures and mates under way.
    pub every_symbol: bool,
    /// Takes evaluations from the games' comments where they are, written in this dialect; the analyst is asked about the
    /// rest.
    pub reuse_evals: Option<Dialect>,
}

impl Options {
    /// The defaults, with a limit: two lines, Stockfish's newest curve, the default schemes.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            lines: 2,
            curve: Curve::default(),
            scheme: Scheme::default(),
            every_symbol: false,
            reuse_evals: None,
        }
    }
}
