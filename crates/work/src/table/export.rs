//! Games and plies of many files as Parquet.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, SyncSender},
    thread,
};

use centipawn_pgn::{
    Dialect, GameView, Merge, ScanOptions, ScanReport, Shard, Sources, Unreadable, scan,
};
use centipawn_progress::{
    AtomicFile, FileError, Files, Outcome, Placement, Problem, Provenance, Reporter, make_folder,
};
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};

use super::{
    columns::{Column, EXPORTED_PLIES, GAMES},
    memory::Table,
    parquet::TableWriter,
    plies::Reading,
};
use crate::scan::{InputHashes, named_games};

/// Number of plies of a row group.
pub(super) const GROUP: usize = 500_000;
/// Number of games of a row group.
const GAMES_OF_GROUP: usize = 100_000;
/// Maximum number of row groups that wait for being written.
const AHEAD: usize = 1;

/// The options of an export: the recipe of `pgn export`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlyExportOptions {
    /// The part of the games to export; all by default.
    pub shard: Shard,
    /// The dialect of the evaluations; by default, it is detected for each file.
    pub evals: Dialect,
    /// Whether plies have the position before the move.
    pub fen: bool,
}

/// The result of an export.
#[derive(Debug)]
pub struct PlyExport {
    /// The files of games and of plies.
    pub files: [PathBuf; 2],
    /// Games and files read, skipped or cancelled.
    pub outcome: Outcome,
    /// Number of plies written.
    pub plies: u64,
    /// Whether the files were written. They are not after a cancel, nor if no game can be read.
    pub written: bool,
    /// Earlier results that the export did not replace.
    pub kept: Vec<PathBuf>,
}

/// The reason why games cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlyExportError {
    /// The folder cannot be created, or a file cannot be opened or moved to its place.
    #[error("{0}")]
    File(#[from] FileError),
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: ParquetError,
    },
    /// The scan cannot continue.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// Rows on their way to the files. Complete row groups are written in the order of the games.
struct Rows<'a> {
    columns: &'a [&'static Column],
    groups: &'a SyncSender<Group>,
    games: Table,
    plies: Table,
}

/// A row group of one of the two files.
enum Group {
    Games(Table),
    Plies(Table),
}

impl<'a> Rows<'a> {
    fn new(columns: &'a [&'static Column], groups: &'a SyncSender<Group>) -> Self {
        Self {
            columns,
            groups,
            games: Table::new(&GAMES),
            plies: Table::new(columns),
        }
    }

    /// Sends row groups of this many games and plies, while there are enough of them.
    fn send(&mut self, games: usize, plies: usize) {
        let send = |rows: &mut Table, least: usize, of: fn(Table) -> Group| {
            while rows.len() >= least {
                let later = rows.split_off(least);
                // After an error the receiver is gone, and the export ends soon.
                let _ = self.groups.send(of(std::mem::replace(rows, later)));
            }
        };
        send(&mut self.games, games, Group::Games);
        send(&mut self.plies, plies, Group::Plies);
    }
}

impl Merge for Rows<'_> {
    fn merge(&mut self, later: Self) {
        debug_assert_eq!(self.columns.len(), later.columns.len());
        self.games.append(later.games);
        self.plies.append(later.plies);
        self.send(GAMES_OF_GROUP, GROUP);
    }
}

/// Writes the games that `games` name, and their plies, as `games-I.parquet` and `plies-I.parquet`
/// into `folder`, which is created if necessary; I is the number of the shard. Rows are in the
/// order of the games; memory is bounded, whatever the size of the input.
///
/// Unreadable games and missing files are reported, the first ones individually, and skipped. After
/// a cancel, and if there is no game, nothing is written and earlier results stay; a part of the
/// games may be empty.
///
/// # Errors
///
/// [`PlyExportError`].
pub fn export_plies(
    games: &[PathBuf],
    folder: &Path,
    options: &PlyExportOptions,
    scan_options: &ScanOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<PlyExport, PlyExportError> {
    let selected = named_games(games, reporter);
    let sources = &selected.sources;
    let files = ["games", "plies"]
        .map(|name| folder.join(format!("{name}-{}.parquet", options.shard.index())));
    make_folder(folder)?;
    let mut reading = Files::reading(sources.paths());
    let cancel = scan_options.cancel.cloned().unwrap_or_default();
    let outputs = [
        reading.create(&files[0], &cancel)?,
        reading.create(&files[1], &cancel)?,
    ];
    // The last column is the position, which is optional.
    let columns = &EXPORTED_PLIES[..EXPORTED_PLIES.len() - usize::from(!options.fen)];
    let hashes = InputHashes::start(sources.paths().to_vec());
    let stop = cancel.child();
    let (sender, receiver) = mpsc::sync_channel(AHEAD);
    let (report, written) = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let written = write(outputs, &files, columns, receiver);
            if written.is_err() {
                stop.set();
            }
            written
        });
        let scan_options = ScanOptions {
            cancel: Some(&stop),
            reporter: Some(reporter),
            ..*scan_options
        };
        let report = scan_all(sources, options, &scan_options, columns, &sender);
        drop(sender);
        (report, writer.join())
    });
    let [games, plies] = match written {
        Ok(written) => written?,
        Err(panic) => std::panic::resume_unwind(panic),
    };
    let report = report?;
    let provenance = Provenance::of("pgn export", options).inputs(hashes.finish(&cancel));
    let provenance = serde_json::to_string(&provenance).unwrap_or_default();
    let mut finished = Vec::new();
    for (writer, path) in [games, plies].into_iter().zip(&files) {
        let file = writer.finish(provenance.clone());
        finished.push(file.map_err(|error| PlyExportError::Write {
            path: path.clone(),
            error,
        })?);
    }
    let mut results = Placement::new(&cancel);
    // Write nothing after a cancel, or if a whole export has no games.
    let written = !report.cancelled
        && !results.is_cancelled()
        && (report.games > 0 || options.shard != Shard::ALL);
    let kept = match written {
        // Place both files or none, because the table of plies refers to rows of the table of
        // games.
        true => {
            for file in finished {
                results.add(file);
            }
            results.place()?
        }
        false => files.iter().filter(|path| path.exists()).cloned().collect(),
    };
    let Outcome {
        done,
        skipped,
        cancelled,
    } = report.outcome();
    let outcome = Outcome {
        done,
        skipped: skipped + selected.problems,
        cancelled: cancelled || cancel.is_set(),
    };
    Ok(PlyExport {
        files,
        outcome,
        plies: report.plies,
        written,
        kept,
    })
}

type Writers = [TableWriter<AtomicFile>; 2];

fn write(
    outputs: [AtomicFile; 2],
    paths: &[PathBuf; 2],
    columns: &[&'static Column],
    groups: Receiver<Group>,
) -> Result<Writers, PlyExportError> {
    let wrong = |index: usize| {
        move |error| PlyExportError::Write {
            path: paths[index].clone(),
            error,
        }
    };
    let [games, plies] = outputs;
    let mut games = TableWriter::new(games, "game", &GAMES).map_err(wrong(0))?;
    let mut plies = TableWriter::new(plies, "ply", columns).map_err(wrong(1))?;
    for group in groups {
        match group {
            Group::Games(table) => games.write(table).map_err(wrong(0))?,
            Group::Plies(table) => plies.write(table).map_err(wrong(1))?,
        }
    }
    Ok([games, plies])
}

/// Scans one source after the other, so that rows leave in the order of the games as soon as they
/// can.
fn scan_all(
    sources: &Sources,
    options: &PlyExportOptions,
    scan_options: &ScanOptions<'_>,
    columns: &[&'static Column],
    groups: &SyncSender<Group>,
) -> Result<ScanReport, Unreadable> {
    let mut rows = Rows::new(columns, groups);
    let mut report = ScanReport::default();
    let is_cut = (sources.paths().len() as u64) < u64::from(options.shard.count());
    for (index, path) in sources.paths().iter().enumerate() {
        if report.cancelled || !(is_cut || options.shard.takes(index as u64)) {
            continue;
        }
        // If the file disappeared in the meantime, the error names it.
        let source = match Sources::expand(&[path]) {
            Ok(source) => source,
            Err(error) => {
                report.failed_sources += 1;
                if let Some(reporter) = scan_options.reporter {
                    reporter.problem(&Problem::error(error));
                }
                continue;
            }
        };
        let name = sources.name(index);
        let reading = Reading {
            source: (index, &name),
            evals: options.evals,
            has_fen: options.fen,
        };
        let shard = if is_cut { options.shard } else { Shard::ALL };
        let scan_options = ScanOptions {
            dialect: options.evals,
            shard,
            ..*scan_options
        };
        let visit = |rows: &mut Rows<'_>, game: &GameView<'_>| {
            reading.add(&mut rows.games, &mut rows.plies, game);
        };
        let (more, own) = scan(&source, &scan_options, || Rows::new(columns, groups), visit)?;
        rows.merge(more);
        report.merge(own);
    }
    let (games, plies) = (rows.games.len().max(1), rows.plies.len().max(1));
    rows.send(games, plies);
    Ok(report)
}
