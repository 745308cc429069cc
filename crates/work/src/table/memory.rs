//! Rows of columns of the schema, in memory.

use super::columns::{Column, ColumnType};

/// The values of a column that are not missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Values of [`Int16`](ColumnType::Int16) and [`Int32`](ColumnType::Int32), and days since 1970
    /// of [`Date`](ColumnType::Date).
    Int(Vec<i32>),
    /// Values of [`Int64`](ColumnType::Int64).
    Long(Vec<i64>),
    /// Values of [`Float64`](ColumnType::Float64).
    Double(Vec<f64>),
    /// Values of [`Boolean`](ColumnType::Boolean).
    Bool(Vec<bool>),
    /// Values of texts and dictionaries: the concatenated texts, and the offset at which each text
    /// ends.
    Text {
        /// The concatenated texts in UTF-8.
        bytes: Vec<u8>,
        /// The offset in `bytes` at which each text ends.
        ends: Vec<usize>,
    },
}

impl Values {
    fn new(data_type: ColumnType) -> Self {
        match data_type {
            ColumnType::Int16 | ColumnType::Int32 | ColumnType::Date => Self::Int(Vec::new()),
            ColumnType::Int64 => Self::Long(Vec::new()),
            ColumnType::Float64 => Self::Double(Vec::new()),
            ColumnType::Boolean => Self::Bool(Vec::new()),
            ColumnType::Text | ColumnType::Dictionary8 | ColumnType::Dictionary32 => Self::Text {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        }
    }

    fn append(&mut self, later: Self) {
        match (self, later) {
            (Self::Int(own), Self::Int(mut later)) => own.append(&mut later),
            (Self::Long(own), Self::Long(mut later)) => own.append(&mut later),
            (Self::Double(own), Self::Double(mut later)) => own.append(&mut later),
            (Self::Bool(own), Self::Bool(mut later)) => own.append(&mut later),
            (
                Self::Text { bytes, ends },
                Self::Text {
                    bytes: mut more,
                    ends: later,
                },
            ) => {
                let behind = bytes.len();
                bytes.append(&mut more);
                ends.extend(later.into_iter().map(|end| end + behind));
            }
            // Unreachable: tables with the same columns have the same types.
            _ => {}
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        match self {
            Self::Int(own) => Self::Int(own.split_off(at)),
            Self::Long(own) => Self::Long(own.split_off(at)),
            Self::Double(own) => Self::Double(own.split_off(at)),
            Self::Bool(own) => Self::Bool(own.split_off(at)),
            Self::Text { bytes, ends } => {
                let before = at.checked_sub(1).map_or(0, |last| ends[last]);
                let later = ends
                    .split_off(at)
                    .into_iter()
                    .map(|end| end - before)
                    .collect();
                Self::Text {
                    bytes: bytes.split_off(before),
                    ends: later,
                }
            }
        }
    }
}

/// A column of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub struct StoredColumn {
    /// The schema of the column.
    pub column: &'static Column,
    /// The values that are not missing.
    pub values: Values,
    /// Definition levels of a nullable column: 1 for each row with a value, 0 for each row without
    /// one.
    pub levels: Option<Vec<i16>>,
}

impl StoredColumn {
    fn new(column: &'static Column) -> Self {
        Self {
            column,
            values: Values::new(column.data_type),
            levels: column.is_nullable().then(Vec::new),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let levels = self.levels.as_mut().map(|levels| levels.split_off(at));
        let present = match &self.levels {
            Some(levels) => levels.iter().filter(|level| **level == 1).count(),
            None => at,
        };
        Self {
            column: self.column,
            values: self.values.split_off(present),
            levels,
        }
    }

    /// Puts values back into their rows.
    pub fn rows<T>(&self, values: impl IntoIterator<Item = T>) -> Vec<Option<T>> {
        let mut values = values.into_iter();
        match &self.levels {
            Some(levels) => levels
                .iter()
                .map(|level| if *level == 1 { values.next() } else { None })
                .collect(),
            None => values.map(Some).collect(),
        }
    }
}

/// Rows in memory, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<StoredColumn>,
    rows: usize,
}

impl Table {
    /// Creates a table of these columns, without rows.
    pub fn new(columns: &[&'static Column]) -> Self {
        Self {
            columns: columns
                .iter()
                .map(|column| StoredColumn::new(column))
                .collect(),
            rows: 0,
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the columns with their values.
    pub fn into_columns(self) -> Vec<StoredColumn> {
        self.columns
    }

    /// Adds the rows of a table with the same columns.
    pub fn append(&mut self, later: Self) {
        self.rows += later.rows;
        self.columns
            .iter_mut()
            .zip(later.columns)
            .for_each(|(own, later)| {
                own.values.append(later.values);
                if let (Some(own), Some(mut later)) = (&mut own.levels, later.levels) {
                    own.append(&mut later);
                }
            });
    }

    /// Splits off the rows from `at` on.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let later = Self {
            rows: self.rows - at,
            columns: self
                .columns
                .iter_mut()
                .map(|own| own.split_off(at))
                .collect(),
        };
        self.rows = at;
        later
    }

    /// Adds a row, whose values are given in the order of the columns.
    pub(super) fn row(&mut self) -> Row<'_> {
        self.rows += 1;
        Row(&mut self.columns)
    }
}

/// A row under construction: the columns that have no value yet. Values of columns that the table
/// lacks are ignored.
pub(super) struct Row<'a>(&'a mut [StoredColumn]);

impl<'a> Row<'a> {
    fn next(&mut self, column: &'static Column, is_some: bool) -> Option<&'a mut Values> {
        if !self.expects(column) {
            return None;
        }
        let (next, rest) = std::mem::take(&mut self.0).split_first_mut()?;
        self.0 = rest;
        if let Some(levels) = &mut next.levels {
            levels.push(i16::from(is_some));
        }
        is_some.then_some(&mut next.values)
    }

    /// Returns whether the next value is of this column: if not, the table lacks it.
    pub(super) fn expects(&self, column: &'static Column) -> bool {
        self.0
            .first()
            .is_some_and(|next| std::ptr::eq(next.column, column))
    }

    pub(super) fn int(&mut self, column: &'static Column, value: impl Into<Option<i32>>) {
        let value = value.into();
        if let (Some(Values::Int(values)), Some(value)) =
            (self.next(column, value.is_some()), value)
        {
            values.push(value);
        }
    }

    pub(super) fn long(&mut self, column: &'static Column, value: i64) {
        if let Some(Values::Long(values)) = self.next(column, true) {
            values.push(value);
        }
    }

    pub(super) fn double(&mut self, column: &'static Column, value: impl Into<Option<f64>>) {
        let value = value.into();
        if let (Some(Values::Double(values)), Some(value)) =
            (self.next(column, value.is_some()), value)
        {
            values.push(value);
        }
    }

    pub(super) fn bool(&mut self, column: &'static Column, value: bool) {
        if let Some(Values::Bool(values)) = self.next(column, true) {
            values.push(value);
        }
    }

    pub(super) fn text<'t>(&mut self, column: &'static Column, value: impl Into<Option<&'t str>>) {
        let value = value.into();
        if let (Some(Values::Text { bytes, ends }), Some(value)) =
            (self.next(column, value.is_some()), value)
        {
            bytes.extend_from_slice(value.as_bytes());
            ends.push(bytes.len());
        }
    }
}

impl Drop for Row<'_> {
    fn drop(&mut self) {
        let missing: Vec<&str> = self.0.iter().map(|next| next.column.name).collect();
        debug_assert!(
            missing.is_empty() || std::thread::panicking(),
            "columns without a value: {missing:?}"
        );
    }
}
