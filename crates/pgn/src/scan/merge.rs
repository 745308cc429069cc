//! Results that add up.

/// A result that adds up: of two parts of an input, the result of the whole.
///
/// `a.merge(b)`, with `a` of the earlier part, is what one pass over both would have given. It need not be commutative.
pub trait Merge {
    /// Adds the result of the part that follows.
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
