//! A fleet: reviews, puzzles and ease of many games on many machines, through a queue in
//! PostgreSQL.
//!
//! [`Fleet`] is the connection to the database. A submitter creates a [`FleetCrew`], which
//! implements [`Crew`](centipawn_work::engine::Crew) like the threads of the local process: the
//! same functions of [`centipawn_work`] run on it, with the same results. A worker calls [`work`].
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use centipawn_fleet::Fleet;
//! use centipawn_progress::Silent;
//!
//! let place = "postgres://me@127.0.0.1/chess".parse()?;
//! Fleet::setup(&place, &["worker".to_owned()], &[], Arc::new(Silent))?;
//! let fleet = Fleet::open(&place, 1, Arc::new(Silent))?;
//! print!("{}", fleet.status(None)?.text());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The database contains:
//!
//! - A *run* is a submission: a [recipe](centipawn_work::engine::Recipe), the [requirements](Need)
//!   for its workers, and games. Its key is a hash of these, so the same command finds its run
//!   again. It contains neither paths nor commands; each worker uses its own engine and networks.
//! - A *task* is a group of games that a worker leases together: about a minute of work for one
//!   core, or less in a small run. The lease lasts as long as the worker renews it. The task ends
//!   in the same transaction that stores its answers, so it is counted exactly once.
//! - An *answer* is the [`Transcript`](centipawn_store::Transcript) of a game: all questions that
//!   the work asked the engine, with the engine's answers. The submitter repeats the work with
//!   these answers instead of an engine. No conclusions are transferred, and every move is checked
//!   on the submitter's machine.
//!
//! A worker serves a run only if its version uses the same format of work, if it has the same
//! engine with the same options and networks, and if its engine gives the same answers to three
//! test questions, at the start and after each task. A task that fails three times is parked, and
//! the run continues without it. If two workers crash with a task of several games, the task is
//! split in halves until the game that causes the crashes is found and parked.
//!
//! All functions block; asynchronous code is internal. If the database is unreachable, they wait
//! for it.

/// The format of the work: the questions that a recipe asks the engine, and what it computes from
/// the answers. The format is part of the keys of games and runs, so that answers of another format
/// are never used, and workers serve only runs of their own format.
///
/// Increase it with every change after which a recipe asks other questions about the same game.
/// Versions of the program with the same format share runs and answers.
pub(crate) const WORK_FORMAT: i32 = 1;

#[cfg(test)]
mod bench;
mod crew;
mod database;
mod error;
mod exporter;
mod http;
mod metrics;
mod operate;
mod proof;
mod pulse;
mod queue;
mod run;
mod schema;
mod spill;
mod status;
mod submit;
mod worker;
mod worker_event;

pub use crew::{FleetCrew, SubmitOptions};
pub use database::Fleet;
pub use error::FleetError;
pub use exporter::Exporter;
pub use metrics::Metrics;
pub use operate::Retried;
pub use run::{Need, RunId};
pub use status::{FleetStatus, ParkedTask, RunStatus, WorkerStatus};
pub use worker::{WorkerError, WorkerOptions, work};
pub use worker_event::WorkerEvent;
