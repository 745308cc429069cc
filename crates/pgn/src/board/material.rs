//! Counts of pieces by color and role.

use std::fmt;

use centipawn_core::material_value;
use shakmaty::{Color, Role};

/// The number of pawns, knights, bishops, rooks and queens of both sides, packed into one word.
///
/// ```
/// use centipawn_pgn::Board;
/// use shakmaty::{Color, Role};
///
/// let material = Board::default().material();
/// assert_eq!(material.count(Color::White, Role::Knight), 2);
/// assert_eq!(material.counts(), [8, 2, 2, 2, 1, 8, 2, 2, 2, 1]);
/// assert_eq!(material.value(Color::Black), 39);
/// assert_eq!(material.total(), 78);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Material(u64);

/// Bits per count; a count is 62 at most, all squares but the kings'.
const WIDTH: u32 = 6;

/// The values of pawn, knight, bishop, rook and queen.
const VALUES: [u32; 5] = [
    material_value(Role::Pawn),
    material_value(Role::Knight),
    material_value(Role::Bishop),
    material_value(Role::Rook),
    material_value(Role::Queen),
];

/// The contribution of one piece, by color and role; 0 for no piece and for kings.
static ONE: [[u64; 8]; 2] = {
    let mut one = [[0; 8]; 2];
    let mut role = 1;
    while role <= 5 {
        one[0][role] = 1 << (WIDTH * (role as u32 - 1));
        one[1][role] = 1 << (WIDTH * (role as u32 + 4));
        role += 1;
    }
    one
};

impl Material {
    /// Returns the number of pieces of a color and role; 0 for kings, which are not counted.
    pub fn count(self, color: Color, role: Role) -> u32 {
        match role {
            Role::King => 0,
            _ => self.field(color.fold_wb(0, 5) + role as u32 - 1),
        }
    }

    /// Counts of White's pawns, knights, bishops, rooks and queens, then Black's.
    pub fn counts(self) -> [u8; 10] {
        std::array::from_fn(|index| self.field(index as u32) as u8)
    }

    /// Returns a side's material with the values 1-3-3-5-9, 39 at the start.
    pub fn value(self, color: Color) -> u32 {
        let first = color.fold_wb(0, 5);
        (first..)
            .zip(VALUES)
            .map(|(index, value)| self.field(index) * value)
            .sum()
    }

    /// Returns both sides' material with the values 1-3-3-5-9, 78 at the start.
    #[inline]
    pub fn total(self) -> u32 {
        // The counts of both sides together fit into the bits of one side's count, because a board
        // has at most 62 of these pieces.
        let both = (self.0 & ((1 << (5 * WIDTH)) - 1)) + (self.0 >> (5 * WIDTH));
        // Every second count has room for weighted sums of all: a multiplication adds them up in
        // the place of the last one.
        let pawns_bishops_queens = both & 0x3f03_f03f;
        let knights_rooks = (both >> WIDTH) & 0x3_f03f;
        let sum = |counts: u64, weights: u64, place: u32| ((counts * weights) >> place) & 0xfff;
        let [pawn, knight, bishop, rook, queen] = VALUES.map(u64::from);
        let first = sum(pawns_bishops_queens, pawn << 24 | bishop << 12 | queen, 24);
        (first + sum(knights_rooks, knight << 12 | rook, 12)) as u32
    }

    /// Returns White's material minus Black's with the values 1-3-3-5-9.
    pub fn balance(self) -> i32 {
        self.value(Color::White) as i32 - self.value(Color::Black) as i32
    }

    #[inline]
    fn field(self, index: u32) -> u32 {
        (self.0 >> (WIDTH * index)) as u32 & ((1 << WIDTH) - 1)
    }

    #[inline]
    pub(super) fn add(&mut self, color: u8, role: u8) {
        self.0 = self
            .0
            .wrapping_add(ONE[usize::from(color & 1)][usize::from(role & 7)]);
    }

    #[inline]
    pub(super) fn remove(&mut self, color: u8, role: u8) {
        self.0 = self
            .0
            .wrapping_sub(ONE[usize::from(color & 1)][usize::from(role & 7)]);
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Material").field(&self.counts()).finish()
    }
}
