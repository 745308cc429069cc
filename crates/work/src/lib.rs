//! The commands of Centipawn as functions, which the command line, the web page, the workers of a
//! fleet and Python call.
//!
//! A [`Run`] connects such a function to its caller: it cancels the work, and receives progress and
//! problems. Besides, a function takes [`Inputs`] and complete options. It returns a [`Finished`]
//! result: a document with its provenance, and the number of games done and skipped.
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
//! There are two kinds of work over games, each with its module:
//!
//! - [`engine`]: a [`Recipe`](engine::Recipe) describes engine work on single games or positions,
//!   which a [`Crew`](engine::Crew) runs.
//! - [`scan`]: a [`Scan`](scan::Scan) counts over all games. Its states can be merged.
//!
//! [`position`] looks up positions in games, [`table`] writes rows of games and plies, [`library`]
//! manages the user's games, reviews and puzzles in a store, and [`remote`] sends work to other
//! processes.

mod command;
pub mod engine;
pub mod library;
pub mod position;
mod provenance;
pub mod remote;
mod resources;
pub mod scan;
mod symbols_plot;
pub mod table;

pub use centipawn_review::rooms::{CurveDocument, PeopleDocument};
pub use command::{Finished, Inputs, Run};
pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
pub use symbols_plot::symbols_plot;
