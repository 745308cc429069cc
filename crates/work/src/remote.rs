//! Work in other processes, through anything that runs tasks: bytes go out, bytes come back.
//!
//! A [task](GamesTask) is games with their [recipe](crate::engine::Recipe), or a [part](PartTask)
//! of a scan. A [`RemoteWorker`] carries it out; its answer is a transcript for each game, or the
//! bytes of the part's file. A [`RemoteCrew`] is the [`Crew`](crate::engine::Crew) whose engine
//! work tasks do: it repeats the work from the transcripts, so that the result is the same as with
//! threads. Parts are merged as those of files.
//!
//! Tasks and answers name their format and the version that made them, so that a worker of another
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

/// The answer of `engine` to a question that a worker's engine must answer alike, for two moves of
/// a middlegame; `None` if its answers vary.
fn test_answer(engine: &dyn Analyst) -> Result<Option<String>, AnalystError> {
    crate::engine::is_repeatable(&engine.identity())
        .then(|| crate::engine::test_answer(engine, 1, 2))
        .transpose()
}
