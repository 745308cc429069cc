//! Crews: who carries out engine work.

use std::{num::NonZeroUsize, thread};

use centipawn_core::History;
use centipawn_engine::{Analyst, AnalystError};
use centipawn_pgn::Game;
use centipawn_progress::{Cancel, Job, run_jobs};

use crate::engine::Recipe;

/// Engine work on items: a [`Recipe`] together with the resources that carry it out.
pub trait Work: Sync {
    /// A unit of the work: a game, a position or a puzzle.
    type Item: Send;
    /// The result for one item, which may be a failure.
    type Answer: Send;

    /// Returns the work as a value.
    fn recipe(&self) -> Recipe;

    /// Returns the job for one item; its steps may run concurrently.
    fn job(&self, item: Self::Item) -> impl Job<Output = Self::Answer>;

    /// Returns the game of an item. `None`, the default, for an item that is no game and so cannot
    /// be sent to another process.
    fn game<'i>(&self, _item: &'i Self::Item) -> Option<&'i Game> {
        None
    }

    /// Returns the position of an item. `None`, the default, for an item that is no position.
    fn position<'i>(&self, _item: &'i Self::Item) -> Option<&'i History> {
        None
    }

    /// Returns whether the answer for an item is stored, so that its job needs no search. `false`
    /// by default.
    fn is_known(&self, _item: &Self::Item) -> bool {
        false
    }

    /// Returns the item of a game that came back from another process; `number` counts items from
    /// 1.
    fn item(&self, _game: Game, _number: u64) -> Option<Self::Item> {
        None
    }

    /// Returns the answer for a game or position whose questions stay unanswered; `error` is the
    /// reason.
    fn unanswered(&self, _item: Self::Item, _error: AnalystError) -> Option<Self::Answer> {
        None
    }
}

/// Carries out [`Work`] on many items: the threads of this process ([`Threads`]), or other
/// machines.
pub trait Crew {
    /// Runs `work` on all items and calls `each` with the answers, in the order of the items, on
    /// the calling thread.
    ///
    /// Only a few items are in memory at a time. Once `cancel` is set, no further step begins, and
    /// only answers that are ready are delivered. Returns whether the run was cancelled.
    fn run<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item> + Send,
        cancel: &Cancel,
        each: impl FnMut(W::Answer),
    ) -> bool;
}

/// Number of threads of this process that do the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZeroUsize);

impl Threads {
    /// `count` threads; 0 counts as 1.
    pub fn new(count: usize) -> Self {
        Self(NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN))
    }

    /// Returns enough threads to keep `analyst` busy; without an analyst, one for each processor
    /// core.
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
