//! Making an index: from games, or from the indexes of parts of them.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
};

use centipawn_calibrate::position::{PositionGames, PositionSpill, SortedPositions};
use centipawn_pgn::Shard;
use centipawn_progress::{AtomicFile, Cancel, Files, Input, Outcome, Placed, Provenance, in_order};
use serde::{Deserialize, Serialize};

use super::{
    PositionIndex, PositionIndexError, PositionRow as Row,
    format::{IndexHeader, VERSION},
    merge::{Merged, by_name, together},
    read::is_index,
    write::write_index,
};
use crate::{
    Run,
    scan::{InputHashes, named_games},
};

/// Number of batches of rows that wait for being encoded.
const AHEAD: usize = 4;

/// The options of an index: the recipe of `position index`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PositionIndexOptions {
    /// Which part of the games to count; all by default.
    pub shard: Shard,
}

/// The result of building an index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PositionIndexResult {
    /// Rows: different positions with their moves and rating bands.
    pub rows: u64,
    /// Numbers of games in the index, and of games left out.
    pub games: PositionGames,
    /// Games read, skipped, or cancelled.
    pub outcome: Outcome,
    /// Whether the index was written. It is not after a cancel, nor if no file of games can be
    /// read.
    pub written: bool,
    /// The earlier file, which a cancelled run did not replace.
    pub kept: Option<PathBuf>,
}

/// Returns the indexes that inputs name, or none if they name games.
pub(super) fn indexes(inputs: &[PathBuf]) -> Result<Vec<PositionIndex>, PositionIndexError> {
    let Some(index) = inputs.iter().find(|path| is_index(path)) else {
        return Ok(Vec::new());
    };
    if !inputs.iter().all(|path| is_index(path)) {
        return Err(PositionIndexError::Both {
            index: index.clone(),
        });
    }
    inputs
        .iter()
        .map(|path| PositionIndex::open(path))
        .collect()
}

/// Writes an index of all positions of games, or merges indexes into one. Each game counts once for
/// each of its different positions; games without a result, and those that are not standard chess,
/// are left out. After a cancel nothing is written.
///
/// Memory is bounded, whatever the number of games: the positions are sorted in a temporary file in
/// the folder of `output`, of 12 bytes for each position at most. The index of games is the same
/// file, byte for byte, as the merged indexes of their parts.
///
/// ```
/// use std::path::PathBuf;
///
/// use centipawn_progress::{Cancel, Silent};
/// use centipawn_work::{
///     Inputs, Run,
///     position::{PositionIndexOptions, PositionRunOptions, position_index, position_statistics},
/// };
///
/// # let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// # let folder = tempfile::tempdir()?;
/// let games = [PathBuf::from(format!("{root}/examples/opera-game.pgn"))];
/// let index = folder.path().join("positions.parquet");
/// let cancel = Cancel::new();
/// let run = Run::new(&cancel, &Silent);
/// assert!(position_index(&games, &index, &PositionIndexOptions::default(), run)?.written);
///
/// let options = PositionRunOptions {
///     position: "startpos moves e2e4 e7e5".to_owned(),
///     ..PositionRunOptions::default()
/// };
/// let found = position_statistics(&options, Inputs::new(&[index]), run)?;
/// assert_eq!(found.result.unwrap().document.moves.len(), 1);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`PositionIndexError`].
pub fn position_index(
    inputs: &[PathBuf],
    output: &Path,
    options: &PositionIndexOptions,
    run: Run<'_>,
) -> Result<PositionIndexResult, PositionIndexError> {
    let indexes = indexes(inputs)?;
    if indexes.is_empty() {
        of_games(inputs, output, options, run)
    } else {
        of_indexes(inputs, &indexes, output, options, run)
    }
}

fn of_indexes(
    inputs: &[PathBuf],
    indexes: &[PositionIndex],
    output: &Path,
    options: &PositionIndexOptions,
    run: Run<'_>,
) -> Result<PositionIndexResult, PositionIndexError> {
    if options.shard != Shard::ALL {
        return Err(PositionIndexError::Whole);
    }
    let all = together(indexes, true)?;
    let file = Files::reading(inputs).create(output, run.cancel)?;
    let batches = Merged::new(indexes.iter().map(PositionIndex::stream), run.cancel);
    let header = IndexHeader {
        version: VERSION,
        games: all.games,
        shard: all.shard,
    };
    let options = PositionIndexOptions { shard: all.shard };
    let provenance = Provenance::of("position index", &options).inputs(all.inputs);
    let (file, rows) = write_index(file, output, batches, threads(run), run.cancel, || {
        (header, provenance)
    })?;
    let outcome = Outcome {
        done: all.games.counted,
        skipped: 0,
        cancelled: false,
    };
    place(
        file,
        output,
        PositionIndexResult {
            rows,
            games: all.games,
            outcome,
            written: false,
            kept: None,
        },
        run.cancel,
    )
}

fn of_games(
    inputs: &[PathBuf],
    output: &Path,
    options: &PositionIndexOptions,
    run: Run<'_>,
) -> Result<PositionIndexResult, PositionIndexError> {
    if inputs.is_empty() {
        return Err(PositionIndexError::NoGames {
            output: output.to_owned(),
        });
    }
    let selected = named_games(inputs, run.reporter);
    let sources = &selected.sources;
    let file = Files::reading(sources.paths()).create(output, run.cancel)?;
    if selected.missing {
        // Without any input file, no index is written.
        let outcome = Outcome {
            done: 0,
            skipped: selected.problems,
            cancelled: false,
        };
        return Ok(PositionIndexResult {
            rows: 0,
            games: PositionGames::default(),
            outcome,
            written: false,
            kept: None,
        });
    }
    let folder = match output.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let temporary = |error| PositionIndexError::Temporary {
        folder: folder.to_owned(),
        error,
    };
    let hashes = InputHashes::start(sources.paths().to_vec());
    let temporary_file = tempfile::tempfile_in(folder).map_err(temporary)?;
    let spill = PositionSpill::new(temporary_file, threads(run));
    let (games, report) = spill.count(sources, &run.scan(options.shard))?;
    let sorted = spill.finish().map_err(temporary)?;
    let Outcome { done, skipped, .. } = report.outcome();
    // A shard may be without games, but an index of all games may not.
    if done == 0 && options.shard == Shard::ALL && !run.cancel.is_set() {
        return Err(PositionIndexError::NoGames {
            output: output.to_owned(),
        });
    }
    let outcome = Outcome {
        done,
        skipped: skipped + selected.problems,
        cancelled: run.cancel.is_set(),
    };
    let mut files = hashes.finish(run.cancel);
    check_copies(&files)?;
    files.sort_by_key(by_name);
    let header = IndexHeader {
        version: VERSION,
        games,
        shard: options.shard,
    };
    let describe = || {
        (
            header,
            Provenance::of("position index", options).inputs(files),
        )
    };
    let (file, rows) = thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        let (cancel, sorted) = (run.cancel, &sorted);
        scope.spawn(move || send_rows(sorted, threads(run), cancel, &sender));
        let batches = receiver
            .into_iter()
            .map(|rows: std::io::Result<Vec<Row>>| rows.map_err(temporary));
        write_index(file, output, batches, threads(run), run.cancel, describe)
    })?;
    place(
        file,
        output,
        PositionIndexResult {
            rows,
            games,
            outcome,
            written: false,
            kept: None,
        },
        run.cancel,
    )
}

/// Returns an error if two files are the same, which together with another index would be one in
/// both.
fn check_copies(files: &[Input]) -> Result<(), PositionIndexError> {
    let mut originals: HashMap<&str, &str> = HashMap::new();
    for file in files.iter().filter(|file| file.bytes != Some(0)) {
        if let Some(hash) = &file.sha256
            && let Some(original) = originals.insert(hash, &file.name)
        {
            return Err(PositionIndexError::Copy {
                name: file.name.clone(),
                original: original.to_owned(),
            });
        }
    }
    Ok(())
}

/// Sends all rows in their order; ends early if they cannot be read or are not received.
fn send_rows(
    sorted: &SortedPositions,
    threads: usize,
    cancel: &Cancel,
    sender: &mpsc::SyncSender<std::io::Result<Vec<Row>>>,
) {
    let stop = cancel.child();
    in_order(
        sorted.ranges().into_iter(),
        threads,
        &stop,
        |range| Some(sorted.rows(&range)),
        |rows| {
            let is_last = rows.is_err();
            if sender.send(rows).is_err() || is_last {
                stop.set();
            }
        },
    );
}

/// Puts an index in its place, unless it is partial.
fn place(
    file: AtomicFile,
    path: &Path,
    mut result: PositionIndexResult,
    cancel: &Cancel,
) -> Result<PositionIndexResult, PositionIndexError> {
    if cancel.is_set() {
        result.outcome.cancelled = true;
        result.kept = path.exists().then(|| path.to_owned());
    } else {
        match file.finish(cancel)? {
            Placed::Written => result.written = true,
            Placed::Kept(path) => result.kept = Some(path),
        }
    }
    Ok(result)
}

fn threads(run: Run<'_>) -> usize {
    run.threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
}
