//! A report on a fitted model: as text, as a curve file, as JSON.

use std::fmt::Write as _;

use centipawn_core::Curve;
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{By, Estimate, Fit, HeldOut, Method, RowFit, Shape, Uncertainty, Units};
use crate::{CurveFile, text::thousands};

/// A model with its errors and its held-out test.
#[derive(Clone, Debug)]
pub struct FitReport {
    /// The model.
    pub fit: Fit,
    /// Errors by resampled games, if they were computed.
    pub uncertainty: Option<Uncertainty>,
    /// The test on held-out games, if it was computed.
    pub held_out: Option<HeldOut>,
}

impl FitReport {
    /// The curve; `None` unless `a` and `b` are cubics of one argument.
    pub fn curve(&self) -> Option<Curve> {
        self.fit.model().map(Curve::Wdl)
    }

    /// The curve file; `None` as for [`curve`](Self::curve).
    pub fn curve_file(&self, provenance: Option<Provenance>) -> Option<CurveFile> {
        Some(CurveFile { curve: self.curve()?, provenance })
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let fit = &self.fit;
        let selection = &fit.options.selection;
        let by = selection.by;
        let mut text = String::new();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<22} {value}");
        };
        let [wins, draws, losses] = fit.retained.map(|count| thousands(count as u64));
        row("Positions", format!("{wins} won, {draws} drawn, {losses} lost"));
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
            Units::Model(model) => format!("as many units a pawn as {model} has", model = Curve::Wdl(model)),
        };
        row("Evaluations", units);
        row("Model", format!("{}, by {}, {}", fit.options.shape.name(), by.name(), fit.options.method.name()));
        if let Some((before, after)) = fit.objective {
            let what =
                if fit.options.method == Method::Score { "root of the mean squared error" } else { "mean -ln p" };
            row("Objective", format!("{after:.10} ({what}; {before:.10} before all rows were fitted together)"));
        }
        if let Some(HeldOut { folds, fitted, held_out }) = self.held_out {
            row("Log loss", format!("{held_out:.6} in games held out ({folds} parts), {fitted:.6} in those fitted"));
        }
        let sure = self.uncertainty.as_ref();
        let number = |value: f64, digits: usize, estimate: Option<Estimate>| match estimate {
            None => format!("{value:.digits$}"),
            Some(Estimate { error, interval: (low, high), .. }) => {
                format!("{value:.digits$} ± {error:.digits$} ({low:.digits$} to {high:.digits$})")
            }
        };
        row(
            "NormalizeToPawnValue",
            number(fit.normalize_to_pawn_value(), 2, sure.map(|sure| sure.normalize_to_pawn_value)),
        );
        row("Spread", number(fit.spread(), 2, sure.map(|sure| sure.spread)));
        row("Normalised spread", format!("{:.4}", fit.spread() / fit.normalize_to_pawn_value()));
        let target = format!("{} {}", if by == By::Move { "move" } else { "material" }, fit.options.target);
        row("Draw rate at 0.00", format!("{} ({target})", number(fit.draw_rate(), 4, sure.map(|sure| sure.draw_rate))));
        if let Some(sure) = sure {
            row("Errors", format!("standard errors and 95 % intervals of {} resamples", sure.resamples));
        }
        if let Some(sparse) = self.sparse() {
            row("Few wins", sparse);
        }
        let unsound = fit.unsound();
        if !unsound.is_empty() {
            let (values, name) = (runs(&unsound), by.name());
            row(
                "No model",
                format!("{name} {values}: a or b is not above 0 there; leave these out, or count more games"),
            );
        }
        match fit.cpp() {
            Some(cpp) => {
                let _ = write!(text, "\n{cpp}");
            }
            None => text += "\nOf this shape there are no constants for Stockfish, and no curve file.\n",
        }
        text
    }

    /// Values not fitted alone, and how they enter the model.
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
        Some(format!("{} {}: under {win_min}, {what}", self.fit.options.selection.by.name(), runs))
    }

    /// The report as a JSON document.
    pub fn document(&self, provenance: Option<Provenance>) -> FitDocument {
        let fit = &self.fit;
        let selection = fit.options.selection;
        let [wins, draws, losses] = fit.retained;
        FitDocument {
            counts: None,
            method: fit.options.method,
            by: selection.by.name().to_owned(),
            shape: fit.options.shape,
            target: fit.options.target,
            moves: selection.moves,
            material: selection.material,
            eval_max: selection.eval_max,
            units: selection.units,
            positions: Positions { wins, draws, losses },
            objective: fit.objective.map(|(before, after)| Objective { before, after }),
            normalize_to_pawn_value: fit.normalize_to_pawn_value(),
            spread: fit.spread(),
            draw_rate: fit.draw_rate(),
            a: fit.a.clone(),
            b: fit.b.clone(),
            rows: fit.rows.clone(),
            few_wins: fit.sparse.clone(),
            no_model: fit.unsound(),
            errors: self.uncertainty.as_ref().map(|sure| Errors {
                resamples: sure.resamples,
                normalize_to_pawn_value: sure.normalize_to_pawn_value,
                spread: sure.spread,
                draw_rate: sure.draw_rate,
                a: sure.a.clone(),
                b: sure.b.clone(),
            }),
            held_out: self.held_out,
            curve: self.curve(),
            provenance,
        }
    }
}

/// A model as JSON: `fit.json` of `wdl run`, `wdl fit --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitDocument {
    /// The objective.
    pub method: Method,
    /// The rows' argument: `material`, `move`, `material and move`.
    pub by: String,
    /// The family of functions for `a` and `b`.
    pub shape: Shape,
    /// The value at which a cubic's coefficients add up to `a` or `b`.
    pub target: f64,
    /// First and last full move.
    pub moves: (u32, u32),
    /// Least and most material of both sides.
    pub material: (u32, u32),
    /// Largest evaluation in hundredths of a pawn.
    pub eval_max: u32,
    /// Internal units in a pawn, or the model that determines them.
    pub units: Units,
    /// Positions that the model was fitted to.
    pub positions: Positions,
    /// Value of the objective; `null` for the method density.
    pub objective: Option<Objective>,
    /// Internal units in a pawn at the target, so that +1.00 wins half of the games there.
    pub normalize_to_pawn_value: f64,
    /// The width `b` at the target, in internal units.
    pub spread: f64,
    /// Probability of a draw at evaluation 0 and the target, 0..=1.
    pub draw_rate: f64,
    /// Weights of `a` in internal units; for cubics the coefficients, highest power first.
    #[serde(rename = "as")]
    pub a: Vec<f64>,
    /// Weights of `b`, likewise.
    #[serde(rename = "bs")]
    pub b: Vec<f64>,
    /// Fits of single rows.
    pub rows: Vec<RowFit>,
    /// Values with too few wins for a fit of their own.
    pub few_wins: Vec<u32>,
    /// Values where `a` or `b` is not above 0.
    pub no_model: Vec<u32>,
    /// Errors by resampled games, if they were computed.
    pub errors: Option<Errors>,
    /// Log loss in held-out games, if it was computed.
    pub held_out: Option<HeldOut>,
    /// The curve; `null` unless `a` and `b` are cubics of one argument.
    pub curve: Option<Curve>,
    /// The file of counts, if several are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Positions by result for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Positions {
    /// Number of positions won.
    pub wins: f64,
    /// Number of positions drawn.
    pub draws: f64,
    /// Number of positions lost.
    pub losses: f64,
}

/// The objective before and after all rows were fitted together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// With cubics through the rows.
    pub before: f64,
    /// With the final model.
    pub after: f64,
}

/// Errors of a model by resampled games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Number of resamples to which a model could be fitted.
    pub resamples: usize,
    /// Error of `normalize_to_pawn_value`.
    pub normalize_to_pawn_value: Estimate,
    /// Error of `spread`.
    pub spread: Estimate,
    /// Error of `draw_rate`.
    pub draw_rate: Estimate,
    /// Errors of the weights of `a`.
    #[serde(rename = "as")]
    pub a: Vec<Estimate>,
    /// Errors of the weights of `b`.
    #[serde(rename = "bs")]
    pub b: Vec<Estimate>,
}

/// Consecutive values as ranges: `1 to 5, 54`.
fn runs(values: &[u32]) -> String {
    let runs = values.chunk_by(|one, next| one + 1 == *next);
    let texts: Vec<_> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first} to {last}"),
            _ => run.iter().map(u32::to_string).collect(),
        })
        .collect();
    texts.join(", ")
}
