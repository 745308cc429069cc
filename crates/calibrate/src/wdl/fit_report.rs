//! A fitted model with its standard errors, as text and as a curve file.

use std::fmt::Write as _;

use centipawn_core::Curve;
use centipawn_progress::{Cancel, Provenance, Reporter, text::thousands};
use serde::{Deserialize, Serialize};

use super::{
    By, Counts, Estimate, Fit, FitError, FitOptions, Grid, HeldOut, Method, ResampleOptions,
    Resamples, Shape, Uncertainty, Units, fit_warnings,
};
use crate::CurveFile;

/// A model with its standard errors and its held-out test.
///
/// ```
/// use centipawn_calibrate::wdl::{Counts, FitOptions, FitReport, ResampleOptions};
/// use centipawn_progress::{Cancel, Silent};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.wdl");
/// let counts = Counts::read(std::fs::File::open(path)?)?;
/// let resampling = ResampleOptions { resamples: 20, folds: 0, ..ResampleOptions::default() };
/// let options = FitOptions::default();
/// let report = FitReport::new(&counts, &options, resampling, &Cancel::new(), &Silent)?;
///
/// let pawn = report.uncertainty.as_ref().unwrap().normalize_to_pawn_value;
/// assert_eq!(pawn.value, report.fit.normalize_to_pawn_value());
/// assert!(pawn.error > 0.0 && pawn.interval.0 < pawn.interval.1);
/// assert!(report.text().contains("NormalizeToPawnValue"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitReport {
    /// The model.
    pub fit: Fit,
    /// Standard errors from resampled games, if they were computed.
    pub uncertainty: Option<Uncertainty>,
    /// The test on held-out games, if it was computed.
    pub held_out: Option<HeldOut>,
    /// The reason why the standard errors or the held-out test were requested but not computed;
    /// `None` if nothing is missing.
    pub missing: Option<String>,
    /// Warnings about the games, each with its cause; empty if there are none.
    pub warnings: Vec<String>,
    /// Number of games counted; `None` if it is unknown.
    pub games: Option<u64>,
}

impl FitReport {
    /// Fits a model to counts. Also computes the standard errors and the held-out test that
    /// `resampling` requests, if the counts have groups of games.
    ///
    /// # Errors
    ///
    /// As for [`Fit::new`].
    pub fn new(
        counts: &Counts,
        options: &FitOptions,
        resampling: ResampleOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, FitError> {
        let fit = Fit::new(counts, options, cancel)?;
        let mut report = Self {
            fit,
            uncertainty: None,
            held_out: None,
            missing: None,
            warnings: Vec::new(),
            games: None,
        };
        let grid = Grid::new(counts, &options.selection);
        let games = Resamples::new(counts, &options.selection, resampling);
        report.test(
            counts,
            options,
            resampling,
            games.as_ref(),
            cancel,
            reporter,
        )?;
        report.warnings = fit_warnings::warnings(&report, &grid, games.as_ref());
        Ok(report)
    }

    /// Adds the warnings that arose while the games were counted.
    #[must_use]
    pub fn with_warnings(mut self, counting: Vec<String>) -> Self {
        // Counting sees both sides of each game, so its warning about the point of view is more
        // reliable and replaces that of the fit.
        let has_view =
            |warnings: &[String]| warnings.iter().any(|own| own.starts_with("point of view"));
        if has_view(&counting) {
            self.warnings
                .retain(|own| !own.starts_with("point of view"));
        }
        self.warnings.splice(0..0, counting);
        self
    }

    /// Computes the standard errors and the held-out test, or the reason why they are missing.
    fn test(
        &mut self,
        counts: &Counts,
        options: &FitOptions,
        resampling: ResampleOptions,
        games: Option<&Resamples>,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<(), FitError> {
        let report = self;
        let ResampleOptions {
            resamples, folds, ..
        } = resampling;
        if resamples == 0 && folds == 0 {
            return Ok(());
        }
        let Some(games) = games else {
            report.missing = Some(why_no_groups(counts, options));
            return Ok(());
        };
        if resamples > 0 {
            report.uncertainty = Uncertainty::new(&report.fit, games, cancel, reporter)?;
            if report.uncertainty.is_none() && resamples >= 2 {
                report.missing = Some(
                    "no errors: more than a tenth of the resamples have no model; count more games"
                        .to_owned(),
                );
            }
        }
        if folds > 0 && options.method != Method::Density {
            report.held_out = HeldOut::new(&report.fit, games, cancel)?;
            if report.held_out.is_none() && report.missing.is_none() {
                let why = format!(
                    "no test on games held out: one of {folds} folds has no positions or no model; count more games"
                );
                report.missing = Some(why);
            }
        }
        Ok(())
    }

    /// Returns the number of independent positions that would give the same standard error of
    /// NormalizeToPawnValue; `None` without standard errors.
    pub fn effective_positions(&self) -> Option<f64> {
        let (error, naive) = (
            self.uncertainty.as_ref()?.normalize_to_pawn_value.error,
            self.fit.naive_error?,
        );
        Some(self.fit.retained.iter().sum::<f64>() * (naive / error).powi(2))
            .filter(|positions| positions.is_finite())
    }

    /// Returns the curve; `None` unless `a` and `b` are cubics of one argument.
    pub fn curve(&self) -> Option<Curve> {
        self.fit.model().map(Curve::Wdl)
    }

    /// Returns the curve file; `None` as for [`curve`](Self::curve). Its range is
    /// [narrowed](centipawn_core::WdlModel::narrowed) to where the model is valid.
    pub fn curve_file(&self, provenance: Option<Provenance>) -> Option<CurveFile> {
        let curve = match self.curve()? {
            Curve::Wdl(model) => Curve::Wdl(model.narrowed().unwrap_or(model)),
            curve => curve,
        };
        Some(CurveFile { curve, provenance })
    }

    /// Returns the report as text.
    pub fn text(&self) -> String {
        let fit = &self.fit;
        let selection = &fit.options.selection;
        let by = selection.by;
        let mut text = String::new();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<22} {value}");
        };
        self.warnings
            .iter()
            .for_each(|warning| row("Warning", warning.clone()));
        let [wins, draws, losses] = fit.retained.map(|count| thousands(count as u64));
        row(
            "Positions",
            format!("{wins} won, {draws} drawn, {losses} lost"),
        );
        row(
            "Within",
            format!(
                "moves {} to {}, material {} to {}, evaluations to ±{:.2}",
                selection.moves.0,
                selection.moves.1,
                selection.material.0,
                selection.material.1,
                f64::from(selection.eval_max) / 100.0
            ),
        );
        let units = match selection.units {
            Units::Fixed(units) => format!("{units} units a pawn"),
            Units::Model(model) => format!(
                "{} units a pawn at {}, elsewhere by the engine's own model",
                selection.units.pawn(),
                model.divisor
            ),
        };
        row("Evaluations", units);
        row(
            "Model",
            format!(
                "{}, by {}, {}",
                fit.options.shape.name(),
                by.name(),
                fit.options.method.name()
            ),
        );
        if let Some((before, after)) = fit.objective {
            let (what, then) = match fit.options.method {
                Method::Probability => ("mean -ln p", "before all rows were fitted together"),
                Method::Score => (
                    "root of the mean squared error",
                    "before all rows were fitted together",
                ),
                Method::Density => (
                    "mean squared error of the share won",
                    "with a and b of each row by itself",
                ),
            };
            row(
                "Objective",
                format!("{after:.10} ({what}; {before:.10} {then})"),
            );
        }
        if let Some(HeldOut {
            folds,
            fitted,
            held_out,
        }) = self.held_out
        {
            row(
                "Log loss",
                format!(
                    "{held_out:.6} in games held out ({folds} folds), {fitted:.6} in those fitted"
                ),
            );
        }
        let sure = self.uncertainty.as_ref();
        let number = |value: f64, digits: usize, estimate: Option<Estimate>| match estimate {
            None => format!("{value:.digits$}"),
            Some(Estimate {
                error,
                interval: (low, high),
                ..
            }) => {
                format!("{value:.digits$} ± {error:.digits$} ({low:.digits$} to {high:.digits$})")
            }
        };
        row(
            "NormalizeToPawnValue",
            number(
                fit.normalize_to_pawn_value(),
                2,
                sure.map(|sure| sure.normalize_to_pawn_value),
            ),
        );
        row(
            "Spread",
            number(fit.spread(), 2, sure.map(|sure| sure.spread)),
        );
        row(
            "Normalised spread",
            format!("{:.4}", fit.spread() / fit.normalize_to_pawn_value()),
        );
        let target = format!(
            "{} {}",
            if by == By::Move { "move" } else { "material" },
            fit.options.target
        );
        row(
            "Draw rate at 0.00",
            format!(
                "{} ({target})",
                number(fit.draw_rate(), 4, sure.map(|sure| sure.draw_rate))
            ),
        );
        if let Some(sure) = sure {
            let worth = self.effective_positions().map(|positions| {
                format!(
                    "; the positions are worth {} independent ones",
                    thousands(positions.round() as u64)
                )
            });
            let worth = worth.unwrap_or_default();
            row(
                "Errors",
                format!(
                    "standard errors and 95 % intervals of {} resamples by game{worth}",
                    sure.resamples
                ),
            );
        }
        if let Some(needed) = self.needed_games() {
            row(&format!("Games for ± {}", needed.error), needed.to_string());
        }
        if let Some(missing) = &self.missing {
            row("Missing", missing.clone());
        }
        if let Some(convergence) = self.convergence() {
            row("Convergence", convergence);
        }
        if let Some(uncertain) = self.uncertain() {
            row("Uncertain", uncertain);
        }
        if fit.options.method == Method::Score {
            row("Draws", self.draws_of_scores());
        }
        if let Some(without_width) = self.without_width() {
            row("No width", without_width);
        }
        if let Some(sparse) = self.sparse() {
            row("Few wins", sparse);
        }
        if let Some(unsound) = self.unsound() {
            row("No model", unsound);
        }
        match fit.cpp() {
            Some(cpp) => {
                let _ = write!(text, "\n{cpp}");
            }
            None => {
                text +=
                    "\nOf this shape there are no constants for Stockfish, and no curve file.\n";
            }
        }
        text
    }

    /// Returns what a user of the model must know besides its numbers, with the label of the
    /// report's line: warnings, missing standard errors, a fit that did not reach a minimum, and
    /// values where the model is uncertain or invalid.
    pub(super) fn cautions(&self) -> Vec<(&'static str, String)> {
        let ended = self.fit.convergence.zip(self.fit.objective);
        let is_minimum = ended.is_none_or(|(convergence, (before, after))| {
            convergence.is_minimum(if self.fit.options.method == Method::Density {
                before
            } else {
                after
            })
        });
        let mut all: Vec<_> = self
            .warnings
            .iter()
            .map(|warning| ("Warning", warning.clone()))
            .collect();
        let lines = [
            ("Missing", self.missing.clone()),
            ("Convergence", self.convergence().filter(|_| !is_minimum)),
            ("Uncertain", self.uncertain()),
            ("No width", self.without_width()),
            ("No model", self.unsound()),
        ];
        all.extend(
            lines
                .into_iter()
                .filter_map(|(name, text)| Some((name, text?))),
        );
        all
    }

    /// Returns the line about values at which `b` is 0.
    fn without_width(&self) -> Option<String> {
        let values = self.fit.without_width();
        let name = self.fit.options.selection.by.name();
        (!values.is_empty()).then(|| {
            format!(
                "{name} {}: b is held at 0, a model in which the evaluation alone decides; leave these out, or count more games",
                runs(&values)
            )
        })
    }

    /// Returns the line about values at which `a` or `b` is not above 0.
    fn unsound(&self) -> Option<String> {
        let values = self.fit.unsound();
        let name = self.fit.options.selection.by.name();
        (!values.is_empty()).then(|| {
            format!(
                "{name} {}: a or b is not above 0 there; leave these out, or count more games",
                runs(&values)
            )
        })
    }

    /// Returns the line about how the fit ended, if it is not at a minimum.
    fn convergence(&self) -> Option<String> {
        let (convergence, (before, after)) = (self.fit.convergence?, self.fit.objective?);
        // With the method density, the separate fits of rows reach their minimum before the cubics
        // are fitted.
        let (objective, of_rows) = if self.fit.options.method == Method::Density {
            (before, "each row ")
        } else {
            (after, "")
        };
        let condition = convergence
            .condition
            .map_or("not convex".to_owned(), |condition| {
                format!("condition {condition:.0}")
            });
        let end = match convergence.remaining {
            _ if convergence.is_minimum(objective) => format!("{of_rows}at a minimum"),
            Some(remaining) => format!("the objective can still fall by about {remaining:.1e}"),
            None => "no minimum: more games may give one".to_owned(),
        };
        Some(format!(
            "{end}; gradient {:.0e}, {condition}",
            convergence.gradient
        ))
    }

    /// Returns the line about values at which the model is much less certain than the standard
    /// errors in the report suggest.
    fn uncertain(&self) -> Option<String> {
        const LARGEST: f64 = 0.1;
        let band = &self.uncertainty.as_ref()?.band;
        let wide = |own: &&super::Band| {
            let is_wide = |estimate: Estimate| estimate.error > LARGEST * estimate.value.abs();
            is_wide(own.a) || is_wide(own.b)
        };
        let values: Vec<u32> = band.iter().filter(wide).map(|own| own.value).collect();
        let by = self.fit.options.selection.by.name();
        let runs = (!values.is_empty()).then(|| runs(&values))?;
        Some(format!(
            "{by} {runs}: a or b has a standard error above 10 %; count more games, or leave these out"
        ))
    }

    /// Returns the line about what a fit of scores implies for draws.
    fn draws_of_scores(&self) -> String {
        let (without, by) = (
            self.fit.without_draws(),
            self.fit.options.selection.by.name(),
        );
        let edge = match without.is_empty() {
            true => String::new(),
            false => format!(
                "; at {by} {} a is held at 0, a model without draws",
                runs(&without)
            ),
        };
        format!(
            "not counted by this method: a and -a have the same score, and a > 0 is taken{edge}; the method probability counts draws"
        )
    }

    /// Returns the line about values without a separate fit, and how they enter the model.
    fn sparse(&self) -> Option<String> {
        let sparse = &self.fit.sparse;
        if sparse.is_empty() {
            return None;
        }
        let runs = runs(sparse);
        let win_min = self.fit.options.win_min;
        let what = match (self.fit.options.method, self.fit.options.shape) {
            (Method::Density, _) => "left out",
            (_, Shape::Spline) => "held by their neighbours, the less the more games they have",
            _ => "not fitted by themselves, they count with all others",
        };
        Some(format!(
            "{} {}: under {win_min}, {what}",
            self.fit.options.selection.by.name(),
            runs
        ))
    }
}

/// Returns the reason why the standard errors of a fit cannot be computed from these counts.
fn why_no_groups(counts: &Counts, options: &FitOptions) -> String {
    let selection = &options.selection;
    if selection.by == By::Both {
        return "no errors for a model by material and move: there are too many of both".to_owned();
    }
    if counts.groups().is_none() {
        let why =
            "the counts do not record which positions belong to one game, like WDL_model's JSON";
        return format!("no errors: {why}; count the games with `wdl count`");
    }
    "no errors: the counts by game are of moves 1 to 120, or of material 17 to 78 for a model by move, in the games' own \
     centipawns; `wdl run` counts them with these limits and in these pawns"
        .to_owned()
}

/// Formats values as ranges: `1 to 5, 54`.
pub(super) fn runs(values: &[u32]) -> String {
    let runs = values.chunk_by(|one, next| one + 1 == *next);
    let texts: Vec<_> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first} to {last}"),
            _ => run.iter().map(u32::to_string).collect(),
        })
        .collect();
    texts.join(", ")
}
