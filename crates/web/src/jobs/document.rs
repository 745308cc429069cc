//! The document that shows a job.

use std::sync::atomic::Ordering;

use centipawn_review::rooms::choice_text;
use centipawn_store::JobState;
use centipawn_work::library::{KeptJob, KeptWork};

use super::kept;
use crate::{
    documents::{JobDocument, JobProgress, JobRow, MiningJob, ReviewJob},
    error::ApiError,
    server::Server,
};

/// Returns the document of a job. `job` may have changed since it was read.
pub(crate) fn document(server: &Server, job: &KeptJob) -> Result<JobDocument, ApiError> {
    let row = row(server, job);
    if row.state != JobProgress::Interrupted {
        return Ok(with_work(job, row));
    }
    // The job was open when it was read, but is not in the queue. It may be interrupted, it may
    // have ended since, or it may have been deleted with its cancelled batch. So read it again.
    let Some(newer) = server.store.job(job.id)? else {
        return Ok(with_work(
            job,
            JobRow {
                state: JobProgress::Cancelled,
                ..row
            },
        ));
    };
    let newer = kept(newer)?;
    Ok(with_work(&newer, self::row(server, &newer)))
}

/// Returns what all jobs have. A job that has ended since it was read is reported as interrupted.
fn row(server: &Server, job: &KeptJob) -> JobRow {
    let total = job.positions;
    let (state, done, problem) = {
        let queue = server.queue.state();
        let is_of_batch = queue
            .batches
            .iter()
            .any(|active| job.batches.contains(&active.id));
        match (&queue.running, &job.state) {
            (Some(running), _) if running.id == job.id => {
                let mined = running.mined.load(Ordering::Relaxed).min(total);
                (
                    JobProgress::Running,
                    running.live.as_ref().map_or(mined, |live| live.done()),
                    None,
                )
            }
            (_, JobState::Open) if queue.waiting.contains(&job.id) => {
                (JobProgress::Waiting, 0, None)
            }
            (_, JobState::Open) if queue.unwritten.contains_key(&job.id) => (
                JobProgress::Failed,
                0,
                queue.unwritten.get(&job.id).cloned(),
            ),
            (_, JobState::Open) if is_of_batch => (JobProgress::Waiting, 0, None),
            (_, JobState::Open) => (JobProgress::Interrupted, 0, None),
            (_, JobState::Reviewed(_) | JobState::Mined(_)) => (JobProgress::Done, total, None),
            (_, JobState::Cancelled) => (JobProgress::Cancelled, 0, None),
            (_, JobState::Failed(why)) => (JobProgress::Failed, 0, Some(why.clone())),
        }
    };
    JobRow {
        id: job.id,
        game: job.game,
        title: job.title.clone(),
        state,
        done,
        total,
        problem,
    }
}

fn with_work(of: &KeptJob, job: JobRow) -> JobDocument {
    match &of.work {
        KeptWork::Review(options) => JobDocument::Review(ReviewJob {
            job,
            limit: options.judge.limit.to_string(),
            quick: options.judge.quick.map(|quick| quick.to_string()),
            lines: options.judge.lines,
            curve: choice_text(&options.judge.curve),
            scheme: options.judge.scheme.to_string(),
            language: options.language.to_string(),
            reuse_evals: options.judge.reuse_evals.is_some(),
        }),
        KeptWork::Mine(options) => JobDocument::Mining(MiningJob {
            job,
            effort: options.effort,
            found: if let JobState::Mined(found) = of.state {
                Some(found)
            } else {
                None
            },
        }),
    }
}
