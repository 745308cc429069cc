//! Games and their plies as tables: one schema for Parquet files, for Arrow tables in Python and
//! for the JSON of a ply.
//!
//! [`columns`] is the schema. A [`Table`] holds rows of it in memory; [`export_plies`] and
//! [`ReviewTable`] write Parquet files.

mod export;
mod games;
mod judged;
mod memory;
mod parquet;
mod plies;

pub use centipawn_review::columns;
pub use columns::{eval_after, eval_columns, result};
pub use export::{PlyExport, PlyExportError, PlyExportOptions, export_plies};
pub use games::{GameRow, game_id};
pub use judged::{ReviewTable, judged_plies};
pub use memory::{StoredColumn, Table, Values};
pub use plies::comment_dialect;
