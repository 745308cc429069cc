//! What may have a value besides a man.

use std::{fmt, str::FromStr};

use super::{Row, collection::Game};

/// Something besides the five sorts of men that may be worth something.
///
/// All but [`OppositeBishops`](Self::OppositeBishops) are what White has less what Black has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// Two bishops or more.
    BishopPair,
    /// Two knights or more.
    KnightPair,
    /// Two rooks or more.
    RookPair,
    /// A queen and a knight.
    QueenKnight,
    /// A pawn at least: the last one is what can still become a queen.
    LastPawn,
    /// To be on move.
    Tempo,
    /// A hundred Elo points. Differences are taken in steps of 25, up to 800; games without both ratings are left out.
    Elo,
    /// One bishop a side, on squares of different colours: how much wider the range is in which games are drawn.
    OppositeBishops,
}

impl Term {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::BishopPair,
        Self::KnightPair,
        Self::RookPair,
        Self::QueenKnight,
        Self::LastPawn,
        Self::Tempo,
        Self::Elo,
        Self::OppositeBishops,
    ];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::BishopPair => "bishop-pair",
            Self::KnightPair => "knight-pair",
            Self::RookPair => "rook-pair",
            Self::QueenKnight => "queen-knight",
            Self::LastPawn => "last-pawn",
            Self::Tempo => "tempo",
            Self::Elo => "elo",
            Self::OppositeBishops => "opposite-bishops",
        }
    }

    /// Whether it changes how often games are drawn, rather than who wins.
    pub fn is_of_draws(self) -> bool {
        self == Self::OppositeBishops
    }

    /// Its value in steps of [`unit`](Self::unit); `None` if it is not known.
    pub(super) fn steps(self, row: Row, game: &Game) -> Option<i8> {
        let both = |has: &dyn Fn(usize) -> bool| i8::from(has(0)) - i8::from(has(5));
        Some(match self {
            Self::BishopPair => both(&|side| row.count(side + 2) >= 2),
            Self::KnightPair => both(&|side| row.count(side + 1) >= 2),
            Self::RookPair => both(&|side| row.count(side + 3) >= 2),
            Self::QueenKnight => both(&|side| row.count(side + 4) >= 1 && row.count(side + 1) >= 1),
            Self::LastPawn => both(&|side| row.count(side) >= 1),
            Self::Tempo => row.turn().fold_wb(1, -1),
            Self::OppositeBishops => i8::from(row.has_opposite_bishops()),
            Self::Elo => {
                let [white, black] = game.elo;
                if white == 0 || black == 0 {
                    return None;
                }
                let difference = (f64::from(white) - f64::from(black)).clamp(-800.0, 800.0);
                (difference / 25.0).round() as i8
            }
        })
    }

    /// What a step of it is.
    pub(super) fn unit(self) -> f64 {
        if self == Self::Elo { 0.25 } else { 1.0 }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Term {
    type Err = UnknownTerm;

    fn from_str(name: &str) -> Result<Self, UnknownTerm> {
        let known = Self::ALL.into_iter().find(|term| term.name().eq_ignore_ascii_case(name.trim()));
        known.ok_or_else(|| UnknownTerm(name.to_owned()))
    }
}

/// A name that is no term's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no term; terms are {names}", names = Term::ALL.map(Term::name).join(", "))]
pub struct UnknownTerm(pub String);
