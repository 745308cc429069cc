//! Compares the values of two collections.

use super::{Feature, Fit, PawnUncertain, matrix::form};
use crate::newton::solve;

/// The differences between the values of two collections.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// A difference for each value that both models have, except the pawn's, which is always 100.
    pub differences: Vec<Difference>,
    /// Chi square: the quadratic form of the differences of piece values with the inverse of their
    /// covariance.
    pub chi_square: f64,
    /// Degrees of freedom: the number of piece values compared.
    pub values: usize,
    /// The p value: probability of a chi square at least this large if the values were equal,
    /// 0..=1.
    pub p: f64,
}

/// The difference between two values.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The feature whose values are compared.
    pub feature: Feature,
    /// The second collection's value minus the first's, in hundredths of a pawn.
    pub difference: f64,
    /// Standard error of the difference, in hundredths of a pawn.
    pub error: f64,
    /// The difference divided by its standard error.
    pub z: f64,
}

impl Comparison {
    /// Compares the models of two collections. They must have no game in common, since the standard
    /// errors are added as independent.
    ///
    /// # Errors
    ///
    /// [`PawnUncertain`], if the pawn's coefficient in one of them is not significantly above zero.
    pub fn new(first: &Fit, second: &Fit) -> Result<Self, PawnUncertain> {
        let (own, other) = (first.values()?, second.values()?);
        let differences = own.iter().skip(1).filter_map(|own| {
            let other = other.iter().find(|other| other.feature == own.feature)?;
            let (difference, error) = (other.value - own.value, other.error.hypot(own.error));
            Some(Difference {
                feature: own.feature,
                difference,
                error,
                z: difference / error,
            })
        });
        let differences: Vec<_> = differences.collect();
        let men: Vec<f64> = differences
            .iter()
            .filter(|own| matches!(own.feature, Feature::Piece(_)))
            .map(|own| own.difference)
            .collect();
        let count = men.len();
        let covariance = |fit: &Fit, at: usize| {
            // Skip the pawn, which is the unit. The other pieces have the indices 1 to 4.
            form(
                &fit.value_slope(at / count + 1),
                &fit.covariance,
                &fit.value_slope(at % count + 1),
            )
        };
        let both: Vec<f64> = (0..count * count)
            .map(|at| covariance(first, at) + covariance(second, at))
            .collect();
        let scaled = solve(both, men.clone()).unwrap_or_else(|| vec![0.0; count]);
        let chi_square = scaled.iter().zip(&men).map(|(a, b)| a * b).sum();
        Ok(Self {
            differences,
            chi_square,
            values: count,
            p: above(chi_square, count),
        })
    }
}

/// Returns the probability that chi square with an even number of degrees of freedom exceeds `x`.
fn above(x: f64, degrees: usize) -> f64 {
    let half = x / 2.0;
    let mut part = 1.0;
    let mut sum = 1.0;
    for index in 1..degrees / 2 {
        part *= half / index as f64;
        sum += part;
    }
    (-half).exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_square_has_the_tabulated_quantile() {
        // From tables: the 95 % quantile with four degrees of freedom.
        assert!((above(9.487_729, 4) - 0.05).abs() < 1e-7);
        assert!((above(0.0, 4) - 1.0).abs() < 1e-12);
        assert!((above(13.276_704, 4) - 0.01).abs() < 1e-7);
    }
}
