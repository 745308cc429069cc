//! Crews: who carries out engine work.

use std::{num::NonZeroUsize, thread};

use centipawn_engine::Analyst;
use centipawn_progress::{Cancel, Job, run_jobs};

use crate::Recipe;

/// Engine work on items: a [`Recipe`] together with the resources that carry it out.
pub trait Work: Sync {
    /// One item: a game, a position, a puzzle.
    type Item: Send;
    /// The result for one item; a failure is an answer too.
    type Answer: Send;

    /// The work as a value.
    fn recipe(&self) -> Recipe;

    /// The job for one item; its steps may run concurrently.
    fn job(&self, item: Self::Item) -> impl Job<Output = Self::Answer>;
}

/// Carries out [`Work`] on many items: the threads of this process ([`Threads`]), or other machines.
pub trait Crew {
    /// Runs `work` on all items and calls `each` with the answers, in the order of the items, on the calling thread.
    ///
    /// Only a few items are in memory at a time. Once `cancel` is set, no further step begins, and only answers that are
    /// ready are delivered. Returns whether the run was cancelled.
    fn run<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item> + Send,
        cancel: &Cancel,
        each: impl FnMut(W::Answer),
    ) -> bool;
}

/// Threads of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZeroUsize);

impl Threads {
    /// `count` threads; 0 counts as 1.
    pub fn new(count: usize) -> Self {
        Self(NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN))
    }

    /// Enough threads to keep `analyst` busy; without an analyst, one for each processor core.
    pub fn of(analyst: Option<&dyn Analyst>) -> Self {
        match analyst {
            Some(analyst) => Self::new(analyst.parallelism()),
            None => Self(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        }
    }
}

impl Crew for Threads {
    fn run<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item> + Send,
        cancel: &Cancel,
        each: impl FnMut(W::Answer),
    ) -> bool {
        run_jobs(items.map(|item| work.job(item)), self.0.get(), cancel, each)
    }
}
