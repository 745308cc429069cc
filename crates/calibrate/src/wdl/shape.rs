//! The functions that describe how `a` and `b` depend on material and move.

use serde::{Deserialize, Serialize};

use super::{By, Row};

/// The family of functions for `a` and `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Cubic polynomials, like Stockfish's constants.
    #[default]
    Cubic,
    /// Piecewise linear functions that only rise or only fall.
    Monotone,
    /// Smooth curves that continue linearly where there are few observations.
    Spline,
}

/// The basis functions whose weighted sum is `a` or `b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Basis {
    /// m³, m², m, 1 with m = value/target.
    Cubic { target: f64 },
    /// The functions of the cubic, and n², n, m·n with n = move/32.
    CubicAndMove { target: f64 },
    /// The constant 1, and linear ramps between knots.
    Ramps { knots: Vec<f64> },
    /// Cubic B-splines over intervals of equal width.
    Splines {
        from: f64,
        width: f64,
        intervals: usize,
    },
}

/// Number of knots of a monotone function.
const KNOTS: usize = 9;

/// Number of intervals of a spline.
const INTERVALS: usize = 12;

impl Shape {
    /// Returns the name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cubic => "cubic",
            Self::Monotone => "monotone",
            Self::Spline => "spline",
        }
    }
}

impl Basis {
    pub(crate) fn new(shape: Shape, by: By, target: f64, rows: &[Row]) -> Self {
        if by == By::Both {
            return Self::CubicAndMove { target };
        }
        let value = |row: Option<&Row>| row.map_or(0.0, |row| f64::from(row.value));
        let (low, high) = (value(rows.first()), value(rows.last()));
        match shape {
            Shape::Cubic => Self::Cubic { target },
            Shape::Monotone => Self::Ramps { knots: knots(rows) },
            Shape::Spline => Self::Splines {
                from: low,
                width: (high - low).max(1.0) / INTERVALS as f64,
                intervals: INTERVALS,
            },
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Cubic { .. } => 4,
            Self::CubicAndMove { .. } => 7,
            Self::Ramps { knots } => knots.len(),
            Self::Splines { intervals, .. } => intervals + 3,
        }
    }

    /// Returns the values of the basis functions at a value of the argument (and at a move).
    pub(crate) fn at(&self, value: f64, number: f64) -> Vec<f64> {
        match self {
            Self::Cubic { target } => {
                let m = value / target;
                vec![m * m * m, m * m, m, 1.0]
            }
            Self::CubicAndMove { target } => {
                let (m, n) = (value / target, number / 32.0);
                vec![m * m * m, m * m, m, 1.0, n * n, n, m * n]
            }
            Self::Ramps { knots } => {
                let ramp = |ends: &[f64]| ((value - ends[0]) / (ends[1] - ends[0])).clamp(0.0, 1.0);
                std::iter::once(1.0)
                    .chain(knots.windows(2).map(ramp))
                    .collect()
            }
            Self::Splines {
                from,
                width,
                intervals,
            } => {
                let x = ((value - from) / width).clamp(0.0, *intervals as f64);
                (0..intervals + 3)
                    .map(|index| bump(x - index as f64 + 3.0))
                    .collect()
            }
        }
    }

    /// Returns the weights that give the constant function `value`.
    pub(crate) fn constant(&self, value: f64) -> Vec<f64> {
        match self {
            Self::Cubic { .. } => vec![0.0, 0.0, 0.0, value],
            Self::CubicAndMove { .. } => vec![0.0, 0.0, 0.0, value, 0.0, 0.0, 0.0],
            Self::Ramps { knots } => {
                let mut constant = vec![0.0; knots.len()];
                constant[0] = value;
                constant
            }
            Self::Splines { .. } => vec![value; self.len()],
        }
    }

    /// Returns the second differences of the weights. The sum of their squares measures the
    /// roughness of a spline.
    pub(crate) fn differences(&self) -> Vec<Vec<f64>> {
        let Self::Splines { .. } = self else {
            return Vec::new();
        };
        let difference = |index: usize| {
            let mut row = vec![0.0; self.len()];
            row[index..index + 3].copy_from_slice(&[1.0, -2.0, 1.0]);
            row
        };
        (0..self.len() - 2).map(difference).collect()
    }

    /// Returns whether this basis function is a ramp. Its weight is then the rise of the function.
    pub(crate) fn is_ramp(&self, index: usize) -> bool {
        matches!(self, Self::Ramps { .. }) && index > 0
    }
}

/// Values that divide the observations into parts of about equal size.
fn knots(rows: &[Row]) -> Vec<f64> {
    let total: f64 = rows.iter().map(Row::total).sum();
    let mut knots: Vec<f64> = Vec::new();
    let mut sum = 0.0;
    for (index, row) in rows.iter().enumerate() {
        let wanted = total * knots.len() as f64 / (KNOTS - 1) as f64;
        if sum >= wanted && knots.len() < KNOTS - 1 || index + 1 == rows.len() {
            knots.push(f64::from(row.value));
        }
        sum += row.total();
    }
    knots
}

/// Returns the cubic B-spline over 0..4.
fn bump(x: f64) -> f64 {
    if !(0.0..=4.0).contains(&x) {
        return 0.0;
    }
    let x = if x > 2.0 { 4.0 - x } else { x };
    if x <= 1.0 {
        x * x * x / 6.0
    } else {
        (((12.0 - 3.0 * x) * x - 12.0) * x + 4.0) / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        (17..=78)
            .map(|value| Row {
                value,
                number: 0,
                evals: vec![0],
                counts: vec![[1.0, 1.0, 1.0]],
            })
            .collect()
    }

    #[test]
    fn constant_weights_give_a_constant_function() {
        for shape in [Shape::Cubic, Shape::Monotone, Shape::Spline] {
            let basis = Basis::new(shape, By::Material, 58.0, &rows());
            let weights = basis.constant(3.5);
            assert_eq!(weights.len(), basis.len());
            for value in [0.0, 17.0, 33.3, 58.0, 78.0, 100.0] {
                let functions = basis.at(value, 1.0);
                let sum: f64 = functions
                    .iter()
                    .zip(&weights)
                    .map(|(function, weight)| function * weight)
                    .sum();
                assert!((sum - 3.5).abs() < 1e-9, "{shape:?} at {value}: {sum}");
            }
        }
    }

    #[test]
    fn knots_are_in_ascending_order() {
        let knots = knots(&rows());
        assert!(
            knots.len() >= 8 && knots[0] == 17.0 && knots[knots.len() - 1] == 78.0,
            "{knots:?}"
        );
        assert!(knots.is_sorted_by(|a, b| a < b));
    }
}
