//! `centipawn wdl`: win/draw/loss models, from games to a curve.

mod count;
mod games;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::args::Shared;

/// `centipawn wdl …`.
#[derive(Subcommand)]
pub(crate) enum Wdl {
    /// Count evaluated positions: result, move, material, evaluation
    #[command(after_help = "\
Examples:
  centipawn wdl count examples/engine-match.pgn -o counts.wdl
  centipawn wdl count examples --compat > counts.json
  centipawn wdl count 'examples/*.pgn' --bin 1 --match-engine 'Stockfish.*' -o stockfish.wdl")]
    Count(count::Count),
}

/// Runs the command.
pub(crate) fn run(wdl: &Wdl, shared: &Shared) -> Result<ExitCode> {
    match wdl {
        Wdl::Count(args) => count::run(args, shared),
    }
}
