//! Jobs of a server: work on games that a client requested.

use centipawn_puzzle::MineOptions;
use centipawn_review::ReviewOptions;
use centipawn_store::{JobState, StoredJob};

use crate::engine::Recipe;

/// Work on a game.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeptJob {
    /// The number of the job, from 1.
    pub id: i64,
    /// The game's number.
    pub game: i64,
    /// A line for people: the players.
    pub title: String,
    /// Number of positions to evaluate.
    pub positions: usize,
    /// The kind of work, with its options.
    pub work: KeptWork,
    /// The state of the job, with its result.
    pub state: JobState,
    /// The numbers of the batches that wait for it, or that it was done for.
    pub batches: Vec<i64>,
}

/// The work of a server on a game.
#[derive(Clone, Debug, PartialEq)]
pub enum KeptWork {
    /// Review the game.
    Review(Box<ReviewOptions>),
    /// Mine puzzles from the game.
    Mine(Box<MineOptions>),
}

impl KeptJob {
    /// Returns the options of a review; `None` of other work.
    pub fn review(&self) -> Option<&ReviewOptions> {
        if let KeptWork::Review(options) = &self.work {
            Some(options)
        } else {
            None
        }
    }

    /// Returns whether it is a review that is done.
    pub fn is_reviewed(&self) -> bool {
        matches!(self.state, JobState::Reviewed(_))
    }
}

impl TryFrom<StoredJob> for KeptJob {
    /// The reason why this version cannot read the job.
    type Error = String;

    fn try_from(job: StoredJob) -> Result<Self, String> {
        let recipe = serde_json::from_str(&job.recipe);
        let recipe =
            recipe.map_err(|error| format!("the work cannot be read by this version: {error}"))?;
        let work = match recipe {
            Recipe::Review(options) => KeptWork::Review(Box::new(options)),
            Recipe::Mine(options) => KeptWork::Mine(Box::new(options)),
            _ => return Err("the work is nothing that a page asks for".to_owned()),
        };
        let positions = usize::try_from(job.positions).unwrap_or(0);
        let StoredJob {
            id,
            game,
            title,
            state,
            batches,
            ..
        } = job;
        Ok(Self {
            id,
            game,
            title,
            positions,
            work,
            state,
            batches,
        })
    }
}
