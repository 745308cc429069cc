//! Terms: features other than pieces that may have a value.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    Row,
    collection::Game,
    structure::{FEATURES, Structure},
};

/// Declares the terms with their names.
macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident: $name:literal;)*) => {
        /// A feature other than the five kinds of pieces that may have a value.
        ///
        /// Every term except [`OppositeBishops`](Self::OppositeBishops) counts White's feature
        /// minus Black's. Ranks are counted from the side's own first rank.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Term {
            $($(#[$doc])* $term,)*
        }

        impl Term {
            /// All terms, those of the structure last.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$term),*];

            /// Returns the name on the command line and in files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$term => $name,)*
                }
            }
        }
    };
}

terms! {
    /// The bishop pair: two bishops or more.
    BishopPair: "bishop-pair";
    /// Two knights or more.
    KnightPair: "knight-pair";
    /// Two rooks or more.
    RookPair: "rook-pair";
    /// Both a queen and a knight.
    QueenKnight: "queen-knight";
    /// At least one pawn. The last pawn has an extra value because it can still promote.
    LastPawn: "last-pawn";
    /// The right to move.
    Tempo: "tempo";
    /// Rating difference in hundreds of Elo points, in steps of 25 points up to 800. Games without
    /// both ratings are left out.
    Elo: "elo";
    /// One bishop on each side, on squares of different colours. It changes the width of draws, not
    /// the advantage.
    OppositeBishops: "opposite-bishops";
    /// Passed pawns on the fourth rank or behind it: no enemy pawn stands in front of them on their
    /// file or those beside it, and no own pawn on their file.
    PassedPawn4: "passed-pawn-4";
    /// Passed pawns on the fifth rank.
    PassedPawn5: "passed-pawn-5";
    /// Passed pawns on the sixth rank.
    PassedPawn6: "passed-pawn-6";
    /// Passed pawns on the seventh rank.
    PassedPawn7: "passed-pawn-7";
    /// Pawns without an own pawn on the files beside them.
    IsolatedPawn: "isolated-pawn";
    /// Pawns behind another own pawn on the same file.
    DoubledPawn: "doubled-pawn";
    /// Pawns that are not isolated, with no own pawn beside or behind them on the files beside
    /// them, and an enemy pawn attacks the square in front.
    BackwardPawn: "backward-pawn";
    /// Pairs of pawns that stand side by side.
    PawnPhalanx: "pawn-phalanx";
    /// Own pawns on squares of the colour of a bishop, counted for each bishop.
    BadBishop: "bad-bishop";
    /// A bishop on g2 or b2 with the king castled behind it.
    Fianchetto: "fianchetto";
    /// Knights on the fourth to sixth rank that an own pawn protects and no enemy pawn can ever
    /// attack.
    KnightOutpost: "knight-outpost";
    /// Knights on the a-file or h-file.
    RimKnight: "rim-knight";
    /// Rooks on files without pawns.
    OpenFileRook: "open-file-rook";
    /// Rooks on files with enemy pawns only.
    HalfOpenRook: "half-open-rook";
    /// Rooks on the seventh rank.
    SeventhRankRook: "seventh-rank-rook";
    /// Own pawns on the two ranks in front of the king, on its file and those beside it.
    KingShield: "king-shield";
    /// Files without own pawns among the king's file and those beside it.
    KingOpenFile: "king-open-file";
    /// Knights, bishops, rooks and queens that attack a square beside the enemy king.
    KingAttackers: "king-attackers";
    /// Squares of the files c to f and ranks 2 to 4 without an own pawn that no enemy pawn attacks.
    Space: "space";
    /// Squares that knights, bishops, rooks and queens can reach, except those that enemy pawns
    /// attack.
    Mobility: "mobility";
}

/// The word for all terms of the structure.
const STRUCTURE: &str = "structure";

impl Term {
    /// The terms of the structure of a position, which [`CountOptions::structure`] collects.
    ///
    /// [`CountOptions::structure`]: super::CountOptions::structure
    pub const STRUCTURE: [Self; FEATURES] = {
        let mut terms = [Self::BishopPair; FEATURES];
        let mut index = 0;
        while index < FEATURES {
            terms[index] = Self::ALL[Self::ALL.len() - FEATURES + index];
            index += 1;
        }
        terms
    };

    /// Returns the terms of a name: one, or all terms of the structure for `structure`.
    ///
    /// # Errors
    ///
    /// [`UnknownTerm`].
    pub fn named(name: &str) -> Result<Vec<Self>, UnknownTerm> {
        if name.trim().eq_ignore_ascii_case(STRUCTURE) {
            return Ok(Self::STRUCTURE.to_vec());
        }
        Ok(vec![name.parse()?])
    }

    /// Returns the place of the term in [`STRUCTURE`](Self::STRUCTURE); `None` if it does not
    /// belong to the structure.
    pub(super) fn structure_place(self) -> Option<usize> {
        Self::STRUCTURE.iter().position(|term| *term == self)
    }

    /// Returns whether the term belongs to the structure of a position.
    pub fn is_of_structure(self) -> bool {
        self.structure_place().is_some()
    }

    /// Returns whether the term changes the frequency of draws instead of the advantage.
    pub(crate) fn is_of_draws(self) -> bool {
        self == Self::OppositeBishops
    }

    /// Returns the value of the term in a row; `None` if it is unknown. `structure` is that of the
    /// position, if it was collected.
    pub(super) fn value(self, row: Row, game: &Game, structure: Option<&Structure>) -> Option<f32> {
        let both = |has: &dyn Fn(usize) -> bool| f32::from(i8::from(has(0)) - i8::from(has(5)));
        Some(match self {
            Self::BishopPair => both(&|side| row.count(side + 2) >= 2),
            Self::KnightPair => both(&|side| row.count(side + 1) >= 2),
            Self::RookPair => both(&|side| row.count(side + 3) >= 2),
            Self::QueenKnight => both(&|side| row.count(side + 4) >= 1 && row.count(side + 1) >= 1),
            Self::LastPawn => both(&|side| row.count(side) >= 1),
            Self::Tempo => row.turn().fold_wb(1.0, -1.0),
            Self::OppositeBishops => f32::from(u8::from(row.has_opposite_bishops())),
            Self::Elo => {
                let [white, black] = game.elo;
                if white == 0 || black == 0 {
                    return None;
                }
                let difference = (f32::from(white) - f32::from(black)).clamp(-800.0, 800.0);
                (difference / 25.0).round() / 4.0
            }
            _ => f32::from(structure?[self.structure_place()?]),
        })
    }
}

impl Serialize for Term {
    /// Serialises as the name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Term {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
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
#[error(
    "{0:?} is not a term; terms are {names}, and {STRUCTURE} for all from passed-pawn-4 on",
    names = Term::ALL.map(Term::name).join(", ")
)]
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
            let row = Row::new(&board, board.material(), 9, 0);
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
            let plain = Term::ALL.into_iter().filter(|term| !term.is_of_structure());
            plain
                .map(|term| term.value(row, &game, None))
                .collect::<Vec<_>>()
        };
        let some = |values: [f32; 8]| values.map(Some);
        // In this order: bishop, knight and rook pair, queen with knight, last pawn, tempo, rating,
        // opposite bishops.
        assert_eq!(
            steps(
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                [2000, 2000]
            ),
            some([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
        );
        assert_eq!(
            steps("rnq1k3/8/2b5/8/8/8/P7/B1B1KRR1 b - - 0 1", [2105, 2000]),
            some([1.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 0.0])
        );
        assert_eq!(
            steps("4k3/8/2b5/8/8/8/8/2B1K1NN w - - 0 1", [3000, 100]),
            some([0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 8.0, 1.0])
        );
        assert_eq!(steps("4k3/8/8/8/8/8/8/4K3 w - - 0 1", [0, 100])[6], None);
        assert!(
            Term::ALL
                .into_iter()
                .all(|term| term.name().parse() == Ok(term))
        );
        assert_eq!(Term::named("Structure"), Ok(Term::STRUCTURE.to_vec()));
        assert_eq!(Term::STRUCTURE[0], Term::PassedPawn4);
    }
}
