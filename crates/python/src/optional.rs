//! A column of numbers that may be missing. It is filled row by row.

use arrow_array::{ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::NullBufferBuilder;

/// Numbers, each of which may be missing.
///
/// Usually many rows in sequence have a number, or many have none. So the bits that mark missing
/// numbers are written for a whole run at a time.
pub(crate) struct Optional<T: ArrowPrimitiveType> {
    values: Vec<T::Native>,
    /// Which numbers are present, up to the beginning of the last run.
    marks: NullBufferBuilder,
    /// Whether the rows of the last run have a number, and the number of rows.
    run: (bool, usize),
}

impl<T: ArrowPrimitiveType> Default for Optional<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            marks: NullBufferBuilder::new(0),
            run: (true, 0),
        }
    }
}

impl<T: ArrowPrimitiveType> Optional<T> {
    /// Adds a row.
    #[inline]
    pub(crate) fn push(&mut self, value: Option<T::Native>) {
        self.push_times(value, 1);
    }

    /// Adds several equal rows.
    #[inline]
    pub(crate) fn push_times(&mut self, value: Option<T::Native>, times: usize) {
        self.values
            .extend(std::iter::repeat_n(value.unwrap_or_default(), times));
        if value.is_some() != self.run.0 {
            self.mark();
            self.run = (value.is_some(), 0);
        }
        self.run.1 += times;
    }

    fn mark(&mut self) {
        match self.run {
            (true, rows) => self.marks.append_n_non_nulls(rows),
            (false, rows) => self.marks.append_n_nulls(rows),
        }
    }

    /// The finished column.
    pub(crate) fn array(mut self) -> PrimitiveArray<T> {
        self.mark();
        PrimitiveArray::new(self.values.into(), self.marks.finish())
    }
}
