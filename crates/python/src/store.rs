//! Stores of evaluations.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{BooleanArray, Float64Array, Int64Array, StringArray};
use centipawn_store::{Location, Record, Store as Core, StoreError as CoreError};
use centipawn_work::StoreChoice;
use pyo3::{exceptions::PyFileNotFoundError, prelude::*};

use crate::{
    error::{StoreError, chain, file_error, value_error},
    json::to_python,
    run::run,
    table::{Columns, Table},
};

/// A store of evaluations: the user's default store, or one at a path or an address.
#[pyclass(frozen, module = "centipawn")]
pub(crate) struct Store(Arc<Core>);

fn store_error(error: &CoreError) -> PyErr {
    file_error(error, StoreError::new_err)
}

/// The store that an argument names, or else the store of the environment, as for the commands.
pub(crate) fn named_store(place: Option<PathBuf>) -> PyResult<StoreChoice> {
    let text = place.map(|place| place.to_string_lossy().into_owned());
    StoreChoice::named(text).map_err(|error| value_error(chain(&error)))
}

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (location=None))]
    fn new(py: Python<'_>, location: Option<PathBuf>) -> PyResult<Self> {
        let choice = named_store(location)?;
        let missing = |path: &Path| {
            PyFileNotFoundError::new_err(format!("there is no store {}", path.display()))
        };
        run(py, None, move |_, watch| {
            let reporter = Arc::clone(watch);
            let opened = match choice {
                StoreChoice::None => {
                    return Err(value_error(
                        "\"none\" is no store; name a file or an address",
                    ));
                }
                StoreChoice::OfUser => {
                    let own = Location::of_user().ok_or_else(|| store_error(&CoreError::NoHome))?;
                    if !own.exists() {
                        return Err(missing(&own));
                    }
                    Core::open_to_read(&Location::File(own), reporter)
                }
                StoreChoice::At(Location::File(path)) if !path.exists() => {
                    return Err(missing(&path));
                }
                StoreChoice::At(place) => Core::open_to_read(&place, reporter),
            };
            opened
                .map(|store| Self(Arc::new(store)))
                .map_err(|error| store_error(&error))
        })
    }

    /// The path or address, without a password.
    #[getter]
    fn location(&self) -> String {
        self.0.location().to_string()
    }

    /// The contents: numbers of evaluations, games and reviews, and the engines.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stats = py
            .detach(|| self.0.stats())
            .map_err(|error| store_error(&error))?;
        to_python(py, &stats)
    }

    /// All evaluations: a row for each line of each evaluation, with the columns of `store export`.
    /// Columns whose names begin with `mover_` are from the point of view of the side to move.
    #[pyo3(signature = (*, progress=None))]
    fn evaluations(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Table> {
        let store = Arc::clone(&self.0);
        run(py, progress, move |cancel, watch| {
            let mut all: Vec<Record> = Vec::new();
            store
                .records(cancel, watch, |record| all.push(record))
                .map_err(|error| store_error(&error))?;
            table(&all)
        })
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.Store: {}>", self.0.location())
    }
}

fn table(all: &[Record]) -> PyResult<Table> {
    let texts = |of: fn(&Record) -> &str| StringArray::from_iter_values(all.iter().map(of));
    let numbers = |of: fn(&Record) -> i64| Int64Array::from_iter_values(all.iter().map(of));
    let optional = |of: fn(&Record) -> Option<i64>| all.iter().map(of).collect::<Int64Array>();
    let floats = |of: fn(&Record) -> Option<f64>| all.iter().map(of).collect::<Float64Array>();
    Columns::default()
        .full("fen", texts(|own| &own.fen))
        .full("past", texts(|own| &own.past))
        .full(
            "chess960",
            BooleanArray::from_iter(all.iter().map(|own| Some(own.chess960))),
        )
        .full("engine", texts(|own| &own.engine))
        .full("author", texts(|own| &own.author))
        .full("options", texts(|own| &own.options))
        .full("limit", texts(|own| &own.limit))
        .full("lines", numbers(|own| own.lines))
        .full("searchmoves", texts(|own| &own.searchmoves))
        .full("nodes", numbers(|own| own.nodes))
        .full(
            "search_seconds",
            Float64Array::from_iter_values(all.iter().map(|own| own.search_seconds)),
        )
        .full("rank", numbers(|own| own.rank))
        .nullable("mover_eval_cp", optional(|own| own.mover_eval_cp))
        .nullable("mover_eval_mate", optional(|own| own.mover_eval_mate))
        .nullable("mover_p_win", floats(|own| own.mover_p_win))
        .nullable("mover_p_draw", floats(|own| own.mover_p_draw))
        .nullable("mover_p_loss", floats(|own| own.mover_p_loss))
        .full("depth", numbers(|own| own.depth))
        .nullable("seldepth", optional(|own| own.seldepth))
        .full("pv", texts(|own| &own.pv))
        .nullable(
            "mover_last_exact_cp",
            optional(|own| own.mover_last_exact_cp),
        )
        .nullable(
            "mover_last_exact_mate",
            optional(|own| own.mover_last_exact_mate),
        )
        .table()
}
