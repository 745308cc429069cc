//! Names of openings.

use std::{collections::HashMap, sync::LazyLock};

use shakmaty::{Chess, EnPassantMode, Position as _, san::San, zobrist::Zobrist64};

use crate::Game;

/// Code, name and moves of every opening; `data/README.md` names the source.
const TABLE: &str = include_str!("../data/openings.tsv");

/// The opening of a game.
///
/// ```
/// use centipawn_pgn::{Opening, Reader};
///
/// let pgn = "1. Nf3 d5 2. d4 Nf6 3. c4 e6 4. Nc3 Be7 *";
/// let game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
/// let opening = Opening::of(&game).unwrap();
/// assert_eq!((opening.eco, opening.plies), ("D37", 7)); // by another order of moves
/// assert_eq!(opening.name, "Queen's Gambit Declined: Three Knights Variation");
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// The code of the Encyclopaedia of Chess Openings, `A00` to `E99`.
    pub eco: &'static str,
    /// Its English name: `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
    /// Plies up to the position with this name.
    pub plies: usize,
}

/// Named positions.
struct Openings {
    named: HashMap<u64, (&'static str, &'static str)>,
    /// Plies up to the deepest named position.
    longest: usize,
}

static OPENINGS: LazyLock<Openings> = LazyLock::new(|| {
    let mut openings = Openings { named: HashMap::new(), longest: 0 };
    for line in TABLE.lines() {
        let mut columns = line.split('\t');
        let (Some(eco), Some(name), Some(moves)) = (columns.next(), columns.next(), columns.next()) else { continue };
        let mut position = Chess::default();
        let mut plies = 0;
        for san in moves.split(' ') {
            let Some(mv) = san.parse::<San>().ok().and_then(|san| san.to_move(&position).ok()) else { break };
            position.play_unchecked(mv);
            plies += 1;
        }
        openings.named.entry(key(&position)).or_insert((eco, name));
        openings.longest = openings.longest.max(plies);
    }
    openings
});

fn key(position: &Chess) -> u64 {
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
    key
}

impl Opening {
    /// The name of the game's last named position, so transpositions are recognised. `None` for a game from another
    /// start position, and for a game without a named position.
    pub fn of(game: &Game) -> Option<Self> {
        if !game.start.is_from_startpos() {
            return None;
        }
        let openings = &*OPENINGS;
        let mut position = game.start.position().clone();
        let mut last = None;
        for (index, ply) in game.plies.iter().take(openings.longest).enumerate() {
            position.play_unchecked(ply.mv);
            if let Some(&(eco, name)) = openings.named.get(&key(&position)) {
                last = Some(Opening { eco, name, plies: index + 1 });
            }
        }
        last
    }

    /// The name without its variations: `Sicilian Defense`.
    pub fn family(&self) -> &'static str {
        self.name.split_once(':').map_or(self.name, |(family, _)| family)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    /// Every line of the table is legal and has a code.
    #[test]
    fn the_table_is_sound() {
        for line in TABLE.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let [eco, name, moves] = columns[..] else { panic!("{line}") };
            assert!(matches!(eco.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']), "{line}");
            assert!(!name.is_empty());
            let mut position = Chess::default();
            for san in moves.split(' ') {
                let mv =
                    san.parse::<San>().unwrap().to_move(&position).unwrap_or_else(|error| panic!("{line}: {error}"));
                position.play_unchecked(mv);
            }
        }
        assert!(OPENINGS.named.len() > 3500);
    }

    #[test]
    fn other_starts_have_no_name() {
        let start = centipawn_core::History::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", Some(CastlingMode::Standard));
        assert_eq!(Opening::of(&Game::from_start(&start.unwrap())), None);
        assert_eq!(Opening::of(&Game::default()), None);
    }
}
