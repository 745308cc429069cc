//! Runs long work on a separate thread, without holding Python's interpreter, and polls for
//! signals.

use std::{
    num::NonZeroUsize,
    panic::resume_unwind,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use centipawn_progress::{Cancel, Problem, Progress, Reporter};
use pyo3::prelude::*;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};

use crate::{
    error::warn,
    executor::{Desk, Futures},
};

/// The interval at which the waiting thread polls for signals and reports progress.
const LOOK_UP: Duration = Duration::from_millis(50);
/// Maximum number of problems that become warnings. The others are only counted.
const WARNINGS: usize = 20;

/// The options of a call, as JSON: the recipe, and options of this run only.
#[derive(Default, Deserialize)]
#[serde(default, bound = "R: Default + DeserializeOwned")]
pub(crate) struct Asked<R> {
    #[serde(flatten)]
    pub(crate) run: R,
    /// The maximum number of threads. By default one for each processor.
    #[serde(deserialize_with = "threads")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Whether the first unreadable game is an error.
    pub(crate) strict: bool,
}

/// Reads a number of threads, with the range of the command line.
pub(crate) fn threads<'de, D: Deserializer<'de>>(
    given: D,
) -> Result<Option<NonZeroUsize>, D::Error> {
    match Option::<NonZeroUsize>::deserialize(given)? {
        Some(threads) if threads.get() > 1024 => Err(D::Error::custom("must be from 1 to 1024")),
        threads => Ok(threads),
    }
}

/// Collects what the work reports until the waiting thread passes it on to Python. Working threads
/// never call Python.
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

    /// Issues a warning for each problem, except one that repeats the error.
    fn warn(&self, py: Python<'_>, error: Option<&PyErr>) -> PyResult<()> {
        let error = error.map(|error| error.value(py).to_string());
        let (problems, more) = {
            let mut seen = self.seen();
            (std::mem::take(&mut seen.problems), seen.more)
        };
        for problem in problems.iter().map(Problem::to_string) {
            if error
                .as_ref()
                .is_none_or(|error| !problem.contains(error.as_str()))
            {
                warn(py, &problem)?;
            }
        }
        if more > 0 {
            warn(py, &format!("{more} more problems"))
        } else {
            Ok(())
        }
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

/// A request of the working thread to the waiting thread.
pub(crate) enum Call {
    /// Submit a task to the executor.
    Submit(u64, Vec<u8>),
    /// Cancel the tasks that have not started.
    CancelTasks,
    /// The work has ended.
    End,
}

/// Runs `work` on another thread and waits for it without holding the interpreter.
///
/// Every 50 ms the caller polls for signals and calls `progress` with the work done, the total (or
/// `None`) and the number of games. If `progress` is `True`, the package shows its own bar. An
/// interrupt, or an exception of `progress`, sets the [`Cancel`], and is raised after the work has
/// ended. Problems that the work reported become warnings, even if it ends with an error.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Cancel, &Arc<Watch>) -> PyResult<T> + Send,
) -> PyResult<T> {
    run_on(py, progress, None, |cancel, watch, _| work(cancel, watch))
}

/// Like [`run`], with an executor if one is given. The waiting thread submits the tasks of `work`,
/// because working threads never call Python. After the work has ended, all tasks that have not
/// started are cancelled.
pub(crate) fn run_on<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    executor: Option<Py<PyAny>>,
    work: impl FnOnce(&Cancel, &Arc<Watch>, Option<&Futures>) -> PyResult<T> + Send,
) -> PyResult<T> {
    let progress: Option<Py<PyAny>> = match progress {
        None => None,
        Some(wanted) => py
            .import("centipawn._arguments")?
            .call_method1("show", (wanted,))?
            .extract()?,
    };
    let (cancel, watch) = (Cancel::new(), Arc::new(Watch::default()));
    let (calls, wait) = mpsc::channel();
    let (desk, futures) = executor
        .map(|executor| Desk::open(py, executor, calls.clone()))
        .transpose()?
        .unzip();
    let report = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        let (
            Some(call),
            Some(Progress {
                done, total, games, ..
            }),
        ) = (&progress, watch.seen().progress.take())
        else {
            return Ok(());
        };
        call.call1(py, (done, total, games)).map(|_| ())
    };
    let answer = |py: Python<'_>, call: Call| match (&desk, call) {
        (Some(desk), Call::Submit(number, task)) => desk.submit(py, number, &task),
        (Some(desk), Call::CancelTasks) => {
            desk.cancel(py);
            Ok(())
        }
        _ => Ok(()),
    };
    let (result, failure) = py.detach(|| {
        let wait = wait;
        thread::scope(|scope| {
            let worker = scope.spawn({
                let (cancel, watch) = (&cancel, &watch);
                move || {
                    let result = work(cancel, watch, futures.as_ref());
                    // This cannot fail: the receiver exists until the thread has been joined.
                    let _ = calls.send(Call::End);
                    result
                }
            });
            let (mut failure, mut looked) = (None, Instant::now());
            loop {
                let mut seen = Ok(());
                match wait.recv_timeout(LOOK_UP) {
                    Ok(Call::End) | Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Ok(call) if failure.is_none() => seen = Python::attach(|py| answer(py, call)),
                    Ok(_) | Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
                if failure.is_none() && seen.is_ok() && looked.elapsed() >= LOOK_UP {
                    seen = Python::attach(report);
                    looked = Instant::now();
                }
                if let Err(error) = seen {
                    cancel.set();
                    if let Some(desk) = &desk {
                        Python::attach(|py| desk.cancel(py));
                    }
                    failure = Some(error);
                }
            }
            (
                worker.join().unwrap_or_else(|panic| resume_unwind(panic)),
                failure,
            )
        })
    });
    if let Some(desk) = &desk {
        desk.cancel(py);
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    // Issue the warnings before the error is raised, because they may explain it. If warnings are
    // errors, the error of the work still has priority.
    let warned = watch.warn(py, result.as_ref().err());
    let value = result?;
    warned?;
    // Report the progress since the last poll.
    report(py)?;
    Ok(value)
}
