//! SQLite files: whatever they hold, a store is opened and counted, or refused with a reason.

#![no_main]

use std::{fs, sync::Arc};

use centipawn_progress::Silent;
use centipawn_store::{Location, Store};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fuzzed.db");
    fs::write(&path, bytes).expect("a file");
    if let Ok(store) = Store::open_to_read(&Location::File(path), Arc::new(Silent)) {
        let _ = store.stats();
    }
});
