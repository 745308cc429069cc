//! `centipawn wdl run`: from games to a curve with everything about it, in one pass.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::wdl::{By, CountsFormat, Fit, HeldOut, Method, Plots, Replicas, Uncertainty};
use clap::Args;

use super::{
    fit::{PlotForm, write},
    games::GamesArgs,
    model::ModelArgs,
    report::Fitted,
};
use crate::args::Shared;

/// Arguments of `centipawn wdl run`.
#[derive(Args)]
pub(crate) struct Run {
    /// The folder for results, made if it is not there: curve.json, fit.json, model.txt, plots, counts
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// How often games are drawn again for standard errors; 0: no errors
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(0..=1000))]
    draws: u16,
    /// Parts of the games to test models on that were fitted to the others; 0: no test
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = parse_folds)]
    folds: u16,
    #[command(flatten)]
    games: GamesArgs,
    #[command(flatten)]
    model: ModelArgs,
}

fn parse_folds(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(folds @ (0 | 2..=50)) => Ok(folds),
        _ => Err("folds are 2 to 50, or 0 for none".to_owned()),
    }
}

pub(super) fn run(args: &Run, shared: &Shared) -> Result<ExitCode> {
    let options = args.model.options(args.games.compat)?;
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    let wanted = args.draws > 0 || args.folds > 0;
    let replicas =
        if wanted { Replicas::new(options.selection, usize::from(args.draws), usize::from(args.folds)) } else { None };
    let done = args.games.count(shared, replicas.as_ref())?;
    if !shared.quiet && !done.missing {
        anstream::eprintln!("{}", done.summary());
    }
    if let Some(why) = done.nothing() {
        return Err(anyhow!(why));
    }
    let counts = &done.counted.counts;
    let at = |name: &str| args.out.join(name);
    let mut packed = Vec::new();
    counts.write(CountsFormat::Compact, &mut packed)?;
    // First of all: to count may have taken long.
    write(&at("counts.wdl"), &packed)?;
    let fit = Fit::new(counts, &options)
        .with_context(|| format!("counted ({} can be fitted otherwise), but", at("counts.wdl").display()))?;
    let (uncertainty, held_out) = match &replicas {
        Some(replicas) => (
            (args.draws > 0).then(|| Uncertainty::new(&fit, replicas)).flatten(),
            (args.folds > 0 && options.method != Method::Density).then(|| HeldOut::new(&fit, replicas)).flatten(),
        ),
        None => (None, None),
    };
    if wanted && options.selection.by == By::Both && !shared.quiet {
        anstream::eprintln!("No errors for a model by material and move: there are too many of both.");
    }
    let plots = Plots::new(counts, &fit, uncertainty.as_ref());
    let fitted = Fitted { fit, uncertainty, held_out };
    let text = fitted.text();
    write(&at("fit.json"), format!("{:#}\n", fitted.json()).as_bytes())?;
    write(&at("model.txt"), text.as_bytes())?;
    match fitted.curve_file() {
        Some(curve) => write(&at("curve.json"), curve.as_bytes())?,
        // One of an earlier run would be taken for this model's.
        None if at("curve.json").exists() => {
            fs::remove_file(at("curve.json")).context("cannot remove the curve.json of an earlier run")?;
        }
        None => {}
    }
    for (name, form) in [("plots.svg", PlotForm::Svg), ("plots.png", PlotForm::Png), ("plots.html", PlotForm::Html)] {
        write(&at(name), &form.draw(&plots))?;
    }
    if !shared.quiet {
        print!("{text}");
        let curve = if fitted.curve().is_some() { "curve.json (for --curve), " } else { "" };
        anstream::eprintln!(
            "\nIn {}: model.txt, {curve}fit.json, counts.wdl, plots.svg, plots.png, plots.html",
            args.out.display()
        );
    }
    Ok(done.status())
}
