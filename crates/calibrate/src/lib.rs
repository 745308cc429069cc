//! Games to curves: what evaluations turned out to be worth.
pub mod wdl;
