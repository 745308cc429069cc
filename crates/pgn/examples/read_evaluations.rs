//! Reads the evaluations of games on all cores: how many there are, and how the games ended from
//! +2.00 on.
//!
//! `cargo run --release -p centipawn-pgn --example read_evaluations -- games/`

use std::{env, error::Error};

use centipawn_core::Eval;
use centipawn_pgn::{GameView, Merge, ScanOptions, Sources, scan};
use shakmaty::{KnownOutcome, Outcome};

/// The counts of a part of the games; those of all parts add up.
#[derive(Default)]
struct Counts {
    evaluations: u64,
    ahead: u64,
    won: u64,
}

impl Merge for Counts {
    fn merge(&mut self, later: Self) {
        self.evaluations += later.evaluations;
        self.ahead += later.ahead;
        self.won += later.won;
    }
}

impl Counts {
    fn add(&mut self, game: &GameView<'_>) {
        let evals: Vec<_> = game
            .plies()
            .filter_map(|ply| ply.eval(game.dialect()))
            .collect();
        self.evaluations += evals.len() as u64;
        if evals.iter().any(|eval| *eval >= Eval::cp(200)) {
            self.ahead += 1;
            let is_won = game.result()
                == Outcome::Known(KnownOutcome::Decisive {
                    winner: shakmaty::Color::White,
                });
            self.won += u64::from(is_won);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let sources = Sources::expand(&env::args_os().skip(1).collect::<Vec<_>>())?;
    let (counts, report) = scan(
        &sources,
        &ScanOptions::default(),
        Counts::default,
        Counts::add,
    )?;
    println!("{} games, {} evaluations", report.games, counts.evaluations);
    println!(
        "White once had +2.00 in {} games, and won {} of them",
        counts.ahead, counts.won
    );
    Ok(())
}
