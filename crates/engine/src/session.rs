//! The use of a pool by one piece of work, which can be cancelled without ending the pool.

use std::{fmt, sync::Arc};

use centipawn_progress::{Cancel, OnSet};

use crate::{Analysis, Analyst, AnalystError, Identity, Pool, Question};

/// A [`Pool`] for one job, which can be cancelled separately; created by [`Pool::under`].
///
/// When its [`Cancel`] is set, its questions return [`AnalystError::Cancelled`] within 0.1 s,
/// whether they wait for an engine or an engine works on them. The engine then gets `stop` and
/// continues with the next question. Other sessions of the pool are not affected, and their answers
/// stay the same, because every search begins with a cleared hash.
///
/// ```
/// use std::sync::Arc;
///
/// use centipawn_core::History;
/// use centipawn_engine::{Analyst, AnalystError, Cancel, EngineConfig, Limit, Pool, Question, find};
///
/// # let Ok(command) = find("stockfish") else { return Ok(()) };
/// # /*
/// let command = find("stockfish")?;
/// # */
/// let pool = Arc::new(Pool::start(&[(EngineConfig::new(command), 1)], &Cancel::new())?);
/// let cancel = Cancel::new();
/// let session = pool.under(&cancel);
/// let long = Question::new(History::default(), Limit::Nodes(1_000_000_000));
/// std::thread::scope(|scope| {
///     let asking = scope.spawn(|| session.analyse(&long));
///     cancel.set();
///     assert_eq!(asking.join().unwrap(), Err(AnalystError::Cancelled));
/// });
/// let short = Question::new(History::default(), Limit::Nodes(10_000));
/// assert_eq!(pool.analyse(&short)?.lines.len(), 1);
/// # Ok::<(), AnalystError>(())
/// ```
pub struct PoolSession {
    pool: Arc<Pool>,
    cancel: Cancel,
    _on_cancel: OnSet,
}

impl PoolSession {
    pub(crate) fn new(pool: &Arc<Pool>, cancel: &Cancel) -> Self {
        Self {
            pool: Arc::clone(pool),
            cancel: cancel.clone(),
            _on_cancel: pool.slots().wake_on(cancel),
        }
    }

    /// Returns the pool that the session belongs to.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
}

impl Analyst for PoolSession {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.pool.analyse_under(question, &self.cancel)
    }

    fn identity(&self) -> Arc<Identity> {
        self.pool.identity()
    }

    fn parallelism(&self) -> usize {
        self.pool.parallelism()
    }
}

impl fmt::Debug for PoolSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolSession")
            .field("pool", &self.pool)
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}
