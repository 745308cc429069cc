//! The configuration of an engine.

use std::time::Duration;

use crate::find::EngineCommand;

/// An engine to start: its command, its options and its timeouts.
///
/// ```no_run
/// use centipawn_engine::{EngineConfig, find};
///
/// let config = EngineConfig::new(find("stockfish")?).option("Hash", "256").option("SyzygyPath", "/var/lib/syzygy");
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// The program and its arguments.
    pub command: EngineCommand,
    /// Option names and values to set, in this order; of two values for one option the last counts.
    /// If they are not listed here and the engine offers them, Threads is set to 1, Hash to 16 and
    /// `UCI_AnalyseMode` to true.
    pub options: Vec<(String, String)>,
    /// The timeouts for the engine's replies.
    pub patience: Patience,
}

impl EngineConfig {
    /// Creates a configuration with default options and timeouts.
    pub fn new(command: EngineCommand) -> Self {
        Self {
            command,
            options: Vec::new(),
            patience: Patience::default(),
        }
    }

    /// Returns the same configuration with one more option. Names and values are checked against
    /// the engine's list when it starts.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// Returns the same configuration with other timeouts.
    #[must_use]
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }
}

/// The timeouts of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Maximum time from the start of the process to `uciok`. 10 s by default.
    pub start: Duration,
    /// Maximum time from `isready` to `readyok`, in which the engine may load a network or clear a
    /// large hash table. 60 s by default.
    pub ready: Duration,
    /// From `go` to the end of the search. `None`, the default, allows for a slow machine: for a
    /// limit in nodes, 30 s plus 1 s for every 2,000 nodes; for a depth, 1 minute for each ply and
    /// line; for a time, twice that time plus 2 s.
    pub search: Option<Duration>,
    /// Maximum time from `stop` to `bestmove`. 3 s by default.
    pub stop: Duration,
    /// Maximum time from `quit` to the end of the process. 0.5 s by default.
    pub quit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            ready: Duration::from_secs(60),
            search: None,
            stop: Duration::from_secs(3),
            quit: Duration::from_millis(500),
        }
    }
}
