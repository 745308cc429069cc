//! Powell's method with Brent's line search, with the stopping rule of the reference.
//!
//! The results of the reference depend on where this method stops, which is early: after a pass
//! that gains less than a ten-thousandth. So `--compat` must stop at the same point. The parameters
//! are those of SciPy's `minimize(method="Powell")` with `xtol` 1e-6. Sources: M. J. D. Powell, "An
//! efficient method for finding the minimum of a function of several variables without calculating
//! derivatives" (1964); R. P. Brent, "Algorithms for Minimization Without Derivatives" (1973).

use centipawn_progress::Cancel;

/// The search ends after a pass with a smaller relative gain.
const LEAST_GAIN: f64 = 1e-4;

/// Relative precision of a line search.
const EXACT: f64 = 1e-4;

/// Minimises a function along one direction after another. After a cancel, returns the current
/// point.
pub(crate) fn minimize(
    function: impl Fn(&[f64]) -> f64,
    start: &[f64],
    cancel: &Cancel,
) -> Vec<f64> {
    const PASSES: usize = 100_000;
    let count = start.len();
    let mut directions: Vec<Vec<f64>> = (0..count)
        .map(|index| {
            (0..count)
                .map(|other| f64::from(u8::from(index == other)))
                .collect()
        })
        .collect();
    let mut point = start.to_vec();
    let mut value = function(&point);
    let mut origin = point.clone();
    for _ in 0..PASSES {
        let (before, mut best, mut best_gain) = (value, 0, 0.0);
        for (index, direction) in directions.iter().enumerate() {
            if cancel.is_set() {
                return point;
            }
            let from = value;
            (value, point, _) = along(&function, &point, direction, value);
            if from - value > best_gain {
                (best, best_gain) = (index, from - value);
            }
        }
        let gained = 2.0 * (before - value);
        if gained <= LEAST_GAIN * (before.abs() + value.abs()) + 1e-20
            || before.is_nan() && value.is_nan()
        {
            break;
        }
        // The direction of the whole pass may be better than the one with the largest gain, and
        // then replaces it.
        let whole: Vec<f64> = point
            .iter()
            .zip(&origin)
            .map(|(to, from)| to - from)
            .collect();
        origin.clone_from(&point);
        let further: Vec<f64> = point
            .iter()
            .zip(&whole)
            .map(|(at, step)| at + step)
            .collect();
        let there = function(&further);
        if before > there {
            let curved =
                2.0 * (before + there - 2.0 * value) * (before - value - best_gain).powi(2);
            if curved - best_gain * (before - there).powi(2) < 0.0 {
                let step;
                (value, point, step) = along(&function, &point, &whole, value);
                if step.iter().any(|&step| step != 0.0) {
                    directions.swap_remove(best);
                    directions.push(step);
                }
            }
        }
    }
    point
}

/// Minimises along a direction. Returns the minimum, its point, and the step to it.
fn along(
    function: &impl Fn(&[f64]) -> f64,
    point: &[f64],
    direction: &[f64],
    value: f64,
) -> (f64, Vec<f64>, Vec<f64>) {
    if direction.iter().all(|&part| part == 0.0) {
        return (value, point.to_vec(), direction.to_vec());
    }
    let at = |length: f64| -> Vec<f64> {
        point
            .iter()
            .zip(direction)
            .map(|(at, part)| at + length * part)
            .collect()
    };
    let (length, value) = brent(|length| function(&at(length)));
    let step: Vec<f64> = direction.iter().map(|part| length * part).collect();
    (
        value,
        point
            .iter()
            .zip(&step)
            .map(|(at, step)| at + step)
            .collect(),
        step,
    )
}

/// Three points with the lowest value in the middle, with their values.
type Bracket = [(f64, f64); 3];

/// Goes downhill from 0 and 1 in growing steps until the value rises.
fn bracket(function: &impl Fn(f64) -> f64) -> Bracket {
    const GOLDEN: f64 = 1.618_034;
    const GROW: f64 = 110.0;
    const STEPS: usize = 1000;
    let evaluated = |x: f64| (x, function(x));
    let (mut a, mut b) = (evaluated(0.0), evaluated(1.0));
    if a.1 < b.1 {
        (a, b) = (b, a);
    }
    let beyond = |b: (f64, f64), c: (f64, f64)| evaluated(c.0 + GOLDEN * (c.0 - b.0));
    let mut c = evaluated(b.0 + GOLDEN * (b.0 - a.0));
    for _ in 0..=STEPS {
        if c.1 >= b.1 || c.1.is_nan() {
            break;
        }
        // The minimum of the parabola through the three points.
        let first = (b.0 - a.0) * (b.1 - c.1);
        let second = (b.0 - c.0) * (b.1 - a.1);
        let difference = second - first;
        let divisor = 2.0
            * if difference.abs() < 1e-21 {
                1e-21
            } else {
                difference
            };
        let lowest = b.0 - ((b.0 - c.0) * second - (b.0 - a.0) * first) / divisor;
        let limit = b.0 + GROW * (c.0 - b.0);
        let w;
        if (lowest - c.0) * (b.0 - lowest) > 0.0 {
            let between = evaluated(lowest);
            if between.1 < c.1 {
                return [b, between, c];
            } else if between.1 > b.1 {
                return [a, b, between];
            }
            w = beyond(b, c);
        } else if (lowest - limit) * (limit - c.0) >= 0.0 {
            w = evaluated(limit);
        } else if (lowest - limit) * (c.0 - lowest) > 0.0 {
            let further = evaluated(lowest);
            if further.1 < c.1 {
                (b, c) = (c, further);
                w = beyond(b, c);
            } else {
                w = further;
            }
        } else {
            w = beyond(b, c);
        }
        (a, b, c) = (b, c, w);
    }
    [a, b, c]
}

/// Brent's method for a function of one variable. Returns the minimum and its value.
fn brent(function: impl Fn(f64) -> f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.381_966_0;
    const LEAST: f64 = 1e-11;
    const STEPS: usize = 500;
    let [a, b, c] = bracket(&function);
    let is_lower = b.1 < c.1 && b.1 <= a.1 || b.1 < a.1 && b.1 <= c.1;
    let is_between = a.0 < b.0 && b.0 < c.0 || c.0 < b.0 && b.0 < a.0;
    if !(is_lower && is_between && [a, b, c].iter().all(|point| point.0.is_finite())) {
        let points = [a, b, c].into_iter();
        return points
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .unwrap_or(b);
    }
    let (mut low, mut high) = (a.0.min(c.0), a.0.max(c.0));
    // The best point, the second best one, and the previous second best one.
    let (mut x, mut w, mut v) = (b, b, b);
    let (mut before, mut step) = (0.0f64, 0.0f64);
    for _ in 0..STEPS {
        let least = EXACT * x.0.abs() + LEAST;
        let middle = 0.5 * (low + high);
        if (x.0 - middle).abs() < 2.0 * least - 0.5 * (high - low) {
            break;
        }
        let golden = |x: f64| if x >= middle { low - x } else { high - x };
        let mut parabola = None;
        if before.abs() > least {
            let first = (x.0 - w.0) * (x.1 - v.1);
            let second = (x.0 - v.0) * (x.1 - w.1);
            let numerator = (x.0 - v.0) * second - (x.0 - w.0) * first;
            let difference = 2.0 * (second - first);
            let p = if difference > 0.0 {
                -numerator
            } else {
                numerator
            };
            let q = difference.abs();
            let before_last = before;
            before = step;
            let is_useful = p > q * (low - x.0)
                && p < q * (high - x.0)
                && p.abs() < (0.5 * q * before_last).abs();
            parabola = is_useful.then(|| p / q);
        }
        match parabola {
            Some(length) => {
                step = length;
                let u = x.0 + step;
                if u - low < 2.0 * least || high - u < 2.0 * least {
                    step = if middle - x.0 >= 0.0 { least } else { -least };
                }
            }
            None => {
                before = golden(x.0);
                step = GOLDEN * before;
            }
        }
        let length = if step.abs() >= least {
            step
        } else if step >= 0.0 {
            least
        } else {
            -least
        };
        let u = (x.0 + length, function(x.0 + length));
        if u.1 > x.1 {
            if u.0 < x.0 {
                low = u.0;
            } else {
                high = u.0;
            }
            if u.1 <= w.1 || w.0 == x.0 {
                (v, w) = (w, u);
            } else if u.1 <= v.1 || v.0 == x.0 || v.0 == w.0 {
                v = u;
            }
        } else {
            if u.0 >= x.0 {
                low = x.0;
            } else {
                high = x.0;
            }
            (v, w, x) = (w, x, u);
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_of_test_functions_are_found() {
        let (x, value) = brent(|x| (x - 3.0).powi(2) + 1.0);
        assert!((x - 3.0).abs() < 1e-3 && (value - 1.0).abs() < 1e-6);
        let bowl = |p: &[f64]| (p[0] - 1.0).powi(2) + 10.0 * (p[1] + p[0]).powi(2);
        let point = minimize(bowl, &[7.0, 7.0], &Cancel::new());
        assert!(
            (point[0] - 1.0).abs() < 1e-3 && (point[1] + 1.0).abs() < 1e-3,
            "{point:?}"
        );
    }
}
