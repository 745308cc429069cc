//! Detects data that cannot determine a model.

use super::{
    Feature, FitError, FitOptions, Target, data::Data, likelihood::Problem, matrix::inverse,
};
use crate::newton::solve;

/// Fewest decisive games needed for a fit.
const LEAST_DECISIVE: u64 = 30;

/// A coefficient or standard error beyond this, in logits (odds of e^20 to one), diverges: the
/// games do not determine it.
const ENDLESS: f64 = 20.0;

/// Checks that the rows determine the model.
pub(super) fn check(data: &Data, options: &FitOptions) -> Result<(), FitError> {
    if data.groups() == 0 && data.without_term > 0 {
        return Err(FitError::NoRatings);
    }
    if data.groups() == 0 {
        return Err(if options.target == Target::Search {
            FitError::NoEvaluations
        } else {
            FitError::NoRows
        });
    }
    let decisive = data.decisive[0] + data.decisive[1];
    if options.target == Target::Result && decisive < LEAST_DECISIVE {
        return Err(FitError::TooFewDecisive {
            decisive,
            needed: LEAST_DECISIVE,
        });
    }
    if options.method.has_draws() && data.counts.iter().all(|counts| counts[1] == 0.0) {
        return Err(FitError::NoDraws {
            method: options.method,
        });
    }
    independent(&data.x, &data.features, data)?;
    independent(&data.z, &data.draw_features, data)
}

/// Checks that no feature is zero in all rows or a linear combination of others.
fn independent(values: &[f64], features: &[Feature], data: &Data) -> Result<(), FitError> {
    // A column whose residual is below this relative size depends on the others; the rest is
    // rounding.
    const NOTHING: f64 = 1e-9;
    let n = features.len();
    let mut gram = vec![0.0; n * n];
    for (row, counts) in values.chunks_exact(n.max(1)).zip(&data.counts) {
        let count: f64 = counts.iter().sum();
        for at in 0..n * n {
            gram[at] += count * row[at / n] * row[at % n];
        }
    }
    for own in 0..n {
        let whole = gram[own * n + own];
        if whole <= 0.0 {
            return Err(FitError::Absent {
                feature: features[own],
            });
        }
        let before = |row: usize| (0..own).map(move |column| row * n + column);
        let square: Vec<f64> = (0..own).flat_map(before).map(|at| gram[at]).collect();
        let scale: Vec<f64> = (0..own)
            .map(|index| gram[index * n + index].sqrt())
            .collect();
        let scaled: Vec<f64> = (0..own * own)
            .map(|at| square[at] / scale[at / own] / scale[at % own])
            .collect();
        let right: Vec<f64> = (0..own)
            .map(|index| gram[own * n + index] / scale[index])
            .collect();
        let Some(parts) = solve(scaled, right.clone()) else {
            continue;
        };
        let explained: f64 = parts
            .iter()
            .zip(&right)
            .map(|(part, right)| part * right)
            .sum();
        if whole - explained <= NOTHING * whole {
            let is_part = |index: &usize| (parts[*index] / scale[*index]).abs() > 1e-6;
            let others = (0..own)
                .filter(is_part)
                .map(|index| features[index])
                .collect();
            return Err(FitError::Collinear {
                feature: features[own],
                others,
            });
        }
    }
    Ok(())
}

/// Returns the coefficient that diverges, if there is one, and whether it is positive. The
/// optimiser stops such a coefficient at the limit of floating-point numbers, with an enormous
/// error.
pub(super) fn endless(problem: &Problem<'_>, point: &[f64]) -> Option<(Feature, bool)> {
    let n = point.len();
    let theta = &point[..problem.data.features.len()];
    let error = inverse(&problem.derivatives(point).bend, n);
    let error = |index: usize| error.as_ref().map(|error| error[index * n + index].sqrt());
    let is_endless = |index: &usize| {
        !theta[*index].is_finite()
            || theta[*index].abs() > ENDLESS
            || error(*index).is_none_or(|own| own > ENDLESS)
    };
    if !(0..theta.len()).any(|index| is_endless(&index)) {
        return None;
    }
    let size = |index: &usize| error(*index).unwrap_or(theta[*index].abs());
    let index = (0..theta.len()).max_by(|a, b| size(a).total_cmp(&size(b)))?;
    Some((problem.data.features[index], theta[index] > 0.0))
}
