//! The compiled half of the Python package `centipawn`: the module `centipawn._centipawn`.
//!
//! The work is done by the libraries that the command line uses. This crate only converts arguments
//! to options, and results to tables, documents and exceptions.
//!
//! `python/centipawn/` turns keywords into the JSON of a recipe or of options. The function
//! `run::run` runs long work on a separate thread, without holding Python's interpreter. Meanwhile
//! the calling thread polls for signals every 50 ms, and cancels the work if the user interrupts;
//! threads that work never call Python. A result with rows is a table, read through Arrow's C
//! stream; other results are documents. With an executor, tasks and answers are bytes
//! (`centipawn_work::remote`).

// PyO3 passes arguments by value, and Python calls methods such as `to_json` on references.
#![allow(clippy::needless_pass_by_value, clippy::wrong_self_convention)]

mod balance;
mod curve;
mod drawing;
mod ease;
mod engine;
mod error;
mod executor;
mod html;
mod human;
mod json;
mod match_games;
mod material;
mod models;
mod optional;
mod plies;
mod policy;
mod position;
mod predict;
mod puzzles;
mod rating;
mod review;
mod run;
mod scan;
mod store;
mod symbols;
mod table;
mod wdl;

use pyo3::prelude::*;

/// The compiled half of the package `centipawn`. Import that package instead.
#[pymodule(gil_used = false)]
mod _centipawn {
    #[pymodule_export]
    use super::{
        balance::{balance_estimate, balance_tasks},
        curve::Curve,
        drawing::Drawing,
        ease::{ease, ease_many},
        engine::Engine,
        error::{
            CentipawnError, CentipawnWarning, EngineError, ExecutorError, FitError, NetworkError,
            PgnError, StoreError,
        },
        executor::{Worker, part_answer, shared_names},
        human::{HumanFit, human_check, human_fit, human_tasks},
        match_games::{match_results, match_tasks},
        material::{
            MaterialComparison, MaterialFit, Rows, material_compare, material_rows, material_tasks,
        },
        models::{Comparison, Model, wdl_compare, wdl_load},
        policy::Network,
        position::{position, position_index},
        puzzles::{Puzzles, puzzles_mine, puzzles_rate, puzzles_read, puzzles_tag},
        rating::rating,
        review::{Review, Reviews, review},
        scan::{Batches, scan, scan_answers, scan_tasks},
        store::Store,
        symbols::symbols_of_move,
        table::Table,
        wdl::{Counts, Fit, wdl_count, wdl_read_counts, wdl_tasks},
    };

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
