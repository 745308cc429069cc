//! The queue of reviews: one runs, the others wait.

use centipawn_policy::Network;
use centipawn_review::{
    ReviewOptions,
    rooms::{
        JobDocument, JobProgress, JobRow, JobsDocument, ReviewJob, ReviewRequest, choice_text,
        game_title,
    },
};

use crate::{
    Reply, Tab,
    reply::Refused,
    router::Answer,
    shelf::{JobRecord, JobState},
};

/// Maximum number of jobs in the list.
const LISTED: usize = 50;

/// Returns the document of a job; `None` if there is no such job.
pub(crate) fn document(tab: &Tab, id: i64) -> Option<JobDocument> {
    let job = tab.shelf.jobs.get(&id)?;
    let total = job.positions;
    let (state, done, problem) = match (&tab.running, &job.state) {
        (Some(running), _) if running.id == id => (JobProgress::Running, running.live.done(), None),
        (_, JobState::Open) if tab.waiting.contains(&id) => (JobProgress::Waiting, 0, None),
        (_, JobState::Open) => (JobProgress::Interrupted, 0, None),
        (_, JobState::Reviewed) => (JobProgress::Done, total, None),
        (_, JobState::Cancelled) => (JobProgress::Cancelled, 0, None),
        (_, JobState::Failed(why)) => (JobProgress::Failed, 0, Some(why.clone())),
    };
    let judge = &job.options.judge;
    Some(JobDocument::Review(ReviewJob {
        job: JobRow {
            id,
            game: job.game,
            title: job.title.clone(),
            state,
            done,
            total,
            problem,
        },
        limit: judge.limit.to_string(),
        quick: judge.quick.map(|quick| quick.to_string()),
        lines: judge.lines,
        curve: choice_text(&judge.curve),
        scheme: judge.scheme.to_string(),
        language: job.options.language.to_string(),
        reuse_evals: judge.reuse_evals.is_some(),
    }))
}

fn found(tab: &Tab, id: i64) -> Answer {
    let document = document(tab, id).ok_or_else(|| Refused::missing("job", id))?;
    Ok(Reply::document(&document))
}

pub(crate) fn job(tab: &Tab, id: i64) -> Answer {
    found(tab, id)
}

pub(crate) fn list(tab: &Tab) -> Reply {
    let ids = tab.shelf.jobs.keys().rev().take(LISTED);
    let jobs = ids.filter_map(|id| document(tab, *id)).collect();
    Reply::document(&JobsDocument { jobs })
}

/// Starts a review. An equal review that is finished, waits or runs is not repeated.
pub(crate) fn request_review(tab: &mut Tab, request: &ReviewRequest) -> Answer {
    let options = match request.like {
        None => tab.choices().review(&request.review)?,
        // The options of another review of the game, with ease if the request asks for it.
        Some(like) => {
            let job = tab.shelf.jobs.get(&like);
            let job = job.filter(|job| job.game == request.game);
            let mut options = job
                .ok_or_else(|| {
                    Refused::bad("the job is no review of this game", "Choose a review.")
                })?
                .options
                .clone();
            if request.review.ease {
                options.judge.ease = vec![Network::BUNDLED.to_owned()];
            }
            options
        }
    };
    let id = keep(tab, request.game, &options, None)?;
    tab.enqueue(id);
    tab.publish_job(id);
    found(tab, id)
}

/// Returns the job of a review with these options. A failed or cancelled one opens again.
pub(crate) fn keep(
    tab: &mut Tab,
    game: i64,
    options: &ReviewOptions,
    batch: Option<i64>,
) -> Result<i64, Refused> {
    let own = tab
        .shelf
        .game(game)
        .ok_or_else(|| Refused::missing("game", game))?;
    let is_equal = |job: &JobRecord| job.game == game && job.options == *options;
    let known = tab.shelf.jobs.iter().rev();
    let known = known
        .filter(|(_, job)| is_equal(job))
        .map(|(id, job)| (*id, job.state.clone()))
        .next();
    match known {
        Some((id, JobState::Open | JobState::Reviewed)) => Ok(id),
        Some((id, _)) => {
            tab.shelf.set_state(id, JobState::Open);
            Ok(id)
        }
        None => Ok(tab.shelf.add_job(JobRecord {
            game,
            title: game_title(&own),
            positions: own.plies.len(),
            options: options.clone(),
            state: JobState::Open,
            batch,
            settings: String::new(),
        })),
    }
}

/// Continues a job that was cancelled, failed or interrupted.
pub(crate) fn go_on(tab: &mut Tab, id: i64) -> Answer {
    let job = tab.shelf.jobs.get(&id);
    let job = job.ok_or_else(|| Refused::missing("job", id))?;
    if job.state != JobState::Reviewed {
        tab.shelf.set_state(id, JobState::Open);
        tab.enqueue(id);
        tab.publish_job(id);
    }
    found(tab, id)
}

pub(crate) fn cancel(tab: &mut Tab, id: i64) -> Answer {
    let job = tab.shelf.jobs.get(&id);
    let job = job.ok_or_else(|| Refused::missing("job", id))?;
    if job.state == JobState::Open {
        tab.dequeue(id);
        tab.end(id, JobState::Cancelled);
        tab.advance();
    }
    found(tab, id)
}
