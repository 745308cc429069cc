//! `centipawn store`: statistics, export and import of cached evaluations.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use centipawn_progress::Outcome;
use centipawn_store::{StoreStats, TableFormat};
use clap::{Args, Subcommand};

use crate::{
    session::Session,
    store_arg::{StoreArg, Use},
    text::plural,
};

/// Arguments of `centipawn store`.
#[derive(Args)]
pub(crate) struct StoreCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    store: StoreArg,
}

#[derive(Subcommand)]
enum Action {
    /// Count the stored evaluations, by engine
    #[command(after_help = "\
Examples:
  centipawn store stats
  centipawn store stats --json")]
    Stats {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Write all evaluations to a file, as Parquet or CSV by its extension
    #[command(after_help = "\
Examples:
  centipawn store export evaluations.parquet
  centipawn store export evaluations.csv")]
    Export {
        /// The output file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Read evaluations from files that `store export` wrote
    #[command(after_help = "\
Examples:
  centipawn store export evaluations.csv
  centipawn store import evaluations.csv --store copy.db")]
    Import {
        /// The files to read
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Reclaim disk space
    #[command(after_help = "\
Examples:
  centipawn store vacuum")]
    Vacuum,
}

/// Runs the command.
pub(crate) fn run(args: &StoreCommand, session: &Session) -> Result<ExitCode> {
    // A mistyped name must not create an empty store.
    let purpose = match args.action {
        Action::Stats { .. } | Action::Export { .. } => Use::Read,
        Action::Import { .. } => Use::Import,
        Action::Vacuum => Use::Vacuum,
    };
    let store = args.store.open_or_fail(purpose, session.reporter().clone())?;
    match &args.action {
        Action::Stats { json } => {
            let stats = store.stats()?;
            let text = if *json { format!("{}\n", serde_json::to_string_pretty(&stats)?) } else { text(&stats) };
            session.print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Action::Export { file } => {
            let cancel = session.cancel()?;
            let mut out = store.files().create(file)?;
            let outcome = store.export(&mut out, TableFormat::of(file), cancel, &**session.reporter())?;
            let is_printed = out.is_standard_output();
            session.place(out)?;
            if !is_printed {
                session.print(&format!("{} written\n", plural(outcome.done, "evaluation")))?;
            }
            Ok(session.exit(outcome, "evaluation", "written"))
        }
        Action::Import { files } => {
            let cancel = session.cancel()?;
            let before = store.stats()?.evaluations;
            let mut all = Outcome::default();
            for file in files {
                all = all.and(store.import(file, cancel, &**session.reporter())?);
            }
            let new = store.stats()?.evaluations.saturating_sub(before);
            session.print(&format!("{} read, {new} of them new\n", plural(all.done, "evaluation")))?;
            Ok(session.exit(all, "evaluation", "read"))
        }
        Action::Vacuum => {
            let cancel = session.cancel()?;
            let (before, after) = store.vacuum(cancel)?;
            session.print(&format!("{} before, {} now\n", size(before), size(after)))?;
            Ok(session.exit(Outcome { done: 1, skipped: 0, cancelled: cancel.is_set() }, "store", "reduced"))
        }
    }
}

fn text(stats: &StoreStats) -> String {
    let mut text = format!("{}: {}, {}\n", stats.store, plural(stats.evaluations, "evaluation"), size(stats.bytes));
    if stats.games > 0 {
        text += &format!("{}, {}\n", plural(stats.games, "game"), plural(stats.reviews, "review"));
    }
    for engine in &stats.engines {
        text += &format!("{:>12}  {}\n", engine.evaluations, engine.identity.with_options());
    }
    text
}

/// `12.3 MB`.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
