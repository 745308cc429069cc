//! What an engine is started with.

use std::time::Duration;

use crate::find::EngineCommand;

/// An engine to start: its command, its options and our patience with it.
///
/// ```no_run
/// use centipawn_engine::{EngineConfig, find};
///
/// let config = EngineConfig::new(find("stockfish")?).option("Hash", "256").option("SyzygyPath", "/var/lib/syzygy");
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// The program.
    pub command: EngineCommand,
    /// Option names and values to set, in this order. Threads 1, Hash 16 and `UCI_AnalyseMode` true are set where the
    /// engine offers them and nothing else stands here.
    pub options: Vec<(String, String)>,
    /// How long to wait for what.
    pub patience: Patience,
}

impl EngineConfig {
    /// The command with nothing set.
    pub fn new(command: EngineCommand) -> Self {
        Self { command, options: Vec::new(), patience: Patience::default() }
    }

    /// The same with an option set. Names and values are checked against the engine's list when it starts.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// The same with other deadlines.
    #[must_use]
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }
}

/// How long an engine may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From its start to `uciok`. 10 s by default.
    pub start: Duration,
    /// From `isready` to `readyok`, which may load a network or clear a large hash. 60 s by default.
    pub ready: Duration,
    /// From `go` to the end of the search. By default (`None`) a time that a slow machine keeps with ease: for nodes 30 s
    /// and a second for every 2,000; for a depth a minute for each ply and line; for a time twice that and 2 s.
    pub search: Option<Duration>,
    /// From `stop` to `bestmove`. 3 s by default.
    pub stop: Duration,
    /// From `quit` to its end. Half a second by default.
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
