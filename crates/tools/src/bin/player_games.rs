//! Reviews games and prints what they show about each player: a line of JSON for each player of
//! each game. `research/level_loss.py` and `research/lessons.py` read the lines.
//!
//! `cargo run --release -p centipawn-tools --bin player_games -- STORE GAMES.pgn... >
//! players.jsonl`
//!
//! Stockfish searches like `centipawn review --archive`, in two processes. Searches that STORE
//! already contains are not repeated.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    env,
    error::Error,
    fmt,
    io::{self, BufWriter, Write as _},
    sync::Arc,
};

use centipawn_engine::{EngineConfig, Limit, Pool, find};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Sources, TimeClass};
use centipawn_progress::{Cancel, ProblemCount, Silent};
use centipawn_review::{LossFeatures, PlayerGame, ReviewOptions};
use centipawn_store::{Cached, Location, Store};
use centipawn_work::engine::{ReviewResources, Threads, review_files};
use serde_json::json;
use shakmaty::Color;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [place, games @ ..] = &arguments[..] else {
        return Err("give STORE and GAMES.pgn".into());
    };
    let sources = Sources::expand(games).map_err(|error| error.error)?;
    let store = Arc::new(Store::open(&Location::File(place.into()))?);
    let cancel = Cancel::new();
    let pool = Arc::new(Pool::start(
        &[(EngineConfig::new(find("stockfish")?), 2)],
        &cancel,
    )?);
    let analyst = Cached::new(pool, Arc::clone(&store), |error| eprintln!("{error}"));
    let resources = ReviewResources {
        analyst: &analyst,
        networks: &[],
        store: Some(store),
    };
    let options = ReviewOptions::from(JudgeOptions::new(Limit::Nodes(1)).archive());
    let reporter = Arc::new(ProblemCount::new(Silent));
    let out = RefCell::new(BufWriter::new(io::stdout().lock()));
    let crew = Threads::of(Some(&analyst));
    let mut number = 0;
    review_files(&sources, &options, &resources, (), &crew, &cancel, &reporter, |review| -> Result<(), io::Error> {
        number += 1;
        for color in Color::ALL {
            let game = PlayerGame::of(review, color, number, number);
            let features: BTreeMap<usize, _> = game
                .rating
                .map(|rating| LossFeatures::of(review, color, rating))
                .unwrap_or_default()
                .into_iter()
                .map(|features| (features.ply + 1, features.values))
                .collect();
            let moves: Vec<_> = game
                .moves
                .iter()
                .map(|mv| {
                    json!({
                        "ply": mv.ply, "loss": mv.loss, "kind": mv.cause.kind(), "cause": mv.cause.name(),
                        "features": features.get(&mv.ply), "level_loss": mv.level_loss,
                    })
                })
                .collect();
            let line = json!({
                "game": number, "player": game.player, "rating": game.rating, "date": game.date,
                "time_class": game.time_class.map(TimeClass::name), "moves": moves,
            });
            writeln!(out.borrow_mut(), "{line}")?;
        }
        Ok(())
    })
    .map_err(|error| Failed(error.to_string()))?;
    out.into_inner().flush()?;
    Ok(())
}

#[derive(Debug)]
struct Failed(String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Failed {}
