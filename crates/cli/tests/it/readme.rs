//! What the README shows is what the program prints.

use std::fs;

use crate::common::{centipawn, root, run_with};
use serde_json::Value;

/// The console block of the README that begins with `$ centipawn review`. Another engine than the one that wrote it has other
/// evaluations.
#[test]
fn the_readme_shows_what_a_review_prints() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, block) = readme.split_once("```console\n$ centipawn review ").expect("a review in the README");
    let (arguments, shown) = block.split_once('\n').unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("review.json");
    let mut command = centipawn(["review"]);
    command.args(arguments.split(' ')).arg("--json").arg(&document).env("COLUMNS", "80");
    let ran = run_with(&mut command);
    if ran.code() != Some(0) && std::env::var_os("CENTIPAWN_REQUIRE_ENGINES").is_none() {
        eprintln!("skipped: {}", ran.stderr());
        return;
    }
    let document: Value = serde_json::from_slice(&fs::read(&document).expect("a document")).unwrap();
    if document["provenance"]["engine"]["name"] != "Stockfish 15.1" {
        eprintln!("skipped: {}", document["provenance"]["engine"]);
        return;
    }
    assert_eq!(ran.stdout(), shown);
}
