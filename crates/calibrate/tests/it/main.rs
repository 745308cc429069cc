//! Tests of fits, balances, piece values and matches, by real and made games: one program, which is
//! linked once.

mod balance;
mod coverage;
mod engine_match;
mod fits;
mod human;
mod material;
mod no_nan;
mod parts;
