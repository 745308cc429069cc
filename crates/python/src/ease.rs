//! How hard positions are for humans.

use std::sync::Arc;

use arrow_array::{Float64Array, StringArray, UInt32Array};
use centipawn_core::History;
use centipawn_judge::ease::{EaseJudgeError, EaseOptions, EaseOutcome};
use centipawn_progress::{Cancel, Problem, ProblemCount, Provenance, Reporter as _};
use centipawn_review::MomentDocument;
use centipawn_work::engine::{EaseResources, PositionInput, Threads, judge_ease};
use pyo3::prelude::*;

use crate::{
    curve::without_game,
    engine::{Engine, Lent},
    error::{EngineError, chain, in_range, value_chain, value_error},
    executor::{Futures, remote_error},
    json::{from_json, to_python},
    policy::{open, positions},
    run::{Watch, run, run_on},
    table::{Columns, Table},
};

/// Judges positions. Returns the documents of `ease --json`, one for each position, network and
/// level.
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
    let options = EaseOptions {
        curve,
        ..ease_options(options)?
    };
    let options = EaseOptions {
        limit: engine.limit,
        ..options
    };
    let histories = positions(&given, 0)?;
    let documents = run(py, progress, move |cancel, watch| {
        let (mut documents, mut failure) = (Vec::new(), None);
        judge(
            engine,
            histories,
            &options,
            &networks,
            (cancel, watch, None),
            |judged, provenance| {
                documents.extend(MomentDocument::of_outcome(judged, provenance));
                failure = judged.failures.first().map(failure_error);
            },
        )?;
        match (documents.is_empty(), failure) {
            (true, Some(failure)) => Err(failure),
            (true, None) => Err(value_error("there is no position that can be judged")),
            (false, _) => Ok(documents),
        }
    })?;
    to_python(py, &documents)
}

/// Parses the options, and checks numbers as the command line does.
fn ease_options(text: &str) -> PyResult<EaseOptions> {
    let options: EaseOptions = from_json(text)?;
    in_range("lines", options.lines, 1..=500)?;
    in_range("ahead", options.ahead, 1..=5)?;
    Ok(options)
}

fn failure_error(failure: &EaseJudgeError) -> PyErr {
    match failure {
        EaseJudgeError::Analyst(_) => EngineError::new_err(chain(failure)),
        failure => value_error(chain(failure)),
    }
}

/// Judges positions. `show` receives each result, and the provenance for the first document that is
/// made.
fn judge(
    engine: &Engine,
    histories: Vec<History>,
    options: &EaseOptions,
    names: &[String],
    (cancel, watch, futures): (&Cancel, &Arc<Watch>, Option<&Futures>),
    mut show: impl FnMut(&EaseOutcome, &mut Option<Provenance>),
) -> PyResult<()> {
    let networks = names
        .iter()
        .map(|name| open(name, None))
        .collect::<PyResult<Vec<_>>>()?;
    for note in options.levels.fixed.iter().flat_map(|level| {
        networks
            .iter()
            .filter_map(move |net| net.level_note(*level))
    }) {
        watch.problem(&Problem::warning(note));
    }
    let Lent { analyst, .. } = engine.lend(cancel, watch)?;
    let resources = EaseResources {
        networks: &networks,
        analyst: Some(&*analyst),
    };
    let input = PositionInput::Positions(histories.into());
    let mut provenance = Some(resources.provenance(options, &input));
    let problems = Arc::new(ProblemCount::new(Arc::clone(watch)));
    let show = |judged: &EaseOutcome| {
        show(judged, &mut provenance);
        Ok(())
    };
    let judged = match futures {
        None => judge_ease(
            input,
            options,
            &resources,
            &Threads::of(Some(&*analyst)),
            cancel,
            &problems,
            show,
        ),
        Some(futures) => {
            let crew = engine.remote(futures, &*analyst, (&networks, names), (cancel, watch))?;
            let replay = crew.analyst();
            let resources = EaseResources {
                networks: &networks,
                analyst: Some(&*replay),
            };
            let judged = judge_ease(input, options, &resources, &crew, cancel, &problems, show);
            crew.outcome().map_err(|error| remote_error(&error))?;
            judged
        }
    };
    judged.map(|_| ()).map_err(value_chain)
}

/// The columns of the table of [`ease_many`].
#[derive(Default)]
struct EaseColumns {
    rows: Vec<u32>,
    documents: Vec<MomentDocument>,
}

impl EaseColumns {
    /// Adds the results of a position. Of the candidate moves only the trap is kept, so that a
    /// table of thousands of positions fits into memory.
    fn add(&mut self, judged: &EaseOutcome) {
        for mut document in MomentDocument::of_outcome(judged, &mut None) {
            document
                .ease
                .moves
                .retain(|mv| Some(&mv.uci) == document.ease.trap.as_ref());
            self.rows
                .push(u32::try_from(judged.number.saturating_sub(1)).unwrap_or(u32::MAX));
            self.documents.push(document);
        }
    }

    fn table(self, first: u32) -> PyResult<Table> {
        let all = &self.documents;
        let floats = |of: &dyn Fn(&MomentDocument) -> Option<f64>| {
            all.iter().map(of).collect::<Float64Array>()
        };
        let texts =
            |of: fn(&MomentDocument) -> Option<&str>| all.iter().map(of).collect::<StringArray>();
        let trap = |own: &MomentDocument| own.ease.moves.first().cloned();
        Columns::default()
            .full(
                "row",
                UInt32Array::from_iter_values(self.rows.iter().map(|row| row + first)),
            )
            .full(
                "fen",
                StringArray::from_iter_values(all.iter().map(|own| &own.fen)),
            )
            .full(
                "policy",
                StringArray::from_iter_values(all.iter().map(|own| &own.ease.policy)),
            )
            .nullable(
                "level",
                all.iter()
                    .map(|own| own.ease.level)
                    .collect::<UInt32Array>(),
            )
            .nullable("ease", floats(&|own| own.ease.ease))
            .nullable("ease_each", floats(&|own| own.ease.ease_each))
            .nullable("ease_at_most", floats(&|own| own.ease.ease_at_most))
            .nullable("ease_ahead", floats(&|own| own.ease.ease_ahead))
            .nullable("sharpness", floats(&|own| own.sharpness))
            .full(
                "expected_loss",
                Float64Array::from_iter_values(all.iter().map(|own| own.ease.expected_loss)),
            )
            .full(
                "p_good",
                Float64Array::from_iter_values(all.iter().map(|own| own.ease.meter.good)),
            )
            .full(
                "p_inaccurate",
                Float64Array::from_iter_values(all.iter().map(|own| own.ease.meter.inaccurate)),
            )
            .full(
                "p_blunder",
                Float64Array::from_iter_values(all.iter().map(|own| own.ease.meter.blunder)),
            )
            .full(
                "p_unknown",
                Float64Array::from_iter_values(all.iter().map(|own| own.ease.meter.unknown)),
            )
            .nullable("trap", texts(|own| own.ease.trap.as_deref()))
            .nullable("p_trap", floats(&|own| trap(own).map(|mv| mv.p)))
            .nullable(
                "trap_score_loss",
                floats(&|own| trap(own).map(|mv| mv.score_loss)),
            )
            .table()
    }
}

/// Judges many positions. Returns a row for each position, network and level. The column `row` is
/// the index of the position, beginning at `first`. A position that cannot be judged has no row and
/// causes a warning.
#[pyfunction]
#[pyo3(signature = (given, engine, options, curve, networks, progress, executor=None, first=0))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn ease_many(
    py: Python<'_>,
    given: Vec<Bound<'_, PyAny>>,
    engine: &Engine,
    options: &str,
    curve: Option<&Bound<'_, PyAny>>,
    networks: Vec<String>,
    progress: Option<Py<PyAny>>,
    executor: Option<Py<PyAny>>,
    first: u32,
) -> PyResult<Table> {
    let curve = curve.map(without_game).transpose()?;
    let options = EaseOptions {
        curve,
        ..ease_options(options)?
    };
    let options = EaseOptions {
        limit: engine.limit,
        ..options
    };
    let histories = positions(&given, first)?;
    run_on(py, progress, executor, move |cancel, watch, futures| {
        let mut columns = EaseColumns::default();
        judge(
            engine,
            histories,
            &options,
            &networks,
            (cancel, watch, futures),
            |judged, _| columns.add(judged),
        )?;
        columns.table(first)
    })
}
