//! `centipawn balance`: the win-draw balance of engines, from their games.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, anyhow};
use centipawn_calibrate::{
    PlotForm,
    balance::{BalanceOptions, Bootstrap, By, GameName},
};
use centipawn_pgn::Dialect;
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Files};
use centipawn_work::{BalanceChoice, BalanceCurveError, BalanceError, BalanceRunOptions, BalanceScan, balance};
use clap::{Args, ValueEnum};

use crate::{
    args::{PartialArg, SeedArg},
    exit::usage,
    pgn::ScanArgs,
    session::Session,
};

/// Arguments of `centipawn balance`.
#[derive(Args)]
pub(crate) struct Balance {
    #[command(flatten)]
    scan: ScanArgs,
    #[command(flatten)]
    part: PartialArg,
    /// How to group games: event (an engine in an event), engine, year, opponent, elo
    #[arg(long, value_name = "WHAT", default_value = "event")]
    by: By,
    /// Use only players whose name contains NAME
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// List the games that were not won, the highest evaluation first
    #[arg(long)]
    list: bool,
    /// Count these games as drawn, whatever their result: a number or round (17, 4.1), optionally with the event ('Season
    /// 9:17'); separate several by commas
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    not_won: Vec<GameName>,
    /// Leave these games out
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    exclude: Vec<GameName>,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands (lichess, chessbase, scid),
    /// engine (cutechess, fastchess, fishtest, openbench), tcec, text (annotator, chess-artist)
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    /// Number of bootstrap resamples for the intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    resamples: u16,
    #[command(flatten)]
    seed: SeedArg,
    /// Print one JSON document
    #[arg(long, conflicts_with = "partial")]
    json: bool,
    /// Write the relevance curve with this balance to a file for --curve; requires a single balance
    #[arg(short, long, value_name = "FILE", conflicts_with = "partial")]
    output: Option<PathBuf>,
    /// Which estimate of the balance the curve uses
    #[arg(long, value_enum, default_value_t, requires = "output")]
    estimate: Which,
    /// Plot the games behind each balance and the scores by evaluation (.svg or .png)
    #[arg(long, value_name = "FILE", conflicts_with = "partial")]
    plot: Option<PathBuf>,
}

/// `--estimate`.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Which {
    /// The article's method: if n games are won, the nth highest evaluation among games not won
    #[default]
    Counting,
    /// Maximum likelihood over all positions
    Fitted,
}

/// Runs the command.
pub(crate) fn run(args: &Balance, session: &Session) -> Result<ExitCode> {
    let form = args.plot.as_deref().map(|path| PlotForm::of(path, false)).transpose();
    let form = form.map_err(|error| usage(error.to_string()))?;
    let mut files = Files::reading(&args.scan.games);
    args.output.iter().chain(&args.plot).try_for_each(|path| files.reserve(path))?;
    let cancel = session.cancel()?;
    let inputs = args.scan.inputs(&args.part, args.json || args.output.is_some());
    let finished = balance(&args.options(), inputs, args.scan.run(session, cancel)).map_err(refusal)?;
    let Some(balances) = finished.result else { return Ok(session.status(finished.outcome)) };
    if let (Some(path), Some(form)) = (&args.plot, form) {
        session.report_kept(AtomicFile::write_whole(path, &balances.plot(form), cancel)?);
    }
    if let Some(path) = &args.output {
        let file = balances.curve_file(args.estimate.into()).map_err(no_curve)?;
        session.report_kept(AtomicFile::write_whole(path, file.json().as_bytes(), cancel)?);
    }
    session.print(&if args.json { balances.json() } else { printer::balances(&balances) })?;
    Ok(session.status(finished.outcome))
}

impl Balance {
    fn options(&self) -> BalanceRunOptions {
        let options = BalanceOptions {
            by: self.by,
            not_won: self.not_won.clone(),
            exclude: self.exclude.clone(),
            list: self.list || self.plot.is_some(),
        };
        BalanceRunOptions {
            shard: self.scan.shard,
            count: BalanceScan { evals: self.evals, options },
            bootstrap: Bootstrap { resamples: self.resamples.into(), seed: self.seed.seed },
            player: self.player.clone(),
            list: self.list,
        }
    }
}

impl From<Which> for BalanceChoice {
    fn from(which: Which) -> Self {
        match which {
            Which::Counting => Self::Counting,
            Which::Fitted => Self::Fitted,
        }
    }
}

fn refusal(error: BalanceError) -> anyhow::Error {
    match error {
        BalanceError::NoPlayer(_) => usage(error.to_string()),
        BalanceError::NoEvals { .. } => anyhow!("{error}; see --evals"),
        error => error.into(),
    }
}

fn no_curve(error: BalanceCurveError) -> anyhow::Error {
    match error {
        BalanceCurveError::Several(_) => {
            usage(format!("{error}; choose one with --player, or count together with --by engine"))
        }
        BalanceCurveError::NoCounting(_) => anyhow!("{error}; --estimate fitted needs only results"),
        error => error.into(),
    }
}
