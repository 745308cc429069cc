//! `centipawn puzzles rate`: estimated ratings of puzzles.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use centipawn_pgn::Shard;
use centipawn_progress::ProblemCount;
use centipawn_puzzle::{
    Writer,
    rating::{RateOptions, Rater},
};
use centipawn_work::engine::{Threads, rate_puzzles, read_puzzles};
use clap::Args;

use super::FilesArgs;
use crate::session::Session;

/// Arguments of `centipawn puzzles rate`.
#[derive(Args)]
pub(crate) struct Rate {
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    by: RateBy,
    /// Also rate puzzles that already have a rating
    #[arg(long)]
    all: bool,
    /// Rate and write only every Nth puzzle, beginning with the Ith, to divide the work among
    /// machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
}

/// What ratings are based on.
#[derive(Args, Clone, Copy)]
pub(crate) struct RateBy {
    /// Rate by the moves alone, without the policy network in the program; ratings are then less
    /// certain
    #[arg(long, help_heading = "Policy")]
    no_policy: bool,
}

impl RateBy {
    pub(super) fn options(self, all: bool) -> RateOptions {
        RateOptions {
            all,
            policy: !self.no_policy,
        }
    }
}

pub(super) fn run(args: &Rate, session: &Session) -> Result<ExitCode> {
    let options = args.by.options(args.all);
    let stop = session.cancel()?.child();
    let problems = ProblemCount::new(&**session.reporter());
    let rater = Rater::open(options, &problems);
    let mut out = Writer::new(args.files.create(session.cancel()?)?, args.files.format());
    let puzzles = (0..).zip(read_puzzles(&args.files.puzzles, None, &stop, &problems));
    let puzzles = puzzles
        .filter(|(index, _)| args.shard.takes(*index))
        .map(|(_, puzzle)| puzzle);
    let mut written = Ok(());
    let mut outcome = rate_puzzles(
        puzzles,
        &options,
        &rater,
        &Threads::of(None),
        &stop,
        &problems,
        |puzzle| {
            if written.is_ok() {
                written = out.write(puzzle).inspect_err(|_| stop.set());
            }
        },
    );
    written.context("cannot write the puzzles")?;
    outcome.skipped = problems.errors();
    args.files.finish(out, outcome, session, "rated")
}
