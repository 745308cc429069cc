//! Reviews the games of a file with Stockfish, and prints them annotated.
//!
//! `cargo run --release -p centipawn-review --example review_game -- examples/opera-game.pgn`

use std::{env, error::Error, fs::File};

use centipawn_engine::{Cancel, EngineConfig, Limit, Pool, find};
use centipawn_pgn::Reader;
use centipawn_progress::Silent;
use centipawn_review::{Event, ReviewOptions, review_games};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("give a file of games")?;
    let games = Reader::new(File::open(path)?)
        .filter_map(Result::ok)
        .filter_map(Result::ok);
    let cancel = Cancel::new();
    let pool = Pool::start(&[(EngineConfig::new(find("stockfish")?), 2)], &cancel)?;
    let options = ReviewOptions::new(Limit::Nodes(100_000));
    review_games(
        games,
        &pool,
        &[],
        &options,
        &cancel,
        &Silent,
        |event| match event {
            Event::Reviewed(review) => println!("{}", review.annotated()),
            Event::Failed(failure) => eprintln!("{}", failure.problem()),
        },
    );
    Ok(())
}
