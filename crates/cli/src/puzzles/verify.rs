//! `centipawn puzzles verify`: whether the solutions of puzzles stand.

use std::{io::Write as _, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result};
use centipawn_printer as printer;
use centipawn_progress::{Files, Input, ProblemCount};
use centipawn_puzzle::VerifyOptions;
use centipawn_work::engine::{
    Threads, VerifiedPuzzle, VerifyResources, read_claims, verify_puzzles,
};
use clap::Args;

use crate::{
    args::{CurveArgs, EngineArgs, TablesArg},
    exit,
    session::Session,
    store_arg::StoreArg,
};

/// Arguments of `centipawn puzzles verify`.
#[derive(Args)]
pub(crate) struct Verify {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2) or of test suites (.epd,
    /// with `bm`); - is standard input
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Read only the first N puzzles or positions of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Print one JSON document per line
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    curve: CurveArgs,
}

pub(super) fn run(args: &Verify, session: &Session) -> Result<ExitCode> {
    let options = VerifyOptions {
        limit: args.engine.limit(),
        curve: args.curve.curve(session.cancel()?)?,
    };
    let stop = session.cancel()?.child();
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let opened = args
        .store
        .resources(&stop, Arc::<ProblemCount<_>>::clone(&problems))?;
    let mut files = Files::reading(&args.puzzles);
    args.store.protect(&mut files)?;
    let mut out = files.create(&args.output, session.cancel()?)?;
    let analyst = super::analyst(&opened, &args.engine, &args.tables)?;
    let inputs = if args.json {
        Input::of_all(&args.puzzles)
    } else {
        Vec::new()
    };
    let resources = VerifyResources {
        analyst: &*analyst,
        inputs: &inputs,
    };
    let claims = read_claims(&args.puzzles, args.first, &stop, &problems);
    let mut written = Ok(());
    let each = |verified: &VerifiedPuzzle| {
        if written.is_ok() {
            written = line(verified, args.json)
                .and_then(|line| {
                    session
                        .reporter()
                        .suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))
                })
                .inspect_err(|_| stop.set());
        }
    };
    let finished = verify_puzzles(
        claims,
        &options,
        resources,
        &Threads::of(Some(&*analyst)),
        &stop,
        &problems,
        each,
    );
    written.context("cannot write the result")?;
    let (summary, mut outcome) = finished?;
    outcome.skipped = problems.errors();
    if summary.puzzles > 0 {
        session.place(out)?;
    }
    session.note(&printer::verify_summary(&summary));
    let status = session.exit(outcome, "puzzle", "verified");
    Ok(
        if outcome.is_whole() && summary.standing < summary.puzzles {
            exit::SKIPPED.into()
        } else {
            status
        },
    )
}

fn line(verified: &VerifiedPuzzle, is_json: bool) -> std::io::Result<String> {
    if is_json {
        Ok(serde_json::to_string(&verified.document())?)
    } else {
        Ok(printer::verified_puzzle(verified))
    }
}
