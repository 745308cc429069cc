//! What players of a level would play.

use centipawn_policy::{Network, NetworkError};

use crate::Puzzle;

/// Players of a rating, as the network in the program imitates them.
#[derive(Debug)]
pub struct LevelPlayers {
    network: Network,
    level: u32,
    note: Option<String>,
}

impl LevelPlayers {
    /// Players of the level nearest to a Lichess rating; [`note`](Self::note) reports another rating.
    ///
    /// # Errors
    ///
    /// Those of [`Network::bundled`]: none, unless the program was built wrongly.
    pub fn new(rating: u32) -> Result<Self, NetworkError> {
        let network = Network::bundled()?;
        let level = network.nearest_level(rating).unwrap_or(rating);
        let note = network.level_note(rating);
        Ok(Self { network, level, note })
    }

    /// The replacement for a rating that the network cannot imitate; `None` for any other.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// What share of these players finds the first move, and the favourite of the others: `31 % of players rated 1500 find Nxe4;
    /// 40 % play Bb5`. `None` if the network fails.
    pub fn find(&self, puzzle: &Puzzle) -> Option<String> {
        let shown = puzzle.shown();
        let solution = puzzle.solution.moves().nth(1)?;
        let evaluation = self.network.evaluate_at(&shown, self.level).ok()?;
        let favourite = evaluation.moves.first()?;
        let found = evaluation.moves.iter().find(|entry| entry.mv == solution)?.probability;
        let other = if favourite.mv == solution {
            String::new()
        } else {
            format!("; {:.0} % play {}", 100.0 * favourite.probability, shown.san(favourite.mv))
        };
        Some(format!("{:.0} % of players rated {} find {}{other}", 100.0 * found, self.level, shown.san(solution)))
    }
}
