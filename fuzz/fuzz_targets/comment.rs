//! Any comment decodes in any dialect, with equal results for both movers except the point of view.
#![no_main]

use centipawn_pgn::{Annotation, Dialect, Profile};
use libfuzzer_sys::fuzz_target;
use shakmaty::Color;

fuzz_target!(|bytes: &[u8]| {
    for dialect in Dialect::ALL {
        let [white, black] = Color::ALL.map(|mover| Annotation::decode(bytes, dialect, mover));
        assert_eq!(white.eval.is_some(), black.eval.is_some());
        assert_eq!(Annotation::eval(bytes, dialect, Color::White), white.eval);
        assert_eq!(
            (white.depth, white.time, white.clock),
            (black.depth, black.time, black.clock)
        );
    }
    if let Some(profile) = Profile::decode(bytes) {
        assert!(profile.evals.len() <= bytes.len());
    }
});
