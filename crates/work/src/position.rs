//! One position's statistics, from games or from an index of all their positions.
//!
//! An index is a Parquet file of [`Row`]s, sorted by key, move and rating band. [`build`] counts all positions of games in runs that are
//! sorted in memory and wait in a temporary file ([`spill`]), and writes their sum ([`write`]); several indexes merge as streams
//! ([`merge`]). [`PositionIndex`](read::PositionIndex) finds the rows of one position in the pages that hold it.

mod build;
mod error;
mod format;
mod merge;
mod read;
mod spill;
mod statistics;
#[cfg(test)]
mod tests;
mod write;

pub use build::{PositionIndexOptions, PositionIndexResult, position_index};
pub use error::{PositionError, PositionIndexError};
pub use format::Row;
pub use read::PositionIndex;
pub use statistics::{PositionRunOptions, PositionStatistics, position_statistics};
