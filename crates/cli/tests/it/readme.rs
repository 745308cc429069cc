//! Tests that the program prints what the README shows.

use std::fs;

use crate::common::{centipawn, have_stockfish, root, run_with};
use centipawn_test_support::skipped;
use serde_json::Value;

/// Compares with the console block of the README that begins with `$ centipawn review`. The test is
/// skipped for other versions of Stockfish, whose evaluations differ.
#[test]
fn the_readme_shows_what_a_review_prints() {
    if !have_stockfish() {
        return;
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, block) = readme
        .split_once("```console\n$ centipawn review ")
        .expect("a review in the README");
    let (arguments, shown) = block.split_once('\n').unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("review.json");
    let mut command = centipawn(["review"]);
    command
        .args(arguments.split(' '))
        .arg("--json")
        .arg(&document)
        .env("COLUMNS", "80");
    let ran = run_with(&mut command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value =
        serde_json::from_slice(&fs::read(&document).expect("a document")).unwrap();
    if document["provenance"]["engine"]["name"] != "Stockfish 15.1" {
        // Another version of Stockfish gives other evaluations than those in the text.
        return skipped(
            "Stockfish 15.1 is not installed",
            "CENTIPAWN_REQUIRE_STOCKFISH_15_1",
        );
    }
    assert_eq!(ran.stdout(), shown);
}
