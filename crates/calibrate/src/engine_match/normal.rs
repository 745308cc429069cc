//! The normal distribution.

/// The probability that a standard normal variable is below `z`.
///
/// The error function is summed as its series for small arguments, and as a continued fraction beyond (Abramowitz and Stegun, 7.1.6 and
/// 7.1.14), to about 14 digits.
pub(super) fn below(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let tail = if x < 2.5 { 0.5 * (1.0 - erf(x)) } else { 0.5 * erfc(x) };
    if z < 0.0 { tail } else { 1.0 - tail }
}

fn erf(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > 1e-17 * sum.abs() {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    sum * 2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp()
}

fn erfc(x: f64) -> f64 {
    let fraction = (1..=60).rev().fold(x, |below, k| x + f64::from(k) / 2.0 / below);
    (-x * x).exp() / std::f64::consts::PI.sqrt() / fraction
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn quantiles() {
        assert_eq!(below(0.0), 0.5);
        // The 97.5 % quantile, and the tail at 5 (Abramowitz and Stegun, table 26.2).
        assert!((below(1.959_963_984_540_054) - 0.975).abs() < 1e-14);
        assert!((below(-5.0) / 2.866_515_718_791_939e-7 - 1.0).abs() < 1e-10);
        assert!((below(3.5) + below(-3.5) - 1.0).abs() < 1e-15);
        // Both ways of summing agree where they meet.
        let z = 2.5 * std::f64::consts::SQRT_2;
        assert!((below(z - 1e-9) - below(z + 1e-9)).abs() < 1e-11);
        assert!(below(60.0) == 1.0 && below(-60.0) >= 0.0);
    }
}
