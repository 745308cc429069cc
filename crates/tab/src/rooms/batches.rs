//! Batches: reviews of many games.

use std::collections::BTreeSet;

use centipawn_review::rooms::{
    BatchDocument, BatchProgress, BatchRequest, BatchesDocument, Event, GameFilter,
};

use super::jobs;
use crate::{
    Reply, Tab,
    reply::Refused,
    router::Answer,
    shelf::{BatchRecord, BatchState, JobState},
};

/// Maximum number of batches in the list.
const LISTED: usize = 10;

/// Returns the document of a batch; `None` if there is no such batch.
pub(crate) fn document(tab: &mut Tab, id: i64) -> Option<BatchDocument> {
    let batch = tab.shelf.batches.get(&id)?.clone();
    let [mut done, mut failed, mut cancelled, mut open] = [0; 4];
    let (mut positions, mut positions_done) = (0, 0);
    for id in &batch.jobs {
        let Some(job) = tab.shelf.jobs.get(id) else {
            continue;
        };
        positions += job.positions as i64;
        match job.state {
            JobState::Open => open += 1,
            JobState::Reviewed => done += 1,
            JobState::Cancelled => cancelled += 1,
            JobState::Failed(_) => failed += 1,
        }
        positions_done += match (&job.state, &tab.running) {
            (JobState::Open, Some(running)) if running.id == *id => running.live.done() as i64,
            (JobState::Open, _) => 0,
            _ => job.positions as i64,
        };
    }
    let state = match batch.state {
        BatchState::Cancelled => BatchProgress::Cancelled,
        _ if open == 0 => BatchProgress::Done,
        BatchState::Paused => BatchProgress::Paused,
        BatchState::Active => BatchProgress::Running,
    };
    let seconds_left = if state == BatchProgress::Running {
        let now = tab.now;
        let (since, before) = *tab.pace.entry(id).or_insert((now, positions_done));
        let finished = positions_done - before;
        (finished > 0 && now > since).then(|| {
            let pace = (now - since) as f64 / finished as f64;
            (pace * (positions - positions_done) as f64).round()
        })
    } else {
        tab.pace.remove(&id);
        None
    };
    Some(BatchDocument {
        id,
        title: batch.title,
        state,
        games: batch.jobs.len() as i64,
        done,
        failed,
        cancelled,
        positions_done,
        positions,
        seconds_left,
    })
}

fn published(tab: &mut Tab, id: i64) -> Answer {
    let batch = document(tab, id).ok_or_else(|| Refused::missing("batch", id))?;
    tab.publish(Event::Batch {
        batch: batch.clone(),
    });
    Ok(Reply::document(&batch))
}

/// Returns the newest batches.
pub(crate) fn list(tab: &mut Tab) -> Answer {
    let ids: Vec<i64> = tab.shelf.batches.keys().rev().copied().collect();
    let batches = ids.into_iter().take(LISTED);
    let batches = batches.filter_map(|id| document(tab, id)).collect();
    Ok(Reply::document(&BatchesDocument { batches }))
}

/// Creates a batch and starts it.
pub(crate) fn request(tab: &mut Tab, request: &BatchRequest) -> Answer {
    let options = tab.choices().review(&request.review)?;
    let named: Vec<i64> = match &*request.games {
        // With a filter, reviewed games are left out by default. The list would show the new
        // review, even if the old one is deeper.
        [] => {
            request.filter.check()?;
            let filter = GameFilter {
                reviewed: Some(request.filter.reviewed.unwrap_or(false)),
                ..request.filter.clone()
            };
            let reviews = tab.shelf.reviews();
            tab.shelf.lines().select(&filter, &reviews).games
        }
        games => games.to_vec(),
    };
    // With the evaluations in the games, a batch must not cause days of engine work, so games that
    // lack evaluations are left out. Only the last position may lack one.
    let is_wanted = |id: &i64| {
        let line = tab.shelf.lines().get(*id);
        line.is_some_and(|line| {
            line.plies > 0 && (!request.review.reuse_evals || line.evaluated + 1 >= line.plies)
        })
    };
    let games: BTreeSet<i64> = named.iter().copied().filter(is_wanted).collect();
    if games.is_empty() {
        return Err(Refused::bad(
            "there is no game to review",
            "Choose games with moves, or other conditions.",
        ));
    }
    let title = match games.len() {
        1 => "1 game".to_owned(),
        count => format!("{count} games"),
    };
    let id = tab.shelf.set_batch(
        None,
        BatchRecord {
            title,
            jobs: Vec::new(),
            state: BatchState::Active,
        },
    );
    let mut ids = Vec::new();
    for game in named.iter().filter(|game| games.contains(*game)) {
        let job = jobs::keep(tab, *game, &options, Some(id))?;
        if !ids.contains(&job) {
            ids.push(job);
        }
    }
    if let Some(batch) = tab.shelf.batches.get(&id).cloned() {
        tab.shelf
            .set_batch(Some(id), BatchRecord { jobs: ids, ..batch });
    }
    go_on(tab, id)
}

fn set_state(tab: &mut Tab, id: i64, state: BatchState) -> Result<Vec<i64>, Refused> {
    let batch = tab.shelf.batches.get(&id).cloned();
    let batch = batch.ok_or_else(|| Refused::missing("batch", id))?;
    let is_open = |job: &i64| {
        let job = tab.shelf.jobs.get(job);
        job.is_some_and(|job| job.state == JobState::Open)
    };
    let open = batch.jobs.iter().copied().filter(is_open).collect();
    tab.shelf
        .set_batch(Some(id), BatchRecord { state, ..batch });
    Ok(open)
}

/// Continues a batch that was paused.
pub(crate) fn go_on(tab: &mut Tab, id: i64) -> Answer {
    let state = tab.shelf.batches.get(&id).map(|batch| batch.state);
    if state == Some(BatchState::Cancelled) {
        return Err(Refused::bad(
            "the batch was cancelled",
            "Choose the games again.",
        ));
    }
    for job in set_state(tab, id, BatchState::Active)? {
        tab.enqueue(job);
    }
    published(tab, id)
}

/// Pauses a batch. Its running review stops, but keeps the positions that were evaluated so far.
pub(crate) fn pause(tab: &mut Tab, id: i64) -> Answer {
    for job in set_state(tab, id, BatchState::Paused)? {
        tab.dequeue(job);
        tab.publish_job(job);
    }
    tab.advance();
    published(tab, id)
}

/// Cancels a batch; finished reviews stay.
pub(crate) fn cancel(tab: &mut Tab, id: i64) -> Answer {
    for job in set_state(tab, id, BatchState::Cancelled)? {
        tab.dequeue(job);
        tab.end(job, JobState::Cancelled);
    }
    tab.advance();
    published(tab, id)
}
