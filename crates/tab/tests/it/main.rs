//! Whole visits: requests of the page, with engines that a test runs.

mod common;
mod puzzles;
mod reviews;
