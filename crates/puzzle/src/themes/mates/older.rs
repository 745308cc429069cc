//! The mate patterns of Lichess' public tagger. A mate has at most one of them.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::{Mate, Pattern};
use crate::Theme;

/// Returns whether this is the first or the last file or rank.
fn on_edge(coordinate: u32) -> bool {
    matches!(coordinate, 0 | 7)
}

impl Mate<'_> {
    /// Returns the first pattern that matches.
    pub(super) fn older(&self) -> Option<Theme> {
        let named: [(Theme, Pattern); 5] = [
            (Theme::SmotheredMate, |mate| mate.is_smothered()),
            (Theme::BackRankMate, |mate| mate.is_back_rank()),
            (Theme::AnastasiaMate, |mate| mate.is_anastasia()),
            (Theme::HookMate, |mate| mate.is_hook()),
            (Theme::ArabianMate, |mate| mate.is_arabian()),
        ];
        named
            .into_iter()
            .find(|(_, is_so)| is_so(self))
            .map(|(theme, _)| theme)
            .or_else(|| self.two_bishops())
            .or_else(|| self.is_dovetail().then_some(Theme::DovetailMate))
    }

    /// A knight mates a king that is surrounded by its own pieces.
    fn is_smothered(&self) -> bool {
        (self.checkers & self.board.knights()).any()
            && attacks::king_attacks(self.king).is_subset(self.theirs())
    }

    /// The king is on its first rank behind its own unattacked pieces, and a checking piece is on
    /// that rank.
    fn is_back_rank(&self) -> bool {
        let back = self.solver.fold_wb(7, 0);
        let front = Bitboard::from_square(self.king).shift(self.solver.fold_wb(-8, 8));
        let in_front = front | attacks::king_attacks(self.king) & front_rank(front);
        self.king.rank().to_u32() == back
            && in_front.is_subset(self.theirs())
            && in_front
                .into_iter()
                .all(|square| self.attackers(square).is_empty())
            && self
                .checkers
                .into_iter()
                .any(|checker| checker.rank() == self.king.rank())
    }

    /// The king is on the a- or h-file with a queen or rook giving mate on that file, an own piece
    /// beside it, and a knight two squares beyond that piece.
    fn is_anastasia(&self) -> bool {
        let inward = if self.king.file().to_u32() == 0 {
            1
        } else {
            -1
        };
        let beside = |files: i32| {
            let file = self.king.file().offset(inward * files)?;
            Some(Square::from_coords(file, self.king.rank()))
        };
        on_edge(self.king.file().to_u32())
            && !on_edge(self.king.rank().to_u32())
            && self.last.to.file() == self.king.file()
            && matches!(self.last.role, Role::Queen | Role::Rook)
            && beside(1).is_some_and(|square| self.theirs().contains(square))
            && beside(3).is_some_and(|square| (self.own() & self.board.knights()).contains(square))
    }

    /// A rook next to the king is defended by a knight next to the king, which a pawn defends.
    fn is_hook(&self) -> bool {
        let near = attacks::king_attacks(self.king);
        self.last.role == Role::Rook
            && near.contains(self.last.to)
            && (self.attackers(self.last.to) & self.board.knights() & near)
                .into_iter()
                .any(|knight| (self.attackers(knight) & self.board.pawns()).any())
    }

    /// The king is in a corner with a rook next to it. A knight two files and two ranks from the
    /// king defends the rook.
    fn is_arabian(&self) -> bool {
        let is_apart = |knight: Square| {
            knight.file().to_u32().abs_diff(self.king.file().to_u32()) == 2
                && knight.rank().to_u32().abs_diff(self.king.rank().to_u32()) == 2
        };
        on_edge(self.king.file().to_u32())
            && on_edge(self.king.rank().to_u32())
            && self.last.role == Role::Rook
            && attacks::king_attacks(self.king).contains(self.last.to)
            && (self.attackers(self.last.to) & self.board.knights())
                .into_iter()
                .any(is_apart)
    }

    /// Only two bishops attack the king and the squares around it, from both sides of its file
    /// (Boden's mate) or from one.
    fn two_bishops(&self) -> Option<Theme> {
        let mut bishops = (self.own() & self.board.bishops()).into_iter();
        let (first, second) = (bishops.next()?, bishops.next()?);
        let around = attacks::king_attacks(self.king).with(self.king);
        let by_bishops = |square: Square| self.attackers(square).is_subset(self.board.bishops());
        let file = self.king.file();
        around.into_iter().all(by_bishops).then(|| {
            let on_both_sides = (first.file() < file) == (second.file() > file);
            if on_both_sides {
                Theme::BodenMate
            } else {
                Theme::DoubleBishopMate
            }
        })
    }

    /// A queen is diagonally next to a king off the edge. No other piece covers the remaining
    /// squares around the king, and those that the queen covers are empty.
    fn is_dovetail(&self) -> bool {
        let queen = self.last.to;
        let is_closed = |square: Square| {
            let by = self.attackers(square);
            by.is_empty()
                || by == Bitboard::from_square(queen) && !self.board.occupied().contains(square)
        };
        !on_edge(self.king.file().to_u32())
            && !on_edge(self.king.rank().to_u32())
            && self.last.role == Role::Queen
            && attacks::king_attacks(self.king).contains(queen)
            && queen.file() != self.king.file()
            && queen.rank() != self.king.rank()
            && attacks::king_attacks(self.king)
                .without(queen)
                .into_iter()
                .all(is_closed)
    }
}

/// Returns the rank of a single square, if there is one.
fn front_rank(front: Bitboard) -> Bitboard {
    front
        .first()
        .map_or(Bitboard::EMPTY, |square| Bitboard::from(square.rank()))
}
