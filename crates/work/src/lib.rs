//! The work itself, as values that a command line, a web page, a worker and a notebook all run.
//!
//! Each command is one function here: complete options and [`Inputs`] go in, with a [`Run`] that cancels and reports; a document with
//! its provenance comes out. Work over games is of two kinds: a [`Recipe`] is engine work, item by item, that a [`Crew`] runs; a
//! [`Scan`] counts over all games at once, and its states merge.

mod command;
mod curve_documents;
mod engine;
pub mod library;
mod position;
mod provenance;
mod remote;
mod resources;
mod scan;
mod table;

pub use command::{Finished, Inputs, Run};
pub use curve_documents::{CurveDocument, PeopleDocument};
pub use engine::*;
pub use position::{
    PositionError, PositionIndex, PositionIndexError, PositionIndexOptions, PositionIndexResult, PositionRunOptions,
    PositionStatistics, position_index, position_statistics,
};
pub use remote::{
    Executor, ExecutorFailure, GamesTask, PartAnswer, PartScan, PartTask, RemoteCrew, RemoteError, RemoteWorker,
    WantedNetwork, open_answer, open_task, pack_answer, pack_refusal, pack_task, part_count, read_game,
};
pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
pub use scan::*;
pub use table::{
    GameRow, PlyExport, PlyExportError, PlyExportOptions, ReviewTable, StoredColumn, Table, Values, columns,
    comment_dialect, eval_after, eval_columns, export_plies, game_id, judged_plies, result,
};
