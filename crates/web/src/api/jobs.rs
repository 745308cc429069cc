//! Handlers of jobs. A job is work on a game: it waits, runs or has ended.

use axum::extract::{Path, Request, State};

use super::{Answer, Shared, blocking, document, number, parsed};
use crate::{
    documents::{ErrorDocument, JobDocument, JobsDocument, MiningRequest},
    jobs,
};

/// Maximum number of jobs in the list.
const LISTED: i64 = 100;

/// Mine games for puzzles, one job per game; equal requests share jobs.
///
/// When the queue is full, the remaining games are skipped.
#[utoipa::path(
    post,
    path = "/api/mining",
    request_body = MiningRequest,
    responses(
        (status = 200, body = JobsDocument),
        (status = 404, body = ErrorDocument, description = "There is no such game"),
        (status = 429, body = ErrorDocument, description = "Too many wait")
    )
)]
pub(crate) async fn request_mining(State(server): Shared, request: Request) -> Answer {
    let request: MiningRequest = parsed(&server, request).await?;
    blocking(move || document(&jobs::request_mining(&server, &request)?)).await
}

/// Jobs, newest first.
#[utoipa::path(get, path = "/api/jobs", responses((status = 200, body = JobsDocument)))]
pub(crate) async fn list_jobs(State(server): Shared) -> Answer {
    blocking(move || {
        let mut jobs = server.library.jobs(LISTED)?;
        // The list has the newest jobs, and a batch may have added many. So add the jobs that wait
        // or run.
        for id in jobs::under_way(&server) {
            if jobs.iter().all(|job| job.id != id) {
                jobs.extend(jobs::find(&server, id).ok());
            }
        }
        let jobs = jobs
            .iter()
            .map(|job| jobs::document(&server, job))
            .collect::<Result<_, _>>()?;
        document(&JobsDocument { jobs })
    })
    .await
}

/// The progress of a job.
#[utoipa::path(
    get,
    path = "/api/jobs/{id}",
    params(("id" = i64, Path)),
    responses((status = 200, body = JobDocument))
)]
pub(crate) async fn job(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("job", &id)?;
    blocking(move || document(&jobs::document(&server, &jobs::find(&server, id)?)?)).await
}

/// Continue an interrupted job; only missing positions are evaluated.
#[utoipa::path(
    post,
    path = "/api/jobs/{id}",
    params(("id" = i64, Path)),
    responses((status = 200, body = JobDocument), (status = 429, body = ErrorDocument, description = "Too many wait"))
)]
pub(crate) async fn go_on(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("job", &id)?;
    blocking(move || document(&jobs::go_on(&server, jobs::find(&server, id)?)?)).await
}

/// Cancel a job.
#[utoipa::path(
    delete,
    path = "/api/jobs/{id}",
    params(("id" = i64, Path)),
    responses((status = 200, body = JobDocument))
)]
pub(crate) async fn cancel(State(server): Shared, Path(id): Path<String>) -> Answer {
    let id = number("job", &id)?;
    blocking(move || document(&jobs::cancel(&server, id)?)).await
}
