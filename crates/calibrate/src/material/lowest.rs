//! Finds the coefficients with the highest likelihood.

use centipawn_progress::Cancel;

use super::{Feature, FitError, Method, check::endless, data::Data, likelihood::Problem};
use crate::newton::minimize;

/// Weight of the article's penalty on the sum of squared coefficients.
const RIDGE: f64 = 1e-6;

/// Returns the loss to minimise for these counts.
pub(super) fn problem<'a>(data: &'a Data, counts: &'a [[f64; 3]]) -> Problem<'a> {
    let ridge = if data.method == Method::Classic {
        RIDGE
    } else {
        0.0
    };
    Problem {
        data,
        counts,
        ridge,
    }
}

/// Returns the coefficients that maximise the likelihood of the counts.
pub(super) fn lowest(
    data: &Data,
    counts: &[[f64; 3]],
    cancel: &Cancel,
) -> Result<Vec<f64>, FitError> {
    let problem = problem(data, counts);
    for (place, feature) in data.draw_features.iter().enumerate() {
        let drawn = counts
            .iter()
            .enumerate()
            .any(|(group, counts)| counts[1] > 0.0 && data.z_of(group)[place] != 0.0);
        if let (Feature::Term(term), false) = (*feature, drawn) {
            return Err(FitError::NeverDrawn { term });
        }
    }
    // Fit without the penalty first, because the penalty would hide a coefficient that diverges.
    let free = minimize(
        &Problem {
            ridge: 0.0,
            ..problem
        },
        &start(data, counts),
        cancel,
    );
    cancel.check()?;
    if let Some((feature, wins)) = endless(
        &Problem {
            ridge: 0.0,
            ..problem
        },
        &free.point,
    ) {
        return Err(FitError::Separated { feature, wins });
    }
    if !free.converged {
        return Err(FitError::NoLowestPoint);
    }
    if problem.ridge == 0.0 {
        return Ok(free.point);
    }
    let minimum = minimize(&problem, &free.point, cancel);
    cancel.check()?;
    if minimum.converged {
        Ok(minimum.point)
    } else {
        Err(FitError::NoLowestPoint)
    }
}

/// Returns the point at which the optimiser starts: no advantages, and the observed share of draws.
fn start(data: &Data, counts: &[[f64; 3]]) -> Vec<f64> {
    let mut point = vec![0.0; data.parameters()];
    if data.method.has_draws() {
        let total: f64 = counts.iter().flatten().sum();
        let draws: f64 = counts.iter().map(|counts| counts[1]).sum();
        let share = (draws / total).clamp(0.01, 0.99);
        let odds = if data.method == Method::Ordered {
            (1.0 + share) / (1.0 - share)
        } else {
            2.0 * share / (1.0 - share)
        };
        point[data.features.len()] = odds.ln();
    }
    point
}
