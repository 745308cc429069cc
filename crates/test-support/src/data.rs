//! The files that tests read: those of the repository in `tests/data`, and larger ones in `../shared`, beside the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::skipped;

/// A file or folder in `tests/data`, which every clone has. Its README says where each file comes from.
///
/// ```
/// use centipawn_test_support::data::test_data;
///
/// assert!(test_data("lichess.pgn").is_file());
/// ```
///
/// # Panics
///
/// If there is no such file.
pub fn test_data(path: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(path);
    path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file or folder in `../shared`, which holds data that the repository cannot have, because of their size or their licence.
///
/// Without it, `None`: the test, or the part of it that needs the file, is reported as [`skipped`]. If `CENTIPAWN_REQUIRE_DATA` is set,
/// the test fails instead.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path).canonicalize().ok();
    if found.is_none() {
        skipped(&format!("../shared/{path} is missing"), "CENTIPAWN_REQUIRE_DATA");
    }
    found
}

/// The text of a file in `tests/data`. A file with the ending `.zst` is decompressed.
///
/// # Panics
///
/// If the file cannot be read, or is not UTF-8.
pub fn text(path: &str) -> String {
    String::from_utf8(bytes(&test_data(path))).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The bytes of a file. A file with the ending `.zst` is decompressed.
///
/// # Panics
///
/// If the file cannot be read.
pub fn bytes(path: &Path) -> Vec<u8> {
    let read = fs::read(path).and_then(|bytes| {
        if path.extension().is_some_and(|ending| ending == "zst") { zstd::decode_all(&bytes[..]) } else { Ok(bytes) }
    });
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
