//! Draws Poisson numbers of large means, so that the cost of a resample does not grow with the
//! number of games.

use centipawn_core::mix64;

use crate::parallel::poisson;

/// Up to this number, games are drawn one by one, with the same random numbers in every version of
/// the program.
const SINGLY: u64 = 1024;

/// Draws how often `games` games occur in a resample in which each one occurs as often as a Poisson
/// number of mean 1. The sum of these numbers is a Poisson number of mean `games`. `state` is the
/// state of the random numbers.
///
/// The time is bounded for any number of games: above [`SINGLY`], the sum is drawn directly.
pub(crate) fn resampled(games: u64, state: &mut u64) -> u64 {
    if games > SINGLY {
        return large(games as f64, state);
    }
    let mut next = || {
        *state = mix64(*state);
        u64::from(poisson(*state as u16))
    };
    (0..games).map(|_| next()).sum()
}

/// Draws a Poisson number of a mean of at least 10 by transformed rejection. Source: W. Hörmann,
/// "The transformed rejection method for generating Poisson random variables", Insurance:
/// Mathematics and Economics 12 (1993), algorithm PTRS.
fn large(mean: f64, state: &mut u64) -> u64 {
    let mut uniform = || {
        *state = mix64(*state);
        // Keep the number strictly between 0 and 1, so that its logarithm is finite.
        ((*state >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    };
    let root = mean.sqrt();
    let b = 0.931 + 2.53 * root;
    let a = -0.059 + 0.024_83 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let v_r = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let (u, v) = (uniform() - 0.5, uniform());
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + mean + 0.43).floor();
        if us >= 0.07 && v <= v_r {
            return k as u64;
        }
        if k < 0.0 || us < 0.013 && v > us {
            continue;
        }
        if (v * inverse_alpha / (a / (us * us) + b)).ln() <= ln_probability(k, mean) {
            return k as u64;
        }
    }
}

/// Returns the logarithm of the Poisson probability of `k` at this mean: −mean + k·ln mean − ln k!.
/// Stirling's series is used in a form that loses no digits if both are large.
fn ln_probability(k: f64, mean: f64) -> f64 {
    if k < 1.0 {
        return -mean;
    }
    let apart = mean - k;
    let stirling = 1.0 / (12.0 * k) - 1.0 / (360.0 * k.powi(3)) + 1.0 / (1260.0 * k.powi(5));
    -apart + k * (apart / k).ln_1p() - 0.5 * (2.0 * std::f64::consts::PI * k).ln() - stirling
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn probabilities_equal_the_poisson_distribution() {
        for mean in [10.0_f64, 47.5, 2000.0] {
            let mut ln_factorial = 0.0;
            let mut sum = 0.0;
            for k in 0..(4.0 * mean) as u64 {
                let number = k as f64;
                ln_factorial += number.max(1.0).ln();
                let exact = -mean + number * mean.ln() - ln_factorial;
                if k > 0 {
                    // The omitted terms of the series are below 1/1680k⁷.
                    assert!(
                        (ln_probability(number, mean) - exact).abs() < 1e-3,
                        "{k} {mean}"
                    );
                }
                sum += ln_probability(number, mean).exp();
            }
            assert!((sum - 1.0).abs() < 1e-4, "{mean}: {sum}");
        }
    }

    /// The mean, variance and skewness of a Poisson number are mean, mean and 1/√mean.
    #[test]
    fn large_numbers_have_the_moments_of_poisson() {
        const DRAWS: usize = 40_000;
        let mut state = 7;
        for mean in [300_u64, 1500, 100_000, 1 << 40] {
            let numbers: Vec<f64> = (0..DRAWS)
                .map(|_| resampled(mean, &mut state) as f64 - mean as f64)
                .collect();
            let moment = |power| {
                numbers
                    .iter()
                    .map(|own| (own / (mean as f64).sqrt()).powi(power))
                    .sum::<f64>()
                    / DRAWS as f64
            };
            // Four standard errors of each moment of a normal deviate.
            let error = 4.0 / (DRAWS as f64).sqrt();
            assert!(moment(1).abs() < error, "{mean}: {}", moment(1));
            assert!(
                (moment(2) - 1.0).abs() < 1.5 * error,
                "{mean}: {}",
                moment(2)
            );
            let skewness = 1.0 / (mean as f64).sqrt();
            assert!(
                (moment(3) - skewness).abs() < 4.0 * error,
                "{mean}: {}",
                moment(3)
            );
            assert!(
                (moment(4) - 3.0).abs() < 10.0 * error,
                "{mean}: {}",
                moment(4)
            );
        }
    }

    #[test]
    fn time_is_bounded_for_any_number_of_games() {
        let (mut state, begin) = (1, Instant::now());
        for games in [1_000_000_000, 1 << 48, u64::MAX] {
            let drawn = resampled(games, &mut state) as f64;
            assert!(
                (drawn / games as f64 - 1.0).abs() < 1e-3,
                "{games}: {drawn}"
            );
        }
        assert!(begin.elapsed() < Duration::from_secs(1));
        // Small numbers are drawn one by one, with the same random numbers as before.
        let (mut singly, mut together) = (5, 5);
        let sum: u64 = (0..100).map(|_| resampled(1, &mut singly)).sum();
        assert_eq!(resampled(100, &mut together), sum);
    }
}
