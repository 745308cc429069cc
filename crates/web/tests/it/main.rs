//! Tests of the server, by its interface: one program, which is linked once.

mod common;
mod described;
mod jobs;
mod serve;
mod strangers;
