//! Reviews as jobs: one works at a time, with all engines; the rest waits. Each is a row of the store, so that a kill costs only
//! what was in flight.

use std::{
    collections::VecDeque,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event as Reviewed, ReviewOptions};
use centipawn_store::{NewJob, StoredJob, StoredState};
use centipawn_work::{Recipe, ReviewResources, Threads, find_key, review_game};

use crate::{
    documents::{Event, JobDocument, JobState},
    error::{ApiError, message},
    games::{read_game, title},
    live::Live,
    server::{Server, choice_text},
};

/// What waits, and what works.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<i64>,
    running: Option<Running>,
    is_closed: bool,
}

/// The job at work.
#[derive(Clone)]
struct Running {
    id: i64,
    cancel: Cancel,
    live: Option<Arc<Live>>,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The review that is being made, if it is this one.
    pub(crate) fn live(&self, id: i64) -> Option<Arc<Live>> {
        self.state().running.as_ref().filter(|running| running.id == id)?.live.clone()
    }

    /// Puts a job at the end of the line, unless it is there already.
    fn add(&self, id: i64, most: usize) -> Result<(), ApiError> {
        let mut state = self.state();
        if state.waiting.contains(&id) || state.running.as_ref().is_some_and(|running| running.id == id) {
            return Ok(());
        }
        if state.waiting.len() >= most {
            let error = format!("{most} reviews are waiting already");
            let hint = "Wait until one is finished, or cancel one.";
            return Err(ApiError::new(axum::http::StatusCode::TOO_MANY_REQUESTS, error, hint));
        }
        state.waiting.push_back(id);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for a job; `None` when the server ends.
    fn next(&self, server: &Server) -> Option<(i64, Cancel)> {
        let mut state = self.state();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(id) = state.waiting.pop_front() {
                let cancel = server.cancel.child();
                state.running = Some(Running { id, cancel: cancel.clone(), live: None });
                return Some((id, cancel));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Starts the thread that works on jobs; it ends with the server's cancel.
pub(crate) fn start(server: &Arc<Server>) -> io::Result<JoinHandle<()>> {
    let server = Arc::clone(server);
    thread::Builder::new().name("jobs".to_owned()).spawn(move || {
        let waker = Arc::clone(&server);
        let _on_cancel = server.cancel.on_set(move || {
            waker.queue.state().is_closed = true;
            waker.queue.changed.notify_all();
        });
        while let Some((id, cancel)) = server.queue.next(&server) {
            tell(&server, id);
            let worked = catch_unwind(AssertUnwindSafe(|| work(&server, id, &cancel)));
            let end = worked
                .unwrap_or_else(|_| End::Failed("the review failed inside Centipawn; please report it".to_owned()));
            // A server that ends leaves its work open.
            let kept = match &end {
                End::Cancelled if server.cancel.is_set() => Ok(()),
                End::Cancelled => server.store.set_job(id, StoredState::Cancelled, None, None),
                End::Done(settings) => server.store.set_job(id, StoredState::Done, settings.as_deref(), None),
                End::Failed(problem) => server.store.set_job(id, StoredState::Failed, None, Some(problem)),
            };
            // A store that cannot be written shows in the next request, too.
            let _ = kept;
            server.queue.state().running = None;
            tell(&server, id);
        }
    })
}

/// How a job ended.
enum End {
    /// The findings are in the store under these settings; `None` if they need no engine.
    Done(Option<String>),
    Cancelled,
    Failed(String),
}

fn work(server: &Arc<Server>, id: i64, cancel: &Cancel) -> End {
    review(server, id, cancel).unwrap_or_else(End::Failed)
}

fn review(server: &Arc<Server>, id: i64, cancel: &Cancel) -> Result<End, String> {
    let failed = |error: &(dyn std::error::Error + 'static)| message(error);
    let job = server.store.job(id).map_err(|error| failed(&error))?.ok_or("the job is no longer in the store")?;
    let options = options(&job)?;
    let text = server.store.game(job.game).map_err(|error| failed(&error))?;
    let game = read_game(&text.ok_or("the game is no longer in the store")?)?;
    let live = Arc::new(Live::new(game.clone(), options.clone()));
    if let Some(running) = &mut server.queue.state().running {
        running.live = Some(Arc::clone(&live));
    }
    // Engines of its own: they end with the job, however it ends.
    let own = server.resources.with_own_engines(cancel, Arc::new(Silent)).map_err(|error| failed(&error))?;
    let analyst = own.some_analyst(&server.analyst(server.options.engine.jobs)).map_err(|error| failed(&error))?;
    let resources = ReviewResources { analyst: &*analyst, networks: &[], store: Some(Arc::clone(&server.store)) };
    let settings = find_key(&game, &options, &resources);
    let crew = Threads::of(Some(&*analyst));
    let event = review_game(game, &options, &resources, &crew, cancel, &Silent, &|found| {
        server.events.tell(&Event::Position(live.found(id, found)));
    });
    Ok(match event {
        _ if cancel.is_set() && !matches!(event, Some(Reviewed::Reviewed(_))) => End::Cancelled,
        None => End::Cancelled,
        Some(Reviewed::Reviewed(_)) => End::Done(settings),
        Some(Reviewed::Failed(failure)) => End::Failed(failure.problem().text),
    })
}

/// Asks for a review: the job, new or known. What is finished stays finished; what ended otherwise begins again.
pub(crate) fn request(server: &Server, game: i64, options: &ReviewOptions) -> Result<JobDocument, ApiError> {
    let text = server.store.game(game)?.ok_or_else(|| ApiError::missing("game", game))?;
    let read = read_game(&text).map_err(|error| ApiError::bad(error, "Paste the game again."))?;
    let recipe = serde_json::to_string(&Recipe::Review(options.clone()))?;
    let job = server.store.keep_job(NewJob {
        game,
        title: &title(&read),
        positions: read.plies.len() as i64,
        recipe: &recipe,
        engine: &server.engine_key(),
    })?;
    go_on(server, job)
}

/// Puts a job into the line unless it is done.
pub(crate) fn go_on(server: &Server, mut job: StoredJob) -> Result<JobDocument, ApiError> {
    if job.state != StoredState::Done {
        // Before it is in the line: there it may end at once.
        if job.state != StoredState::Open {
            server.store.set_job(job.id, StoredState::Open, None, None)?;
            (job.state, job.problem) = (StoredState::Open, None);
        }
        server.queue.add(job.id, server.options.limits.waiting)?;
        server.events.tell(&Event::Job { job: document(server, &job)? });
    }
    document(server, &job)
}

/// Calls a job off: one that waits is cancelled at once, the running one as soon as its engines have stopped.
pub(crate) fn cancel(server: &Server, id: i64) -> Result<JobDocument, ApiError> {
    let running = {
        let mut state = server.queue.state();
        state.waiting.retain(|waiting| *waiting != id);
        state.running.clone().filter(|running| running.id == id)
    };
    match running {
        Some(running) => running.cancel.set(),
        None => {
            let job = find(server, id)?;
            if job.state == StoredState::Open {
                server.store.set_job(id, StoredState::Cancelled, None, None)?;
            }
            tell(server, id);
        }
    }
    document(server, &find(server, id)?)
}

/// A job of the store.
pub(crate) fn find(server: &Server, id: i64) -> Result<StoredJob, ApiError> {
    server.store.job(id)?.ok_or_else(|| ApiError::missing("review", id))
}

/// The options of a stored job.
pub(crate) fn options(job: &StoredJob) -> Result<ReviewOptions, String> {
    match serde_json::from_str(&job.recipe) {
        Ok(Recipe::Review(options)) => Ok(options),
        Ok(_) => Err("the job is no review".to_owned()),
        Err(error) => Err(format!("the job cannot be read by this version: {error}")),
    }
}

/// A job as it is told.
pub(crate) fn document(server: &Server, job: &StoredJob) -> Result<JobDocument, ApiError> {
    let options = options(job).map_err(|error| ApiError::bad(error, "Ask for the review again."))?;
    let total = usize::try_from(job.positions).unwrap_or(0);
    let (state, done) = {
        let queue = server.queue.state();
        match (&queue.running, job.state) {
            (Some(running), _) if running.id == job.id => {
                (JobState::Running, running.live.as_ref().map_or(0, |live| live.done()))
            }
            _ if queue.waiting.contains(&job.id) => (JobState::Waiting, 0),
            (_, StoredState::Open) => (JobState::Interrupted, 0),
            (_, StoredState::Done) => (JobState::Done, total),
            (_, StoredState::Cancelled) => (JobState::Cancelled, 0),
            (_, StoredState::Failed) => (JobState::Failed, 0),
        }
    };
    Ok(JobDocument {
        id: job.id,
        game: job.game,
        title: job.title.clone(),
        state,
        done,
        total,
        problem: job.problem.clone(),
        limit: options.limit.to_string(),
        lines: options.lines,
        curve: choice_text(&options.curve),
        scheme: options.scheme.to_string(),
        language: options.language.to_string(),
        reuse_evals: options.reuse_evals.is_some(),
    })
}

/// Tells everybody how far a job is.
fn tell(server: &Server, id: i64) {
    let Ok(Some(job)) = server.store.job(id) else { return };
    if let Ok(job) = document(server, &job) {
        server.events.tell(&Event::Job { job });
    }
}
