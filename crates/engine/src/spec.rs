//! Engines as values: which engine, with which options, how many processes.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};

use crate::{Analysis, Analyst, AnalystError, EngineConfig, Identity, Pool, PoolSession, PoolStats, Question, find};

/// An engine to start, as a value that can be stored and sent.
///
/// ```
/// let spec: centipawn_engine::EngineSpec = serde_json::from_str(r#"{"command":"lc0","options":[["Threads","2"]]}"#).unwrap();
/// assert_eq!((spec.command.as_str(), spec.jobs), ("lc0", 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineSpec {
    /// The engine: a name, a path, or a command with arguments, as [`find`] reads it. `stockfish` by default.
    pub command: String,
    /// Option names and values to set, in this order. None by default.
    pub options: Vec<(String, String)>,
    /// Processes that work at the same time; 0 counts as 1. 1 by default. The number changes no answer.
    pub jobs: usize,
}

impl Default for EngineSpec {
    fn default() -> Self {
        Self { command: "stockfish".to_owned(), options: Vec::new(), jobs: 1 }
    }
}

impl EngineSpec {
    /// The configuration of each process.
    ///
    /// # Errors
    ///
    /// [`AnalystError::NotFound`] or [`AnalystError::BadCommand`].
    pub fn config(&self) -> Result<EngineConfig, AnalystError> {
        let mut config = EngineConfig::new(find(&self.command)?);
        config.options.clone_from(&self.options);
        Ok(config)
    }

    /// Starts the engines; `cancel` ends them.
    ///
    /// # Errors
    ///
    /// The errors of [`config`](Self::config) and [`Pool::start`].
    pub fn start(&self, cancel: &Cancel) -> Result<Pool, AnalystError> {
        Pool::start(&[(self.config()?, self.jobs.max(1))], cancel)
    }
}

/// A pool that starts with the first question. Where all evaluations are already known, no engine is started or even needed.
#[derive(Clone)]
pub struct LazyPool {
    shared: Arc<Shared>,
    /// Cancels the questions of this session.
    cancel: Cancel,
    session: OnceLock<Arc<PoolSession>>,
}

struct Shared {
    spec: EngineSpec,
    /// Closes the pool.
    cancel: Cancel,
    pool: OnceLock<Result<Arc<Pool>, AnalystError>>,
}

impl LazyPool {
    /// A pool that is not started yet. Setting `cancel` closes it, now or later.
    pub fn new(spec: EngineSpec, cancel: &Cancel) -> Self {
        let shared = Shared { spec, cancel: cancel.clone(), pool: OnceLock::new() };
        Self { shared: Arc::new(shared), cancel: cancel.clone(), session: OnceLock::new() }
    }

    /// A session of the same pool for one piece of work; see [`Pool::under`].
    #[must_use]
    pub fn under(&self, cancel: &Cancel) -> Self {
        Self { shared: Arc::clone(&self.shared), cancel: cancel.clone(), session: OnceLock::new() }
    }

    /// The engines that it starts.
    pub fn spec(&self) -> &EngineSpec {
        &self.shared.spec
    }

    /// The pool; starts it if it is not started yet.
    ///
    /// # Errors
    ///
    /// Those of [`EngineSpec::start`]. After a failure every call returns the same error.
    pub fn pool(&self) -> Result<&Arc<Pool>, AnalystError> {
        let start = || self.shared.spec.start(&self.shared.cancel).map(Arc::new);
        self.shared.pool.get_or_init(start).as_ref().map_err(Clone::clone)
    }

    /// The work that the pool has done so far; all zero before the first question.
    pub fn stats(&self) -> PoolStats {
        match self.shared.pool.get() {
            Some(Ok(pool)) => pool.stats(),
            _ => PoolStats::default(),
        }
    }
}

impl Analyst for LazyPool {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let pool = self.pool()?;
        self.session.get_or_init(|| Arc::new(pool.under(&self.cancel))).analyse(question)
    }

    /// The identity of the pool, which this call starts; without a name if the pool cannot be started.
    fn identity(&self) -> Arc<Identity> {
        self.pool().map_or_else(|_| Arc::default(), Analyst::identity)
    }

    fn parallelism(&self) -> usize {
        self.shared.spec.jobs.max(1)
    }
}

impl fmt::Debug for LazyPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyPool")
            .field("spec", &self.shared.spec)
            .field("pool", &self.shared.pool)
            .finish_non_exhaustive()
    }
}
