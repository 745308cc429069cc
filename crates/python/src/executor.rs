//! Runs engine work as tasks on Python's executors (`concurrent.futures.Executor`), and the
//! workers' side of it.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    path::{Path, PathBuf, absolute},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::Duration,
};

use centipawn_pgn::Shard;
use centipawn_progress::{Cancel, is_address, shown_path};
use centipawn_work::{
    remote::{
        Executor, ExecutorFailure, GamesTask, PartAnswer, PartScan, PartTask, RemoteError,
        RemoteWorker, open_answer, open_task, pack_answer, pack_refusal, pack_task, part_count,
    },
    scan::PartError,
};
use pyo3::{exceptions::PyException, prelude::*, types::PyBytes};
use serde::{Deserialize, Serialize};

use crate::{
    error::{ExecutorError, PgnError, chain, value_error},
    run::{Call, run},
    scan::ScanTask,
};

/// A finished task: its number, and its answer or why it failed.
type Outcome = (u64, Result<Vec<u8>, ExecutorFailure>);

/// The futures of tasks that have not ended, by the number of the task.
type Pending = Arc<Mutex<HashMap<u64, Py<PyAny>>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The executor as the working thread sees it. It passes tasks to the waiting thread, because only
/// that thread calls Python.
pub(crate) struct Futures {
    width: usize,
    calls: mpsc::Sender<Call>,
    outcomes: Mutex<mpsc::Receiver<Outcome>>,
}

impl Executor for Futures {
    fn width(&self) -> usize {
        self.width
    }

    fn submit(&self, number: u64, task: Vec<u8>) {
        // This cannot fail: the waiting thread receives until the work has ended.
        let _ = self.calls.send(Call::Submit(number, task));
    }

    fn next(&self, wait: Duration) -> Option<Outcome> {
        lock(&self.outcomes).recv_timeout(wait).ok()
    }

    fn cancel(&self) {
        let _ = self.calls.send(Call::CancelTasks);
    }
}

/// The executor as the waiting thread sees it.
pub(crate) struct Desk {
    submit: Py<PyAny>,
    perform: Py<PyAny>,
    pending: Pending,
    outcomes: mpsc::Sender<Outcome>,
}

impl Desk {
    /// Creates both sides of an executor.
    ///
    /// # Errors
    ///
    /// `TypeError` if `executor` is not an executor.
    pub(crate) fn open(
        py: Python<'_>,
        executor: Py<PyAny>,
        calls: mpsc::Sender<Call>,
    ) -> PyResult<(Self, Futures)> {
        let opened = py
            .import("centipawn._remote")?
            .call_method1("opened", (executor,))?;
        let (submit, perform, width) = opened.extract()?;
        let (outcomes, received) = mpsc::channel();
        let desk = Self {
            submit,
            perform,
            pending: Arc::default(),
            outcomes,
        };
        Ok((
            desk,
            Futures {
                width,
                calls,
                outcomes: Mutex::new(received),
            },
        ))
    }

    /// Submits a task. If the executor raises an exception, it becomes the result of the task.
    ///
    /// # Errors
    ///
    /// An interrupt by the user.
    pub(crate) fn submit(&self, py: Python<'_>, number: u64, task: &[u8]) -> PyResult<()> {
        let future = match self
            .submit
            .call1(py, (&self.perform, PyBytes::new(py, task), number))
        {
            Ok(future) => future,
            Err(error) if error.is_instance_of::<PyException>(py) => {
                let _ = self
                    .outcomes
                    .send((number, Err(ExecutorFailure::Broken(in_words(py, &error)))));
                return Ok(());
            }
            Err(interrupt) => return Err(interrupt),
        };
        lock(&self.pending).insert(number, future.clone_ref(py));
        let done = Done {
            number,
            outcomes: self.outcomes.clone(),
            pending: Arc::clone(&self.pending),
        };
        future
            .call_method1(py, "add_done_callback", (done,))
            .map(drop)
    }

    /// Cancels the tasks that have not started.
    pub(crate) fn cancel(&self, py: Python<'_>) {
        let pending: Vec<Py<PyAny>> = lock(&self.pending)
            .drain()
            .map(|(_, future)| future)
            .collect();
        for future in pending {
            // A task that cannot be cancelled runs to its end, and its answer is ignored.
            let _ = future.call_method0(py, "cancel");
        }
    }
}

/// A callback for a finished future. Python may call it from any thread.
#[pyclass(frozen)]
struct Done {
    number: u64,
    outcomes: mpsc::Sender<Outcome>,
    pending: Pending,
}

#[pymethods]
impl Done {
    fn __call__(&self, future: &Bound<'_, PyAny>) {
        let outcome = outcome(future);
        let own = lock(&self.pending).remove(&self.number);
        drop(own);
        // An error means that the work has ended and the answer is no longer needed.
        let _ = self.outcomes.send((self.number, outcome));
    }
}

fn outcome(future: &Bound<'_, PyAny>) -> Result<Vec<u8>, ExecutorFailure> {
    let py = future.py();
    let result = future
        .call_method0("result")
        .and_then(|result| result.extract::<Vec<u8>>());
    result.map_err(|error| {
        let broken = || py.import("concurrent.futures")?.getattr("BrokenExecutor");
        let is_broken =
            broken().is_ok_and(|broken| error.value(py).is_instance(&broken).unwrap_or(false));
        let text = in_words(py, &error);
        if is_broken {
            ExecutorFailure::Broken(text)
        } else {
            ExecutorFailure::Task(text)
        }
    })
}

/// The type of an exception and the first line of its message.
fn in_words(py: Python<'_>, error: &PyErr) -> String {
    let kind = error
        .get_type(py)
        .name()
        .map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let text = error.value(py).to_string();
    match text.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{kind}: {}", line.trim()),
        None => kind,
    }
}

/// Converts an error of the work in tasks.
pub(crate) fn remote_error(error: &RemoteError) -> PyErr {
    ExecutorError::new_err(chain(error))
}

/// The work of a task.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Task {
    Games(Box<GamesTask>),
    Part(Box<PartTask>),
    Scan(ScanTask),
}

/// Packs a task that reads a file into tables.
pub(crate) fn pack_scan(task: ScanTask) -> Vec<u8> {
    pack_task(&Task::Scan(task), &[])
}

/// Runs tasks. Each process has one value of this type, which keeps engines open.
#[pyclass(frozen, module = "centipawn._centipawn")]
pub(crate) struct Worker {
    worker: RemoteWorker,
    name: String,
}

#[pymethods]
impl Worker {
    #[new]
    fn new(name: String) -> Self {
        Self {
            worker: RemoteWorker::default(),
            name,
        }
    }

    /// Runs a task and returns its answer.
    fn perform(&self, py: Python<'_>, task: &[u8]) -> PyResult<Py<PyBytes>> {
        let answer = run(py, None, |cancel, _| Ok(self.answer(task, cancel)))?;
        Ok(PyBytes::new(py, &answer).unbind())
    }

    /// Stops the engines.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.worker.close());
    }
}

impl Worker {
    fn answer(&self, task: &[u8], cancel: &Cancel) -> Vec<u8> {
        let (worker, name) = (&self.worker, &self.name);
        let performed = open_task::<Task>(task).and_then(|(task, blocks)| match task {
            Task::Games(task) => {
                let (answer, blocks) = worker.games(&task, &blocks, cancel)?;
                Ok(pack_answer(name, &answer, &blocks))
            }
            Task::Part(task) => {
                let (answer, blocks) = worker.part(&task, cancel)?;
                Ok(pack_answer(name, &answer, &blocks))
            }
            Task::Scan(task) => {
                worker.readable(task.path())?;
                let (answer, blocks) = task.perform(cancel);
                Ok(pack_answer(name, &answer, &blocks))
            }
        });
        performed.unwrap_or_else(|reason| pack_refusal(name, &reason))
    }
}

/// The path that workers use for a file. Their current folder may be another one, so it is
/// absolute.
///
/// # Errors
///
/// `ValueError` for standard input, which only this process can read.
pub(crate) fn shared_path(path: &Path) -> PyResult<PathBuf> {
    if path == Path::new("-") {
        return Err(value_error(
            "an executor's workers cannot read standard input; give files",
        ));
    }
    let text = path.to_string_lossy();
    let is_account = ["lichess:", "chesscom:"]
        .iter()
        .any(|site| text.starts_with(site));
    if is_address(path) || is_account {
        Ok(path.to_owned())
    } else {
        absolute(path).map_err(value_error)
    }
}

/// Divides a scan into tasks for this number of workers. Returns none if there are no files.
pub(crate) fn part_tasks(
    scan: &PartScan,
    games: &[PathBuf],
    (threads, strict): (Option<NonZeroUsize>, bool),
    workers: usize,
) -> PyResult<Vec<Py<PyBytes>>> {
    // Report missing files first, as all functions of the package do.
    let sources = crate::scan::sources(games)?;
    if sources.paths().is_empty() {
        return Ok(Vec::new());
    }
    let games = games
        .iter()
        .map(|path| shared_path(path))
        .collect::<PyResult<Vec<PathBuf>>>()?;
    let count = part_count(&sources, workers).map_err(|error| {
        let reason = match &error {
            PartError::Rows { path } => {
                format!("{} has rows, which are not divided", path.display())
            }
            PartError::Whole => "parts are merged as a whole".to_owned(),
            error => error.to_string(),
        };
        value_error(format!(
            "{reason}; leave out executor, or give files of games"
        ))
    })?;
    let task = |index| -> PyResult<Py<PyBytes>> {
        let shard = Shard::new(index, count).map_err(value_error)?;
        let task = PartTask {
            scan: scan.clone(),
            games: games.clone(),
            shard,
            threads,
            strict,
        };
        let bytes = pack_task(&Task::Part(Box::new(task)), &[]);
        Ok(Python::attach(|py| PyBytes::new(py, &bytes).unbind()))
    };
    (1..=count).map(task).collect()
}

/// A problem: whether data was lost, and a text.
type SentProblem = (bool, String);

/// Unpacks a worker's answer: the file of a part, and the problems.
#[pyfunction]
pub(crate) fn part_answer(
    py: Python<'_>,
    answer: &[u8],
) -> PyResult<(Py<PyBytes>, Vec<SentProblem>)> {
    let (answer, blocks) = py
        .detach(|| open_answer::<PartAnswer>(answer))
        .map_err(|error| remote_error(&error))?;
    match (answer.failure, blocks.first()) {
        (Some(failure), _) => Err(PgnError::new_err(failure)),
        (None, Some(part)) => Ok((PyBytes::new(py, part).unbind(), answer.problems)),
        (None, None) => Err(ExecutorError::new_err("the answer of a worker has no part")),
    }
}

/// The names of the files of games, by the paths that workers use. Messages show these names.
#[pyfunction]
pub(crate) fn shared_names(games: Vec<PathBuf>) -> PyResult<HashMap<String, String>> {
    let sources = crate::scan::sources(&games)?;
    let named = |(index, path): (usize, &PathBuf)| {
        Ok((shown_path(&shared_path(path)?), sources.name(index)))
    };
    sources.paths().iter().enumerate().map(named).collect()
}
