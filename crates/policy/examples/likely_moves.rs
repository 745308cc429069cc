//! Prints the moves that players of three levels would most likely play.
//!
//! ```sh
//! cargo run --release -p centipawn-policy --example likely_moves -- \
//!     'r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3'
//! ```

use std::{env, error::Error};

use centipawn_core::History;
use centipawn_policy::Network;

fn main() -> Result<(), Box<dyn Error>> {
    let position = match env::args().nth(1) {
        Some(fen) => History::from_fen(&fen, None)?,
        None => History::default(),
    };
    let network = Network::bundled()?;
    for level in [1100, 1500, 1900] {
        let answer = network.evaluate_at(&position, level)?;
        let moves: Vec<String> = answer
            .moves
            .iter()
            .take(5)
            .map(|mv| format!("{} {:.0} %", position.uci(mv.mv), 100.0 * mv.probability))
            .collect();
        println!("{level}: {}", moves.join(", "));
    }
    Ok(())
}
