//! The minimum of a smooth function of a few variables, by Newton's method.

use centipawn_progress::Cancel;

/// The value and the derivatives of a function at a point.
#[derive(Clone, Debug)]
pub(crate) struct Quadratic {
    pub(crate) value: f64,
    pub(crate) slope: Vec<f64>,
    /// The second derivatives: symmetric, row by row.
    pub(crate) bend: Vec<f64>,
}

/// A function to minimise.
pub(crate) trait Function {
    /// Computes the value and the derivatives at a point.
    fn quadratic(&self, point: &[f64]) -> Quadratic;
    /// Returns the least and the greatest value of a variable.
    fn range(&self, _variable: usize) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }
}

/// The minimum that was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Minimum {
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
    /// Whether no further step decreases the function.
    pub(crate) converged: bool,
}

/// Largest number of steps of a minimisation.
pub(crate) const STEPS: usize = 500;

/// Minimises a function from `start` by Newton's method. Steps are damped if the function differs
/// from its quadratic approximation (Levenberg-Marquardt). After a cancel, returns the current
/// point as not converged.
pub(crate) fn minimize(function: &impl Function, start: &[f64], cancel: &Cancel) -> Minimum {
    minimize_within(function, start, STEPS, cancel)
}

/// Like [`minimize`], with at most `steps` steps.
pub(crate) fn minimize_within(
    function: &impl Function,
    start: &[f64],
    steps: usize,
    cancel: &Cancel,
) -> Minimum {
    let mut point = start.to_vec();
    let mut damping = 0.0;
    let mut at = function.quadratic(&point);
    if !at.value.is_finite() {
        return Minimum {
            point,
            value: at.value,
            converged: false,
        };
    }
    for _ in 0..steps {
        if cancel.is_set() {
            break;
        }
        // Whether a change of this variable leaves its range.
        let leaves = |index: usize, change: f64| {
            let [least, most] = function.range(index);
            point[index] <= least && change < 0.0 || point[index] >= most && change > 0.0
        };
        let mut free: Vec<usize> = (0..point.len())
            .filter(|&index| is_free(function, &point, &at.slope, index))
            .collect();
        // If the step moves a variable at its bound across the bound, keep that variable fixed in
        // this step.
        let found = loop {
            let Some((step, gain)) = step(&at, &free, damping) else {
                break None;
            };
            let crosses = |place: usize| leaves(free[place], step[place]);
            let kept: Vec<usize> = (0..free.len())
                .filter(|&place| !crosses(place))
                .map(|place| free[place])
                .collect();
            if kept.len() == free.len() {
                break Some((step, gain));
            }
            free = kept;
        };
        let Some((step, gain)) = found else {
            damping = f64::max(damping * 10.0, 1e-8);
            if damping > 1e12 {
                break;
            }
            continue;
        };
        // If the predicted gain is below rounding, the point is the minimum.
        if gain <= 1e-16 * at.value.abs().max(1e-300) {
            return Minimum {
                point,
                value: at.value,
                converged: true,
            };
        }
        // End a step that crosses a bound at the bound. Projecting it onto the bound instead would
        // change its direction, and the function might not decrease.
        let steps = || free.iter().copied().zip(&step);
        let crossing = steps().filter_map(|(index, step)| {
            let inside =
                (point[index] + step).clamp(function.range(index)[0], function.range(index)[1]);
            (inside != point[index] + step)
                .then(|| (((inside - point[index]) / step).max(0.0), index, inside))
        });
        let bound = crossing.min_by(|one, other| one.0.total_cmp(&other.0));
        let mut next = point.clone();
        for (index, step) in steps() {
            next[index] += step * bound.map_or(1.0, |(share, ..)| share);
        }
        if let Some((_, index, inside)) = bound {
            next[index] = inside;
        }
        let there = function.quadratic(&next);
        if there.value < at.value || (bound.is_some() && there.value <= at.value) {
            // The actual gain divided by the predicted one. It is near 1 where the quadratic
            // approximation is good. If it is small, the steps are too long and would oscillate
            // around the minimum, so increase the damping.
            let share = (at.value - there.value) / gain;
            damping = match share {
                _ if share < 0.25 && bound.is_none() => f64::max(damping * 10.0, 1e-3),
                _ if share < 0.75 => damping,
                _ if damping > 1e-8 => damping / 10.0,
                _ => 0.0,
            };
            (point, at) = (next, there);
        } else if gain <= 1e-13 * at.value.abs() {
            return Minimum {
                point,
                value: at.value,
                converged: true,
            };
        } else {
            damping = f64::max(damping * 10.0, 1e-8);
            if damping > 1e12 {
                // Even the shortest step does not decrease the function, so it has an edge here.
                return Minimum {
                    point,
                    value: at.value,
                    converged: true,
                };
            }
        }
    }
    Minimum {
        point,
        value: at.value,
        converged: false,
    }
}

/// Returns whether a variable may change: it is not at a bound, or the function decreases from the
/// bound into the range.
pub(crate) fn is_free(
    function: &impl Function,
    point: &[f64],
    slope: &[f64],
    index: usize,
) -> bool {
    let [least, most] = function.range(index);
    !(point[index] <= least && slope[index] >= 0.0 || point[index] >= most && slope[index] <= 0.0)
}

/// Returns the step in the free variables to the minimum of the damped quadratic, and the predicted
/// gain; `None` if the quadratic has no minimum.
fn step(at: &Quadratic, free: &[usize], damping: f64) -> Option<(Vec<f64>, f64)> {
    let (all, count) = (at.slope.len(), free.len());
    // Scale the variables, because their sizes may differ widely.
    let scale: Vec<f64> = free
        .iter()
        .map(|&index| {
            let bend = at.bend[index * all + index].abs();
            if bend > 0.0 { bend.sqrt().recip() } else { 1.0 }
        })
        .collect();
    let mut matrix = vec![0.0; count * count];
    for row in 0..count {
        for column in 0..count {
            matrix[row * count + column] =
                at.bend[free[row] * all + free[column]] * scale[row] * scale[column];
        }
        matrix[row * count + row] += damping;
    }
    let right: Vec<f64> = (0..count)
        .map(|row| -at.slope[free[row]] * scale[row])
        .collect();
    let solved = solve(matrix, right.clone())?;
    let gain = 0.5
        * solved
            .iter()
            .zip(&right)
            .map(|(step, right)| step * right)
            .sum::<f64>();
    Some((
        solved
            .iter()
            .zip(&scale)
            .map(|(step, scale)| step * scale)
            .collect(),
        gain,
    ))
}

/// Solves a symmetric linear system by Cholesky decomposition; `None` if the matrix is not positive
/// definite.
pub(crate) fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for row in 0..n {
        for column in 0..=row {
            let mut sum = matrix[row * n + column];
            for k in 0..column {
                sum -= matrix[row * n + k] * matrix[column * n + k];
            }
            if row == column {
                if sum.is_nan() || sum <= 1e-14 {
                    return None;
                }
                matrix[row * n + row] = sum.sqrt();
            } else {
                matrix[row * n + column] = sum / matrix[column * n + column];
            }
        }
    }
    for row in 0..n {
        for k in 0..row {
            right[row] -= matrix[row * n + k] * right[k];
        }
        right[row] /= matrix[row * n + row];
    }
    for row in (0..n).rev() {
        for k in row + 1..n {
            right[row] -= matrix[k * n + row] * right[k];
        }
        right[row] /= matrix[row * n + row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's function, whose curved valley is a hard case for descent.
    struct Valley;

    impl Function for Valley {
        fn quadratic(&self, point: &[f64]) -> Quadratic {
            let (x, y) = (point[0], point[1]);
            Quadratic {
                value: (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2),
                slope: vec![
                    -2.0 * (1.0 - x) - 400.0 * x * (y - x * x),
                    200.0 * (y - x * x),
                ],
                bend: vec![
                    2.0 - 400.0 * (y - 3.0 * x * x),
                    -400.0 * x,
                    -400.0 * x,
                    200.0,
                ],
            }
        }
    }

    /// A function whose minimum lies beyond the bound of one variable.
    struct Bowl;

    impl Function for Bowl {
        fn quadratic(&self, point: &[f64]) -> Quadratic {
            let (x, y) = (point[0], point[1]);
            Quadratic {
                value: (x + 3.0).powi(2) + (y - x - 2.0).powi(2) + 1.0,
                slope: vec![2.0 * (x + 3.0) - 2.0 * (y - x - 2.0), 2.0 * (y - x - 2.0)],
                bend: vec![4.0, -2.0, -2.0, 2.0],
            }
        }

        fn range(&self, variable: usize) -> [f64; 2] {
            if variable == 0 {
                [0.0, f64::INFINITY]
            } else {
                [f64::NEG_INFINITY, f64::INFINITY]
            }
        }
    }

    /// A parabola that reports little more than half of its second derivative. Expected second
    /// derivatives, which fits use, may differ from the true ones as much.
    struct Steep;

    impl Function for Steep {
        fn quadratic(&self, point: &[f64]) -> Quadratic {
            Quadratic {
                value: point[0] * point[0],
                slope: vec![2.0 * point[0]],
                bend: vec![1.001],
            }
        }

        fn range(&self, _: usize) -> [f64; 2] {
            [-5.0, 5.0]
        }
    }

    /// A function without a minimum.
    struct Slope;

    impl Function for Slope {
        fn quadratic(&self, point: &[f64]) -> Quadratic {
            let value = (-point[0]).exp();
            Quadratic {
                value,
                slope: vec![-value],
                bend: vec![value],
            }
        }

        fn range(&self, _: usize) -> [f64; 2] {
            [0.0, 30.0]
        }
    }

    #[test]
    fn minimisation_handles_long_steps_and_far_bounds() {
        let steep = minimize(&Steep, &[4.0], &Cancel::new());
        assert!(steep.converged && steep.point[0].abs() < 1e-6, "{steep:?}");
        let slope = minimize(&Slope, &[1.0], &Cancel::new());
        assert!(slope.converged && slope.point[0] == 30.0, "{slope:?}");
    }

    #[test]
    fn minima_of_test_functions_are_found() {
        let valley = minimize(&Valley, &[-1.2, 1.0], &Cancel::new());
        assert!(valley.converged && valley.value < 1e-20, "{valley:?}");
        let bowl = minimize(&Bowl, &[5.0, 5.0], &Cancel::new());
        assert!(
            bowl.converged && bowl.point[0] == 0.0 && (bowl.point[1] - 2.0).abs() < 1e-9,
            "{bowl:?}"
        );
    }
}
