//! How many nodes mining spends, and how large a solution may be.

use serde::{Deserialize, Serialize};

/// How hard the engine works for a puzzle of the [default rules](crate::Miner), and how large a solution may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Nodes for a position without an evaluation in the game, one line. Default 10,000.
    pub scan: u64,
    /// The stages of verification with two lines: nodes, rising, and the slack of the rule's limits. The slack of the last stage is
    /// negative: it asks a little more than the rule, so that its answer stands when others look deeper. Default 30,000 (0.3),
    /// 100,000 (0.15), 500,000 (−0.03).
    pub stages: Vec<(u64, f64)>,
    /// Nodes for each later position of the solver. Default 250,000.
    pub solver: u64,
    /// Nodes for the opponent's best defences. Default 100,000.
    pub reply: u64,
    /// Fewest moves of the solver in the main line. Default 1.
    pub min_moves: u8,
    /// Most moves of the solver in a line. Default 12.
    pub max_moves: u8,
    /// Most positions of the solver in a solution, its branches included. Default 32.
    pub max_positions: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scan: 10_000,
            stages: vec![(30_000, 0.3), (100_000, 0.15), (500_000, -0.03)],
            solver: 250_000,
            reply: 100_000,
            min_moves: 1,
            max_moves: 12,
            max_positions: 32,
        }
    }
}

impl Limits {
    /// The same with all numbers of nodes multiplied by `effort`, > 0; each is rounded, and at least 1.
    #[must_use]
    pub fn with_effort(&self, effort: f64) -> Self {
        let nodes = |nodes: u64| with_effort(nodes as f64, effort);
        Self {
            scan: nodes(self.scan),
            stages: self.stages.iter().map(|(stage, slack)| (nodes(*stage), *slack)).collect(),
            solver: nodes(self.solver),
            reply: nodes(self.reply),
            ..*self
        }
    }
}

/// A share of a number of nodes, rounded, at least 1.
pub(crate) fn with_effort(nodes: f64, effort: f64) -> u64 {
    (nodes * effort).round().max(1.0) as u64
}
