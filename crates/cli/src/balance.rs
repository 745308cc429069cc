//! `centipawn balance`: the win-draw balance of engines, from their games.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, anyhow};
use centipawn_calibrate::{
    CurveFile, PlotForm,
    balance::{BalanceDocument, BalanceEstimate, BalanceOptions, BalancePlot, Bootstrap, By, GameName, balance_text},
    document,
};
use centipawn_core::Curve;
use centipawn_pgn::Dialect;
use centipawn_progress::{AtomicFile, Files, Outcome, Provenance};
use centipawn_work::{BalanceRunOptions, BalanceScan, Gathered, InputHashes, count_matches};
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
    /// Only players whose name contains NAME
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// List the games not won, highest evaluation first
    #[arg(long)]
    list: bool,
    /// Count these games as drawn, whatever their result: a number or round (17, 4.1), optionally with the event ('Season
    /// 9:17'); separate several by commas
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    not_won: Vec<GameName>,
    /// Leave these games out
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    exclude: Vec<GameName>,
    /// Dialect of the evaluations, if auto detection fails
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
    /// Estimate to use for the curve
    #[arg(long, value_enum, default_value_t, requires = "output")]
    estimate: Which,
    /// Plot the games behind each balance and the scores by evaluation (.svg or .png)
    #[arg(long, value_name = "FILE", conflicts_with = "partial")]
    plot: Option<PathBuf>,
}

/// `--estimate`.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Which {
    /// The article's: with n games won, the nth highest evaluation of a game not won
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
    let mut options = args.options();
    let request = args.scan.request("balance", &args.part, args.json || args.output.is_some());
    let counted = count_matches(&request, &options.count, &args.scan.options(session, cancel), session.reporter())?;
    let outcome = counted.outcome();
    if counted.is_part {
        return Ok(session.status(outcome));
    }
    if let Some(why) = counted.nothing() {
        return Err(anyhow!(why));
    }
    counted.report_left_out(session.reporter());
    let Gathered { state: matches, hashes, .. } = counted;
    options.count = counted.options;
    let mut rows = matches.rows(options.bootstrap, cancel, session.reporter())?;
    if let Some(part) = &args.player {
        let part = part.to_lowercase();
        rows.retain(|row| row.key.engine.as_ref().is_some_and(|engine| engine.to_lowercase().contains(&part)));
        if rows.is_empty() {
            return Err(usage(format!("no player's name contains {part:?}")));
        }
    }
    let of = |hashes: InputHashes| Provenance::of("balance", &options).inputs(hashes.finish(cancel));
    let provenance = hashes.map(of).map(|provenance| provenance.seed(options.bootstrap.seed));
    if let (Some(path), Some(form)) = (&args.plot, form) {
        session.tell_kept(AtomicFile::write_whole(path, &BalancePlot::new(&rows).draw(form), cancel)?);
    }
    if let Some(path) = &args.output {
        let file = CurveFile { curve: args.curve(&rows)?, provenance: provenance.clone() };
        session.tell_kept(AtomicFile::write_whole(path, file.json().as_bytes(), cancel)?);
    }
    let warnings = matches.warnings();
    let text = match args.json {
        true => document(&BalanceDocument::new(&rows, args.list, provenance).with_warnings(warnings)),
        false => {
            warnings.iter().map(|own| format!("Warning: {own}\n")).collect::<String>() + &balance_text(&rows, args.list)
        }
    };
    session.print(&text)?;
    Ok(session.status(Outcome { done: rows.len() as u64, ..outcome }))
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
        }
    }

    /// The curve of the single balance.
    fn curve(&self, rows: &[BalanceEstimate]) -> Result<Curve> {
        let [row] = rows else {
            return Err(usage(format!(
                "a curve has one balance, and these games have {}; choose one with --player, or count together with --by engine",
                rows.len()
            )));
        };
        let balance = match self.estimate {
            Which::Counting => row.pawns().ok_or_else(|| {
                let why = row.reason().unwrap_or("it is not above 0");
                anyhow!("there is no counting estimate: {why}; --estimate fitted needs only results")
            })?,
            Which::Fitted => {
                row.fitted
                    .as_ref()
                    .ok_or_else(|| anyhow!("no balance between 0.1 and 10 pawns fits the results"))?
                    .balance
            }
        };
        Ok(Curve::Relevance { balance })
    }
}
