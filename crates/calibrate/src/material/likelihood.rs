//! The likelihood of results, with derivatives with respect to White's advantage and the width of
//! draws.

use super::{Method, data::Data};
use crate::{
    logistic::{logistic, softplus},
    newton::{Function, Quadratic},
};

/// The negative log-likelihood of result counts at an advantage `eta` and a width `h`, with its
/// derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Local {
    /// First derivatives with respect to `eta` and `h`.
    pub(super) slope: [f64; 2],
    /// Second derivatives: by `eta` twice, by `eta` and `h`, by `h` twice.
    pub(super) bend: [f64; 3],
}

impl Method {
    /// Returns whether the method models draws. The others count a draw as half a win.
    pub fn has_draws(self) -> bool {
        matches!(self, Self::Ordered | Self::Davidson)
    }

    /// Probabilities of Black's win, a draw and White's win. Methods without draws give 0 for a
    /// draw and the expected score for White's win.
    pub(super) fn chances(self, eta: f64, h: f64) -> [f64; 3] {
        match self {
            Self::Classic | Self::Score => [logistic(-eta), 0.0, logistic(eta)],
            Self::Ordered => {
                let (white, black) = (logistic(eta - h), logistic(-eta - h));
                [black, (1.0 - white - black).max(0.0), white]
            }
            Self::Davidson => {
                let most = (eta / 2.0).abs().max(h);
                let [white, black, draw] =
                    [eta / 2.0, -eta / 2.0, h].map(|part| (part - most).exp());
                let sum = white + black + draw;
                [black / sum, draw / sum, white / sum]
            }
        }
    }

    /// Returns the negative log-likelihood of result counts; infinite if the likelihood is zero.
    pub(super) fn loss(self, [black, draw, white]: [f64; 3], eta: f64, h: f64) -> f64 {
        match self {
            Self::Classic => white * softplus(-eta) + black * softplus(eta),
            Self::Score => {
                (white + draw / 2.0) * softplus(-eta) + (black + draw / 2.0) * softplus(eta)
            }
            // The drawing range must have a positive width.
            Self::Ordered if h <= 0.0 => f64::INFINITY,
            Self::Ordered => {
                let (upper, lower) = (softplus(h - eta), softplus(h + eta));
                // σ(η+h) − σ(η−h) = σ(h−η)·σ(h+η)·(1 − e^(−2h)), and 1 − e^(−2h) = e^(−h)·2 sinh h.
                let between = upper + lower - 2.0 * h - (-(-2.0 * h).exp_m1()).ln();
                white * upper + black * lower + draw * between
            }
            Self::Davidson => {
                let most = (eta / 2.0).abs().max(h);
                let sum: f64 = [eta / 2.0, -eta / 2.0, h]
                    .iter()
                    .map(|part| (part - most).exp())
                    .sum();
                (white + draw + black) * (most + sum.ln()) - (white - black) * eta / 2.0 - draw * h
            }
        }
    }

    /// Derivatives of [`loss`](Self::loss).
    #[inline]
    pub(super) fn local(self, [black, draw, white]: [f64; 3], eta: f64, h: f64) -> Local {
        match self {
            Self::Classic | Self::Score => {
                let half = if self == Self::Score { draw / 2.0 } else { 0.0 };
                let (white, black) = (white + half, black + half);
                let p = logistic(eta);
                Local {
                    slope: [black * p - white * (1.0 - p), 0.0],
                    bend: [(white + black) * p * (1.0 - p), 0.0, 0.0],
                }
            }
            Self::Ordered => {
                // All derivatives follow from two probabilities: of being above the upper and above
                // the lower cut point.
                let (above, over) = (logistic(eta - h), logistic(eta + h));
                let (above_bend, over_bend) = (above * (1.0 - above), over * (1.0 - over));
                let (high, low) = (white + draw, black + draw);
                // `coth h` may be infinite if there are no draws, so do not multiply it by their
                // number, 0.
                let (coth, narrow) = if draw > 0.0 {
                    (draw / h.tanh(), draw / h.sinh().powi(2))
                } else {
                    (0.0, 0.0)
                };
                Local {
                    slope: [
                        low * over - high * (1.0 - above),
                        low * over - high * above + white - coth,
                    ],
                    bend: [
                        high * above_bend + low * over_bend,
                        low * over_bend - high * above_bend,
                        high * above_bend + low * over_bend + narrow,
                    ],
                }
            }
            Self::Davidson => {
                let total = white + draw + black;
                let [p_black, p_draw, p_white] = self.chances(eta, h);
                let lean = (p_white - p_black) / 2.0;
                Local {
                    slope: [total * lean - (white - black) / 2.0, total * p_draw - draw],
                    bend: [
                        total * ((p_white + p_black) / 4.0 - lean * lean),
                        -total * p_draw * lean,
                        total * p_draw * (1.0 - p_draw),
                    ],
                }
            }
        }
    }
}

/// The negative log-likelihood of grouped rows as a function of all coefficients.
pub(super) struct Problem<'a> {
    pub(super) data: &'a Data,
    pub(super) counts: &'a [[f64; 3]],
    /// Weight of the squared coefficients in the loss, for each row.
    pub(super) ridge: f64,
}

impl Problem<'_> {
    /// Returns White's advantage and the width of draws of a group.
    pub(super) fn predictors(&self, group: usize, point: &[f64]) -> (f64, f64) {
        predictors(self.data, group, point)
    }

    /// Computes only the derivatives; `value` is 0.
    pub(super) fn derivatives(&self, point: &[f64]) -> Quadratic {
        let (width, all) = (self.data.features.len(), point.len());
        let mut sum = Quadratic {
            value: 0.0,
            slope: vec![0.0; all],
            bend: vec![0.0; all * all],
        };
        let mut rows = 0.0;
        for (group, &counts) in self.counts.iter().enumerate() {
            let count = counts[0] + counts[1] + counts[2];
            if count == 0.0 {
                continue;
            }
            rows += count;
            let (eta, h) = self.predictors(group, point);
            let Local { slope, bend } = self.data.method.local(counts, eta, h);
            let (x, z) = (self.data.x_of(group), self.data.z_of(group));
            for (row, &own) in x.iter().enumerate().filter(|(_, own)| **own != 0.0) {
                sum.slope[row] += slope[0] * own;
                let scaled = bend[0] * own;
                let sums = &mut sum.bend[row * all..][..all];
                sums.iter_mut()
                    .zip(&x[..=row])
                    .for_each(|(sum, other)| *sum += scaled * other);
                for (place, other) in z.iter().enumerate() {
                    sum.bend[(width + place) * all + row] += bend[1] * own * other;
                }
            }
            for (row, own) in z.iter().enumerate() {
                sum.slope[width + row] += slope[1] * own;
                for (place, other) in z[..=row].iter().enumerate() {
                    sum.bend[(width + row) * all + width + place] += bend[2] * own * other;
                }
            }
        }
        for (row, own) in point.iter().enumerate() {
            sum.slope[row] += 2.0 * self.ridge * rows * own;
            sum.bend[row * all + row] += 2.0 * self.ridge * rows;
            for column in 0..row {
                sum.bend[column * all + row] = sum.bend[row * all + column];
            }
        }
        sum
    }

    /// Computes only the value of the loss.
    pub(super) fn value(&self, point: &[f64]) -> f64 {
        let rows: f64 = self.counts.iter().flatten().sum();
        let squares: f64 = point.iter().map(|own| own * own).sum();
        let losses = self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, counts)| **counts != [0.0; 3])
            .map(|(group, &counts)| {
                let (eta, h) = self.predictors(group, point);
                self.data.method.loss(counts, eta, h)
            });
        losses.sum::<f64>() + self.ridge * rows * squares
    }
}

pub(super) fn predictors(data: &Data, group: usize, point: &[f64]) -> (f64, f64) {
    let (theta, gamma) = point.split_at(data.features.len());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
    (dot(theta, data.x_of(group)), dot(gamma, data.z_of(group)))
}

impl Function for Problem<'_> {
    fn quadratic(&self, point: &[f64]) -> Quadratic {
        Quadratic {
            value: self.value(point),
            ..self.derivatives(point)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn methods() -> impl Strategy<Value = Method> {
        prop::sample::select(vec![
            Method::Classic,
            Method::Score,
            Method::Ordered,
            Method::Davidson,
        ])
    }

    proptest! {
        #[test]
        fn derivatives_equal_differences_of_the_loss(
            method in methods(), counts in prop::array::uniform3(0.0..5.0_f64), eta in -4.0..4.0_f64, h in 0.2..3.0_f64,
        ) {
            let step = 1e-5;
            let loss = |eta: f64, h: f64| method.loss(counts, eta, h);
            let local = method.local(counts, eta, h);
            let slopes = [
                (loss(eta + step, h) - loss(eta - step, h)) / (2.0 * step),
                (loss(eta, h + step) - loss(eta, h - step)) / (2.0 * step),
            ];
            for (own, measured) in local.slope.into_iter().zip(slopes) {
                prop_assert!((own - measured).abs() < 1e-5, "{method:?}: {own} is not {measured}");
            }
            let slope = |eta: f64, h: f64| method.local(counts, eta, h).slope;
            let bends = [
                (slope(eta + step, h)[0] - slope(eta - step, h)[0]) / (2.0 * step),
                (slope(eta + step, h)[1] - slope(eta - step, h)[1]) / (2.0 * step),
                (slope(eta, h + step)[1] - slope(eta, h - step)[1]) / (2.0 * step),
            ];
            for (own, measured) in local.bend.into_iter().zip(bends) {
                prop_assert!((own - measured).abs() < 1e-4, "{method:?}: {own} is not {measured}");
            }
        }

        #[test]
        fn probabilities_agree_with_the_loss(method in methods(), eta in -6.0..6.0_f64, h in 0.1..3.0_f64) {
            let chances = method.chances(eta, h);
            prop_assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for result in (0..3).filter(|result| method.has_draws() || *result != 1) {
                let mut counts = [0.0; 3];
                counts[result] = 1.0;
                prop_assert!((method.loss(counts, eta, h) + chances[result].ln()).abs() < 1e-9);
            }
            // From the other side's view, the probabilities are mirrored.
            let [black, _, white] = method.chances(-eta, h);
            prop_assert!((chances[0] - white).abs() < 1e-12 && (chances[2] - black).abs() < 1e-12);
        }
    }
}
