//! Ratings of players, estimated from their moves.

use std::{path::PathBuf, sync::Arc};

use centipawn_pgn::Sources;
use centipawn_progress::ProblemCount;
use centipawn_work::{
    Finished, Run,
    engine::{NotInGames, PlayRatingOptions, rate_play},
};
use pyo3::prelude::*;

use crate::{
    error::{NetworkError, chain, value_error},
    json::to_python,
    run::run,
    scan::sources,
};

/// Estimates ratings. Returns the document of `rating --json`.
#[pyfunction]
pub(crate) fn rating<'py>(
    py: Python<'py>,
    games: Vec<PathBuf>,
    player: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let player = player.map(|player| player.trim().to_owned());
    if player.as_ref().is_some_and(String::is_empty) {
        return Err(value_error("player has no name"));
    }
    let options = PlayRatingOptions {
        player,
        by_game: true,
    };
    // Report missing files first, as all functions of the package do.
    sources(&games)?;
    let document = run(py, progress, move |cancel, watch| {
        let problems = Arc::new(ProblemCount::new(Arc::clone(watch)));
        let sources = Sources::expand_reporting(&games, &problems);
        let rated = rate_play(&sources, &options, Run::new(cancel, &**watch), &problems);
        let Finished { result, outcome } =
            rated.map_err(|error| NetworkError::new_err(chain(&error)))?;
        match options.player {
            Some(player) if outcome.done == 0 && outcome.skipped == 0 && !outcome.cancelled => {
                Err(value_error(NotInGames(player)))
            }
            _ => Ok(result),
        }
    })?;
    to_python(py, &document)
}
