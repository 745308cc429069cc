//! Symbol schemes for moves and positions: a fixed one, or one that depends on the players.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Curve, MoveScheme, PositionScheme};

/// A move scheme with a position scheme. As text `s8,s40`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Scheme {
    /// Scheme of the move symbols.
    pub moves: MoveScheme,
    /// The scheme for symbols of positions.
    pub positions: PositionScheme,
}

/// The schemes that `--scheme` selects: a move scheme, fixed or by the players, and a position
/// scheme.
///
/// Parses one or more names, separated by commas: `s20`, `s40,s12`, `auto`. `s7` names both a move
/// and a position scheme; a later name overrides it. Serialises as text, `auto,s40`.
///
/// ```
/// use centipawn_core::{Curve, MoveScheme, PositionScheme, SchemeChoice};
///
/// let choice: SchemeChoice = "s9".parse().unwrap();
/// assert_eq!(choice.to_string(), "auto,s9");
/// let people = Curve::by_name("human", 1.0).unwrap();
/// assert_eq!(choice.scheme(&people).to_string(), "s20,s9");
/// assert_eq!(choice.scheme(&Curve::default()).to_string(), "s8,s9");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SchemeChoice {
    /// Scheme of the move symbols; `None` selects [`S20`](MoveScheme::S20) under the human curve
    /// and [`S8`](MoveScheme::S8) under any other.
    pub moves: Option<MoveScheme>,
    /// Scheme of the position symbols.
    pub positions: PositionScheme,
}

impl SchemeChoice {
    const AUTO: &str = "auto";

    /// Returns the schemes under this curve. For games of people, `s20` agrees best with the
    /// symbols of chess sites; `docs/how-we-know/reviews.md` has the figures.
    pub fn scheme(self, curve: &Curve) -> Scheme {
        let by_curve = if matches!(curve, Curve::Human(_)) {
            MoveScheme::S20
        } else {
            MoveScheme::S8
        };
        Scheme {
            moves: self.moves.unwrap_or(by_curve),
            positions: self.positions,
        }
    }
}

impl FromStr for SchemeChoice {
    type Err = UnknownScheme;

    fn from_str(text: &str) -> Result<Self, UnknownScheme> {
        let mut choice = SchemeChoice::default();
        for name in text.split(',').map(str::trim) {
            let moves = MoveScheme::ALL
                .into_iter()
                .find(|scheme| scheme.name() == name);
            let positions = PositionScheme::ALL
                .into_iter()
                .find(|scheme| scheme.name() == name);
            if name == Self::AUTO {
                choice.moves = None;
            } else if moves.is_none() && positions.is_none() {
                return Err(UnknownScheme(name.to_owned()));
            }
            choice.moves = moves.or(choice.moves);
            choice.positions = positions.unwrap_or(choice.positions);
        }
        Ok(choice)
    }
}

impl FromStr for Scheme {
    type Err = UnknownScheme;

    /// Parses the names of a [`SchemeChoice`]. Without a move scheme, or with `auto`, the move
    /// scheme is [`S8`](MoveScheme::S8).
    fn from_str(text: &str) -> Result<Self, UnknownScheme> {
        let SchemeChoice { moves, positions } = text.parse()?;
        Ok(Scheme {
            moves: moves.unwrap_or_default(),
            positions,
        })
    }
}

impl fmt::Display for SchemeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (moves, positions) = (
            self.moves.map_or(Self::AUTO, MoveScheme::name),
            self.positions.name(),
        );
        // `s7` sets both schemes, so write it first and let the other name override one of them.
        if self.positions == PositionScheme::S7 && self.moves != Some(MoveScheme::S7) {
            write!(f, "{positions},{moves}")
        } else {
            write!(f, "{moves},{positions}")
        }
    }
}

impl From<Scheme> for SchemeChoice {
    fn from(Scheme { moves, positions }: Scheme) -> Self {
        Self {
            moves: Some(moves),
            positions,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SchemeChoice::from(*self).fmt(f)
    }
}

impl From<Scheme> for String {
    fn from(scheme: Scheme) -> String {
        scheme.to_string()
    }
}

impl TryFrom<String> for Scheme {
    type Error = UnknownScheme;

    fn try_from(text: String) -> Result<Self, UnknownScheme> {
        text.parse()
    }
}

impl From<SchemeChoice> for String {
    fn from(choice: SchemeChoice) -> String {
        choice.to_string()
    }
}

impl TryFrom<String> for SchemeChoice {
    type Error = UnknownScheme;

    fn try_from(text: String) -> Result<Self, UnknownScheme> {
        text.parse()
    }
}

/// The text names no scheme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no scheme {0:?}; moves have auto, s7, s8, s20, s12, positions s40, s9, s7 (two may be joined: s20,s9)"
)]
pub struct UnknownScheme(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_parse_from_their_names() {
        assert_eq!(
            "s7".parse(),
            Ok(Scheme {
                moves: MoveScheme::S7,
                positions: PositionScheme::S7
            })
        );
        assert_eq!(
            "s9, s20".parse(),
            Ok(Scheme {
                moves: MoveScheme::S20,
                positions: PositionScheme::S9
            })
        );
        assert_eq!(
            "s13".parse::<SchemeChoice>().unwrap_err(),
            UnknownScheme("s13".into())
        );
        for positions in PositionScheme::ALL {
            for moves in MoveScheme::ALL {
                let scheme = Scheme { moves, positions };
                assert_eq!(scheme.to_string().parse(), Ok(scheme));
                let json = serde_json::to_string(&scheme).unwrap();
                assert_eq!(serde_json::from_str::<Scheme>(&json).unwrap(), scheme);
                assert_eq!(
                    serde_json::from_str::<SchemeChoice>(&json).unwrap(),
                    scheme.into()
                );
            }
            let by_curve = SchemeChoice {
                moves: None,
                positions,
            };
            assert_eq!(by_curve.to_string().parse(), Ok(by_curve));
        }
    }
}
