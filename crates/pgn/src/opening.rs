//! Names of openings.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use shakmaty::{Chess, Position as _, san::San};

use crate::{Game, position_key};

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
    /// The English name of the opening: `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
    /// Number of plies up to the position with this name.
    pub plies: usize,
}

/// The positions of the table.
struct Openings {
    named: HashMap<u64, (&'static str, &'static str)>,
    /// The positions on the lines to named ones, with these and the start.
    lines: HashSet<u64>,
    /// Number of plies up to the deepest named position.
    longest: usize,
}

static OPENINGS: LazyLock<Openings> = LazyLock::new(|| {
    let mut openings = Openings {
        named: HashMap::new(),
        lines: HashSet::from([position_key(&Chess::default())]),
        longest: 0,
    };
    for line in TABLE.lines() {
        let mut columns = line.split('\t');
        let (Some(eco), Some(name), Some(moves)) = (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let mut position = Chess::default();
        let mut plies = 0;
        for san in moves.split(' ') {
            let Some(mv) = san
                .parse::<San>()
                .ok()
                .and_then(|san| san.to_move(&position).ok())
            else {
                break;
            };
            position.play_unchecked(mv);
            plies += 1;
            openings.lines.insert(position_key(&position));
        }
        openings
            .named
            .entry(position_key(&position))
            .or_insert((eco, name));
        openings.longest = openings.longest.max(plies);
    }
    openings
});

/// Returns the positions after the first moves of a game, as far as one may be named; none from
/// another start position.
fn positions(game: &Game) -> impl Iterator<Item = u64> {
    let mut position = game.start.position().clone();
    let most = if game.start.is_from_startpos() {
        OPENINGS.longest
    } else {
        0
    };
    game.plies.iter().take(most).map(move |ply| {
        position.play_unchecked(ply.mv);
        position_key(&position)
    })
}

impl Opening {
    /// Returns the name of the game's last named position, so transpositions are recognised. `None`
    /// for a game from another start position, and for a game without a named position.
    pub fn of(game: &Game) -> Option<Self> {
        let named = |(index, key)| {
            let &(eco, name) = OPENINGS.named.get(&key)?;
            Some(Opening {
                eco,
                name,
                plies: index + 1,
            })
        };
        positions(game).enumerate().filter_map(named).last()
    }

    /// Returns which of the game's first moves, up to its last named position, belong to the table:
    /// those that lead from a position on one of its lines to another. The order of the moves does
    /// not matter, but a move off the lines or back to them does not belong to it.
    ///
    /// ```
    /// use centipawn_pgn::{Opening, Reader};
    ///
    /// let pgn = "1. e4 e5 2. Nf3 Nc6 3. Ng1 Nb8 4. Nf3 Nc6 *";
    /// let game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
    /// assert_eq!(Opening::theory(&game), [true, true, true, true, false, false, true, true]);
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn theory(game: &Game) -> Vec<bool> {
        let plies = Self::of(game).map_or(0, |opening| opening.plies);
        let mut was_on_line = true;
        let is_theory = |key| {
            let is_on_line = OPENINGS.lines.contains(&key);
            std::mem::replace(&mut was_on_line, is_on_line) && is_on_line
        };
        positions(game).take(plies).map(is_theory).collect()
    }

    /// Returns the name without its variations: `Sicilian Defense`.
    pub fn family(&self) -> &'static str {
        self.name
            .split_once(':')
            .map_or(self.name, |(family, _)| family)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::Reader;

    /// Every line of the table is legal and has a code.
    #[test]
    fn the_table_is_sound() {
        for line in TABLE.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let [eco, name, moves] = columns[..] else {
                panic!("{line}")
            };
            assert!(
                matches!(eco.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']),
                "{line}"
            );
            assert!(!name.is_empty());
            let mut position = Chess::default();
            for san in moves.split(' ') {
                let mv = san
                    .parse::<San>()
                    .unwrap()
                    .to_move(&position)
                    .unwrap_or_else(|error| panic!("{line}: {error}"));
                position.play_unchecked(mv);
            }
        }
        assert!(OPENINGS.named.len() > 3500);
    }

    /// Returns the moves of a game that do not belong to the table, up to its last named position.
    fn strange(moves: &str) -> Vec<String> {
        let game = Reader::new(moves.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        let moves = game.mainline().zip(Opening::theory(&game));
        moves
            .filter(|(_, is_theory)| !is_theory)
            .map(|((before, ply), _)| before.numbered(ply.mv))
            .collect()
    }

    #[test]
    fn theory_leads_from_line_to_line() {
        let spanish = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6";
        assert_eq!(strange(spanish), [""; 0]);
        // A Grünfeld Defence that transposes from the English Opening.
        let grünfeld = "1. Nf3 Nf6 2. c4 g6 3. Nc3 d5 4. d4 Bg7 5. e3";
        assert_eq!(strange(grünfeld), ["3... d5", "4. d4"]);
        let time_lost = "1. e4 e5 2. Nf3 Nc6 3. Ng1 Nb8 4. Nf3 Nc6 5. Bb5";
        assert_eq!(strange(time_lost), ["3. Ng1", "3... Nb8"]);
        // Moves on a line after the last named position are not counted.
        let named = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O b5 6. Bb3 Rb8";
        let game = Reader::new(named.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(
            Opening::theory(&game).len(),
            Opening::of(&game).unwrap().plies
        );
    }

    #[test]
    fn other_starts_have_no_name() {
        let start = centipawn_core::History::from_fen(
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            Some(CastlingMode::Standard),
        );
        let game = Game::from_start(&start.unwrap());
        assert_eq!(
            (Opening::of(&game), Opening::theory(&game)),
            (None, Vec::new())
        );
        assert_eq!(Opening::of(&Game::default()), None);
    }
}
