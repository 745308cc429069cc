//! The files that tests read: those in `tests/data`, and larger ones in `../shared`, a folder
//! beside the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::skipped;

/// Returns the path of a file or folder in `tests/data`, which is part of the repository. Its
/// README states the source of each file.
///
/// ```
/// use centipawn_test_support::data::test_data;
///
/// assert!(test_data("lichess.pgn").is_file());
/// ```
///
/// # Panics
///
/// If the file does not exist.
pub fn test_data(path: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data")
        .join(path);
    path.canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the path of a file or folder in `../shared`. That folder holds data that are too large
/// for the repository, or whose licence forbids a copy.
///
/// If it does not exist, reports the test as [`skipped`] and returns `None`. If
/// `CENTIPAWN_REQUIRE_DATA` is set, the test fails instead.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(path)
        .canonicalize()
        .ok();
    if found.is_none() {
        skipped(
            &format!("../shared/{path} is missing"),
            "CENTIPAWN_REQUIRE_DATA",
        );
    }
    found
}

/// Returns the text of a file in `tests/data`. If the name ends in `.zst`, the file is
/// decompressed.
///
/// # Panics
///
/// If the file cannot be read, or is not UTF-8.
pub fn text(path: &str) -> String {
    String::from_utf8(bytes(&test_data(path))).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the bytes of a file. If the name ends in `.zst`, the file is decompressed.
///
/// # Panics
///
/// If the file cannot be read.
pub fn bytes(path: &Path) -> Vec<u8> {
    let read = fs::read(path).and_then(|bytes| {
        if path.extension().is_some_and(|ending| ending == "zst") {
            zstd::decode_all(&bytes[..])
        } else {
            Ok(bytes)
        }
    });
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
