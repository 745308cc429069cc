//! Functions of numbers that are the same on every machine.
//!
//! The standard library takes them from the system, so their last digits differ between systems,
//! between processors, and in browsers. Documents have all digits, and the same work must give the
//! same bytes everywhere.

/// Functions of a number, computed by the crate `libm`.
pub(crate) trait Portable {
    /// Returns e to the power of the number.
    fn exp_portable(self) -> Self;
    /// Returns 2 to the power of the number.
    fn exp2_portable(self) -> Self;
    /// Returns the natural logarithm.
    fn ln_portable(self) -> Self;
    /// Returns the logarithm to base 2.
    fn log2_portable(self) -> Self;
    /// Returns the logarithm to base 10.
    fn log10_portable(self) -> Self;
    /// Returns the number to the power of `exponent`.
    fn powf_portable(self, exponent: Self) -> Self;
    /// Returns the hyperbolic cosine.
    fn cosh_portable(self) -> Self;
}

impl Portable for f64 {
    fn exp_portable(self) -> Self {
        libm::exp(self)
    }

    fn exp2_portable(self) -> Self {
        libm::exp2(self)
    }

    fn ln_portable(self) -> Self {
        libm::log(self)
    }

    fn log2_portable(self) -> Self {
        libm::log2(self)
    }

    fn log10_portable(self) -> Self {
        libm::log10(self)
    }

    fn powf_portable(self, exponent: Self) -> Self {
        libm::pow(self, exponent)
    }

    fn cosh_portable(self) -> Self {
        libm::cosh(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_close_to_the_system_s() {
        for number in [1e-9, 0.1, 0.5, 1.0, 2.7, 10.0, 300.0_f64] {
            let close = |own: f64, other: f64| {
                assert!(
                    (own - other).abs() <= 4.0 * f64::EPSILON * other.abs(),
                    "{number}"
                );
            };
            close(number.exp_portable(), number.exp());
            close(number.exp2_portable(), number.exp2());
            close(number.ln_portable(), number.ln());
            close(number.log2_portable(), number.log2());
            close(number.log10_portable(), number.log10());
            close(number.powf_portable(0.3), number.powf(0.3));
            close(number.cosh_portable(), number.cosh());
        }
    }
}
