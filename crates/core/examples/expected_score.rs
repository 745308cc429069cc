//! Prints what an evaluation is worth to several players, and the symbol of a move.
//!
//! `cargo run --release -p centipawn-core --example expected_score -- 1.37 0.20`: the best move is
//! worth +1.37, the played move +0.20.

use std::{env, error::Error};

use centipawn_core::{Context, Curve, HumanCurve, MoveScheme};

fn main() -> Result<(), Box<dyn Error>> {
    let pawns: Vec<f64> = env::args()
        .skip(1)
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    let [best, played] = pawns[..] else {
        return Err("give the evaluations of the best and of the played move, in pawns".into());
    };
    // Symbols of games between people have lower thresholds than those of games between engines.
    let players = [
        (
            "rated 1200, 3 minutes",
            people(1200.0, 180.0),
            MoveScheme::S20,
        ),
        (
            "rated 1800, 90 minutes",
            people(1800.0, 5400.0),
            MoveScheme::S20,
        ),
        (
            "rated 2600, 90 minutes",
            people(2600.0, 5400.0),
            MoveScheme::S20,
        ),
        (
            "Stockfish 18",
            Curve::for_engine("Stockfish 18"),
            MoveScheme::S8,
        ),
    ];
    // The default context is a middlegame: what an evaluation is worth depends on the material.
    let context = Context::default();
    for (name, curve, scheme) in players {
        let [before, after] = [best, played].map(|pawns| curve.at(pawns, context));
        let symbol = scheme.symbol(after - before);
        println!(
            "{name}: {best:+.2} scores {before:.2}, and the move costs {:.2}: {}",
            before - after,
            symbol.map_or("no symbol", |symbol| symbol.glyph())
        );
    }
    Ok(())
}

/// Returns the curve of two players of a rating, with this time in seconds for each.
fn people(rating: f64, seconds: f64) -> Curve {
    Curve::Human(HumanCurve {
        rating,
        seconds,
        ..HumanCurve::study()
    })
}
