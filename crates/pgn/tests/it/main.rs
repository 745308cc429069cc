//! Tests of files of games: one program, which is linked once.

mod files;
mod golden;
mod linear;
mod scan;
