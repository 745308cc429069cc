//! `centipawn wdl`: win/draw/loss models, from games to a curve.

mod count;
mod fit;
mod games;
mod merge;
mod model;
mod run;
mod show;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::session::Session;

/// `centipawn wdl …`.
#[derive(Subcommand)]
pub(crate) enum Wdl {
    /// Count evaluated positions by result, move, material and evaluation
    #[command(after_help = "\
Examples:
  centipawn wdl count examples/selfplay.pgn.gz -o counts.wdl
  centipawn wdl count examples/selfplay.pgn.gz --compat > counts.json
  centipawn wdl count examples/*.gz --bin 1 --match-engine 'Stockfish.*' -o bin1.wdl")]
    Count(count::Count),
    /// Fit a model to counts
    #[command(after_help = "\
Examples:
  centipawn wdl fit examples/selfplay.wdl
  centipawn wdl fit examples/selfplay.wdl --normalize 361 -o curve.json --plot plots.html
  centipawn wdl fit examples/selfplay.wdl --method score --by move --json")]
    Fit(fit::Fit),
    /// Count, fit and plot in one pass over the games, with errors
    #[command(after_help = "\
Examples:
  centipawn wdl run examples/selfplay.pgn.gz --out model
  centipawn wdl run examples/selfplay.pgn.gz --from 15.1 --shape spline --out spline")]
    Run(run::Run),
    /// Add up files of counts
    #[command(after_help = "\
Examples:
  centipawn wdl merge examples/selfplay.wdl examples/selfplay.wdl -o twice.wdl
  centipawn wdl merge examples/selfplay.wdl --format stockfish > counts.json")]
    Merge(merge::MergeFiles),
    /// Print win, draw and loss probabilities of an evaluation under a model
    #[command(after_help = "\
Examples:
  centipawn wdl show stockfish --eval 1.20 --material 40
  centipawn wdl show stockfish-15.1 --eval -0.35 --move 60 --json")]
    Show(show::Show),
}

/// Runs the command.
pub(crate) fn run(wdl: &Wdl, session: &Session) -> Result<ExitCode> {
    match wdl {
        Wdl::Count(args) => count::run(args, session),
        Wdl::Fit(args) => fit::run(args, session),
        Wdl::Run(args) => run::run(args, session),
        Wdl::Merge(args) => merge::run(args, session),
        Wdl::Show(args) => show::run(args, session),
    }
}
