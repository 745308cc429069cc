//! The work itself, as values: what a command line, a page, a worker and a notebook all run.

mod ease;
mod provenance;
mod review;
mod review_store;

pub use ease::{EaseError, EaseInput, EaseResources, judge_ease};
pub use review::{ReviewEnd, ReviewError, ReviewResources, review_files, review_provenance};
