//! `centipawn policy fit-rating`: the model that rates puzzles.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Result;
use centipawn_policy::{Kernel, Network};
use centipawn_printer as printer;
use centipawn_progress::Files;
use centipawn_puzzle::rating::FittedRating;
use centipawn_work::{Run, engine::fit_rating};
use clap::Args;

use crate::{args::JobsArg, exit, session::Session, text::plural};

/// Arguments of `centipawn policy fit-rating`.
#[derive(Args)]
pub(crate) struct FitRating {
    /// File of puzzles in Lichess' CSV format
    #[arg(value_name = "CSV")]
    puzzles: PathBuf,
    /// Puzzles drawn at random, to which a second step adjusts the estimates: typical puzzles are
    /// seldom very easy or very hard
    #[arg(long, value_name = "CSV")]
    natural: Option<PathBuf>,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// More puzzles on which errors are measured; puzzles used for the fit are left out
    #[arg(long, value_name = "CSV")]
    check: Vec<PathBuf>,
    /// Fit the model that rates puzzles without policy networks, from the solution's moves alone
    #[arg(long)]
    no_policy: bool,
    #[command(flatten)]
    jobs: JobsArg,
}

/// Runs the command. The report goes to standard error, the model to `--output`.
pub(crate) fn run(args: &FitRating, session: &Session) -> Result<ExitCode> {
    let read_paths = std::iter::once(&args.puzzles)
        .chain(&args.natural)
        .chain(&args.check);
    let mut files = Files::reading(read_paths);
    files.reserve(&args.output)?;
    let networks = if args.no_policy {
        Vec::new()
    } else {
        vec![Network::find(Network::BUNDLED, Kernel::best())?]
    };
    let run = Run {
        threads: args.jobs.given(),
        ..Run::new(session.cancel()?, session.reporter())
    };
    let FittedRating {
        model,
        tables,
        skipped,
    } = fit_rating(
        &args.puzzles,
        args.natural.as_deref(),
        &args.check,
        &networks,
        run,
    )?;
    let tables: Vec<String> = tables.iter().map(printer::rating_errors).collect();
    session.note(tables.join("\n").trim_end_matches('\n'));
    let mut out = centipawn_progress::AtomicFile::create(&args.output, session.cancel()?)?;
    serde_json::to_writer_pretty(&mut out, &model)?;
    out.write_all(b"\n")?;
    session.place(out)?;
    Ok(if skipped == 0 {
        ExitCode::SUCCESS
    } else {
        session
            .reporter()
            .note(&format!("{} left out", plural(skipped, "puzzle")));
        exit::SKIPPED.into()
    })
}
