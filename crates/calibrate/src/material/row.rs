//! The record of a quiet position.

use centipawn_pgn::{Board, Material};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Role, Square};

/// White's pieces minus Black's: pawns, knights, bishops, rooks, queens.
pub type Differences = [i8; 5];

/// Number of bits of a field of [`Row`].
const WIDTH: u32 = 6;
const BLACK_TO_MOVE: u64 = 1 << 60;
const OPPOSITE_BISHOPS: u64 = 1 << 61;

/// Expected scores are stored as multiples of 1/200.
pub(super) const SCORE_UNIT: u8 = 200;
const NO_SCORE: u8 = u8::MAX;

/// A quiet position whose material differs from that of the game's previous row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Ten counts of pieces, White's first, then flags and the score.
    packed: u64,
    /// Number of plies played before the position.
    pub ply: u16,
    score: u8,
    /// The place of its features besides the pieces in the [`RowFeatures`] of the collection.
    ///
    /// [`RowFeatures`]: super::row_features::RowFeatures
    pub(super) features: u32,
}

impl Row {
    /// Creates the row of a position; `features` is its place among the rows of the collection.
    pub(super) fn new(board: &Board, material: Material, ply: usize, features: usize) -> Self {
        let counts = material.counts();
        let mut packed = pack(counts.map(|count| count.min(62)));
        if board.turn().is_black() {
            packed |= BLACK_TO_MOVE;
        }
        if counts[2] == 1 && counts[7] == 1 && bishops_differ(board) {
            packed |= OPPOSITE_BISHOPS;
        }
        Self {
            packed,
            ply: u16::try_from(ply).unwrap_or(u16::MAX),
            score: NO_SCORE,
            features: features as u32,
        }
    }

    /// Returns a row from a file that has only differences. It counts as if nothing else were on
    /// the board.
    pub(super) fn bare(difference: Differences, ply: u16) -> Self {
        let mut counts = [0; 10];
        for (index, difference) in difference.into_iter().enumerate() {
            let side = if difference > 0 { index } else { index + 5 };
            counts[side] = difference.unsigned_abs().min(62);
        }
        Self {
            packed: pack(counts),
            ply,
            score: NO_SCORE,
            features: 0,
        }
    }

    /// Returns the same row with another place of its features.
    pub(super) fn at(self, features: u32) -> Self {
        Self { features, ..self }
    }

    /// Returns whether the score, if there is one, is within 0..=1.
    pub(super) fn is_sound(self) -> bool {
        self.score <= SCORE_UNIT || self.score == NO_SCORE
    }

    /// Returns all fields packed into one number.
    pub(super) fn packed(self) -> u64 {
        self.packed.rotate_left(2) ^ u64::from(self.score) << 48
    }

    /// Returns White's pieces minus Black's, in the order pawns, knights, bishops, rooks, queens.
    pub fn difference(self) -> Differences {
        std::array::from_fn(|index| self.count(index) as i8 - self.count(index + 5) as i8)
    }

    /// Returns the number of pieces of a kind. Indices 0 to 4 are White's pawns, knights, bishops,
    /// rooks and queens, 5 to 9 Black's.
    pub(super) fn count(self, index: usize) -> u8 {
        (self.packed >> (WIDTH * index as u32)) as u8 & ((1 << WIDTH) - 1)
    }

    /// Returns the number of knights, bishops, rooks and queens of both sides: 14 at the start.
    pub(super) fn pieces(self) -> u32 {
        (0..10)
            .filter(|index| index % 5 != 0)
            .map(|index| u32::from(self.count(index)))
            .sum()
    }

    pub(super) fn turn(self) -> Color {
        if self.packed & BLACK_TO_MOVE == 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// Returns whether each side has one bishop, on squares of different colours.
    pub(super) fn has_opposite_bishops(self) -> bool {
        self.packed & OPPOSITE_BISHOPS != 0
    }

    /// Returns White's expected score by a search, as a multiple of 1/[`SCORE_UNIT`]; `None` if the
    /// row has none.
    pub(super) fn score(self) -> Option<u8> {
        (self.score != NO_SCORE).then_some(self.score)
    }

    /// Adds White's expected score by a search, 0..=1.
    pub(super) fn with_score(self, score: f64) -> Self {
        Self {
            score: (score.clamp(0.0, 1.0) * f64::from(SCORE_UNIT)).round() as u8,
            ..self
        }
    }
}

fn pack(counts: [u8; 10]) -> u64 {
    counts
        .into_iter()
        .rev()
        .fold(0, |packed, count| packed << WIDTH | u64::from(count))
}

/// Returns whether the bishops, one of each side, stand on squares of different colours.
fn bishops_differ(board: &Board) -> bool {
    let bishops = Square::ALL.into_iter().filter(|&square| {
        board
            .piece_at(square)
            .is_some_and(|piece| piece.role == Role::Bishop)
    });
    bishops
        .map(|square| u32::from(square.is_light()))
        .sum::<u32>()
        == 1
}

/// Returns White's pieces minus Black's.
pub(super) fn difference(material: Material) -> Differences {
    let counts = material.counts();
    std::array::from_fn(|index| counts[index] as i8 - counts[index + 5] as i8)
}

/// Returns White's advantage in pieces, counted 1-3-3-5-9.
pub(super) fn balance(difference: Differences) -> i32 {
    const VALUES: [i32; 5] = [1, 3, 3, 5, 9];
    difference
        .into_iter()
        .zip(VALUES)
        .map(|(count, value)| i32::from(count) * value)
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn differences_survive_packing(difference in prop::array::uniform5(-60..=60_i8)) {
            prop_assert_eq!(Row::bare(difference, 3).difference(), difference);
        }
    }

    #[test]
    fn rows_record_men_bishops_and_turn() {
        let row = |fen: &str| {
            let setup: shakmaty::fen::Fen = fen.parse().unwrap();
            let position: shakmaty::Chess = setup
                .into_position(shakmaty::CastlingMode::Standard)
                .unwrap();
            let board = Board::from(&position);
            Row::new(&board, board.material(), 7, 0)
        };
        let start = row("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
        assert_eq!(
            (start.difference(), start.pieces(), start.turn()),
            ([0; 5], 14, Color::Black)
        );
        let other = row("4k3/8/2b5/8/8/8/2BPP3/4K3 w - - 0 1");
        assert_eq!(
            (other.difference(), other.has_opposite_bishops()),
            ([2, 0, 0, 0, 0], false)
        );
        assert!(row("4k3/2b5/8/8/8/8/2BPP3/4K3 w - - 0 1").has_opposite_bishops());
        assert!(!row("4k3/2b5/8/8/8/8/2BBP3/4K3 w - - 0 1").has_opposite_bishops());
        assert_eq!(balance([1, -1, 0, 2, -1]), 1 - 3 + 10 - 9);
    }
}
