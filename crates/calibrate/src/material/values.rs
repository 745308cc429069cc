//! Converts coefficients to pawns.

use super::{Feature, Fit, matrix::form};
use crate::TWO_SIDED;

/// The value of a feature, in hundredths of a pawn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Value {
    /// The feature.
    pub feature: Feature,
    /// The value; that of a pawn is 100.
    pub value: f64,
    /// Standard error, clustered by game. That of the pawn is 0, because it is the unit.
    pub error: f64,
    /// Standard error as if rows were independent, which is too small.
    pub model_error: f64,
    /// Standard deviation over the resamples; `None` without resamples.
    pub resamples_error: Option<f64>,
    /// 95 % interval from the resamples; without them, the value ± 1.96 standard errors.
    pub interval: (f64, f64),
}

/// The pawn's coefficient is not significantly above zero, so it cannot be the unit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "a pawn's value, {value:.3} ± {error:.3} logits, is not two errors above zero, so there is no unit of pawns: \
     the report shows logits; give more games"
)]
pub struct PawnUncertain {
    /// The pawn's coefficient, in logits.
    pub value: f64,
    /// Standard error of the coefficient, in logits.
    pub error: f64,
}

impl Fit {
    /// Returns the pawn's coefficient, in logits, which is the unit of [`values`](Self::values).
    ///
    /// # Errors
    ///
    /// [`PawnUncertain`], if it is less than two standard errors above zero, because quotients by
    /// it would be arbitrary.
    pub fn pawn(&self) -> Result<f64, PawnUncertain> {
        let super::Coefficient { value, error, .. } = self.coefficients[0];
        // The comparison also refuses NaN.
        if value > 2.0 * error {
            Ok(value)
        } else {
            Err(PawnUncertain { value, error })
        }
    }

    /// Returns the values of pieces, terms and the first move, in hundredths of a pawn, in the
    /// order of the coefficients.
    ///
    /// # Errors
    ///
    /// [`PawnUncertain`], as for [`pawn`](Self::pawn).
    pub fn values(&self) -> Result<Vec<Value>, PawnUncertain> {
        let pawn = self.pawn()?;
        let of = |(index, own): (usize, &super::Coefficient)| {
            if index == 0 {
                let resamples_error = (!self.resamples.is_empty()).then_some(0.0);
                let (error, interval) = (0.0, (100.0, 100.0));
                return Value {
                    feature: own.feature,
                    value: 100.0,
                    error,
                    model_error: error,
                    resamples_error,
                    interval,
                };
            }
            let slope = self.value_slope(index);
            let value = 100.0 * own.value / pawn;
            let error = self.error_along(&slope);
            let over = OverResamples::new(
                self.resamples
                    .iter()
                    .map(|own| 100.0 * own[index] / own[0])
                    .collect(),
            );
            let around = (value - TWO_SIDED * error, value + TWO_SIDED * error);
            Value {
                feature: own.feature,
                value,
                error,
                model_error: form(&slope, &self.model_covariance, &slope).max(0.0).sqrt(),
                resamples_error: over.as_ref().map(|over| over.error),
                interval: over.map_or(around, |over| over.interval),
            }
        };
        Ok(self
            .coefficients
            .iter()
            .enumerate()
            .take_while(|(_, own)| own.feature != Feature::Width)
            .map(of)
            .collect())
    }

    /// Returns the gradient of a value by all coefficients.
    pub(super) fn value_slope(&self, index: usize) -> Vec<f64> {
        let mut weights = vec![0.0; self.coefficients.len()];
        weights[index] = 1.0;
        self.slope_in_pawns(&weights)
    }

    /// Returns the gradient, by all coefficients, of their weighted sum in hundredths of a pawn. It
    /// has a part by the pawn's coefficient, because that is an estimate too.
    pub(super) fn slope_in_pawns(&self, weights: &[f64]) -> Vec<f64> {
        let pawn = self.coefficients[0].value;
        let mut slope: Vec<f64> = weights.iter().map(|weight| 100.0 * weight / pawn).collect();
        slope[0] -= 100.0 * self.sum(weights) / (pawn * pawn);
        slope
    }

    /// Returns the weighted sum of the coefficients.
    pub(super) fn sum(&self, weights: &[f64]) -> f64 {
        self.coefficients
            .iter()
            .zip(weights)
            .map(|(own, weight)| own.value * weight)
            .sum()
    }

    /// Returns the standard error, clustered by game, of a function of the coefficients with this
    /// gradient.
    pub(super) fn error_along(&self, slope: &[f64]) -> f64 {
        form(slope, &self.covariance, slope).max(0.0).sqrt()
    }

    /// Returns the 95 % interval of a coefficient, in logits: from the resamples, or without them ±
    /// 1.96 standard errors.
    pub fn interval(&self, index: usize) -> (f64, f64) {
        let own = self.coefficients[index];
        let around = (
            own.value - TWO_SIDED * own.error,
            own.value + TWO_SIDED * own.error,
        );
        OverResamples::new(self.resamples.iter().map(|own| own[index]).collect())
            .map_or(around, |over| over.interval)
    }
}

/// Error and interval of a number, from its values over the resamples.
struct OverResamples {
    error: f64,
    interval: (f64, f64),
}

impl OverResamples {
    fn new(mut numbers: Vec<f64>) -> Option<Self> {
        if numbers.len() < 2 {
            return None;
        }
        numbers.sort_by(f64::total_cmp);
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let error =
            (numbers.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
        let at = |share: f64| {
            let place = share * (count - 1.0);
            let (below, above) = (
                numbers[place.floor() as usize],
                numbers[place.ceil() as usize],
            );
            below + (above - below) * place.fract()
        };
        Some(Self {
            error,
            interval: (at(0.025), at(0.975)),
        })
    }
}
