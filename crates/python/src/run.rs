//! Long work on a separate thread, without holding Python's interpreter, with polling for signals.

use std::{
    panic::resume_unwind,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

use centipawn_progress::{Cancel, Problem, Progress, Reporter};
use pyo3::prelude::*;

use crate::error::warn;

/// The interval in which the waiting thread checks for signals and reports progress.
const LOOK_UP: Duration = Duration::from_millis(50);
/// Problems that become warnings; further ones are counted.
const WARNINGS: usize = 20;

/// What work reports, until the waiting thread passes it on to Python. No worker ever calls Python.
#[derive(Default)]
pub(crate) struct Watch(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    progress: Option<Progress>,
    problems: Vec<Problem>,
    more: usize,
}

impl Watch {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reporter for Watch {
    fn progress(&self, progress: &Progress) {
        self.seen().progress = Some(progress.clone());
    }

    fn problem(&self, problem: &Problem) {
        let mut seen = self.seen();
        if seen.problems.len() < WARNINGS {
            seen.problems.push(problem.clone());
        } else {
            seen.more += 1;
        }
    }
}

/// Runs `work` on another thread and waits for it without holding the interpreter.
///
/// Every 50 ms the caller checks for signals and calls `progress` with the work done, the total (or `None`) and the number of games; `True`
/// stands for the package's own bar. An interrupt, or an exception of `progress`, sets the [`Cancel`]; once the work has ended, that
/// exception is raised. Problems that the work reported become warnings.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Cancel, &Arc<Watch>) -> PyResult<T> + Send,
) -> PyResult<T> {
    let progress: Option<Py<PyAny>> = match progress {
        None => None,
        Some(wanted) => py.import("centipawn._arguments")?.call_method1("show", (wanted,))?.extract()?,
    };
    let (cancel, watch) = (Cancel::new(), Arc::new(Watch::default()));
    let report = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        let (Some(call), Some(Progress { done, total, games, .. })) = (&progress, watch.seen().progress.take()) else {
            return Ok(());
        };
        call.call1(py, (done, total, games)).map(|_| ())
    };
    let (result, failure) = py.detach(|| {
        thread::scope(|scope| {
            let (ended, wait) = mpsc::channel();
            let worker = scope.spawn({
                let (cancel, watch) = (&cancel, &watch);
                move || {
                    let result = work(cancel, watch);
                    // The receiver lives until the thread is joined.
                    let _ = ended.send(());
                    result
                }
            });
            let mut failure = None;
            while wait.recv_timeout(LOOK_UP) == Err(mpsc::RecvTimeoutError::Timeout) {
                if failure.is_none()
                    && let Err(error) = Python::attach(report)
                {
                    cancel.set();
                    failure = Some(error);
                }
            }
            (worker.join().unwrap_or_else(|panic| resume_unwind(panic)), failure)
        })
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    let value = result?;
    // Problems reported since the last check.
    report(py)?;
    let (problems, more) = {
        let mut seen = watch.seen();
        (std::mem::take(&mut seen.problems), seen.more)
    };
    for problem in problems {
        warn(py, &problem.to_string())?;
    }
    if more > 0 {
        warn(py, &format!("{more} more problems"))?;
    }
    Ok(value)
}
