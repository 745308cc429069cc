//! Helpers that the tests and benchmarks of several crates share.
//!
//! - [`data`] finds the files that tests read.
//! - [`skipped`] reports a test that cannot run on this machine, or fails it where the machine must be able to run it.
//! - [`postgres::Server`] is a PostgreSQL server that lives as long as the value.
//!
//! The crate uses none of the others, so that the tests of every crate can use it.

pub mod data;
pub mod postgres;

use std::{env, io::Write as _, thread};

/// Reports that a test cannot run here: prints `skipped: <test>: <reason>` to standard error. The caller then returns.
///
/// `variable` names what is missing, for machines that must have it: `CENTIPAWN_REQUIRE_POSTGRES`, `CENTIPAWN_REQUIRE_ENGINES` or
/// `CENTIPAWN_REQUIRE_DATA`. If it is set, and neither empty nor `0`, the test fails instead.
///
/// ```
/// use std::path::Path;
///
/// use centipawn_test_support::skipped;
///
/// fn a_test() {
///     let file = Path::new("/no/such/games.pgn");
///     if !file.exists() {
///         return skipped(&format!("{} is missing", file.display()), "CENTIPAWN_REQUIRE_EXAMPLE");
///     }
///     // ...
/// }
/// a_test();
/// ```
///
/// # Panics
///
/// If `variable` is set.
pub fn skipped(reason: &str, variable: &str) {
    let is_required = env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0");
    assert!(!is_required, "{reason}, and {variable} is set");
    let thread = thread::current();
    // The test harness hides what `eprintln!` prints in a test that passes.
    let _ = writeln!(std::io::stderr(), "skipped: {}: {reason}", thread.name().unwrap_or("main"));
}
