//! Games and their plies as Parquet, for questions in SQL.

mod export;
mod review_table;
mod rows;
mod table;

pub use export::{PlyExport, PlyExportError, PlyExportOptions, export_plies};
pub use review_table::ReviewTable;
