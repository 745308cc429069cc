//! Files of counts, of both forms: nothing panics, and what is read is written and read again.

#![no_main]

use centipawn_calibrate::wdl::{Counts, CountsFormat};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(counts) = Counts::read(bytes) else {
        return;
    };
    for format in [CountsFormat::Compact, CountsFormat::Stockfish] {
        let mut written = Vec::new();
        counts
            .write(format, &mut written)
            .expect("a vector takes all");
        let again = Counts::read(&written[..]).expect("what was written can be read");
        assert!(counts.iter().eq(again.iter()));
    }
});
