//! Moves as written in files, resolved with tables.

use std::hint::select_unpredictable;

use shakmaty::{CastlingSide, Rank, Role, Square};

use super::{
    BACK_RANKS, BLACK, Board, KING_ROLE, Kind, Normal, PAWN_ROLE, Step,
    attacks::{BETWEEN, CAPTURE, ORIGINS, PAWN, PUSH, bit},
    castled,
};
use crate::{
    san::{Unplayable, Written, parse},
    token::Word,
};

const FILE_A: u64 = 0x0101_0101_0101_0101;

impl Board {
    /// Returns the legal move that `text` means; agrees with [`crate::san::resolve`].
    pub(crate) fn resolve(&self, text: &[u8]) -> Result<Step, Unplayable> {
        let mut bytes = [0; 8];
        match bytes.get_mut(..text.len()) {
            Some(start) if (2..=7).contains(&text.len()) => {
                start.copy_from_slice(text);
                let word = Word {
                    bytes: u64::from_le_bytes(bytes),
                    length: text.len() as u32,
                };
                let mv = if self.own() == 0 {
                    self.resolve_word::<0>(word)
                } else {
                    self.resolve_word::<1>(word)
                };
                mv.map_or_else(|| self.resolve_any(text), |mv| Ok(mv.step()))
            }
            _ => self.resolve_any(text),
        }
    }

    /// Returns the legal move of `OWN`, the side to move, that a word means, if it has the usual
    /// form: a piece's move with at most one letter between the piece and the target, or a pawn's
    /// move other than en passant and promotions. A check mark at the end is ignored.
    ///
    /// The kind of piece is unpredictable, so all kinds take the same path without branches. The
    /// side to move is predictable, so each side has its own code and tables.
    #[inline(always)]
    fn resolve_word<const OWN: usize>(&self, word: Word) -> Option<Normal> {
        let letter = &FIRST[usize::from(word.bytes as u8)];
        // Aligned to its end, with blanks in front and in place of the piece's letter; blanks are
        // stored as zeros here.
        let bytes = word.bytes ^ BLANKS ^ u64::from(letter.blank);
        let bytes = bytes << (64u32.wrapping_sub(8 * word.length) & 63);
        let checks = (bytes >> 56) as u8 & 0xf7 == b'#' ^ b' ';
        let bytes = select_unpredictable(checks, bytes << 8, bytes);
        // File and rank of the target, counted from 0; other characters give more than 7.
        let target = ((bytes >> 48) as u16 ^ 0x1040).wrapping_sub(0x0101);
        if (target & 0xf8f8 != 0) | (bytes & letter.beyond != 0) {
            return None;
        }
        let to = (target >> 5 | target) as u8 & 63;
        // A pawn's capture has four characters.
        let sort = usize::from((letter.sort | word.length as u8 >> 2 & letter.is_pawn) & 7);
        let role = letter.role & 7;
        let candidates = letter.origin
            & ORIGIN[usize::from(letter.is_pawn & 1)][usize::from((bytes >> 40) as u8)]
            & ORIGINS[OWN][sort][usize::from(to)]
            & self.pieces[OWN][usize::from(role)];
        let stands = self.squares[usize::from(to)];
        if candidates == 0 || TARGETS[OWN][sort] >> (stands & 15) & 1 == 0 {
            return None;
        }
        // Usually there is only one candidate.
        let from = match candidates & (candidates - 1) {
            0 => candidates,
            _ => bit(self.one_of(candidates, role, to).ok()?.from),
        };
        let mv = Normal::new(from, to, role);
        if mv.between & self.occupied != 0 || !self.is_safe(OWN, &mv) {
            return None;
        }
        Some(mv)
    }

    /// Plays the move that a word means, if it has the usual form.
    #[inline(always)]
    pub(crate) fn play_word(&mut self, word: Word) -> Option<Normal> {
        if self.own() == 0 {
            self.play_word_of::<0>(word)
        } else {
            self.play_word_of::<1>(word)
        }
    }

    #[inline(always)]
    fn play_word_of<const OWN: usize>(&mut self, word: Word) -> Option<Normal> {
        let mv = self.resolve_word::<OWN>(word)?;
        self.make_normal(OWN, &mv);
        Some(mv)
    }

    #[inline(never)]
    fn resolve_any(&self, text: &[u8]) -> Result<Step, Unplayable> {
        match parse(text).ok_or(Unplayable::NotAMove)? {
            Written::Null => Err(Unplayable::Null),
            Written::Castle(side) => self.castling(side),
            Written::Squares {
                from,
                to,
                promotion,
            } => self.squares(from, to, promotion),
            Written::Piece {
                role,
                file,
                rank,
                to,
                promotion,
            } => {
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
                    _ => self.piece(
                        role as u8,
                        target,
                        ranks & file.map_or(u64::MAX, |file| FILE_A << file as u32),
                    ),
                }
            }
        }
    }

    /// Returns the piece on a square, as if White were to move: 1 to 6 own, 9 to 14 the opponent's,
    /// 0 or 8 none.
    #[inline(always)]
    fn stands(&self, square: u8) -> u8 {
        self.squares[usize::from(square & 63)] ^ (BLACK * self.own() as u8)
    }

    /// Returns a move of a piece to a square from one of the squares in `mask`.
    fn piece(&self, role: u8, to: u8, mask: u64) -> Result<Step, Unplayable> {
        let own = self.own();
        if (1..BLACK).contains(&self.stands(to)) {
            return Err(Unplayable::Illegal);
        }
        let all = ORIGINS[own][usize::from(role & 7)][usize::from(to & 63)]
            & self.pieces[own][usize::from(role & 7)];
        self.one_of(all & mask, role, to)
    }

    /// Returns the only one of these candidates that can legally go to the square.
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
            if self.is_safe(self.own(), &Normal::new(bit(from), to, role)) {
                if found.is_ok() {
                    return Err(Unplayable::Ambiguous);
                }
                found = Ok(Step {
                    from,
                    to,
                    role,
                    kind: Kind::Normal,
                });
            }
        }
        found
    }

    /// Returns a pawn's single or double step from a square of `mask`.
    fn pawn_push(&self, to: u8, mask: u64, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let own = self.own();
        let occupied = self.occupied;
        let pawns = self.pieces[own][usize::from(PAWN_ROLE)] & mask;
        // From White's side: the pawn's origin, one and two steps back.
        let back = |by: u8| {
            if own == 0 {
                to.wrapping_sub(by)
            } else {
                to.wrapping_add(by)
            }
        };
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

    /// Returns a pawn's capture from a square of `mask`, which covers one file.
    fn pawn_capture(&self, to: u8, mask: u64, promotion: Option<Role>) -> Result<Step, Unplayable> {
        let own = self.own();
        let candidates =
            PAWN[own ^ 1][usize::from(to & 63)] & self.pieces[own][usize::from(PAWN_ROLE)] & mask;
        let kind = if self.passed & bit(to) != 0 {
            Kind::Passing
        } else {
            Kind::Normal
        };
        if candidates == 0 || (kind == Kind::Normal && self.stands(to) <= BLACK) {
            return Err(Unplayable::Illegal);
        }
        self.pawn_step(candidates.trailing_zeros() as u8, to, kind, promotion)
    }

    fn pawn_step(
        &self,
        from: u8,
        to: u8,
        kind: Kind,
        promotion: Option<Role>,
    ) -> Result<Step, Unplayable> {
        let promotes = (BACK_RANKS[0] | BACK_RANKS[1]) & bit(to) != 0;
        if promotes != promotion.is_some() {
            return Err(Unplayable::Illegal);
        }
        let safe = if kind == Kind::Passing {
            self.is_safe_in_passing(from, to)
        } else {
            self.is_safe(self.own(), &Normal::new(bit(from), to, PAWN_ROLE))
        };
        if !safe {
            return Err(Unplayable::Illegal);
        }
        Ok(match promotion {
            Some(role) => Step {
                from,
                to,
                role: role as u8,
                kind: Kind::Promotion,
            },
            None => Step {
                from,
                to,
                role: PAWN_ROLE,
                kind,
            },
        })
    }

    /// Returns whether the king of `own`, the side to move, is not attacked after this move.
    #[inline(always)]
    fn is_safe(&self, own: usize, mv: &Normal) -> bool {
        let to = bit(mv.to);
        let king = select_unpredictable(mv.role == KING_ROLE, mv.to, self.king(own));
        self.attackers(king, own, self.occupied & !mv.from | to) & !to == 0
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
        // Kingside rooks have higher square numbers than the king.
        let above = !0 << king;
        let rooks = rooks
            & if side == CastlingSide::KingSide {
                above
            } else {
                !above
            };
        match rooks {
            0 => Err(Unplayable::Illegal),
            _ => self.castle_with(king, rooks.trailing_zeros() as u8),
        }
    }

    fn castle_with(&self, king: u8, rook: u8) -> Result<Step, Unplayable> {
        let own = self.own();
        let (king_to, rook_to) = castled(king, rook);
        let between =
            |a: u8, b: u8| BETWEEN[usize::from(a & 63)][usize::from(b & 63)] | bit(a) | bit(b);
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
            Ok(Step {
                from: king,
                to: rook,
                role: KING_ROLE,
                kind: Kind::Castle,
            })
        } else {
            Err(Unplayable::Illegal)
        }
    }

    /// Returns a move given by its squares, without the piece.
    fn squares(
        &self,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Result<Step, Unplayable> {
        let own = self.own();
        let mask = bit(from.to_u32() as u8);
        let (origin, target) = (from.to_u32() as u8, to.to_u32() as u8);
        let role = self.squares[from.to_usize()] & 7;
        if !(1..BLACK).contains(&self.stands(origin)) || (promotion.is_some() && role != PAWN_ROLE)
        {
            return Err(Unplayable::Illegal);
        }
        match role {
            PAWN_ROLE if from.file() == to.file() => self.pawn_push(target, mask, promotion),
            PAWN_ROLE => self.pawn_capture(target, mask, promotion),
            KING_ROLE if self.castling & BACK_RANKS[own] & bit(target) != 0 => {
                self.castle_with(origin, target)
            }
            KING_ROLE => {
                let home = self.turn().fold_wb(Square::E1, Square::E8);
                let rank: Rank = home.rank();
                if from == home && to.rank() == rank && from.distance(to) == 2 {
                    let rook = if from.file() < to.file() {
                        home.to_u32() as u8 + 3
                    } else {
                        home.to_u32() as u8 - 4
                    };
                    let may = self.castling & bit(rook) != 0;
                    return if may {
                        self.castle_with(origin, rook)
                    } else {
                        Err(Unplayable::Illegal)
                    };
                }
                self.piece(role, target, mask)
            }
            _ => self.piece(role, target, mask),
        }
    }
}

/// The pieces that may stand on the target, one bit for each value of `squares`, by color and the
/// rows of [`ORIGINS`].
const TARGETS: [[u16; 8]; 2] = {
    let (nothing, white, black) = (0x0001, 0x00fe, 0xfe00);
    let mut targets = [[nothing | black; 8], [nothing | white; 8]];
    targets[0][PUSH as usize] = nothing;
    targets[1][PUSH as usize] = nothing;
    targets[0][CAPTURE as usize] = black;
    targets[1][CAPTURE as usize] = white;
    targets
};

/// The properties of a move that its first letter determines.
struct First {
    /// The possible origins: a file for pawns, all squares for pieces.
    origin: u64,
    /// Bytes that must be blank: a move has four characters at most, and a piece's letter has been
    /// blanked.
    beyond: u64,
    /// The row of [`ORIGINS`]; for pawns, the row of pushes.
    sort: u8,
    role: u8,
    is_pawn: u8,
    /// The XOR mask that turns a piece's letter into a blank; 0 for pawns.
    blank: u8,
}

static FIRST: [First; 256] = {
    let mut first = [const {
        First {
            origin: 0,
            beyond: !0,
            sort: 0,
            role: 0,
            is_pawn: 0,
            blank: 0,
        }
    }; 256];
    let mut file = 0;
    while file < 8 {
        first[b'a' as usize + file] = First {
            origin: FILE_A << file,
            beyond: 0xffff_ffff,
            sort: PUSH,
            role: PAWN_ROLE,
            is_pawn: 1,
            blank: 0,
        };
        file += 1;
    }
    let pieces = [
        (b'N', Role::Knight),
        (b'B', Role::Bishop),
        (b'R', Role::Rook),
        (b'Q', Role::Queen),
        (b'K', Role::King),
    ];
    let mut index = 0;
    while index < pieces.len() {
        let (letter, role) = (pieces[index].0, pieces[index].1 as u8);
        first[letter as usize] = First {
            origin: u64::MAX,
            beyond: 0xff_ffff_ffff,
            sort: role,
            role,
            is_pawn: 0,
            blank: letter ^ b' ',
        };
        index += 1;
    }
    first
};

/// The possible origins by the character before the target, XORed with a blank: the first row for
/// pieces, the second for pawns. 0 for characters without a meaning there.
static ORIGIN: [[u64; 256]; 2] = {
    let mut origin = [[0; 256]; 2];
    let blank = b' ' as usize;
    let mut index = 0;
    while index < 8 {
        origin[0][(b'a' as usize + index) ^ blank] = FILE_A << index;
        origin[0][(b'1' as usize + index) ^ blank] = 0xff << (8 * index);
        index += 1;
    }
    let mut row = 0;
    while row < 2 {
        origin[row][0] = u64::MAX;
        origin[row][b'x' as usize ^ blank] = u64::MAX;
        row += 1;
    }
    origin
};

/// Eight blanks in one word.
const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
