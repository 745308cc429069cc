//! `centipawn wdl compare`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, anyhow};
use centipawn_calibrate::PlotForm;
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Files};
use centipawn_work::{
    Run,
    scan::{WdlCompareOptions, compare_models},
};
use clap::Args;

use super::model::{CubicArgs, ErrorArgs, UnitsArgs};
use crate::{exit::usage, session::Session};

/// Arguments of `centipawn wdl compare`.
#[derive(Args)]
pub(crate) struct Compare {
    /// The current model, then other models: Stockfish versions (18), curve files, folders of `wdl
    /// run`, Stockfish's src/uci.cpp, or files of counts, to which models are fitted
    #[arg(required = true, num_args = 2.., value_name = "MODEL")]
    models: Vec<String>,
    /// File of counts on which the models are tested [default: the file of counts among the models,
    /// if there is exactly one]
    #[arg(long, value_name = "COUNTS")]
    on: Option<String>,
    /// Draw all models in one plot: .svg or .png; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    errors: ErrorArgs,
    #[command(flatten)]
    model: CubicArgs,
    #[command(flatten)]
    units: UnitsArgs,
}

pub(super) fn run(args: &Compare, session: &Session) -> Result<ExitCode> {
    let fit = args.model.options(args.units.units(false)?, false)?;
    let forms = args.plot.iter().map(|path| PlotForm::of(path, false));
    let forms: Vec<_> = forms
        .collect::<Result<_, _>>()
        .map_err(|error| usage(error.to_string()))?;
    let inputs: Vec<PathBuf> = args
        .models
        .iter()
        .chain(&args.on)
        .map(PathBuf::from)
        .collect();
    let mut files = Files::reading(&inputs);
    args.plot.iter().try_for_each(|path| files.reserve(path))?;
    let options = WdlCompareOptions {
        models: args.models.clone(),
        on: args.on.clone(),
        units: args.units.are_given().then_some(fit.selection.units),
        fit,
        resampling: args.errors.options(),
    };
    let cancel = session.cancel()?;
    let compared =
        compare_models(&options, Run::new(cancel, session.reporter())).map_err(|error| {
            if error.is_usage() {
                usage(error.to_string())
            } else {
                anyhow!(error)
            }
        })?;
    for (path, form) in args.plot.iter().zip(forms) {
        session.report_kept(AtomicFile::write_whole(
            path,
            &compared.plot.draw(form),
            cancel,
        )?);
    }
    session.answer(
        args.json,
        || compared.json(),
        || printer::model_comparison(&compared.comparison),
    )?;
    Ok(ExitCode::SUCCESS)
}
