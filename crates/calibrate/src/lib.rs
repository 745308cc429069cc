//! Games to curves: what evaluations turned out to be worth.
mod plot;
pub mod wdl;
