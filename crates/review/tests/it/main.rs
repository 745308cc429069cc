//! Tests of reviews: one program, which is linked once.

mod annotations;
mod ease;
mod open;
mod profile;
mod quick;
mod review;
mod round_trip;
mod untrue;
