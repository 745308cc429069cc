//! Reads games into tables.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use arrow_array::{BooleanArray, StringArray, UInt64Array};
use centipawn_pgn::{
    Dialect, GameView, Merge, ScanOptions, ScanReport, Sources, Unreadable, UnreadableDocument,
    scan as pgn_scan,
};
use centipawn_progress::{Cancel, shown_path};
use centipawn_work::{remote::open_answer, table::columns::GAME};
use pyo3::{prelude::*, types::PyBytes};
use serde::{Deserialize, Serialize};

use crate::{
    error::{PgnError, chain, file_error, pgn_error, value_error},
    executor::{pack_scan, remote_error, shared_path},
    json::{from_json, to_python},
    plies::{Names, Parts, ScanOf, Wanted},
    run::{run, threads},
    table::{Columns, Table},
};

/// The options of reading games.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default)]
struct Reading {
    evals: Dialect,
    #[serde(deserialize_with = "threads")]
    threads: Option<NonZeroUsize>,
    strict: bool,
    names: Names,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            evals: Dialect::Auto,
            threads: None,
            strict: false,
            names: Names::default(),
        }
    }
}

/// The files that the arguments name.
pub(crate) fn sources(games: &[PathBuf]) -> PyResult<Sources> {
    Sources::expand(games).map_err(|error| file_error(&error, crate::error::PgnError::new_err))
}

/// Unreadable games and files, which become rows of a table.
#[derive(Default)]
struct Problems(Mutex<Vec<UnreadableDocument>>);

impl Problems {
    fn push(&self, unreadable: &Unreadable) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(unreadable.document());
    }

    /// Takes the problems that were found since the last call.
    fn take(&self) -> Vec<UnreadableDocument> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The table of the problems that were found since the last call.
    fn table(&self, names: &Names) -> PyResult<Table> {
        Self::table_of(self.take(), names)
    }

    fn table_of(all: Vec<UnreadableDocument>, names: &Names) -> PyResult<Table> {
        let (mut sources, mut games, mut lines, mut moves, mut reasons, mut skipped) = (
            Vec::new(),
            Vec::new(),
            Vec::new(),
            Vec::new(),
            Vec::new(),
            Vec::new(),
        );
        for problem in all {
            let (source, game, line, mv, reason, is_skipped) = match problem {
                UnreadableDocument::Game {
                    source,
                    game,
                    line,
                    number,
                    text,
                    message,
                    skipped,
                    ..
                } => {
                    let number = number.map_or(String::new(), |number| format!("{number} "));
                    let mv = Some(format!("{number}{text}")).filter(|mv| !mv.is_empty());
                    (source, Some(game), Some(line), mv, message, skipped)
                }
                UnreadableDocument::Source {
                    source, message, ..
                } => (source, None, None, None, message, true),
            };
            sources.push(names.shown(source));
            games.push(game);
            lines.push(line);
            moves.push(mv);
            reasons.push(names.shown_in(&reason));
            skipped.push(is_skipped);
        }
        Columns::default()
            .full("source", StringArray::from_iter_values(sources))
            .nullable("game", UInt64Array::from_iter(games))
            .nullable("line", UInt64Array::from_iter(lines))
            .nullable("move", StringArray::from_iter(moves))
            .full("reason", StringArray::from_iter_values(reasons))
            .full("skipped", BooleanArray::from(skipped))
            .table()
    }
}

/// The plies, games, problems and report of a scan.
type Scanned<'py> = (Table, Table, Table, Bound<'py, PyAny>);

/// Reads all games into tables.
#[pyfunction]
#[pyo3(signature = (games, columns, options, progress))]
pub(crate) fn scan<'py>(
    py: Python<'py>,
    games: Vec<PathBuf>,
    columns: Option<Vec<String>>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Scanned<'py>> {
    let (wanted, reading) = (Wanted::new(columns)?, from_json::<Reading>(options)?);
    let sources = sources(&games)?;
    let ((plies, games, problems), report) = run(py, progress, |cancel, watch| {
        let problems = Problems::default();
        let on_unreadable = |unreadable: &Unreadable| problems.push(unreadable);
        let options = ScanOptions {
            on_unreadable: Some(&on_unreadable),
            reporter: Some(watch),
            ..scan_options(&reading, cancel)
        };
        let scan = ScanOf::new(wanted, reading.evals, 0, &sources, &reading.names);
        let read = pgn_scan(&sources, &options, || Parts::new(&scan), Parts::add);
        let (parts, report) = read.map_err(|error| pgn_error(&error))?;
        if cancel.is_set() {
            // The interrupt will be raised instead of this error. Building the tables of what was
            // read would take seconds.
            return Err(value_error("the scan was cancelled"));
        }
        let (plies, games) = parts.tables(0)?;
        Ok(((plies, games, problems.table(&reading.names)?), report))
    })?;
    Ok((plies, games, problems, to_python(py, &report)?))
}

fn scan_options<'a>(reading: &Reading, cancel: &'a Cancel) -> ScanOptions<'a> {
    ScanOptions {
        threads: reading.threads,
        dialect: reading.evals,
        strict: reading.strict,
        cancel: Some(cancel),
        ..ScanOptions::default()
    }
}

/// The state of a scan that sends its parts as soon as they are in order.
struct Flow {
    parts: Parts,
    found: Arc<Problems>,
    out: SyncSender<Sent>,
}

/// Parts, and the problems that were found before they were sent.
type Sent = (Parts, Vec<UnreadableDocument>);

impl Flow {
    /// Sends the parts. Returns `false` if the scan was cancelled, and no receiver is left.
    fn send(&mut self) -> bool {
        self.out
            .send((self.parts.take(), self.found.take()))
            .is_ok()
    }
}

impl Merge for Flow {
    /// The merged states form the beginning of the file, so the earlier part is complete and can be
    /// sent.
    fn merge(&mut self, mut later: Self) {
        self.send();
        self.parts = later.parts.take();
    }
}

/// The parts of a scan, one after another. Memory is bounded, because the scan waits until a part
/// was taken.
#[pyclass(frozen, module = "centipawn._centipawn")]
pub(crate) struct Batches(Mutex<State>);

struct State {
    games: u32,
    names: Names,
    receive: Option<Receiver<Sent>>,
    worker: Option<JoinHandle<Result<(), Unreadable>>>,
    cancel: Cancel,
}

impl Drop for State {
    fn drop(&mut self) {
        self.cancel.set();
        // Drop the receiver, so that a scan that waits to send returns with an error.
        drop(self.receive.take());
    }
}

#[pymethods]
impl Batches {
    #[new]
    fn new(games: Vec<PathBuf>, columns: Option<Vec<String>>, options: &str) -> PyResult<Self> {
        let (wanted, reading) = (Wanted::new(columns)?, from_json::<Reading>(options)?);
        let (sources, names) = (sources(&games)?, reading.names.clone());
        let (send, receive) = sync_channel(1);
        let cancel = Cancel::new();
        let found = Arc::new(Problems::default());
        let (all, stop) = (sources, cancel.clone());
        let worker = thread::spawn(move || {
            // Scan one file after another, because parts arrive in order only within a file.
            let on_unreadable = |unreadable: &Unreadable| found.push(unreadable);
            for (index, path) in all.paths().iter().enumerate() {
                let one = Sources::expand(&[path]).map_err(Unreadable::Source)?;
                let scan = ScanOf::new(wanted, reading.evals, index, &all, &reading.names);
                let make = || Flow {
                    parts: Parts::new(&scan),
                    found: Arc::clone(&found),
                    out: send.clone(),
                };
                let add = |flow: &mut Flow, game: &GameView<'_>| flow.parts.add(game);
                let options = ScanOptions {
                    on_unreadable: Some(&on_unreadable),
                    ..scan_options(&reading, &stop)
                };
                let (mut last, _) = pgn_scan(&one, &options, make, add)?;
                if stop.is_set() || !last.send() {
                    break;
                }
            }
            Ok(())
        });
        let state = State {
            games: 0,
            names,
            receive: Some(receive),
            worker: Some(worker),
            cancel,
        };
        Ok(Self(Mutex::new(state)))
    }

    /// The next plies, games and problems; `None` after the last ones.
    fn next(&self, py: Python<'_>) -> PyResult<Option<(Table, Table, Table)>> {
        loop {
            let step = py.detach(|| {
                let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let received = match &state.receive {
                    Some(receive) => receive.recv_timeout(Duration::from_millis(50)),
                    None => return Ok(Step::Ended),
                };
                match received {
                    Ok((parts, problems)) => {
                        let (plies, games) = parts.tables(state.games)?;
                        state.games += games.len();
                        let problems = Problems::table_of(problems, &state.names)?;
                        let is_empty = games.len() + problems.len() == 0;
                        Ok(if is_empty {
                            Step::Waiting
                        } else {
                            Step::Batch(plies, games, problems)
                        })
                    }
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => Ok(Step::Waiting),
                    Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                        state.receive = None;
                        match state.worker.take().map(JoinHandle::join) {
                            Some(Ok(Err(error))) => Err(pgn_error(&error)),
                            Some(Err(_)) => Err(value_error("the scan ended unexpectedly")),
                            _ => Ok(Step::Ended),
                        }
                    }
                }
            })?;
            match step {
                Step::Batch(plies, games, problems) => return Ok(Some((plies, games, problems))),
                Step::Ended => return Ok(None),
                Step::Waiting => py.check_signals()?,
            }
        }
    }

    /// Stops the scan.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.cancel.set();
            state.receive = None;
        });
    }
}

enum Step {
    Batch(Table, Table, Table),
    Waiting,
    Ended,
}

/// A task for an executor: a file to read into tables.
#[derive(Serialize, Deserialize)]
pub(crate) struct ScanTask {
    path: PathBuf,
    /// The number of the file among all files, and its name.
    source: usize,
    name: String,
    columns: Option<Vec<String>>,
    reading: Reading,
}

/// The answer of a worker. Its blocks are the plies, the games and the problems in Arrow's stream
/// format.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct ScanAnswer {
    report: ScanReport,
    /// Why there are no tables, for example an unreadable game in a strict scan.
    failure: Option<String>,
}

/// The tasks of [`scan`] for an executor, one for each file.
#[pyfunction]
pub(crate) fn scan_tasks(
    games: Vec<PathBuf>,
    columns: Option<Vec<String>>,
    options: &str,
) -> PyResult<Vec<Py<PyBytes>>> {
    Wanted::new(columns.clone())?;
    let reading = from_json::<Reading>(options)?;
    let sources = sources(&games)?;
    let task = |(source, path): (usize, &PathBuf)| -> PyResult<Py<PyBytes>> {
        let name = reading.names.shown(sources.name(source));
        let (path, columns, reading) = (shared_path(path)?, columns.clone(), reading.clone());
        let bytes = pack_scan(ScanTask {
            path,
            source,
            name,
            columns,
            reading,
        });
        Ok(Python::attach(|py| PyBytes::new(py, &bytes).unbind()))
    };
    sources.paths().iter().enumerate().map(task).collect()
}

impl ScanTask {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file, with one thread by default, because a worker runs other tasks at the same
    /// time.
    pub(crate) fn perform(&self, cancel: &Cancel) -> (ScanAnswer, Vec<Vec<u8>>) {
        match self.read(cancel) {
            Ok((report, blocks)) => (
                ScanAnswer {
                    report,
                    failure: None,
                },
                blocks,
            ),
            Err(failure) => {
                let failure = Some(self.names().shown_in(&failure));
                (
                    ScanAnswer {
                        failure,
                        ..ScanAnswer::default()
                    },
                    Vec::new(),
                )
            }
        }
    }

    /// The name of the file by the path that this worker uses.
    fn names(&self) -> Names {
        Names::of(shown_path(&self.path), self.name.clone())
    }

    fn read(&self, cancel: &Cancel) -> Result<(ScanReport, Vec<Vec<u8>>), String> {
        let text = |error: PyErr| Python::attach(|py| error.value(py).to_string());
        let wanted = Wanted::new(self.columns.clone()).map_err(text)?;
        let sources = Sources::expand(&[&self.path]).map_err(|error| chain(&error))?;
        let threads = self.reading.threads.or(NonZeroUsize::new(1));
        let reading = Reading {
            threads,
            ..self.reading.clone()
        };
        let problems = Problems::default();
        let on_unreadable = |unreadable: &Unreadable| problems.push(unreadable);
        let options = ScanOptions {
            on_unreadable: Some(&on_unreadable),
            ..scan_options(&reading, cancel)
        };
        let scan = ScanOf::of_one(wanted, reading.evals, self.source, &self.name);
        let read = pgn_scan(&sources, &options, || Parts::new(&scan), Parts::add);
        let (parts, report) = read.map_err(|error| chain(&error))?;
        if report.cancelled {
            return Err("the worker ends".to_owned());
        }
        let (plies, games) = parts.tables(0).map_err(text)?;
        let tables = [plies, games, problems.table(&self.names()).map_err(text)?];
        let blocks = tables
            .iter()
            .map(Table::stream)
            .collect::<PyResult<_>>()
            .map_err(text)?;
        Ok((report, blocks))
    }
}

/// Joins the tables in the answers of workers, in the order of the files, and adds up their
/// reports. Game numbers begin at `before`, the number of games in earlier tables.
#[pyfunction]
pub(crate) fn scan_answers<'py>(
    py: Python<'py>,
    answers: Vec<Vec<u8>>,
    before: i32,
) -> PyResult<Scanned<'py>> {
    let (tables, report) = py.detach(|| -> PyResult<_> {
        let (mut tables, mut first, mut sum) =
            ([const { Vec::new() }; 3], before, ScanReport::default());
        for answer in answers {
            let (ScanAnswer { report, failure }, blocks) =
                open_answer::<ScanAnswer>(&answer).map_err(|error| remote_error(&error))?;
            if let Some(failure) = failure {
                return Err(PgnError::new_err(failure));
            }
            sum.merge(report);
            let mut games = 0;
            for (index, (tables, block)) in tables.iter_mut().zip(&blocks).enumerate() {
                let mut table = Table::of_stream(block)?;
                if index == GAMES {
                    games = table.len();
                }
                if index != PROBLEMS {
                    table.add_to(GAME.name, first)?;
                }
                tables.push(table);
            }
            first += games as i32;
        }
        let [plies, games, problems] = tables.map(Table::joined);
        Ok(([plies, games, problems], sum))
    })?;
    let [plies, games, problems] = tables;
    let (Some(plies), Some(games), Some(problems)) = (plies, games, problems) else {
        return Err(value_error("there are no answers"));
    };
    Ok((plies, games, problems, to_python(py, &report)?))
}

/// The indices of the tables of games and of problems among the blocks of an answer.
const GAMES: usize = 1;
const PROBLEMS: usize = 2;
