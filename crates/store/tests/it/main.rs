//! Tests of the store, on SQLite and PostgreSQL: one program, which is linked once.

mod cached;
mod common;
mod store;
mod troubles;
