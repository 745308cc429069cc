//! How games are reviewed.

use std::sync::Arc;

use centipawn_core::{Curve, Scheme};
use centipawn_engine::Limit;
use centipawn_pgn::Dialect;
use centipawn_policy::Network;

use crate::Language;

/// How games are reviewed.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long the analyst thinks about a position.
    pub limit: Limit,
    /// How many lines it gives; good moves can be told only from two on.
    pub lines: usize,
    /// From evaluations to expected scores. `None`: the curve of whoever evaluated, be it the analyst
    /// ([`Curve::for_engine`]) or, with [`reuse_evals`](Self::reuse_evals), the site or event that the game is from.
    pub curve: Option<Curve>,
    /// From expected scores to symbols.
    pub scheme: Scheme,
    /// Gives good-move symbols by the bare formula, also where they mislead: for recaptures,
    /// captures of what has just moved there, the better of two legal moves, and mates under way.
    pub every_symbol: bool,
    /// Takes evaluations from the games' comments where they are, written in this dialect; the analyst is asked about the
    /// rest.
    pub reuse_evals: Option<Dialect>,
    /// Networks for which every move's ease is judged, by the metric's own curve if no other is asked for; none if empty.
    /// Natural moves that the lines leave out are asked about as well, but not where evaluations come from the game itself.
    pub ease: Arc<[Network]>,
    /// The language of comments and reports.
    pub language: Language,
    /// What becomes of annotations that the games have already.
    pub annotations: Annotations,
}

/// What becomes of a game's own comments, NAGs and variations in the [annotated](crate::Review::annotated) game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotations {
    /// They stay; only what the review says itself takes the place of its like.
    #[default]
    Keep,
    /// They go, but for clocks.
    Replace,
}

impl Options {
    /// The defaults, with a limit: two lines, the evaluator's own curve, the default schemes, English.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            lines: 2,
            curve: None,
            scheme: Scheme::default(),
            every_symbol: false,
            reuse_evals: None,
            ease: Arc::default(),
            language: Language::default(),
            annotations: Annotations::default(),
        }
    }
}
