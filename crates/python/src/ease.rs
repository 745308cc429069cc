//! How hard positions are for people.

use std::sync::Arc;

use centipawn_progress::{Problem, ProblemCount, Reporter as _};
use centipawn_review::ease::EaseOptions;
use centipawn_work::{EaseResources, PositionInput, Threads, judge_ease};
use pyo3::prelude::*;

use crate::{
    curve::without_game,
    engine::{Engine, Lent},
    error::value_chain,
    json::{from_json, to_python},
    policy::{open, positions},
    run::run,
};

/// The documents of `ease --json` for positions: one for each position, network and level.
#[pyfunction]
pub(crate) fn ease<'py>(
    py: Python<'py>,
    given: Vec<Bound<'py, PyAny>>,
    engine: &Engine,
    options: &str,
    curve: Option<&Bound<'py, PyAny>>,
    networks: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let curve = curve.map(without_game).transpose()?;
    let options = EaseOptions { curve, ..from_json::<EaseOptions>(options)? };
    let options = EaseOptions { limit: engine.limit, ..options };
    let histories = positions(&given)?;
    let documents = run(py, progress, move |cancel, watch| {
        let networks = networks.iter().map(|name| open(name, None)).collect::<PyResult<Vec<_>>>()?;
        for note in
            options.levels.fixed.iter().flat_map(|level| networks.iter().filter_map(move |net| net.level_note(*level)))
        {
            watch.problem(&Problem::warning(note));
        }
        let Lent { analyst, .. } = engine.lend(cancel, watch)?;
        let resources = EaseResources { networks: &networks, analyst: Some(&*analyst) };
        let input = PositionInput::Positions(histories);
        let mut provenance = Some(resources.provenance(&options, &input));
        let problems = Arc::new(ProblemCount::new(Arc::clone(watch)));
        let (crew, mut documents) = (Threads::of(Some(&*analyst)), Vec::new());
        let judged = judge_ease(input, &options, &resources, &crew, cancel, &problems, |judged| {
            documents.extend(judged.documents(&mut provenance));
            Ok(())
        });
        judged.map_err(value_chain)?;
        Ok(documents)
    })?;
    to_python(py, &documents)
}
