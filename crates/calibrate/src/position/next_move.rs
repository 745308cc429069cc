//! A move in two bytes, ordered like its text.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shakmaty::{Role, Square, uci::UciMove};

/// The move that was played in a position, or the end of the game.
///
/// As text it is the move in UCI notation, or empty for the end of a game. Moves are ordered by
/// their texts.
///
/// ```
/// use centipawn_calibrate::position::NextMove;
///
/// let mv: NextMove = "e7e8q".parse()?;
/// assert_eq!((mv.to_string(), NextMove::END.to_string()), ("e7e8q".to_owned(), String::new()));
/// assert!(NextMove::END < "a2a4".parse()? && "a2a4".parse::<NextMove>()? < mv);
/// # Ok::<_, centipawn_calibrate::position::BadMove>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NextMove(u16);

/// The text is not a [`NextMove`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a move is written as in UCI: e2e4, e7e8q; nothing stands for the end of the game")]
pub struct BadMove;

/// The roles to promote to, in the order of their letters. Index 0 stands for no promotion.
const PROMOTIONS: [Option<Role>; 5] = [
    None,
    Some(Role::Bishop),
    Some(Role::Knight),
    Some(Role::Queen),
    Some(Role::Rook),
];

impl NextMove {
    /// No move, because the game ended in the position.
    pub const END: Self = Self(0);
    /// All codes are below this number.
    pub const CODES: u16 = 1 << 15;

    /// Returns a number that identifies the move. Codes have the order of the moves.
    pub fn code(self) -> u16 {
        self.0
    }

    /// Returns the move with this [code](Self::code); `None` if there is none.
    pub fn of_code(code: u16) -> Option<Self> {
        let is_move = code < Self::CODES && code & 7 < 5 && code >> 9 != code >> 3 & 63;
        (code == 0 || is_move).then_some(Self(code))
    }

    /// Returns the move; `None` if the game ended.
    pub fn uci(self) -> Option<UciMove> {
        if self == Self::END {
            return None;
        }
        let square = |code: u16| {
            Square::from_coords(
                shakmaty::File::new(u32::from(code >> 3 & 7)),
                shakmaty::Rank::new(u32::from(code & 7)),
            )
        };
        let promotion = PROMOTIONS.get(usize::from(self.0 & 7)).copied().flatten();
        Some(UciMove::Normal {
            from: square(self.0 >> 9),
            to: square(self.0 >> 3),
            promotion,
        })
    }
}

impl From<UciMove> for NextMove {
    /// Converts a move. Null moves and drops do not exist in standard chess, so they count as the
    /// end of the game.
    fn from(mv: UciMove) -> Self {
        let UciMove::Normal {
            from,
            to,
            promotion,
        } = mv
        else {
            return Self::END;
        };
        let square = |square: Square| (square.file() as u16) << 3 | square.rank() as u16;
        let promotion = PROMOTIONS
            .iter()
            .position(|role| *role == promotion)
            .unwrap_or(0) as u16;
        Self(square(from) << 9 | square(to) << 3 | promotion)
    }
}

impl fmt::Display for NextMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.uci() {
            Some(uci) => f.pad(&uci.to_string()),
            None => f.pad(""),
        }
    }
}

impl FromStr for NextMove {
    type Err = BadMove;

    fn from_str(text: &str) -> Result<Self, BadMove> {
        if text.is_empty() {
            return Ok(Self::END);
        }
        match text.parse() {
            Ok(
                uci @ UciMove::Normal {
                    from,
                    to,
                    promotion,
                },
            ) if from != to && PROMOTIONS.contains(&promotion) => Ok(Self::from(uci)),
            _ => Err(BadMove),
        }
    }
}

impl Serialize for NextMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NextMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_order_of_texts() {
        let all: Vec<NextMove> = (0..u16::MAX).filter_map(NextMove::of_code).collect();
        assert_eq!(all.len(), 1 + 64 * 63 * 5);
        let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert!(texts.is_sorted());
        for (mv, text) in all.into_iter().zip(&texts) {
            assert_eq!(text.parse(), Ok(mv), "{text}");
        }
        for wrong in ["e2", "e2e9", "0000", "P@e4", "e7e8k", "e2e2", "e2e4 "] {
            assert_eq!(wrong.parse::<NextMove>(), Err(BadMove), "{wrong}");
        }
    }
}
