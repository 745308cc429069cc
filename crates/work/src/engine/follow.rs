//! Repeating work here from the answers that workers in other processes gave.

use centipawn_engine::AnalystError;
use centipawn_progress::{Cancel, run_jobs};
use centipawn_store::{Replay, Transcript};

use crate::engine::Work;

/// The state of the next item in order.
#[derive(Debug)]
pub enum Followed {
    /// The answer is stored on this machine, so the job needs no search.
    Known,
    /// A worker answered the engine requests of the item.
    Answered(Transcript),
    /// No worker could answer the engine requests of the item. This is the reason.
    Failed(String),
}

/// Repeats the work on items from the transcripts of workers, so that the results are the same as
/// with threads. The caller passes the items in their order, whatever the order of the answers.
#[derive(Debug)]
pub struct Follower<'a, W> {
    work: &'a W,
    replay: &'a Replay,
    /// The name of the workers in errors.
    service: String,
}

impl<'a, W: Work> Follower<'a, W> {
    /// Follows the workers that answer for `work`, which reads answers from `replay`. `service` is
    /// the name of the workers in errors, such as `the fleet`.
    pub fn new(work: &'a W, replay: &'a Replay, service: impl Into<String>) -> Self {
        Self {
            work,
            replay,
            service: service.into(),
        }
    }

    /// Runs the job of the next item and calls `each` with its answer. Returns whether the job was
    /// cancelled.
    pub fn deliver(
        &self,
        item: W::Item,
        followed: Followed,
        cancel: &Cancel,
        each: &mut impl FnMut(W::Answer),
    ) -> bool {
        match followed {
            Followed::Known => {}
            Followed::Answered(transcript) => self.replay.load(transcript),
            Followed::Failed(reason) => {
                let error = AnalystError::Service {
                    service: self.service.clone(),
                    reason,
                };
                if let Some(answer) = self.work.unanswered(item, error) {
                    each(answer);
                }
                return false;
            }
        }
        run_jobs(std::iter::once(self.work.job(item)), 1, cancel, each)
    }
}
