//! Tests of the server, by its interface: one program, which is linked once.

mod common;
mod described;
mod jobs;
mod labels;
mod serve;
mod strangers;
