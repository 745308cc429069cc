//! Parquet tables of evaluations: imported, or refused with a reason.

#![no_main]

use std::{fs, sync::OnceLock};

use centipawn_progress::{Cancel, Silent};
use centipawn_store::{Location, PARQUET_THREAD, Store};
use libfuzzer_sys::fuzz_target;

struct Place {
    folder: tempfile::TempDir,
    store: Store,
}

/// The reader's own panics are caught; libFuzzer's hook would end the program.
fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let abort = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |about| {
            if std::thread::current().name() != Some(PARQUET_THREAD) {
                abort(about);
            }
        }));
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&Location::File(folder.path().join("s.db"))).expect("a store");
        Place { folder, store }
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Place { folder, store } = place();
    let path = folder.path().join("fuzzed.parquet");
    fs::write(&path, bytes).expect("a file");
    let _ = store.import(&path, &Cancel::new(), &Silent);
});
