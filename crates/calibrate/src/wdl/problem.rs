//! The objective over all rows as a function of the weights of `a` and `b`.

use centipawn_progress::Cancel;

use super::{
    Grid,
    rates::{Folded, Loss},
    shape::Basis,
};
use crate::newton::{Function, Minimum, Quadratic, STEPS, minimize_within};

/// The mean loss of all observations. Its variables are the weights of `a`, followed by those of
/// `b`.
pub(crate) struct Problem {
    pub(super) loss: Loss,
    rows: Vec<(Vec<f64>, Folded)>,
    pub(super) total: f64,
    /// Number of basis functions of each of `a` and `b`.
    count: usize,
    /// For each variable, whether it is bounded below by 0, and whether its sign is flipped (for
    /// falling ramps).
    bounded: Vec<bool>,
    signs: Vec<f64>,
    /// Weight of the roughness penalty, and the differences of weights that it squares.
    penalty: f64,
    differences: Vec<Vec<f64>>,
    barrier: Barrier,
}

/// A barrier that keeps `a` and `b` above 0 at some values. It adds minus a weight times the sum of
/// `ln a + ln b` to the objective, and infinity where one of them is not above 0.
#[derive(Clone, Debug, Default)]
struct Barrier {
    weight: f64,
    /// The basis functions at each of these values.
    values: Vec<Vec<f64>>,
}

impl Problem {
    pub(crate) fn new(loss: Loss, grid: &Grid, basis: &Basis) -> Self {
        let rows = grid.rows.iter().map(|row| {
            (
                basis.at(f64::from(row.value), f64::from(row.number)),
                Folded::new(row),
            )
        });
        Self {
            loss,
            rows: rows.collect(),
            total: grid.total().max(1.0),
            count: basis.len(),
            bounded: (0..2 * basis.len())
                .map(|index| basis.is_ramp(index % basis.len()))
                .collect(),
            signs: vec![1.0; 2 * basis.len()],
            penalty: 0.0,
            differences: basis.differences(),
            barrier: Barrier::default(),
        }
    }

    /// Adds a barrier of this weight, at the points where the basis functions have these values.
    pub(crate) fn with_barrier(mut self, weight: f64, values: Vec<Vec<f64>>) -> Self {
        self.barrier = Barrier {
            weight: weight / values.len().max(1) as f64,
            values,
        };
        self
    }

    /// Makes the ramps of `a` and `b` rise (1) or fall (−1).
    pub(crate) fn with_directions(mut self, directions: [f64; 2]) -> Self {
        for (index, sign) in self
            .signs
            .iter_mut()
            .enumerate()
            .filter(|(index, _)| self.bounded[*index])
        {
            *sign = directions[index / self.count];
        }
        self
    }

    /// Sets the weight of the roughness penalty.
    pub(crate) fn with_penalty(mut self, penalty: f64) -> Self {
        self.penalty = penalty;
        self
    }

    /// Finds the minimum from start weights of `a` and `b`.
    pub(crate) fn minimize(&self, start: &[f64], cancel: &Cancel) -> Minimum {
        self.minimize_within(start, STEPS, cancel)
    }

    /// Like [`minimize`](Self::minimize), with at most `steps` steps.
    pub(crate) fn minimize_within(&self, start: &[f64], steps: usize, cancel: &Cancel) -> Minimum {
        let mut minimum = minimize_within(self, &self.turned(start), steps, cancel);
        minimum.point = self.turned(&minimum.point);
        minimum
    }

    /// Converts the weights to the variables of the minimisation, in which falling ramps have the
    /// other sign.
    pub(super) fn turned(&self, weights: &[f64]) -> Vec<f64> {
        weights
            .iter()
            .zip(&self.signs)
            .map(|(weight, sign)| weight * sign)
            .collect()
    }

    fn parameters(&self, functions: &[f64], weights: &[f64]) -> (f64, f64) {
        let sum = |from: usize| {
            let own = weights[from..].iter().zip(&self.signs[from..]);
            own.zip(functions)
                .map(|((weight, sign), function)| weight * sign * function)
                .sum()
        };
        (sum(0), sum(self.count))
    }

    /// For each pair of variables, the mean over observations of the product of the two slopes.
    pub(super) fn spread_of_slopes(&self, point: &[f64]) -> Vec<f64> {
        let all = 2 * self.count;
        let mut sum = vec![0.0; all * all];
        for (functions, row) in &self.rows {
            let (a, b) = self.parameters(functions, point);
            let [aa, ab, bb] = row.spread_of_slopes(self.loss, a, b);
            let of = |block: usize| [[aa, ab], [ab, bb]][block / 2][block % 2] / self.total;
            for (i, &own) in functions.iter().enumerate() {
                for (j, &other) in functions.iter().enumerate() {
                    for block in 0..4 {
                        let (i, j) = (block / 2 * self.count + i, block % 2 * self.count + j);
                        sum[i * all + j] += of(block) * own * other * self.signs[i] * self.signs[j];
                    }
                }
            }
        }
        sum
    }

    fn roughness(&self, weights: &[f64]) -> f64 {
        let of = |from: usize| {
            self.differences
                .iter()
                .map(|row| dot(row, &weights[from..from + self.count]).powi(2))
                .sum::<f64>()
        };
        if self.penalty > 0.0 {
            self.penalty * (of(0) + of(self.count))
        } else {
            0.0
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Function for Problem {
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        let (count, all) = (self.count, 2 * self.count);
        let mut sum = Quadratic {
            value: self.roughness(point),
            slope: vec![0.0; all],
            bend: vec![0.0; all * all],
        };
        for (functions, row) in &self.rows {
            let (a, b) = self.parameters(functions, point);
            let local = row.local(self.loss, a, b);
            sum.value += local.value / self.total;
            for (i, &own) in functions.iter().enumerate() {
                for (block, slope) in local.slope.into_iter().enumerate() {
                    let i = block * count + i;
                    sum.slope[i] += slope * own * self.signs[i] / self.total;
                }
                for (j, &other) in functions.iter().enumerate() {
                    for (block, bend) in [
                        (0, local.bend[0]),
                        (1, local.bend[1]),
                        (2, local.bend[1]),
                        (3, local.bend[2]),
                    ] {
                        let (i, j) = (block / 2 * count + i, block % 2 * count + j);
                        sum.bend[i * all + j] +=
                            bend * own * other * self.signs[i] * self.signs[j] / self.total;
                    }
                }
            }
        }
        for functions in &self.barrier.values {
            let (a, b) = self.parameters(functions, point);
            if a <= 0.0 || b <= 0.0 {
                return Quadratic {
                    value: f64::INFINITY,
                    ..sum
                };
            }
            for (from, parameter) in [(0, a), (count, b)] {
                sum.value -= self.barrier.weight * parameter.ln();
                let slope = self.barrier.weight / parameter;
                for (i, own) in (from..).zip(functions) {
                    sum.slope[i] -= slope * own * self.signs[i];
                    for (j, other) in (from..).zip(functions) {
                        sum.bend[i * all + j] +=
                            slope / parameter * own * other * self.signs[i] * self.signs[j];
                    }
                }
            }
        }
        if self.penalty > 0.0 {
            for row in &self.differences {
                for from in [0, count] {
                    let difference = dot(row, &point[from..from + count]);
                    for (i, own) in row.iter().enumerate() {
                        sum.slope[from + i] += 2.0 * self.penalty * difference * own;
                        for (j, other) in row.iter().enumerate() {
                            sum.bend[(from + i) * all + from + j] +=
                                2.0 * self.penalty * own * other;
                        }
                    }
                }
            }
        }
        sum
    }

    fn range(&self, variable: usize) -> [f64; 2] {
        if self.bounded[variable] {
            [0.0, f64::INFINITY]
        } else {
            [f64::NEG_INFINITY, f64::INFINITY]
        }
    }
}
