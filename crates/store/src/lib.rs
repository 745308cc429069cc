//! A persistent cache of evaluations and reviews, in an SQLite file or on a PostgreSQL server.
//!
//! [`Store`] is the cache. [`Cached`] puts a store in front of an
//! [`Analyst`](centipawn_engine::Analyst), so that no question is searched twice.
//!
//! ```
//! use std::sync::Arc;
//!
//! use centipawn_core::History;
//! use centipawn_engine::{Analyst, Cancel, EngineConfig, Limit, Pool, Question, find};
//! use centipawn_store::{Cached, Location, Store};
//!
//! # let Ok(command) = find("stockfish") else { return Ok(()) };
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("evaluations.db");
//! # /*
//! let command = find("stockfish")?;
//! let file = "evaluations.db".into();
//! # */
//! let pool = Pool::start(&[(EngineConfig::new(command), 1)], &Cancel::new())?;
//! let store = Arc::new(Store::open(&Location::File(file))?);
//! let analyst = Cached::new(pool, store, |error| eprintln!("{error}"));
//!
//! let question = Question::new(History::default(), Limit::Nodes(10_000)).lines(2);
//! let first = analyst.analyse(&question)?;
//! assert_eq!(analyst.analyse(&question)?.lines, first.lines);
//! assert_eq!((analyst.asked(), analyst.found()), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate guarantees:
//!
//! - An evaluation is identified by its position (packed, with its clocks and the moves that can
//!   still be repeated), its `searchmoves`, the engine's [`Identity`](centipawn_engine::Identity)
//!   and the limit. The same question always has the same answer. A wider or deeper answer can also
//!   answer a smaller question.
//! - Rows are on disk when the call that stores them returns. Rows of concurrent callers are
//!   written in one transaction.
//! - Any number of threads and processes may share a store, but only one server at a time works on
//!   its jobs ([`QueueLock`]).
//! - Tables of earlier versions are migrated when a store is opened.
//! - Damaged files, files of newer versions and files of other programs are never deleted or
//!   overwritten.
//! - All functions block. No asynchronous function is public.

mod answer;
mod batches;
mod cached;
mod copy;
mod database;
mod delete;
mod error;
mod export;
mod games;
mod jobs;
mod judged;
mod location;
mod packed;
mod parquet_file;
mod puzzles;
mod query_key;
mod queue_lock;
mod record;
mod schema;
mod stats;
mod store;
mod transcript;
mod varint;
mod writer;

pub use batches::{BatchCount, BatchJobs, BatchState, StoredBatch};
pub use cached::Cached;
pub use delete::Deleted;
pub use error::StoreError;
pub use export::{PARQUET_THREAD, check_table};
pub use games::KeptGame;
pub use jobs::{JobState, NewJob, StoredJob};
pub use judged::JudgedReview;
pub use location::{Location, server_message};
pub use puzzles::{
    Attempted, NewPuzzle, PuzzleCounts, PuzzleFilter, Remembered, Repetition, StoredPuzzle,
};
pub use queue_lock::QueueLock;
pub use record::{Record, TableFormat};
pub use stats::{EngineStats, StoreStats};
pub use store::Store;
pub use transcript::{Recorder, Replay, Transcript, TranscriptError};
