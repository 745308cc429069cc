//! Options of ease.

use centipawn_core::{Curve, EASE_CURVE};
use centipawn_engine::{Analyst, Limit};
use centipawn_pgn::Dialect;
use centipawn_policy::Network;
use serde::{Deserialize, Serialize};

use super::{EaseJudge, EaseLevels};

/// How ease is judged. In JSON all fields but [`limit`](Self::limit) may be missing; they then have
/// their default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EaseOptions {
    /// The analyst's limit for a position.
    pub limit: Limit,
    /// Whether the analyst may answer with deeper or wider searches than asked for, as a store can;
    /// results then depend on what the store contains. Default `false`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Number of lines that the analyst searches in a position, 1 or more; it also evaluates
    /// natural moves outside of them. Default 5.
    #[serde(default = "default_lines")]
    pub lines: usize,
    /// The curve from evaluations to values of moves. `None`, the default, is the curve of the
    /// published metric, [`EASE_CURVE`].
    #[serde(default)]
    pub curve: Option<Curve>,
    /// The player's moves to look ahead, this one included, 1 or more; above 1, evaluations from
    /// games are ignored. Default 1.
    #[serde(default = "default_ahead")]
    pub ahead: usize,
    /// Takes evaluations from the games' comments, in this dialect. `None`, the default, ignores
    /// them.
    #[serde(default)]
    pub reuse_evals: Option<Dialect>,
    /// For which levels of play. Default 1100, 1500, 1900 and the players' own.
    #[serde(default)]
    pub levels: EaseLevels,
}

fn default_lines() -> usize {
    5
}

fn default_ahead() -> usize {
    1
}

impl EaseOptions {
    /// Creates the defaults with a limit: five lines, the published curve, no look-ahead, no reused
    /// evaluations, the default levels.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            at_least: false,
            lines: default_lines(),
            curve: None,
            ahead: default_ahead(),
            reuse_evals: None,
            levels: EaseLevels::default(),
        }
    }

    /// Returns the limit of searches as it is used: `100000 nodes`, or with
    /// [`at_least`](Self::at_least) `at least 100000 nodes`.
    pub fn limits(&self) -> String {
        format!(
            "{}{}",
            if self.at_least { "at least " } else { "" },
            self.limit
        )
    }

    /// Returns a judge with these options and networks; without an analyst, ease is an upper bound.
    pub fn judge<'a>(
        &'a self,
        networks: &'a [Network],
        analyst: Option<&'a dyn Analyst>,
    ) -> EaseJudge<'a> {
        let Self {
            limit,
            lines,
            curve,
            ahead,
            ..
        } = *self;
        let curve = curve.unwrap_or(EASE_CURVE);
        EaseJudge {
            networks,
            levels: &self.levels.fixed,
            analyst,
            limit,
            lines,
            curve,
            ahead,
        }
    }
}
