//! One position's statistics, from games or from an index of all their positions.
//!
//! An index is a Parquet file of [`PositionRow`]s, sorted by key, move and rating band. `build`
//! counts all positions of games by a
//! [`PositionSpill`](centipawn_calibrate::position::PositionSpill), and [`write`] encodes the rows;
//! several indexes merge as streams (`merge`). [`PositionIndex`] finds the
//! rows of one position in the pages that hold it.

mod build;
mod error;
mod format;
mod merge;
mod read;
mod statistics;
#[cfg(test)]
mod tests;
mod write;

use centipawn_calibrate::position::PositionRow;

pub use build::{PositionIndexOptions, PositionIndexResult, position_index};
pub use error::{PositionError, PositionIndexError};
pub use read::PositionIndex;
pub use statistics::{PositionRunOptions, PositionStatistics, position_statistics};
