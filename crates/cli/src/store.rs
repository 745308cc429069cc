//! `centipawn store`: what is kept, out of it and into it.

use std::{fs, io::Write as _, path::PathBuf};

use anyhow::{Context as _, Result};
use centipawn_store::Store;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{kept::StoreArg, text::plural};

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
    /// How much is kept, by engine
    #[command(after_help = "\
Examples:
  centipawn store stats
  centipawn store stats --json")]
    Stats {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Write all evaluations to a file, as Parquet or CSV by its ending
    #[command(after_help = "\
Examples:
  centipawn store export evaluations.parquet
  centipawn store export evaluations.csv")]
    Export {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Read evaluations from files that export wrote
    #[command(after_help = "\
Examples:
  centipawn store export evaluations.csv
  centipawn store import evaluations.csv --store copy.db")]
    Import {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Give back room, and order the rest anew
    #[command(after_help = "\
Examples:
  centipawn store vacuum")]
    Vacuum,
}

/// Runs the command.
pub(crate) fn run(args: &StoreCommand) -> Result<()> {
    // A slip in the name must not leave an empty store behind.
    let store = args.store.open_or_fail(matches!(args.action, Action::Import { .. }))?;
    let text = match &args.action {
        Action::Stats { json } => stats(&store, *json)?,
        Action::Export { file } => format!("{} written\n", plural(export(&store, file)?, "evaluation")),
        Action::Import { files } => {
            let before = store.stats()?.evaluations();
            let mut read = 0;
            for file in files {
                read += store.import(file)?;
            }
            let new = store.stats()?.evaluations().saturating_sub(before);
            format!("{} read, {new} of them new\n", plural(read, "evaluation"))
        }
        Action::Vacuum => {
            let (before, after) = store.vacuum()?;
            format!("{} before, {} now\n", size(before), size(after))
        }
    };
    anstream::stdout().write_all(text.as_bytes()).context("cannot print")
}

/// The file appears whole or not at all.
fn export(store: &Store, file: &PathBuf) -> Result<u64> {
    let mut partial = file.clone().into_os_string();
    partial.push(".partial");
    // What the ending says must stay the ending.
    let mut partial = PathBuf::from(partial);
    if let Some(ending) = file.extension() {
        partial.set_extension(format!("partial.{}", ending.to_string_lossy()));
    }
    let result = store.export(&partial);
    let done = match result {
        Ok(count) => {
            fs::rename(&partial, file).map(|()| count).with_context(|| format!("cannot write {}", file.display()))
        }
        Err(error) => Err(error.into()),
    };
    if done.is_err() {
        let _ = fs::remove_file(&partial);
    }
    done
}

fn stats(store: &Store, json: bool) -> Result<String> {
    let stats = store.stats()?;
    let place = store.place().to_string();
    if json {
        let engines: Vec<_> = stats
            .engines
            .iter()
            .map(|(who, count)| {
                json!({ "name": who.name, "author": who.author, "options": who.options, "evaluations": count })
            })
            .collect();
        let document = json!({
            "store": place, "evaluations": stats.evaluations(), "games": stats.games, "reviews": stats.reviews,
            "bytes": stats.bytes, "engines": engines,
        });
        return Ok(format!("{document:#}\n"));
    }
    let mut text = format!("{place}: {}, {}\n", plural(stats.evaluations(), "evaluation"), size(stats.bytes));
    if stats.games > 0 {
        text += &format!("{}, {}\n", plural(stats.games, "game"), plural(stats.reviews, "review"));
    }
    for (who, count) in &stats.engines {
        text += &format!("{count:>12}  {}\n", who.with_options());
    }
    Ok(text)
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
