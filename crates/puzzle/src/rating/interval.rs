//! The 80 % interval of an estimate, as a smooth function of the estimate.

use serde::{Deserialize, Serialize};

use super::short;

/// Shares of the ratings below the lower end and below the upper end.
const SHARES: (f64, f64) = (0.1, 0.9);
/// The quantiles of the estimates at which the function has knots.
const KNOTS: [f64; 7] = [0.02, 0.18, 0.34, 0.5, 0.66, 0.82, 0.98];
/// Standard deviation, in rating points, of the weights of errors at nearby estimates. It was
/// chosen by cross-validation between 100 and 400: a small one follows chance, a large one hides
/// that difficult puzzles have larger errors.
const BANDWIDTH: f64 = 150.0;

/// The distance of the interval's ends from the estimate: linear between knots, constant beyond the
/// outer ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Intervals(Vec<Knot>);

/// The ends of the interval at one estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Knot {
    /// The estimate, in rating points.
    at: f64,
    /// Lower end relative to the estimate, in rating points.
    low: f64,
    /// Upper end relative to the estimate, in rating points.
    high: f64,
}

impl Intervals {
    /// Fits the intervals to pairs of estimate and rating, of puzzles that were not used for the
    /// estimates. The ends are local quantiles of rating minus estimate. Returns `None` without
    /// puzzles.
    pub(super) fn fit(pairs: &[(f64, f64)]) -> Option<Self> {
        let mut estimates: Vec<f64> = pairs.iter().map(|(estimate, _)| *estimate).collect();
        estimates.sort_by(f64::total_cmp);
        let last = estimates.len().checked_sub(1)?;
        let mut errors: Vec<(f64, f64)> = pairs
            .iter()
            .map(|(estimate, rating)| (*estimate, rating - estimate))
            .collect();
        errors.sort_by(|a, b| a.1.total_cmp(&b.1));
        let knot = |share: f64| {
            let at = estimates[(last as f64 * share).round() as usize];
            let weight = |estimate: f64| (-((estimate - at) / BANDWIDTH).powi(2) / 2.0).exp();
            let weighed: Vec<(f64, f64)> = errors
                .iter()
                .map(|&(estimate, error)| (weight(estimate), error))
                .collect();
            let end = |share| short(quantile(&weighed, share).round());
            Knot {
                at: at.round(),
                low: end(SHARES.0),
                high: end(SHARES.1),
            }
        };
        let mut knots: Vec<Knot> = KNOTS.into_iter().map(knot).collect();
        knots.dedup_by_key(|knot| knot.at);
        Some(Self(knots))
    }

    /// Returns both ends of the interval around an estimate, relative to it; `None` if there are no
    /// knots.
    pub(super) fn around(&self, estimate: f64) -> Option<(f64, f64)> {
        let after = self.0.partition_point(|knot| knot.at < estimate);
        let (left, right) = (
            self.0.get(after.saturating_sub(1))?,
            self.0.get(after).or(self.0.last())?,
        );
        let width = right.at - left.at;
        let share = if width > 0.0 {
            ((estimate - left.at) / width).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let between = |left: f64, right: f64| left + share * (right - left);
        Some((between(left.low, right.low), between(left.high, right.high)))
    }

    /// Returns whether the knots are in order, and each interval contains its estimate.
    #[cfg(test)]
    pub(super) fn is_sound(&self) -> bool {
        self.0.is_sorted_by(|a, b| a.at < b.at)
            && self.0.iter().all(|knot| knot.low < 0.0 && knot.high > 0.0)
    }
}

/// Returns the value below which this share of the weight lies. `weighed` contains weights and
/// values, in ascending order of the values; it must not be empty.
fn quantile(weighed: &[(f64, f64)], share: f64) -> f64 {
    let total: f64 = weighed.iter().map(|(weight, _)| weight).sum();
    let wanted = share * total;
    let (mut sum, mut before) = (0.0, None);
    for &(weight, value) in weighed {
        // Half of a value's weight counts as below the value.
        let place = sum + weight / 2.0;
        if place >= wanted {
            return before.map_or(value, |(start, low)| {
                let part = if place > start {
                    (wanted - start) / (place - start)
                } else {
                    1.0
                };
                low + part * (value - low)
            });
        }
        (sum, before) = (sum + weight, Some((place, value)));
    }
    before.map_or(0.0, |(_, value)| value)
}

#[cfg(test)]
mod tests {
    use centipawn_core::SplitMix64;

    use super::*;

    #[test]
    fn quantiles_are_weighted() {
        let even: Vec<(f64, f64)> = (0..=100).map(|value| (1.0, f64::from(value))).collect();
        assert_eq!(quantile(&even, 0.5), 50.0);
        assert!((quantile(&even, 0.1) - 9.6).abs() < 1e-9);
        // One value has nearly all of the weight.
        let heavy: Vec<(f64, f64)> = (0..=100)
            .map(|value| (if value == 30 { 1e6 } else { 1.0 }, f64::from(value)))
            .collect();
        assert!((quantile(&heavy, 0.5) - 30.0).abs() < 0.01);
        assert_eq!(quantile(&[(1.0, 7.0)], 0.9), 7.0);
    }

    /// The errors grow with the estimate. Everywhere, four fifths of the ratings must lie within
    /// the interval.
    #[test]
    fn intervals_contain_four_fifths_of_the_ratings_everywhere() {
        let mut random = SplitMix64::new(1);
        let pairs: Vec<(f64, f64)> = (0..4000)
            .map(|_| {
                let estimate = 800.0 + 1400.0 * random.unit();
                let error = (random.unit() - 0.5) * (0.3 * estimate);
                (estimate, estimate + error)
            })
            .collect();
        let (fitted, held_out) = pairs.split_at(3000);
        let intervals = Intervals::fit(fitted).unwrap();
        assert!(intervals.is_sound());
        for (from, to) in [(800.0, 1100.0), (1100.0, 1700.0), (1700.0, 2200.0)] {
            let inside = |&(estimate, rating): &(f64, f64)| {
                let (low, high) = intervals.around(estimate).unwrap();
                (estimate + low..=estimate + high).contains(&rating)
            };
            let part: Vec<_> = held_out
                .iter()
                .filter(|(estimate, _)| (from..to).contains(estimate))
                .collect();
            let share = part.iter().filter(|pair| inside(pair)).count() as f64 / part.len() as f64;
            assert!((share - 0.8).abs() < 0.06, "{from}: {share}");
        }
        assert_eq!(intervals.around(0.0), intervals.around(300.0));
        assert!(Intervals::fit(&[]).is_none());
    }
}
