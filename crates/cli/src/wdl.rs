//! `centipawn wdl`: win/draw/loss models, from games to a curve.

mod code;
mod compare;
mod count;
mod fit;
mod games;
mod human;
mod model;
mod run;
mod show;
mod update;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

pub(crate) use count::OutputArgs;

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
  centipawn wdl fit examples/selfplay.wdl --method score --by move --json
  centipawn wdl fit examples/selfplay.wdl --code wdl.rs --code wdl.h")]
    Fit(fit::Fit),
    /// Count, fit and plot in one pass over the games, with standard errors
    #[command(after_help = "\
Examples:
  centipawn wdl run examples/selfplay.pgn.gz --out model
  centipawn wdl run examples/selfplay.pgn.gz --from 15.1 --shape spline --out spline
  centipawn wdl run examples/selfplay.pgn.gz --engine-name 'Stockfish 15.1' --code sf.hpp --out sf")]
    Run(run::Run),
    /// Count the games of a range of Stockfish revisions, fit a model, and report whether the
    /// engine's constants should change
    #[command(after_help = "\
Unless other filters are given, only these tests count: time control 60+0.6, one thread, a book
UHO_Lichess_4852_v?.epd, engines less than 5 normalised Elo apart. An empty text (--match-book '')
removes a filter.

Examples:
  centipawn wdl update --stockfish ~/Stockfish --out week pgns
  centipawn wdl update --stockfish ~/Stockfish --first sf_18 --match-tc '' --out all pgns")]
    Update(update::Update),
    /// Compare models: their constants, their log loss on the same games, and where they differ
    /// most
    #[command(after_help = "\
Examples:
  centipawn wdl compare 18 19
  centipawn wdl compare 15.1 examples/selfplay.wdl --plot models.svg
  centipawn wdl compare 17.1 18 --on examples/selfplay.wdl")]
    Compare(compare::Compare),
    /// Print win, draw and loss probabilities of an evaluation under a model
    #[command(after_help = "\
Examples:
  centipawn wdl show stockfish --eval 1.20 --material 40
  centipawn wdl show 18 --eval 0.80
  centipawn wdl show stockfish-15.1 --eval -0.35 --move 60 --json")]
    Show(show::Show),
    /// Fit a human curve: the expected score of an evaluation by rating and time
    ///
    /// GAMES are games between humans with evaluations in their comments, such as Lichess' exports,
    /// or tables of positions (.tsv).
    #[command(after_help = "\
Examples:
  centipawn wdl human examples/people.tsv.zst
  centipawn wdl human examples/people.tsv.zst --out people
  centipawn wdl human examples/people.tsv.zst --per-class 50 --resamples 0 --json
  centipawn wdl human --check examples/people.tsv.zst --curve people/curve.json")]
    Human(human::Human),
}

/// Runs the command.
pub(crate) fn run(wdl: &Wdl, session: &Session) -> Result<ExitCode> {
    match wdl {
        Wdl::Count(args) => count::run(args, session),
        Wdl::Fit(args) => fit::run(args, session),
        Wdl::Run(args) => run::run(args, session),
        Wdl::Update(args) => update::run(args, session),
        Wdl::Compare(args) => compare::run(args, session),
        Wdl::Show(args) => show::run(args, session),
        Wdl::Human(args) => human::run(args, session),
    }
}
