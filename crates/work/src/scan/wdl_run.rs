//! From games to a folder with a curve and its report.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use centipawn_calibrate::{
    PlotForm, document,
    wdl::{
        CompareError, CountsFormat, FitError, FitOptions, FitReport, GamesSelection, ModelUpdate,
        Plots, ResampleOptions,
    },
};
use centipawn_pgn::Shard;
use centipawn_progress::{AtomicFile, Cancel, FileError, Placement, Provenance};
use serde::{Deserialize, Serialize};

use crate::{
    Run,
    scan::{CountedGames, StockfishRevisions, WdlCountScan, WdlGamesOptions},
};

/// The options from games to a curve: the recipe of `fit.json` and `curve.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlRunOptions {
    /// The selection of files; by default all files that the caller names.
    pub selection: GamesSelection,
    /// The part of the games to read; all by default.
    pub shard: Shard,
    /// Options of counting the games.
    pub count: WdlCountScan,
    /// Options of fitting a model to the counts.
    pub fit: FitOptions,
    /// Options of the standard errors and the held-out test.
    pub resampling: ResampleOptions,
    /// The revisions whose games are counted, and whose model the new one may replace; none by
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revisions: Option<StockfishRevisions>,
    /// The smallest change of NormalizeToPawnValue that matters, in internal units;
    /// [4](ModelUpdate::LEAST_CHANGE) by default. It has a meaning only beside revisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_change: Option<u32>,
}

/// The folder of a run's results.
struct Folder<'a>(&'a Path);

/// The reason why some or all results are missing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WdlRunError {
    /// No model can be fitted; the counts are written.
    #[error("counted ({} can be fitted otherwise), but", counts.display())]
    Fit {
        /// The file of counts.
        counts: PathBuf,
        /// The underlying error.
        #[source]
        error: FitError,
    },
    /// The new model cannot be compared with Stockfish's current model.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A result cannot be written.
    #[error("{0}")]
    File(#[from] FileError),
    /// A result of an earlier run that this one does not have cannot be removed; it would pass for
    /// this run's.
    #[error("cannot remove the curve.json or update.json of an earlier run")]
    Remove(#[source] io::Error),
}

/// The result of a run.
#[derive(Debug)]
pub enum WdlRun {
    /// All results are written.
    Written {
        /// The report on the fitted model.
        report: Box<FitReport>,
        /// The comparison with the model of the [revisions](WdlRunOptions::revisions), if they have
        /// one.
        update: Option<Box<ModelUpdate>>,
    },
    /// The run was cancelled. These results of an earlier run stay, and the new ones are not
    /// written.
    Cancelled(Vec<PathBuf>),
}

/// Fits a model to counted games, with its errors and a held-out test, and writes all results into
/// `folder`: counts.wdl, fit.json, model.txt, curve.json (if a curve file can hold the model),
/// update.json (if there are [revisions](WdlRunOptions::revisions)), plots.svg, plots.png,
/// plots.html.
///
/// After the run is cancelled, no file in the folder is replaced; counts are written if the folder
/// has none.
///
/// # Errors
///
/// [`WdlRunError`]: there is no model, or a result cannot be written.
pub fn wdl_run(
    folder: &Path,
    mut games: CountedGames,
    options: &WdlRunOptions,
    run: Run<'_>,
) -> Result<WdlRun, WdlRunError> {
    let (
        folder,
        Run {
            cancel, reporter, ..
        },
    ) = (Folder(folder), run);
    let inputs = games
        .hashes
        .take()
        .map(|hashes| hashes.finish(cancel))
        .unwrap_or_default();
    let games = games;
    let counted = &games.counted;
    let mut packed = Vec::new();
    // Writing to memory cannot fail.
    let _ = counted.counts.write(CountsFormat::Compact, &mut packed);
    let counts_file = folder.path("counts.wdl");
    // Counting may have taken hours, so write the counts before the fit, unless they would replace
    // those of an earlier run.
    let is_new = !counts_file.exists();
    if is_new {
        folder.write_counts(&packed, cancel)?;
    }
    // A cancelled scan has counted only a part of the games, so do not fit a model to it.
    let fitted = cancel.check().map_err(FitError::from);
    let fitted = fitted.and_then(|()| {
        FitReport::new(
            &counted.counts,
            &options.fit,
            options.resampling,
            cancel,
            reporter,
        )
    });
    let fitted = match fitted {
        Err(FitError::Cancelled(_)) => {
            let kept = if is_new {
                Vec::new()
            } else {
                vec![counts_file]
            };
            return Ok(WdlRun::Cancelled(kept));
        }
        Err(error) => {
            if !is_new {
                folder.write_counts(&packed, cancel)?;
            }
            let error = error.with_games(counted.report.games);
            return Err(WdlRunError::Fit {
                counts: counts_file,
                error,
            });
        }
        Ok(fitted) => {
            let warnings = games
                .left_out()
                .into_iter()
                .chain(counted.report.views.warnings())
                .collect();
            fitted
                .with_warnings(warnings)
                .of_games(counted.report.games)
        }
    };
    let old = options.revisions.as_ref().map(|revisions| revisions.model);
    let update = old.map(|old| {
        let games = counted.report.games;
        ModelUpdate::new(
            ("the model in force", old),
            &fitted,
            &counted.counts,
            games,
            options.resampling,
            cancel,
        )
        .map(|update| {
            update.with_least_change(options.least_change.unwrap_or(ModelUpdate::LEAST_CHANGE))
        })
    });
    let update = match update.transpose() {
        // Ignore the cancel here; it is handled below, as after every other step.
        Err(CompareError::Cancelled(_)) => None,
        update => update?.map(Box::new),
    };
    let plots = Plots::new(&counted.counts, &fitted, old.as_ref(), update.as_deref());
    let provenance = Some(
        counted
            .counts
            .identified(options.provenance(&games.options).inputs(inputs)),
    );
    let update_text = update
        .as_ref()
        .map(|update| format!("\n{}", update.text()))
        .unwrap_or_default();
    let mut files = vec![
        (
            "fit.json",
            document(&fitted.report_document(provenance.clone())).into_bytes(),
        ),
        ("model.txt", (fitted.text() + &update_text).into_bytes()),
    ];
    files.extend(
        update
            .as_ref()
            .map(|update| ("update.json", document(update).into_bytes())),
    );
    if !is_new {
        files.push(("counts.wdl", packed));
    }
    let curve = fitted.curve_file(provenance.clone());
    files.extend(
        curve
            .as_ref()
            .map(|curve| ("curve.json", curve.json().into_bytes())),
    );
    for name in ["plots.svg", "plots.png", "plots.html"] {
        if let Ok(form) = PlotForm::of(Path::new(name), true) {
            files.push((name, plots.draw(form, provenance.as_ref())));
        }
    }
    let mut results = Placement::new(cancel);
    if results.is_cancelled() {
        let stand = files
            .iter()
            .map(|(name, _)| folder.path(name))
            .filter(|path| path.exists());
        return Ok(WdlRun::Cancelled(stand.collect()));
    }
    // The files of a run belong together, so replace all of them or none.
    files
        .iter()
        .try_for_each(|(name, bytes)| results.add_whole(&folder.path(name), bytes))?;
    results.place()?;
    for (name, is_written) in [
        ("curve.json", curve.is_some()),
        ("update.json", update.is_some()),
    ] {
        let earlier = folder.path(name);
        if !is_written && earlier.exists() {
            fs::remove_file(earlier).map_err(WdlRunError::Remove)?;
        }
    }
    Ok(WdlRun::Written {
        report: Box::new(fitted),
        update,
    })
}

impl WdlRunOptions {
    /// Returns the name of the recipe.
    pub(super) fn recipe(&self) -> &'static str {
        if self.revisions.is_some() {
            "wdl update"
        } else {
            "wdl run"
        }
    }

    /// Returns the provenance of a run's documents, without the inputs. `counted` is how the games
    /// were counted, which parts may determine.
    pub(super) fn provenance(&self, counted: &WdlGamesOptions) -> Provenance {
        let WdlGamesOptions { selection, count } = counted.clone();
        Provenance::of(
            self.recipe(),
            &Self {
                selection,
                count,
                ..self.clone()
            },
        )
        .seed(self.resampling.seed)
    }
}

impl Folder<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write_counts(&self, bytes: &[u8], cancel: &Cancel) -> Result<(), FileError> {
        AtomicFile::write_whole(&self.path("counts.wdl"), bytes, cancel).map(drop)
    }
}
