//! `centipawn wdl fit`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::{
    CurveFile, PlotForm, document,
    wdl::{Candidate, Counts, FitOptions, FitReport, ModelComparison, Plots},
};
use centipawn_core::Curve;
use centipawn_pgn::Source;
use centipawn_progress::{AtomicFile, Files, Input, Outcome, Problem, Provenance, Reporter as _};
use centipawn_work::{CountsSum, read_counts};
use clap::Args;

use super::model::{ErrorArgs, ModelArgs};
use crate::{exit::usage, merge::add_counts, session::Session};

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
    /// Stop where WDL_model's scoreWDL.py stops, and use its defaults
    #[arg(long)]
    compat: bool,
    #[command(flatten)]
    errors: ErrorArgs,
    #[command(flatten)]
    model: ModelArgs,
}

pub(super) fn run(args: &Fit, session: &Session) -> Result<ExitCode> {
    let options = args.model.options(args.compat)?;
    let mut files = Files::reading(&args.counts);
    args.output.iter().chain(&args.plot).try_for_each(|path| files.reserve(path))?;
    let forms: Vec<_> = args
        .plot
        .iter()
        .map(|path| PlotForm::of(path, true))
        .collect::<Result<_, _>>()
        .map_err(|error| usage(error.to_string()))?;
    let cancel = session.cancel()?;
    let all: Vec<(String, Counts)> = args.counts.iter().map(|path| read_counts(path)).collect::<Result<_, _>>()?;
    if args.each {
        return compare(args, &all, &options, session);
    }
    let files = all.len() as u64;
    let mut sum = CountsSum::default();
    for ((name, counts), path) in all.into_iter().zip(&args.counts) {
        add_counts(&mut sum, (&name, path), counts)?;
    }
    let counts = sum.finish();
    let fitted = FitReport::new(&counts, &options, args.errors.options(), cancel, session.reporter())?;
    let has_document = args.json || args.output.is_some() || forms.contains(&PlotForm::Html);
    let provenance = has_document.then(|| {
        let provenance = Provenance::of("wdl fit", &options).inputs(Input::of_all(&args.counts));
        counts.identified(provenance.seed(args.errors.options().seed))
    });
    if let Some(path) = &args.output {
        let file = curve_file(&fitted, provenance.clone())?;
        let range = |curve: &Curve| if let Curve::Wdl(model) = curve { model.range } else { [0.0; 2] };
        let narrowed = fitted.curve().is_some_and(|curve| curve != file.curve);
        let warning = match file.curve.check() {
            Err(error) => {
                Some(format!("the fitted curve cannot be used, and is refused where its file is read: {error}"))
            }
            Ok(()) if narrowed => {
                let [least, most] = range(&file.curve);
                Some(format!("its range is {least} to {most}: beyond, a or b of the model is not above 0"))
            }
            Ok(()) => None,
        };
        if let Some(text) = warning {
            session.reporter().problem(&Problem::warning(text).of(path.display().to_string()));
        }
        session.tell_kept(AtomicFile::write_whole(path, file.json().as_bytes(), cancel)?);
    }
    if !args.plot.is_empty() {
        let plots = Plots::new(&counts, &fitted, None, None);
        for (path, form) in args.plot.iter().zip(forms) {
            session.tell_kept(AtomicFile::write_whole(path, &plots.draw(form, provenance.as_ref()), cancel)?);
        }
    }
    session.print(&if args.json { document(&fitted.document(provenance)) } else { fitted.text() })?;
    Ok(session.status(Outcome { done: files, ..Outcome::default() }))
}

/// Compares the models of several engines or versions.
fn compare(args: &Fit, all: &[(String, Counts)], options: &FitOptions, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let (mut documents, mut candidates) = (Vec::new(), Vec::new());
    for ((name, counts), path) in all.iter().zip(&args.counts) {
        let fitted = FitReport::new(counts, options, args.errors.options(), cancel, session.reporter());
        let fitted = fitted.with_context(|| name.clone())?;
        if args.json {
            let provenance = Provenance::of("wdl fit", options).inputs(Input::of_all(&[path]));
            let mut document = fitted.document(Some(counts.identified(provenance)));
            document.counts = Some(name.clone());
            documents.push(document);
        } else {
            candidates.push(Candidate::fitted(name, &fitted, false).map_err(|error| usage(error.to_string()))?);
        }
    }
    let text = match args.json {
        true => document(&documents),
        false => ModelComparison::new(&candidates, None, cancel)?.text(),
    };
    session.print(&text)?;
    Ok(session.status(Outcome { done: all.len() as u64, ..Outcome::default() }))
}

/// The curve file of a model; an error if the model is not a curve.
fn curve_file(fitted: &FitReport, provenance: Option<Provenance>) -> Result<CurveFile> {
    fitted
        .curve_file(provenance)
        .ok_or_else(|| usage("a curve file has cubics by material or move: leave out --shape and --by both"))
}

/// The error contains the file and the reason; adding its source would repeat both.
pub(super) fn open(path: &Path) -> Result<Source> {
    Source::open(path).map_err(|error| anyhow!("{error}"))
}
