//! Analysts from the command line's flags.

use std::path::PathBuf;

use centipawn_engine::EngineSpec;
use centipawn_work::AnalystSpec;
use clap::Args;

use crate::args::EngineArgs;

impl EngineArgs {
    /// The engine that the flags and the environment name.
    pub(crate) fn spec(&self) -> EngineSpec {
        EngineSpec { command: self.command(), options: self.options.clone(), jobs: self.jobs() }
    }

    /// An analyst of nothing but this engine.
    pub(crate) fn analyst(&self) -> AnalystSpec {
        AnalystSpec { engine: Some(self.spec()), ..AnalystSpec::default() }
    }
}

/// Endgame tables that answer before engines do.
#[derive(Args, Clone, Debug)]
pub(crate) struct TablesArg {
    /// Folder of Syzygy tables, which decide positions of few men before the engine is asked
    #[arg(long, value_name = "FOLDER", help_heading = "Engine")]
    pub(crate) syzygy: Option<PathBuf>,
}
