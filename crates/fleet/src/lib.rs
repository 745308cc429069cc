//! A fleet: reviews, puzzles and ease of many games on many machines, through a queue in PostgreSQL.
//!
//! [`Fleet`] is the database. A submitter has a [`FleetCrew`], which is a [`Crew`](centipawn_work::Crew) like the threads of its
//! own process: the same functions of [`centipawn_work`] run on it, and give the same results. A worker calls [`work`].
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
//! Data:
//!
//! - A *run* is a submission: a [recipe](centipawn_work::Recipe), what it [needs](Need), and games. It names no path and no
//!   command; engines and networks are the worker's own.
//! - A *task* is the games that a worker leases at once: about a minute of one core, or less in a small run. It belongs to the
//!   worker while the worker renews its lease, and ends in the transaction that stores its answers, so that it counts once.
//! - An *answer* is the [`Transcript`](centipawn_store::Transcript) of a game: all questions that the work asked the engine, with the
//!   engine's answers. The submitter repeats the work with them, without an engine; so no conclusions are transferred, and every move is
//!   checked where it is used.
//!
//! A worker serves a run only if it does the same format of work, has the same engine with the same options and networks, and if its
//! engine gives the same answers to three questions, also after each task. A task that fails three times is parked; the run continues
//! without it. A task of several games with which two workers crash is cut in halves, until the game is found and parked.
//!
//! All functions block; async is internal. If the database is unreachable, they wait for it.

/// The format of the work: which questions a recipe asks the engine, and what it makes of the answers. Keys of games and runs contain it,
/// so that another format never uses these answers, and a worker serves only runs of its own format.
///
/// Raise it with every change after which a recipe asks other questions about the same game. Versions of the program with the same
/// format use each other's runs and answers.
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
