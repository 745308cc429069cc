//! Scans of games, of shards of them, and of parts that an earlier scan wrote.

use std::path::PathBuf;

use centipawn_calibrate::wdl::{FenCounters, SelectedGames};
use centipawn_pgn::{ScanOptions, ScanReport, Shard, Sources, StreamHashes};
use centipawn_progress::{AtomicFile, Cancel, Files, Outcome, ProblemCount, Reporter};

use super::{
    input_hashes::{Beside, InputHashes},
    part::{PartInputs, PartOf, merge_parts, write_part},
};
use crate::{
    Inputs,
    scan::{PartError, Scan, ScanError},
};

/// The state of a scan, with the data for its provenance.
pub(crate) struct Gathered<T: Scan> {
    /// The options of the counts: the requested ones, or those of the parts.
    pub(crate) options: T,
    /// The merged state of the scan.
    pub(crate) state: T::State,
    /// Numbers of games and files that were read, and of those that could not be read.
    pub(crate) report: ScanReport,
    /// The files selected.
    pub(crate) selected: SelectedGames,
    /// Hashes of the files, if they were requested.
    pub(crate) hashes: Option<InputHashes>,
    /// Whether the state was written as a part, so that there is nothing else to do.
    pub(crate) is_part: bool,
}

impl<T: Scan> Gathered<T> {
    /// Games read count as done; unreadable games and files, and missing files, as skipped. A part
    /// that is written is something done, too, also where no game of it can be read.
    pub(crate) fn outcome(&self) -> Outcome {
        let Outcome {
            done,
            skipped,
            cancelled,
        } = self.report.outcome();
        Outcome {
            done: done + u64::from(self.is_part && !self.selected.missing),
            skipped: skipped + self.selected.problems,
            cancelled,
        }
    }
}

/// Returns the files that `games` name. Missing ones are reported and skipped.
pub(crate) fn named_games(games: &[PathBuf], reporter: &dyn Reporter) -> SelectedGames {
    let problems = ProblemCount::new(reporter);
    let sources = Sources::expand_reporting(games, &problems);
    SelectedGames {
        missing: sources.paths().is_empty(),
        problems: problems.errors(),
        sources,
        ..SelectedGames::default()
    }
}

/// Scans the games that `choose` selects, or merges the parts that were given instead of games.
/// Writes a part if one is requested.
pub(crate) fn gather<T: Scan, E: From<ScanError>>(
    command: &str,
    inputs: Inputs<'_>,
    asked: &T,
    book: Option<&FenCounters>,
    options: &ScanOptions<'_>,
    choose: impl FnOnce() -> Result<SelectedGames, E>,
) -> Result<Gathered<T>, E> {
    if inputs.has_parts() {
        let cancel = options.cancel.cloned().unwrap_or_default();
        return Ok(merged(command, inputs, asked, options.shard, &cancel).map_err(ScanError::from)?);
    }
    let selected = choose()?;
    let paths = selected.sources.paths().to_vec();
    let Some(path) = inputs.partial else {
        let hashes = inputs.is_hashed.then(|| InputHashes::start(paths));
        let (state, report) = asked.run(book, &selected.sources, options)?;
        return Ok(Gathered {
            options: asked.clone(),
            state,
            report,
            selected,
            hashes,
            is_part: false,
        });
    };
    let part = asked.for_part();
    let cancel = options.cancel.cloned().unwrap_or_default();
    let create = || Files::reading(&paths).create(path, &cancel);
    let file: AtomicFile = create().map_err(|error| ScanError::from(PartError::from(error)))?;
    let shard = options.shard;
    let hashes = Beside::start(move || PartInputs::of(&paths, shard));
    let streams = StreamHashes::default();
    let reading = ScanOptions {
        streams: Some(&streams),
        ..*options
    };
    let (state, report) = part.run(book, &selected.sources, &reading)?;
    // No part is written if the scan was cancelled or if a file is missing.
    let is_part = !selected.missing;
    if let Some(hashes) = hashes
        .finish(&cancel)
        .filter(|_| is_part && !report.cancelled)
    {
        let of = PartOf {
            command,
            shard,
            options: &part,
            selected: &selected,
        };
        write_part(
            file,
            path,
            &of,
            hashes.with_streams(&streams),
            (&state, &report),
            &cancel,
        )
        .map_err(ScanError::from)?;
    }
    let report = ScanReport {
        cancelled: report.cancelled || cancel.is_set(),
        ..report
    };
    Ok(Gathered {
        options: part,
        state,
        report,
        selected,
        hashes: None,
        is_part: true,
    })
}

fn merged<T: Scan>(
    command: &str,
    inputs: Inputs<'_>,
    asked: &T,
    shard: Shard,
    cancel: &Cancel,
) -> Result<Gathered<T>, PartError> {
    if inputs.partial.is_some() || shard != Shard::ALL {
        return Err(PartError::Whole);
    }
    let merged = merge_parts::<T>(command, inputs.games, cancel)?;
    merged.agree_with(&asked.beside(&merged.options), T::STRICT)?;
    let known = merged.inputs();
    Ok(Gathered {
        options: merged.options.for_results(asked),
        state: merged.state,
        report: merged.report,
        selected: merged.selected,
        hashes: inputs.is_hashed.then(|| InputHashes::known(known)),
        is_part: false,
    })
}
