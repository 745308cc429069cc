//! Files of puzzles, of every form: nothing panics, and what is read and tagged is written and read
//! again with its tree.

#![no_main]

use centipawn_puzzle::{Format, Reader, Tree, Writer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for format in Format::ALL {
        let Ok(puzzles) = Reader::new(bytes, Some(format)) else {
            continue;
        };
        for mut puzzle in puzzles.flatten().take(100) {
            puzzle.tag();
            let mut out = Writer::new(Vec::new(), Format::Json);
            out.write(&puzzle).expect("a vector takes all");
            let text = out.finish().expect("a vector takes all");
            let again = Reader::new(&text[..], None)
                .expect("a vector can be read")
                .next();
            let again = again
                .expect("one was written")
                .expect("what was written can be read");
            assert_eq!(again.themes, puzzle.themes);
            let shape = |tree: &Tree| {
                tree.nodes()
                    .iter()
                    .map(|node| (node.answers.len(), node.replies.clone()))
                    .collect()
            };
            let shapes: [Option<Vec<_>>; 2] =
                [&again, &puzzle].map(|puzzle| puzzle.tree.as_ref().map(shape));
            assert_eq!(shapes[0], shapes[1]);
            let mut out = Writer::new(Vec::new(), Format::Pgn);
            out.write(&puzzle).expect("a vector takes all");
        }
    }
});
