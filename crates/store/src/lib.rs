//! What was evaluated once is kept.
#![allow(dead_code)]
mod answer;
mod asked;
mod cached;
mod database;
mod error;
mod packed;
mod place;
mod schema;
mod stats;
mod store;
mod varint;
mod writer;

pub use cached::Cached;
pub use error::StoreError;
pub use place::Place;
pub use stats::Stats;
pub use store::Store;
