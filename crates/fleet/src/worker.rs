//! A worker: a process that leases tasks, one for each slot, and answers the questions of their
//! games.

mod judging;

use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use centipawn_core::{SplitMix64, mix64};
use centipawn_engine::{Analyst, Cancel, EngineSpec, Identity};
use centipawn_progress::Silent;
use centipawn_work::{AnalystSpec, ResourceError, Resources, engine::perform, remote::read_game};

use self::judging::RunJob;
use crate::{
    Fleet, FleetError, Metrics, RunId,
    database::Patience,
    proof::{Checked, Proof, prove},
    queue::{Answers, Badge, Comparison, Document, Held, Offer},
    run::pack_answers,
    worker_event::WorkerEvent,
};

/// Interval between renewals of the leases.
const RENEWAL: Duration = Duration::from_secs(20);

/// Pauses of a slot that finds no task. They double from the first to the last, and vary randomly
/// by up to 30 %, so that workers do not all ask at the same time.
const IDLE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(8));

/// The reason that is reported for a task whose lease is lost.
const NOT_NEEDED: &str = "another worker has it, or the run is cancelled or deleted";

/// Options of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerOptions {
    /// Name of the worker in the fleet's status. Default: the host name.
    pub name: String,
    /// Distinguishes this build from others of its version, such as a commit. Default empty.
    pub build: String,
    /// Number of tasks at the same time, at least 1. Each keeps one engine busy.
    pub slots: usize,
    /// The engine and the tables.
    pub analyst: AnalystSpec,
    /// Whether to end when no task is left, rather than wait for new ones. Default false.
    pub once: bool,
    /// For how long running tasks may continue after a request to end. Default 30 s.
    pub grace: Duration,
}

impl WorkerOptions {
    /// Creates options with one slot for each engine of `analyst`, the host's name and a grace
    /// period of 30 s.
    pub fn new(analyst: AnalystSpec) -> Self {
        let slots = analyst
            .engine
            .as_ref()
            .map_or(1, |engine| engine.jobs)
            .max(1);
        Self {
            name: host(),
            build: String::new(),
            slots,
            analyst,
            once: false,
            grace: Duration::from_secs(30),
        }
    }
}

/// Returns the name of this machine. Workers on different machines need different names, because a
/// worker that is set aside blocks its name for an hour.
pub(crate) fn host() -> String {
    // Asks the system, because shells do not export HOSTNAME and only Linux has a file with the
    // name. Windows always sets COMPUTERNAME.
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() {
        "worker".to_owned()
    } else {
        name.to_owned()
    }
}

/// Works until `stop` is set. With [`WorkerOptions::once`], works until no task is left, including
/// tasks of other workers.
///
/// After `stop` is set, it leases no further task. Tasks that do not end within the grace period
/// are returned. Then `end` is set, which must also stop the engines of `resources`. Storing
/// answers is retried until the database confirms it. `on_event` is called from any thread.
///
/// # Errors
///
/// [`WorkerError`] if the engine, a network or the database failed.
pub fn work(
    fleet: &Fleet,
    resources: &Resources,
    options: &WorkerOptions,
    (stop, end): (&Cancel, &Cancel),
    metrics: &Metrics,
    on_event: &(dyn Fn(&WorkerEvent) + Sync),
) -> Result<(), WorkerError> {
    let analyst = resources.some_analyst(&options.analyst)?;
    let engine = engine(options)?;
    let proof = Proof::new(prove(&resources.engine(&engine)).map_err(FleetError::Engine)?);
    let identity = analyst.identity();
    drop(analyst);
    metrics.set_slots(options.slots);
    let slots = (0..options.slots)
        .map(|slot| match slot {
            0 => Ok(resources.under(end, Arc::new(Silent))),
            _ => resources.with_own_engines(end, Arc::new(Silent)),
        })
        .collect::<Result<Vec<_>, ResourceError>>()?;
    let patience = Patience::Until(stop);
    let badge = match fleet.enlist(
        &options.name,
        &options.build,
        &identity,
        options.slots,
        patience,
    ) {
        Err(FleetError::Cancelled) => return Ok(()),
        enlisted => enlisted?,
    };
    metrics.joined(fleet.pulse());
    on_event(&WorkerEvent::Started {
        worker: badge.id,
        name: options.name.clone(),
        engine: identity.with_options(),
        slots: options.slots,
    });
    let worker = Worker {
        fleet,
        resources,
        slots,
        options,
        engine,
        identity,
        proof,
        badge,
        requests: AtomicI64::new(0),
        stop,
        end,
        metrics,
        on_event,
        jobs: Mutex::default(),
        desk: Mutex::default(),
        changed: Condvar::new(),
    };
    worker.run();
    let _ = fleet.discharge(&worker.badge, Patience::Parting);
    on_event(&WorkerEvent::Ended {
        tasks: metrics.done.get(),
        games: metrics.games.get(),
    });
    let failure = worker.desk().failure.take();
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// The reason why a worker ends early.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The engine, tables or networks cannot be opened.
    #[error(transparent)]
    Resources(#[from] ResourceError),
    /// The fleet failed, or the engine gives wrong answers.
    #[error(transparent)]
    Fleet(#[from] FleetError),
}

fn engine(options: &WorkerOptions) -> Result<EngineSpec, ResourceError> {
    options
        .analyst
        .engine
        .clone()
        .ok_or(ResourceError::NoAnalyst)
}

struct Worker<'a> {
    fleet: &'a Fleet,
    resources: &'a Resources,
    /// The resources of each slot, with a separate engine, so that a check asks the engine that did
    /// the work.
    slots: Vec<Resources>,
    options: &'a WorkerOptions,
    engine: EngineSpec,
    identity: Arc<Identity>,
    proof: Proof,
    badge: Badge,
    /// The number of the next request for a task.
    requests: AtomicI64,
    stop: &'a Cancel,
    end: &'a Cancel,
    metrics: &'a Metrics,
    on_event: &'a (dyn Fn(&WorkerEvent) + Sync),
    /// The runs that this worker has examined; `None` for a run that it does not serve.
    jobs: Mutex<HashMap<RunId, Option<Arc<RunJob>>>>,
    desk: Mutex<Desk>,
    changed: Condvar,
}

/// The state shared by the slots.
#[derive(Default)]
struct Desk {
    /// Number of slots that hold a task or are about to lease one.
    busy: usize,
    /// A slot runs a task with which workers crashed. The other slots wait.
    is_alone: bool,
    /// Such a task was returned, and no slot leases a task until the others are free.
    is_draining: bool,
    /// Leased tasks with the number of their lease, and the cancellation of their work.
    held: BTreeMap<(RunId, i32), (i32, Cancel)>,
    has_ended: bool,
    /// The reason why the worker ends early.
    failure: Option<FleetError>,
}

/// Marks a slot as holding a task, or about to lease one, until it is dropped, even by a panic.
struct Busy<'a> {
    desk: &'a Mutex<Desk>,
    changed: &'a Condvar,
}

impl<'a> Busy<'a> {
    fn new(mut locked: MutexGuard<'_, Desk>, desk: &'a Mutex<Desk>, changed: &'a Condvar) -> Self {
        locked.busy += 1;
        Self { desk, changed }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        desk.busy -= 1;
        desk.is_alone = false;
        drop(desk);
        self.changed.notify_all();
    }
}

/// The result of running a task. The answers are those of its finished games.
enum Performed {
    Done(Answers),
    /// The grace period ended, or the lease was lost.
    CutOff(Answers),
    Failed(Answers, String),
    /// The engine no longer gives the answers of its start. Only answers from before the last
    /// successful check are kept.
    Broken(Answers, String),
}

/// Turns a panic into a failure of the task. Otherwise the task would be leased again and again.
fn blamed(perform: impl FnOnce() -> Performed) -> Performed {
    catch_unwind(AssertUnwindSafe(perform)).unwrap_or_else(|panic| {
        Performed::Failed(
            Answers::default(),
            format!("the work panicked: {}", words(&*panic)),
        )
    })
}

/// Returns the message of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
        .to_owned()
}

impl Worker<'_> {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Patience for returning a cut-off task. If the database does not get the message, the lease
    /// expires anyway.
    fn last_patience(&self) -> Patience<'static> {
        if self.end.is_set() {
            Patience::Parting
        } else {
            Patience::Brief
        }
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "events are written where they happen"
    )]
    fn report(&self, event: WorkerEvent) {
        (self.on_event)(&event);
    }

    fn run(&self) {
        thread::scope(|scope| {
            scope.spawn(|| self.guarded(|| self.keep_leases()));
            scope.spawn(|| self.guarded(|| self.grant_grace()));
            let slots = (0..self.options.slots)
                .map(|slot| scope.spawn(move || self.guarded(|| self.slot(slot))));
            for slot in slots.collect::<Vec<_>>() {
                // `guarded` has already caught the panic.
                let _ = slot.join();
            }
            self.desk().has_ended = true;
            // A renewal that still waits for the database is no longer needed.
            self.end.set();
            self.changed.notify_all();
        });
    }

    /// Runs `work`. If it panics, the worker ends with an error. Otherwise the worker would wait
    /// forever for this thread, or end as if nothing had happened.
    fn guarded(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.give_up(FleetError::Panicked {
                reason: words(&*panic),
            });
        }
    }

    /// Renews the leases of all held tasks, and cancels tasks whose lease was lost.
    fn keep_leases(&self) {
        let mut next = Instant::now() + RENEWAL;
        loop {
            let mut desk = self.desk();
            while !desk.has_ended && Instant::now() < next {
                let left = next.saturating_duration_since(Instant::now());
                desk = self
                    .changed
                    .wait_timeout(desk, left)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
            if desk.has_ended {
                return;
            }
            let held: Vec<_> = desk
                .held
                .iter()
                .map(|((run, number), (lease, _))| (*run, *number, *lease))
                .collect();
            drop(desk);
            next = Instant::now() + RENEWAL;
            // Renews until the engines are stopped, not only until `stop`, so that tasks keep their
            // lease during the grace period.
            let kept = match self
                .fleet
                .renew(&self.badge, &held, Patience::Holding(self.end))
            {
                Ok(kept) => kept,
                Err(error) => {
                    self.give_up(error);
                    continue;
                }
            };
            let desk = self.desk();
            for ((run, number), (lease, cancel)) in &desk.held {
                if held.contains(&(*run, *number, *lease)) && !kept.contains(&(*run, *number)) {
                    cancel.set();
                }
            }
        }
    }

    /// Waits for the grace period after a request to end, then stops the engines.
    fn grant_grace(&self) {
        let mut desk = self.desk();
        let mut until = None;
        while !desk.has_ended {
            if self.stop.is_set() {
                let until = *until.get_or_insert_with(|| Instant::now() + self.options.grace);
                if Instant::now() >= until {
                    drop(desk);
                    self.end.set();
                    return;
                }
            }
            desk = self
                .changed
                .wait_timeout(desk, Duration::from_millis(100))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn slot(&self, slot: usize) {
        let mut idle = IDLE.0;
        let mut random = SplitMix64::new(mix64(self.badge.id as u64) ^ slot as u64);
        loop {
            let mut desk = self.desk();
            while desk.is_alone || desk.is_draining && desk.busy > 0 {
                desk = self
                    .changed
                    .wait(desk)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if self.stop.is_set() || desk.failure.is_some() {
                return;
            }
            let busy = Busy::new(desk, &self.desk, &self.changed);
            let found = self.take();
            let is_found = matches!(found, Ok(Some(_)));
            let held = found.and_then(|found| {
                found.map_or(Ok(()), |(held, job)| {
                    self.hold(&held, &job, &self.slots[slot])
                })
            });
            if let Err(error) = held {
                self.give_up(error);
            }
            drop(busy);
            let mut desk = self.desk();
            let is_last = desk.busy == 0;
            if !is_found {
                // The task that must run alone is gone: another worker has leased it.
                desk.is_draining = false;
            }
            drop(desk);
            self.changed.notify_all();
            if is_found {
                idle = IDLE.0;
                continue;
            }
            if self.options.once && is_last {
                // If another worker crashes, its tasks become free again, so wait until none is
                // left.
                match self.fleet.is_left(
                    &self.badge,
                    &self.judged().0,
                    Patience::Holding(self.stop),
                ) {
                    Ok(false) => return,
                    Ok(true) => {}
                    Err(error) => self.give_up(error),
                }
            }
            self.stop.wait(idle.mul_f64(0.7 + 0.6 * random.unit()));
            idle = (idle * 2).min(IDLE.1);
        }
    }

    /// Leases a task from the first run that this worker serves and that has a free one. Examines
    /// new runs first.
    fn take(&self) -> Result<Option<(Held, Arc<RunJob>)>, FleetError> {
        let patience = Patience::Holding(self.stop);
        let request = self.requests.fetch_add(1, Ordering::Relaxed);
        loop {
            let (served, refused) = self.judged();
            match self
                .fleet
                .lease(&self.badge, request, &served, &refused, patience)?
            {
                Offer::Nothing => return Ok(None),
                Offer::Judge(run) => self.meet(run)?,
                Offer::Task(held) => match self.job(held.run) {
                    Some(job) => return Ok(Some((*held, job))),
                    None => {
                        self.fleet
                            .give_back(&self.badge, &held, &Answers::default(), patience)?;
                    }
                },
            }
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<RunId, Option<Arc<RunJob>>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the worker with an error. Other slots finish their tasks.
    fn give_up(&self, error: FleetError) {
        if error != FleetError::Cancelled {
            self.desk().failure.get_or_insert(error);
            self.changed.notify_all();
        }
    }

    /// Runs a leased task, and reports the result.
    fn hold(&self, held: &Held, job: &RunJob, resources: &Resources) -> Result<(), FleetError> {
        // Requests for a started task are retried until the engines are stopped, after the grace
        // period.
        let patience = Patience::Holding(self.end);
        let Held {
            run,
            number: task,
            crashes,
            ..
        } = *held;
        if held.is_alone {
            let mut desk = self.desk();
            if desk.busy > 1 {
                desk.is_draining = true;
                drop(desk);
                // Return the task while the other slots finish. If this process crashes in the
                // meantime, the crash does not count against this task.
                self.fleet
                    .give_back(&self.badge, held, &Answers::default(), patience)?;
                let reason = format!(
                    "{crashes} workers crashed with it or its neighbours, so it must wait until it \
                     runs alone"
                );
                self.report(WorkerEvent::Returned { run, task, reason });
                return Ok(());
            }
            desk.is_alone = true;
            desk.is_draining = false;
        }
        let Some(games) = &held.games else {
            return self.fail(
                held,
                &Answers::default(),
                "its input is damaged".to_owned(),
                resources,
            );
        };
        let cancel = self.end.child();
        {
            let mut desk = self.desk();
            if let Some((lease, _)) = desk.held.get_mut(&(run, task)) {
                // The lease had expired, for example while the database was down, and the task was
                // leased again to this worker. The slot that already runs it continues with the new
                // lease.
                *lease = held.taken;
                return Ok(());
            }
            desk.held.insert((run, task), (held.taken, cancel.clone()));
        }
        self.report(WorkerEvent::Taken {
            run,
            task,
            games: games.len(),
        });
        let perform = || self.perform(held, job, resources, &cancel);
        let performed = self.metrics.while_busy(|| blamed(perform));
        let ended = match performed {
            // Storing answers is retried until the database confirms it, or until the process must
            // end.
            Performed::Done(answers) if held.is_double => self.compare(held, &answers),
            Performed::Done(answers) => self
                .fleet
                .finish(&self.badge, held, &answers, patience)
                .map(|counts| {
                    self.metrics.finished(&answers, games.len(), counts);
                    let (nodes, seconds) = (answers.nodes, answers.time.as_secs_f32());
                    self.report(WorkerEvent::Done {
                        run,
                        task,
                        games: games.len(),
                        nodes,
                        seconds,
                        counts,
                    });
                }),
            Performed::CutOff(answers) => self
                .fleet
                .give_back(&self.badge, held, &answers, self.last_patience())
                .map(|()| {
                    self.metrics.returned.inc();
                    let why = if self.end.is_set() {
                        "this worker ends"
                    } else {
                        NOT_NEEDED
                    };
                    self.report(WorkerEvent::Returned {
                        run,
                        task,
                        reason: why.to_owned(),
                    });
                }),
            Performed::Broken(answers, reason) => self.leave(held, &answers, reason),
            Performed::Failed(answers, reason) => self.fail(held, &answers, reason, resources),
        };
        self.desk().held.remove(&(run, task));
        let restarts = self
            .slots
            .iter()
            .map(|slot| slot.engine(&self.engine).stats().restarts)
            .sum();
        self.metrics.set_engine_restarts(restarts);
        ended
    }

    /// Reports a task that another worker has already done.
    fn compare(&self, held: &Held, answers: &Answers) -> Result<(), FleetError> {
        let found = self
            .fleet
            .compare(&self.badge, held, answers, Patience::Holding(self.end))?;
        self.metrics.compared(found);
        let agrees = match found {
            Comparison::Agrees => Some(true),
            Comparison::Differs => Some(false),
            Comparison::Late => None,
        };
        self.report(WorkerEvent::Compared {
            run: held.run,
            task: held.number,
            agrees,
        });
        Ok(())
    }

    /// Returns a task because the engine gives wrong answers, and ends the worker.
    fn leave(&self, held: &Held, answers: &Answers, reason: String) -> Result<(), FleetError> {
        self.fleet
            .give_back(&self.badge, held, answers, Patience::Holding(self.end))?;
        let Held {
            run, number: task, ..
        } = *held;
        self.report(WorkerEvent::Returned {
            run,
            task,
            reason: format!("the engine failed: {reason}"),
        });
        Err(FleetError::EngineBroken { reason })
    }

    /// Records a failure of the task. If the engine caused the failure, which its answers to the
    /// test questions show, returns the task instead.
    fn fail(
        &self,
        held: &Held,
        answers: &Answers,
        reason: String,
        resources: &Resources,
    ) -> Result<(), FleetError> {
        let Held {
            run, number: task, ..
        } = *held;
        let proof = prove(&resources.engine(&self.engine));
        if self.end.is_set() {
            return self
                .fleet
                .give_back(&self.badge, held, answers, self.last_patience());
        }
        if proof.as_ref() != Ok(&self.proof.answers) {
            let answers_differ = || "it answers differently than at the start".to_owned();
            let reason = proof
                .err()
                .map_or_else(answers_differ, |error| error.to_string());
            return self.leave(held, answers, reason);
        }
        let parked = self.fleet.fail(
            &self.badge,
            held,
            answers,
            &reason,
            Patience::Holding(self.end),
        )?;
        self.metrics.failed.inc();
        self.metrics.parked.inc_by(u64::from(parked));
        self.report(WorkerEvent::Failed {
            run,
            task,
            reason,
            parked,
        });
        Ok(())
    }

    /// Answers all questions of the task's games that have no answer yet, or of all games if the
    /// task is a comparison. The answers of a game are kept only if the engine gives the expected
    /// answer to a later test question.
    fn perform(
        &self,
        held: &Held,
        job: &RunJob,
        resources: &Resources,
        cancel: &Cancel,
    ) -> Performed {
        let begin = Instant::now();
        let (mut answers, mut proven) = (Answers::default(), 0);
        let games = held.games.as_deref().unwrap_or_default();
        let known = if held.is_double {
            Vec::new()
        } else {
            match self
                .fleet
                .known(&self.badge, held, Patience::Holding(cancel))
            {
                Ok(known) => known,
                Err(_) => return Performed::CutOff(answers),
            }
        };
        let resources = resources.under(cancel, Arc::new(Silent));
        let analyst = match resources.some_analyst(&self.options.analyst) {
            Ok(analyst) => analyst,
            Err(error) => return Performed::Failed(answers, error.to_string()),
        };
        let engine = resources.engine(&self.engine);
        let analyst = Checked::new(analyst, &engine, &self.proof);
        let (mut failure, mut checks, mut is_cut) = (None, 0, false);
        for (number, game) in games
            .iter()
            .enumerate()
            .filter(|(_, game)| !known.contains(&game.key))
        {
            let failed = |error: &dyn std::fmt::Display| {
                format!("game {} of {}: {error}", number + 1, games.len())
            };
            let read = match read_game(game.pgn.as_bytes()) {
                Ok(game) => game,
                Err(error) => {
                    failure.get_or_insert(failed(&error));
                    continue;
                }
            };
            let performed = perform(&job.recipe, read, &analyst, &job.networks, cancel);
            if analyst.good() > checks {
                // A successful check during this game confirms the games before it.
                (checks, proven) = (analyst.good(), answers.documents.len());
            }
            is_cut = cancel.is_set() || analyst.broken().is_some();
            match performed {
                None => is_cut = true,
                Some(Ok((transcript, nodes))) if !is_cut => {
                    // Without a proof, the engine's answers vary and cannot be compared with
                    // another engine's.
                    let said = if self.proof.answers.is_empty() {
                        None
                    } else {
                        transcript.timeless()
                    };
                    match pack_answers(&transcript.to_bytes()) {
                        Ok(packed) => answers.documents.push(Document::new(
                            game.key.clone(),
                            packed,
                            said.as_deref(),
                        )),
                        Err(error) => {
                            failure.get_or_insert(failed(&error));
                            continue;
                        }
                    }
                    answers.nodes += nodes;
                }
                Some(Err(error)) if !is_cut => {
                    failure.get_or_insert(failed(&error));
                }
                Some(_) => {}
            }
            if is_cut {
                break;
            }
            answers.time = begin.elapsed();
        }
        if answers.documents.len() > proven
            && !cancel.is_set()
            && analyst.broken().is_none()
            && analyst.check()
        {
            proven = answers.documents.len();
        }
        let is_proven = proven == answers.documents.len();
        answers.documents.truncate(proven);
        match (analyst.broken(), failure) {
            (Some(reason), _) => Performed::Broken(answers, reason),
            _ if is_cut || cancel.is_set() || !is_proven => Performed::CutOff(answers),
            (None, None) => Performed::Done(answers),
            (None, Some(reason)) => Performed::Failed(answers, reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_counts_as_failure_of_the_task() {
        let Performed::Failed(_, reason) = blamed(|| panic!("an illegal move")) else {
            panic!("it is a failure")
        };
        assert_eq!(reason, "the work panicked: an illegal move");
        assert!(matches!(
            blamed(|| Performed::Done(Answers::default())),
            Performed::Done(_)
        ));
    }

    #[test]
    fn a_slot_that_panics_is_free_again() {
        let (desk, changed) = (Mutex::<Desk>::default(), Condvar::new());
        let slot = || {
            let _busy = Busy::new(desk.lock().unwrap(), &desk, &changed);
            assert_eq!(desk.lock().unwrap().busy, 1);
            desk.lock().unwrap().is_alone = true;
            panic!("as it should");
        };
        assert!(catch_unwind(AssertUnwindSafe(slot)).is_err());
        let desk = desk.lock().unwrap();
        assert_eq!((desk.busy, desk.is_alone), (0, false));
    }

    #[cfg(unix)]
    #[test]
    fn the_host_name_is_that_of_the_system() {
        assert_eq!(
            host(),
            rustix::system::uname().nodename().to_string_lossy().trim()
        );
    }
}
