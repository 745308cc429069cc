//! Evaluations of chess positions by engines, databases and endgame tables.
//!
//! Begin with the trait [`Analyst`]: it answers a [`Question`] (a position with its history, a
//! [`Limit`], the number of lines) with an [`Analysis`] (the lines, best first, each with an
//! evaluation for the side to move). A [`Pool`] of UCI engines is an analyst; callers of the trait
//! need not know which one they have.
//!
//! ```
//! use centipawn_core::History;
//! use centipawn_engine::{Analyst, Cancel, EngineConfig, Limit, Pool, Question, find};
//!
//! # let Ok(command) = find("stockfish") else { return Ok(()) };
//! # /*
//! let command = find("stockfish")?;                                 // on PATH or where packages put it
//! # */
//! let pool = Pool::start(&[(EngineConfig::new(command).option("Hash", "32"), 2)], &Cancel::new())?;
//! let analyst: &dyn Analyst = &pool;
//!
//! let history = History::from_fen("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", None).unwrap();
//! let analysis = analyst.analyse(&Question::new(history, Limit::Nodes(20_000)).lines(2))?;
//! assert_eq!(analysis.lines.len(), 2);
//! assert_eq!(analysis.lines[0].eval.mate_moves(), Some(2));
//! println!("{}: {}", analyst.identity(), analysis.lines[0].eval);   // Stockfish 15.1: #2
//! # Ok::<(), centipawn_engine::AnalystError>(())
//! ```
//!
//! This crate guarantees:
//!
//! - An engine never sees a position without a legal move, or an illegal position or move: engines
//!   would crash, or silently search another position. Every move of its answers is checked.
//! - The same question gets the same lines, whatever process answers it and whatever questions came
//!   before, if the [`Limit`] is nodes or depth and the engine has one thread.
//! - Every wait has a deadline. An engine that misses it gets `stop`, then is killed with all
//!   processes that it started.
//! - Each known fault of engines has a role in the crate `centipawn-fake-engine`, and a test in
//!   `tests/it/faults.rs`.
//! - Everything blocks: an engine thinks for seconds, and a waiting thread costs nothing.

mod analyst;
#[cfg(feature = "chessdb")]
mod chessdb;
mod collect;
mod config;
mod count;
mod detached;
mod engine;
mod error;
#[cfg(feature = "external")]
mod external;
mod fallback;
mod find;
mod group;
mod handshake;
mod identity;
mod limit;
mod options;
mod pool;
mod probe;
mod process;
mod raw;
mod sent;
mod session;
mod spec;
#[cfg(not(target_family = "wasm"))]
mod tablebase;
pub mod uci;

pub use analyst::{Analysis, Analyst, Line, Question};
pub use centipawn_progress::{Cancel, Identity};
#[cfg(feature = "chessdb")]
pub use chessdb::ChessDb;
pub use config::{EngineConfig, Patience};
pub use count::CountingAnalyst;
pub use detached::DetachedEngine;
pub use engine::{Engine, Sighting};
pub use error::AnalystError;
#[cfg(feature = "external")]
pub use external::{ExternalEngine, ExternalError, Registration, Work, WorkLimits};
pub use fallback::Fallback;
pub use find::{EngineCommand, find};
pub use identity::behind_tables;
pub use limit::{Limit, ParseLimitError};
pub use options::{OptionError, check_option};
pub use pool::{Pool, PoolStats, Quarantined};
pub use probe::{EngineList, EngineReport, KNOWN_ENGINES, OptionReport, Speed};
pub use raw::{RawEngine, RawInput};
pub use session::PoolSession;
pub use spec::{EngineSpec, LazyPool};
#[cfg(not(target_family = "wasm"))]
pub use tablebase::{TableVerdict, Tablebase, TablebaseError};
