//! Files of puzzles, of every form: nothing panics, and what is read and tagged is written and read again.

#![no_main]

use centipawn_puzzle::{Format, Reader, Writer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for format in Format::ALL {
        let Ok(puzzles) = Reader::new(bytes, Some(format)) else { continue };
        for mut puzzle in puzzles.flatten().take(100) {
            puzzle.tag();
            let mut out = Writer::new(Vec::new(), Format::Json);
            out.write(&puzzle).expect("a vector takes all");
            let text = out.finish().expect("a vector takes all");
            let again = Reader::new(&text[..], None).expect("a vector can be read").next();
            let again = again.expect("one was written").expect("what was written can be read");
            assert_eq!(again.themes, puzzle.themes);
        }
    }
});
