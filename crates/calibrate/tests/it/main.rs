//! Integration tests of fits, balances, piece values and matches. They form one program, because
//! linking several takes longer.

mod balance;
mod coverage;
mod engine_match;
mod fits;
mod human;
mod material;
mod no_nan;
mod parts;
