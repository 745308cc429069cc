//! The queue of jobs: reviews of games and searches for puzzles. One job runs at a time, on all
//! engines, and the others wait. Each job is a row in the store. If the server is killed, only the
//! positions that are being searched are lost. No other server runs the jobs of the same store
//! ([`QueueLock`](centipawn_store::QueueLock)).

mod document;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use document::document;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use centipawn_judge::LiveJudge;
use centipawn_progress::Cancel;
use centipawn_puzzle::MineOptions;
use centipawn_review::ReviewOptions;
use centipawn_store::{JobState, NewJob, StoreError, StoredJob};
use centipawn_work::{
    engine::Recipe,
    library::{KeptJob, game_title},
};

use self::work::{Worked, work};
use crate::{
    batches::{self, ActiveBatch},
    documents::{Event, JobDocument, JobsDocument, MiningRequest},
    error::{ApiError, message},
    server::Server,
};

/// The interval at which new reviews are searched for, and at which a store that could not be read
/// is tried again.
const PAUSE: Duration = Duration::from_secs(5);

/// The jobs that wait and the one that runs.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Notified when the server stops.
    closed: Condvar,
    /// Held while a job is read and its event is sent. Otherwise events could arrive in another
    /// order than the states that they report.
    publishing: Mutex<()>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<i64>,
    running: Option<Running>,
    /// Errors of jobs whose result could not be written to the store.
    unwritten: HashMap<i64, String>,
    /// The batches whose jobs the queue takes, in the order in which they were started.
    batches: Vec<ActiveBatch>,
    is_closed: bool,
}

impl State {
    /// Makes a job the running one. Returns the `Cancel` that stops it.
    fn begin(&mut self, server: &Server, id: i64, batch: Option<i64>) -> Cancel {
        self.unwritten.remove(&id);
        let cancel = server.cancel.child();
        let own = cancel.clone();
        self.running = Some(Running {
            id,
            cancel: own,
            live: None,
            mined: Arc::default(),
            batch,
            is_paused: Arc::default(),
        });
        cancel
    }

    fn check_place(&self, most: usize) -> Result<(), ApiError> {
        if self.waiting.len() < most {
            return Ok(());
        }
        let error = format!("{most} reviews are waiting already");
        let hint = "Choose several games in the list and review them together, or wait until one \
                    is finished.";
        Err(ApiError::new(
            axum::http::StatusCode::TOO_MANY_REQUESTS,
            error,
            hint,
        ))
    }
}

/// The running job.
#[derive(Clone)]
struct Running {
    id: i64,
    cancel: Cancel,
    live: Option<Arc<LiveJudge>>,
    /// Number of positions that were mined.
    mined: Arc<AtomicUsize>,
    /// The batch that started the job; `None` if the job was requested alone.
    batch: Option<i64>,
    /// Set if its batch is paused while it runs. It then stays open instead of being cancelled.
    is_paused: Arc<AtomicBool>,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publishing(&self) -> MutexGuard<'_, ()> {
        self.publishing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the running review, if it is job `id`.
    pub(crate) fn live(&self, id: i64) -> Option<Arc<LiveJudge>> {
        self.state()
            .running
            .as_ref()
            .filter(|running| running.id == id)?
            .live
            .clone()
    }

    /// Calls `work` with the number of the running job. The state is locked, so no job begins or
    /// ends during the call.
    pub(crate) fn with_running<T>(&self, work: impl FnOnce(Option<i64>) -> T) -> T {
        let state = self.state();
        work(state.running.as_ref().map(|running| running.id))
    }

    /// Returns the batch, if the queue takes its jobs.
    pub(crate) fn active(&self, batch: i64) -> Option<ActiveBatch> {
        self.state()
            .batches
            .iter()
            .find(|active| active.id == batch)
            .copied()
    }

    /// Lets the queue take jobs of a batch whenever no single job waits.
    pub(crate) fn activate(&self, batch: i64) {
        let mut state = self.state();
        if state.batches.iter().all(|active| active.id != batch) {
            state.batches.push(ActiveBatch {
                id: batch,
                measured: None,
            });
        }
        self.changed.notify_all();
    }

    /// Sets the start of the measurement of a batch's pace, unless it is set.
    pub(crate) fn measure(&self, batch: i64, from: (Instant, i64)) {
        if let Some(active) = self
            .state()
            .batches
            .iter_mut()
            .find(|active| active.id == batch)
        {
            active.measured.get_or_insert(from);
        }
    }

    /// Lets the queue take no more jobs of a batch. Stops its running job, which stays open.
    pub(crate) fn deactivate(&self, batch: i64) {
        let mut state = self.state();
        state.batches.retain(|active| active.id != batch);
        if let Some(running) = state
            .running
            .as_ref()
            .filter(|running| running.batch == Some(batch))
        {
            // Do not reopen a job that was already cancelled.
            running
                .is_paused
                .fetch_or(!running.cancel.is_set(), Ordering::Relaxed);
            running.cancel.set();
        }
    }

    /// Refuses another job if the maximum number of jobs waits.
    fn check_place(&self, most: usize) -> Result<(), ApiError> {
        self.state().check_place(most)
    }

    /// Appends a job to the queue, unless it waits or runs already. A job that is being cancelled
    /// starts again afterwards. `open` is called if there is a place. It records the request in the
    /// store and, unless the job runs (its argument), that the job is open.
    fn add(
        &self,
        id: i64,
        most: usize,
        open: impl FnOnce(bool) -> Result<(), StoreError>,
    ) -> Result<(), ApiError> {
        let mut state = self.state();
        if state.waiting.contains(&id) {
            return Ok(open(false)?);
        }
        let is_at_work = |running: &&mut Running| running.id == id && !running.cancel.is_set();
        if let Some(running) = state.running.as_mut().filter(is_at_work) {
            // The job is now requested alone, so the end of its batch must not stop it.
            running.batch = None;
            return Ok(open(true)?);
        }
        state.check_place(most)?;
        open(false)?;
        state.unwritten.remove(&id);
        state.waiting.push_back(id);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for the next job and makes it the running one. Returns `None` when the server stops.
    fn next(&self, server: &Server) -> Option<(i64, Cancel)> {
        let mut state = self.state();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(id) = state.waiting.pop_front() {
                return Some((id, state.begin(server, id, None)));
            }
            if state.batches.is_empty() {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let batches: Vec<i64> = state.batches.iter().map(|batch| batch.id).collect();
            // Release the lock, because requests must not wait for the store.
            drop(state);
            let next = server.store.next_of_batches(&batches).ok().flatten();
            if next.is_none() {
                // The batches have no open jobs left, or the store cannot be read at the moment.
                batches
                    .iter()
                    .for_each(|batch| batches::publish(server, *batch));
            }
            state = self.state();
            let is_idle = !state.batches.is_empty() && state.waiting.is_empty() && !state.is_closed;
            match next {
                // While the lock was released, the batch may have been paused, or a single job,
                // which has priority, may have been added.
                Some((batch, id))
                    if is_idle && state.batches.iter().any(|active| active.id == batch) =>
                {
                    return Some((id, state.begin(server, id, Some(batch))));
                }
                None if is_idle => {
                    state = self
                        .changed
                        .wait_timeout(state, PAUSE)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
                _ => {}
            }
        }
    }

    /// Waits for [`PAUSE`]. Returns `false` when the server stops.
    fn waits(&self) -> bool {
        let state = self.state();
        let ended = self
            .closed
            .wait_timeout_while(state, PAUSE, |state| !state.is_closed);
        !ended.unwrap_or_else(PoisonError::into_inner).0.is_closed
    }
}

/// Number of reviews after whose judging pages receive a reload event.
const JUDGED: usize = 20;

/// Judges reviews that are not judged for lists and profiles yet, such as reviews of the command
/// line.
fn judge_reviews(server: &Server) {
    while !server.cancel.is_set() {
        let Ok(missing) = server.library.not_judged(JUDGED) else {
            return;
        };
        if missing.is_empty() || server.library.judge(&missing, 1).is_err() {
            return;
        }
        server.events.publish(&Event::Reload);
    }
}

/// Starts the thread that runs jobs. It ends when the server's `Cancel` is set.
pub(crate) fn start(server: &Arc<Server>) -> io::Result<JoinHandle<()>> {
    let server = Arc::clone(server);
    let judge = Arc::clone(&server);
    thread::Builder::new()
        .name("judge".to_owned())
        .spawn(move || {
            while judge.queue.waits() {
                judge_reviews(&judge);
            }
        })?;
    thread::Builder::new()
        .name("jobs".to_owned())
        .spawn(move || {
            let waker = Arc::clone(&server);
            let _on_cancel = server.cancel.on_set(move || {
                waker.queue.state().is_closed = true;
                waker.queue.changed.notify_all();
                waker.queue.closed.notify_all();
            });
            while let Some((id, cancel)) = server.queue.next(&server) {
                run(&server, id, &cancel);
            }
        })
}

/// Runs the job that the queue has chosen, and keeps its result.
fn run(server: &Arc<Server>, id: i64, cancel: &Cancel) {
    let read = || {
        let row = server.store.job(id).map_err(|error| message(&error))?;
        KeptJob::try_from(row.ok_or("the job is no longer in the store")?)
    };
    let job = read();
    let Worked { state: end, review } = match &job {
        Err(problem) => JobState::Failed(problem.clone()).into(),
        // The job was cancelled between the queue's choice and this start.
        Ok(job) if job.state != JobState::Open => JobState::Cancelled.into(),
        Ok(job) => {
            publish(server, job);
            catch_unwind(AssertUnwindSafe(|| work(server, job, cancel))).unwrap_or_else(|_| {
                JobState::Failed("the work failed inside Centipawn; please report it".to_owned())
                    .into()
            })
        }
    };
    // Hold the lock until the result is in the store. Otherwise a request could queue the job again
    // before.
    let mut state = server.queue.state();
    if let Err(error) = keep_end(server, &state, id, &end) {
        let begin = if let JobState::Failed(problem) = &end {
            format!("{problem}; ")
        } else {
            String::new()
        };
        state
            .unwritten
            .insert(id, format!("{begin}{}", message(&error)));
        // Stop the batch, because otherwise it would start the same job again.
        let batch = state.running.as_ref().and_then(|running| running.batch);
        state.batches.retain(|active| Some(active.id) != batch);
    }
    let batch = state.running.take().and_then(|running| running.batch);
    drop(state);
    if let (Ok(job), Some(review)) = (&job, review) {
        // The list shows the accuracy of this review. If this fails, the thread for judging tries
        // again.
        let _ = server.library.keep_judged(job, &review);
    }
    publish_job(server, id);
    if let Some(batch) = batch.filter(|_| end != JobState::Cancelled) {
        batches::measure(server, batch);
    }
    publish_batches(server, id, batch);
}

/// Writes the result of a job to the store.
fn keep_end(server: &Server, state: &State, id: i64, end: &JobState) -> Result<(), StoreError> {
    let store = &server.store;
    match end {
        // The batch of the job was paused or cancelled. If it was paused, the job stays open; if it
        // was cancelled, delete the job.
        JobState::Cancelled if is_paused(state) => store.forget_job(id),
        // The server stops, or the job was requested again. In both cases it stays open.
        JobState::Cancelled if server.cancel.is_set() || state.waiting.contains(&id) => Ok(()),
        // Between the queue's choice and the start, the job was cancelled or was finished by a
        // batch. Keep that result.
        JobState::Cancelled if store.job(id)?.is_none_or(|job| job.state != JobState::Open) => {
            Ok(())
        }
        end => store.set_job(id, end),
    }
}

/// Returns the numbers of the running job and of the jobs that wait, without those of batches.
pub(crate) fn under_way(server: &Server) -> Vec<i64> {
    let state = server.queue.state();
    state
        .running
        .iter()
        .map(|running| running.id)
        .chain(state.waiting.iter().copied())
        .collect()
}

/// Returns whether the batch of the running job was paused.
fn is_paused(state: &State) -> bool {
    state
        .running
        .as_ref()
        .is_some_and(|running| running.is_paused.load(Ordering::Relaxed))
}

/// Returns how many positions of the running job are evaluated, if the job belongs to the batch;
/// otherwise 0.
pub(crate) fn evaluated_of_batch(server: &Server, batch: i64) -> i64 {
    let running = server.queue.state().running.clone();
    let Some((id, live)) = running.and_then(|running| Some((running.id, running.live?))) else {
        return 0;
    };
    let is_of_batch = server
        .store
        .job(id)
        .ok()
        .flatten()
        .is_some_and(|job| job.batches.contains(&batch));
    if is_of_batch { live.done() as i64 } else { 0 }
}

/// Default effort of mining, a tenth of the command line's. It finds most puzzles of a game within
/// a minute.
const EFFORT: f64 = 0.1;

/// Starts mining games. Returns new or existing jobs in the order of the request. When the queue is
/// full, the remaining games are skipped.
pub(crate) fn request_mining(
    server: &Server,
    request: &MiningRequest,
) -> Result<JobsDocument, ApiError> {
    let effort = request.effort.unwrap_or(EFFORT);
    if !(0.01..=1.0).contains(&effort) {
        return Err(ApiError::bad(
            format!("an effort of {effort}"),
            "Ask for 0.01 to 1.",
        ));
    }
    let options = MineOptions {
        effort,
        ..MineOptions::default()
    };
    let recipe = Recipe::Mine(options);
    let known: HashSet<i64> = server
        .library
        .game_lines(&request.games)?
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    if let Some(missing) = request.games.iter().find(|game| !known.contains(*game)) {
        return Err(ApiError::missing("game", missing));
    }
    let mut jobs = Vec::with_capacity(request.games.len());
    for game in &request.games {
        match keep(server, *game, &recipe, 1) {
            Ok(job) => jobs.push(job),
            Err(error) if jobs.is_empty() || !error.is_too_many() => return Err(error),
            Err(_) => break,
        }
    }
    if jobs.is_empty() {
        return Err(ApiError::bad("no game is named", "Choose one."));
    }
    Ok(JobsDocument { jobs })
}

/// Starts a review. Returns a new or an existing job. A finished job is not repeated; a failed or
/// cancelled one starts again.
pub(crate) fn request(
    server: &Server,
    game: i64,
    options: &ReviewOptions,
) -> Result<JobDocument, ApiError> {
    keep(server, game, &Recipe::Review(options.clone()), 0)
}

/// Finds or creates a job and queues it. `more` is the number of positions in addition to those in
/// which a move was played.
fn keep(server: &Server, game: i64, recipe: &Recipe, more: i64) -> Result<JobDocument, ApiError> {
    let read = server
        .library
        .game(game)?
        .ok_or_else(|| ApiError::missing("game", game))?;
    let (recipe, engine) = (serde_json::to_string(recipe)?, server.engine_key());
    let known = server.store.jobs_of_games(&[game])?;
    let is_new = !known
        .iter()
        .any(|job| job.recipe == recipe && job.engine == engine);
    if is_new {
        // Check before the job is created, so that a refused request leaves no job in the store.
        server.queue.check_place(server.options.limits.waiting)?;
    }
    let job = server.store.keep_job(NewJob {
        game,
        title: &game_title(&read),
        positions: read.plies.len() as i64 + more,
        recipe: &recipe,
        engine: &engine,
    })?;
    let id = job.id;
    let queued = go_on(server, kept(job)?);
    if is_new && queued.is_err() {
        // Another request has taken the last place since the check, so delete the new job, unless
        // it already runs.
        server.queue.with_running(|running| match running {
            Some(running) if running == id => Ok(()),
            _ => server.store.forget_job(id),
        })?;
    }
    queued
}

/// Queues a job, unless it is done.
pub(crate) fn go_on(server: &Server, mut job: KeptJob) -> Result<JobDocument, ApiError> {
    if !matches!(job.state, JobState::Reviewed(_) | JobState::Mined(_)) {
        let open = |is_running| {
            // Record that the job was requested alone. It then stays if its batch is cancelled.
            server.store.keep_alone(job.id)?;
            match job.state {
                JobState::Open => Ok(()),
                _ if is_running => Ok(()),
                _ => server.store.set_job(job.id, &JobState::Open),
            }
        };
        server
            .queue
            .add(job.id, server.options.limits.waiting, open)?;
        job.state = JobState::Open;
        publish_job(server, job.id);
    }
    document(server, &job)
}

/// Cancels a job. A job that waits is cancelled at once, the running one as soon as its engines
/// have stopped.
pub(crate) fn cancel(server: &Server, id: i64) -> Result<JobDocument, ApiError> {
    let mut state = server.queue.state();
    state.waiting.retain(|waiting| *waiting != id);
    match state.running.as_ref().filter(|running| running.id == id) {
        Some(running) => {
            running.is_paused.store(false, Ordering::Relaxed);
            running.cancel.set();
            drop(state);
        }
        // The state is locked, so no job begins now. If this job is chosen next, the store shows
        // that it is cancelled.
        None => {
            if find(server, id)?.state == JobState::Open {
                server.store.set_job(id, &JobState::Cancelled)?;
            }
            drop(state);
            publish_job(server, id);
            publish_batches(server, id, None);
        }
    }
    document(server, &find(server, id)?)
}

/// Reads a job from the store.
pub(crate) fn find(server: &Server, id: i64) -> Result<KeptJob, ApiError> {
    kept(
        server
            .store
            .job(id)?
            .ok_or_else(|| ApiError::missing("job", id))?,
    )
}

fn kept(job: StoredJob) -> Result<KeptJob, ApiError> {
    KeptJob::try_from(job).map_err(|error| ApiError::bad(error, "Ask for it again."))
}

/// Sends the state of a job to all pages, as the store has it.
fn publish_job(server: &Server, id: i64) {
    let _publishing = server.queue.publishing();
    if let Ok(job) = find(server, id).and_then(|job| document(server, &job)) {
        server.events.publish(&Event::Job { job });
    }
}

/// Sends the progress of the running job to all pages. `job` is how it was when it began.
fn publish(server: &Server, job: &KeptJob) {
    let _publishing = server.queue.publishing();
    if let Ok(job) = document(server, job) {
        server.events.publish(&Event::Job { job });
    }
}

/// Sends the state of all batches of a job to all pages. `taken` is the batch that started the job.
fn publish_batches(server: &Server, id: i64, taken: Option<i64>) {
    let mut all = server
        .store
        .job(id)
        .ok()
        .flatten()
        .map(|job| job.batches)
        .unwrap_or_default();
    all.extend(taken.filter(|batch| !all.contains(batch)));
    all.into_iter()
        .for_each(|batch| batches::publish(server, batch));
}
