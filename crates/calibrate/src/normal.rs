//! The normal distribution, and intervals based on it.

/// Half the width of a 95 % interval, in standard errors.
pub(crate) const TWO_SIDED: f64 = 1.959_963_984_540_054;

/// Returns the probability that a standard normal deviate exceeds `z`.
pub(crate) fn above(z: f64) -> f64 {
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// Returns the standard normal deviate below which this share, above 0 and below 1, of the
/// distribution lies.
pub(crate) fn quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    // Each step halves the interval. After sixty steps it is far below rounding.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if 1.0 - above(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// Returns the 95 % interval of a share that was observed in `n` observations, by Wilson's formula.
/// The share and the bounds are 0..=1; without observations the interval is 0 to 1.
///
/// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference"
/// (1927).
///
/// ```
/// let (low, high) = centipawn_calibrate::wilson(81.0 / 263.0, 263.0);
/// assert_eq!((format!("{low:.4}"), format!("{high:.4}")), ("0.2553".to_owned(), "0.3662".to_owned()));
/// ```
pub fn wilson(share: f64, n: f64) -> (f64, f64) {
    if n <= 0.0 {
        return (0.0, 1.0);
    }
    let z = TWO_SIDED;
    let (middle, whole) = (share + z * z / (2.0 * n), 1.0 + z * z / n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding must not move an end of the interval beyond the share.
    (
        ((middle - half) / whole).clamp(0.0, share),
        ((middle + half) / whole).clamp(share, 1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of Abramowitz and Stegun, tables 26.1 and 26.2.
    #[test]
    fn tails_equal_the_published_table() {
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_9),
            (1.959_963_985, 0.025),
            (3.0, 0.001_349_898_0),
            (5.0, 2.866_516e-7),
        ] {
            assert!((above(z) / p - 1.0).abs() < 1e-6, "{z}: {}", above(z));
            assert!((above(-z) + above(z) - 1.0).abs() < 1e-12);
        }
        assert!((above(5.0) / 2.866_515_718_791_939e-7 - 1.0).abs() < 1e-10);
        assert!((above(TWO_SIDED) - 0.025).abs() < 1e-14);
        assert!(above(40.0) >= 0.0 && above(40.0) < 1e-300);
        assert!(above(-60.0) == 1.0 && above(60.0) >= 0.0);
        assert!((quantile(0.975) - TWO_SIDED).abs() < 1e-9 && quantile(0.5).abs() < 1e-9);
        assert!((quantile(0.005) + 2.575_829_303_5).abs() < 1e-8);
    }

    /// The expected values are those of Newcombe (1998), table I: 81 of 263 and 0 of 20.
    #[test]
    fn wilson_intervals_equal_the_published_ones() {
        let rounded = |(low, high): (f64, f64)| (format!("{low:.4}"), format!("{high:.4}"));
        assert_eq!(
            rounded(wilson(81.0 / 263.0, 263.0)),
            ("0.2553".to_owned(), "0.3662".to_owned())
        );
        assert_eq!(
            rounded(wilson(0.0, 20.0)),
            ("0.0000".to_owned(), "0.1611".to_owned())
        );
        assert_eq!(wilson(0.5, 0.0), (0.0, 1.0));
    }
}
