//! Levenberg-Marquardt for two variables, with the stopping rule of the reference.
//!
//! Rows with scattered shares of wins converge slowly, and the reference stops well before the
//! minimum, after a step that reduces the squared errors by less than about 10⁻⁸. To stop at the
//! same point, the steps must be those of MINPACK with SciPy's defaults: J. J. Moré, "The
//! Levenberg-Marquardt algorithm: implementation and theory" (1978). With two variables no matrix
//! decomposition is needed.

/// The search ends at a relative gain or step below this.
const LEAST: f64 = 1.490_12e-8;

type Pair = [f64; 2];

/// A symmetric 2×2 matrix: first diagonal element, off-diagonal element, second diagonal element.
type Matrix = [f64; 3];

fn norm(pair: Pair) -> f64 {
    pair[0].hypot(pair[1])
}

fn each(a: Pair, b: Pair, f: impl Fn(f64, f64) -> f64) -> Pair {
    [f(a[0], b[0]), f(a[1], b[1])]
}

fn solve([aa, ab, bb]: Matrix, right: Pair) -> Pair {
    let determinant = aa * bb - ab * ab;
    [
        (bb * right[0] - ab * right[1]) / determinant,
        (aa * right[1] - ab * right[0]) / determinant,
    ]
}

fn form([aa, ab, bb]: Matrix, x: Pair) -> f64 {
    aa * x[0] * x[0] + 2.0 * ab * x[0] * x[1] + bb * x[1] * x[1]
}

/// Returns the residuals at a point, and the root of the sum of their squares.
fn evaluate(residuals: &impl Fn(Pair) -> Vec<f64>, point: Pair) -> (Vec<f64>, f64) {
    let residuals = residuals(point);
    let length = residuals
        .iter()
        .map(|residual| residual * residual)
        .sum::<f64>()
        .sqrt();
    (residuals, length)
}

/// Minimises the sum of squared residuals from `start`.
pub(crate) fn minimize(residuals: impl Fn(Pair) -> Vec<f64>, start: Pair) -> Pair {
    const EVALUATIONS: usize = 600;
    let mut point = start;
    let (mut at, mut length) = evaluate(&residuals, point);
    let (mut damping, mut scale, mut radius) = (0.0, [0.0; 2], 0.0);
    let mut used = 1;
    let mut is_first = true;
    loop {
        let (normal, slope) = linear(&residuals, point, &at);
        used += 2;
        let sizes = [normal[0].sqrt(), normal[2].sqrt()];
        if is_first {
            scale = sizes.map(|size| if size == 0.0 { 1.0 } else { size });
            radius = 100.0 * norm(each(scale, point, |scale, x| scale * x));
            if radius == 0.0 {
                radius = 100.0;
            }
        }
        if slope == [0.0; 2] || length == 0.0 {
            return point;
        }
        scale = each(scale, sizes, f64::max);
        loop {
            let step;
            (damping, step) = damped(normal, slope, scale, radius, damping);
            let step = step.map(|part| -part);
            let next = each(point, step, |x, part| x + part);
            let step_length = norm(each(scale, step, |scale, part| scale * part));
            if is_first {
                radius = radius.min(step_length);
            }
            let (there, next_length) = evaluate(&residuals, next);
            used += 1;
            let gain = if 0.1 * next_length < length {
                1.0 - (next_length / length).powi(2)
            } else {
                -1.0
            };
            let curved = form(normal, step) / (length * length);
            let held = damping * (step_length / length).powi(2);
            let (promised, directed) = (curved + 2.0 * held, -(curved + held));
            let ratio = if promised == 0.0 {
                0.0
            } else {
                gain / promised
            };
            if ratio.is_nan() {
                return point;
            }
            if ratio <= 0.25 {
                let mut shrink = if gain >= 0.0 {
                    0.5
                } else {
                    0.5 * directed / (directed + 0.5 * gain)
                };
                if 0.1 * next_length >= length || shrink < 0.1 {
                    shrink = 0.1;
                }
                radius = shrink * radius.min(step_length / 0.1);
                damping /= shrink;
            } else if damping == 0.0 || ratio >= 0.75 {
                radius = step_length / 0.5;
                damping *= 0.5;
            }
            let is_lower = ratio >= 1e-4;
            if is_lower {
                (point, at, length) = (next, there, next_length);
                is_first = false;
            }
            let is_flat = gain.abs() <= LEAST && promised <= LEAST && 0.5 * ratio <= 1.0;
            let is_short = radius <= LEAST * norm(each(scale, point, |scale, x| scale * x));
            if is_flat || is_short || used >= EVALUATIONS {
                return point;
            }
            if is_lower {
                break;
            }
        }
    }
}

/// Returns the normal matrix from forward differences, and the products of the derivatives with the
/// residuals.
fn linear(residuals: &impl Fn(Pair) -> Vec<f64>, point: Pair, at: &[f64]) -> (Matrix, Pair) {
    let columns = [0, 1].map(|index| {
        let mut near = point;
        let step = f64::EPSILON.sqrt()
            * if point[index] == 0.0 {
                1.0
            } else {
                point[index].abs()
            };
        near[index] += step;
        let there = residuals(near);
        there
            .into_iter()
            .zip(at)
            .map(|(there, here)| (there - here) / step)
            .collect::<Vec<_>>()
    });
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let [a, b] = &columns;
    ([dot(a, a), dot(a, b), dot(b, b)], [dot(a, at), dot(b, at)])
}

/// Returns the damping for which the length of the step is close to the radius, with that step.
fn damped(normal: Matrix, slope: Pair, scale: Pair, radius: f64, before: f64) -> (f64, Pair) {
    let length = |step: Pair| norm(each(scale, step, |scale, part| scale * part));
    let with = |damping: f64| {
        [
            normal[0] + damping * scale[0] * scale[0],
            normal[1],
            normal[2] + damping * scale[1] * scale[1],
        ]
    };
    // The derivative of the step length by the damping.
    let change = |damping: f64, step: Pair| {
        let size = length(step);
        let turned = each(scale, step, |scale, part| scale * scale * part / size);
        let solved = solve(with(damping), turned);
        turned[0] * solved[0] + turned[1] * solved[1]
    };
    let full = solve(normal, slope);
    let mut excess = length(full) - radius;
    if excess <= 0.1 * radius {
        return (0.0, full);
    }
    let mut low = excess / radius / change(0.0, full);
    let gradient = norm(each(slope, scale, |slope, scale| slope / scale));
    let mut high = gradient / radius;
    let mut damping = f64::min(f64::max(before, low), high);
    if damping == 0.0 {
        damping = gradient / length(full);
    }
    for round in 1.. {
        if damping == 0.0 {
            damping = f64::max(f64::MIN_POSITIVE, 0.001 * high);
        }
        let step = solve(with(damping), slope);
        let last = excess;
        excess = length(step) - radius;
        if excess.abs() <= 0.1 * radius
            || low == 0.0 && excess <= last && last < 0.0
            || round == 10
            || excess.is_nan()
        {
            return (damping, step);
        }
        let correction = excess / radius / change(damping, step);
        if excess > 0.0 {
            low = low.max(damping);
        } else if excess < 0.0 {
            high = high.min(damping);
        }
        damping = low.max(damping + correction);
    }
    (damping, full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_of_a_curved_valley_is_found() {
        let valley = |[x, y]: Pair| vec![10.0 * (y - x * x), 1.0 - x];
        let [x, y] = minimize(valley, [-1.2, 1.0]);
        assert!((x - 1.0).abs() < 1e-6 && (y - 1.0).abs() < 1e-6, "{x} {y}");
    }
}
