//! How the ease of positions is judged.

use centipawn_core::{Curve, EASE_CURVE};
use centipawn_engine::{Analyst, Limit};
use centipawn_pgn::Dialect;
use centipawn_policy::Network;
use serde::{Deserialize, Serialize};

use super::EaseJudge;
use crate::serde_text;

/// How the ease of positions is judged. All fields but [`limit`](Self::limit) may be missing in JSON and then have their default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EaseOptions {
    /// How long the analyst thinks about a position.
    pub limit: Limit,
    /// Lines that the analyst gives for a position, 1 or more; natural moves that are not among them are evaluated as well.
    /// Default 5.
    #[serde(default = "default_lines")]
    pub lines: usize,
    /// From evaluations to what moves are worth. `None`, the default: the curve of the metric as it was published,
    /// [`EASE_CURVE`].
    #[serde(default)]
    pub curve: Option<Curve>,
    /// Own moves to look ahead, this one included, 1 or more; beyond 1 for single positions only. Default 1.
    #[serde(default = "default_ahead")]
    pub ahead: usize,
    /// Takes evaluations from the games' comments, written in this dialect. `None`, the default: none are taken.
    #[serde(default, with = "serde_text::option")]
    pub reuse_evals: Option<Dialect>,
}

fn default_lines() -> usize {
    5
}

fn default_ahead() -> usize {
    1
}

impl EaseOptions {
    /// The defaults, with a limit.
    pub fn new(limit: Limit) -> Self {
        Self { limit, lines: default_lines(), curve: None, ahead: default_ahead(), reuse_evals: None }
    }

    /// Who judges in this way, with these networks; without an analyst ease is an upper bound.
    pub fn judge<'a>(&self, networks: &'a [Network], analyst: Option<&'a dyn Analyst>) -> EaseJudge<'a> {
        let Self { limit, lines, curve, ahead, .. } = *self;
        EaseJudge { networks, analyst, limit, lines, curve: curve.unwrap_or(EASE_CURVE), ahead }
    }
}
