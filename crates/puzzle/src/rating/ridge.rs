//! Ridge regression: least squares with a penalty on large weights.

/// Minimises `Σ (y − b − w·x)² + penalty·|w|²` over the rows `x`; returns `(b, w)`. Columns should
/// have similar scales. `None` if the system is not positive definite in floating point.
pub(crate) fn ridge(rows: &[Vec<f64>], y: &[f64], penalty: f64) -> Option<(f64, Vec<f64>)> {
    let width = rows.first()?.len();
    let count = rows.len() as f64;
    let means: Vec<f64> = (0..width)
        .map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / count)
        .collect();
    let mean_y = y.iter().sum::<f64>() / count;
    // The normal equations of the centred columns, lower triangle.
    let mut matrix = vec![0.0; width * width];
    let mut right = vec![0.0; width];
    let mut centred = vec![0.0; width];
    for (row, y) in rows.iter().zip(y) {
        centred
            .iter_mut()
            .zip(row)
            .zip(&means)
            .for_each(|((out, x), mean)| *out = x - mean);
        for (i, x) in centred.iter().enumerate() {
            right[i] += x * (y - mean_y);
            for (out, other) in matrix[i * width..=i * width + i].iter_mut().zip(&centred) {
                *out += x * other;
            }
        }
    }
    for i in 0..width {
        matrix[i * width + i] += penalty;
    }
    let weights = solve(matrix, right)?;
    let intercept = mean_y
        - weights
            .iter()
            .zip(&means)
            .map(|(weight, mean)| weight * mean)
            .sum::<f64>();
    Some((intercept, weights))
}

/// Solves a symmetric positive definite system, given as its lower triangle, by Cholesky
/// decomposition.
fn solve(mut matrix: Vec<f64>, mut x: Vec<f64>) -> Option<Vec<f64>> {
    let n = x.len();
    for i in 0..n {
        for j in 0..=i {
            let (row_i, row_j) = (&matrix[i * n..i * n + j], &matrix[j * n..j * n + j]);
            let rest = matrix[i * n + j] - row_i.iter().zip(row_j).map(|(a, b)| a * b).sum::<f64>();
            matrix[i * n + j] = if i == j {
                if rest <= 0.0 || !rest.is_finite() {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / matrix[j * n + j]
            };
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|j| matrix[i * n + j] * x[j]).sum();
        x[i] = (x[i] - sum) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| matrix[j * n + i] * x[j]).sum();
        x[i] = (x[i] - sum) / matrix[i * n + i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_fitted_exactly_without_penalty() {
        let rows: Vec<Vec<f64>> = (0..20)
            .map(|i| vec![f64::from(i), f64::from(i * i % 7)])
            .collect();
        let y: Vec<f64> = rows
            .iter()
            .map(|row| 3.0 + 2.0 * row[0] - 0.5 * row[1])
            .collect();
        let (intercept, weights) = ridge(&rows, &y, 1e-9).unwrap();
        assert!(
            (intercept - 3.0).abs() < 1e-6
                && (weights[0] - 2.0).abs() < 1e-6
                && (weights[1] + 0.5).abs() < 1e-6
        );
        assert!(ridge(&rows, &y, 1e9).unwrap().1[0].abs() < 1e-3);
        assert!(ridge(&[vec![0.0]], &[1.0], 0.0).is_none());
    }
}
