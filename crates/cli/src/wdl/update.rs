//! `centipawn wdl update`: whether Stockfish's constants should change.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use centipawn_calibrate::wdl::{ModelUpdate, Units};
use centipawn_work::scan::{CheckoutError, StockfishRevisions};
use clap::Args;

use super::{
    code::CodeFiles,
    games::GamesArgs,
    model::{CubicArgs, ErrorArgs},
    run::count_and_fit,
};
use crate::{exit::usage, session::Session};

/// Arguments of `centipawn wdl update`.
#[derive(Args)]
pub(crate) struct Update {
    /// A checkout of Stockfish, whose revisions and constants are read with git
    #[arg(long, value_name = "CHECKOUT")]
    stockfish: PathBuf,
    /// First revision whose games count [default: the revision that introduced the current
    /// constants]
    #[arg(long, value_name = "REV")]
    first: Option<String>,
    /// Last revision whose games count
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    last: String,
    /// Recommend no smaller change of NormalizeToPawnValue than N, however certain it is; 4 is
    /// about 1 % of a pawn, and changes a printed evaluation of +1.00 by a centipawn
    #[arg(long, value_name = "N", default_value_t = ModelUpdate::LEAST_CHANGE)]
    least_change: u32,
    /// Folder for results, created if necessary: update.json, curve.json, fit.json, model.txt,
    /// plots, counts
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
    model: CubicArgs,
}

pub(super) fn run(args: &Update, session: &Session) -> Result<ExitCode> {
    let revisions = StockfishRevisions::read(&args.stockfish, args.first.as_deref(), &args.last);
    let revisions = revisions.map_err(|error| match error {
        CheckoutError::Shallow { .. }
        | CheckoutError::Normalization { .. }
        | CheckoutError::NoRevisions { .. } => usage(error.to_string()),
        error => error.into(),
    })?;
    let fit = args
        .model
        .options(Units::of_model(revisions.model), args.games.compat)?;
    let filter = args
        .games
        .filter()
        .of_update()
        .map_err(|error| usage(error.to_string()))?;
    let (options, book) =
        args.games
            .options(&filter, fit, args.errors.options(), session.cancel()?)?;
    let summary = revisions.summary();
    let options = options.of_revisions(revisions, args.least_change)?;
    session.note(&summary);
    count_and_fit(
        &args.games,
        args.out.as_deref(),
        &(options, book),
        &CodeFiles::default(),
        session,
    )
}
