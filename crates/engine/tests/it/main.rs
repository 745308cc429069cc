//! Tests of real engines, and fake ones for faults: one program, which is linked once.

#[cfg(feature = "chessdb")]
mod chessdb;
mod engines;
mod faults;
#[cfg(target_os = "linux")]
mod overhead;
mod stockfish;
