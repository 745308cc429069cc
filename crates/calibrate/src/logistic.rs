//! The logistic function and the logarithm of its denominator.

pub(crate) use centipawn_core::logistic;

/// `ln(1 + e^x)`, without overflow.
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
