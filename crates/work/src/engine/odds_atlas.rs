//! Games at material odds: from games to the atlas.

use std::{collections::BTreeMap, path::PathBuf};

use centipawn_calibrate::{OddsAtlas, OddsGame, document};
use centipawn_core::{Eval, History, Mover, material_value};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use centipawn_pgn::{GameView, ScanOptions, Sources, Unreadable, rating, scan};
use centipawn_progress::{Cancel, Outcome, ProblemCount, Progress, Provenance, Reporter, Unit};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Outcome as GameResult, Position, Role};

use crate::{Finished, scan::InputHashes};

/// From games at odds to the atlas: the recipe of `odds atlas --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OddsAtlasOptions {
    /// How long the engine thinks about each start position; 1,000,000 nodes by default.
    pub limit: Limit,
    /// A part of the name of the player who gives odds, in upper or lower case; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub giver: Option<String>,
}

impl Default for OddsAtlasOptions {
    fn default() -> Self {
        Self {
            limit: Limit::Nodes(1_000_000),
            giver: None,
        }
    }
}

/// The reason why there is no atlas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OddsAtlasError {
    /// A game or file cannot be read, and the scan is strict.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// No game counts; this is the reason.
    #[error("{0}")]
    Nothing(String),
    /// The analyst cannot evaluate a start position.
    #[error("cannot evaluate the start position {fen}")]
    Engine {
        /// The position.
        fen: String,
        /// The reason.
        #[source]
        error: AnalystError,
    },
}

/// A game at odds whose start position is not evaluated yet.
struct Played {
    fen: String,
    receiver: Color,
    rating: f64,
    player: String,
    score: f64,
}

/// Why a game does not count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LeftOut {
    /// The start position has the same material on both sides.
    Equal,
    Unfinished,
    Unrated,
    Giver,
}

/// Reads games that start with more material on one side, has `analyst` evaluate their start
/// positions, and fits the receivers' scores by evaluation and rating. Unreadable games are
/// reported and skipped.
///
/// # Errors
///
/// [`OddsAtlasError`].
pub fn odds_atlas(
    options: &OddsAtlasOptions,
    games: &[PathBuf],
    analyst: &dyn Analyst,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<Finished<OddsAtlas>, OddsAtlasError> {
    let problems = ProblemCount::new(reporter);
    let sources = Sources::expand_reporting(games, &problems);
    let giver = options.giver.as_ref().map(|giver| giver.to_lowercase());
    let scan_options = ScanOptions {
        reporter: Some(&problems),
        cancel: Some(cancel),
        ..ScanOptions::default()
    };
    let (found, report) = scan(
        &sources,
        &scan_options,
        Vec::new,
        |all: &mut Vec<Result<Played, LeftOut>>, game: &GameView<'_>| {
            all.push(played(game, giver.as_deref()));
        },
    )?;
    let mut left_out: BTreeMap<LeftOut, usize> = BTreeMap::new();
    let mut counted = Vec::new();
    for game in found {
        match game {
            Ok(game) => counted.push(game),
            Err(reason) => *left_out.entry(reason).or_default() += 1,
        }
    }
    let number = |reason| left_out.get(&reason).copied().unwrap_or_default();
    let without = format!(
        "{} without odds, {} without a result, {} without a rating of the receiver{}",
        number(LeftOut::Equal),
        number(LeftOut::Unfinished),
        number(LeftOut::Unrated),
        options.giver.as_ref().map_or_else(String::new, |giver| {
            format!(", {} not given by {giver:?}", number(LeftOut::Giver))
        })
    );
    if counted.is_empty() && !cancel.is_set() {
        return Err(OddsAtlasError::Nothing(format!(
            "no game at odds counts: {without}; the start position (tag FEN) must have more material on one side"
        )));
    }
    let evals = evaluated(&counted, options.limit, analyst, cancel, reporter)?;
    let games_at_odds: Vec<OddsGame> = counted
        .into_iter()
        .filter_map(|game| {
            let (eval, handicap) = evals.get(&game.fen)?;
            Some(OddsGame {
                handicap: handicap.clone(),
                eval: game.receiver.fold_wb(*eval, -eval),
                rating: game.rating,
                player: game.player,
                score: game.score,
                fen: game.fen,
            })
        })
        .collect();
    let mut atlas = OddsAtlas::new(&games_at_odds);
    if !left_out.is_empty() {
        atlas.notes.insert(0, format!("Games left out: {without}."));
    }
    let hashes = InputHashes::start(sources.paths().to_vec());
    atlas.provenance = Some(
        Provenance::of("odds atlas", options)
            .engine(Some(analyst.identity()), options.limit)
            .inputs(hashes.finish(cancel)),
    );
    let outcome = Outcome {
        done: atlas.games,
        ..report.outcome()
    };
    Ok(Finished {
        result: Some(atlas),
        outcome,
    })
}

/// Returns the document as JSON.
pub fn odds_atlas_json(atlas: &OddsAtlas) -> String {
    document(atlas)
}

fn played(game: &GameView<'_>, giver: Option<&str>) -> Result<Played, LeftOut> {
    let fen = game.tag("FEN").ok_or(LeftOut::Equal)?;
    let history = History::from_fen(&fen, None).map_err(|_| LeftOut::Equal)?;
    let [white, black] = Color::ALL.map(|color| material(&history, color));
    let receiver = match white.cmp(&black) {
        std::cmp::Ordering::Greater => Color::White,
        std::cmp::Ordering::Less => Color::Black,
        std::cmp::Ordering::Equal => return Err(LeftOut::Equal),
    };
    let name = |color: Color| {
        let name = game.tag(color.fold_wb("White", "Black"));
        name.unwrap_or_default().into_owned()
    };
    if giver.is_some_and(|part| !name(receiver.other()).to_lowercase().contains(part)) {
        return Err(LeftOut::Giver);
    }
    let GameResult::Known(result) = game.result() else {
        return Err(LeftOut::Unfinished);
    };
    let elo = game.tag(receiver.fold_wb("WhiteElo", "BlackElo"));
    let rating = elo.and_then(|elo| rating(&elo)).ok_or(LeftOut::Unrated)?;
    let score = match result.winner() {
        None => 0.5,
        Some(winner) => f64::from(u8::from(winner == receiver)),
    };
    Ok(Played {
        fen: history.fen(),
        receiver,
        rating,
        player: centipawn_pgn::player_key(&name(receiver)),
        score,
    })
}

fn material(history: &History, color: Color) -> u32 {
    let board = history.position().board();
    let own =
        |role| material_value(role) * (board.by_role(role) & board.by_color(color)).count() as u32;
    Role::ALL.into_iter().map(own).sum()
}

/// Evaluates each start position once. Returns White's evaluation in pawns, and the handicap in
/// words.
fn evaluated(
    games: &[Played],
    limit: Limit,
    analyst: &dyn Analyst,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<BTreeMap<String, (f64, String)>, OddsAtlasError> {
    let starts: BTreeMap<&str, Color> = games
        .iter()
        .map(|game| (&*game.fen, game.receiver))
        .collect();
    let mut progress = Progress {
        unit: Unit::Positions,
        total: Some(starts.len() as u64),
        ..Progress::default()
    };
    let mut evals = BTreeMap::new();
    for (fen, receiver) in starts {
        if cancel.is_set() {
            break;
        }
        reporter.progress(&progress);
        // The text was made from a position, so it is one.
        let Ok(history) = History::from_fen(fen, None) else {
            continue;
        };
        let (handicap, turn) = (handicap(&history, receiver.other()), history.turn());
        let analysis = analyst
            .analyse(&Question::new(history, limit))
            .map_err(|error| OddsAtlasError::Engine {
                fen: fen.to_owned(),
                error,
            })?;
        if let Some(pawns) = analysis.best().map(|line| pawns(line.eval)) {
            evals.insert(fen.to_owned(), (turn.fold_wb(pawns, -pawns), handicap));
        }
        progress.done += 1;
    }
    Ok(evals)
}

/// Returns an evaluation in pawns. A mate counts as more than any evaluation of a start position.
fn pawns(eval: Eval<Mover>) -> f64 {
    const MATE: f64 = 50.0;
    eval.pawns().unwrap_or_else(|| {
        let moves = eval.mate_moves().unwrap_or_default();
        MATE.copysign(f64::from(moves))
    })
}

/// Returns what a side lacks of the usual pieces, in words: `queen`, `two rooks and pawn`.
fn handicap(history: &History, giver: Color) -> String {
    const USUAL: [(Role, usize, &str); 5] = [
        (Role::Queen, 1, "queen"),
        (Role::Rook, 2, "rook"),
        (Role::Bishop, 2, "bishop"),
        (Role::Knight, 2, "knight"),
        (Role::Pawn, 8, "pawn"),
    ];
    const NUMBERS: [&str; 7] = ["two", "three", "four", "five", "six", "seven", "eight"];
    let board = history.position().board();
    let missing = USUAL.into_iter().filter_map(|(role, usual, name)| {
        let own = (board.by_role(role) & board.by_color(giver)).count();
        match usual.saturating_sub(own) {
            0 => None,
            1 => Some(name.to_owned()),
            more => Some(format!("{} {name}s", NUMBERS[(more - 2).min(6)])),
        }
    });
    let missing: Vec<String> = missing.collect();
    match &missing[..] {
        [] => "other".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handicaps_are_named_by_what_is_missing() {
        let of = |fen: &str| handicap(&History::from_fen(fen, None).unwrap(), Color::Black);
        let rest = "/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
        assert_eq!(of(&format!("rnb1kbnr{rest}")), "queen");
        assert_eq!(of(&format!("1nbqkb1r{rest}")), "rook and knight");
        assert_eq!(of(&format!("r1b1kb1r{rest}")), "queen and two knights");
        assert_eq!(of(&format!("rnbqkbnr{rest}")), "other");
    }
}
