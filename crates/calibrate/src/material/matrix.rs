//! Small square matrices, stored row by row.

use crate::newton::solve;

/// Returns the inverse of a positive definite matrix; `None` if the matrix is not positive
/// definite.
pub(super) fn inverse(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    // Scale to a unit diagonal, because coefficients may differ widely in size.
    let scale: Vec<f64> = (0..n)
        .map(|index| matrix[index * n + index].sqrt().recip())
        .collect();
    if scale.iter().any(|scale| !scale.is_finite()) {
        return None;
    }
    let scaled: Vec<f64> = (0..n * n)
        .map(|at| matrix[at] * scale[at / n] * scale[at % n])
        .collect();
    let mut inverse = vec![0.0; n * n];
    for column in 0..n {
        let mut unit = vec![0.0; n];
        unit[column] = 1.0;
        for (row, value) in solve(scaled.clone(), unit)?.into_iter().enumerate() {
            inverse[row * n + column] = value * scale[row] * scale[column];
        }
    }
    Some(inverse)
}

/// Returns the matrix product `a·b`.
pub(super) fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let at = |place: usize| {
        (0..n)
            .map(|k| a[place / n * n + k] * b[k * n + place % n])
            .sum()
    };
    (0..n * n).map(at).collect()
}

/// Returns the bilinear form `vᵀ·a·w`.
pub(super) fn form(v: &[f64], a: &[f64], w: &[f64]) -> f64 {
    let n = v.len();
    let row = |row: usize| {
        a[row * n..(row + 1) * n]
            .iter()
            .zip(w)
            .map(|(a, w)| a * w)
            .sum::<f64>()
    };
    v.iter()
        .enumerate()
        .filter(|(_, v)| **v != 0.0)
        .map(|(index, v)| v * row(index))
        .sum()
}
