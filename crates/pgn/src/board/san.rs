//! Moves as files write them, found with tables.

use shakmaty::{CastlingSide, Rank, Role, Square};

use super::{
    BACK_RANKS, Board, KING_ROLE, Kind, PAWN_ROLE, Step,
    attacks::{BETWEEN, LINES, PAWN, bit},
    castled,
};
use crate::san::{Unplayable, Written, parse};

const FILE_A: u64 = 0x0101_0101_0101_0101;

impl Board {
    /// The legal move that `text` means, the same as [`crate::san::resolve`] finds.
    #[inline]
    pub(crate) fn resolve(&self, text: &[u8]) -> Result<Step, Unplayable> {
        // Most moves are written in one of these ways.
        let [first, .., file, rank] = *text else {
            return match *text {
                [file, rank] if is_file(file) && is_rank(rank) => self.pawn_push(square(file, rank), u64::MAX, None),
                _ => self.resolve_any(text),
            };
        };
        let role = ROLE[usize::from(first)];
        if is_file(file) && is_rank(rank) {
            let to = square(file, rank);
            if role != 0 && text.len() <= 5 {
                let mask = if text.len() > 3 { ORIGIN[usize::from(text[1])] } else { u64::MAX };
                let mask = if text.len() > 4 { mask & ORIGIN[usize::from(text[2])] } else { mask };
                if mask != 0 {
                    return self.piece(role, to, mask);
                }
            } else if text.len() == 4 && text[1] == b'x' && is_file(first) && first != file {
                return self.pawn_capture(to, ORIGIN[usize::from(first)], None);
            }
        }
        self.resolve_any(text)
    }

    #[inline(never)]
    fn resolve_any(&self, text: &[u8]) -> Result<Step, Unplayable> {
        match parse(text).ok_or(Unplayable::NotAMove)? {
            Written::Null => Err(Unplayable::Null),
            Written::Castle(side) => self.castling(side),
            Written::Squares { from, to, promotion } => self.squares(from, to, promotion),
            Written::Piece { role, file, rank, to, promotion } => {
                let ranks = rank.map_or(u64::MAX, |rank| 0xff << (8 * rank as u32));
                let target = to.to_u32() as u8;
                match role {
                    Role::Pawn => {
                        let from = file.unwrap_or(to.file());
                        let from_file = FILE_A << from as u32;
                        if from == to.file() {
                            self.pawn_push(target, ranks, promotion)
                        } else {
                            self.pawn_capture(target, from_file & ranks, promotion)
                        }
                    }
                    _ if promotion.is_some() => Err(Unplayable::Illegal),
                    _ => self.piece(role as u8, target, ranks & file.map_or(u64::MAX, |file| FILE_A << file as u32)),
                }
            }
        }
    }

    /// A move of a piece to a square from those in `mask`.
    #[inline]
    fn piece(&self, role: u8, to: u8, mask: u64) -> Result<Step, Unplayable> {
        let own = usize::from(self.turn & 1);
        let mut candidates = LINES[usize::from(role & 7)][usize::from(to & 63)]
            & self.roles[usize::from(role & 7)]
            & self.colors[own]
            & mask;
        let occupied = self.occupied();
        let mut found = Err(Unplayable::Illegal);
        if self.colors[own] & bit(to) != 0 {
            return found;
        }
        while candidates != 0 {
            let from = candidates.trailing_zeros() as u8 & 63;
            candidates &= candidates - 1;
            if BETWEEN[usize::from(from)][usize::from(to & 63)] & occupied != 0 {
                continue;
            }
            if !self.is_safe(role, from, to) {
                continue;
            }
            if found.is_ok() {
                return Err(Unplayable::Ambiguous);
            }
            found = Ok(Step { from, to, role, kind: Kind::Normal });
        }
        found
    }

    /// A pawn's step or two ahead, from a square of `mask`.
    #[inline]
    fn pawn_push(&self, to: u8, mask: u64, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let own = usize::from(self.turn & 1);
        let occupied = self.occupied();
        let pawns = self.roles[usize::from(PAWN_ROLE)] & self.colors[own] & mask;
        // From White's side: where the pawn came from, one and two steps back.
        let back = |by: u8| if own == 0 { to.wrapping_sub(by) } else { to.wrapping_add(by) };
        let (one, two) = (back(8), back(16));
        let double_rank = if own == 0 { 3 } else { 4 };
        if occupied & bit(to) != 0 || one >= 64 {
            return Err(Unplayable::Illegal);
        }
        let (from, kind) = if pawns & bit(one) != 0 {
            (one, Kind::Normal)
        } else if to / 8 == double_rank && occupied & bit(one) == 0 && pawns & bit(two) != 0 {
            (two, Kind::Double)
        } else {
            return Err(Unplayable::Illegal);
        };
        self.pawn_step(from, to, kind, promotion)
    }

    /// A pawn's capture from a square of `mask`, which are of one file.
    #[inline]
    fn pawn_capture(&self, to: u8, mask: u64, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let own = usize::from(self.turn & 1);
        let candidates =
            PAWN[own ^ 1][usize::from(to & 63)] & self.roles[usize::from(PAWN_ROLE)] & self.colors[own] & mask;
        let kind = if to == self.passed { Kind::Passing } else { Kind::Normal };
        if candidates == 0 || (kind == Kind::Normal && self.colors[own ^ 1] & bit(to) == 0) {
            return Err(Unplayable::Illegal);
        }
        self.pawn_step(candidates.trailing_zeros() as u8, to, kind, promotion)
    }

    #[inline]
    fn pawn_step(&self, from: u8, to: u8, kind: Kind, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let promotes = (BACK_RANKS[0] | BACK_RANKS[1]) & bit(to) != 0;
        if promotes != promotion.is_some() {
            return Err(Unplayable::Illegal);
        }
        let safe =
            if kind == Kind::Passing { self.is_safe_in_passing(from, to) } else { self.is_safe(PAWN_ROLE, from, to) };
        if !safe {
            return Err(Unplayable::Illegal);
        }
        Ok(match promotion {
            Some(role) => Step { from, to, role: role as u8, kind: Kind::Promotion },
            None => Step { from, to, role: PAWN_ROLE, kind },
        })
    }

    /// Whether the king of the side to move is not attacked after this move, which is no capture in passing.
    #[inline]
    fn is_safe(&self, role: u8, from: u8, to: u8) -> bool {
        let own = usize::from(self.turn & 1);
        let occupied = self.occupied() & !bit(from) | bit(to);
        let king = if role == KING_ROLE { to } else { self.king(own) };
        self.attackers(king, own, occupied) & !bit(to) == 0
    }

    fn is_safe_in_passing(&self, from: u8, to: u8) -> bool {
        let own = usize::from(self.turn & 1);
        let occupied = self.occupied() & !bit(from) & !bit(to ^ 8) | bit(to);
        self.attackers(self.king(own), own, occupied) == 0
    }

    fn castling(&self, side: CastlingSide) -> Result<Step, Unplayable> {
        let own = usize::from(self.turn & 1);
        let king = self.king(own);
        let rooks = self.castling & BACK_RANKS[own];
        // On the king's side rooks are above the king.
        let above = !0 << king;
        let rooks = rooks & if side == CastlingSide::KingSide { above } else { !above };
        match rooks {
            0 => Err(Unplayable::Illegal),
            _ => self.castle_with(king, rooks.trailing_zeros() as u8),
        }
    }

    fn castle_with(&self, king: u8, rook: u8) -> Result<Step, Unplayable> {
        let own = usize::from(self.turn & 1);
        let (king_to, rook_to) = castled(king, rook);
        let between = |a: u8, b: u8| BETWEEN[usize::from(a & 63)][usize::from(b & 63)] | bit(a) | bit(b);
        let others = self.occupied() & !bit(king) & !bit(rook);
        if (between(king, king_to) | between(rook, rook_to)) & others != 0 {
            return Err(Unplayable::Illegal);
        }
        let mut path = between(king, king_to) & !bit(king_to);
        let mut safe = self.attackers(king_to, own, others | bit(rook_to)) == 0;
        while path != 0 {
            let square = path.trailing_zeros() as u8;
            safe &= self.attackers(square, own, others | bit(rook)) == 0;
            path &= path - 1;
        }
        if safe {
            Ok(Step { from: king, to: rook, role: KING_ROLE, kind: Kind::Castle })
        } else {
            Err(Unplayable::Illegal)
        }
    }

    /// From square to square, the piece not named.
    fn squares(&self, from: Square, to: Square, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let own = usize::from(self.turn & 1);
        let mask = bit(from.to_u32() as u8);
        let (origin, target) = (from.to_u32() as u8, to.to_u32() as u8);
        let role = self.squares[from.to_usize()] & 7;
        if mask & self.colors[own] == 0 || (promotion.is_some() && role != PAWN_ROLE) {
            return Err(Unplayable::Illegal);
        }
        match role {
            PAWN_ROLE if from.file() == to.file() => self.pawn_push(target, mask, promotion),
            PAWN_ROLE => self.pawn_capture(target, mask, promotion),
            KING_ROLE if self.castling & BACK_RANKS[own] & bit(target) != 0 => self.castle_with(origin, target),
            KING_ROLE => {
                let home = self.turn().fold_wb(Square::E1, Square::E8);
                let rank: Rank = home.rank();
                if from == home && to.rank() == rank && from.distance(to) == 2 {
                    let rook = if from.file() < to.file() { home.to_u32() as u8 + 3 } else { home.to_u32() as u8 - 4 };
                    let may = self.castling & bit(rook) != 0;
                    return if may { self.castle_with(origin, rook) } else { Err(Unplayable::Illegal) };
                }
                self.piece(role, target, mask)
            }
            _ => self.piece(role, target, mask),
        }
    }
}

#[inline]
fn is_file(byte: u8) -> bool {
    byte.wrapping_sub(b'a') < 8
}

#[inline]
fn is_rank(byte: u8) -> bool {
    byte.wrapping_sub(b'1') < 8
}

#[inline]
fn square(file: u8, rank: u8) -> u8 {
    8 * (rank - b'1') + (file - b'a')
}

/// Where a piece may come from by a letter between its own and the target: of a file, of a rank, or the mark of a
/// capture; nowhere by others.
static ORIGIN: [u64; 256] = {
    let mut origin = [0; 256];
    let mut index = 0;
    while index < 8 {
        origin[b'a' as usize + index] = FILE_A << index;
        origin[b'1' as usize + index] = 0xff << (8 * index);
        index += 1;
    }
    origin[b'x' as usize] = u64::MAX;
    origin
};

/// The role that a capital letter names; 0 for others, and for pawns.
static ROLE: [u8; 256] = {
    let mut role = [0; 256];
    role[b'N' as usize] = Role::Knight as u8;
    role[b'B' as usize] = Role::Bishop as u8;
    role[b'R' as usize] = Role::Rook as u8;
    role[b'Q' as usize] = Role::Queen as u8;
    role[b'K' as usize] = Role::King as u8;
    role
};
