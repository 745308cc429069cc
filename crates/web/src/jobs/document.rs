//! The document that shows a job.

use std::sync::atomic::Ordering;

use centipawn_work::library::{KeptJob, KeptState, KeptWork};

use super::kept;
use crate::{
    documents::{JobDocument, JobKind, JobState},
    error::ApiError,
    server::{Server, choice_text},
};

/// The document of a job. `job` may have changed since it was read.
pub(crate) fn document(server: &Server, job: &KeptJob) -> Result<JobDocument, ApiError> {
    let document = document_of(server, job);
    if document.state != JobState::Interrupted {
        return Ok(document);
    }
    // The job was open when it was read, but is not in the queue. It may be interrupted, it may
    // have ended since, or it may have been deleted with its cancelled batch. So read it again.
    Ok(match server.store.job(job.id)? {
        Some(newer) => document_of(server, &kept(newer)?),
        None => JobDocument { state: JobState::Cancelled, ..document },
    })
}

/// Like [`document`], but a job that has ended since it was read is reported as interrupted.
fn document_of(server: &Server, job: &KeptJob) -> JobDocument {
    let total = job.positions;
    let mut problem = None;
    let (state, done) = {
        let queue = server.queue.state();
        match (&queue.running, &job.state) {
            (Some(running), _) if running.id == job.id => {
                let mined = running.mined.load(Ordering::Relaxed).min(total);
                (JobState::Running, running.live.as_ref().map_or(mined, |live| live.done()))
            }
            (_, KeptState::Open) if queue.waiting.contains(&job.id) => (JobState::Waiting, 0),
            (_, KeptState::Open) if queue.unwritten.contains_key(&job.id) => {
                problem = queue.unwritten.get(&job.id).cloned();
                (JobState::Failed, 0)
            }
            (_, KeptState::Open) if queue.batches.iter().any(|active| job.batches.contains(&active.id)) => {
                (JobState::Waiting, 0)
            }
            (_, KeptState::Open) => (JobState::Interrupted, 0),
            (_, KeptState::Reviewed(_) | KeptState::Mined(_)) => (JobState::Done, total),
            (_, KeptState::Cancelled) => (JobState::Cancelled, 0),
            (_, KeptState::Failed(why)) => {
                problem = Some(why.clone());
                (JobState::Failed, 0)
            }
        }
    };
    let document = JobDocument {
        id: job.id,
        kind: JobKind::Review,
        found: None,
        game: job.game,
        title: job.title.clone(),
        state,
        done,
        total,
        problem,
        limit: String::new(),
        quick: None,
        lines: 0,
        curve: String::new(),
        scheme: String::new(),
        language: String::new(),
        reuse_evals: false,
    };
    match &job.work {
        KeptWork::Review(options) => JobDocument {
            limit: options.judge.limit.to_string(),
            quick: options.judge.quick.map(|quick| quick.to_string()),
            lines: options.judge.lines,
            curve: choice_text(&options.judge.curve),
            scheme: options.judge.scheme.to_string(),
            language: options.language.to_string(),
            reuse_evals: options.judge.reuse_evals.is_some(),
            ..document
        },
        KeptWork::Mine(options) => JobDocument {
            kind: JobKind::Mining,
            found: if let KeptState::Mined(found) = job.state { Some(found) } else { None },
            limit: format!("effort {}", options.effort),
            ..document
        },
    }
}
