//! Moves as files write them, found with tables.

use shakmaty::{CastlingSide, Rank, Role, Square};

use super::{
    BACK_RANKS, BLACK, Board, KING_ROLE, Kind, PAWN_ROLE, Step,
    attacks::{BETWEEN, CAPTURE, ORIGINS, PAWN, PUSH, bit},
    castled,
};
use crate::{
    san::{Unplayable, Written, parse},
    token::Word,
};

const FILE_A: u64 = 0x0101_0101_0101_0101;

impl Board {
    /// The legal move that `text` means, the same as [`crate::san::resolve`] finds.
    pub(crate) fn resolve(&self, text: &[u8]) -> Result<Step, Unplayable> {
        let mut bytes = [0; 8];
        match bytes.get_mut(..text.len()) {
            Some(start) if (2..=7).contains(&text.len()) => {
                start.copy_from_slice(text);
                let word = Word { bytes: u64::from_le_bytes(bytes), length: text.len() as u32 };
                self.resolve_word(word).map_or_else(|| self.resolve_any(text), Ok)
            }
            _ => self.resolve_any(text),
        }
    }

    /// The legal move that a word means, if it is written as most are: a piece's, with what is needed to tell it from
    /// others, or a pawn's, but no capture in passing and no promotion. It is a [`Kind::Normal`] one.
    ///
    /// What sort of piece it is cannot be foreseen: all of them go the same way, without a branch.
    #[inline(always)]
    pub(crate) fn resolve_word(&self, word: Word) -> Option<Step> {
        let Word { bytes, length } = word;
        // File and rank of the target, counted from 0; other letters are beyond 7.
        let target = ((bytes >> ((8 * length).wrapping_sub(16) & 63)) as u16 ^ 0x3060).wrapping_sub(0x0101);
        let to = (target >> 5 | target) as u8 & 63;
        let piece = ROLE[usize::from(bytes as u8)];
        let is_pawn = u32::from(piece == 0);
        // What is said of the origin: the letters before the target, behind a piece's own. The mark of a capture,
        // which says nothing, where there are less than two.
        let letters = (length + is_pawn).wrapping_sub(3);
        let said = (1 << (letters.wrapping_mul(8) & 63)) - 1;
        let origin = bytes >> (8 - 8 * is_pawn) & said | 0x7878 & !said;
        let (first, second) = (origin as u8, (origin >> 8) as u8);
        // A pawn's: nothing, or a file and the mark.
        let odd = (is_pawn != 0) & ((letters == 1) | (second != b'x'));
        if (target & 0xf8f8 != 0) | (letters > 2) | odd {
            return None;
        }
        let sort = if is_pawn != 0 { letters as u8 / 2 } else { piece };
        let role = piece | is_pawn as u8;
        let own = self.own();
        let candidates = ORIGINS[own][usize::from(sort & 7)][usize::from(to)]
            & ORIGIN[usize::from(first)]
            & ORIGIN[usize::from(second)]
            & self.pieces[own][usize::from(role & 7)];
        if candidates == 0 || TARGETS[usize::from(sort & 7)] >> (self.stands(to) & 15) & 1 == 0 {
            return None;
        }
        // One piece is what there mostly is.
        if candidates & (candidates - 1) != 0 {
            return self.one_of(candidates, role, to).ok();
        }
        let from = candidates.trailing_zeros() as u8 & 63;
        let blocked = BETWEEN[usize::from(from)][usize::from(to)] & self.occupied != 0;
        if blocked || !self.is_safe(role, from, to) {
            return None;
        }
        Some(Step { from, to, role, kind: Kind::Normal })
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

    /// What stands on a square, as if White were to move: 1 to 6 one's own, 9 to 14 theirs, 0 or 8 nothing.
    #[inline(always)]
    fn stands(&self, square: u8) -> u8 {
        self.squares[usize::from(square & 63)] ^ (BLACK * self.own() as u8)
    }

    /// A move of a piece to a square from those in `mask`.
    fn piece(&self, role: u8, to: u8, mask: u64) -> Result<Step, Unplayable> {
        let own = self.own();
        if (1..BLACK).contains(&self.stands(to)) {
            return Err(Unplayable::Illegal);
        }
        let all = ORIGINS[own][usize::from(role & 7)][usize::from(to & 63)] & self.pieces[own][usize::from(role & 7)];
        self.one_of(all & mask, role, to)
    }

    /// The one of these pieces that can go to a square.
    #[inline(never)]
    fn one_of(&self, mut candidates: u64, role: u8, to: u8) -> Result<Step, Unplayable> {
        let occupied = self.occupied;
        let mut reach = 0;
        while candidates != 0 {
            let from = candidates.trailing_zeros() as u8 & 63;
            candidates &= candidates - 1;
            if BETWEEN[usize::from(from)][usize::from(to & 63)] & occupied == 0 {
                reach |= bit(from);
            }
        }
        let mut found = Err(Unplayable::Illegal);
        while reach != 0 {
            let from = reach.trailing_zeros() as u8 & 63;
            reach &= reach - 1;
            if self.is_safe(role, from, to) {
                if found.is_ok() {
                    return Err(Unplayable::Ambiguous);
                }
                found = Ok(Step { from, to, role, kind: Kind::Normal });
            }
        }
        found
    }

    /// A pawn's step or two ahead, from a square of `mask`.
    fn pawn_push(&self, to: u8, mask: u64, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let own = self.own();
        let occupied = self.occupied;
        let pawns = self.pieces[own][usize::from(PAWN_ROLE)] & mask;
        // From White's side: where the pawn came from, one and two steps back.
        let back = |by: u8| if own == 0 { to.wrapping_sub(by) } else { to.wrapping_add(by) };
        let (one, two) = (back(8), back(16));
        let double_rank = if own == 0 { 3 } else { 4 };
        if occupied & bit(to) != 0 || one >= 64 {
            return Err(Unplayable::Illegal);
        }
        let from = if pawns & bit(one) != 0 {
            one
        } else if to / 8 == double_rank && occupied & bit(one) == 0 && pawns & bit(two) != 0 {
            two
        } else {
            return Err(Unplayable::Illegal);
        };
        self.pawn_step(from, to, Kind::Normal, promotion)
    }

    /// A pawn's capture from a square of `mask`, which are of one file.
    fn pawn_capture(&self, to: u8, mask: u64, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let own = self.own();
        let candidates = PAWN[own ^ 1][usize::from(to & 63)] & self.pieces[own][usize::from(PAWN_ROLE)] & mask;
        let kind = if to == self.passed { Kind::Passing } else { Kind::Normal };
        if candidates == 0 || (kind == Kind::Normal && self.stands(to) <= BLACK) {
            return Err(Unplayable::Illegal);
        }
        self.pawn_step(candidates.trailing_zeros() as u8, to, kind, promotion)
    }

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
    #[inline(always)]
    fn is_safe(&self, role: u8, from: u8, to: u8) -> bool {
        let own = self.own();
        let occupied = self.occupied & !bit(from) | bit(to);
        let moves = 0u64.wrapping_sub(u64::from(role == KING_ROLE));
        let king = (self.pieces[own][usize::from(KING_ROLE)] & !moves | bit(to) & moves).trailing_zeros() as u8 & 63;
        self.attackers(king, own, occupied) & !bit(to) == 0
    }

    fn is_safe_in_passing(&self, from: u8, to: u8) -> bool {
        let own = self.own();
        let occupied = self.occupied & !bit(from) & !bit(to ^ 8) | bit(to);
        self.attackers(self.king(own), own, occupied) == 0
    }

    fn castling(&self, side: CastlingSide) -> Result<Step, Unplayable> {
        let own = self.own();
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
        let own = self.own();
        let (king_to, rook_to) = castled(king, rook);
        let between = |a: u8, b: u8| BETWEEN[usize::from(a & 63)][usize::from(b & 63)] | bit(a) | bit(b);
        let others = self.occupied & !bit(king) & !bit(rook);
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
        let own = self.own();
        let mask = bit(from.to_u32() as u8);
        let (origin, target) = (from.to_u32() as u8, to.to_u32() as u8);
        let role = self.squares[from.to_usize()] & 7;
        if !(1..BLACK).contains(&self.stands(origin)) || (promotion.is_some() && role != PAWN_ROLE) {
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

/// By the rows of [`ORIGINS`]: what may stand on the target, a bit for each of what [`Board::stands`] says.
const TARGETS: [u16; 8] = {
    let (nothing, theirs) = (0x0101, 0xfe00);
    let mut targets = [nothing | theirs; 8];
    targets[PUSH as usize] = nothing;
    targets[CAPTURE as usize] = theirs;
    targets
};

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
