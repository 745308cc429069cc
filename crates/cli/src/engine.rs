//! Engines from the command line's flags.

use std::{path::PathBuf, sync::Arc};

use anyhow::Result;
use centipawn_engine::{Analyst, AnalystError, EngineSpec, Fallback, LazyPool, Pool, Tablebase};
use clap::Args;

use crate::{args::EngineArgs, interrupt};

impl EngineArgs {
    /// The engine that the flags and the environment name.
    pub(crate) fn spec(&self) -> EngineSpec {
        EngineSpec { command: self.command(), options: self.options.clone(), jobs: self.jobs() }
    }
}

/// Starts the engines that the flags ask for. Ctrl-C ends them.
pub(crate) fn start_pool(args: &EngineArgs) -> Result<Arc<Pool>, AnalystError> {
    args.spec().start(interrupt::cancel()).map(Arc::new)
}

/// The engines that the flags ask for, started by the first question. Ctrl-C ends them.
pub(crate) fn late_pool(args: &EngineArgs) -> LazyPool {
    LazyPool::new(args.spec(), interrupt::cancel())
}

/// Endgame tables that answer before engines do.
#[derive(Args, Clone, Debug)]
pub(crate) struct TablesArg {
    /// Folder of Syzygy tables, which decide positions of few men before the engine is asked
    #[arg(long, value_name = "FOLDER", help_heading = "Engine")]
    pub(crate) syzygy: Option<PathBuf>,
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
