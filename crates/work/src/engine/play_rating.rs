//! Ratings of players, estimated from their moves.

use std::{collections::BTreeMap, num::NonZero, sync::Arc, thread};

use centipawn_pgn::{Game, Games, Sources, player_key, rating, read_ahead};
use centipawn_policy::{EvaluateError, Kernel, Network, NetworkError};
use centipawn_progress::{
    Input, Outcome, Problem, ProblemCount, Progress, Provenance, Reporter, Unit, in_order,
};
use centipawn_review::{
    GamePlay, PlayEvidence, PlayGameDocument, PlayModel, PlayRatingDocument, PlayRatingsDocument,
};
use serde::Serialize;
use shakmaty::Color;

use crate::{Finished, Run};

/// Which players' ratings are estimated, and the contents of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlayRatingOptions {
    /// Only this player: the whole name as in the tags, in upper or lower case; `None` for all
    /// players.
    pub player: Option<String>,
    /// Whether the document lists each game, with what its estimate was computed from. Needs memory
    /// for each game.
    pub by_game: bool,
}

/// The requested player plays in none of the games.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} plays in none of the games; write the name exactly as in the tags")]
pub struct NotInGames(pub String);

/// The data of a player.
#[derive(Default)]
struct Player {
    /// The spelling of the first game.
    name: String,
    evidence: PlayEvidence,
    tag_sum: f64,
    tags: u32,
    games: Vec<PlayGameDocument>,
}

/// A game, with its number and the measurements of both players.
type Measured = (u64, Arc<Game>, Result<GamePlay, EvaluateError>);

/// Estimates the ratings of the players of games from their moves, with the policy network in the
/// program. Evaluations and clocks in the games make the estimates more accurate.
///
/// Unreadable games and files are reported and skipped. Memory grows with the number of players,
/// not of games (unless [`by_game`](PlayRatingOptions::by_game) is set). The document is the same
/// for any number of threads.
///
/// # Errors
///
/// [`NetworkError`] if the program was built without a network.
pub fn rate_play<R: Reporter + 'static>(
    sources: &Sources,
    options: &PlayRatingOptions,
    run: Run<'_>,
    problems: &Arc<ProblemCount<R>>,
) -> Result<Finished<PlayRatingsDocument>, NetworkError> {
    let network = Network::find(Network::BUNDLED, Kernel::best())?;
    let threads = run
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZero::get);
    let games = read_ahead(Games::new(sources, Arc::clone(problems)), run.cancel).map(Arc::new);
    let is_wanted = |game: &Game| {
        Color::ALL
            .into_iter()
            .any(|color| name_of(game, color, options).is_some())
    };
    let mut players = BTreeMap::<String, Player>::new();
    let mut done = 0;
    let work = |(number, game): (u64, Arc<Game>)| -> Option<Measured> {
        let play = GamePlay::of(&game, &network);
        Some((number, game, play))
    };
    let numbered = (1..).zip(games).filter(|(_, game)| is_wanted(game));
    in_order(
        numbered,
        threads,
        run.cancel,
        work,
        |(number, game, play)| {
            done += 1;
            let label = game.headers.get("White").unwrap_or_default().to_owned();
            problems.progress(&Progress {
                done,
                total: None,
                unit: Unit::Games,
                games: done,
                label,
            });
            match play {
                Ok(play) => add(&mut players, number, &game, &play, options),
                Err(error) => {
                    problems.problem(&Problem::error(format_args!("game {number}: {error}")));
                }
            }
        },
    );
    let model = PlayModel::bundled();
    let mut players: Vec<PlayRatingDocument> = players
        .into_values()
        .map(|player| {
            let tag_rating = (player.tags > 0).then(|| player.tag_sum / f64::from(player.tags));
            PlayRatingDocument::new(
                player.name,
                tag_rating,
                model.rating(&player.evidence),
                player.games,
            )
        })
        .collect();
    let games = |player: &PlayRatingDocument| player.estimate.map_or(0, |estimate| estimate.games);
    players.sort_by(|a, b| games(b).cmp(&games(a)).then_with(|| a.name.cmp(&b.name)));
    let provenance = Provenance::of("rating", options).inputs(Input::of_all(sources.paths()));
    let provenance = Provenance {
        networks: vec![network.provenance()],
        ..provenance
    };
    let document = PlayRatingsDocument::new(model.pool(), players, provenance);
    let outcome = Outcome {
        done,
        skipped: problems.errors(),
        cancelled: run.cancel.is_set(),
    };
    Ok(Finished {
        result: Some(document),
        outcome,
    })
}

/// Returns the name of a player whose rating is estimated; `None` for others and for players
/// without a name.
fn name_of<'a>(game: &'a Game, color: Color, options: &PlayRatingOptions) -> Option<&'a str> {
    let name = game
        .headers
        .get(color.fold_wb("White", "Black"))
        .map(str::trim)?;
    let is_known = !name.is_empty() && name != "?";
    let is_asked = options
        .player
        .as_ref()
        .is_none_or(|player| player_key(player) == player_key(name));
    (is_known && is_asked).then_some(name)
}

fn add(
    players: &mut BTreeMap<String, Player>,
    number: u64,
    game: &Game,
    play: &GamePlay,
    options: &PlayRatingOptions,
) {
    for color in Color::ALL {
        let Some(name) = name_of(game, color, options) else {
            continue;
        };
        let player = players.entry(player_key(name)).or_default();
        if player.name.is_empty() {
            name.clone_into(&mut player.name);
        }
        let tag = game
            .headers
            .get(color.fold_wb("WhiteElo", "BlackElo"))
            .and_then(rating);
        if let Some(tag) = tag {
            player.tag_sum += tag;
            player.tags += 1;
        }
        let Some(features) = play.player(color) else {
            continue;
        };
        player.evidence.add(features);
        let mut alone = PlayEvidence::default();
        alone.add(features);
        if let Some(estimate) = PlayModel::bundled()
            .rating(&alone)
            .filter(|_| options.by_game)
        {
            let color = color.to_string();
            player.games.push(PlayGameDocument::new(
                number,
                color,
                tag,
                estimate,
                features.clone(),
            ));
        }
    }
}
