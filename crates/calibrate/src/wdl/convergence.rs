//! Measures how well a fit is determined: gradient, condition, possible further decrease.

use serde::{Deserialize, Serialize};

use super::{problem::Problem, rates::Loss};
use crate::newton::{Function, Quadratic, is_free, solve};

/// The state in which a fit ended. Weights are scaled so that the objective has curvature 1 along
/// each of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Convergence {
    /// Length of the objective's gradient: 0 at a minimum.
    pub gradient: f64,
    /// The largest curvature divided by the smallest one. The larger it is, the less the data
    /// distinguish the weights. `None` if the objective is not convex here, so that this is no
    /// minimum.
    pub condition: Option<f64>,
    /// Largest possible further decrease of the objective, to first approximation; `None` if it is
    /// not convex here.
    pub remaining: Option<f64>,
}

impl Convergence {
    /// Returns whether the objective cannot decrease by more than a billionth of its value.
    pub fn is_minimum(&self, objective: f64) -> bool {
        self.remaining
            .is_some_and(|remaining| remaining <= 1e-9 * objective.abs().max(1e-9))
    }
}

impl Convergence {
    /// Measures how far a point is from the minimum of a function.
    pub(super) fn new(function: &impl Function, point: &[f64]) -> Self {
        let Scaled { slope, bend, .. } = Scaled::new(function, point);
        let count = slope.len();
        let step = solve(bend.clone(), slope.clone());
        let largest = || size_of_repeated(|vector| Some(product(&bend, vector)), count);
        let smallest = || size_of_repeated(|vector| solve(bend.clone(), vector.to_vec()), count);
        Self {
            gradient: dot(&slope, &slope).sqrt(),
            condition: largest()
                .zip(smallest())
                .map(|(largest, inverse)| largest * inverse),
            remaining: step.map(|step| 0.5 * dot(&slope, &step)),
        }
    }

    /// Combines the results of `parts`, which are sums with no variable in common, for the mean of
    /// all their `count` terms.
    pub(super) fn of_mean(parts: &[Self], count: f64) -> Self {
        let sum = |of: fn(&Self) -> Option<f64>| parts.iter().map(of).sum::<Option<f64>>();
        Self {
            gradient: parts
                .iter()
                .map(|part| part.gradient.powi(2))
                .sum::<f64>()
                .sqrt()
                / count.sqrt(),
            // After scaling, a part with two variables has the curvatures 1 + r and 1 - r.
            condition: parts
                .iter()
                .map(|part| part.condition)
                .try_fold(1.0, |most, own| Some(f64::max(most, own?))),
            remaining: sum(|part| part.remaining).map(|sum| sum / count),
        }
    }
}

impl Problem {
    /// Measures how far these weights are from a minimum.
    pub(super) fn convergence(&self, weights: &[f64]) -> Convergence {
        Convergence::new(self, &self.turned(weights))
    }

    /// Returns the variance of a weighted sum of the weights, as if positions were independent;
    /// `None` if the objective is not convex.
    ///
    /// For a likelihood it follows from the inverse of the curvature. For squared errors it is the
    /// sandwich estimate: the inverse curvature around the variation of the observations' slopes.
    pub(super) fn variance(&self, weights: &[f64], factors: &[f64]) -> Option<f64> {
        let point = self.turned(weights);
        let Scaled {
            free, scale, bend, ..
        } = Scaled::new(self, &point);
        let factors = self.turned(factors);
        // If a weight is at its bound, this formula for the error of a minimum does not hold.
        let right = (free.len() == factors.len()).then(|| products(&factors, &scale))?;
        let solved = solve(bend, right.clone())?;
        let variance = if self.loss.smooth() == Loss::SmoothLog {
            dot(&right, &solved)
        } else {
            let solved = products(&solved, &scale);
            dot(&solved, &product(&self.spread_of_slopes(&point), &solved))
        };
        Some(variance / self.total).filter(|variance| variance.is_finite())
    }
}

/// Slope and curvature of a function in scaled variables with curvature 1 each. Variables at their
/// bound are left out.
struct Scaled {
    free: Vec<usize>,
    scale: Vec<f64>,
    slope: Vec<f64>,
    bend: Vec<f64>,
}

impl Scaled {
    fn new(function: &impl Function, point: &[f64]) -> Self {
        let Quadratic { slope, bend, .. } = function.quadratic(point);
        let all = point.len();
        let is_free = |index: &usize| is_free(function, point, &slope, *index);
        let free: Vec<usize> = (0..all).filter(is_free).collect();
        let scale: Vec<f64> = free
            .iter()
            .map(|&index| scale(bend[index * all + index]))
            .collect();
        let slope = free
            .iter()
            .zip(&scale)
            .map(|(&index, scale)| slope[index] * scale)
            .collect();
        let pairs = free.iter().zip(&scale).flat_map(|(&row, own)| {
            free.iter()
                .zip(&scale)
                .map(move |(&column, other)| (row * all + column, own * other))
        });
        let bend = pairs.map(|(index, scale)| bend[index] * scale).collect();
        Self {
            free,
            scale,
            slope,
            bend,
        }
    }
}

fn products(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn scale(bend: f64) -> f64 {
    if bend > 0.0 { bend.sqrt().recip() } else { 1.0 }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn product(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix
        .chunks(vector.len().max(1))
        .map(|row| dot(row, vector))
        .collect()
}

/// Returns the largest eigenvalue of a positive linear map, by power iteration.
fn size_of_repeated(map: impl Fn(&[f64]) -> Option<Vec<f64>>, count: usize) -> Option<f64> {
    const ROUNDS: usize = 300;
    // An irregular start vector, so that it is not orthogonal to the eigenvector in question.
    let mut vector: Vec<f64> = (0..count)
        .map(|index| 1.0 + 0.37 * (index as f64).sin())
        .collect();
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

    /// A sum of squares over pairs of variables that no other pair shares.
    struct Squares(Vec<[f64; 3]>);

    impl Function for Squares {
        fn quadratic(&self, point: &[f64]) -> Quadratic {
            let all = point.len();
            let mut sum = Quadratic {
                value: 0.0,
                slope: vec![0.0; all],
                bend: vec![0.0; all * all],
            };
            let count = self.0.len() as f64;
            for (index, [aa, ab, bb]) in self
                .0
                .iter()
                .map(|bend| bend.map(|bend| bend / count))
                .enumerate()
            {
                let (i, j) = (2 * index, 2 * index + 1);
                let (a, b) = (point[i], point[j]);
                sum.value += 0.5 * (aa * a * a + 2.0 * ab * a * b + bb * b * b);
                (sum.slope[i], sum.slope[j]) = (aa * a + ab * b, ab * a + bb * b);
                (sum.bend[i * all + i], sum.bend[j * all + j]) = (aa, bb);
                (sum.bend[i * all + j], sum.bend[j * all + i]) = (ab, ab);
            }
            sum
        }
    }

    #[test]
    fn parts_combine_to_the_convergence_of_their_mean() {
        let bends = vec![[2.0, 1.0, 5.0], [30.0, -20.0, 15.0], [0.4, 0.0, 7.0]];
        let point = [0.3, -0.1, 0.02, 0.05, 1.0, -0.2];
        let whole = Convergence::new(&Squares(bends.clone()), &point);
        let parts: Vec<_> = bends
            .into_iter()
            .zip(point.chunks(2))
            .map(|(bend, point)| Convergence::new(&Squares(vec![bend]), point))
            .collect();
        let mean = Convergence::of_mean(&parts, 3.0);
        let near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-6;
        assert!(near(mean.gradient, whole.gradient), "{mean:?} {whole:?}");
        assert!(
            near(mean.condition.unwrap(), whole.condition.unwrap()),
            "{mean:?} {whole:?}"
        );
        assert!(
            near(mean.remaining.unwrap(), whole.remaining.unwrap()),
            "{mean:?} {whole:?}"
        );
    }

    #[test]
    fn power_iteration_finds_the_largest_eigenvalue() {
        // The matrix has the eigenvalues 1 and 3.
        let matrix = [2.0, 1.0, 1.0, 2.0];
        let largest = size_of_repeated(|vector| Some(product(&matrix, vector)), 2).unwrap();
        let inverse =
            size_of_repeated(|vector| solve(matrix.to_vec(), vector.to_vec()), 2).unwrap();
        assert!(
            (largest - 3.0).abs() < 1e-9 && (inverse - 1.0).abs() < 1e-9,
            "{largest} {inverse}"
        );
    }
}
