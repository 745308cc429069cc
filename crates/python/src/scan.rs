//! Games to tables.

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use arrow_array::{BooleanArray, StringArray, UInt64Array};
use centipawn_pgn::{Dialect, GameView, Merge, ScanOptions, Sources, Unreadable, UnreadableDocument, scan as pgn_scan};
use centipawn_progress::Cancel;
use pyo3::prelude::*;

use crate::{
    error::{file_error, pgn_error, value_error},
    json::{from_json, to_python},
    plies::{Names, Parts, ScanOf, Wanted},
    run::run,
    table::{Columns, Table},
};

/// How a scan reads games.
#[derive(serde::Deserialize)]
#[serde(default)]
struct Reading {
    evals: Dialect,
    threads: Option<NonZeroUsize>,
    strict: bool,
    names: Names,
}

impl Default for Reading {
    fn default() -> Self {
        Self { evals: Dialect::Auto, threads: None, strict: false, names: Names::default() }
    }
}

/// The files that arguments name.
pub(crate) fn sources(games: &[PathBuf]) -> PyResult<Sources> {
    Sources::expand(games).map_err(|error| file_error(&error, crate::error::PgnError::new_err))
}

/// Unreadable games and files, as rows.
#[derive(Default)]
struct Problems(Mutex<Vec<UnreadableDocument>>);

impl Problems {
    fn push(&self, unreadable: &Unreadable) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(unreadable.document());
    }

    /// What was found since the last call.
    fn table(&self, names: &Names) -> PyResult<Table> {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let (mut sources, mut games, mut lines, mut moves, mut reasons, mut skipped) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for problem in all {
            let (source, game, line, mv, reason, is_skipped) = match problem {
                UnreadableDocument::Game { source, game, line, number, text, message, skipped, .. } => {
                    let number = number.map_or(String::new(), |number| format!("{number} "));
                    let mv = Some(format!("{number}{text}")).filter(|mv| !mv.is_empty());
                    (source, Some(game), Some(line), mv, message, skipped)
                }
                UnreadableDocument::Source { source, message, .. } => (source, None, None, None, message, true),
            };
            sources.push(names.shown(source));
            games.push(game);
            lines.push(line);
            moves.push(mv);
            reasons.push(reason);
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

/// Plies, games, problems and the report of a scan.
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

/// The state of a scan that gives its parts away as soon as they stand in order.
struct Flow {
    parts: Parts,
    out: SyncSender<Parts>,
}

impl Merge for Flow {
    /// What is merged comes from the beginning of the file, so the earlier part is complete.
    fn merge(&mut self, mut later: Self) {
        // Without a receiver the scan was cancelled.
        let _ = self.out.send(self.parts.take());
        self.parts = later.parts.take();
    }
}

/// The parts of a scan, one after another; memory is bounded.
#[pyclass(frozen, module = "centipawn._centipawn")]
pub(crate) struct Batches(Mutex<State>);

struct State {
    games: u32,
    problems: Arc<Problems>,
    names: Names,
    receive: Option<Receiver<Parts>>,
    worker: Option<JoinHandle<Result<(), Unreadable>>>,
    cancel: Cancel,
}

impl Drop for State {
    fn drop(&mut self) {
        self.cancel.set();
        // A sender that waits returns with an error.
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
        let problems = Arc::new(Problems::default());
        let (all, stop, found) = (sources, cancel.clone(), Arc::clone(&problems));
        let worker = thread::spawn(move || {
            // File by file: only within a file do parts come in order.
            let on_unreadable = |unreadable: &Unreadable| found.push(unreadable);
            for (index, path) in all.paths().iter().enumerate() {
                let one = Sources::expand(&[path]).map_err(Unreadable::Source)?;
                let scan = ScanOf::new(wanted, reading.evals, index, &all, &reading.names);
                let make = || Flow { parts: Parts::new(&scan), out: send.clone() };
                let add = |flow: &mut Flow, game: &GameView<'_>| flow.parts.add(game);
                let options = ScanOptions { on_unreadable: Some(&on_unreadable), ..scan_options(&reading, &stop) };
                let (mut last, _) = pgn_scan(&one, &options, make, add)?;
                if stop.is_set() || send.send(last.parts.take()).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let state = State { games: 0, problems, names, receive: Some(receive), worker: Some(worker), cancel };
        Ok(Self(Mutex::new(state)))
    }

    /// The next plies, games and problems; `None` after the last.
    fn next(&self, py: Python<'_>) -> PyResult<Option<(Table, Table, Table)>> {
        loop {
            let step = py.detach(|| {
                let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let received = match &state.receive {
                    Some(receive) => receive.recv_timeout(Duration::from_millis(50)),
                    None => return Ok(Step::Ended),
                };
                match received {
                    Ok(parts) => {
                        let (plies, games) = parts.tables(state.games)?;
                        state.games += games.len();
                        let problems = state.problems.table(&state.names)?;
                        let is_empty = games.len() + problems.len() == 0;
                        Ok(if is_empty { Step::Waiting } else { Step::Batch(plies, games, problems) })
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

    /// Ends the scan.
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
