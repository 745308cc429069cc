//! How well a fit is determined: gradient, condition, what is left to gain.

use serde::{Deserialize, Serialize};

use super::problem::Problem;
use crate::newton::{Function, Quadratic, solve};

/// How a fit ended. Weights are scaled so that the objective has curvature 1 along each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// Length of the objective's gradient: 0 at a minimum.
    pub gradient: f64,
    /// Largest curvature divided by the smallest: the larger, the less the data tell the weights apart. `None` where the
    /// objective is not convex, so that this is no minimum.
    pub condition: Option<f64>,
    /// By how much the objective can fall from here, to first approximation; `None` as for the condition.
    pub remaining: Option<f64>,
}

impl Convergence {
    /// Whether less can be gained than a billionth of the objective.
    pub fn is_minimum(&self, objective: f64) -> bool {
        self.remaining.is_some_and(|remaining| remaining <= 1e-9 * objective.abs().max(1e-9))
    }
}

impl Problem {
    /// How far these weights are from a minimum.
    pub(super) fn convergence(&self, weights: &[f64]) -> Convergence {
        let (slope, bend) = self.scaled(weights);
        let count = slope.len();
        let step = solve(bend.clone(), slope.clone());
        let largest = || {
            let next = |vector: &[f64]| Some(product(&bend, vector));
            size_of_repeated(next, count)
        };
        let smallest = || size_of_repeated(|vector| solve(bend.clone(), vector.to_vec()), count);
        Convergence {
            gradient: dot(&slope, &slope).sqrt(),
            condition: largest().zip(smallest()).map(|(largest, inverse)| largest * inverse),
            remaining: step.map(|step| 0.5 * dot(&slope, &step)),
        }
    }

    /// The variance of a weighted sum of the weights, if the objective is the mean of −ln p over independent positions; `None`
    /// where the objective is not convex.
    pub(super) fn variance(&self, weights: &[f64], factors: &[f64]) -> Option<f64> {
        let Quadratic { bend, .. } = self.quadratic(&self.turned(weights));
        let factors = self.turned(factors);
        let scale: Vec<f64> = (0..factors.len()).map(|index| scale(bend[index * factors.len() + index])).collect();
        let right: Vec<f64> = factors.iter().zip(&scale).map(|(factor, scale)| factor * scale).collect();
        let (_, bend) = self.scaled(weights);
        let is_free = bend.len() == factors.len() * factors.len();
        let solved = solve(bend, right.clone()).filter(|_| is_free)?;
        Some(dot(&right, &solved) / self.total).filter(|variance| variance.is_finite())
    }

    /// Gradient and curvature in scaled weights, without those that rest on their bound.
    fn scaled(&self, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let point = self.turned(weights);
        let Quadratic { slope, bend, .. } = self.quadratic(&point);
        let all = point.len();
        let free: Vec<usize> =
            (0..all).filter(|&index| !(self.is_bounded(index) && point[index] <= 0.0 && slope[index] >= 0.0)).collect();
        let scale: Vec<f64> = free.iter().map(|&index| scale(bend[index * all + index])).collect();
        let gradient = free.iter().zip(&scale).map(|(&index, scale)| slope[index] * scale).collect();
        let pairs = free.iter().zip(&scale).flat_map(|(&row, own)| {
            free.iter().zip(&scale).map(move |(&column, other)| (row * all + column, own * other))
        });
        (gradient, pairs.map(|(index, scale)| bend[index] * scale).collect())
    }
}

fn scale(bend: f64) -> f64 {
    if bend > 0.0 { bend.sqrt().recip() } else { 1.0 }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn product(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks(vector.len().max(1)).map(|row| dot(row, vector)).collect()
}

/// The largest eigenvalue of a positive linear map, by repeating it.
fn size_of_repeated(map: impl Fn(&[f64]) -> Option<Vec<f64>>, count: usize) -> Option<f64> {
    const ROUNDS: usize = 300;
    // Not an eigenvector of anything that occurs.
    let mut vector: Vec<f64> = (0..count).map(|index| 1.0 + 0.37 * (index as f64).sin()).collect();
    let mut size = 0.0;
    for _ in 0..ROUNDS {
        let next = map(&vector)?;
        size = dot(&next, &next).sqrt();
        if size == 0.0 || !size.is_finite() {
            return None;
        }
        vector = next.into_iter().map(|part| part / size).collect();
    }
    Some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues() {
        // Eigenvalues 1 and 3.
        let matrix = [2.0, 1.0, 1.0, 2.0];
        let largest = size_of_repeated(|vector| Some(product(&matrix, vector)), 2).unwrap();
        let inverse = size_of_repeated(|vector| solve(matrix.to_vec(), vector.to_vec()), 2).unwrap();
        assert!((largest - 3.0).abs() < 1e-9 && (inverse - 1.0).abs() < 1e-9, "{largest} {inverse}");
    }
}
