//! How many pieces of each sort there are.

use std::fmt;

use shakmaty::{Color, Role};

/// Pawns, knights, bishops, rooks and queens of both sides, in one word.
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

/// Bits of a count, which is 62 at most: all squares but the kings'.
const WIDTH: u32 = 6;

/// Pieces as they are counted 1-3-3-5-9.
const VALUES: [u32; 5] = [1, 3, 3, 5, 9];

/// What one piece adds, by color and role; nothing for no piece and for kings.
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
    /// How many pieces of a sort; kings are not counted, 0.
    pub fn count(self, color: Color, role: Role) -> u32 {
        match role {
            Role::King => 0,
            _ => self.field(color.fold_wb(0, 5) + role as u32 - 1),
        }
    }

    /// White's pawns, knights, bishops, rooks, queens, then Black's.
    pub fn counts(self) -> [u8; 10] {
        std::array::from_fn(|index| self.field(index as u32) as u8)
    }

    /// What a side has, counted 1-3-3-5-9.
    pub fn value(self, color: Color) -> u32 {
        let first = color.fold_wb(0, 5);
        (first..).zip(VALUES).map(|(index, value)| self.field(index) * value).sum()
    }

    /// What both sides have, counted 1-3-3-5-9: 78 at the start.
    pub fn total(self) -> u32 {
        self.value(Color::White) + self.value(Color::Black)
    }

    /// What White has more than Black, counted 1-3-3-5-9.
    pub fn balance(self) -> i32 {
        self.value(Color::White) as i32 - self.value(Color::Black) as i32
    }

    #[inline]
    fn field(self, index: u32) -> u32 {
        (self.0 >> (WIDTH * index)) as u32 & ((1 << WIDTH) - 1)
    }

    #[inline]
    pub(super) fn add(&mut self, color: u8, role: u8) {
        self.0 = self.0.wrapping_add(ONE[usize::from(color & 1)][usize::from(role & 7)]);
    }

    #[inline]
    pub(super) fn remove(&mut self, color: u8, role: u8) {
        self.0 = self.0.wrapping_sub(ONE[usize::from(color & 1)][usize::from(role & 7)]);
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Material").field(&self.counts()).finish()
    }
}
