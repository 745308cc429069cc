//! Holm's correction of p values for several tests.

/// Applies Holm's correction to the p values of several tests. If tests whose corrected value is
/// below a level are rejected, the probability of any false rejection is below that level.
///
/// Source: S. Holm, "A simple sequentially rejective multiple test procedure" (1979).
pub(super) fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &other| p[one].total_cmp(&p[other]));
    let mut corrected = vec![0.0; p.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        largest = largest.max((p.len() - rank) as f64 * p[index]).min(1.0);
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_corrects_several_tests() {
        let near = |got: &[f64], wanted: &[f64]| {
            got.iter()
                .zip(wanted)
                .all(|(got, wanted)| (got - wanted).abs() < 1e-12)
        };
        assert!(near(
            &holm(&[0.01, 0.04, 0.03, 0.005]),
            &[0.03, 0.06, 0.06, 0.02]
        ));
        assert!(near(&holm(&[0.032]), &[0.032]) && near(&holm(&[0.9, 0.8]), &[1.0, 1.0]));
    }
}
