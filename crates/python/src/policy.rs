//! Policy networks.

use std::{path::PathBuf, sync::Arc};

use arrow_array::{Float64Array, StringArray, UInt32Array};
use centipawn_core::History;
use centipawn_policy::{
    EvaluateError, Evaluation, EvaluationDocument, Kernel, Network as Core, NetworkDocument,
    NetworkError as OpenError,
};
use centipawn_progress::{Cancel, Progress, Reporter, Unit, in_order};
use centipawn_work::engine::{Threads, parse_position};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyString},
};

use crate::{
    error::{NetworkError, chain, named_error, value_chain, value_error, warn, whole},
    json::to_python,
    run::run,
    table::{Columns, Table},
};

/// Number of positions that a thread evaluates together.
const BATCH: usize = 64;

/// A network that predicts how likely humans play each move.
#[pyclass(frozen, module = "centipawn.policy")]
pub(crate) struct Network(pub(crate) Arc<Core>);

/// Reads a position from an argument: a text, a pair of FEN and moves, or an object with `fen()`,
/// `root()` and `move_stack`, such as `chess.Board`.
pub(crate) fn position(given: &Bound<'_, PyAny>) -> PyResult<History> {
    let parse = |text: &str| parse_position(text).map_err(value_chain);
    if let Ok(text) = given.extract::<String>() {
        return parse(&text);
    }
    let (start, moves) = match given.extract::<(String, Bound<'_, PyAny>)>() {
        Ok((start, moves)) if !moves.is_instance_of::<PyString>() => (
            start,
            moves
                .try_iter()?
                .map(|mv| mv?.extract())
                .collect::<PyResult<Vec<String>>>()?,
        ),
        _ => {
            let Ok(stack) = given.getattr("move_stack") else {
                return Err(PyTypeError::new_err(
                    "a position is a FEN, a pair of FEN and moves, or a chess.Board",
                ));
            };
            let variant = given
                .getattr("uci_variant")
                .and_then(|variant| variant.extract::<String>());
            if let Some(variant) = variant.ok().filter(|variant| variant != "chess") {
                return Err(value_error(format!(
                    "this is a position of the variant {variant}; only positions of chess are \
                     judged"
                )));
            }
            let moves = stack
                .try_iter()?
                .map(|mv| mv?.call_method0("uci")?.extract())
                .collect::<PyResult<_>>()?;
            (
                given.call_method0("root")?.call_method0("fen")?.extract()?,
                moves,
            )
        }
    };
    parse(&if moves.is_empty() {
        start
    } else {
        format!("{start} moves {}", moves.join(" "))
    })
}

/// The positions in an argument. A single text is an error, because iterating over it would give
/// characters.
fn several<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if given.is_instance_of::<PyString>() {
        Err(PyTypeError::new_err("positions is a list of positions"))
    } else {
        given.extract()
    }
}

/// Reads several positions. An error names the number of the position; the first position is number
/// `first`.
pub(crate) fn positions(given: &[Bound<'_, PyAny>], first: u32) -> PyResult<Vec<History>> {
    let placed = |(index, given): (u32, &Bound<'_, PyAny>)| {
        position(given).map_err(|error| {
            let text = format!("position {index}: {}", error.value(given.py()));
            if error.is_instance_of::<PyTypeError>(given.py()) {
                PyTypeError::new_err(text)
            } else {
                value_error(text)
            }
        })
    };
    (first..).zip(given).map(placed).collect()
}

fn evaluate_error(error: &EvaluateError) -> PyErr {
    match error {
        EvaluateError::NoMoves { .. } => value_error(error),
        error => NetworkError::new_err(chain(error)),
    }
}

/// Opens a network by its name or its file.
pub(crate) fn open(name: &str, kernel: Option<&str>) -> PyResult<Core> {
    let kernel = match kernel {
        None => Kernel::best(),
        Some(name) => Kernel::by_name(name).ok_or_else(|| {
            let names: Vec<&str> = Kernel::available().into_iter().map(Kernel::name).collect();
            value_error(format!("this processor has {}", names.join(", ")))
        })?,
    };
    Core::find(name, kernel).map_err(|error| {
        let unknown = if let OpenError::UnknownName(unknown) = &error {
            Some(&*unknown.name)
        } else {
            None
        };
        named_error(&error, unknown, NetworkError::new_err)
    })
}

impl Network {
    /// The level for a requested rating. A network of one level has none. A rating that the network
    /// cannot imitate counts as the nearest, with a warning.
    fn level(&self, py: Python<'_>, rating: Option<u32>) -> PyResult<u32> {
        if let Some(note) = rating.and_then(|rating| self.0.level_note(rating)) {
            warn(py, &note)?;
        }
        match (rating, self.0.levels()) {
            (Some(_), None) => Err(value_error(format!(
                "{} imitates players of one level; leave out the rating, or use {}",
                self.0.name(),
                Core::BUNDLED
            ))),
            (rating, _) => Ok(rating.unwrap_or(Core::DEFAULT_LEVEL)),
        }
    }

    fn answer(
        &self,
        given: &Bound<'_, PyAny>,
        rating: Option<u32>,
    ) -> PyResult<(History, Evaluation)> {
        let (history, level) = (position(given)?, self.level(given.py(), rating)?);
        let py = given.py();
        let answer = py.detach(|| {
            self.0
                .evaluate_many(std::slice::from_ref(&history), &[level])
                .swap_remove(0)
        });
        let mut answers = answer.map_err(|error| evaluate_error(&error))?;
        Ok((history, answers.swap_remove(0)))
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (name=PathBuf::from(Core::BUNDLED), *, kernel=None), text_signature = "(name='centipawn-1', *, kernel=None)")]
    fn new(py: Python<'_>, name: PathBuf, kernel: Option<&str>) -> PyResult<Self> {
        py.detach(|| open(&name.to_string_lossy(), kernel))
            .map(|network| Self(Arc::new(network)))
    }

    /// The network's name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// SHA-256 of the network's file.
    #[getter]
    fn sha256(&self) -> &str {
        self.0.sha256()
    }

    /// The lowest and the highest rating that it imitates; `None` if it imitates one level only.
    #[getter]
    fn levels(&self) -> Option<(u32, u32)> {
        self.0
            .levels()
            .map(|levels| (*levels.start(), *levels.end()))
    }

    /// The architecture of the network.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &NetworkDocument::new(&self.0, None))
    }

    /// The probability of each legal move, the most likely first. A rating outside `levels` counts
    /// as the nearest one inside, with a `CentipawnWarning`.
    #[pyo3(signature = (position, *, rating=None))]
    fn probabilities<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = whole)] rating: Option<u32>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (history, answer) = self.answer(position, rating)?;
        let all = PyDict::new(position.py());
        for mv in &answer.moves {
            all.set_item(history.uci(mv.mv).to_string(), mv.probability)?;
        }
        Ok(all)
    }

    /// All outputs of the network, as `policy run --json` writes them: moves, value and others.
    #[pyo3(signature = (position, *, rating=None))]
    fn evaluate<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = whole)] rating: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (history, answer) = self.answer(position, rating)?;
        to_python(
            position.py(),
            &EvaluationDocument::new(&self.0, &history, &answer),
        )
    }

    /// The `top` most likely moves of many positions, one row for each: the position's number, the
    /// move, its probability.
    #[pyo3(signature = (positions, *, rating=None, top=None, progress=None))]
    fn evaluate_many(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = several)] positions: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = whole)] rating: Option<u32>,
        #[pyo3(from_py_with = whole)] top: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let level = self.level(py, rating)?;
        let (network, histories) = (Arc::clone(&self.0), self::positions(&positions, 0)?);
        drop(positions);
        run(py, progress, move |cancel, watch| {
            many(
                &network,
                &histories,
                level,
                top.unwrap_or(usize::MAX),
                cancel,
                watch,
            )
        })
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.policy.Network: {}>", self.0.name())
    }
}

/// Evaluates many positions. A position without a legal move has no rows.
fn many(
    network: &Core,
    histories: &[History],
    level: u32,
    top: usize,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> PyResult<Table> {
    let (mut rows, mut moves, mut probabilities) = (Vec::new(), Vec::new(), Vec::new());
    let (mut done, mut failed) = (0, None);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = |batch: &[History]| Some(network.evaluate_many(batch, &[level]));
    let total = Some(histories.len() as u64);
    in_order(histories.chunks(BATCH), threads, cancel, work, |answers| {
        for answer in answers {
            match answer {
                Ok(levels) => {
                    for mv in levels
                        .iter()
                        .flat_map(|answer| answer.moves.iter().take(top))
                    {
                        rows.push(done as u32);
                        moves.push(histories[done].uci(mv.mv).to_string());
                        probabilities.push(mv.probability);
                    }
                }
                Err(EvaluateError::NoMoves { .. }) => {}
                Err(error) => {
                    failed.get_or_insert(error);
                }
            }
            done += 1;
        }
        let label = network.name().to_owned();
        reporter.progress(&Progress {
            done: done as u64,
            total,
            unit: Unit::Positions,
            games: 0,
            label,
        });
    });
    if let Some(error) = failed {
        return Err(evaluate_error(&error));
    }
    Columns::default()
        .full("row", UInt32Array::from(rows))
        .full("uci", StringArray::from_iter_values(moves))
        .full("p", Float64Array::from(probabilities))
        .table()
}

/// Threads for work that needs no analyst.
pub(crate) fn threads() -> Threads {
    Threads::of(None)
}
