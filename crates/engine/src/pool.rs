//! Several engines answering as one analyst.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, Hasher, RandomState},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use centipawn_progress::{Cancel, OnSet};

use crate::{
    Analysis, Analyst, AnalystError, Engine, EngineConfig, Identity, PoolSession, Question,
    identity::joined,
};

/// Maximum number of attempts to answer a question.
const ATTEMPTS: u32 = 2;
/// The number of consecutive questions with a timeout after which the pool stops asking: an engine
/// that never reaches its limit would cost two deadlines for every position of a long run. A pool
/// with more engines allows more, because all of them may be late on an overloaded machine.
const LATE_IN_A_ROW: u32 = 3;
/// Time for which the pool then answers no question. Afterwards one question is tried again,
/// because a server must recover from a temporary overload.
const LATE_PAUSE: Duration = Duration::from_secs(60);
/// The pause before an engine is restarted after one failure; it doubles with each further failure
/// in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// Maximum number of questions in quarantine, to bound the memory if an engine fails at every
/// question.
const LARGEST_QUARANTINE: usize = 100_000;
/// Maximum pause after an engine failed to start.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause after an engine that failed at a question: several bad questions in a row do
/// not predict the next one.
const LONGEST_PAUSE_AT_WORK: Duration = Duration::from_millis(40);

/// Several engine processes behind one [`Analyst`].
///
/// Each question takes a free engine, or waits for one. If an engine fails, the pool starts a new
/// one and asks it the same question. If that fails too, the question goes into
/// [quarantine](Self::quarantine): its error is returned, now and whenever the question comes
/// again, and the pool goes on. After timeouts at three questions in a row (or one more than it has
/// engines) the pool asks no more for a minute: every further question is
/// [`AnalystError::TooSlow`]. With one thread per engine (the default) the answers depend neither
/// on the number of engines nor on the order of the questions.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_engine::{Analyst, Cancel, EngineConfig, Limit, Pool, Question, find};
///
/// # let Ok(command) = find("stockfish") else { return Ok(()) };
/// # /*
/// let command = find("stockfish")?;
/// # */
/// let pool = Pool::start(&[(EngineConfig::new(command), 2)], &Cancel::new())?;
/// let question = Question::new(History::default(), Limit::Nodes(10_000)).lines(3);
/// let analysis = std::thread::scope(|scope| scope.spawn(|| pool.analyse(&question)).join().unwrap())?;
/// assert_eq!(analysis.lines.len(), 3);
/// assert_eq!(pool.stats().searches, 1);
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Debug)]
pub struct Pool {
    configs: Vec<EngineConfig>,
    identity: Arc<Identity>,
    size: usize,
    slots: Arc<Slots>,
    cancel: Cancel,
    _on_cancel: OnSet,
}

/// The slots for engines, and the condition variable on which callers wait for one.
#[derive(Debug)]
pub(crate) struct Slots {
    state: Mutex<State>,
    /// Notified when a slot becomes free or work is cancelled.
    changed: Condvar,
    /// Notified when work is cancelled, for pauses: a caller that needs no slot must not take the
    /// notification about one.
    cancelled: Condvar,
}

#[derive(Debug)]
struct State {
    /// Slots that are not in use.
    idle: Vec<Slot>,
    stats: PoolStats,
    quarantine: BTreeMap<String, Quarantined>,
    /// Consecutive questions that ended with a timeout.
    late_in_a_row: u32,
    /// The time at which the pool searches again after too many timeouts.
    asks_again: Option<Instant>,
}

/// A question at which two engines failed in succession.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// The position as FEN.
    pub fen: String,
    /// The error of the last engine.
    pub reason: AnalystError,
}

/// A slot for an engine, which is started when it is first needed.
#[derive(Debug)]
struct Slot {
    config: usize,
    engine: Option<Engine>,
    failures_in_a_row: u32,
    /// The upper limit of growing pauses.
    longest_pause: Duration,
}

/// The work that a pool has done.
#[derive(Clone, Debug, Default)]
pub struct PoolStats {
    /// Number of questions that engines answered.
    pub searches: u64,
    /// Number of nodes of all answers, as the engines count them.
    pub nodes: u64,
    /// Number of engines started to replace a failed engine.
    pub restarts: u64,
    /// Time spent on questions, summed over engines.
    pub busy: Duration,
    /// The last failure of an engine, even if the second attempt succeeded.
    pub last_failure: Option<AnalystError>,
}

/// A slot in use; dropping it returns the slot.
struct Lease<'a> {
    pool: &'a Pool,
    slot: Option<Slot>,
}

impl Pool {
    /// Starts a pool with a number of processes for each engine. The first process of each engine
    /// starts now, so that a wrong command or option is reported at once; the others start when
    /// they are needed.
    ///
    /// Setting `cancel` closes the pool, even while it starts: it kills all engines, and analyses
    /// that run or wait return [`AnalystError::Cancelled`] promptly, as do all later ones. Each
    /// engine is in a separate process group, so a terminal's Ctrl-C does not reach it.
    ///
    /// # Errors
    ///
    /// [`AnalystError::NoEngines`] when all numbers are 0, or the error of an engine that does not
    /// start.
    pub fn start(engines: &[(EngineConfig, usize)], cancel: &Cancel) -> Result<Self, AnalystError> {
        Self::start_for(engines, cancel, cancel)
    }

    /// Like [`start`](Self::start); setting `question` ends only the start.
    pub(crate) fn start_for(
        engines: &[(EngineConfig, usize)],
        cancel: &Cancel,
        question: &Cancel,
    ) -> Result<Self, AnalystError> {
        let (mut configs, mut idle, mut identities) = (Vec::new(), Vec::new(), Vec::new());
        for (config, processes) in engines.iter().filter(|(_, processes)| *processes > 0) {
            let engine = Engine::start_for(config, cancel, question)?;
            identities.push(engine.identity());
            let slot = |engine| Slot {
                config: configs.len(),
                engine,
                failures_in_a_row: 0,
                longest_pause: LONGEST_PAUSE,
            };
            idle.push(slot(Some(engine)));
            idle.extend((1..*processes).map(|_| slot(None)));
            configs.push(config.clone());
        }
        if idle.is_empty() {
            return Err(AnalystError::NoEngines);
        }
        let size = idle.len();
        let state = State {
            idle,
            stats: PoolStats::default(),
            quarantine: BTreeMap::new(),
            late_in_a_row: 0,
            asks_again: None,
        };
        let slots = Arc::new(Slots {
            state: Mutex::new(state),
            changed: Condvar::new(),
            cancelled: Condvar::new(),
        });
        let on_cancel = slots.wake_on(cancel);
        Ok(Self {
            configs,
            identity: joined(&identities),
            size,
            slots,
            cancel: cancel.clone(),
            _on_cancel: on_cancel,
        })
    }

    /// Returns a session for one piece of work: setting `cancel` ends the questions asked through
    /// this session, and no others.
    pub fn under(self: &Arc<Self>, cancel: &Cancel) -> PoolSession {
        PoolSession::new(self, cancel)
    }

    /// Returns the work done so far.
    pub fn stats(&self) -> PoolStats {
        self.state().stats.clone()
    }

    /// Returns the questions that the pool no longer asks, because two engines in succession failed
    /// at each.
    pub fn quarantine(&self) -> Vec<Quarantined> {
        self.state().quarantine.values().cloned().collect()
    }

    pub(crate) fn slots(&self) -> &Arc<Slots> {
        &self.slots
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.slots.state()
    }

    /// Returns whether the pool is closed or the question cancelled.
    fn is_cancelled(&self, cancel: &Cancel) -> bool {
        self.cancel.is_set() || cancel.is_set()
    }

    /// Answers a question, or returns [`AnalystError::Cancelled`] when `cancel` is set.
    pub(crate) fn analyse_under(
        &self,
        question: &Question,
        cancel: &Cancel,
    ) -> Result<Analysis, AnalystError> {
        if self.is_cancelled(cancel) {
            return Err(AnalystError::Cancelled);
        }
        // Mate, stalemate and illegal `searchmoves` need no engine.
        if question.candidates()?.is_empty() {
            return Ok(Analysis::terminal());
        }
        let is_quarantined = |state: &State| {
            // Formatting the text of a question takes time, so do it only if questions are
            // quarantined.
            let known = (!state.quarantine.is_empty())
                .then(|| state.quarantine.get(&question.text()))
                .flatten();
            known.map(|quarantined| quarantined.reason.clone())
        };
        {
            let mut state = self.state();
            if let Some(reason) = is_quarantined(&state) {
                return Err(reason);
            }
            if let Some(asks_again) = state.asks_again {
                let now = Instant::now();
                if now < asks_again {
                    let (engine, limit) = (self.identity.name.clone(), question.limit);
                    return Err(AnalystError::TooSlow {
                        engine,
                        limit,
                        positions: state.late_in_a_row,
                    });
                }
                // Only this question tries now; others wait for the next pause to end.
                state.asks_again = Some(now + LATE_PAUSE);
            }
        }
        let mut lease = self.lease(cancel)?;
        match &mut lease.slot {
            Some(slot) => self.ask(slot, question, cancel),
            None => Err(AnalystError::NoEngines),
        }
    }

    /// Waits for a free slot, and prefers one with a running engine.
    fn lease(&self, cancel: &Cancel) -> Result<Lease<'_>, AnalystError> {
        let mut state = self.state();
        loop {
            if self.is_cancelled(cancel) {
                return Err(AnalystError::Cancelled);
            }
            let running = state.idle.iter().rposition(|slot| slot.engine.is_some());
            if let Some(index) = running.or_else(|| state.idle.len().checked_sub(1)) {
                return Ok(Lease {
                    pool: self,
                    slot: Some(state.idle.remove(index)),
                });
            }
            state = self
                .slots
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Asks the engine in this slot; if it fails, asks a new one.
    fn ask(
        &self,
        slot: &mut Slot,
        question: &Question,
        cancel: &Cancel,
    ) -> Result<Analysis, AnalystError> {
        let mut attempt = 1;
        loop {
            let result = self.attempt(slot, question, cancel);
            let mut state = self.state();
            let error = match result {
                Ok(analysis) => {
                    slot.failures_in_a_row = 0;
                    (state.late_in_a_row, state.asks_again) = (0, None);
                    state.stats.searches += 1;
                    state.stats.nodes += analysis.nodes;
                    return Ok(analysis);
                }
                // The cancel killed the engine, so ignore the engine's error.
                Err(_) if self.cancel.is_set() => return Err(AnalystError::Cancelled),
                Err(error) => error,
            };
            if !error.is_transient() {
                return Err(error);
            }
            state.stats.last_failure = Some(error.clone());
            drop(state);
            slot.engine = None;
            slot.failures_in_a_row += 1;
            slot.longest_pause = if error.is_about_position() {
                LONGEST_PAUSE_AT_WORK
            } else {
                LONGEST_PAUSE
            };
            if attempt == ATTEMPTS {
                if error.is_about_position() {
                    self.put_into_quarantine(question, &error);
                }
                if matches!(error, AnalystError::Timeout { .. }) {
                    let mut state = self.state();
                    state.late_in_a_row += 1;
                    let most = LATE_IN_A_ROW.max(
                        u32::try_from(self.size)
                            .unwrap_or(u32::MAX)
                            .saturating_add(1),
                    );
                    if state.late_in_a_row >= most {
                        state.asks_again = Some(Instant::now() + LATE_PAUSE);
                    }
                }
                return Err(error);
            }
            attempt += 1;
        }
    }

    fn put_into_quarantine(&self, question: &Question, reason: &AnalystError) {
        let quarantine = &mut self.state().quarantine;
        if quarantine.len() < LARGEST_QUARANTINE {
            let quarantined = Quarantined {
                fen: question.history.fen(),
                reason: reason.clone(),
            };
            quarantine.insert(question.text(), quarantined);
        }
    }

    fn attempt(
        &self,
        slot: &mut Slot,
        question: &Question,
        cancel: &Cancel,
    ) -> Result<Analysis, AnalystError> {
        if let Some(engine) = slot.engine.as_mut().filter(|engine| engine.is_stopping()) {
            match engine.settle(question, cancel) {
                Ok(()) => {}
                Err(AnalystError::Cancelled) => return Err(AnalystError::Cancelled),
                // The engine ignored `stop`. An earlier question caused this, so it does not count
                // as an attempt.
                Err(error) => {
                    slot.engine = None;
                    let stats = &mut self.state().stats;
                    stats.restarts += 1;
                    stats.last_failure = Some(error);
                }
            }
        }
        if slot.engine.is_none() && slot.failures_in_a_row > 0 {
            self.pause(slot, cancel)?;
            self.state().stats.restarts += 1;
        }
        let engine = match &mut slot.engine {
            Some(engine) => engine,
            none => none.insert(Engine::start_for(
                &self.configs[slot.config],
                &self.cancel,
                cancel,
            )?),
        };
        let began = Instant::now();
        let result = engine.analyse_under(question, cancel);
        self.state().stats.busy += began.elapsed();
        result
    }

    /// Waits before a restart, until cancelled. The time is random, so that engines that failed
    /// together do not all restart at the same moment.
    fn pause(&self, slot: &Slot, cancel: &Cancel) -> Result<(), AnalystError> {
        let doublings = slot.failures_in_a_row.saturating_sub(1).min(16);
        let longest = FIRST_PAUSE
            .saturating_mul(1 << doublings)
            .min(slot.longest_pause);
        // The random keys of a new hasher are random enough here.
        let random = RandomState::new().build_hasher().finish() % 1000;
        let until = Instant::now() + longest.mul_f64(0.5 + random as f64 / 2000.0);
        let mut state = self.state();
        while !self.is_cancelled(cancel) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            state = self
                .slots
                .cancelled
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        Err(AnalystError::Cancelled)
    }
}

impl Analyst for Pool {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.analyse_under(question, &self.cancel)
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    fn parallelism(&self) -> usize {
        self.size
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.pool.state().idle.push(slot);
            self.pool.slots.changed.notify_one();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Send `quit` to all engines before waiting for the first.
        let mut idle = std::mem::take(&mut self.state().idle);
        for engine in idle.iter_mut().filter_map(|slot| slot.engine.as_mut()) {
            engine.dismiss();
        }
    }
}

impl Slots {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all waiting callers when `cancel` is set, so that each checks whether it is cancelled.
    pub(crate) fn wake_on(self: &Arc<Self>, cancel: &Cancel) -> OnSet {
        let slots = Arc::downgrade(self);
        cancel.on_set(move || {
            if let Some(slots) = slots.upgrade() {
                // With the lock held, no thread is between its check and its wait, so none misses
                // the notification.
                let _state = slots.state();
                slots.changed.notify_all();
                slots.cancelled.notify_all();
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::*;
    use crate::EngineCommand;

    /// A returned engine goes to a caller that waits for one, not to a caller that pauses before a
    /// restart.
    #[test]
    fn a_pausing_caller_does_not_take_a_returned_engine() {
        let command = EngineCommand {
            program: centipawn_fake_engine::path(),
            args: Vec::new(),
        };
        let cancel = Cancel::new();
        let pool = &Pool::start(&[(EngineConfig::new(command), 1)], &cancel).unwrap();
        let lease = pool.lease(&cancel).unwrap();
        thread::scope(|scope| {
            let cancel = &cancel;
            scope.spawn(|| {
                let longest_pause = Duration::from_secs(60);
                pool.pause(
                    &Slot {
                        config: 0,
                        engine: None,
                        failures_in_a_row: 17,
                        longest_pause,
                    },
                    cancel,
                )
            });
            thread::sleep(Duration::from_millis(100));
            let (sender, leased) = mpsc::channel();
            scope.spawn(move || sender.send(pool.lease(cancel).map(drop)));
            thread::sleep(Duration::from_millis(100));
            drop(lease);
            assert_eq!(leased.recv_timeout(Duration::from_secs(20)), Ok(Ok(())));
            cancel.set();
        });
    }
}
