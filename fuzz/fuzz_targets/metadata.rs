//! fishtest's metadata, and books of start positions.

#![no_main]

use centipawn_calibrate::wdl::{FenCounters, FileFilter, TestMetadata};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(test) = TestMetadata::parse(bytes) {
        FileFilter {
            elo: Some((-5.0, 5.0)),
            sprt_only: true,
            ..FileFilter::default()
        }
        .takes(&test);
    }
    let book = FenCounters::read(bytes).expect("memory can be read");
    book.full_move(bytes);
});
