//! `centipawn puzzles rate`: how strong must one be?

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use centipawn_policy::{LineError, Network, RatingModel, find_network};
use centipawn_puzzle::{Puzzle, Writer};
use clap::Args;

use super::{Count, FilesArgs};
use crate::{args::Shared, games::Problems};

/// Arguments of `centipawn puzzles rate`.
#[derive(Args)]
pub(crate) struct Rate {
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    by: RateBy,
    /// Also those that have a rating already
    #[arg(long)]
    all: bool,
}

/// By what puzzles are rated.
#[derive(Args, Clone, Copy)]
pub(crate) struct RateBy {
    /// Rate by the moves alone, without the policy networks maia-1100, maia-1500 and maia-1900
    #[arg(long, help_heading = "Policy")]
    no_policy: bool,
}

/// Estimates ratings on Lichess' scale.
pub(crate) struct Rater {
    networks: Vec<Network>,
    model: &'static RatingModel,
}

impl Rater {
    /// The best there is: with the three networks where they are found.
    pub(crate) fn open(by: RateBy, problems: &Problems) -> Self {
        let plain = Self { networks: Vec::new(), model: RatingModel::plain() };
        if by.no_policy {
            return plain;
        }
        let open = |name: &&str| -> Result<Network> { Ok(Network::open(find_network(name)?)?) };
        match RatingModel::NETWORKS.iter().map(open).collect::<Result<_>>() {
            Ok(networks) => Self { networks, model: RatingModel::bundled() },
            Err(error) => {
                problems.warning(format_args!(
                    "ratings are estimated from the moves alone, and are less certain: {error:#}"
                ));
                plain
            }
        }
    }

    /// Gives a puzzle an estimate with its interval.
    pub(crate) fn rate(&self, puzzle: &mut Puzzle) -> Result<(), LineError> {
        /// Half of an interval that holds eight in ten, in standard deviations.
        const HALF_OF_80: f64 = 1.2816;
        let networks: Vec<&Network> = self.networks.iter().collect();
        let line: Vec<_> = puzzle.solution.line().collect();
        let features = RatingModel::features(&networks, &puzzle.shown(), &line)?;
        if let Some(rating) = self.model.rate(&features) {
            let whole = |number: f64| number.round().max(0.0) as u32;
            puzzle.rating = Some(whole(rating.rating));
            puzzle.rating_interval = Some([whole(rating.low), whole(rating.high)]);
            puzzle.deviation = Some(whole((rating.high - rating.low) / (2.0 * HALF_OF_80)));
        }
        Ok(())
    }
}

pub(super) fn run(args: &Rate, shared: &Shared) -> Result<ExitCode> {
    let problems = Problems::new(|line| anstream::eprintln!("{line}"));
    let rater = Rater::open(args.by, &problems);
    let mut out = Writer::new(args.files.create()?, args.files.format());
    let mut count = args.files.read(|mut puzzle| {
        // An estimate is no rating that players made.
        if (args.all || puzzle.rating.is_none() || puzzle.rating_interval.is_some())
            && let Err(error) = rater.rate(&mut puzzle)
        {
            problems.error(format_args!("puzzle {}: {error}", puzzle.id));
        }
        out.write(&puzzle).context("cannot write the puzzles")
    })?;
    count.problems += problems.count();
    let out = out.finish().context("cannot write the puzzles")?;
    if count.read > 0 {
        out.finish()?;
    }
    Ok(Count::status(&count, shared, "rated"))
}
