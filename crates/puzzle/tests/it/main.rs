//! Tests of mining, rating and themes of puzzles: one program, which is linked once.

mod classic;
mod close_answers;
mod files;
mod lichess;
mod mine;
mod mine_job;
mod scripted;
mod themes;
