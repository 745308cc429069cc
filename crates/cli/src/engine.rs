//! Engines from the command line's flags.

use std::sync::{Arc, OnceLock};

use anyhow::Result;
use centipawn_engine::{Analysis, Analyst, AnalystError, EngineConfig, Identity, Pool, Question, find};

use crate::{args::EngineArgs, interrupt};

/// Starts the engines that the flags ask for. Ctrl-C ends them.
pub(crate) fn start_pool(args: &EngineArgs) -> Result<Arc<Pool>, AnalystError> {
    let mut config = EngineConfig::new(find(&args.command())?);
    config.options.clone_from(&args.options);
    let pool = Arc::new(Pool::start_under(&[(config, args.jobs())], interrupt::cancel())?);
    interrupt::close_on_interrupt(&pool);
    Ok(pool)
}

/// A pool that is started by the first question: where evaluations are at hand, an engine may never be needed, or be there.
pub(crate) struct LazyPool {
    args: EngineArgs,
    pool: OnceLock<Result<Arc<Pool>, AnalystError>>,
}

impl LazyPool {
    pub(crate) fn new(args: EngineArgs) -> Self {
        Self { args, pool: OnceLock::new() }
    }

    fn pool(&self) -> Result<&Arc<Pool>, AnalystError> {
        self.pool.get_or_init(|| start_pool(&self.args)).as_ref().map_err(Clone::clone)
    }
}

impl Analyst for LazyPool {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.pool()?.analyse(question)
    }

    fn identity(&self) -> Arc<Identity> {
        self.pool().map_or_else(|_| Arc::default(), Analyst::identity)
    }

    fn parallelism(&self) -> usize {
        self.args.jobs()
    }
}
