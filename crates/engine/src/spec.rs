//! Engines as values: which engine, with which options, how many processes.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
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
        self.start_for(cancel, cancel)
    }

    fn start_for(&self, cancel: &Cancel, question: &Cancel) -> Result<Pool, AnalystError> {
        Pool::start_for(&[(self.config()?, self.jobs.max(1))], cancel, question)
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
    /// Held while the pool starts.
    starting: Mutex<()>,
}

impl LazyPool {
    /// A pool that is not started yet. Setting `cancel` closes it, now or later.
    pub fn new(spec: EngineSpec, cancel: &Cancel) -> Self {
        let shared = Shared { spec, cancel: cancel.clone(), pool: OnceLock::new(), starting: Mutex::new(()) };
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
    /// Those of [`EngineSpec::start`]. After a failure every call returns the same error, except if this session was cancelled while
    /// it started the pool: then the next call starts it.
    pub fn pool(&self) -> Result<&Arc<Pool>, AnalystError> {
        let Shared { spec, cancel, pool, starting } = &*self.shared;
        if pool.get().is_none() {
            let _one = starting.lock().unwrap_or_else(PoisonError::into_inner);
            if pool.get().is_none() {
                match spec.start_for(cancel, &self.cancel) {
                    Err(AnalystError::Cancelled) if !cancel.is_set() => return Err(AnalystError::Cancelled),
                    started => pool.get_or_init(|| started.map(Arc::new)),
                };
            }
        }
        pool.get().map_or(Err(AnalystError::Cancelled), |pool| pool.as_ref().map_err(Clone::clone))
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
