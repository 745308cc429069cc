//! Replaces `parquet_file.rs` in a build without the feature `parquet`: every function returns an error with this reason.

use std::{fs::File, io::Write, marker::PhantomData, ops::ControlFlow};

use crate::{StoreError, record::Record};

/// The message of every error.
const ABSENT: &str = "this build cannot read or write Parquet files (feature `parquet`); use a name that ends in .csv";

/// A writer that always fails.
pub(crate) struct Writer<W>(PhantomData<W>);

impl<W: Write + Send> Writer<W> {
    pub(crate) fn new(_: W, _: String) -> Result<Self, &'static str> {
        Err(ABSENT)
    }

    pub(crate) fn write(&mut self, _: Record) -> Result<(), &'static str> {
        Err(ABSENT)
    }

    pub(crate) fn finish(self) -> Result<(), &'static str> {
        Err(ABSENT)
    }
}

/// Always fails.
pub(crate) fn read(
    _: File,
    _: impl FnMut(Record) -> Result<ControlFlow<()>, StoreError>,
) -> Result<Result<(), StoreError>, &'static str> {
    Err(ABSENT)
}
