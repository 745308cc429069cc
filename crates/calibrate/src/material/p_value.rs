//! Probabilities of a normal deviate, and Holm's correction for several tests.

/// Probability that a standard normal deviate exceeds `z`.
pub(super) fn above(z: f64) -> f64 {
    if z < 0.0 { 1.0 - above(-z) } else { 0.5 * erfc(z / std::f64::consts::SQRT_2) }
}

/// The complementary error function for `x` from 0 up: its series, or for large `x` the continued fraction.
fn erfc(x: f64) -> f64 {
    let bell = (-x * x).exp() / std::f64::consts::PI.sqrt();
    if x < 2.5 {
        let (mut term, mut sum) = (x, x);
        for n in 1..100 {
            term *= 2.0 * x * x / f64::from(2 * n + 1);
            sum += term;
        }
        return 1.0 - 2.0 * bell * sum;
    }
    let fraction = (1..60).rev().fold(0.0, |rest, n| f64::from(n) / 2.0 / (x + rest));
    bell / (x + fraction)
}

/// The p values of several tests after Holm's correction: the chance of one false rejection among all stays below the level at which
/// corrected values are rejected.
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
    fn tails_of_the_table() {
        for (z, p) in
            [(0.0, 0.5), (1.0, 0.158_655_253_9), (1.959_963_985, 0.025), (3.0, 0.001_349_898_0), (5.0, 2.866_516e-7)]
        {
            assert!((above(z) / p - 1.0).abs() < 1e-6, "{z}: {}", above(z));
            assert!((above(-z) + above(z) - 1.0).abs() < 1e-12);
        }
        assert!(above(40.0) >= 0.0 && above(40.0) < 1e-300);
    }

    #[test]
    fn corrections_of_several() {
        let near =
            |got: &[f64], wanted: &[f64]| got.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < 1e-12);
        assert!(near(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]));
        assert!(near(&holm(&[0.032]), &[0.032]) && near(&holm(&[0.9, 0.8]), &[1.0, 1.0]));
    }
}
