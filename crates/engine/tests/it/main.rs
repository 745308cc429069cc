//! Tests with real engines and with the fake engine. They are one binary, so that it is linked
//! once.

#[cfg(feature = "chessdb")]
mod chessdb;
mod engines;
mod faults;
#[cfg(target_os = "linux")]
mod overhead;
mod stockfish;
