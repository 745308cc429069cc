//! Engine work on some games or positions, as a task.

use centipawn_core::History;
use centipawn_engine::{Analyst, AnalystError, Identity};
use centipawn_pgn::{Game, Reader};
use centipawn_policy::Network;
use centipawn_progress::Cancel;
use centipawn_store::Transcript;
use serde::{Deserialize, Serialize};

use crate::{
    AnalystSpec,
    engine::{Recipe, parse_position, perform, perform_position},
};

/// Engine work on games or positions; the texts of these are the blocks of the task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamesTask {
    /// The recipe of the work.
    pub recipe: Recipe,
    /// The engine and tables that the worker opens.
    pub analyst: AnalystSpec,
    /// The identity that the worker's engine must have.
    pub identity: Identity,
    /// Policy networks.
    pub networks: Vec<WantedNetwork>,
    /// The required answer of the worker's engine to the test question; `None` for an engine whose
    /// answers vary.
    pub test_answer: Option<String>,
    /// The kinds of the texts, in order.
    pub items: Vec<ItemKind>,
}

/// A policy network that a worker needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedNetwork {
    /// The name or path of the network.
    pub name: String,
    /// SHA-256 of the network's file, hexadecimal.
    pub sha256: String,
}

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// A game in PGN.
    Game,
    /// A position: FEN and moves.
    Position,
}

/// The results of a [`GamesTask`], in its order: the reason for an item that failed; otherwise the
/// next block is its transcript.
pub(super) type GamesAnswer = Vec<Option<String>>;

/// Returns a position as text, which [`parse_position`] reads.
pub(super) fn position_text(position: &History) -> String {
    let mut before = History::new(position.start().clone(), position.mode());
    let mut text = format!("{} moves", position.start_fen());
    for &mv in position.moves() {
        text += &format!(" {}", before.uci(mv));
        before.push(mv);
    }
    if position.moves().is_empty() {
        position.start_fen()
    } else {
        text
    }
}

/// Reads the only game of a text.
///
/// # Errors
///
/// What is wrong with the game, or that there is none, or more than one.
pub fn read_game(text: &[u8]) -> Result<Game, String> {
    let mut games = Reader::new(text);
    let read = games.next().ok_or("there is no game")?;
    let game = read
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())?;
    if games.next().is_some() {
        Err("there is more than one game".to_owned())
    } else {
        Ok(game)
    }
}

/// Asks the questions of an item.
fn answers(
    (kind, text): (ItemKind, &[u8]),
    recipe: &Recipe,
    analyst: &dyn Analyst,
    networks: &[Network],
    cancel: &Cancel,
) -> Result<Transcript, String> {
    let performed: Option<Result<(Transcript, u64), AnalystError>> = match kind {
        ItemKind::Game => perform(recipe, read_game(text)?, analyst, networks, cancel),
        ItemKind::Position => {
            let text = String::from_utf8_lossy(text);
            let position = parse_position(&text).map_err(|error| error.to_string())?;
            perform_position(recipe, position, analyst, networks, cancel)
        }
    };
    let (transcript, _) = performed
        .ok_or("the worker ends")?
        .map_err(|error| error.to_string())?;
    Ok(transcript)
}

impl GamesTask {
    /// Asks the questions of all items; an item that fails costs only itself.
    pub(super) fn perform(
        &self,
        texts: &[Vec<u8>],
        analyst: &dyn Analyst,
        networks: &[Network],
        cancel: &Cancel,
    ) -> (GamesAnswer, Vec<Vec<u8>>) {
        let (mut results, mut transcripts) = (Vec::new(), Vec::new());
        for (kind, text) in self.items.iter().zip(texts) {
            match answers((*kind, text), &self.recipe, analyst, networks, cancel) {
                Ok(transcript) => {
                    results.push(None);
                    transcripts.push(transcript.to_bytes());
                }
                Err(reason) => results.push(Some(reason)),
            }
        }
        (results, transcripts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_back_with_their_moves() {
        for text in [
            "startpos",
            "startpos moves e2e4 e7e5 g1f3",
            "8/8/4k3/8/8/8/3R4/4K3 b - - 5 40 moves e6e5",
        ] {
            let position = parse_position(text).unwrap();
            let back = parse_position(&position_text(&position)).unwrap();
            assert_eq!(
                (back.start_fen(), back.moves()),
                (position.start_fen(), position.moves()),
                "{text}"
            );
        }
    }

    #[test]
    fn one_text_is_one_game() {
        assert!(read_game(b"1. e4 *").is_ok());
        for bad in ["", "1. e5 *", "1. e4 *\n\n1. d4 *"] {
            assert!(read_game(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
