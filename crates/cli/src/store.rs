//! `centipawn store`: statistics, export and import of cached evaluations.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use centipawn_printer as printer;
use centipawn_progress::Outcome;
use centipawn_store::{TableFormat, check_table};
use clap::{Args, Subcommand};

use crate::{
    exit::usage,
    session::Session,
    store_arg::{StoreArg, Use},
    text::{bytes, plural},
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
    /// Write all evaluations to a file, as Parquet if its name ends in .parquet, else as CSV
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
    /// Copy the whole store to a file, also while the page or another program uses it
    #[command(after_help = "\
Examples:
  centipawn store backup monday.db
  centipawn serve --store monday.db")]
    Backup {
        /// The file of the copy; an earlier one is replaced
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Reclaim disk space
    #[command(after_help = "\
Examples:
  centipawn store vacuum")]
    Vacuum,
}

/// Runs the command.
pub(crate) fn run(args: &StoreCommand, session: &Session) -> Result<ExitCode> {
    // Check the files first, and create no store to read from: a mistyped name would leave an empty
    // store.
    let purpose = match args.action {
        Action::Stats { .. } | Action::Export { .. } | Action::Backup { .. } => Use::Read,
        Action::Import { .. } => Use::Import,
        Action::Vacuum => Use::Vacuum,
    };
    if let Action::Import { files } = &args.action {
        files.iter().try_for_each(|file| check_table(file))?;
    }
    let store = args
        .store
        .open_or_fail(purpose, session.reporter().clone())?;
    match &args.action {
        Action::Stats { json } => {
            let stats = store.stats()?;
            let text = if *json {
                format!("{}\n", serde_json::to_string_pretty(&stats)?)
            } else {
                printer::store(&stats)
            };
            session.print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Action::Export { file } => {
            let cancel = session.cancel()?;
            let mut out = store.files().create(file, cancel)?;
            let outcome = store.export(
                &mut out,
                TableFormat::of(file),
                cancel,
                &**session.reporter(),
            )?;
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
            session.print(&format!(
                "{} read, {new} of them new\n",
                plural(all.done, "evaluation")
            ))?;
            Ok(session.exit(all, "evaluation", "read"))
        }
        Action::Backup { file } => {
            store.files().reserve(file)?;
            // The copy is placed when it is complete, so that an earlier one is never damaged.
            let folder = file
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty());
            let folder = tempfile::tempdir_in(folder.unwrap_or(Path::new(".")))
                .with_context(|| format!("cannot write {}", file.display()))?;
            let copy = folder.path().join("copy.db");
            let Some(size) = store.back_up(&copy)? else {
                return Err(usage(
                    "pg_dump makes backups of a store on PostgreSQL; centipawn store export writes \
                     its evaluations",
                ));
            };
            fs::rename(&copy, file).with_context(|| format!("cannot write {}", file.display()))?;
            session.print(&format!("{} in {}\n", bytes(size), file.display()))?;
            Ok(ExitCode::SUCCESS)
        }
        Action::Vacuum => {
            let cancel = session.cancel()?;
            let (before, after) = store.vacuum(cancel)?;
            session.print(&format!("{} before, {} now\n", bytes(before), bytes(after)))?;
            let cancelled = cancel.is_set();
            Ok(session.exit(
                Outcome {
                    done: u64::from(!cancelled),
                    skipped: 0,
                    cancelled,
                },
                "store",
                "reduced",
            ))
        }
    }
}
