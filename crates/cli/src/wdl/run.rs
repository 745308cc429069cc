//! `centipawn wdl run`: from games to a curve with its report, in one pass.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::wdl::{By, ResampleOptions};
use centipawn_progress::{Outcome, Placed};
use centipawn_work::{WdlRun, wdl_run};
use clap::Args;

use super::{games::GamesArgs, model::ModelArgs};
use crate::{args::SeedArg, session::Session};

/// Arguments of `centipawn wdl run`.
#[derive(Args)]
pub(crate) struct Run {
    /// Folder for results, created if necessary: curve.json, fit.json, model.txt, plots, counts
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Number of bootstrap resamples for standard errors; 0 for no errors
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(0..=1000))]
    resamples: u16,
    #[command(flatten)]
    seed: SeedArg,
    /// Number of parts of the games for a held-out test: each part is predicted by a model of the others; 0 for no test
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

pub(super) fn run(args: &Run, session: &Session) -> Result<ExitCode> {
    let fit = args.model.options(args.games.compat)?;
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    let is_wanted = args.resamples > 0 || args.folds > 0;
    let resamples = is_wanted.then_some(ResampleOptions {
        selection: fit.selection,
        resamples: args.resamples.into(),
        folds: args.folds.into(),
        seed: args.seed.seed,
    });
    let cancel = session.cancel()?;
    let (games, provenance) = args.games.count_for(session, resamples, fit)?;
    if !games.selected.missing {
        session.note(&games.summary());
    }
    if let Some(why) = games.nothing().filter(|_| !games.scan.cancelled) {
        return Err(anyhow!(why));
    }
    let fitted = match wdl_run(&args.out, &games, &fit, &provenance, cancel, session.reporter())? {
        WdlRun::Written(fitted) => fitted,
        WdlRun::Cancelled(kept) => {
            kept.into_iter().for_each(|path| session.tell_kept(Placed::Kept(path)));
            return Ok(session.status(Outcome { cancelled: true, ..games.outcome() }));
        }
    };
    if is_wanted && fit.selection.by == By::Both {
        session.note("No errors for a model by material and move: there are too many of both.");
    }
    if !session.quiet {
        session.print(&fitted.text())?;
        let curve = if fitted.curve().is_some() { "curve.json (for --curve), " } else { "" };
        session.note(&format!(
            "\nIn {}: model.txt, {curve}fit.json, counts.wdl, plots.svg, plots.png, plots.html",
            args.out.display()
        ));
    }
    Ok(session.status(games.outcome()))
}
