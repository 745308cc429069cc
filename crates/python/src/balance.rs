//! Win-draw balances of engines.

use std::path::PathBuf;

use arrow_array::{Float64Array, StringArray, UInt32Array, UInt64Array};
use centipawn_calibrate::balance::BalanceRowDocument;
use centipawn_work::{
    Inputs, Run,
    remote::PartScan,
    scan::{BalanceError, BalanceRunOptions, balance},
};
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    error::{FitError, chain, pgn_error, value_error},
    executor::part_tasks,
    json::{from_json, to_python},
    run::{Asked, run},
    scan::sources,
    table::{Columns, Table},
};

/// Estimates the win-draw balances of engines in games. Returns a table and the document of
/// `balance --json`.
#[pyfunction]
pub(crate) fn balance_estimate<'py>(
    py: Python<'py>,
    games: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Table, Bound<'py, PyAny>)> {
    let Asked {
        run: own,
        threads,
        strict,
    } = asked(options)?;
    // Report missing files first, as all functions of the package do.
    sources(&games)?;
    let document = run(py, progress, move |cancel, watch| {
        let run = Run {
            threads,
            strict,
            ..Run::new(cancel, watch)
        };
        let finished = balance(&own, Inputs::new(&games), run).map_err(|error| match error {
            BalanceError::Scan(error) => pgn_error(&error),
            error => FitError::new_err(chain(&error)),
        })?;
        Ok(finished
            .result
            .map(|balances| balances.document())
            .unwrap_or_default())
    })?;
    let rows = &document.rows;
    let texts =
        |of: fn(&BalanceRowDocument) -> Option<&str>| rows.iter().map(of).collect::<StringArray>();
    let floats =
        |of: fn(&BalanceRowDocument) -> Option<f64>| rows.iter().map(of).collect::<Float64Array>();
    let counts =
        |of: fn(&BalanceRowDocument) -> u64| UInt64Array::from_iter_values(rows.iter().map(of));
    let table = Columns::default()
        .nullable("event", texts(|row| row.event.as_deref()))
        .nullable("engine", texts(|row| row.engine.as_deref()))
        .nullable(
            "year",
            rows.iter().map(|row| row.year).collect::<UInt32Array>(),
        )
        .nullable("opponent", texts(|row| row.opponent.as_deref()))
        .nullable(
            "elo",
            rows.iter().map(|row| row.elo).collect::<UInt32Array>(),
        )
        .full("games", counts(|row| row.games))
        .full("wins", counts(|row| row.wins))
        .nullable("balance", floats(|row| row.balance))
        .nullable(
            "low",
            floats(|row| row.interval.and_then(|interval| interval.0)),
        )
        .nullable(
            "high",
            floats(|row| row.interval.and_then(|interval| interval.1)),
        )
        .nullable("fitted", floats(|row| row.fitted))
        .nullable(
            "fitted_low",
            floats(|row| row.fitted_interval.map(|interval| interval.0)),
        )
        .nullable(
            "fitted_high",
            floats(|row| row.fitted_interval.map(|interval| interval.1)),
        )
        .nullable("reason", texts(|row| row.reason.as_deref()))
        .table()?;
    Ok((table, to_python(py, &document)?))
}

fn asked(options: &str) -> PyResult<Asked<BalanceRunOptions>> {
    let asked: Asked<BalanceRunOptions> = from_json(options)?;
    asked.run.bootstrap.check().map_err(value_error)?;
    Ok(asked)
}

/// The tasks of [`balance_estimate`] for an executor, one for each part of the games.
#[pyfunction]
pub(crate) fn balance_tasks(
    games: Vec<PathBuf>,
    options: &str,
    workers: usize,
) -> PyResult<Vec<Py<PyBytes>>> {
    let Asked {
        run,
        threads,
        strict,
    } = asked(options)?;
    part_tasks(&PartScan::Balance(run), &games, (threads, strict), workers)
}
