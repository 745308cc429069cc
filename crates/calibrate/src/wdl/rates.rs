//! The model of one row: rates by `a` and `b`, their likelihood, and its derivatives.

use super::Row;
use crate::logistic::softplus;

/// Lower bound of probabilities. It gives an event that the model excludes a finite loss.
const LEAST: f64 = 1e-14;

/// For probabilities below this, only their logarithm is accurate.
const TINY: f64 = 1e-300;

/// Lower bound of the width `b`.
const NARROWEST: f64 = 1e-8;

/// `1/(1 + e^(−z))` without overflow.
#[inline]
pub(crate) fn logistic(z: f64) -> f64 {
    if z < 0.0 {
        let e = z.exp();
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + (-z).exp())
    }
}

/// Returns the probability of a win at an evaluation.
#[inline]
pub(crate) fn win_rate(eval: f64, a: f64, b: f64) -> f64 {
    logistic((eval - a) / b.max(NARROWEST))
}

/// Probabilities of win, draw and loss at an evaluation.
pub(crate) fn rates(eval: f64, a: f64, b: f64) -> [f64; 3] {
    let (win, loss) = (win_rate(eval, a, b), win_rate(-eval, a, b));
    [win, 1.0 - win - loss, loss]
}

/// The loss of one observation that a fit minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// `−ln p` of the observed results, with `p` bounded below by [`LEAST`].
    Log,
    /// `−ln p` without the bound, and infinite where the model is invalid. It is smooth, so descent
    /// can minimise it.
    SmoothLog,
    /// The squared error of the score.
    Square,
    /// The squared error of the score, and infinite where the model is invalid.
    SmoothSquare,
}

impl Loss {
    /// Returns the smooth form of this loss.
    pub(crate) fn smooth(self) -> Self {
        match self {
            Self::Log | Self::SmoothLog => Self::SmoothLog,
            Self::Square | Self::SmoothSquare => Self::SmoothSquare,
        }
    }

    fn is_smooth(self) -> bool {
        self.smooth() == self
    }
}

/// The sum of the losses of a row, with derivatives with respect to `a` and `b`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Local {
    pub(crate) value: f64,
    /// First derivatives with respect to `a` and `b`.
    pub(crate) slope: [f64; 2],
    /// Second derivatives: by `a` twice, by `a` and `b`, by `b` twice.
    pub(crate) bend: [f64; 3],
}

/// The observations of a row, combined by symmetry: a win at `x` is as likely as a loss at `−x`,
/// and a draw at `x` as likely as one at `−x`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    /// Each evaluation with the number of wins at it and losses at its negative.
    decided: Vec<(f64, f64)>,
    /// Each evaluation from 0 up with the number of draws at it and at its negative.
    drawn: Vec<(f64, f64)>,
}

impl Folded {
    pub(crate) fn new(row: &Row) -> Self {
        let mut folded = Self::default();
        // The evaluations ascend, so their negatives ascend in reverse order.
        let cells = || row.evals.iter().copied().zip(&row.counts);
        let won = cells().map(|(eval, counts)| (eval, counts[0]));
        let lost = cells().rev().map(|(eval, counts)| (-eval, counts[2]));
        add_up(won, lost, &mut folded.decided);
        let first = row.evals.partition_point(|eval| *eval < 0);
        let drawn = cells().skip(first).map(|(eval, counts)| (eval, counts[1]));
        let before = cells()
            .take(first)
            .rev()
            .map(|(eval, counts)| (-eval, counts[1]));
        add_up(drawn, before, &mut folded.drawn);
        folded
    }

    /// Returns the sum of the losses, with derivatives.
    pub(crate) fn local(&self, loss: Loss, a: f64, b: f64) -> Local {
        if loss.is_smooth()
            && (b <= NARROWEST || a <= 0.0 && loss == Loss::SmoothLog && !self.drawn.is_empty())
        {
            return Local {
                value: f64::INFINITY,
                ..Local::default()
            };
        }
        let b = b.max(NARROWEST);
        let least = if loss == Loss::SmoothLog { TINY } else { LEAST };
        let mut sum = Local::default();
        // The term −ln(1 − e^c) with c = −2a/b is the same for all draws of a row.
        let c = -2.0 * a / b;
        let gap = -c.exp_m1();
        let mut draws = 0.0;
        for &(x, count) in &self.decided {
            match loss {
                Loss::Log | Loss::SmoothLog => {
                    let z = (x - a) / b;
                    let rate = logistic(z);
                    if rate >= least {
                        sum.value -= count * rate.ln();
                        sum.add_of_z(count, z, rate - 1.0, rate * (1.0 - rate), b);
                    } else if loss == Loss::SmoothLog {
                        sum.value += count * softplus(-z);
                        sum.add_of_z(count, z, -1.0, 0.0, b);
                    } else {
                        sum.value -= count * LEAST.ln();
                    }
                }
                Loss::Square | Loss::SmoothSquare => sum.add_square(count, x, 1.0, a, b),
            }
        }
        for &(x, count) in &self.drawn {
            match loss {
                Loss::Log | Loss::SmoothLog => {
                    let z = [(x - a) / b, (-x - a) / b];
                    let not_won = z.map(|z| logistic(-z));
                    let rate = gap * not_won[0] * not_won[1];
                    if rate >= least {
                        sum.value -= count * rate.ln();
                    } else if loss == Loss::SmoothLog {
                        sum.value += count * (softplus(z[0]) + softplus(z[1]) - gap.ln());
                    } else {
                        sum.value -= count * LEAST.ln();
                    }
                    if rate >= least || loss == Loss::SmoothLog {
                        draws += count;
                        for (z, not_won) in z.into_iter().zip(not_won) {
                            sum.add_of_z(count, z, 1.0 - not_won, not_won * (1.0 - not_won), b);
                        }
                    }
                }
                Loss::Square | Loss::SmoothSquare => sum.add_square(count, x, 0.5, a, b),
            }
        }
        if draws > 0.0 {
            let slope = 1.0 / (-c).exp_m1();
            let bend = slope * (1.0 + slope);
            let (by_a, by_b) = (-2.0 / b, -c / b);
            sum.slope[0] += draws * slope * by_a;
            sum.slope[1] += draws * slope * by_b;
            sum.bend[0] += draws * bend * by_a * by_a;
            sum.bend[1] += draws * (bend * by_a * by_b + slope * 2.0 / (b * b));
            sum.bend[2] += draws * (bend * by_b * by_b + slope * 2.0 * c / (b * b));
        }
        sum
    }
}

impl Folded {
    /// Returns the sums over observations of the products of their slopes: by `a` twice, by `a` and
    /// `b`, by `b` twice.
    pub(crate) fn spread_of_slopes(&self, loss: Loss, a: f64, b: f64) -> [f64; 3] {
        let mut sum = [0.0; 3];
        let decided = self.decided.iter().map(|&(x, count)| {
            (
                Self {
                    decided: vec![(x, 1.0)],
                    drawn: Vec::new(),
                },
                count,
            )
        });
        let drawn = self.drawn.iter().map(|&(x, count)| {
            (
                Self {
                    decided: Vec::new(),
                    drawn: vec![(x, 1.0)],
                },
                count,
            )
        });
        for (one, count) in decided.chain(drawn) {
            let [by_a, by_b] = one.local(loss, a, b).slope;
            sum.iter_mut()
                .zip([by_a * by_a, by_a * by_b, by_b * by_b])
                .for_each(|(sum, own)| *sum += count * own);
        }
        sum
    }
}

/// Merges two ascending lists of evaluations and adds the counts of equal ones.
fn add_up(
    one: impl Iterator<Item = (i32, f64)>,
    other: impl Iterator<Item = (i32, f64)>,
    sums: &mut Vec<(f64, f64)>,
) {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    loop {
        let next = match (one.peek(), other.peek()) {
            (None, None) => break,
            (Some(&(eval, _)), None) | (None, Some(&(eval, _))) => eval,
            (Some(&(a, _)), Some(&(b, _))) => a.min(b),
        };
        let is_next = |pair: &(i32, f64)| pair.0 == next;
        let count = one.next_if(is_next).map_or(0.0, |pair| pair.1)
            + other.next_if(is_next).map_or(0.0, |pair| pair.1);
        if count > 0.0 {
            sums.push((f64::from(next), count));
        }
    }
}

impl Local {
    /// Adds `count · f(z)` with `z = (x − a)/b` to the derivatives, given `f′` and `f″`.
    #[inline]
    fn add_of_z(&mut self, count: f64, z: f64, first: f64, second: f64, b: f64) {
        let (first, second) = (count * first / b, count * second / (b * b));
        self.slope[0] -= first;
        self.slope[1] -= first * z;
        self.bend[0] += second;
        self.bend[1] += second * z + first / b;
        self.bend[2] += second * z * z + 2.0 * first * z / b;
    }

    /// Adds the squared error of the score at `x` to the derivatives.
    #[inline]
    fn add_square(&mut self, count: f64, x: f64, target: f64, a: f64, b: f64) {
        let mut score = Local {
            value: 0.5,
            ..Local::default()
        };
        for (sign, eval) in [(0.5, x), (-0.5, -x)] {
            let z = (eval - a) / b;
            let rate = logistic(z);
            let first = rate * (1.0 - rate);
            score.value += sign * rate;
            score.add_of_z(sign, z, first, first * (1.0 - 2.0 * rate), b);
        }
        self.value += count * (score.value - target).powi(2);
        let error = 2.0 * (score.value - target) * count;
        let [by_a, by_b] = score.slope;
        self.slope[0] += error * by_a;
        self.slope[1] += error * by_b;
        for (sum, (product, bend)) in self.bend.iter_mut().zip(
            [by_a * by_a, by_a * by_b, by_b * by_b]
                .into_iter()
                .zip(score.bend),
        ) {
            *sum += 2.0 * count * product + error * bend;
        }
    }
}

/// Returns the objective of the reference for rows with given `(a, b)`: mean log loss, or root of
/// the mean squared error. It sums in the order of the reference, so that rounding is the same.
pub(crate) fn reference_objective<'a>(
    loss: Loss,
    rows: &(impl Iterator<Item = (&'a Row, (f64, f64))> + Clone),
) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (result, target) in [(0, 1.0), (1, 0.5), (2, 0.0)] {
        for (row, (a, b)) in rows.clone() {
            for (&eval, counts) in row.evals.iter().zip(&row.counts) {
                let count = counts[result];
                if count == 0.0 {
                    continue;
                }
                total += count;
                let eval = f64::from(eval);
                sum += match loss {
                    Loss::Log | Loss::SmoothLog => {
                        count * rates_of(result, eval, a, b).max(LEAST).ln()
                    }
                    Loss::Square | Loss::SmoothSquare => {
                        let [win, draw, _] = rates(eval, a, b);
                        count * (win + 0.5 * draw - target).powi(2)
                    }
                };
            }
        }
    }
    match loss {
        Loss::Log | Loss::SmoothLog => -sum / total,
        Loss::Square | Loss::SmoothSquare => (sum / total).sqrt(),
    }
}

/// Returns the sum of −ln p over the results of a row.
pub(crate) fn log_losses(row: &Row, a: f64, b: f64) -> f64 {
    let cells = row.evals.iter().zip(&row.counts);
    let sums = cells.flat_map(|(&eval, counts)| {
        let seen = counts.iter().enumerate().filter(|(_, count)| **count > 0.0);
        seen.map(move |(result, count)| {
            -count * rates_of(result, f64::from(eval), a, b).max(LEAST).ln()
        })
    });
    sums.sum()
}

#[inline]
fn rates_of(result: usize, eval: f64, a: f64, b: f64) -> f64 {
    match result {
        0 => win_rate(eval, a, b),
        1 => 1.0 - win_rate(eval, a, b) - win_rate(-eval, a, b),
        _ => win_rate(-eval, a, b),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row() -> impl Strategy<Value = Row> {
        prop::collection::btree_map(-400..400i32, prop::array::uniform3(0..50u32), 2..40).prop_map(
            |cells| Row {
                value: 58,
                number: 0,
                evals: cells.keys().copied().collect(),
                counts: cells.values().map(|counts| counts.map(f64::from)).collect(),
            },
        )
    }

    proptest! {
        #[test]
        fn derivatives_equal_differences(row in row(), a in 30.0..300.0f64, b in 20.0..120.0f64, log in any::<bool>(), smooth in any::<bool>()) {
            let loss = match (log, smooth) {
                (true, false) => Loss::Log,
                (true, true) => Loss::SmoothLog,
                (false, false) => Loss::Square,
                (false, true) => Loss::SmoothSquare,
            };
            let folded = Folded::new(&row);
            let h = 1e-3;
            let local = folded.local(loss, a, b);
            let near = |got: f64, want: f64, scale: f64| (got - want).abs() <= 1e-4 * (want.abs() + scale);
            let scale = 1e-3 * row.total().max(1.0);
            for (index, (da, db)) in [(h, 0.0), (0.0, h)].into_iter().enumerate() {
                let (more, less) = (folded.local(loss, a + da, b + db), folded.local(loss, a - da, b - db));
                let slope = (more.value - less.value) / (2.0 * h);
                prop_assert!(near(local.slope[index], slope, scale), "slope {index}: {} {slope}", local.slope[index]);
                let bend = [0, 1].map(|other| (more.slope[other] - less.slope[other]) / (2.0 * h));
                prop_assert!(near(local.bend[index], bend[0], scale * 0.1), "bend {index}");
                prop_assert!(near(local.bend[index + 1], bend[1], scale * 0.1), "bend {index}");
            }
        }

        #[test]
        fn the_folded_sum_equals_the_sum_over_observations(row in row(), a in 30.0..300.0f64, b in 20.0..120.0f64) {
            prop_assume!(row.total() > 0.0);
            let all = std::iter::once((&row, (a, b)));
            let log = Folded::new(&row).local(Loss::Log, a, b).value / row.total();
            prop_assert!((log - reference_objective(Loss::Log, &all)).abs() < 1e-9 * log.abs().max(1.0));
            let square = (Folded::new(&row).local(Loss::Square, a, b).value / row.total()).sqrt();
            prop_assert!((square - reference_objective(Loss::Square, &all)).abs() < 1e-12);
        }
    }
}
