//! Statistics of one position, and indexes of positions.

use std::path::PathBuf;

use arrow_array::{Float64Array, StringArray, UInt16Array, UInt64Array};
use centipawn_calibrate::{
    OutOfRange,
    position::{NextMove, PositionBand, PositionDocument},
};
use centipawn_work::{
    Inputs, Run,
    position::{
        PositionError, PositionIndexError, PositionIndexOptions, PositionRunOptions,
        position_index as index, position_statistics,
    },
};
use pyo3::{exceptions::PyValueError, prelude::*};
use shakmaty::{EnPassantMode, fen::Fen};

use crate::{
    error::{PgnError, chain, file_error, value_chain, value_error},
    json::{from_json, to_python},
    policy::position as history,
    run::{Asked, run},
    scan::sources,
    table::{Columns, Table},
};

/// Counts the games with a position. Returns a row for each move and rating band, and the document
/// of `position --json`.
#[pyfunction]
pub(crate) fn position<'py>(
    py: Python<'py>,
    given: &Bound<'py, PyAny>,
    games: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Table, Bound<'py, PyAny>)> {
    let Asked::<PositionRunOptions> {
        run: own,
        threads,
        strict,
    } = from_json(options)?;
    // Name the argument `seconds` in the error. On the command line the value comes from a time
    // control.
    own.report.check().map_err(|error| {
        value_error(OutOfRange {
            option: "seconds",
            ..error
        })
    })?;
    let position = match given.extract::<String>() {
        Ok(text) => text,
        Err(_) => Fen::from_position(history(given)?.position(), EnPassantMode::Legal).to_string(),
    };
    let own = PositionRunOptions { position, ..own };
    // Report missing files first, as all functions of the package do.
    sources(&games)?;
    let document = run(py, progress, move |cancel, watch| {
        let run = Run {
            threads,
            strict,
            ..Run::new(cancel, watch)
        };
        let finished =
            position_statistics(&own, Inputs::new(&games), run).map_err(|error| match error {
                PositionError::Index(error) => index_error(&error),
                PositionError::Scan(error) => file_error(&error, PgnError::new_err),
                error => value_chain(error),
            })?;
        finished
            .result
            .map(|result| result.document)
            .ok_or_else(|| PyValueError::new_err("there is no result"))
    })?;
    Ok((table(&document)?, to_python(py, &document)?))
}

/// Writes an index of positions, or merges indexes. Returns the numbers of rows and games.
#[pyfunction]
pub(crate) fn position_index(
    py: Python<'_>,
    games: Vec<PathBuf>,
    out: PathBuf,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64)> {
    let Asked::<PositionIndexOptions> {
        run: own,
        threads,
        strict,
    } = from_json(options)?;
    sources(&games)?;
    run(py, progress, move |cancel, watch| {
        let run = Run {
            threads,
            strict,
            ..Run::new(cancel, watch)
        };
        let made = index(&games, &out, &own, run).map_err(|error| index_error(&error))?;
        Ok((made.rows, made.games.counted))
    })
}

fn index_error(error: &PositionIndexError) -> PyErr {
    match error {
        PositionIndexError::Both { .. }
        | PositionIndexError::Twice { .. }
        | PositionIndexError::Copy { .. }
        | PositionIndexError::Shards
        | PositionIndexError::Whole => PyValueError::new_err(chain(error)),
        error => file_error(error, PgnError::new_err),
    }
}

fn table(document: &PositionDocument) -> PyResult<Table> {
    let moves = &document.moves;
    let rows: Vec<(NextMove, &str, &PositionBand)> = moves
        .iter()
        .flat_map(|own| own.bands.iter().map(|band| (own.uci, &*own.san, band)))
        .collect();
    let counts = |of: fn(&PositionBand) -> u64| {
        UInt64Array::from_iter_values(rows.iter().map(|(.., band)| of(band)))
    };
    Columns::default()
        .full(
            "move",
            StringArray::from_iter_values(rows.iter().map(|(mv, ..)| mv.to_string())),
        )
        .full(
            "san",
            StringArray::from_iter_values(rows.iter().map(|(_, san, _)| san)),
        )
        .nullable(
            "rating_from",
            rows.iter()
                .map(|(.., band)| band.from)
                .collect::<UInt16Array>(),
        )
        .full("games", counts(|band| band.results.games))
        .full("white_wins", counts(|band| band.results.white_wins))
        .full("draws", counts(|band| band.results.draws))
        .full("black_wins", counts(|band| band.results.black_wins))
        .full(
            "score",
            Float64Array::from_iter_values(rows.iter().map(|(.., band)| band.results.score)),
        )
        .nullable(
            "expected",
            rows.iter()
                .map(|(.., band)| Some(band.expected?.score))
                .collect::<Float64Array>(),
        )
        .table()
}
