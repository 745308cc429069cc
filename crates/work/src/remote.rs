//! Work in other processes, through any transport that runs tasks. Tasks and answers are bytes.
//!
//! A [task](GamesTask) contains games with their [recipe](crate::engine::Recipe), or is a
//! [part](PartTask) of a scan. A [`RemoteWorker`] runs it. Its answer is a transcript for each
//! game, or the bytes of the part's file. A [`RemoteCrew`] is a [`Crew`](crate::engine::Crew) whose
//! engine work is done by tasks: it repeats the work with the transcripts, so the result is the
//! same as with threads. Parts are merged like parts in files.
//!
//! Tasks and answers contain their format and the version of the program, so a worker of another
//! version refuses its first task.

mod crew;
mod envelope;
mod error;
mod games;
mod part;
mod worker;

use centipawn_engine::{Analyst, AnalystError};

pub use crew::{Executor, ExecutorFailure, RemoteCrew};
pub use envelope::{open_answer, open_task, pack_answer, pack_refusal, pack_task};
pub use error::RemoteError;
pub use games::{GamesTask, WantedNetwork, read_game};
pub use part::{PartAnswer, PartScan, PartTask, part_count};
pub use worker::RemoteWorker;

/// Returns the answer of `engine` to a test question, for two moves of a middlegame; a worker's
/// engine must give the same answer. `None` if the engine's answers vary.
fn test_answer(engine: &dyn Analyst) -> Result<Option<String>, AnalystError> {
    crate::engine::is_repeatable(&engine.identity())
        .then(|| crate::engine::test_answer(engine, 1, 2))
        .transpose()
}
