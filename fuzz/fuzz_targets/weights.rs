//! A weight file of any bytes is refused, or is a network that answers or returns an error.
#![no_main]

use centipawn_core::History;
use centipawn_policy::Network;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(network) = Network::from_bytes(bytes) {
        if let Ok(answer) = network.evaluate(&History::default()) {
            assert_eq!(answer.moves.len(), 20);
            assert!((answer.moves.iter().map(|mv| mv.probability).sum::<f64>() - 1.0).abs() < 1e-6);
        }
    }
});
