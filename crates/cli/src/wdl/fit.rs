//! `centipawn wdl fit`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use centipawn_calibrate::{PlotForm, wdl::CompareError};
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Files, Outcome, Problem, Reporter as _};
use centipawn_work::{
    Run,
    scan::{KnownCounts, KnownCountsError, WdlFitOptions, fit_each},
};
use clap::Args;

use super::{
    code::CodeArgs,
    model::{ErrorArgs, ModelArgs},
};
use crate::{exit::usage, session::Session};

/// Arguments of `centipawn wdl fit`.
#[derive(Args)]
pub(crate) struct Fit {
    /// Files of counts, from `wdl count` or in WDL_model's JSON; - is standard input
    #[arg(required = true, value_name = "COUNTS")]
    counts: Vec<PathBuf>,
    /// Write the curve to a file for --curve
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Plot data and model: .svg, .png or .html; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
    /// Fit each file separately and compare the models
    #[arg(long, conflicts_with_all = ["output", "plot"])]
    each: bool,
    /// End the fit under the same conditions as WDL_model's scoreWDL.py, and use the defaults of
    /// that script
    #[arg(long)]
    compat: bool,
    #[command(flatten)]
    errors: ErrorArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    code: CodeArgs,
}

pub(super) fn run(args: &Fit, session: &Session) -> Result<ExitCode> {
    let options = WdlFitOptions {
        fit: args.model.options(args.compat)?,
        resampling: args.errors.options(),
    };
    let mut files = Files::reading(&args.counts);
    files.also_reads(args.model.given_model());
    args.output
        .iter()
        .chain(&args.plot)
        .try_for_each(|path| files.reserve(path))?;
    let forms: Vec<_> = args
        .plot
        .iter()
        .map(|path| PlotForm::of(path, true))
        .collect::<Result<_, _>>()
        .map_err(|error| usage(error.to_string()))?;
    let code = args.code.files(&options.fit, &mut files)?;
    if args.each && !code.is_empty() {
        return Err(usage("--code is for one model: leave out --each"));
    }
    let cancel = session.cancel()?;
    let work = Run::new(cancel, session.reporter());
    let done = Outcome {
        done: args.counts.len() as u64,
        ..Outcome::default()
    };
    if args.each {
        let models = fit_each(&args.counts, &options, work)?;
        match args.json {
            true => session.print(&models.json())?,
            false => {
                let comparison = models.comparison(cancel).map_err(no_comparison)?;
                session.print_words(&printer::model_comparison(&comparison))?;
            }
        }
        return Ok(session.status(done));
    }
    let counts = KnownCounts::read(&args.counts, cancel).map_err(|error| match error {
        KnownCountsError::Sum(error) => usage(error.to_string()),
        error => error.into(),
    })?;
    let fitted = counts.fit(&options, work)?;
    if let Some(path) = &args.output {
        let (file, warning) = fitted.curve_file().ok_or_else(|| {
            usage("a curve file has cubics by material or move: leave out --shape and --by both")
        })?;
        if let Some(text) = warning {
            session
                .reporter()
                .problem(&Problem::warning(text).of(path.display().to_string()));
        }
        session.report_kept(AtomicFile::write_whole(
            path,
            file.json().as_bytes(),
            cancel,
        )?);
    }
    for (path, form) in args.plot.iter().zip(forms) {
        session.report_kept(AtomicFile::write_whole(
            path,
            &fitted.plot(&counts, form),
            cancel,
        )?);
    }
    code.write(&fitted.report, session)?;
    session.answer(args.json, || fitted.json(), || fitted.report.text())?;
    Ok(session.status(done))
}

/// Models without a common argument are a usage error, because the user chose them.
fn no_comparison(error: CompareError) -> anyhow::Error {
    match error {
        CompareError::Cancelled(_) => error.into(),
        error => usage(error.to_string()),
    }
}
