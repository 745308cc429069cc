//! `centipawn store`: statistics, export, import, copies and deletion of what is kept.

use std::{
    fs,
    io::{self, BufRead as _, IsTerminal as _, Read as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, Result};
use centipawn_pgn::Source;
use centipawn_printer as printer;
use centipawn_progress::{Cancel, Outcome};
use centipawn_review::rooms::DeleteWish;
use centipawn_store::{Store, TableFormat, check_table};
use centipawn_work::library::{Library, LibraryExport, LibraryFormat, is_library};
use clap::{Args, Subcommand, ValueEnum};

use crate::{
    exit::usage,
    player,
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
    /// Write everything to a file, if its name ends in .jsonl, .jsonl.gz or .jsonl.zst: games,
    /// reviews, puzzles, attempts and evaluations; or only the evaluations, as Parquet if the name
    /// ends in .parquet, else as CSV
    #[command(after_help = "\
Examples:
  centipawn store export me.jsonl.gz
  centipawn store export me.jsonl.gz --without evaluations
  centipawn store export evaluations.parquet
  centipawn store export evaluations.csv")]
    Export {
        /// The output file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Leave the evaluations of positions out: a smaller file, but further reviews search again
        #[arg(long, value_name = "WHAT")]
        without: Option<Without>,
    },
    /// Read files that `store export` wrote into this store; what it has already is kept
    #[command(after_help = "\
Examples:
  centipawn store export me.jsonl.gz
  centipawn store import me.jsonl.gz --store copy.db
  centipawn store export evaluations.csv
  centipawn store import evaluations.csv --store copy.db")]
    Import {
        /// The files to read
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Delete games with their reviews, puzzles and attempts; evaluations stay
    #[command(after_help = "\
Examples:
  centipawn store delete --game 17
  centipawn store delete --batch 3
  centipawn store delete --player 'Anna Muster' --yes")]
    Delete {
        #[command(flatten)]
        which: DeleteArgs,
        /// Delete without asking
        #[arg(long)]
        yes: bool,
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

/// What an export leaves out.
#[derive(Clone, Copy, ValueEnum)]
enum Without {
    Evaluations,
}

/// Which games to delete.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct DeleteArgs {
    /// The game with this number, as in the page's address; may be given several times
    #[arg(long, value_name = "NUMBER")]
    game: Vec<i64>,
    /// The games of this batch that are in no other batch, and the batch
    #[arg(long, value_name = "NUMBER")]
    batch: Option<i64>,
    /// All games of this player: the whole name as in the tags, in upper or lower case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
}

impl DeleteArgs {
    fn wish(&self) -> Result<DeleteWish> {
        Ok(match (self.batch, player::named(self.player.as_deref())?) {
            (Some(batch), _) => DeleteWish::Batch(batch),
            (None, Some(player)) => DeleteWish::Player(player.to_owned()),
            (None, None) => DeleteWish::Games(self.game.clone()),
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &StoreCommand, session: &Session) -> Result<ExitCode> {
    // Check the files first, and create no store to read from: a mistyped name would leave an empty
    // store.
    let purpose = match args.action {
        Action::Stats { .. } | Action::Export { .. } | Action::Backup { .. } => Use::Read,
        Action::Import { .. } => Use::Import,
        Action::Vacuum => Use::Vacuum,
        Action::Delete { .. } => Use::Delete,
    };
    let mut libraries = Vec::new();
    if let Action::Import { files } = &args.action {
        for file in files {
            let is_library = begins_as_library(file, session.cancel()?)?;
            if !is_library {
                check_table(file)?;
            }
            libraries.push(is_library);
        }
    }
    if let Action::Export {
        file,
        without: Some(_),
    } = &args.action
        && LibraryFormat::of(file).is_none()
    {
        return Err(usage(
            "--without is for files with everything, whose names end in .jsonl, .jsonl.gz or \
             .jsonl.zst",
        ));
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
        Action::Export { file, without } => match LibraryFormat::of(file) {
            Some(format) => export_library(store, file, format, without.is_none(), session),
            None => export_table(&store, file, session),
        },
        Action::Import { files } => {
            let cancel = session.cancel()?;
            let before = store.stats()?.evaluations;
            let store = Arc::new(store);
            let mut all = Outcome::default();
            let mut tables = 0;
            for (file, is_library) in files.iter().zip(libraries) {
                if is_library {
                    all = all.and(import_library(&store, file, session)?);
                } else {
                    let read = store.import(file, cancel, &**session.reporter())?;
                    tables += read.done;
                    all = all.and(read);
                }
            }
            if tables > 0 || all.done == 0 {
                let new = store.stats()?.evaluations.saturating_sub(before);
                session.print(&format!(
                    "{} read, {new} of them new\n",
                    plural(tables, "evaluation")
                ))?;
            }
            Ok(session.exit(all, "object", "read"))
        }
        Action::Delete { which, yes } => delete(store, &which.wish()?, *yes, session),
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

fn export_table(store: &Store, file: &Path, session: &Session) -> Result<ExitCode> {
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

fn export_library(
    store: Store,
    file: &Path,
    format: LibraryFormat,
    evaluations: bool,
    session: &Session,
) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let mut out = store.files().create(file, cancel)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let export = LibraryExport {
        format,
        evaluations,
        now: now.map_or(0, |time| time.as_secs().cast_signed()),
    };
    let library = Library::new(Arc::new(store));
    let counts = library.export(&mut out, export, cancel, &**session.reporter())?;
    let outcome = Outcome {
        done: counts.sum(),
        skipped: 0,
        cancelled: cancel.is_set(),
    };
    // A part of the data must not look like all of it, and must not replace an earlier file.
    if !outcome.cancelled {
        session.place(out)?;
        session.print(&format!("{} written\n", printer::library_counts(&counts)))?;
    }
    Ok(session.exit(outcome, "object", "written"))
}

/// Returns whether a file begins as a library file. A pipe can be read only once, so it is a table.
fn begins_as_library(file: &Path, cancel: &Cancel) -> Result<bool> {
    if !fs::metadata(file).is_ok_and(|about| about.is_file()) {
        return Ok(false);
    }
    let mut begin = Vec::new();
    let read = Source::open_until(file, cancel)?
        .take(200)
        .read_to_end(&mut begin);
    // A table that is damaged has its own message.
    Ok(read.is_ok() && is_library(&begin))
}

fn import_library(store: &Arc<Store>, file: &Path, session: &Session) -> Result<Outcome> {
    let cancel = session.cancel()?;
    let source = Source::open_until(file, cancel)?;
    let library = Library::new(Arc::clone(store));
    let name = file.display().to_string();
    let imported = library.import(&name, source, cancel, &**session.reporter())?;
    session.print(&printer::imported_library(&imported))?;
    Ok(Outcome {
        done: imported.read.sum(),
        skipped: imported.skipped,
        cancelled: cancel.is_set(),
    })
}

fn delete(store: Store, wish: &DeleteWish, yes: bool, session: &Session) -> Result<ExitCode> {
    let library = Library::new(Arc::new(store));
    let plan = library.plan_deletion(wish)?;
    let counts = printer::deleted(&plan.counts);
    if !yes {
        if !io::stdin().is_terminal() {
            return Err(usage(format!(
                "this would delete {counts}; give --yes as well, because there is no terminal to ask at"
            )));
        }
        session.print(&format!("Delete {counts}? Type yes: "))?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        if answer.trim() != "yes" {
            session.print("Nothing is deleted.\n")?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let deleted = library.delete(&plan)?;
    session.print(&format!("{} deleted\n", printer::deleted(&deleted)))?;
    Ok(ExitCode::SUCCESS)
}
