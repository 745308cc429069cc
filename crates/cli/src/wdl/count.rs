//! `centipawn wdl count`.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::wdl::CountsFormat;
use centipawn_progress::{AtomicFile, Cancel, Files, Problem, Reporter as _};
use clap::{Args, ValueEnum};

use super::games::GamesArgs;
use crate::{
    exit::{self, usage},
    session::Session,
};

/// Arguments of `centipawn wdl count`.
#[derive(Args)]
pub(crate) struct Count {
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    games: GamesArgs,
}

/// Output of counts.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Format of the counts [default: compact; with --compat: stockfish]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// `--format`.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    /// A small binary file
    Compact,
    /// WDL_model's JSON
    Stockfish,
}

impl OutputArgs {
    /// Opens the output. Fails if the binary format would go to a terminal, or if the output is one
    /// of `files`, which the command reads.
    pub(crate) fn create(
        &self,
        compat: bool,
        mut files: Files,
        cancel: &Cancel,
    ) -> Result<(AtomicFile, CountsFormat)> {
        let format = match self.format {
            Some(Format::Compact) => CountsFormat::Compact,
            Some(Format::Stockfish) => CountsFormat::Stockfish,
            None if compat => CountsFormat::Stockfish,
            None => CountsFormat::Compact,
        };
        if format == CountsFormat::Compact
            && self.output == Path::new("-")
            && io::stdout().is_terminal()
        {
            return Err(usage(
                "counts are no text: give -o FILE, or --format stockfish for JSON",
            ));
        }
        Ok((files.create(&self.output, cancel)?, format))
    }
}

pub(super) fn run(args: &Count, session: &Session) -> Result<ExitCode> {
    let compat = args.games.compat;
    if args.games.part.partial.is_some() {
        if args.output.output != Path::new("-") {
            return Err(usage(
                "a part is written instead of counts: give --partial or -o, not both",
            ));
        }
        return Ok(args.games.wrote(&args.games.count(session, true)?, session));
    }
    let (mut out, format) = args
        .output
        .create(compat, args.games.reading(), session.cancel()?)?;
    let games = args.games.count(session, format == CountsFormat::Compact)?;
    let nothing = games.nothing();
    let is_missing = games.selected.missing;
    // A small file is not divided: its first part has all games, and the other parts are empty,
    // which is no error.
    let is_empty_part =
        args.games.is_part() && games.scan.games + games.scan.bad_games() == 0 && !is_missing;
    let nothing = nothing.filter(|_| !is_empty_part);
    if nothing.is_none() || compat && !is_missing {
        games
            .counted
            .counts
            .write(format, &mut out)
            .context("cannot write the counts")?;
        session.place(out)?;
    }
    if !is_missing {
        session.note(&games.summary());
    }
    match nothing {
        _ if games.scan.cancelled => {}
        // Like the reference, `--compat` writes a file without counts (`null`) and fails only
        // afterwards.
        Some(why) if compat && !is_missing => {
            session.reporter().problem(&Problem::error(why));
            return Ok(exit::SKIPPED.into());
        }
        Some(why) => return Err(anyhow!(why)),
        None => {}
    }
    Ok(session.status(games.outcome()))
}
