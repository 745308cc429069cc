//! Batches: reviews of many games. The jobs of a batch wait in the store. The queue takes the next
//! one of them whenever no single job waits.

use std::{collections::HashSet, time::Instant};

use centipawn_store::{BatchJobs, BatchState, StoredBatch};
use centipawn_work::library::{GameFilter, GameLine};

use crate::{
    documents::{BatchDocument, BatchProgress, BatchRequest, BatchesDocument, Event},
    error::ApiError,
    jobs, reviews,
    server::Server,
};

/// Maximum number of batches in the list.
const LISTED: i64 = 10;

/// The batch from which the queue currently takes jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveBatch {
    pub(crate) id: i64,
    /// Since when the pace is measured, and how many positions the batch's open jobs had then. It
    /// starts when the first job ends. Before that, the pace would be too high, because the first
    /// job may have been interrupted before, and most of its evaluations are then already in the
    /// store.
    pub(crate) measured: Option<(Instant, i64)>,
}

/// Creates a batch and starts it.
pub(crate) fn request(server: &Server, request: &BatchRequest) -> Result<BatchDocument, ApiError> {
    let options = reviews::options(server, &request.review)?;
    let named = match &*request.games {
        // With a filter, reviewed games are left out by default. The list would show the new
        // review, even if the old one is deeper.
        [] => {
            request.filter.check().map_err(ApiError::refused)?;
            let reviewed = Some(request.filter.reviewed.unwrap_or(false));
            server
                .library
                .select_games(&GameFilter {
                    reviewed,
                    ..request.filter.clone()
                })?
                .games
        }
        games => {
            let mut seen = HashSet::new();
            games
                .iter()
                .copied()
                .filter(|game| seen.insert(*game))
                .collect()
        }
    };
    let lines = server.library.game_lines(&named)?;
    let known: HashSet<i64> = lines.iter().map(|(id, _)| *id).collect();
    if let Some(missing) = request.games.iter().find(|game| !known.contains(*game)) {
        return Err(ApiError::missing("game", missing));
    }
    // With the evaluations in the games, a batch must not cause days of engine work, so games that
    // lack evaluations are left out. Only the last position may lack one.
    let is_wanted =
        |line: &GameLine| !request.review.reuse_evals || line.evaluated + 1 >= line.plies;
    let lines: Vec<_> = lines
        .into_iter()
        .filter(|(_, line)| line.plies > 0 && is_wanted(line))
        .collect();
    if lines.is_empty() {
        return Err(ApiError::bad(
            "there is no game to review",
            "Choose games with moves, or other conditions.",
        ));
    }
    let title = match lines.len() {
        1 => "1 game".to_owned(),
        count => format!("{count} games"),
    };
    let id = server
        .library
        .keep_batch(&title, &lines, &options, &server.engine_key())?;
    go_on(server, id)
}

/// Returns the newest batches: first those with open jobs, then the others.
pub(crate) fn list(server: &Server) -> Result<BatchesDocument, ApiError> {
    let batches = server.store.batches(LISTED)?;
    Ok(BatchesDocument {
        batches: batches
            .iter()
            .map(|batch| document(server, batch))
            .collect(),
    })
}

/// Continues a batch that was paused or interrupted.
pub(crate) fn go_on(server: &Server, id: i64) -> Result<BatchDocument, ApiError> {
    let batch = find(server, id)?;
    if batch.state == BatchState::Cancelled {
        return Err(ApiError::bad(
            "the batch was cancelled",
            "Choose the games again.",
        ));
    }
    server.store.set_batch(id, BatchState::Open, None)?;
    server.queue.activate(id);
    published(server, id)
}

/// Pauses a batch. Its running job stops, but keeps the positions that were evaluated so far.
pub(crate) fn pause(server: &Server, id: i64) -> Result<BatchDocument, ApiError> {
    find(server, id)?;
    server.store.set_batch(id, BatchState::Paused, None)?;
    server.queue.deactivate(id);
    published(server, id)
}

/// Cancels a batch. Finished reviews stay. So do open reviews that another batch contains or that
/// were requested alone.
pub(crate) fn cancel(server: &Server, id: i64) -> Result<BatchDocument, ApiError> {
    find(server, id)?;
    server.queue.deactivate(id);
    server
        .queue
        .with_running(|running| server.store.set_batch(id, BatchState::Cancelled, running))?;
    published(server, id)
}

fn find(server: &Server, id: i64) -> Result<StoredBatch, ApiError> {
    server
        .store
        .batch(id)?
        .ok_or_else(|| ApiError::missing("batch", id))
}

fn published(server: &Server, id: i64) -> Result<BatchDocument, ApiError> {
    let batch = document(server, &find(server, id)?);
    server.events.publish(&Event::Batch {
        batch: batch.clone(),
    });
    Ok(batch)
}

/// Starts measuring the pace of a batch when its first job has ended.
pub(crate) fn measure(server: &Server, id: i64) {
    if server
        .queue
        .active(id)
        .is_some_and(|active| active.measured.is_none())
        && let Ok(Some(batch)) = server.store.batch(id)
    {
        server
            .queue
            .measure(id, (Instant::now(), batch.jobs.open.positions));
    }
}

/// Sends the state of a batch to all pages. A batch without open jobs is removed from the queue.
pub(crate) fn publish(server: &Server, id: i64) {
    if let Ok(Some(batch)) = server.store.batch(id) {
        if batch.jobs.open.jobs == 0 && server.queue.active(id).is_some() {
            server.queue.deactivate(id);
        }
        server.events.publish(&Event::Batch {
            batch: document(server, &batch),
        });
    }
}

pub(crate) fn document(server: &Server, batch: &StoredBatch) -> BatchDocument {
    let active = server.queue.active(batch.id);
    let BatchJobs {
        open,
        done,
        cancelled,
        failed,
    } = batch.jobs;
    let evaluated = jobs::evaluated_of_batch(server, batch.id);
    let state = match batch.state {
        BatchState::Cancelled => BatchProgress::Cancelled,
        _ if open.jobs == 0 => BatchProgress::Done,
        BatchState::Paused => BatchProgress::Paused,
        BatchState::Open if active.is_some() => BatchProgress::Running,
        BatchState::Open => BatchProgress::Interrupted,
    };
    let left = open.positions - evaluated;
    let pace = active
        .and_then(|active| active.measured)
        .and_then(|(since, open)| {
            let finished = open - left;
            (finished > 0).then(|| since.elapsed().as_secs_f64() / finished as f64)
        });
    BatchDocument {
        id: batch.id,
        title: batch.title.clone(),
        state,
        games: open.jobs + done.jobs + cancelled.jobs + failed.jobs,
        done: done.jobs,
        failed: failed.jobs,
        cancelled: cancelled.jobs,
        positions_done: done.positions + evaluated,
        positions: open.positions + done.positions + cancelled.positions + failed.positions,
        seconds_left: pace
            .filter(|_| state == BatchProgress::Running)
            .map(|pace| (pace * left as f64).round()),
    }
}
