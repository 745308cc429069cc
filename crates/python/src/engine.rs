//! Engines that stay open between calls.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use arrow_array::{
    DictionaryArray, Int16Array, Int32Array, StringArray, UInt32Array, types::Int32Type,
};
use centipawn_engine::{Analyst, AnalystError, EngineSpec, Limit, Question};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Reporter, Silent};
use centipawn_store::Store;
use centipawn_work::{
    AnalystSpec, ResourceError, Resources,
    remote::RemoteCrew,
    table::{
        columns::{DEPTH, EVAL_CP, EVAL_MATE, UCI},
        eval_columns,
    },
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    error::{
        EngineError, NetworkError, StoreError, chain, file_error, in_range, value_error, whole,
    },
    executor::{Futures, remote_error},
    json::to_python,
    policy::position,
    run::{Watch, run},
    store::named_store,
    table::{Columns, Table},
};

/// A pool of UCI engines, with the store that keeps their evaluations.
#[pyclass(frozen, module = "centipawn")]
pub(crate) struct Engine {
    resources: Mutex<Option<Resources>>,
    spec: AnalystSpec,
    pub(crate) limit: Limit,
    /// Stops the engines.
    cancel: Cancel,
}

/// What an engine provides for a job.
pub(crate) struct Lent {
    pub(crate) analyst: Arc<dyn Analyst>,
    pub(crate) store: Option<Arc<Store>>,
}

/// Converts an error of engines, tables, networks or the store.
pub(crate) fn resource_error(error: &ResourceError) -> PyErr {
    match error {
        ResourceError::Store(_) => file_error(error, StoreError::new_err),
        ResourceError::UnknownNetwork(_)
        | ResourceError::Network(_)
        | ResourceError::AnotherNetwork { .. } => file_error(error, NetworkError::new_err),
        error => EngineError::new_err(chain(error)),
    }
}

impl Engine {
    /// The analyst and the store for a job. `cancel` stops them.
    pub(crate) fn lend(&self, cancel: &Cancel, watch: &Arc<Watch>) -> PyResult<Lent> {
        let job = {
            let resources = self
                .resources
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let resources = resources
                .as_ref()
                .ok_or_else(|| value_error("this engine is closed"))?;
            let reporter = Arc::clone(watch);
            resources.under(cancel, reporter)
        };
        let analyst = job
            .some_analyst(&self.spec)
            .map_err(|error| resource_error(&error))?;
        let store = job.store().map_err(|error| resource_error(&error))?;
        Ok(Lent { analyst, store })
    }
}

impl Engine {
    /// A crew that runs jobs as tasks of an executor. Its answers are those of `analyst`, which
    /// must be this engine's. `networks` are networks with their names.
    pub(crate) fn remote<'a>(
        &self,
        futures: &'a Futures,
        analyst: &dyn Analyst,
        networks: (&[Network], &[String]),
        (cancel, watch): (&Cancel, &Arc<Watch>),
    ) -> PyResult<RemoteCrew<'a, Futures>> {
        let resources = self
            .resources
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let resources = resources
            .as_ref()
            .ok_or_else(|| value_error("this engine is closed"))?;
        let job = resources.under(cancel, Arc::clone(watch) as Arc<dyn Reporter>);
        let pool = job.engine(
            self.spec
                .engine
                .as_ref()
                .ok_or_else(|| value_error("there is no engine"))?,
        );
        RemoteCrew::new(futures, &self.spec, &analyst.identity(), &pool, networks)
            .map_err(|error| remote_error(&error))
    }
}

#[pymethods]
impl Engine {
    /// Starts engines. At most one of `nodes`, `depth` and `movetime` (seconds) limits each search;
    /// a million nodes without them. `store` is a path, an address, `"none"`, or `None` for
    /// `$CENTIPAWN_STORE` or the user's own.
    #[new]
    #[pyo3(signature = (command=PathBuf::from("stockfish"), *, options=None, nodes=None, depth=None, movetime=None, jobs=None, store=None, syzygy=None, at_least=false, lazy=false), text_signature = "(command='stockfish', *, options=None, nodes=None, depth=None, movetime=None, jobs=None, store=None, syzygy=None, at_least=False, lazy=False)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        command: PathBuf,
        options: Option<&Bound<'_, PyDict>>,
        #[pyo3(from_py_with = whole)] nodes: Option<u64>,
        #[pyo3(from_py_with = whole)] depth: Option<u32>,
        movetime: Option<f64>,
        #[pyo3(from_py_with = whole)] jobs: Option<usize>,
        store: Option<PathBuf>,
        syzygy: Option<PathBuf>,
        at_least: bool,
        lazy: bool,
    ) -> PyResult<Self> {
        let limit = limit(nodes, depth, movetime)?;
        jobs.map_or(Ok(()), |jobs| in_range("jobs", jobs, 1..=1024))?;
        let jobs = jobs
            .or_else(|| {
                thread::available_parallelism()
                    .ok()
                    .map(std::num::NonZero::get)
            })
            .unwrap_or(1);
        let set =
            |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<(String, String)> {
                Ok((name.extract()?, value.str()?.to_string()))
            };
        let options = options
            .into_iter()
            .flatten()
            .map(set)
            .collect::<PyResult<_>>()?;
        let choice = named_store(store)?;
        let cancel = Cancel::new();
        let resources = Resources::new(choice, &cancel, Arc::new(Silent));
        let engine = Some(EngineSpec {
            command: command.to_string_lossy().into_owned(),
            options,
            jobs,
        });
        let spec = AnalystSpec {
            engine,
            tables: syzygy,
            at_least,
            starts_late: lazy,
            ..AnalystSpec::default()
        };
        let engine = Self {
            resources: Mutex::new(Some(resources)),
            spec,
            limit,
            cancel,
        };
        // Start the engine, so that a wrong command is reported now instead of by a later call.
        if !lazy {
            run(py, None, |cancel, watch| {
                engine.lend(cancel, watch).map(|_| ())
            })?;
        }
        Ok(engine)
    }

    /// The limit of each search, such as `100000 nodes`.
    #[getter]
    fn limit(&self) -> String {
        self.limit.to_string()
    }

    /// Name, author and options, as the engine states them.
    #[getter]
    fn identity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let identity = run(py, None, |cancel, watch| {
            Ok(self.lend(cancel, watch)?.analyst.identity())
        })?;
        to_python(py, &*identity)
    }

    /// The best lines of a position, one row for each. Evaluations are from White's point of view.
    #[pyo3(signature = (position, *, lines=1))]
    fn analyse(
        &self,
        position: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = whole)] lines: usize,
    ) -> PyResult<Table> {
        in_range("lines", lines, 1..=500)?;
        let history = self::position(position)?;
        let asked = history.clone();
        let analysis = run(position.py(), None, move |cancel, watch| {
            let question = Question::new(asked, self.limit).lines(lines);
            self.lend(cancel, watch)?
                .analyst
                .analyse(&question)
                .map_err(|error| analyst_error(&error))
        })?;
        let lines = &analysis.lines;
        let evals = || {
            lines
                .iter()
                .map(|line| eval_columns(Some(line.eval.for_white(history.turn()))))
        };
        let depths = lines
            .iter()
            .map(|line| i16::try_from(line.depth).unwrap_or(i16::MAX));
        let moves: Vec<String> = lines
            .iter()
            .map(|line| history.uci(line.first_move()).to_string())
            .collect();
        let pv = lines.iter().map(|line| {
            let mut after = history.clone();
            let moves = line.pv.iter().map(|&mv| {
                let uci = after.uci(mv).to_string();
                after.push(mv);
                uci
            });
            moves.collect::<Vec<_>>().join(" ")
        });
        Columns::default()
            .full(
                "rank",
                UInt32Array::from_iter_values(1..=lines.len() as u32),
            )
            .column(
                &UCI,
                moves
                    .iter()
                    .map(|uci| Some(uci.as_str()))
                    .collect::<DictionaryArray<Int32Type>>(),
            )
            .column(&EVAL_CP, evals().map(|(cp, _)| cp).collect::<Int32Array>())
            .column(
                &EVAL_MATE,
                evals().map(|(_, mate)| mate).collect::<Int16Array>(),
            )
            .column(&DEPTH, Int16Array::from_iter_values(depths))
            .full("pv", StringArray::from_iter_values(pv))
            .table()
    }

    /// Stops the engines.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            self.cancel.set();
            drop(
                self.resources
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take(),
            );
        });
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        let command = self
            .spec
            .engine
            .as_ref()
            .map_or("", |engine| &engine.command);
        format!("<centipawn.Engine: {command}, {}>", self.limit)
    }
}

fn analyst_error(error: &AnalystError) -> PyErr {
    EngineError::new_err(chain(error))
}

/// The limit of a search. At most one of the arguments may be given.
fn limit(nodes: Option<u64>, depth: Option<u32>, movetime: Option<f64>) -> PyResult<Limit> {
    match (nodes, depth, movetime) {
        (None, None, None) => Ok(Limit::USUAL),
        (Some(nodes @ 1..), None, None) => Ok(Limit::Nodes(nodes)),
        (None, Some(depth @ 1..=245), None) => Ok(Limit::Depth(depth)),
        (None, None, Some(seconds)) if seconds > 0.0 => Duration::try_from_secs_f64(seconds)
            .map(Limit::MoveTime)
            .map_err(value_error),
        _ => Err(value_error(
            "give one of nodes (above 0), depth (1 to 245) and movetime (seconds, above 0)",
        )),
    }
}
