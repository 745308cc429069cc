//! The work itself, as values that a command line, a web page, a worker and a notebook all run.
//!
//! Each command is one function: complete options and [`Inputs`] go in, with a [`Run`] that cancels
//! and reports; a document with its provenance comes out.
//!
//! ```
//! use std::path::PathBuf;
//!
//! use centipawn_progress::{Cancel, Silent};
//! use centipawn_work::{
//!     Inputs, Run,
//!     scan::{BalanceRunOptions, StatsRunOptions, balance, count_stats},
//! };
//!
//! # let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
//! let games = [PathBuf::from(format!("{root}/examples/selfplay.pgn.gz"))];
//! let (inputs, cancel) = (Inputs::new(&games), Cancel::new());
//! let run = Run::new(&cancel, &Silent);
//!
//! // What `centipawn pgn stats` counts.
//! let counted = count_stats(&StatsRunOptions::default(), inputs, run)?.result.unwrap();
//! assert_eq!(counted.report.games, 130);
//!
//! // What `centipawn balance` estimates, with the document of `--json`.
//! let balances = balance(&BalanceRunOptions::default(), inputs, run)?.result.unwrap();
//! assert!(balances.document().rows.iter().all(|row| row.games > 0));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! Work over games is of two kinds, each with its module:
//!
//! - [`engine`]: a [`Recipe`](engine::Recipe) is engine work, item by item, that a
//!   [`Crew`](engine::Crew) runs.
//! - [`scan`]: a [`Scan`](scan::Scan) counts over all games at once, and its states merge.
//!
//! The command line, the page, the worker and Python make the same options, from flags, requests,
//! rows of a queue and keywords, so the same options give the same document everywhere. Engine work
//! has four steps:
//!
//! 1. [`Resources`] opens each resource once, on first use: the store, engines, networks, Syzygy
//!    tables, ChessDB.
//! 2. The recipe turns an item into a [`Job`](centipawn_progress::Job).
//! 3. A crew runs the jobs: [`Threads`](engine::Threads) in this process, a fleet on other
//!    machines, or a [`RemoteCrew`](remote::RemoteCrew) as tasks of an executor. Other machines
//!    return transcripts, from which a [`Follower`](engine::Follower) repeats the work.
//! 4. The answers arrive in the order of the input. The caller's thread judges, rates and writes
//!    them.
//!
//! [`position`] looks positions up in games, [`table`] makes rows of games and plies, [`library`]
//! is the user's data in a store, and [`remote`] sends work to other processes.

mod command;
mod curve_documents;
pub mod engine;
pub mod library;
pub mod position;
mod provenance;
pub mod remote;
mod resources;
pub mod scan;
pub mod table;

pub use command::{Finished, Inputs, Run};
pub use curve_documents::{CurveDocument, PeopleDocument};
pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
