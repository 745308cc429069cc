//! Terms: features other than pieces that may have a value.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{Row, collection::Game};

/// A feature other than the five kinds of pieces that may have a value.
///
/// Every term except [`OppositeBishops`](Self::OppositeBishops) counts White's feature minus
/// Black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Term {
    /// The bishop pair: two bishops or more.
    BishopPair,
    /// Two knights or more.
    KnightPair,
    /// Two rooks or more.
    RookPair,
    /// Both a queen and a knight.
    QueenKnight,
    /// At least one pawn. The last pawn has an extra value because it can still promote.
    LastPawn,
    /// The right to move.
    Tempo,
    /// Rating difference in hundreds of Elo points, in steps of 25 points up to 800. Games without
    /// both ratings are left out.
    Elo,
    /// One bishop on each side, on squares of different colours. It changes the width of draws, not
    /// the advantage.
    OppositeBishops,
}

impl Term {
    /// All terms.
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

    /// Returns the name on the command line and in files.
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

    /// Returns whether the term changes the frequency of draws instead of the advantage.
    pub(crate) fn is_of_draws(self) -> bool {
        self == Self::OppositeBishops
    }

    /// Returns the value of the term in a row, in steps of [`unit`](Self::unit); `None` if it is
    /// unknown.
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

    /// Returns the size of one step of the term's value.
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
        let known = Self::ALL
            .into_iter()
            .find(|term| term.name().eq_ignore_ascii_case(name.trim()));
        known.ok_or_else(|| UnknownTerm(name.to_owned()))
    }
}

/// The text names no term.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a term; terms are {names}", names = Term::ALL.map(Term::name).join(", "))]
pub struct UnknownTerm(pub String);

#[cfg(test)]
mod tests {
    use centipawn_pgn::Board;

    use super::*;
    use crate::material::GameResult;

    #[test]
    fn terms_of_positions_have_their_values() {
        let steps = |fen: &str, elo: [u16; 2]| {
            let setup: shakmaty::fen::Fen = fen.parse().unwrap();
            let position: shakmaty::Chess = setup
                .into_position(shakmaty::CastlingMode::Standard)
                .unwrap();
            let board = Board::from(&position);
            let row = Row::new(&board, board.material(), 9);
            let game = Game {
                end: 1,
                result: GameResult::Draw,
                is_unfinished: false,
                elo,
                year: 0,
                event: 0,
                players: [0; 2],
                place: (0, 0),
            };
            Term::ALL.map(|term| term.steps(row, &game))
        };
        let some = |values: [i8; 8]| values.map(Some);
        // In this order: bishop, knight and rook pair, queen with knight, last pawn, tempo, rating,
        // opposite bishops.
        assert_eq!(
            steps(
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                [2000, 2000]
            ),
            some([0, 0, 0, 0, 0, 1, 0, 0])
        );
        assert_eq!(
            steps("rnq1k3/8/2b5/8/8/8/P7/B1B1KRR1 b - - 0 1", [2105, 2000]),
            some([1, 0, 1, -1, 1, -1, 4, 0])
        );
        assert_eq!(
            steps("4k3/8/2b5/8/8/8/8/2B1K1NN w - - 0 1", [3000, 100]),
            some([0, 1, 0, 0, 0, 1, 32, 1])
        );
        assert_eq!(steps("4k3/8/8/8/8/8/8/4K3 w - - 0 1", [0, 100])[6], None);
        assert!(
            Term::ALL
                .into_iter()
                .all(|term| term.name().parse() == Ok(term))
        );
    }
}
