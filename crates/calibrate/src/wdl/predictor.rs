//! Predictions of a model with standard errors from its resamples.

use centipawn_core::{Argument, Context, Curve, Wdl, WdlModel};
use serde::{Deserialize, Serialize};

use super::{Estimate, FitDocument, FitReport, rates::rates};

/// A win/draw/loss model with the coefficients of its resamples (draws), which predicts results
/// with standard errors.
///
/// The error of a prediction is the error of the model, from resampled games, so it includes the
/// correlation of all coefficients. The evaluation in pawns is converted to internal units by the
/// model itself, not by each resample, because the engine's output does not depend on them.
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
    /// The middle `a` and the width `b` of the win rate, in internal units.
    pub parameters: (f64, f64),
    /// The standard errors; `None` if the model has no draws.
    pub errors: Option<PredictionErrors>,
}

/// The standard errors of a [`Prediction`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PredictionErrors {
    /// Estimate of the probability of a win.
    pub win: Estimate,
    /// Estimate of the probability of a draw.
    pub draw: Estimate,
    /// Estimate of the probability of a loss.
    pub loss: Estimate,
    /// Estimate of the expected score, win + draw/2.
    pub expected_score: Estimate,
    /// Estimate of the middle `a` of the win rate, in internal units.
    pub a: Estimate,
    /// Estimate of the width `b` of the win rate, in internal units.
    pub b: Estimate,
}

impl Predictor {
    /// Creates a predictor from a model and, for each resample, the coefficients of `a` followed by
    /// those of `b`. Draws with another number of coefficients are ignored.
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

    /// Creates a predictor from a document; `None` if the document has no curve.
    pub fn of_document(fit: &FitDocument) -> Option<Self> {
        let draws = fit.errors.as_ref().map_or(&[][..], |errors| &errors.draws);
        Self::of_curve(fit.curve?, draws)
    }

    /// Creates a predictor from a report; `None` as for [`FitReport::curve_file`].
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

    /// Returns the variable on which `a` and `b` depend.
    pub fn argument(&self) -> Argument {
        self.model.argument
    }

    /// Returns the number of draws of the weights from which standard errors are computed; 0 if
    /// there are none.
    pub fn draws(&self) -> usize {
        self.draws.len()
    }

    /// Predicts the result for the side to move, at an evaluation in pawns from its side.
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
    fn predictions_equal_the_curve() {
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
    fn errors_follow_from_the_draws() {
        // The model has a = 100 units with an error of 10, and a known b. Near a, W then changes by
        // 1/(4b) for each unit.
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
        // Draws of another family of functions do not fit this model and are ignored.
        assert_eq!(
            Predictor::new(model, &[vec![1.0; 9], vec![2.0; 9]]).draws(),
            0
        );
    }

    #[test]
    fn covariances_are_those_of_the_draws() {
        use crate::wdl::covariance;

        let draws = [vec![1.0, 2.0], vec![2.0, 4.0], vec![3.0, 6.0]];
        assert_eq!(covariance(&draws), [[1.0, 2.0], [2.0, 4.0]]);
        assert!(covariance(&[]).is_empty());
    }
}
