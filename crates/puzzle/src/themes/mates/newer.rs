//! The mate patterns that Lichess added in 2025 and 2026, inferred from its labelled puzzles.
//! docs/how-we-know/puzzles.md states how well they agree.
//!
//! A square beside the king is *closed* if a piece of the solver attacks it with the king removed
//! (so that a sliding piece also reaches the square behind the king) and no piece of the king's
//! side is on it.

use shakmaty::{Bitboard, Square, attacks};

use super::Mate;

/// Returns the distance from one square to another in files and ranks, with signs.
fn offset(from: Square, to: Square) -> (i32, i32) {
    let part = |a: u32, b: u32| b.cast_signed() - a.cast_signed();
    (
        part(from.file().into(), to.file().into()),
        part(from.rank().into(), to.rank().into()),
    )
}

fn apart(from: Square, to: Square) -> (u32, u32) {
    let (files, ranks) = offset(from, to);
    (files.unsigned_abs(), ranks.unsigned_abs())
}

/// Returns whether two squares share an edge.
fn are_neighbours(one: Square, other: Square) -> bool {
    matches!(apart(one, other), (0, 1) | (1, 0))
}

/// Returns the square at this distance, if it is on the board.
fn step(from: Square, files: i32, ranks: i32) -> Option<Square> {
    Some(Square::from_coords(
        from.file().offset(files)?,
        from.rank().offset(ranks)?,
    ))
}

/// Returns all pairs with one square of each set.
fn pairs(ones: Bitboard, others: Bitboard) -> impl Iterator<Item = (Square, Square)> {
    ones.into_iter()
        .flat_map(move |one| others.into_iter().map(move |other| (one, other)))
}

impl Mate<'_> {
    fn queens(&self) -> Bitboard {
        self.own() & self.board.queens()
    }

    fn rooks(&self) -> Bitboard {
        self.own() & self.board.rooks()
    }

    fn bishops(&self) -> Bitboard {
        self.own() & self.board.bishops()
    }

    /// Returns the squares beside the king without an own piece.
    fn around(&self) -> Bitboard {
        attacks::king_attacks(self.king) & !self.theirs()
    }

    /// Returns the solver's pieces that attack a square if the king is removed.
    fn closers(&self, square: Square) -> Bitboard {
        self.board.attacks_to(
            square,
            self.solver,
            self.board.occupied().without(self.king),
        )
    }

    /// A rook, adjacent to the king and defended by a bishop, gives check.
    pub(super) fn is_opera(&self) -> bool {
        (self.checkers & self.rooks()).into_iter().any(|rook| {
            are_neighbours(rook, self.king) && (self.attackers(rook) & self.bishops()).any()
        })
    }

    /// A rook gives check, and an empty square beside the king is closed by bishops alone. An opera
    /// mate does not count.
    pub(super) fn is_pillsburys(&self) -> bool {
        let is_bishops = |square: Square| {
            let closers = self.closers(square);
            closers.any() && closers.is_subset(self.bishops())
        };
        (self.checkers & self.rooks()).any()
            && (self.around() & !self.own()).into_iter().any(is_bishops)
            && !self.is_opera()
    }

    /// A bishop gives check, and a rook on its side of the king cuts the king off: on the file to
    /// the king's left or the rank above it, seen from White, with no piece in between. Lichess'
    /// labels do not include the file to the right and the rank below.
    pub(super) fn is_morphys(&self) -> bool {
        pairs(self.checkers & self.bishops(), self.rooks()).any(|(bishop, rook)| {
            let (to_bishop, to_rook) = (offset(self.king, bishop), offset(self.king, rook));
            let is_on_side = to_rook.0 == to_bishop.0.signum() || to_rook.1 == to_bishop.1.signum();
            let is_cut_off = match to_rook {
                (-1, ranks @ 1..) => self.are_empty((0..ranks).map(|rank| (-1, rank))),
                (-1, ranks @ ..=-2) => self.are_empty((ranks + 1..0).map(|rank| (-1, rank))),
                (files @ 2.., 1) => self.are_empty((0..files - 1).map(|file| (file, 1))),
                (files @ ..=-2, 1) => self.are_empty((files + 1..0).map(|file| (file, 1))),
                _ => false,
            };
            is_on_side && is_cut_off
        })
    }

    /// A knight gives check. A rook or queen is on the file or rank between it and the king, not
    /// beside the knight, with no piece between it and the square next to the king. A queen must
    /// not close all squares alone. Lichess' labels do not include knights two files to the king's
    /// right, seen from White.
    pub(super) fn is_corner(&self) -> bool {
        let knights = self.checkers & self.board.knights();
        let others = self.rooks() | self.queens();
        pairs(knights, others).any(|(knight, piece)| {
            let is_alone = || {
                self.around()
                    .into_iter()
                    .all(|square| self.closers(square).without(piece).is_empty())
            };
            let (knight, (files, ranks)) = (offset(self.king, knight), offset(self.king, piece));
            let inner = |distance: i32| distance.min(0) + 1..distance.max(0);
            let cuts_off = match knight {
                (2, _) => false,
                (-2, rank) => {
                    files == -1
                        && ranks != rank
                        && self.are_empty(inner(ranks).map(|rank| (-1, rank)))
                }
                (file, rank) => {
                    let rank = rank.signum();
                    ranks == rank
                        && files != file
                        && self.are_empty(inner(files).map(|file| (file, rank)))
                }
            };
            cuts_off && (self.rooks().contains(piece) || !is_alone())
        })
    }

    /// Returns whether squares given by their offset from the king are empty.
    fn are_empty(&self, offsets: impl IntoIterator<Item = (i32, i32)>) -> bool {
        let is_empty = |(files, ranks)| {
            step(self.king, files, ranks).is_some_and(|at| self.board.piece_at(at).is_none())
        };
        offsets.into_iter().all(is_empty)
    }

    /// Two adjacent rooks, one of them adjacent to the king, at a right angle.
    pub(super) fn is_blind_swine(&self) -> bool {
        pairs(self.rooks(), self.rooks()).any(|(rook, other)| {
            are_neighbours(rook, self.king)
                && are_neighbours(rook, other)
                && apart(rook, other) != apart(rook, self.king)
        })
    }

    /// Queen and rook are in opposite corners of a 3×3 square that contains the king. Its centre is
    /// empty or contains the king.
    pub(super) fn is_kill_box(&self) -> bool {
        let is_near = |square: Square| self.king.distance(square) <= 2;
        pairs(self.queens(), self.rooks()).any(|(queen, rook)| {
            let (files, ranks) = offset(queen, rook);
            apart(queen, rook) == (2, 2)
                && is_near(queen)
                && is_near(rook)
                && step(queen, files / 2, ranks / 2).is_some_and(|middle| {
                    middle == self.king || !self.board.occupied().contains(middle)
                })
        })
    }

    /// Queen and rook are diagonally next to the king, on a common file or rank.
    pub(super) fn is_triangle(&self) -> bool {
        pairs(self.queens(), self.rooks()).any(|(queen, rook)| {
            apart(queen, self.king) == (1, 1)
                && apart(rook, self.king) == (1, 1)
                && (queen.file() == rook.file() || queen.rank() == rook.rank())
        })
    }

    /// King, rook and knight are in a row without gaps.
    pub(super) fn is_vukovic(&self) -> bool {
        self.rooks()
            .into_iter()
            .filter(|&rook| are_neighbours(rook, self.king))
            .any(|rook| {
                let (files, ranks) = offset(self.king, rook);
                step(rook, files, ranks)
                    .is_some_and(|square| (self.own() & self.board.knights()).contains(square))
            })
    }

    /// A bishop gives check, and a queen is a knight's move away from the king: on the bishop's
    /// side along the longer part of that move, on the other side along the shorter.
    pub(super) fn is_balestra(&self) -> bool {
        pairs(self.checkers & self.bishops(), self.queens()).any(|(bishop, queen)| {
            let (bishop, queen) = (offset(self.king, bishop), offset(self.king, queen));
            match (queen.0.abs(), queen.1.abs()) {
                (1, 2) => queen.0 * bishop.0 < 0 && queen.1 * bishop.1 > 0,
                (2, 1) => queen.0 * bishop.0 > 0 && queen.1 * bishop.1 < 0,
                _ => false,
            }
        })
    }

    /// A queen or rook gives check along a file or rank, and the king's own pieces are on both
    /// sides of it, across that line.
    pub(super) fn is_epaulette(&self) -> bool {
        let holds = |files, ranks| {
            step(self.king, files, ranks).is_some_and(|square| self.theirs().contains(square))
        };
        (self.checkers & self.board.rooks_and_queens())
            .into_iter()
            .any(|checker| match offset(self.king, checker) {
                (0, _) => holds(-1, 0) && holds(1, 0),
                (_, 0) => holds(0, -1) && holds(0, 1),
                _ => false,
            })
    }

    /// A queen gives check from a square directly in front of, behind or beside the king, and the
    /// king's own pieces are on the two diagonal squares on the other side.
    pub(super) fn is_swallowstail(&self) -> bool {
        let holds = |files, ranks| {
            step(self.king, files, ranks).is_some_and(|square| self.theirs().contains(square))
        };
        (self.checkers & self.queens())
            .into_iter()
            .any(|queen| match offset(self.king, queen) {
                (0, ranks @ (-1 | 1)) => holds(-1, -ranks) && holds(1, -ranks),
                (files @ (-1 | 1), 0) => holds(-files, -1) && holds(-files, 1),
                _ => false,
            })
    }
}
