//! Results of matches and tournaments.

use std::path::PathBuf;

use arrow_array::{BooleanArray, Float64Array, StringArray, UInt64Array};
use centipawn_calibrate::engine_match::{MatchDocument, MatchPairing, MatchPlayer, ScoreBasis};
use centipawn_work::{
    Inputs, Run,
    remote::PartScan,
    scan::{MatchGamesError, MatchRunOptions, match_games},
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

fn asked(options: &str) -> PyResult<Asked<MatchRunOptions>> {
    let asked: Asked<MatchRunOptions> = from_json(options)?;
    asked.run.report.check().map_err(value_error)?;
    Ok(asked)
}

/// Computes the results of games. Returns the players, the pairings, and the document of `match
/// --json`.
#[pyfunction]
pub(crate) fn match_results<'py>(
    py: Python<'py>,
    games: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Table, Table, Bound<'py, PyAny>)> {
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
        let finished =
            match_games(&own, Inputs::new(&games), run).map_err(|error| match error {
                MatchGamesError::Scan(error) => pgn_error(&error),
                error => FitError::new_err(chain(&error)),
            })?;
        finished
            .result
            .map(|result| result.document)
            .ok_or_else(|| FitError::new_err("there is no result"))
    })?;
    Ok((
        players(&document)?,
        pairings(&document)?,
        to_python(py, &document)?,
    ))
}

/// The tasks of [`match_results`] for an executor, one for each part of the games.
#[pyfunction]
pub(crate) fn match_tasks(
    games: Vec<PathBuf>,
    options: &str,
    workers: usize,
) -> PyResult<Vec<Py<PyBytes>>> {
    let Asked {
        run,
        threads,
        strict,
    } = asked(options)?;
    part_tasks(&PartScan::Match(run), &games, (threads, strict), workers)
}

fn players(document: &MatchDocument) -> PyResult<Table> {
    let rows = &document.players;
    let counts = |of: fn(&MatchPlayer) -> u64| UInt64Array::from_iter_values(rows.iter().map(of));
    let floats =
        |of: fn(&MatchPlayer) -> Option<f64>| rows.iter().map(of).collect::<Float64Array>();
    Columns::default()
        .full(
            "name",
            StringArray::from_iter_values(rows.iter().map(|row| &row.name)),
        )
        .nullable("rating", floats(|row| row.rating))
        .nullable("error", floats(|row| row.error))
        .nullable(
            "reason",
            rows.iter()
                .map(|row| row.reason.as_deref())
                .collect::<StringArray>(),
        )
        .full("games", counts(|row| row.games))
        .full("wins", counts(|row| row.wins))
        .full("draws", counts(|row| row.draws))
        .full("losses", counts(|row| row.losses))
        .full(
            "score",
            Float64Array::from_iter_values(rows.iter().map(|row| row.score)),
        )
        .full("time_losses", counts(|row| row.time_losses))
        .full("illegal_moves", counts(|row| row.illegal_moves))
        .full("crashes", counts(|row| row.crashes))
        .nullable("counting_balance", floats(|row| row.counting_balance))
        .table()
}

fn pairings(document: &MatchDocument) -> PyResult<Table> {
    let rows = &document.pairings;
    let counts = |of: fn(&MatchPairing) -> u64| UInt64Array::from_iter_values(rows.iter().map(of));
    let floats =
        |of: fn(&MatchPairing) -> Option<f64>| rows.iter().map(of).collect::<Float64Array>();
    Columns::default()
        .full(
            "first",
            StringArray::from_iter_values(rows.iter().map(|row| &row.first)),
        )
        .full(
            "second",
            StringArray::from_iter_values(rows.iter().map(|row| &row.second)),
        )
        .full("games", counts(|row| row.games))
        .full("wins", counts(|row| row.wins))
        .full("draws", counts(|row| row.draws))
        .full("losses", counts(|row| row.losses))
        .full(
            "by_pairs",
            rows.iter()
                .map(|row| Some(row.estimate.basis != ScoreBasis::Games))
                .collect::<BooleanArray>(),
        )
        .full(
            "score",
            Float64Array::from_iter_values(rows.iter().map(|row| row.estimate.score)),
        )
        .nullable("score_error", floats(|row| row.estimate.score_error))
        .nullable("elo", floats(|row| row.estimate.elo))
        .nullable("elo_error", floats(|row| row.estimate.elo_error))
        .nullable("normalized_elo", floats(|row| row.estimate.normalized_elo))
        .nullable(
            "normalized_elo_error",
            floats(|row| row.estimate.normalized_elo_error),
        )
        .nullable("superiority", floats(|row| row.estimate.superiority))
        .nullable("llr", floats(|row| row.sprt.map(|test| test.llr)))
        .table()
}
