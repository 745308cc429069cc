//! Engines from the command line's flags.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use anyhow::Result;
use centipawn_engine::{
    Analysis, Analyst, AnalystError, EngineConfig, Fallback, Identity, Pool, Question, Tablebase, find,
};
use centipawn_progress::{Cancel, OnSet};
use clap::Args;

use crate::args::EngineArgs;

/// Engines that a [`Cancel`] ends.
pub(crate) struct CancelledPool {
    pool: Arc<Pool>,
    _closed: OnSet,
}

impl CancelledPool {
    /// Starts the engines that the flags ask for.
    pub(crate) fn start(args: &EngineArgs, cancel: &Cancel) -> Result<Self, AnalystError> {
        let mut config = EngineConfig::new(find(&args.command())?);
        config.options.clone_from(&args.options);
        let starting = Arc::new(centipawn_engine::Cancel::default());
        let _killed = cancel.on_set({
            let starting = Arc::clone(&starting);
            move || starting.set()
        });
        let pool = Arc::new(Pool::start_under(&[(config, args.jobs())], starting)?);
        let closing = Arc::downgrade(&pool);
        let _closed = cancel.on_set(move || {
            if let Some(pool) = closing.upgrade() {
                pool.close();
            }
        });
        Ok(Self { pool, _closed })
    }

    /// Questions that engines have answered so far.
    pub(crate) fn searches(&self) -> u64 {
        self.pool.stats().searches
    }
}

impl Analyst for CancelledPool {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.pool.analyse(question)
    }

    fn identity(&self) -> Arc<Identity> {
        self.pool.identity()
    }

    fn parallelism(&self) -> usize {
        self.pool.parallelism()
    }
}

/// Endgame tables that answer before engines do.
#[derive(Args, Clone, Debug)]
pub(crate) struct TablesArg {
    /// Folder of Syzygy tables, which decide positions of few men before the engine is asked
    #[arg(long, value_name = "FOLDER", help_heading = "Engine")]
    syzygy: Option<PathBuf>,
}

impl TablesArg {
    /// Whether there are to be any.
    pub(crate) fn is_given(&self) -> bool {
        self.syzygy.is_some()
    }

    /// The tables, if there are any, in front of an analyst.
    pub(crate) fn before(&self, analyst: Arc<dyn Analyst>) -> Result<Arc<dyn Analyst>> {
        let Some(folder) = &self.syzygy else { return Ok(analyst) };
        Ok(Arc::new(Fallback::new(Tablebase::open(folder)?, analyst)))
    }
}

/// A pool that is started by the first question: where evaluations are at hand, an engine may never be needed, or be there.
pub(crate) struct LazyPool {
    args: EngineArgs,
    cancel: Cancel,
    pool: OnceLock<Result<CancelledPool, AnalystError>>,
}

impl LazyPool {
    pub(crate) fn new(args: EngineArgs, cancel: &Cancel) -> Self {
        Self { args, cancel: cancel.clone(), pool: OnceLock::new() }
    }

    fn pool(&self) -> Result<&CancelledPool, AnalystError> {
        self.pool.get_or_init(|| CancelledPool::start(&self.args, &self.cancel)).as_ref().map_err(Clone::clone)
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
