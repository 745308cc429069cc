//! Plots of data and model.

use centipawn_core::{Argument, WdlModel};
use centipawn_progress::{Provenance, text::thousands};

use super::{By, Counts, FitReport, Grid, ModelUpdate, Selection, Units, compare::parameters};
use crate::{
    PlotForm,
    plot::{BINS, Figure, FigureRow},
};

/// A plot of counts and their model: rates at the target, the parameters, and wins and draws of
/// both.
#[derive(Clone, Debug)]
pub struct Plots(Figure);

impl Plots {
    /// Plots the observations to which the model was fitted. If the report has errors, the
    /// parameters are drawn with intervals.
    ///
    /// The model `old` is drawn next to the new one if both have the same argument. Without `old`,
    /// it is the model by which the evaluations of the games were printed. An HTML page also shows
    /// the report and the `update`.
    pub fn new(
        counts: &Counts,
        report: &FitReport,
        old: Option<&WdlModel>,
        update: Option<&ModelUpdate>,
    ) -> Self {
        let (fit, uncertainty) = (&report.fit, report.uncertainty.as_ref());
        let selection = fit.options.selection;
        let by = if selection.by == By::Both {
            By::Material
        } else {
            selection.by
        };
        let grid = Grid::new(counts, &Selection { by, ..selection });
        let (low, high) = selection.range();
        // Limits far beyond the data would squeeze the data into a corner.
        let high = high
            .min(grid.rows.last().map_or(low, |row| row.value))
            .max(low);
        let eval_max = f64::from(selection.internal_max()).max(1.0);
        // The model that printed the evaluations. Its `b` may be unknown, so draw only its `a`.
        let printed = match &selection.units {
            Units::Model(model) => Some(model),
            Units::Fixed(_) => None,
        };
        let old_row = |value: u32| {
            let of = |model: &&WdlModel| {
                model.argument == Argument::Material && by == By::Material
                    || model.argument != Argument::Material && by == By::Move
            };
            let pair = |model: &WdlModel| parameters(model, by, f64::from(value), 32.0);
            let own = old
                .filter(of)
                .map(|model| (pair(model).0, Some(pair(model).1)));
            own.or_else(|| printed.filter(of).map(|model| (pair(model).0, None)))
        };
        let row = |value: u32| {
            let mut cells = vec![[0.0; 3]; BINS];
            if let Ok(index) = grid.rows.binary_search_by_key(&value, |row| row.value) {
                let row = &grid.rows[index];
                for (&eval, counts) in row.evals.iter().zip(&row.counts) {
                    let share = (f64::from(eval) / eval_max + 1.0) / 2.0;
                    let bin = ((share * BINS as f64) as usize).min(BINS - 1);
                    cells[bin]
                        .iter_mut()
                        .zip(counts)
                        .for_each(|(sum, count)| *sum += count);
                }
            }
            let own = fit
                .rows
                .iter()
                .find(|row| row.value == value)
                .map(|row| (row.a, row.b));
            let band =
                uncertainty.and_then(|sure| sure.band.iter().find(|band| band.value == value));
            FigureRow {
                value,
                cells,
                model: fit.parameters(f64::from(value), 32.0),
                own,
                old: old_row(value),
                band: band.map(|band| [band.a.interval, band.b.interval]),
            }
        };
        let [wins, draws, losses] = fit.retained;
        Self(Figure {
            title: format!(
                "Win/draw/loss by {}: {} positions, method {}; 1 pawn = {} internal units, won half the time at {:.1}",
                selection.by.name(),
                thousands((wins + draws + losses) as u64),
                fit.options.method.name(),
                selection.units.pawn(),
                fit.normalize_to_pawn_value(),
            ),
            by: by.name(),
            pawn: f64::from(selection.units.pawn()).max(1.0),
            eval_max,
            range: (low, high),
            target: fit.options.target as u32,
            rows: (low..=high).map(row).collect(),
            report: report.text(),
            verdict: update.map(ModelUpdate::text),
        })
    }

    /// Returns the bytes of the file. An HTML page has `provenance` in a `meta` element.
    pub fn draw(&self, form: PlotForm, provenance: Option<&Provenance>) -> Vec<u8> {
        self.0.draw(form, provenance)
    }
}
