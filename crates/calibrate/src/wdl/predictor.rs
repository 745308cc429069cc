//! Predictions of a model with their errors: over the draws of its resamples.

use centipawn_core::{Argument, Context, Curve, Wdl, WdlModel};
use serde::{Deserialize, Serialize};

use super::{Estimate, FitDocument, FitReport, rates::rates};

/// A win/draw/loss model with draws of its coefficients, which predicts results with errors.
///
/// The error of a prediction is that of the model: by resampled games, with the correlation of all
/// coefficients. An evaluation in pawns becomes internal units by the model itself, not by its
/// draws, since the engine prints what it prints.
///
/// ```
/// use centipawn_calibrate::wdl::Predictor;
/// use centipawn_core::{Context, WdlModel};
///
/// let model = WdlModel::stockfish("18").unwrap();
/// let weights = |by: f64| model.a.iter().chain(&model.b).map(|weight| weight * by).collect::<Vec<_>>();
/// let predictor = Predictor::new(model, &[weights(0.98), weights(1.0), weights(1.02)]);
/// let predicted = predictor.predict(1.0, Context::default());
/// assert!((predicted.wdl.win - 0.5).abs() < 1e-9);
/// assert!(predicted.errors.unwrap().win.error > 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct Predictor {
    model: WdlModel,
    draws: Vec<WdlModel>,
}

/// The prediction of a model for an evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// Probabilities of win, draw and loss, each 0..=1.
    pub wdl: Wdl,
    /// The middle `a` and the width `b`, in internal units.
    pub parameters: (f64, f64),
    /// Their errors; `None` if the model has no draws.
    pub errors: Option<PredictionErrors>,
}

/// The errors of a [`Prediction`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PredictionErrors {
    /// Probability of a win.
    pub win: Estimate,
    /// Probability of a draw.
    pub draw: Estimate,
    /// Probability of a loss.
    pub loss: Estimate,
    /// Win plus half of draw.
    pub expected_score: Estimate,
    /// The middle of the win rate, in internal units.
    pub a: Estimate,
    /// Its width.
    pub b: Estimate,
}

impl Predictor {
    /// For a model, with the coefficients of `a`, then those of `b`, of each resample. Draws of
    /// another shape are left out.
    pub fn new(model: WdlModel, draws: &[Vec<f64>]) -> Self {
        let draw = |weights: &Vec<f64>| {
            let (a, b) = weights.split_at_checked(4)?;
            Some(WdlModel {
                a: a.try_into().ok()?,
                b: b.try_into().ok()?,
                ..model
            })
        };
        Self {
            model,
            draws: draws.iter().filter_map(draw).collect(),
        }
    }

    /// Of a document; `None` unless it has a curve.
    pub fn of_document(fit: &FitDocument) -> Option<Self> {
        let draws = fit.errors.as_ref().map_or(&[][..], |errors| &errors.draws);
        Self::of_curve(fit.curve?, draws)
    }

    /// Of a report; `None` as for [`FitReport::curve_file`].
    pub fn of_report(report: &FitReport) -> Option<Self> {
        let draws = report
            .uncertainty
            .as_ref()
            .map_or(&[][..], |sure| &sure.draws);
        Self::of_curve(report.curve_file(None)?.curve, draws)
    }

    fn of_curve(curve: Curve, draws: &[Vec<f64>]) -> Option<Self> {
        match curve {
            Curve::Wdl(model) => Some(Self::new(model, draws)),
            _ => None,
        }
    }

    /// What `a` and `b` depend on.
    pub fn argument(&self) -> Argument {
        self.model.argument
    }

    /// Number of draws behind the errors; 0 if there are none.
    pub fn draws(&self) -> usize {
        self.draws.len()
    }

    /// Win, draw and loss of the side to move at an evaluation in pawns from its side.
    pub fn predict(&self, pawns: f64, context: Context) -> Prediction {
        let limit = self.model.clamp.unwrap_or(f64::INFINITY);
        let internal = (pawns * self.model.units_per_pawn(context)).clamp(-limit, limit);
        let of = |model: &WdlModel| {
            let (a, b) = model.parameters(context);
            let [win, draw, loss] = rates(internal, a, b);
            [win, draw.max(0.0), loss, win + draw.max(0.0) / 2.0, a, b]
        };
        let value = of(&self.model);
        let [win, draw, loss, _, a, b] = value;
        let errors = (self.draws.len() > 1).then(|| {
            let all: Vec<[f64; 6]> = self.draws.iter().map(of).collect();
            let estimate = |index: usize| {
                Estimate::new(value[index], all.iter().map(|own| own[index]).collect())
            };
            PredictionErrors {
                win: estimate(0),
                draw: estimate(1),
                loss: estimate(2),
                expected_score: estimate(3),
                a: estimate(4),
                b: estimate(5),
            }
        });
        Prediction {
            wdl: Wdl { win, draw, loss },
            parameters: (a, b),
            errors,
        }
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::Pawn;

    use super::*;

    #[test]
    fn predictions_are_those_of_the_curve() {
        for version in WdlModel::stockfish_versions() {
            let model = WdlModel::stockfish(version).unwrap();
            let predictor = Predictor::new(model, &[]);
            for (pawns, material, ply) in
                [(0.0, 58, 64), (1.3, 20, 30), (-4.0, 78, 10), (30.0, 5, 300)]
            {
                let context = Context { material, ply };
                let (own, curve) = (predictor.predict(pawns, context), model.wdl(pawns, context));
                assert!(
                    (own.wdl.win - curve.win).abs() < 1e-12
                        && (own.wdl.loss - curve.loss).abs() < 1e-12
                );
                assert!(
                    (own.wdl.draw - curve.draw).abs() < 1e-12,
                    "{version} {pawns}"
                );
                assert_eq!(
                    (own.parameters, own.errors),
                    (model.parameters(context), None)
                );
            }
        }
    }

    #[test]
    fn the_error_is_that_of_the_draws() {
        // a is 100 units with an error of 10, b is known: near a, W moves by 1/(4b) a unit.
        let model = WdlModel {
            argument: Argument::Material,
            range: [17.0, 78.0],
            divisor: 58.0,
            a: [0.0, 0.0, 0.0, 100.0],
            b: [0.0, 0.0, 0.0, 50.0],
            pawn: Pawn::Normalised,
            clamp: None,
        };
        let draws: Vec<Vec<f64>> = [-10.0, 0.0, 10.0]
            .map(|by| vec![0.0, 0.0, 0.0, 100.0 + by, 0.0, 0.0, 0.0, 50.0])
            .to_vec();
        let errors = Predictor::new(model, &draws)
            .predict(1.0, Context::default())
            .errors
            .unwrap();
        assert_eq!((errors.a.error, errors.b.error), (10.0, 0.0));
        assert!((errors.win.error - 10.0 / 200.0).abs() < 1e-3, "{errors:?}");
        assert_eq!(errors.win.value, 0.5);
        // Draws of another family of functions are none of this model.
        assert_eq!(
            Predictor::new(model, &[vec![1.0; 9], vec![2.0; 9]]).draws(),
            0
        );
    }

    #[test]
    fn covariance_of_draws() {
        use crate::wdl::covariance;

        let draws = [vec![1.0, 2.0], vec![2.0, 4.0], vec![3.0, 6.0]];
        assert_eq!(covariance(&draws), [[1.0, 2.0], [2.0, 4.0]]);
        assert!(covariance(&[]).is_empty());
    }
}
