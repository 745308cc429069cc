//! The patterns that Lichess added in 2025 and 2026, found from the puzzles that it labels; docs/puzzles.md says how well.
//!
//! A square beside the king is *closed* by a piece of the solver that attacks it once the king is gone (so that a line piece
//! reaches the square behind the king), unless a man of the king's own stands there.

use shakmaty::{Bitboard, Square, attacks};

use super::Mate;

/// Files and ranks from one square to another.
fn offset(from: Square, to: Square) -> (i32, i32) {
    let part = |a: u32, b: u32| b.cast_signed() - a.cast_signed();
    (part(from.file().into(), to.file().into()), part(from.rank().into(), to.rank().into()))
}

fn apart(from: Square, to: Square) -> (u32, u32) {
    let (files, ranks) = offset(from, to);
    (files.unsigned_abs(), ranks.unsigned_abs())
}

/// Whether two squares share a side.
fn are_neighbours(one: Square, other: Square) -> bool {
    matches!(apart(one, other), (0, 1) | (1, 0))
}

/// The square that far away, if the board has it.
fn step(from: Square, files: i32, ranks: i32) -> Option<Square> {
    Some(Square::from_coords(from.file().offset(files)?, from.rank().offset(ranks)?))
}

/// Pairs of one piece of each set.
fn pairs(ones: Bitboard, others: Bitboard) -> impl Iterator<Item = (Square, Square)> {
    ones.into_iter().flat_map(move |one| others.into_iter().map(move |other| (one, other)))
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

    /// Squares beside the king without a man of its own.
    fn around(&self) -> Bitboard {
        attacks::king_attacks(self.king) & !self.theirs()
    }

    /// The solver's pieces that attack a square once the king is gone.
    fn closers(&self, square: Square) -> Bitboard {
        self.board.attacks_to(square, self.solver, self.board.occupied().without(self.king))
    }

    /// A rook checks from beside the king, defended by a bishop.
    pub(super) fn is_opera(&self) -> bool {
        (self.checkers & self.rooks())
            .into_iter()
            .any(|rook| are_neighbours(rook, self.king) && (self.attackers(rook) & self.bishops()).any())
    }

    /// A rook checks, and a free square beside the king is closed by bishops alone; no opera mate.
    pub(super) fn is_pillsburys(&self) -> bool {
        let is_bishops = |square: Square| {
            let closers = self.closers(square);
            closers.any() && closers.is_subset(self.bishops())
        };
        (self.checkers & self.rooks()).any()
            && (self.around() & !self.own()).into_iter().any(is_bishops)
            && !self.is_opera()
    }

    /// A bishop checks. Take a file or rank beside the king on the bishop's side: a rook stands on it and closes the square
    /// next to the king. No other bishop closes a square.
    pub(super) fn is_morphys(&self) -> bool {
        let others = self.bishops() & !self.checkers;
        let on_line = |bishop: Square| {
            let (files, ranks) = offset(self.king, bishop);
            let file = step(self.king, files.signum(), 0).map(|square| (square, Bitboard::from(square.file())));
            let rank = step(self.king, 0, ranks.signum()).map(|square| (square, Bitboard::from(square.rank())));
            file.into_iter().chain(rank).any(|(square, line)| {
                self.around().contains(square) && (self.closers(square) & self.rooks() & line).any()
            })
        };
        (self.checkers & self.bishops()).into_iter().any(on_line)
            && self.around().into_iter().all(|square| (self.closers(square) & others).is_empty())
    }

    /// A knight checks. Take the file or rank between it and the king: a rook or queen stands on it, not beside the knight, and
    /// closes the square next to the king; the square beside the knight is closed too. A queen must not close everything alone.
    pub(super) fn is_corner(&self) -> bool {
        (self.checkers & self.board.knights()).into_iter().any(|knight| {
            let (files, ranks) = offset(self.king, knight);
            let is_file = files.abs() == 2;
            let (file, rank) = if is_file { (files.signum(), 0) } else { (0, ranks.signum()) };
            let (Some(near), Some(beside)) = (step(self.king, file, rank), step(knight, -file, -rank)) else {
                return false;
            };
            let line = if is_file { Bitboard::from(near.file()) } else { Bitboard::from(near.rank()) };
            let rooks = self.closers(near) & self.rooks();
            let queens = self.closers(near) & self.queens();
            let is_alone =
                |queen| self.around().into_iter().all(|square| self.closers(square).without(queen).is_empty());
            self.around().contains(near)
                && self.closers(beside).any()
                && ((rooks & line).without(beside).any()
                    || (queens & line).without(beside).into_iter().any(|queen| !is_alone(queen)))
        })
    }

    /// Two rooks side by side, one of them beside the king, square to the other.
    pub(super) fn is_blind_swine(&self) -> bool {
        pairs(self.rooks(), self.rooks()).any(|(rook, other)| {
            are_neighbours(rook, self.king)
                && are_neighbours(rook, other)
                && apart(rook, other) != apart(rook, self.king)
        })
    }

    /// Queen and rook in opposite corners of nine squares, among which the king stands; it, or nobody, stands in the middle.
    pub(super) fn is_kill_box(&self) -> bool {
        let is_near = |square: Square| self.king.distance(square) <= 2;
        pairs(self.queens(), self.rooks()).any(|(queen, rook)| {
            let (files, ranks) = offset(queen, rook);
            apart(queen, rook) == (2, 2)
                && is_near(queen)
                && is_near(rook)
                && step(queen, files / 2, ranks / 2)
                    .is_some_and(|middle| middle == self.king || !self.board.occupied().contains(middle))
        })
    }

    /// Queen and rook diagonally beside the king, on one file or rank.
    pub(super) fn is_triangle(&self) -> bool {
        pairs(self.queens(), self.rooks()).any(|(queen, rook)| {
            apart(queen, self.king) == (1, 1)
                && apart(rook, self.king) == (1, 1)
                && (queen.file() == rook.file() || queen.rank() == rook.rank())
        })
    }

    /// King, rook and knight in a row without a gap.
    pub(super) fn is_vukovic(&self) -> bool {
        self.rooks().into_iter().filter(|&rook| are_neighbours(rook, self.king)).any(|rook| {
            let (files, ranks) = offset(self.king, rook);
            step(rook, files, ranks).is_some_and(|square| (self.own() & self.board.knights()).contains(square))
        })
    }

    /// A bishop checks; a queen stands a knight's move from the king, on the bishop's side along the longer part of that
    /// move, on the other side along the shorter.
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

    /// A queen or rook checks along a file or rank; on both sides of the king, across that line, stand men of its own.
    pub(super) fn is_epaulette(&self) -> bool {
        let holds = |files, ranks| step(self.king, files, ranks).is_some_and(|square| self.theirs().contains(square));
        (self.checkers & self.board.rooks_and_queens()).into_iter().any(|checker| match offset(self.king, checker) {
            (0, _) => holds(-1, 0) && holds(1, 0),
            (_, 0) => holds(0, -1) && holds(0, 1),
            _ => false,
        })
    }

    /// A queen checks from the square before, behind or beside the king; the two diagonal squares away from her hold men of
    /// its own.
    pub(super) fn is_swallowstail(&self) -> bool {
        let holds = |files, ranks| step(self.king, files, ranks).is_some_and(|square| self.theirs().contains(square));
        (self.checkers & self.queens()).into_iter().any(|queen| match offset(self.king, queen) {
            (0, ranks @ (-1 | 1)) => holds(-1, -ranks) && holds(1, -ranks),
            (files @ (-1 | 1), 0) => holds(-files, -1) && holds(-files, 1),
            _ => false,
        })
    }
}
