//! `centipawn wdl human`: what an evaluation is worth between people, from their games.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::{
    document,
    human::{HumanCountOptions, HumanFitOptions},
    wdl::ResampleOptions,
};
use centipawn_core::{Pool, WdlModel};
use centipawn_pgn::{Dialect, Shard, TimeControl};
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Cancel, Files, Outcome, Placed, ProblemCount, make_folder};
use centipawn_work::{
    AnalystSpec, Inputs, ResourceError, Run,
    engine::{HumanEvaluation, Threads},
    scan::{
        CollectedHumanGames, HumanRunOptions, HumanScan, check_human_curve,
        collect_evaluated_human_games, collect_human_games, earlier_human_report,
        write_human_report,
    },
};
use clap::Args;

use crate::{
    args::{ClustersName, EngineArgs, LIMITS, PartialArg, named_curve_choice, parse_time, reading},
    exit::usage,
    numbers::whole_number,
    session::Session,
    store_arg::StoreArg,
    wdl::model::ErrorArgs,
};

/// Arguments of `centipawn wdl human`.
#[derive(Args)]
pub(crate) struct Human {
    /// Games between humans (plain, .gz, .zst, .bz2), folders, patterns; tables of positions
    /// (.tsv); - is standard input, which must be games
    #[arg(required_unless_present = "check", value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Instead of fitting a curve, check one on data that it was not fitted to: a table of
    /// published scores (columns cell, weight, rating, seconds, eval_min, eval_max, decay, material, games,
    /// score, error, deep), or a table of positions as --rows writes it
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["games", "shard", "partial", "strict", "out", "time", "games_in", "rows"]
    )]
    check: Option<PathBuf>,
    /// The curve that --check checks: human, another name, or a file that this command wrote
    #[arg(
        long,
        value_name = "NAME|FILE",
        default_value = "human",
        requires = "check"
    )]
    curve: String,
    /// Site or federation of games that name none: lichess, chesscom, fide, fide-online, fics,
    /// unknown [default: unknown; of published scores, lichess]
    #[arg(long, value_name = "NAME")]
    pool: Option<Pool>,
    /// Read only the Ith of N equal parts, to divide the work among machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    #[command(flatten)]
    part: PartialArg,
    /// Stop at the first game or file that cannot be read
    #[arg(long, conflicts_with_all = LIMITS)]
    strict: bool,
    /// Folder for results, created if necessary: curve.json (for --curve), fit.json, model.txt,
    /// plots
    #[arg(short, long, value_name = "DIR", conflicts_with = "partial")]
    out: Option<PathBuf>,
    /// Time control for games that state none, in seconds (7200), or in minutes if under 60 (15+10)
    /// or under 180 with +10 or more (90+30) [default: such games are left out]
    #[arg(long, value_name = "BASE+INCREMENT", value_parser = parse_time)]
    time: Option<TimeControl>,
    /// Pawn unit of the evaluations: stockfish-VERSION, or the number of such pawns that equal one
    /// pawn of Stockfish 15.1
    ///
    /// By default, Lichess' evaluations before 2023 have the unit of an older Stockfish, and all
    /// others that of Stockfish 15.1 or later.
    #[arg(long, value_name = "ENGINE|N", value_parser = parse_units)]
    units: Option<f64>,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t, conflicts_with_all = LIMITS)]
    evals: Dialect,
    /// Folder of the games that a table refers to [default: the folder of the table]
    #[arg(long, value_name = "DIR", conflicts_with_all = LIMITS)]
    games_in: Option<PathBuf>,
    /// Maximum number of games of each class, chosen at random (bullet, blitz, rapid or classical,
    /// in a band of 200 rating points)
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole_number::<u32>(1..))]
    per_class: u32,
    /// What counts as one game in tables: game, which the column game must number, or row, which
    /// also accepts rows without a number
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    clusters: ClustersName,
    #[command(flatten)]
    errors: ErrorArgs,
    /// Write the positions as a table (.tsv) that this command can read again
    #[arg(long, value_name = "FILE", conflicts_with = "partial")]
    rows: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long, conflicts_with = "partial")]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
    /// With --nodes, --depth or --movetime: the engine evaluates every Nth position, even if the
    /// games have evaluations
    #[arg(long, value_name = "N", default_value_t = HumanEvaluation::EVERY as u16, value_parser = whole_number::<u16>(1..), help_heading = "Engine")]
    every: u16,
    #[command(flatten)]
    store: StoreArg,
}

fn parse_units(text: &str) -> Result<f64, String> {
    let model = text
        .strip_prefix("stockfish-")
        .and_then(WdlModel::stockfish);
    let units = model
        .map(|model| model.pawn_units())
        .or_else(|| text.parse().ok());
    units.ok_or_else(|| {
        "units are stockfish-VERSION (a known one, from 12 on), or a number from 0.1 to 10"
            .to_owned()
    })
}

pub(super) fn run(args: &Human, session: &Session) -> Result<ExitCode> {
    let options = args.options()?;
    options
        .count
        .options
        .check()
        .map_err(|error| usage(error.to_string()))?;
    if let Some(path) = &args.check {
        return args.check(path, &options.count.options, session);
    }
    let mut files = reading(&args.games);
    args.store.protect(&mut files)?;
    args.rows.iter().try_for_each(|path| files.reserve(path))?;
    if let Some(folder) = &args.out {
        make_folder(folder)?;
    }
    let cancel = session.cancel()?;
    let work = Run {
        threads: args.engine.given_jobs(),
        strict: args.strict,
        ..Run::new(cancel, session.reporter())
    };
    let collected = match options.evaluate {
        None => {
            let partial = args.part.partial.as_deref();
            let inputs = Inputs {
                games: &args.games,
                partial,
                is_hashed: true,
            };
            collect_human_games(&options, inputs, args.games_in.as_deref(), work)?
        }
        Some(evaluation) => args.evaluate(evaluation, &options, session, cancel)?,
    };
    let outcome = collected.outcome;
    if collected.is_part {
        return Ok(session.status(outcome));
    }
    if outcome.cancelled {
        let earlier = args
            .out
            .as_deref()
            .map(earlier_human_report)
            .unwrap_or_default();
        earlier
            .into_iter()
            .for_each(|path| session.report_kept(Placed::Kept(path)));
        return Ok(session.status(outcome));
    }
    // Write the rows before the fit, which may fail, because an engine may have worked on them for
    // hours.
    if let Some(path) = &args.rows {
        // Protect also the files that the tables refer to.
        Files::reading(&collected.files).reserve(path)?;
        let mut rows = Vec::new();
        collected
            .games
            .write_rows(&mut rows)
            .context("cannot write the table")?;
        session.report_kept(AtomicFile::write_whole(path, &rows, cancel)?);
    }
    let left_out = printer::human_left_out(&collected.games);
    let report = collected.fit(&options, work).map_err(|error| {
        if left_out.is_empty() {
            error.into()
        } else {
            anyhow!("{error}\n{left_out}")
        }
    })?;
    let text = printer::human(&report);
    let kept = match &args.out {
        Some(folder) => write_human_report(folder, &report, &text, cancel)?,
        None => Vec::new(),
    };
    kept.into_iter()
        .for_each(|path| session.report_kept(Placed::Kept(path)));
    if !left_out.is_empty() {
        session.note(&left_out);
    }
    session.answer(args.json, || document(&report), || text)?;
    if let Some(folder) = args.out.as_ref().filter(|_| !cancel.is_set()) {
        let names = "curve.json (for --curve), fit.json, model.txt, plots.svg, plots.png";
        session.note(&format!("\nIn {}: {names}", folder.display()));
    }
    Ok(session.status(Outcome {
        cancelled: cancel.is_set(),
        ..outcome
    }))
}

impl Human {
    fn options(&self) -> Result<HumanRunOptions> {
        let ResampleOptions {
            resamples,
            folds,
            seed,
        } = self.errors.options();
        let options = HumanCountOptions {
            seconds: self.time.map(TimeControl::seconds),
            units: self.units,
            pool: self.pool,
            per_class: self.per_class as usize,
            seed,
            clusters: self.clusters.into(),
            ..HumanCountOptions::default()
        };
        let evaluation = |limit| HumanEvaluation {
            limit,
            every: self.every.into(),
        };
        Ok(HumanRunOptions {
            shard: self.shard,
            count: HumanScan {
                evals: self.evals,
                options,
            },
            evaluate: self.engine.limit_to_evaluate()?.map(evaluation),
            fit: HumanFitOptions { resamples, folds },
        })
    }

    /// Checks a curve on a table.
    fn check(&self, path: &Path, count: &HumanCountOptions, session: &Session) -> Result<ExitCode> {
        let cancel = session.cancel()?;
        let curve = named_curve_choice(&self.curve, cancel)?;
        let run = Run::new(cancel, session.reporter());
        let check = check_human_curve(path, curve, count, run)?;
        session.answer(
            self.json,
            || document(&check),
            || printer::human_check(&check),
        )?;
        Ok(ExitCode::SUCCESS)
    }

    /// The games with evaluations by an engine.
    fn evaluate(
        &self,
        evaluation: HumanEvaluation,
        options: &HumanRunOptions,
        session: &Session,
        cancel: &Cancel,
    ) -> Result<CollectedHumanGames> {
        if self.shard != Shard::ALL || self.part.partial.is_some() {
            return Err(usage(
                "--shard and --partial are for evaluations in the games: those of an engine are in the store",
            ));
        }
        let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
        let resources = self
            .store
            .resources(cancel, Arc::<ProblemCount<_>>::clone(&problems))?;
        let spec = AnalystSpec {
            engine: Some(self.engine.spec()),
            ..AnalystSpec::default()
        };
        let analyst = resources.analyst(&spec)?.ok_or(ResourceError::NoAnalyst)?;
        let crew = Threads::of(Some(&*analyst));
        Ok(collect_evaluated_human_games(
            options,
            evaluation,
            &self.games,
            &*analyst,
            &crew,
            cancel,
            &problems,
        ))
    }
}
