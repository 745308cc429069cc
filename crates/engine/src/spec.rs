//! Engines as values: the command, its options, and the number of processes.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, TryLockError},
    time::{Duration, Instant},
};

use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};

use crate::{
    Analysis, Analyst, AnalystError, EngineConfig, Identity, Pool, PoolSession, PoolStats,
    Question, find,
};

/// Interval at which a session checks whether another one has started the pool.
const LOOK: Duration = Duration::from_millis(10);
/// Interval between attempts to start an engine. A broken engine must not be started for each
/// question, but a server that runs for weeks must find one that is installed or repaired later.
const AGAIN: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });

/// An engine to start, as a value that can be stored and sent.
///
/// ```
/// let spec: centipawn_engine::EngineSpec = serde_json::from_str(r#"{"command":"lc0","options":[["Threads","2"]]}"#).unwrap();
/// assert_eq!((spec.command.as_str(), spec.jobs), ("lc0", 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineSpec {
    /// The engine: a name, a path, or a command with arguments, as [`find`] reads it. `stockfish`
    /// by default.
    pub command: String,
    /// Option names and values to set, in this order. None by default.
    pub options: Vec<(String, String)>,
    /// Number of processes that work at the same time; 0 counts as 1. 1 by default. The number
    /// changes no answer.
    pub jobs: usize,
}

impl Default for EngineSpec {
    fn default() -> Self {
        Self {
            command: "stockfish".to_owned(),
            options: Vec::new(),
            jobs: 1,
        }
    }
}

impl EngineSpec {
    /// Returns the configuration of each process.
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

/// A pool that starts with the first question. Where all evaluations are already known, no engine
/// is started or even needed.
#[derive(Clone)]
pub struct LazyPool {
    shared: Arc<Shared>,
    /// When set, the questions of this session end.
    cancel: Cancel,
    session: OnceLock<Arc<PoolSession>>,
}

struct Shared {
    spec: EngineSpec,
    /// When set, the pool closes.
    cancel: Cancel,
    pool: OnceLock<Arc<Pool>>,
    /// When and why the last start failed. Locked while the pool starts.
    failure: Mutex<Option<(Instant, AnalystError)>>,
}

impl LazyPool {
    /// Creates a pool that is not started yet. Setting `cancel` closes it, now or later.
    pub fn new(spec: EngineSpec, cancel: &Cancel) -> Self {
        let shared = Shared {
            spec,
            cancel: cancel.clone(),
            pool: OnceLock::new(),
            failure: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
            cancel: cancel.clone(),
            session: OnceLock::new(),
        }
    }

    /// Returns a session of the same pool for one piece of work; see [`Pool::under`].
    #[must_use]
    pub fn under(&self, cancel: &Cancel) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            cancel: cancel.clone(),
            session: OnceLock::new(),
        }
    }

    /// Returns the engines that it starts.
    pub fn spec(&self) -> &EngineSpec {
        &self.shared.spec
    }

    /// Returns the pool; starts it if it is not started yet.
    ///
    /// # Errors
    ///
    /// Those of [`EngineSpec::start`]. For five seconds after a failure every call returns the same
    /// error, and then the next one starts the engines again. [`AnalystError::Cancelled`] if this
    /// session is cancelled meanwhile; then the next call starts them.
    pub fn pool(&self) -> Result<&Arc<Pool>, AnalystError> {
        let Shared {
            spec,
            cancel,
            pool,
            failure,
        } = &*self.shared;
        loop {
            if let Some(pool) = pool.get() {
                return Ok(pool);
            }
            let mut failure = match failure.try_lock() {
                Ok(failure) => failure,
                Err(TryLockError::Poisoned(failure)) => failure.into_inner(),
                // Another session is starting the pool. Wait only briefly, so that this session can
                // be cancelled.
                Err(TryLockError::WouldBlock) if self.cancel.wait(LOOK) => {
                    return Err(AnalystError::Cancelled);
                }
                Err(TryLockError::WouldBlock) => continue,
            };
            if pool.get().is_some() {
                continue;
            }
            if cancel.is_set() || self.cancel.is_set() {
                return Err(AnalystError::Cancelled);
            }
            if let Some((at, error)) = &*failure
                && at.elapsed() < AGAIN
            {
                return Err(error.clone());
            }
            return match spec.start_for(cancel, &self.cancel) {
                Ok(started) => Ok(pool.get_or_init(|| Arc::new(started))),
                Err(_) if cancel.is_set() || self.cancel.is_set() => Err(AnalystError::Cancelled),
                Err(error) => Err(failure.insert((Instant::now(), error)).1.clone()),
            };
        }
    }

    /// Returns the work that the pool has done so far; all zero before the first question.
    pub fn stats(&self) -> PoolStats {
        self.shared
            .pool
            .get()
            .map_or_else(PoolStats::default, |pool| pool.stats())
    }
}

impl Analyst for LazyPool {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let pool = self.pool()?;
        self.session
            .get_or_init(|| Arc::new(pool.under(&self.cancel)))
            .analyse(question)
    }

    /// Returns the identity of the pool, which this call starts; without a name if the pool cannot
    /// be started.
    fn identity(&self) -> Arc<Identity> {
        self.pool()
            .map_or_else(|_| Arc::default(), Analyst::identity)
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

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_engine_that_is_installed_later_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let engine = folder.path().join("engine");
        let command = format!("{:?}", engine.display().to_string());
        let pool = LazyPool::new(
            EngineSpec {
                command,
                ..EngineSpec::default()
            },
            &Cancel::new(),
        );
        let missing = pool.pool().unwrap_err();
        std::os::unix::fs::symlink(centipawn_fake_engine::path(), &engine).unwrap();
        assert_eq!(pool.pool().unwrap_err(), missing, "not for each question");
        thread::sleep(AGAIN + Duration::from_millis(200));
        assert!(pool.pool().is_ok());
    }

    /// Waiting for the other session's start would take ten seconds.
    #[test]
    fn a_session_that_waits_for_the_start_of_another_is_cancelled() {
        let command = format!(
            "{:?} hang",
            centipawn_fake_engine::path().display().to_string()
        );
        let (all, first, second) = (Cancel::new(), Cancel::new(), Cancel::new());
        let pool = LazyPool::new(
            EngineSpec {
                command,
                ..EngineSpec::default()
            },
            &all,
        );
        thread::scope(|scope| {
            let starting = pool.under(&first);
            let starting = scope.spawn(move || starting.pool().map(|_| ()));
            thread::sleep(Duration::from_millis(300));
            let waiting = pool.under(&second);
            let (begun, waiting) = (
                Instant::now(),
                scope.spawn(move || waiting.pool().map(|_| ())),
            );
            thread::sleep(Duration::from_millis(100));
            second.set();
            assert_eq!(waiting.join().unwrap(), Err(AnalystError::Cancelled));
            assert!(
                begun.elapsed() < Duration::from_secs(4),
                "{:?}",
                begun.elapsed()
            );
            first.set();
            assert_eq!(starting.join().unwrap(), Err(AnalystError::Cancelled));
        });
    }
}
