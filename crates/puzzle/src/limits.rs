//! Node limits of mining, and limits on the size of a solution.

use serde::{Deserialize, Serialize};

/// Search limits of the [default rules](crate::Miner), and limits on the size of a solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Number of nodes of a search with one line, for a position without an evaluation in the game.
    /// Default 10,000.
    pub scan: u64,
    /// The verification stages, searched with two lines: increasing node counts, each with the
    /// slack added to the rule's limits (see [`Rule::goal`](crate::Rule::goal)). A negative slack
    /// in the last stage demands slightly more than the rule, so that the answer also holds in
    /// deeper searches. Default 30,000 (0.25), 100,000 (0.1), 500,000 (−0.03).
    pub stages: Vec<(u64, f64)>,
    /// Nodes of the first search of a position after a defence, and the slack added to the rule's
    /// limits there. If it shows several good moves, the line ends without further searches, and
    /// before the last stage a solution that would be too short is refused. Default 30,000 (0.15).
    pub outlook: (u64, f64),
    /// Number of nodes for each later position of the solver. Default 250,000.
    pub solver: u64,
    /// Nodes for searching a close position of a solution again, and the limit of closeness: the
    /// position is close if another evaluation of one move, different by this many win-draw
    /// balances (half as many for the second move of the first position), would change the answer.
    /// A solution keeps only answers that this search finds too. Default 1,000,000 (2/3: with ten
    /// or twenty times the nodes of the earlier searches, evaluations differ with a standard
    /// deviation of 0.4, those of that second move of 0.2).
    pub confirmation: (u64, f64),
    /// Number of nodes for finding the opponent's best defences. Default 100,000.
    pub reply: u64,
    /// Minimum number of the solver's moves in the main line. A mate in one is accepted if this is
    /// at most 2. Default 2.
    pub min_moves: u8,
    /// Maximum number of the solver's moves in a line. Default 12.
    pub max_moves: u8,
    /// Maximum number of positions of the solver in a solution, including branches. Default 32.
    pub max_positions: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scan: 10_000,
            stages: vec![(30_000, 0.25), (100_000, 0.1), (500_000, -0.03)],
            outlook: (30_000, 0.15),
            solver: 250_000,
            confirmation: (1_000_000, 2.0 / 3.0),
            reply: 100_000,
            min_moves: 2,
            max_moves: 12,
            max_positions: 32,
        }
    }
}

impl Limits {
    /// Returns these limits with all node counts multiplied by `effort` (> 0), rounded, and at
    /// least 1.
    #[must_use]
    pub(crate) fn with_effort(&self, effort: f64) -> Self {
        let nodes = |nodes: u64| with_effort(nodes as f64, effort);
        Self {
            scan: nodes(self.scan),
            stages: self
                .stages
                .iter()
                .map(|(stage, slack)| (nodes(*stage), *slack))
                .collect(),
            outlook: (nodes(self.outlook.0), self.outlook.1),
            solver: nodes(self.solver),
            confirmation: (nodes(self.confirmation.0), self.confirmation.1),
            reply: nodes(self.reply),
            ..*self
        }
    }
}

/// Returns a node count multiplied by `effort`, rounded, and at least 1.
pub(crate) fn with_effort(nodes: f64, effort: f64) -> u64 {
    (nodes * effort).round().max(1.0) as u64
}
