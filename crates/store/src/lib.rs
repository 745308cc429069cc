//! What was evaluated once is kept.

mod answer;
mod asked;
mod cached;
mod database;
mod error;
mod export;
mod packed;
mod parquet_file;
mod place;
mod schema;
mod stats;
mod store;
mod varint;
mod writer;

pub use cached::Cached;
pub use error::StoreError;
pub use export::Record;
pub use place::Place;
pub use stats::Stats;
pub use store::Store;
