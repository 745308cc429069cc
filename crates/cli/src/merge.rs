//! `centipawn merge`: the sum of files of counts. Parts of a scan are merged by the command that
//! wrote them.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use centipawn_calibrate::wdl::CountsFormat;
use centipawn_progress::Files;
use centipawn_work::scan::{CountsSum, part_header, read_counts};
use clap::Args;

use crate::{exit::usage, session::Session, text::thousands, wdl::OutputArgs};

/// Arguments of `centipawn merge`.
#[derive(Args)]
pub(crate) struct MergeFiles {
    /// Files of counts, from `wdl count` or in WDL_model's JSON; - is standard input
    #[arg(required = true, value_name = "FILES")]
    counts: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &MergeFiles, session: &Session) -> Result<ExitCode> {
    if let Some((path, part)) = args
        .counts
        .iter()
        .find_map(|path| Some((path, part_header(path)?)))
    {
        return Err(usage(format!(
            "{} is a part of `centipawn {command}`, which also merges its parts: centipawn {command} PARTS, with the flags of its \
             results",
            path.display(),
            command = part.command
        )));
    }
    let (mut out, format) =
        args.output
            .create(false, Files::reading(&args.counts), session.cancel()?)?;
    let (mut sum, mut first) = (CountsSum::default(), None);
    for path in &args.counts {
        let (name, counts) = read_counts(path, session.cancel()?)?;
        let first = first.get_or_insert_with(|| name.clone());
        if let (Some(one), Some(other)) = (sum.bin(), counts.bin())
            && one != other
        {
            return Err(usage(format!(
                "{first} has evaluations in bins of {one} centipawns, {name} of {other}: count with the same --bin"
            )));
        }
        sum.add(&name, path, counts)
            .map_err(|error| usage(error.to_string()))?;
    }
    let sum = sum.finish();
    sum.write(format, &mut out)
        .context("cannot write the counts")?;
    session.place(out)?;
    session.note(&format!("{} positions", thousands(sum.positions())));
    if format == CountsFormat::Compact && sum.groups().is_none() {
        session.note("A fit of these counts has no standard errors: not all of the counts record which positions belong to one game.");
    }
    Ok(ExitCode::SUCCESS)
}
