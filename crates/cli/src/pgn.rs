//! `centipawn pgn`: statistics of files of games, lists of their errors, and clean copies.

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, Result};
use centipawn_pgn::{Dialect, ScanOptions, ScanReport, Shard, Sources, Unreadable, check, clean};
use centipawn_printer as printer;
use centipawn_progress::{Cancel, Files, Outcome, Placed, ProblemCount};
use centipawn_work::{
    Finished, Inputs, Run,
    scan::{StatsRunOptions, StatsScan, count_stats},
    table::{PlyExport, PlyExportOptions, export_plies},
};
use clap::{Args, Subcommand};

use crate::{
    args::{JobsArg, PartialArg, ShardArg},
    session::Session,
    text::{plural, printable},
};

/// `centipawn pgn …`.
#[derive(Subcommand)]
pub(crate) enum Pgn {
    /// Count games, results, players, events, openings, evaluations and errors
    #[command(after_help = "\
Examples:
  centipawn pgn stats examples
  centipawn pgn stats examples/*.pgn --json")]
    Stats(StatsArgs),
    /// Write games and their plies as Parquet, for SQL queries (DuckDB, Spark, Polars)
    #[command(after_help = "\
Examples:
  centipawn pgn export examples -o plies
  centipawn pgn export examples/selfplay.pgn.gz -o half --fen --shard 1/2")]
    Export(Export),
    /// List the errors in games, with file and line
    #[command(after_help = "\
Examples:
  centipawn pgn check examples/*.pgn
  centipawn pgn check examples --json")]
    Check(Check),
    /// Write a copy of all readable games, as UTF-8 in uniform formatting, otherwise unchanged
    #[command(after_help = "\
Examples:
  centipawn pgn clean examples -o clean.pgn
  cat examples/*.pgn | centipawn pgn clean - > clean.pgn")]
    Clean(Clean),
}

/// Which games are scanned, and how.
#[derive(Args)]
pub(crate) struct ScanArgs {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    pub(crate) games: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) jobs: JobsArg,
    /// Read only the Ith of N equal parts, to divide the work among machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    pub(crate) shard: Shard,
    /// Stop at the first game or file that cannot be read
    #[arg(long)]
    pub(crate) strict: bool,
}

/// Arguments of `centipawn pgn stats`.
#[derive(Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    scan: ScanArgs,
    #[command(flatten)]
    part: PartialArg,
    /// Print everything as one JSON document
    #[arg(long, conflicts_with = "partial")]
    json: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
}

/// Arguments of `centipawn pgn export`.
#[derive(Args)]
pub(crate) struct Export {
    #[command(flatten)]
    scan: ScanArgs,
    /// Folder for games-1.parquet and plies-1.parquet, created if necessary; with --shard I/N the
    /// names contain I instead of 1
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Add the position before each move
    #[arg(long)]
    fen: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
}

/// Arguments of `centipawn pgn check`.
#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    scan: ScanArgs,
    /// Print each problem as a JSON document on one line
    #[arg(long)]
    json: bool,
}

/// Arguments of `centipawn pgn clean`.
#[derive(Args)]
pub(crate) struct Clean {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    part: ShardArg,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Runs the command.
pub(crate) fn run(pgn: &Pgn, session: &Session) -> Result<ExitCode> {
    match pgn {
        Pgn::Stats(args) => run_stats(args, session),
        Pgn::Export(args) => run_export(args, session),
        Pgn::Check(args) => run_check(args, session),
        Pgn::Clean(args) => run_clean(args, session),
    }
}

impl ScanArgs {
    /// Returns the scan's options, with the session's reporter.
    pub(crate) fn options<'a>(&self, session: &'a Session, cancel: &'a Cancel) -> ScanOptions<'a> {
        ScanOptions {
            threads: self.jobs.given(),
            shard: self.shard,
            strict: self.strict,
            reporter: Some(session.reporter()),
            cancel: Some(cancel),
            ..ScanOptions::default()
        }
    }

    pub(crate) fn run<'a>(&self, session: &'a Session, cancel: &'a Cancel) -> Run<'a> {
        Run {
            threads: self.jobs.given(),
            strict: self.strict,
            ..Run::new(cancel, session.reporter())
        }
    }

    pub(crate) fn inputs<'a>(&'a self, part: &'a PartialArg, is_hashed: bool) -> Inputs<'a> {
        Inputs {
            games: &self.games,
            partial: part.partial.as_deref(),
            is_hashed,
        }
    }
}

fn run_stats(args: &StatsArgs, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let options = StatsRunOptions {
        shard: args.scan.shard,
        count: StatsScan { evals: args.evals },
    };
    // `stats` only counts errors by kind; `check` lists them.
    let Finished { result, outcome } = count_stats(
        &options,
        args.scan.inputs(&args.part, args.json),
        args.scan.run(session, cancel),
    )?;
    match result {
        Some(stats) => {
            session.answer(args.json, || stats.json(), || printer::game_stats(&stats))?;
        }
        // A part prints no result until it is merged, so without this note the exit status would
        // have no visible reason.
        None if outcome.skipped > 0 && !outcome.cancelled => {
            let problems = plural(outcome.skipped, "problem");
            session.reporter().note(&format!(
                "{problems}; `centipawn pgn check` lists those of games"
            ));
        }
        None => {}
    }
    Ok(session.status(outcome))
}

fn run_export(args: &Export, session: &Session) -> Result<ExitCode> {
    let (
        cancel,
        Export {
            scan,
            fen,
            evals,
            output,
        },
    ) = (session.cancel()?, args);
    let options = PlyExportOptions {
        shard: scan.shard,
        evals: *evals,
        fen: *fen,
    };
    let scan = scan.options(session, cancel);
    let PlyExport {
        files,
        outcome,
        plies,
        written,
        kept,
    } = export_plies(
        &args.scan.games,
        output,
        &options,
        &scan,
        session.reporter(),
    )?;
    kept.into_iter()
        .for_each(|path| session.report_kept(Placed::Kept(path)));
    if written {
        let names = files
            .each_ref()
            .map(|path| path.display().to_string())
            .join(", ");
        session.note(&format!(
            "{} of {}: {names}",
            plural(plies, "ply").replace("plys", "plies"),
            plural(outcome.done, "game")
        ));
    }
    Ok(session.status_of_files(outcome))
}

fn run_check(args: &Check, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let problems = ProblemCount::new(session.reporter());
    let sources = Sources::expand_reporting(&args.scan.games, &problems);
    let failed: Mutex<Result<()>> = Mutex::new(Ok(()));
    let on_unreadable = |unreadable: &Unreadable| {
        let line = match args.json {
            true => serde_json::to_string(&unreadable.document()).unwrap_or_default(),
            false => printable(&unreadable.to_string()),
        };
        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_ok() {
            *failed = session.print(&(line + "\n"));
        }
    };
    let scan = ScanOptions {
        on_unreadable: Some(&on_unreadable),
        ..args.scan.options(session, cancel)
    };
    let report = check(&sources, &scan)?;
    failed
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)?;
    session.note(&printer::check_summary(&report));
    Ok(session.status(outcome(&report, problems.errors())))
}

/// Returns the outcome for files and games; a file without a readable game also counts as done.
fn outcome(report: &ScanReport, missing: u64) -> Outcome {
    let Outcome {
        done,
        skipped,
        cancelled,
    } = report.outcome();
    Outcome {
        done: done.max(report.sources),
        skipped: skipped + missing,
        cancelled,
    }
}

fn run_clean(args: &Clean, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let problems = ProblemCount::new(session.reporter());
    let sources = Sources::expand_reporting(&args.games, &problems).divided(args.part.shard);
    let missing = problems.errors();
    let mut out = Files::reading(sources.paths()).create(&args.output, session.cancel()?)?;
    // Report games that are left out, and parts of other games that became comments.
    let report = clean(&sources, &mut out, cancel, |unreadable| {
        session.reporter().note(&printable(&unreadable.to_string()));
    });
    let report = report.context("cannot write the games")?;
    // Do not replace an earlier file by the incomplete copy of a cancelled run.
    if report.games > 0 && !report.cancelled {
        session.place(out)?;
    }
    if report.bad_games() > 0 && !report.cancelled {
        session.reporter().note(&format!(
            "{} written, {} left out",
            plural(report.games, "game"),
            report.bad_games()
        ));
    }
    Ok(session.status_of_files(outcome(&report, missing)))
}
