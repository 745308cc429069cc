//! Adjusts estimates fitted to an even sample to puzzles as they occur.
//!
//! A model fitted to as many easy and hard puzzles as average ones gives extreme estimates too
//! often: among puzzles as they occur, most of those that look very easy are only easy. A second
//! regression, on puzzles drawn regardless of their rating, shrinks the estimates towards the mean.
//! Mates have separate terms, because players find them harder than their moves suggest.

use serde::{Deserialize, Serialize};

use super::{FOLDS, Intervals, RatedLine, RatingModel, ridge::ridge, short};

/// A solution with at least this many moves of the solver is long.
const LONG: f64 = 4.0;
/// Unit of the estimates in the regression, in rating points, so that all columns have similar
/// scales.
const POINTS: f64 = 400.0;
/// Strength of the ridge penalty. It is small, because the regression has few columns.
const PENALTY: f64 = 1.0;

/// The properties of a puzzle on which the adjustment depends, besides the estimated rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    is_mate: bool,
    is_one_move: bool,
    is_long: bool,
}

/// The adjusted rating is `intercept + slope · estimate`, plus a term for each property of the
/// solution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Natural {
    intercept: f64,
    slope: f64,
    mate: f64,
    mate_in_one: f64,
    long: f64,
}

impl Natural {
    pub(super) fn rating(&self, estimate: f64, kind: Kind) -> f64 {
        let add = |is: bool, points: f64| if is { points } else { 0.0 };
        self.intercept
            + self.slope * estimate
            + add(kind.is_mate, self.mate)
            + add(kind.is_mate && kind.is_one_move, self.mate_in_one)
            + add(kind.is_long, self.long)
    }

    fn fit(rows: &[(f64, Kind, f64)]) -> Option<Self> {
        let number = |is: bool| f64::from(u8::from(is));
        let row = |(estimate, kind, _): &(f64, Kind, f64)| {
            let one = number(kind.is_mate && kind.is_one_move);
            vec![
                estimate / POINTS,
                number(kind.is_mate),
                one,
                number(kind.is_long),
            ]
        };
        let columns: Vec<Vec<f64>> = rows.iter().map(row).collect();
        let ratings: Vec<f64> = rows.iter().map(|(.., rating)| *rating).collect();
        let (intercept, weights) = ridge(&columns, &ratings, PENALTY)?;
        let [slope, mate, mate_in_one, long] = weights[..] else {
            return None;
        };
        let slope = short(slope / POINTS);
        Some(Self {
            intercept: short(intercept),
            slope,
            mate: short(mate),
            mate_in_one: short(mate_in_one),
            long: short(long),
        })
    }
}

impl RatingModel {
    /// Adjusts the model to puzzles as they occur, with new intervals from cross-validation on
    /// them. Returns `None` if there are too few.
    pub(super) fn adjusted(self, lines: &[RatedLine]) -> Option<Self> {
        let row = |line: &RatedLine| {
            Some((
                self.estimate(&line.features)?,
                self.kind(&line.features),
                line.rating,
            ))
        };
        let rows: Vec<(f64, Kind, f64)> = lines.iter().filter_map(row).collect();
        let mut unseen = Vec::new();
        for fold in 0..FOLDS {
            let (left_out, fitted): (Vec<_>, Vec<_>) = rows
                .iter()
                .enumerate()
                .partition(|(index, _)| index % FOLDS == fold);
            let fitted: Vec<(f64, Kind, f64)> = fitted.into_iter().map(|(_, row)| *row).collect();
            let natural = Natural::fit(&fitted)?;
            unseen.extend(
                left_out
                    .into_iter()
                    .map(|(_, &(estimate, kind, rating))| (natural.rating(estimate, kind), rating)),
            );
        }
        Some(Self {
            natural: Some(Natural::fit(&rows)?),
            intervals: Intervals::fit(&unseen)?,
            ..self
        })
    }

    /// Returns the properties of a solution with these features.
    pub(super) fn kind(&self, features: &[f64]) -> Kind {
        let of = |name: &str| {
            let index = self.terms.iter().position(|term| term.feature == name);
            index
                .and_then(|index| features.get(index))
                .copied()
                .unwrap_or_default()
        };
        let moves = of("moves");
        Kind {
            is_mate: of("is_mate") > 0.5,
            is_one_move: moves < 1.5,
            is_long: moves >= LONG,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The simulated estimates are twice as far from the mean as the ratings, and mates in one look
    /// 200 points too easy.
    #[test]
    fn an_adjustment_recovers_the_simulated_bias() {
        let number =
            |index: u64| (index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 / 16_777_216.0;
        let rows: Vec<(f64, Kind, f64)> = (0..900)
            .map(|index| {
                let estimate = 600.0 + 2000.0 * number(index);
                let kind = Kind {
                    is_mate: index % 3 == 0,
                    is_one_move: index % 2 == 0,
                    is_long: index % 7 == 0,
                };
                let mate_in_one = if kind.is_mate && kind.is_one_move {
                    200.0
                } else {
                    0.0
                };
                (estimate, kind, 750.0 + 0.5 * estimate + mate_in_one)
            })
            .collect();
        let natural = Natural::fit(&rows).unwrap();
        for (estimate, kind, rating) in rows {
            assert!(
                (natural.rating(estimate, kind) - rating).abs() < 5.0,
                "{natural:?}"
            );
        }
    }
}
