//! States of scans that no scan can have.

/// Values in a file of a scan's state that no scan can produce.
///
/// ```
/// use centipawn_pgn::Impossible;
///
/// assert_eq!(Impossible::sum([3, 4]), Some(7));
/// assert_eq!(Impossible::sum([3, u64::MAX]), None);
/// assert_eq!(Impossible::unless(3 > 4, "3 games of 4").unwrap_err().to_string(), "3 games of 4");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Impossible(&'static str);

impl Impossible {
    /// Largest number that a state may have: more games, positions or bytes than exist. Sums of
    /// thousands of such numbers stay within 64 bits, and each is exact as a floating-point number.
    pub const LARGEST: u64 = 1 << 48;

    /// Returns an error with the message `what` unless `is_possible`.
    ///
    /// # Errors
    ///
    /// [`Impossible`].
    pub fn unless(is_possible: bool, what: &'static str) -> Result<(), Self> {
        if is_possible { Ok(()) } else { Err(Self(what)) }
    }

    /// Returns the sum of numbers; `None` if it is larger than [`LARGEST`](Self::LARGEST).
    pub fn sum(numbers: impl IntoIterator<Item = u64>) -> Option<u64> {
        let add = |sum: u64, own: u64| sum.checked_add(own).filter(|sum| *sum <= Self::LARGEST);
        numbers.into_iter().try_fold(0, add)
    }
}
