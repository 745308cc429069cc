//! Who does engine work.

use std::{num::NonZeroUsize, thread};

use centipawn_engine::Analyst;
use centipawn_progress::{Cancel, Job, run_jobs};

use crate::Recipe;

/// Engine work on items: a [`Recipe`] together with what it takes to follow it here.
pub trait Work: Sync {
    /// What is worked on: a game, a position, a puzzle.
    type Item: Send;
    /// What comes of an item. A failure is an answer too.
    type Answer: Send;

    /// The work as a value.
    fn recipe(&self) -> Recipe;

    /// The work on one item; its steps may be done at the same time.
    fn job(&self, item: Self::Item) -> impl Job<Output = Self::Answer>;
}

/// Whoever does [`Work`] on many items: the threads of this process ([`Threads`]), or machines elsewhere.
pub trait Crew {
    /// Does `work` on all items and calls `each` with the answers, in the order of the items, on this thread.
    ///
    /// Few items are held at a time. After `cancel` is set no further step begins, and the answers that are ready are handed
    /// over. Returns whether the run was cancelled.
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
    /// This many threads; 0 counts as 1.
    pub fn new(count: usize) -> Self {
        Self(NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN))
    }

    /// As many as keep `analyst` busy; one for each processor core without an analyst.
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
