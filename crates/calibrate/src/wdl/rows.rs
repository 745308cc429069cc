//! Separate fits of single rows: `a` and `b` at one material or move.

use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};

use super::{
    Row, marquardt, powell,
    rates::{Folded, Loss, reference_objective, win_rate},
};
use crate::newton::{Function, Quadratic, minimize, solve};

/// A separate fit of one row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RowFit {
    /// The material or full move of the row.
    pub value: u32,
    /// `a`: the evaluation that wins half of the games, in internal units.
    pub a: f64,
    /// `b`: the width of the transition from losing to winning, in internal units.
    pub b: f64,
    /// Number of positions won.
    pub wins: f64,
    /// Number of positions.
    pub positions: f64,
}

/// The squared error of the share won at each evaluation, with equal weights for all evaluations.
pub(super) struct Density<'a>(pub(super) &'a Row);

impl Density<'_> {
    /// Returns the number of evaluations.
    pub(super) fn len(&self) -> usize {
        self.0.evals.len()
    }

    /// Returns the variance of `a` as if positions were independent: the variance of the shares
    /// won, propagated through the fit. `None` if the curvature is singular.
    pub(super) fn variance_of_a(&self, point: [f64; 2]) -> Option<f64> {
        let (bend, mut seen) = (self.quadratic(&point).bend, 0.0);
        // The change of `a` by the slopes, and so by each share.
        let answer = solve(bend, vec![1.0, 0.0])?;
        for ((x, _), counts) in self.cells().zip(&self.0.counts) {
            let rate = win_rate(x, point[0], point[1]);
            let [by_a, by_b] = slopes(x, point[0], point[1]);
            let by_share = 2.0 * (answer[0] * by_a + answer[1] * by_b);
            seen += by_share.powi(2) * rate * (1.0 - rate) / counts.iter().sum::<f64>();
        }
        Some(seen)
    }

    fn cells(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let share = |counts: &[f64; 3]| counts[0] / counts.iter().sum::<f64>();
        self.0
            .evals
            .iter()
            .zip(&self.0.counts)
            .map(move |(&eval, counts)| (f64::from(eval), share(counts)))
    }
}

impl Function for Density<'_> {
    /// Returns the loss with its derivatives. The second derivatives are those of the linearised
    /// errors (Gauss-Newton), which are never negative.
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        let (a, b) = (point[0], point[1].max(1e-8));
        let mut sum = Quadratic {
            value: 0.0,
            slope: vec![0.0; 2],
            bend: vec![0.0; 4],
        };
        for (x, share) in self.cells() {
            let rate = win_rate(x, a, b);
            let by = slopes(x, a, b);
            sum.value += (rate - share).powi(2);
            for i in 0..2 {
                sum.slope[i] += 2.0 * (rate - share) * by[i];
                for j in 0..2 {
                    sum.bend[2 * i + j] += 2.0 * by[i] * by[j];
                }
            }
        }
        sum
    }
}

/// Derivatives of the win rate by `a` and `b`.
fn slopes(x: f64, a: f64, b: f64) -> [f64; 2] {
    let rate = win_rate(x, a, b);
    [
        -rate * (1.0 - rate) / b,
        -rate * (1.0 - rate) * (x - a) / (b * b),
    ]
}

/// The loss of one row: the likelihood, or the squared error of the score.
struct Single(Loss, Folded);

impl Function for Single {
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        let local = self.1.local(self.0, point[0], point[1]);
        let [aa, ab, bb] = local.bend;
        Quadratic {
            value: local.value,
            slope: local.slope.to_vec(),
            bend: vec![aa, ab, ab, bb],
        }
    }
}

/// Fits a row. The fit of the shares won is refined by minimising `loss`, with `compat` by the
/// method of the reference.
pub(crate) fn fit_row(
    row: &Row,
    pawn: f64,
    loss: Option<Loss>,
    compat: bool,
    cancel: &Cancel,
) -> RowFit {
    let start = [pawn, pawn / 6.0];
    let density = if compat {
        let residuals = |[a, b]: [f64; 2]| {
            Density(row)
                .cells()
                .map(|(x, share)| win_rate(x, a, b) - share)
                .collect()
        };
        marquardt::minimize(residuals, start).to_vec()
    } else {
        minimize(&Density(row), &start, cancel).point
    };
    let point = match loss {
        None => density,
        Some(loss) if compat => powell::minimize(
            |point| reference_objective(loss, &std::iter::once((row, (point[0], point[1])))),
            &density,
            cancel,
        ),
        Some(loss) => {
            let single = Single(loss, Folded::new(row));
            let starts = [&density[..], &start];
            let best = starts
                .map(|start| minimize(&single, start, cancel))
                .into_iter();
            best.min_by(|one, other| one.value.total_cmp(&other.value))
                .map_or(density, |best| best.point)
        }
    };
    RowFit {
        value: row.value,
        a: point[0],
        b: point[1],
        wins: row.wins(),
        positions: row.total(),
    }
}

/// Returns the least-squares cubic through `pairs`, highest power first; `None` for fewer than four
/// pairs.
pub(crate) fn cubic_through(pairs: &[(f64, f64)]) -> Option<[f64; 4]> {
    if pairs.len() < 4 {
        return None;
    }
    // Compute around the middle, where the powers are best conditioned, then expand.
    let middle = pairs.iter().map(|pair| pair.0).sum::<f64>() / pairs.len() as f64;
    let (mut matrix, mut right) = (vec![0.0; 16], vec![0.0; 4]);
    for &(x, y) in pairs {
        let x = x - middle;
        let powers = [x * x * x, x * x, x, 1.0];
        for i in 0..4 {
            right[i] += powers[i] * y;
            for j in 0..4 {
                matrix[4 * i + j] += powers[i] * powers[j];
            }
        }
    }
    let solved = solve(matrix, right)?;
    let [c3, c2, c1, c0] = [solved[0], solved[1], solved[2], solved[3]];
    let m = middle;
    Some([
        c3,
        c2 - 3.0 * c3 * m,
        c1 - 2.0 * c2 * m + 3.0 * c3 * m * m,
        c0 - c1 * m + c2 * m * m - c3 * m * m * m,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_through_its_points_is_recovered() {
        let cubic = |x: f64| ((-72.3 * x + 185.9) * x - 144.6) * x + 416.4;
        let pairs: Vec<_> = (17..=78)
            .map(|value| f64::from(value) / 58.0)
            .map(|x| (x, cubic(x)))
            .collect();
        let found = cubic_through(&pairs).unwrap();
        for (found, wanted) in found.into_iter().zip([-72.3, 185.9, -144.6, 416.4]) {
            assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
        }
        assert_eq!(cubic_through(&pairs[..3]), None);
    }
}
