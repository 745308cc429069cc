//! Curve files: one that is accepted gives an expected score for every evaluation.

#![no_main]

use centipawn_core::{Context, Curve};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(curve) = serde_json::from_slice::<Curve>(bytes) else {
        return;
    };
    for pawns in [-1000.0, -1.0, 0.0, 0.01, 1.0, 1000.0] {
        for context in [
            Context::default(),
            Context {
                material: 0,
                ply: 0,
            },
            Context {
                material: 78,
                ply: 600,
            },
        ] {
            let score = curve.at(pawns, context);
            // A model whose width vanishes at some material has no score there.
            assert!(
                score.is_nan() || (0.0..=1.0).contains(&score),
                "{curve:?} at {pawns}: {score}"
            );
            let _ = (
                curve.pawns(0.75, context),
                curve.balance(context),
                curve.relevance(pawns, context),
            );
        }
    }
});
