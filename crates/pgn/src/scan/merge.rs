//! Results that can be merged.

/// A result that can be merged: from the results of two parts of an input follows that of the
/// whole.
///
/// `a.merge(b)`, with `a` from the earlier part, equals the result of a single scan of both. It
/// need not be commutative.
pub trait Merge {
    /// Adds the result of the following part.
    fn merge(&mut self, later: Self);
}

impl Merge for () {
    fn merge(&mut self, (): Self) {}
}

impl Merge for u64 {
    fn merge(&mut self, later: Self) {
        *self += later;
    }
}

impl<T> Merge for Vec<T> {
    fn merge(&mut self, mut later: Self) {
        self.append(&mut later);
    }
}
