use std::sync::Barrier;

use super::*;
use crate::{
    documents::{JobProgress, JobRow},
    fuzz,
};

/// Requests a job. No thread of this server runs jobs.
fn requested(server: &Server) -> i64 {
    let game = server.store.keep_game("1. e4 e5 *").unwrap();
    request(server, game, &server.options.review)
        .unwrap()
        .row()
        .id
}

/// A request may cancel a job of a batch between the queue's choice and the start of the job.
#[test]
fn a_job_that_is_cancelled_just_before_it_begins_does_no_work() {
    let folder = tempfile::tempdir().unwrap();
    let server = fuzz::server(folder.path().join("a.db"));
    let requested = requested(&server);
    let (id, job_cancel) = server.queue.next(&server).unwrap();
    assert_eq!(id, requested);
    server.store.set_job(id, &JobState::Cancelled).unwrap();
    // The server of this test has no engine, so the job must not reach its search.
    run(&server, id, &job_cancel);
    assert_eq!(find(&server, id).unwrap().state, JobState::Cancelled);
}

/// Starts a job for a batch. Returns the numbers of the job and of the batch.
fn running_for_batch(server: &Server) -> (i64, i64) {
    let game = server.store.keep_game("1. e4 e5 *").unwrap();
    let lines = server.library.game_lines(&[game]).unwrap();
    let options = &server.options.review;
    let batch = server
        .library
        .keep_batch("1 game", &lines, options, &server.engine_key())
        .unwrap();
    server.queue.activate(batch);
    (server.queue.next(server).unwrap().0, batch)
}

/// Ends the running job as if its engines had stopped.
fn stop(server: &Server, id: i64) -> JobRow {
    let mut state = server.queue.state();
    keep_end(server, &state, id, &JobState::Cancelled).unwrap();
    state.running = None;
    drop(state);
    document(server, &find(server, id).unwrap())
        .unwrap()
        .row()
        .clone()
}

/// After a full disk, the batch continues and is paused before the job ends again.
#[test]
fn a_restarted_job_forgets_its_earlier_write_error() {
    let folder = tempfile::tempdir().unwrap();
    let server = fuzz::server(folder.path().join("a.db"));
    let (id, batch) = running_for_batch(&server);
    server.queue.deactivate(batch);
    stop(&server, id);
    server
        .queue
        .state()
        .unwritten
        .insert(id, "no space".to_owned());
    assert_eq!(running_for_batch(&server).0, id);
    let batch = server.store.batches(1).unwrap()[0].id;
    server.queue.deactivate(batch);
    let paused = stop(&server, id);
    assert_eq!(
        (paused.state, paused.problem),
        (JobProgress::Interrupted, None)
    );
}

/// An engine may take seconds to stop. Meanwhile the job can be cancelled and its batch paused, in
/// both orders.
#[test]
fn a_job_that_is_cancelled_while_its_batch_pauses_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let server = fuzz::server(folder.path().join("a.db"));
    for cancels_first in [true, false] {
        let (id, batch) = running_for_batch(&server);
        if cancels_first {
            cancel(&server, id).unwrap();
        }
        server.queue.deactivate(batch);
        if !cancels_first {
            cancel(&server, id).unwrap();
        }
        assert_eq!(
            stop(&server, id).state,
            JobProgress::Cancelled,
            "{cancels_first}"
        );
    }
}

#[test]
fn simultaneous_requests_never_exceed_the_limit_of_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let server = fuzz::server(folder.path().join("a.db"));
    let most = server.options.limits.waiting;
    let game = |number| {
        server
            .store
            .keep_game(&format!("[White \"{number}\"]\n\n1. e4 *"))
            .unwrap()
    };
    let games: Vec<i64> = (0..3 * most).map(game).collect();
    let begin = Barrier::new(games.len());
    let request = |game| {
        begin.wait();
        request(&server, game, &server.options.review).is_ok()
    };
    let queued: Vec<bool> = thread::scope(|scope| {
        let threads: Vec<_> = games
            .iter()
            .map(|game| scope.spawn(|| request(*game)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(queued.iter().filter(|is_queued| **is_queued).count(), most);
    assert_eq!(
        server.store.jobs(1000).unwrap().len(),
        most,
        "a refused request leaves no job behind"
    );
}
