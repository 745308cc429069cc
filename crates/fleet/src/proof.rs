//! Three test questions that check whether two engines give the same answers, and whether an engine
//! still gives the answers of its start.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};
use centipawn_work::engine::{TEST_QUESTIONS, is_repeatable, test_answer};

/// Interval between checks during work that takes longer.
const INTERVAL: Duration = Duration::from_secs(20);

/// Returns the answers of `analyst` to all test questions. The list is empty for an engine with
/// several threads, because its answers vary.
///
/// # Errors
///
/// The error of the analyst.
pub(crate) fn prove(analyst: &dyn Analyst) -> Result<Vec<String>, AnalystError> {
    if !is_repeatable(&analyst.identity()) {
        return Ok(Vec::new());
    }
    (0..TEST_QUESTIONS)
        .map(|number| test_answer(analyst, number, 1))
        .collect()
}

/// The answers that an engine gave when its worker started. Each check repeats one of the
/// questions, in turn.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) answers: Vec<String>,
    next: AtomicUsize,
}

impl Proof {
    pub(crate) fn new(answers: Vec<String>) -> Self {
        Self {
            answers,
            next: AtomicUsize::new(0),
        }
    }

    /// Checks `engine`, which must be the engine that has just worked on this thread.
    ///
    /// # Errors
    ///
    /// The difference between the answers, or the engine's error; `None` if the question was
    /// cancelled.
    pub(crate) fn check(&self, engine: &dyn Analyst) -> Result<(), Option<String>> {
        if self.answers.is_empty() {
            return Ok(());
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed) % self.answers.len();
        match test_answer(engine, number, 1) {
            Ok(answer) if answer == self.answers[number] => Ok(()),
            Ok(answer) => Err(Some(format!(
                "it answers differently than at the start: {answer}, not {}",
                self.answers[number]
            ))),
            Err(AnalystError::Cancelled) => Err(None),
            Err(error) => Err(Some(error.to_string())),
        }
    }
}

/// An analyst whose engine is checked every [`INTERVAL`] during the work.
pub(crate) struct Checked<'a> {
    analyst: Arc<dyn Analyst>,
    engine: &'a dyn Analyst,
    proof: &'a Proof,
    state: Mutex<CheckState>,
}

struct CheckState {
    last: Instant,
    /// Number of successful checks.
    good: u64,
    broken: Option<String>,
}

impl<'a> Checked<'a> {
    /// `engine` is the engine that `analyst` uses.
    pub(crate) fn new(
        analyst: Arc<dyn Analyst>,
        engine: &'a dyn Analyst,
        proof: &'a Proof,
    ) -> Self {
        let state = CheckState {
            last: Instant::now(),
            good: 0,
            broken: None,
        };
        Self {
            analyst,
            engine,
            proof,
            state: Mutex::new(state),
        }
    }

    /// Checks the engine now. Returns whether it gave the expected answer; false also if the
    /// question was cancelled.
    pub(crate) fn check(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.proof.check(self.engine) {
            Ok(()) => {
                state.last = Instant::now();
                state.good += 1;
                true
            }
            Err(reason) => {
                state.broken = state.broken.take().or(reason);
                false
            }
        }
    }

    /// Returns the number of successful checks so far.
    pub(crate) fn good(&self) -> u64 {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .good
    }

    /// Returns why the engine failed a check; `None` if it has not failed one.
    pub(crate) fn broken(&self) -> Option<String> {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .broken
            .clone()
    }

    fn is_due(&self) -> bool {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .last
            .elapsed()
            >= INTERVAL
    }
}

impl Analyst for Checked<'_> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        if self.is_due() && !self.check() {
            // This error ends the work. The caller reports the reason in `broken`.
            return Err(AnalystError::Cancelled);
        }
        self.analyst.analyse(question)
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    fn parallelism(&self) -> usize {
        self.analyst.parallelism()
    }
}
