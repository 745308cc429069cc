//! Jobs that consist of steps. All jobs share one queue of steps, so that one long job keeps every
//! thread as busy as many short jobs do.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
};

use crate::{Cancel, Cancelled};

/// Maximum number, per thread, of jobs that are open or wait to be delivered after an earlier job.
/// It bounds the memory if one job is slow.
const AHEAD: u64 = 32;

/// Work on one item (a game, a puzzle) that consists of steps. Independent steps run at the same
/// time.
///
/// A job stores the results of its steps, behind a lock. [`run_jobs`] calls [`next`](Self::next)
/// from one thread at a time.
pub trait Job: Send + Sync {
    /// The unit of work of a thread, such as a position.
    type Step: Send;
    /// The result of all steps.
    type Output: Send;

    /// Returns the next step. It must be fast, because other threads wait for it.
    fn next(&self) -> Next<Self::Step>;

    /// Returns a step whose result may turn out to be unnecessary, for a thread that has no other
    /// step in any job. The default is `None`.
    fn next_early(&self) -> Option<Self::Step> {
        None
    }

    /// Runs a step and stores its result in the job.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], which stops the whole run.
    fn perform(&self, step: Self::Step) -> Result<(), Cancelled>;

    /// Combines the results of all steps. Called once, after [`next`](Self::next) returned
    /// [`Next::Done`] and every step has ended.
    fn finish(&self) -> Self::Output;
}

/// The state of a [`Job`] before its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<S> {
    /// The next step, which can start now.
    Step(S),
    /// The next step depends on running steps.
    Wait,
    /// The job has no more steps.
    Done,
}

/// Runs jobs on `threads` threads and calls `each` with their outputs in the order of the jobs, on
/// the current thread.
///
/// A free thread takes the next step of the earliest job that has one. If no job has one, it opens
/// the next job; if there is none, it takes an [early](Job::next_early) step. Jobs are read only a
/// little ahead.
///
/// After `cancel` is set or a step returned [`Cancelled`], no further step starts. Outputs of jobs
/// that were already finished still arrive at `each`, even if an earlier job was cut off. Returns
/// whether the run was stopped.
pub fn run_jobs<J: Job>(
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    cancel: &Cancel,
    mut each: impl FnMut(J::Output),
) -> bool {
    let threads = threads.max(1);
    let line = Line {
        jobs: Mutex::new(jobs),
        state: Mutex::new(State {
            open: VecDeque::new(),
            opened: 0,
            delivered: 0,
            is_opening: false,
            is_exhausted: false,
            is_stopped: false,
        }),
        changed: Condvar::new(),
        ahead: AHEAD * threads as u64,
    };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads {
            let (line, sender) = (&line, sender.clone());
            scope.spawn(move || line.work(cancel, &sender));
        }
        drop(sender);
        // If `each` panics, the threads must stop too; otherwise the scope waits for them forever.
        let _alarm = Alarm(&line);
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        for (index, output) in receiver {
            waiting.insert(index, output);
            while let Some(output) = waiting.remove(&next) {
                each(output);
                next += 1;
                line.lock().delivered = next;
                line.changed.notify_all();
            }
        }
        waiting.into_values().for_each(&mut each);
    });
    line.lock().is_stopped
}

struct Line<I, J> {
    jobs: Mutex<I>,
    state: Mutex<State<J>>,
    /// Notified when a step ends, or a job is opened or delivered.
    changed: Condvar,
    ahead: u64,
}

struct State<J> {
    open: VecDeque<Open<J>>,
    opened: u64,
    delivered: u64,
    /// A thread is reading the next job from the iterator.
    is_opening: bool,
    is_exhausted: bool,
    is_stopped: bool,
}

struct Open<J> {
    index: u64,
    job: Arc<J>,
    /// Number of steps that are running.
    running: usize,
    /// A step was skipped or cancelled, so the job can never be finished.
    is_cut_off: bool,
}

/// The next action of a thread.
enum Task<J: Job> {
    Step(u64, Arc<J>, J::Step),
    Finish(u64, Arc<J>),
    OpenNext,
}

impl<I: Iterator<Item = J>, J: Job> Line<I, J> {
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, cancel: &Cancel, sender: &mpsc::Sender<(u64, J::Output)>) {
        // If this thread panics, the other threads must not wait for its step.
        let _alarm = Alarm(self);
        while let Some(task) = self.next(cancel) {
            match task {
                Task::Step(index, job, step) => {
                    let result = job.perform(step);
                    drop(job);
                    let mut state = self.lock();
                    if let Some(open) = state.open.iter_mut().find(|open| open.index == index) {
                        open.running -= 1;
                        open.is_cut_off |= result.is_err();
                    }
                    state.is_stopped |= result.is_err();
                }
                Task::Finish(index, job) => {
                    // Sending fails only if the receiving thread panicked, and then the output is
                    // not needed.
                    let _ = sender.send((index, job.finish()));
                }
                Task::OpenNext => {
                    let job = self
                        .jobs
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .next();
                    let mut state = self.lock();
                    state.is_opening = false;
                    match job {
                        Some(job) => {
                            let index = state.opened;
                            state.opened += 1;
                            state.open.push_back(Open {
                                index,
                                job: Arc::new(job),
                                running: 0,
                                is_cut_off: false,
                            });
                        }
                        None => state.is_exhausted = true,
                    }
                }
            }
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Waits for the next task. Returns `None` at the end of the run.
    fn next(&self, cancel: &Cancel) -> Option<Task<J>> {
        let mut state = self.lock();
        loop {
            let is_done = state.is_exhausted && state.open.is_empty();
            if is_done {
                return None;
            }
            if cancel.is_set() {
                state.is_stopped = true;
            }
            if let Some(task) = state.pick() {
                return Some(task);
            }
            if state.is_stopped {
                return None;
            }
            if !state.is_exhausted
                && !state.is_opening
                && state.opened - state.delivered < self.ahead
            {
                state.is_opening = true;
                return Some(Task::OpenNext);
            }
            if let Some(task) = state.pick_early() {
                return Some(task);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<J: Job> State<J> {
    /// Returns the earliest available step, or a finished job. After a stop, jobs that lack a step
    /// are marked as cut off.
    fn pick(&mut self) -> Option<Task<J>> {
        for place in 0..self.open.len() {
            let open = &mut self.open[place];
            if open.is_cut_off {
                continue;
            }
            match open.job.next() {
                Next::Step(_) if self.is_stopped => open.is_cut_off = true,
                Next::Step(step) => {
                    open.running += 1;
                    return Some(Task::Step(open.index, Arc::clone(&open.job), step));
                }
                Next::Done if open.running == 0 => {
                    let Open { index, job, .. } = self.open.remove(place)?;
                    return Some(Task::Finish(index, job));
                }
                Next::Wait | Next::Done => {}
            }
        }
        None
    }
}

impl<J: Job> State<J> {
    /// Returns the earliest available step whose result may be unnecessary.
    fn pick_early(&mut self) -> Option<Task<J>> {
        self.open
            .iter_mut()
            .filter(|open| !open.is_cut_off)
            .find_map(|open| {
                let step = open.job.next_early()?;
                open.running += 1;
                Some(Task::Step(open.index, Arc::clone(&open.job), step))
            })
    }
}

/// Stops the run if its thread panics. The scope propagates the panic after all threads have ended.
struct Alarm<'a, I: Iterator<Item = J>, J: Job>(&'a Line<I, J>);

impl<I: Iterator<Item = J>, J: Job> Drop for Alarm<'_, I, J> {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut state = self.0.lock();
            state.is_stopped = true;
            state.is_exhausted = true;
            state.open.clear();
            drop(state);
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicU64, Ordering},
        time::{Duration, Instant},
    };

    use super::*;

    /// Adds numbers in two rounds. The second round starts after all steps of the first have ended.
    struct Sum {
        numbers: Vec<u64>,
        given: Mutex<(usize, usize)>,
        done: AtomicU64,
        sum: AtomicU64,
        most_at_once: Arc<(AtomicU64, AtomicU64)>,
    }

    impl Sum {
        fn new(numbers: Vec<u64>, most_at_once: &Arc<(AtomicU64, AtomicU64)>) -> Self {
            let most_at_once = Arc::clone(most_at_once);
            Self {
                numbers,
                given: Mutex::default(),
                done: AtomicU64::new(0),
                sum: AtomicU64::new(0),
                most_at_once,
            }
        }
    }

    impl Job for Sum {
        type Step = u64;
        type Output = u64;

        fn next(&self) -> Next<u64> {
            let (round, place) = &mut *self.given.lock().unwrap();
            if *place == self.numbers.len() {
                if self.done.load(Ordering::SeqCst)
                    < (*round as u64 + 1) * self.numbers.len() as u64
                {
                    return Next::Wait;
                }
                if *round == 1 || self.numbers.is_empty() {
                    return Next::Done;
                }
                (*round, *place) = (1, 0);
            }
            let number = self.numbers[*place];
            *place += 1;
            Next::Step(number)
        }

        fn perform(&self, number: u64) -> Result<(), Cancelled> {
            if number == 13 {
                return Err(Cancelled);
            }
            let (now, most) = &*self.most_at_once;
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(number));
            now.fetch_sub(1, Ordering::SeqCst);
            self.sum.fetch_add(number, Ordering::SeqCst);
            self.done.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }

        fn finish(&self) -> u64 {
            self.sum.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn one_long_job_keeps_all_threads_busy() {
        let most = Arc::default();
        let mut sums = Vec::new();
        let cancelled = run_jobs(
            [Sum::new(vec![50; 12], &most)].into_iter(),
            4,
            &Cancel::new(),
            |sum| sums.push(sum),
        );
        assert_eq!((sums, cancelled), (vec![1200], false));
        assert_eq!(most.1.load(Ordering::SeqCst), 4);
    }

    #[test]
    fn outputs_come_in_the_order_of_the_jobs() {
        let most = Arc::default();
        let jobs = (0..40).map(|job| Sum::new(vec![(40 - job) % 7; (job % 5) as usize], &most));
        let mut sums = Vec::new();
        run_jobs(jobs, 3, &Cancel::new(), |sum| sums.push(sum));
        assert_eq!(
            sums,
            (0..40)
                .map(|job| 2 * ((40 - job) % 7) * (job % 5))
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_job_that_was_cut_off_has_no_output() {
        let most = Arc::default();
        let jobs = [vec![1, 13, 1], vec![1], vec![2]].map(|numbers| Sum::new(numbers, &most));
        let mut sums = Vec::new();
        let cancelled = run_jobs(jobs.into_iter(), 1, &Cancel::new(), |sum| sums.push(sum));
        assert!(cancelled && sums.is_empty(), "{sums:?}");
    }

    /// A job with one necessary and one early step. The necessary step waits up to the given time
    /// for the early one to start.
    struct Doubtful(Mutex<[bool; 2]>, Duration);

    impl Job for Doubtful {
        type Step = usize;
        type Output = bool;

        fn next(&self) -> Next<usize> {
            let [first, _] = &mut *self.0.lock().unwrap();
            if std::mem::replace(first, true) {
                Next::Done
            } else {
                Next::Step(0)
            }
        }

        fn next_early(&self) -> Option<usize> {
            let [first, second] = &mut *self.0.lock().unwrap();
            (*first && !std::mem::replace(second, true)).then_some(1)
        }

        fn perform(&self, step: usize) -> Result<(), Cancelled> {
            let begin = Instant::now();
            while step == 0 && !self.0.lock().unwrap()[1] && begin.elapsed() < self.1 {
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        }

        fn finish(&self) -> bool {
            self.0.lock().unwrap()[1]
        }
    }

    #[test]
    fn early_steps_run_only_if_no_other_step_is_available() {
        let jobs = |count, time| (0..count).map(move |_| Doubtful(Mutex::default(), time));
        let early = |count, threads, time| {
            let mut early = 0;
            run_jobs(jobs(count, time), threads, &Cancel::new(), |was_early| {
                early += u64::from(was_early);
            });
            early
        };
        assert_eq!(
            early(20, 1, Duration::ZERO),
            0,
            "the steps of other jobs come first"
        );
        assert_eq!(
            early(1, 2, Duration::from_secs(60)),
            1,
            "a thread with nothing else to do"
        );
    }

    #[test]
    fn a_panic_ends_the_run() {
        let jobs = (0..100).map(|job: u64| {
            assert!(job < 50, "as it should");
            Sum::new(vec![1], &Arc::default())
        });
        let run = std::panic::AssertUnwindSafe(|| run_jobs(jobs, 4, &Cancel::new(), |_| {}));
        assert!(std::panic::catch_unwind(run).is_err());
        // A panic of the calling thread, with more jobs than the read-ahead allows.
        let jobs = (0..1000).map(|_| Sum::new(vec![0], &Arc::default()));
        let run = std::panic::AssertUnwindSafe(|| {
            run_jobs(jobs, 4, &Cancel::new(), |_| panic!("as it should"))
        });
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
