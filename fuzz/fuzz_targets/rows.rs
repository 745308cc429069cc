//! Files of rows: nothing panics, what is read is written and read again, and a fit of it ends.

#![no_main]

use centipawn_calibrate::material::{Collection, Fit, FitOptions, Method, RowsFormat};
use centipawn_progress::{Cancel, Silent};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(collection) = Collection::read_rows(bytes) else {
        return;
    };
    for format in [RowsFormat::Article, RowsFormat::Tabs, RowsFormat::Commas] {
        let mut written = Vec::new();
        collection
            .write_rows(format, &mut written)
            .expect("a vector takes all");
        let again = Collection::read_rows(&written[..]).expect("what was written can be read");
        assert_eq!(collection.rows().len(), again.rows().len());
    }
    for method in [
        Method::Classic,
        Method::Score,
        Method::Ordered,
        Method::Davidson,
    ] {
        let _ = Fit::new(
            &collection,
            &FitOptions {
                resamples: 2,
                ..FitOptions::of(method)
            },
            &Cancel::new(),
            &Silent,
        );
    }
});
