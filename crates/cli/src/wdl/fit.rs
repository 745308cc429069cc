//! `centipawn wdl fit`.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::wdl::{Counts, Fit as Model, Plots};
use centipawn_pgn::{Merge as _, Source};
use clap::Args;

use super::{model::ModelArgs, report::Fitted};
use crate::{
    args::Shared,
    exit::usage,
    output::{Output, refuse_collisions},
};

/// Arguments of `centipawn wdl fit`.
#[derive(Args)]
pub(crate) struct Fit {
    /// Files of counts, of `wdl count` or WDL_model's JSON; - is standard input
    #[arg(required = true, value_name = "COUNTS")]
    counts: Vec<PathBuf>,
    /// Write the curve to a file that --curve takes
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw data and model: .svg, .png or .html; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
    /// Fit each file by itself and compare the models
    #[arg(long, conflicts_with_all = ["output", "plot"])]
    each: bool,
    /// Stop where WDL_model's scoreWDL.py stops, with its defaults
    #[arg(long)]
    compat: bool,
    #[command(flatten)]
    model: ModelArgs,
}

pub(super) fn run(args: &Fit, _: &Shared) -> Result<ExitCode> {
    let options = args.model.options(args.compat)?;
    let results: Vec<&Path> = args.output.iter().chain(&args.plot).map(PathBuf::as_path).collect();
    refuse_collisions(&results, &args.counts)?;
    let forms: Vec<_> = args.plot.iter().map(|path| PlotForm::of(path)).collect::<Result<_>>()?;
    let all: Vec<(String, Counts)> = args.counts.iter().map(|path| read(path)).collect::<Result<_>>()?;
    if args.each {
        return compare(args, &all, &options);
    }
    let counts = all.into_iter().map(|(_, counts)| counts).reduce(|mut sum, counts| {
        sum.merge(counts);
        sum
    });
    let counts = counts.unwrap_or_default();
    let fitted = Fitted { fit: Model::new(&counts, &options)?, uncertainty: None, held_out: None };
    if let Some(path) = &args.output {
        write(path, curve_file(&fitted)?.as_bytes())?;
    }
    if !args.plot.is_empty() {
        let plots = Plots::new(&counts, &fitted.fit, None);
        for (path, form) in args.plot.iter().zip(forms) {
            write(path, &form.draw(&plots))?;
        }
    }
    let text = if args.json { format!("{:#}\n", fitted.json()) } else { fitted.text() };
    io::stdout().write_all(text.as_bytes()).context("cannot print")?;
    Ok(ExitCode::SUCCESS)
}

/// Models of several engines or versions beside each other.
fn compare(args: &Fit, all: &[(String, Counts)], options: &centipawn_calibrate::wdl::FitOptions) -> Result<ExitCode> {
    let mut documents = Vec::new();
    let mut text = format!(
        "{:<32}{:>14}{:>10}{:>10}{:>10}{:>12}\n",
        "counts", "positions", "pawn", "spread", "draws", "objective"
    );
    for (name, counts) in all {
        let fit = Model::new(counts, options).with_context(|| name.clone())?;
        let positions: f64 = fit.retained.iter().sum();
        text += &format!(
            "{:<32}{positions:>14}{:>10.2}{:>10.2}{:>10.4}{:>12}\n",
            crate::text::shortened(name, 31),
            fit.normalize_to_pawn_value(),
            fit.spread(),
            fit.draw_rate(),
            fit.objective.map_or_else(|| "-".to_owned(), |(_, after)| format!("{after:.6}")),
        );
        let mut document = Fitted { fit, uncertainty: None, held_out: None }.json();
        document["counts"] = name.clone().into();
        documents.push(document);
    }
    let text = if args.json { format!("{:#}\n", serde_json::Value::from(documents)) } else { text };
    io::stdout().write_all(text.as_bytes()).context("cannot print")?;
    Ok(ExitCode::SUCCESS)
}

/// The curve file of a model that can be kept as one.
pub(super) fn curve_file(fitted: &Fitted) -> Result<String> {
    fitted
        .curve_file()
        .ok_or_else(|| usage("a curve file has cubics by material or move: leave out --shape and --by both"))
}

/// The error names the file and the reason by itself; its source would be said twice.
pub(super) fn open(path: &Path) -> Result<Source> {
    Source::open(path).map_err(|error| anyhow!("{error}"))
}

/// Counts of a file, with its name.
pub(super) fn read(path: &Path) -> Result<(String, Counts)> {
    let source = open(path)?;
    let name = source.name().to_owned();
    let counts = Counts::read(source).with_context(|| name.clone())?;
    Ok((name, counts))
}

/// Writes a file, whole or not at all.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut out = Output::create(path)?;
    out.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))?;
    out.finish()
}

/// How plots are kept.
#[derive(Clone, Copy)]
pub(super) enum PlotForm {
    Svg,
    Png,
    Html,
}

impl PlotForm {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            Some("html" | "htm") => Ok(Self::Html),
            _ => Err(usage(format!("{}: plots are .svg, .png or .html", path.display()))),
        }
    }

    /// The file's content.
    pub(super) fn draw(self, plots: &Plots) -> Vec<u8> {
        match self {
            Self::Svg => plots.svg().into_bytes(),
            Self::Png => plots.png(),
            Self::Html => plots.html().into_bytes(),
        }
    }
}
