//! What stands in for Parquet files in a build without the feature `parquet`: errors that say so.

use std::fs::File;

use crate::{StoreError, record::Record};

/// The answer to everything here.
const ABSENT: &str = "this build cannot read or write Parquet files (feature `parquet`); use a name that ends in .csv";

/// Writes nothing.
pub(crate) struct Writer;

impl Writer {
    pub(crate) fn new(_: File) -> Result<Self, &'static str> {
        Err(ABSENT)
    }

    pub(crate) fn write(&mut self, _: Record) -> Result<(), &'static str> {
        Err(ABSENT)
    }

    pub(crate) fn finish(self) -> Result<(), &'static str> {
        Err(ABSENT)
    }
}

/// Reads nothing.
pub(crate) fn read(
    _: File,
    _: impl FnMut(Record) -> Result<(), StoreError>,
) -> Result<Result<(), StoreError>, &'static str> {
    Err(ABSENT)
}
