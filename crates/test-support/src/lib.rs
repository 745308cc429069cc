//! Helpers that the tests and benchmarks of several crates share.
//!
//! - [`data`] finds the files that tests read.
//! - [`skipped`] reports a test that cannot run on this machine, or lets it fail if the machine
//!   must be able to run it.
//! - [`postgres::Server`] is a PostgreSQL server that runs as long as the value exists.
//!
//! ```
//! let games = centipawn_test_support::data::text("lichess.pgn");
//! assert!(games.contains("[White "));
//! ```
//!
//! This crate depends on no other crate of the workspace, so that the tests of every crate can use
//! it.

pub mod data;
pub mod postgres;

use std::{env, io::Write as _, thread};

/// Reports that a test cannot run on this machine. Prints `skipped: <test>: <reason>` to standard
/// error; the caller then returns.
///
/// `variable` is the environment variable that makes such a test fail instead, if it is set and
/// neither empty nor `0`. It is `CENTIPAWN_REQUIRE_POSTGRES`, `CENTIPAWN_REQUIRE_ENGINES` or
/// `CENTIPAWN_REQUIRE_DATA`.
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
/// If `variable` is set and neither empty nor `0`.
pub fn skipped(reason: &str, variable: &str) {
    let is_required = env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0");
    assert!(!is_required, "{reason}, and {variable} is set");
    let thread = thread::current();
    // Write to standard error directly, because the test harness hides the output of `eprintln!` in
    // tests that pass.
    let _ = writeln!(
        std::io::stderr(),
        "skipped: {}: {reason}",
        thread.name().unwrap_or("main")
    );
}
