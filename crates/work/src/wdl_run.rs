//! From games to a folder with a curve and its report.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use centipawn_calibrate::{
    PlotForm, document,
    wdl::{
        By, CountsFormat, Fit, FitError, FitOptions, FitReport, GamesSelection, HeldOut, Method, Plots, Uncertainty,
    },
};
use centipawn_pgn::Shard;
use centipawn_progress::{AtomicFile, Cancel, FileError, Placed, Provenance, Reporter};
use serde::{Deserialize, Serialize};

use crate::{CountedGames, WdlCountScan};

/// The options from games to a curve: the recipe of `fit.json` and `curve.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlRunOptions {
    /// Which files are read; by default all that the caller names.
    pub selection: GamesSelection,
    /// Which part of the games to read; all by default.
    pub shard: Shard,
    /// How games are counted.
    pub count: WdlCountScan,
    /// How a model is fitted to the counts.
    pub fit: FitOptions,
}

/// The folder of a run's results.
struct Folder<'a>(&'a Path);

/// Why some or all results are missing.
#[derive(Debug, thiserror::Error)]
pub enum WdlRunError {
    /// No model can be fitted; the counts are written.
    #[error("counted ({} can be fitted otherwise), but", counts.display())]
    Fit {
        /// The file of counts.
        counts: PathBuf,
        /// The reason.
        #[source]
        error: FitError,
    },
    /// A result cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The curve of an earlier run cannot be removed; beside the new results it would pass for this run's.
    #[error("cannot remove the curve.json of an earlier run")]
    Remove(#[source] io::Error),
}

/// The result of a run.
#[derive(Debug)]
pub enum WdlRun {
    /// All results are written.
    Written(Box<FitReport>),
    /// The run was cancelled. These results of an earlier run stay, and the new ones are not written.
    Cancelled(Vec<PathBuf>),
}

/// Fits a model to counted games, with errors and a held-out test if the counts have resamples, and writes all results into
/// `folder`: counts.wdl, fit.json, model.txt, curve.json (if a curve file can hold the model), plots.svg, plots.png,
/// plots.html.
///
/// After `cancel` is set, no file in the folder is replaced; counts are written if the folder has none.
///
/// # Errors
///
/// [`WdlRunError`]: there is no model, or a result cannot be written.
pub fn wdl_run(
    folder: &Path,
    games: &CountedGames,
    options: &FitOptions,
    provenance: &Provenance,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<WdlRun, WdlRunError> {
    let folder = Folder(folder);
    let counted = &games.counted;
    let mut packed = Vec::new();
    // Writing to memory cannot fail.
    let _ = counted.counts.write(CountsFormat::Compact, &mut packed);
    let counts_file = folder.path("counts.wdl");
    // Counting may have taken long, so the counts are written first, unless they would replace those of an earlier run.
    let is_new = !counts_file.exists();
    if is_new {
        folder.write("counts.wdl", &packed, cancel)?;
    }
    let fitted = match fit(games, options, cancel, reporter) {
        Err(FitError::Cancelled(_)) => {
            let kept = if is_new { Vec::new() } else { vec![counts_file] };
            return Ok(WdlRun::Cancelled(kept));
        }
        Err(error) => {
            if !is_new {
                folder.write("counts.wdl", &packed, cancel)?;
            }
            return Err(WdlRunError::Fit { counts: counts_file, error });
        }
        Ok(fitted) => fitted,
    };
    let plots = Plots::new(&counted.counts, &fitted.fit, fitted.uncertainty.as_ref());
    let provenance = Some(provenance.clone());
    let mut files = vec![
        ("fit.json", document(&fitted.document(provenance.clone())).into_bytes()),
        ("model.txt", fitted.text().into_bytes()),
    ];
    if !is_new {
        files.push(("counts.wdl", packed));
    }
    let curve = fitted.curve_file(provenance.clone());
    files.extend(curve.as_ref().map(|curve| ("curve.json", curve.json().into_bytes())));
    for name in ["plots.svg", "plots.png", "plots.html"] {
        if let Ok(form) = PlotForm::of(Path::new(name), true) {
            files.push((name, plots.draw(form, provenance.as_ref())));
        }
    }
    if cancel.is_set() {
        let stand = files.iter().map(|(name, _)| folder.path(name)).filter(|path| path.exists());
        return Ok(WdlRun::Cancelled(stand.collect()));
    }
    // From here on results are written all together or not at all: the files belong together.
    let all = Cancel::new();
    for (name, bytes) in &files {
        folder.write(name, bytes, &all)?;
    }
    let old_curve = folder.path("curve.json");
    if curve.is_none() && old_curve.exists() {
        fs::remove_file(old_curve).map_err(WdlRunError::Remove)?;
    }
    Ok(WdlRun::Written(Box::new(fitted)))
}

/// The model, with errors and a held-out test if there are resamples.
fn fit(
    games: &CountedGames,
    options: &FitOptions,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<FitReport, FitError> {
    // A cancelled scan has only a part of the games: no model of all.
    cancel.check()?;
    let fit = Fit::new(&games.counted.counts, options, cancel)?;
    let (mut uncertainty, mut held_out) = (None, None);
    if let Some(resamples) = games.counted.resamples.as_ref().filter(|_| options.selection.by != By::Both) {
        if resamples.options().resamples > 0 {
            uncertainty = Uncertainty::new(&fit, resamples, cancel, reporter)?;
        }
        if resamples.options().folds > 0 && options.method != Method::Density {
            held_out = HeldOut::new(&fit, resamples, cancel)?;
        }
    }
    Ok(FitReport { fit, uncertainty, held_out })
}

impl Folder<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8], cancel: &Cancel) -> Result<Placed, FileError> {
        AtomicFile::write_whole(&self.path(name), bytes, cancel)
    }
}
