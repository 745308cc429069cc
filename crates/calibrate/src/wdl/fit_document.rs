//! A fitted model as a JSON document.

use centipawn_core::Curve;
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{Convergence, Estimate, FitReport, HeldOut, Method, RowFit, Shape, Units};

/// A model as JSON: `fit.json` of `wdl run`, and `wdl fit --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitDocument {
    /// The objective.
    pub method: Method,
    /// The argument of the rows: `material`, `move`, `material and move`.
    pub by: String,
    /// The family of functions for `a` and `b`.
    pub shape: Shape,
    /// The value of the argument at which a cubic's coefficients add up to `a` or `b`.
    pub target: f64,
    /// First and last full move.
    pub moves: (u32, u32),
    /// Least and most material of both sides.
    pub material: (u32, u32),
    /// Largest evaluation used, in hundredths of a pawn.
    pub eval_max: u32,
    /// Internal units in a pawn, or the model that determines them.
    pub units: Units,
    /// Positions to which the model was fitted.
    pub positions: Positions,
    /// The objective before and after the fit.
    pub objective: Option<Objective>,
    /// `a` at the target, in internal units: the size of a pawn with which +1.00 wins half of the
    /// games.
    pub normalize_to_pawn_value: f64,
    /// The width `b` at the target, in internal units.
    pub spread: f64,
    /// Probability of a draw at evaluation 0 and the target, 0..=1.
    pub draw_rate: f64,
    /// Weights of `a` in internal units. For cubics they are the coefficients, highest power first.
    #[serde(rename = "as")]
    pub a: Vec<f64>,
    /// Weights of `b` in internal units, in the same order.
    #[serde(rename = "bs")]
    pub b: Vec<f64>,
    /// Separate fits of single rows.
    pub rows: Vec<RowFit>,
    /// Values of the argument with too few wins for a separate fit.
    pub few_wins: Vec<u32>,
    /// Values of the argument at which `a` or `b` is not above 0.
    pub no_model: Vec<u32>,
    /// Standard errors from resampled games, if they were computed.
    pub errors: Option<Errors>,
    /// Number of independent positions that would give the same standard error of
    /// `normalize_to_pawn_value`, if errors were computed.
    #[serde(default)]
    pub effective_positions: Option<f64>,
    /// The state in which the fit ended.
    #[serde(default)]
    pub convergence: Option<Convergence>,
    /// Log loss on held-out games, if it was computed.
    pub held_out: Option<HeldOut>,
    /// Warnings about the games, each with its cause.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The curve, with its range narrowed to where the model is valid; `null` unless `a` and `b`
    /// are cubics of one argument that are above 0 somewhere.
    pub curve: Option<Curve>,
    /// The name of the file of counts, if several are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Number of positions by result for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Positions {
    /// Positions that the side to move won.
    pub wins: f64,
    /// Positions that were drawn.
    pub draws: f64,
    /// Positions that the side to move lost.
    pub losses: f64,
}

/// The objective before and after all rows were fitted together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Objective {
    /// The objective with cubics through the rows. For the method density, with `a` and `b` of each
    /// row.
    pub before: f64,
    /// The objective of the final model.
    pub after: f64,
}

/// Standard errors of a model, from resampled games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Errors {
    /// Number of resamples to which a model could be fitted.
    pub resamples: usize,
    /// Estimate of `normalize_to_pawn_value`.
    pub normalize_to_pawn_value: Estimate,
    /// Estimate of `spread`.
    pub spread: Estimate,
    /// Estimate of `draw_rate`.
    pub draw_rate: Estimate,
    /// Estimates of the weights of `a`.
    #[serde(rename = "as")]
    pub a: Vec<Estimate>,
    /// Estimates of the weights of `b`.
    #[serde(rename = "bs")]
    pub b: Vec<Estimate>,
    /// Covariance matrix of all weights, those of `a` before those of `b`, row by row. Empty if no
    /// resample could be fitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covariance: Vec<Vec<f64>>,
    /// The weights fitted to each resample, those of `a` before those of `b`. Empty if no resample
    /// could be fitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<Vec<f64>>,
}

impl FitReport {
    /// Returns the report as a JSON document.
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
            positions: Positions {
                wins,
                draws,
                losses,
            },
            objective: fit
                .objective
                .map(|(before, after)| Objective { before, after }),
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
                covariance: sure.covariance(),
                draws: sure.draws.clone(),
            }),
            effective_positions: self.effective_positions(),
            held_out: self.held_out,
            convergence: fit.convergence,
            warnings: self.warnings.clone(),
            curve: self
                .curve_file(None)
                .map(|file| file.curve)
                .filter(|curve| curve.check().is_ok()),
            provenance,
        }
    }
}
