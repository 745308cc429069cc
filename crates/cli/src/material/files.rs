//! The folder with everything.

use std::{io::Write as _, path::Path};

use anyhow::{Context as _, Result};
use centipawn_calibrate::material::{Collection, Fit, MaterialPlot, RowsFormat};

use super::report::Report;
use crate::output::Output;

/// What is in the folder. Plots are there as .svg and .png.
pub(super) const NAMES: [&str; 7] = [
    "material.json",
    "material.txt",
    "rows.tsv",
    "balance.svg/png",
    "results.svg/png",
    "values.svg/png",
    "calibration.svg/png",
];

/// Writes what a report has, each file whole or not at all.
pub(super) fn write(folder: &Path, report: &Report, collection: &Collection) -> Result<()> {
    write_file(&folder.join("material.json"), format!("{:#}\n", report.json()).as_bytes())?;
    write_file(&folder.join("material.txt"), report.text().as_bytes())?;
    let mut rows = Vec::new();
    collection.write_rows(RowsFormat::Tabs, &mut rows)?;
    write_file(&folder.join("rows.tsv"), &rows)?;
    if let Some(balance) = &report.balance {
        plot(folder, "balance", &MaterialPlot::score(balance))?;
        plot(folder, "results", &MaterialPlot::results(balance))?;
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

/// Writes a plot in both forms.
pub(super) fn plot(folder: &Path, name: &str, plot: &MaterialPlot) -> Result<()> {
    write_file(&folder.join(name).with_extension("svg"), plot.svg().as_bytes())?;
    write_file(&folder.join(name).with_extension("png"), &plot.png())
}

/// Writes a file, whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut out = Output::create(path)?;
    out.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))?;
    out.finish()
}
