//! Piece values: collecting rows from games and row files, and writing the folder of results.

use std::path::{Path, PathBuf};

use centipawn_calibrate::{
    PlotForm, document,
    material::{
        Collection, ComparisonDocument, Fit, MaterialPlot, MaterialReport, ReportOptions, RowsError, RowsFormat,
    },
};
use centipawn_pgn::{Merge as _, ScanOptions, Shard, Source, SourceError, Sources};
use centipawn_progress::{AtomicFile, Cancel, FileError, Outcome, ProblemCount, Provenance, Reporter};
use serde::{Deserialize, Serialize};

use crate::{
    Gathered, InputHashes, MaterialScan, PartError, Scan, ScanError, ScanRequest, ScanState,
    gather::{gather, named_games},
    run_scan,
};

/// The options from games to piece values: the recipe of `material.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MaterialRunOptions {
    /// Which part of the games to read; all by default.
    pub shard: Shard,
    /// How games are counted.
    pub count: MaterialScan,
    /// What is computed from the rows.
    pub report: ReportOptions,
}

/// Rows of games and files, and what was skipped.
#[derive(Default)]
#[non_exhaustive]
pub struct CollectedRows {
    /// The rows.
    pub collection: Collection,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// Games and files read, skipped or cancelled.
    pub outcome: Outcome,
    /// How games were counted: as was asked, or as the parts were.
    pub options: MaterialScan,
    /// Hashes of the files of merged parts.
    hashes: Option<InputHashes>,
    /// Whether the rows were written as a part, so that there is nothing else to do.
    pub is_part: bool,
}

impl CollectedRows {
    /// Hashes of the files that were read, or whose parts were merged.
    pub fn hashes(&mut self) -> InputHashes {
        self.hashes.take().unwrap_or_else(|| InputHashes::start(self.files.clone()))
    }
}

/// Why rows cannot be collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// A file of rows cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file of rows cannot be read.
    #[error("{}", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        #[source]
        error: RowsError,
    },
    /// The scan cannot continue.
    #[error(transparent)]
    Scan(#[from] ScanError),
}

/// Whether a file name is that of a row file (.rows, .mat, .tsv, .csv, also compressed).
pub fn has_rows(path: &Path) -> bool {
    let has = |path: &Path, endings: &[&str]| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        endings.iter().any(|own| own.eq_ignore_ascii_case(extension))
    };
    let plain = if has(path, &["gz", "zst", "bz2"]) { path.with_extension("") } else { path.to_owned() };
    has(&plain, &["rows", "mat", "tsv", "csv"])
}

/// The format in which to write a row file, by its name.
pub fn rows_format(path: &Path) -> RowsFormat {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("tsv") => RowsFormat::Tabs,
        Some("csv") => RowsFormat::Commas,
        _ => RowsFormat::Article,
    }
}

/// Collects the rows of games and row files, in their order, or merges parts. Unreadable games and missing files are reported and
/// skipped.
///
/// # Errors
///
/// [`CollectError`]: a row file that cannot be opened or read, or a scan that cannot continue.
pub fn collect_rows(
    request: &ScanRequest<'_>,
    scan: &MaterialScan,
    options: &ScanOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<CollectedRows, CollectError> {
    if request.has_parts() || request.partial.is_some() || options.shard != Shard::ALL {
        if let Some(path) = request.games.iter().find(|path| has_rows(path)) {
            return Err(ScanError::from(PartError::Rows { path: path.clone() }).into());
        }
        let options = ScanOptions { reporter: Some(reporter), ..*options };
        let choose = || Ok::<_, ScanError>(named_games(request.games, reporter));
        let gathered = gather(request, scan, None, &options, choose)?;
        let outcome = gathered.outcome();
        let Gathered { options, state, selected, hashes, is_part, .. } = gathered;
        let files = selected.sources.paths().to_vec();
        return Ok(CollectedRows { collection: state.in_input_order(), files, outcome, options, hashes, is_part });
    }
    let mut rows = CollectedRows { options: scan.clone(), ..CollectedRows::default() };
    for some in request.games.chunk_by(|a, b| has_rows(a) == has_rows(b)) {
        if has_rows(&some[0]) {
            for path in some {
                let read = Collection::read_rows(Source::open(path)?);
                rows.collection.merge(read.map_err(|error| CollectError::Rows { path: path.clone(), error })?);
                rows.files.push(path.clone());
                rows.outcome.done += 1;
            }
            continue;
        }
        let problems = ProblemCount::new(reporter);
        let sources = Sources::expand_reporting(some, &problems);
        let options = ScanOptions { reporter: Some(reporter), ..*options };
        let scanned = run_scan(&Scan::Material(scan.clone()), None, &sources, &options)?;
        rows.files.extend_from_slice(sources.paths());
        let missing = Outcome { skipped: problems.errors(), ..Outcome::default() };
        rows.outcome = rows.outcome.and(scanned.outcome()).and(missing);
        if let ScanState::Material(collection) = scanned.state {
            rows.collection.merge(collection);
        }
    }
    Ok(rows)
}

/// The files that [`write_report`] puts into a folder. Plots are written as .svg and .png.
pub const REPORT_FILES: [&str; 7] = [
    "material.json",
    "material.txt",
    "rows.tsv",
    "balance.svg/png",
    "results.svg/png",
    "values.svg/png",
    "calibration.svg/png",
];

/// Writes everything about a collection into a folder, with `text` as material.txt. Results of an earlier run are replaced.
///
/// # Errors
///
/// [`FileError`], if a file cannot be written.
pub fn write_report(
    folder: &Path,
    report: &MaterialReport,
    text: &str,
    collection: &Collection,
    provenance: Option<Provenance>,
) -> Result<(), FileError> {
    write(&folder.join("material.json"), document(&report.document(provenance)).as_bytes())?;
    write(&folder.join("material.txt"), text.as_bytes())?;
    let mut rows = Vec::new();
    // Writing to memory cannot fail.
    let _ = collection.with_results(report.fit.options.method).write_rows(RowsFormat::Tabs, &mut rows);
    write(&folder.join("rows.tsv"), &rows)?;
    if let Some(scores) = &report.score_by_balance {
        plot(folder, "balance", &MaterialPlot::score(scores))?;
        plot(folder, "results", &MaterialPlot::results(scores))?;
    }
    let mut named: Vec<(&str, &Fit)> = vec![("all games", &report.fit)];
    if let Some((_, bands)) = &report.bands {
        named.extend(bands.bands.iter().filter_map(|band| Some((band.name.as_str(), band.fit.as_ref().ok()?))));
    }
    plot(folder, "values", &MaterialPlot::values(&named))?;
    if let Some(Ok(held_out)) = &report.held_out {
        plot(folder, "calibration", &MaterialPlot::calibration(held_out))?;
    }
    Ok(())
}

/// Writes the comparison of named collections into a folder: comparison.json, values.svg, values.png.
///
/// # Errors
///
/// [`FileError`], if a file cannot be written.
pub fn write_comparison(
    folder: &Path,
    collections: &[(String, Fit)],
    provenance: Option<Provenance>,
) -> Result<(), FileError> {
    let comparison = ComparisonDocument::new(collections, provenance);
    write(&folder.join("comparison.json"), document(&comparison).as_bytes())?;
    let named: Vec<(&str, &Fit)> = collections.iter().map(|(name, fit)| (name.as_str(), fit)).collect();
    plot(folder, "values", &MaterialPlot::values(&named))
}

/// Writes a plot in each format.
fn plot(folder: &Path, name: &str, plot: &MaterialPlot) -> Result<(), FileError> {
    for ending in ["svg", "png"] {
        let path = folder.join(name).with_extension(ending);
        if let Ok(form) = PlotForm::of(&path, false) {
            write(&path, &plot.draw(form))?;
        }
    }
    Ok(())
}

/// Writes a whole file or nothing; a cancel is checked before writing begins.
fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    AtomicFile::write_whole(path, bytes, &Cancel::new()).map(|_| ())
}
