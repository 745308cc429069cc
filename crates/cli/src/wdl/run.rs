//! `centipawn wdl run`: from games to a curve with its report, in one pass.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Result, anyhow};
use centipawn_calibrate::wdl::FenCounters;
use centipawn_progress::{Outcome, Placed, make_folder};
use centipawn_work::scan::{WdlRun, WdlRunOptions, wdl_run};
use clap::Args;

use super::{
    code::{CodeArgs, CodeFiles},
    games::GamesArgs,
    model::{ErrorArgs, ModelArgs},
};
use crate::{exit::usage, session::Session};

/// Arguments of `centipawn wdl run`.
#[derive(Args)]
pub(crate) struct Run {
    /// Folder for results, created if necessary: curve.json, fit.json, model.txt, plots, counts
    #[arg(
        short,
        long,
        value_name = "DIR",
        required_unless_present = "partial",
        conflicts_with = "partial"
    )]
    out: Option<PathBuf>,
    #[command(flatten)]
    errors: ErrorArgs,
    #[command(flatten)]
    games: GamesArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    code: CodeArgs,
}

pub(super) fn run(args: &Run, session: &Session) -> Result<ExitCode> {
    let fit = args.model.options(args.games.compat)?;
    let filter = args.games.filter();
    let mut options = args
        .games
        .options(&filter, fit, args.errors.options(), session.cancel()?)?;
    if let Some(engine) = args.code.engine()? {
        if filter.selects_engine() {
            return Err(usage(
                "--engine-name and --match-engine both choose evaluations: give one of them",
            ));
        }
        options.0.count.options.engine = Some(engine);
    }
    let mut files = args.games.reading();
    files.also_reads(args.model.given_model());
    let code = args.code.files(&options.0.fit, &mut files)?;
    count_and_fit(&args.games, args.out.as_deref(), &options, &code, session)
}

/// Counts games, fits a model, writes results into a folder and prints the report; without a folder
/// a part is written.
pub(super) fn count_and_fit(
    args: &GamesArgs,
    out: Option<&Path>,
    options: &(WdlRunOptions, Option<FenCounters>),
    code: &CodeFiles<'_>,
    session: &Session,
) -> Result<ExitCode> {
    if let Some(out) = out {
        make_folder(out)?;
    }
    let games = args.count_for(session, options)?;
    let Some(out) = out else {
        return Ok(args.wrote(&games, session));
    };
    if !games.selected.missing {
        session.note(&games.summary());
    }
    if let Some(why) = games.nothing().filter(|_| !games.scan.cancelled) {
        return Err(anyhow!(why));
    }
    let outcome = games.outcome();
    let (report, update) = match wdl_run(out, games, &options.0, args.run(session)?)? {
        WdlRun::Written { report, update } => (report, update),
        WdlRun::Cancelled(kept) => {
            kept.into_iter()
                .for_each(|path| session.report_kept(Placed::Kept(path)));
            return Ok(session.status(Outcome {
                cancelled: true,
                ..outcome
            }));
        }
    };
    code.write(&report, session)?;
    let verdict = update
        .as_ref()
        .map(|update| format!("\n{}", update.text()))
        .unwrap_or_default();
    session.print_words(&(report.text() + &verdict))?;
    let curve = if report.curve().is_some() {
        "curve.json (for --curve), "
    } else {
        ""
    };
    let update = if update.is_some() {
        "update.json, "
    } else {
        ""
    };
    session.note(&format!(
        "\nIn {}: model.txt, {curve}{update}fit.json, counts.wdl, plots.svg, plots.png, plots.html",
        out.display()
    ));
    Ok(session.status(outcome))
}
