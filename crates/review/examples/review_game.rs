//! Reviews the games of a file with Stockfish, and prints them annotated.
//!
//! `cargo run --release -p centipawn-review --example review_game -- examples/opera-game.pgn 200000`:
//! the games, and the nodes for each position (100,000 if there is no number).

use std::{env, error::Error, fs::File};

use centipawn_engine::{Cancel, EngineConfig, Limit, Pool, find};
use centipawn_pgn::Reader;
use centipawn_progress::Silent;
use centipawn_review::{Event, ReviewOptions, review_games};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("give a file of games")?;
    let nodes = arguments
        .next()
        .map_or(Ok(100_000), |nodes| nodes.parse())?;
    let games = Reader::new(File::open(path)?)
        .filter_map(Result::ok)
        .filter_map(Result::ok);
    let cancel = Cancel::new();
    let pool = Pool::start(&[(EngineConfig::new(find("stockfish")?), 2)], &cancel)?;
    let options = ReviewOptions::new(Limit::Nodes(nodes));
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
