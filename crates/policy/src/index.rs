//! Numbers the moves as the outputs of policy heads do.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Color, Move, Rank, Role, Square, attacks};

use crate::{planes::Turned, residual::neighbour};

/// The number of outputs of a dense policy head.
pub(crate) const OUTPUTS: usize = 1858;
/// The number of planes of a convolutional policy head. Files may have more planes, which are
/// unused.
pub(crate) const PLANES: usize = 73;

/// A move as the network sees it: from the side of the player who moves, and with castling as the
/// king's move to its rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// The promotion; `None` for other moves and for a promotion to a knight, which has the output
    /// of the move without a promotion.
    pub(crate) promotion: Option<Promotion>,
}

/// Promotions that have outputs, in the order of the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promotion {
    Queen,
    Rook,
    Bishop,
}

impl Step {
    pub(crate) fn new(mv: Move, mover: Color, turned: Turned) -> Option<Self> {
        let seen = |square: Square| turned.square(mover.fold_wb(square, square.flip_vertical()));
        let promotion = match mv.promotion() {
            Some(Role::Queen) => Some(Promotion::Queen),
            Some(Role::Rook) => Some(Promotion::Rook),
            Some(Role::Bishop) => Some(Promotion::Bishop),
            _ => None,
        };
        Some(Self {
            from: seen(mv.from()?),
            to: seen(mv.to()),
            promotion,
        })
    }

    /// Returns the number of the move's output in a dense head, 0 to 1857. The first outputs are
    /// all pairs of squares that a queen's or knight's move connects; the others are promotions.
    pub(crate) fn index(self) -> Option<usize> {
        static PAIRS: LazyLock<Vec<Option<u16>>> = LazyLock::new(|| {
            let mut next = 0..;
            let reach = |from: Square| {
                attacks::queen_attacks(from, Bitboard::EMPTY) | attacks::knight_attacks(from)
            };
            let pairs = Square::ALL
                .into_iter()
                .flat_map(|from| Square::ALL.map(|to| (from, to)));
            pairs
                .map(|(from, to)| reach(from).contains(to).then(|| next.next()).flatten())
                .collect()
        });
        let Some(promotion) = self.promotion else {
            return PAIRS[usize::from(self.from) * 64 + usize::from(self.to)].map(usize::from);
        };
        let (from, to) = (self.from.file() as usize, self.to.file() as usize);
        // A pawn on a file can promote on 3 files, on the a-file and the h-file on 2.
        let before = if from == 0 { 0 } else { 3 * from - 1 };
        let within = to + 1 - from - usize::from(from == 0);
        Some(1792 + 3 * (before + within) + promotion as usize)
    }

    /// Returns the number of the move's plane in a convolutional head, 0 to 72. The plane is read
    /// at the square that the piece leaves.
    pub(crate) fn plane(self) -> Option<usize> {
        let files = self.to.file() as i32 - self.from.file() as i32;
        let ranks = self.to.rank() as i32 - self.from.rank() as i32;
        if let Some(promotion) = self.promotion {
            let role = match promotion {
                Promotion::Rook => 0,
                Promotion::Bishop => 1,
                Promotion::Queen => 2,
            };
            return usize::try_from(64 + 3 * (files + 1) + role).ok();
        }
        const DIRECTIONS: [(i32, i32); 8] = [
            (0, 1),
            (1, 1),
            (1, 0),
            (1, -1),
            (0, -1),
            (-1, -1),
            (-1, 0),
            (-1, 1),
        ];
        const JUMPS: [(i32, i32); 8] = [
            (1, 2),
            (2, 1),
            (2, -1),
            (1, -2),
            (-1, -2),
            (-2, -1),
            (-2, 1),
            (-1, 2),
        ];
        if let Some(jump) = JUMPS.iter().position(|jump| *jump == (files, ranks)) {
            return Some(56 + jump);
        }
        let distance = files.abs().max(ranks.abs());
        let direction = DIRECTIONS
            .iter()
            .position(|(x, y)| (x * distance, y * distance) == (files, ranks))?;
        Some(7 * direction + usize::try_from(distance).ok()? - 1)
    }
}

/// Returns the squares on the board that a 3×3 kernel around `square` covers, each with its index
/// in the kernel, 0 to 8.
pub(crate) fn window(square: Square) -> impl Iterator<Item = (usize, Square)> {
    (0..9).filter_map(move |tap| {
        let (dy, dx) = (tap / 3 - 1, tap % 3 - 1);
        Some((usize::try_from(tap).ok()?, neighbour(square, dx, dy)?))
    })
}

/// Returns the square of this file on the last rank.
pub(crate) fn last_rank(file: shakmaty::File) -> Square {
    Square::from_coords(file, Rank::Eighth)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn step(from: &str, to: &str, promotion: Option<Promotion>) -> Step {
        Step {
            from: from.parse().unwrap(),
            to: to.parse().unwrap(),
            promotion,
        }
    }

    #[test]
    fn outputs_are_numbered_without_gaps() {
        let mut seen = BTreeSet::new();
        for from in Square::ALL {
            for to in Square::ALL {
                seen.extend(
                    Step {
                        from,
                        to,
                        promotion: None,
                    }
                    .index(),
                );
            }
        }
        for from in 0..8_i32 {
            for to in (from - 1).max(0)..=(from + 1).min(7) {
                for promotion in [Promotion::Queen, Promotion::Rook, Promotion::Bishop] {
                    let square = |file: i32, rank| {
                        Square::from_coords(shakmaty::File::new(file as u32), rank)
                    };
                    let step = Step {
                        from: square(from, Rank::Seventh),
                        to: square(to, Rank::Eighth),
                        promotion: Some(promotion),
                    };
                    assert!(seen.insert(step.index().unwrap()), "{step:?}");
                    assert!((64..PLANES).contains(&step.plane().unwrap()));
                }
            }
        }
        assert_eq!(seen, (0..OUTPUTS).collect());
    }

    #[test]
    fn moves_have_the_output_and_plane_numbers_of_lc0() {
        assert_eq!(step("b1", "a3", None).index(), Some(34));
        assert_eq!(step("e2", "e4", None).index(), Some(322));
        assert_eq!(step("a7", "a8", Some(Promotion::Queen)).index(), Some(1792));
        assert_eq!(
            step("h7", "h8", Some(Promotion::Bishop)).index(),
            Some(1857)
        );
        assert_eq!(step("a1", "b4", None).index(), None);
        assert_eq!(step("e2", "e4", None).plane(), Some(1));
        assert_eq!(step("h8", "a1", None).plane(), Some(7 * 5 + 6));
        assert_eq!(step("g1", "f3", None).plane(), Some(63));
        assert_eq!(step("b7", "a8", Some(Promotion::Rook)).plane(), Some(64));
    }
}
