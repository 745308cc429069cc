//! `centipawn wdl count`.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::wdl::CountsFormat;
use clap::{Args, ValueEnum};

use super::games::GamesArgs;
use crate::{
    args::Shared,
    exit::{self, usage},
    output::{Output, refuse_collisions},
};

/// Arguments of `centipawn wdl count`.
#[derive(Args)]
pub(crate) struct Count {
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    games: GamesArgs,
}

/// Where counts go.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,
    /// How counts are written [default: compact, with --compat stockfish]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
}

/// `--format`.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Format {
    /// A small binary file
    Compact,
    /// WDL_model's JSON
    Stockfish,
}

impl OutputArgs {
    /// The output, once it is known that `counts` in this form may go there.
    pub(super) fn create(&self, compat: bool, inputs: &[PathBuf]) -> Result<(Output, CountsFormat)> {
        let format = match self.format {
            Some(Format::Compact) => CountsFormat::Compact,
            Some(Format::Stockfish) => CountsFormat::Stockfish,
            None if compat => CountsFormat::Stockfish,
            None => CountsFormat::Compact,
        };
        if format == CountsFormat::Compact && self.output == Path::new("-") && io::stdout().is_terminal() {
            return Err(usage("counts are no text: give -o FILE, or --format stockfish for JSON"));
        }
        refuse_collisions(&[&self.output], inputs)?;
        Ok((Output::create(&self.output)?, format))
    }
}

pub(super) fn run(args: &Count, shared: &Shared) -> Result<ExitCode> {
    let compat = args.games.compat;
    let (mut out, format) = args.output.create(compat, &args.games.games)?;
    let done = args.games.count(shared, None)?;
    let nothing = done.nothing();
    if nothing.is_none() || compat && !done.missing {
        done.counted.counts.write(format, &mut out).context("cannot write the counts")?;
        out.finish()?;
    }
    if !shared.quiet && !done.missing {
        anstream::eprintln!("{}", done.summary());
    }
    match nothing {
        // As the reference does, which writes `null`.
        Some(why) if compat && !done.missing => {
            anstream::eprintln!("error: {why}");
            Ok(exit::SKIPPED.into())
        }
        Some(why) => Err(anyhow!(why)),
        None => Ok(done.status()),
    }
}
