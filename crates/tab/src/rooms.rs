//! The rooms of the page: what each request answers.

pub(crate) mod batches;
pub(crate) mod deletion;
pub(crate) mod games;
pub(crate) mod jobs;
pub(crate) mod players;
pub(crate) mod positions;
pub(crate) mod puzzles;
pub(crate) mod reviews;
pub(crate) mod status;
