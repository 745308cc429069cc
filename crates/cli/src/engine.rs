//! Engines from the command line's flags.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use anyhow::Result;
use centipawn_engine::{
    Analysis, Analyst, AnalystError, EngineConfig, Fallback, Identity, Pool, Question, Tablebase, find,
};
use clap::Args;

use crate::{args::EngineArgs, interrupt};

/// Starts the engines that the flags ask for. Ctrl-C ends them.
pub(crate) fn start_pool(args: &EngineArgs) -> Result<Arc<Pool>, AnalystError> {
    let mut config = EngineConfig::new(find(&args.command())?);
    config.options.clone_from(&args.options);
    let pool = Arc::new(Pool::start_under(&[(config, args.jobs())], interrupt::cancel())?);
    interrupt::close_on_interrupt(&pool);
    Ok(pool)
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
