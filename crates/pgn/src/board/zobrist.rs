//! Zobrist keys of positions, kept up to date move by move.
//!
//! The random numbers are those of the format PolyGlot, as shakmaty has them, so that other
//! programs can compute the same keys.

use std::sync::LazyLock;

use shakmaty::{
    CastlingSide, Chess, Color, EnPassantMode, File, Piece, Position as _, Role, Square,
    zobrist::{Zobrist64, ZobristValue as _},
};

use super::{
    BACK_RANKS, BLACK, Board, KING_ROLE, Kind, PAWN_ROLE, Step,
    attacks::{PAWN, bit},
    castled,
};

/// The random numbers in the order of the board's own codes.
struct Numbers {
    /// The numbers by the code of a piece and its square; 0 for an empty square.
    pieces: [[u64; 64]; 16],
    /// The numbers of castling rights by colour and side, the king's side first.
    castling: [[u64; 2]; 2],
    en_passant: [u64; 8],
    white_turn: u64,
}

static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let mut pieces = [[0; 64]; 16];
    for color in Color::ALL {
        for role in Role::ALL {
            let code = role as usize + usize::from(color.is_black()) * usize::from(BLACK);
            for square in Square::ALL {
                pieces[code][square.to_usize()] =
                    Zobrist64::zobrist_for_piece(square, Piece { color, role }).0;
            }
        }
    }
    let right = |color, side| Zobrist64::zobrist_for_castling_right(color, side).0;
    let rights = |color| {
        [
            right(color, CastlingSide::KingSide),
            right(color, CastlingSide::QueenSide),
        ]
    };
    Numbers {
        pieces,
        castling: [rights(Color::White), rights(Color::Black)],
        en_passant: File::ALL.map(|file| Zobrist64::zobrist_for_en_passant_file(file).0),
        white_turn: Zobrist64::zobrist_for_white_turn().0,
    }
});

/// Returns the key of a position: pieces, side to move, castling rights, and en passant if such a
/// capture is legal. Positions that are equal by these have one key, whatever moves led to them;
/// the counters of moves do not matter.
///
/// It is PolyGlot's key, except that PolyGlot also counts an en passant capture that is illegal
/// because of a pin.
///
/// ```
/// use centipawn_pgn::{GameScanner, position_key};
/// use shakmaty::Chess;
///
/// let mut games = GameScanner::new(b"1. Nf3 Nf6 2. Ng1 Ng8 *");
/// let game = games.next_game().unwrap()?;
/// let mut keys = Vec::new();
/// game.walk_keys(|key, _| keys.push(key));
/// assert_eq!(keys[0], position_key(&Chess::default()));
/// assert_eq!((keys.len(), keys[4]), (5, 0x463b_9618_1691_fc9c));
/// # Ok::<_, centipawn_pgn::GameError>(())
/// ```
pub fn position_key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// The Zobrist key of a board, which is updated move by move.
pub(crate) struct Keys {
    numbers: &'static Numbers,
    pieces: u64,
    /// The castling rights for which `castling_key` was computed.
    rights: u64,
    castling_key: u64,
}

impl Keys {
    pub(crate) fn new(board: &Board) -> Self {
        let numbers = &*NUMBERS;
        let codes = board.squares.iter().enumerate();
        let pieces = codes.fold(0, |key, (square, code)| {
            key ^ numbers.pieces[usize::from(code & 15)][square]
        });
        let mut keys = Self {
            numbers,
            pieces,
            rights: 0,
            castling_key: 0,
        };
        keys.set_rights(board);
        keys
    }

    /// Returns the key of `board`, which has played the moves that [`play`](Self::play) was called
    /// for.
    #[inline]
    pub(crate) fn key(&mut self, board: &Board) -> u64 {
        if board.castling != self.rights {
            self.set_rights(board);
        }
        let mut key = self.pieces ^ self.castling_key;
        if board.own() == 0 {
            key ^= self.numbers.white_turn;
        }
        if board.passed != 0 && board.has_legal_en_passant() {
            key ^= self.numbers.en_passant[board.passed.trailing_zeros() as usize & 7];
        }
        key
    }

    /// Follows a move that `board` is about to play.
    #[inline]
    pub(crate) fn play(&mut self, board: &Board, step: Step) {
        let own = if board.own() == 0 { 0 } else { BLACK };
        let mut flip = |code: u8, square: u8| {
            self.pieces ^= self.numbers.pieces[usize::from(code & 15)][usize::from(square & 63)];
        };
        let at = |square: u8| board.squares[usize::from(square & 63)];
        flip(at(step.from), step.from);
        if step.kind == Kind::Castle {
            let (king, rook) = castled(step.from, step.to);
            flip(at(step.to), step.to);
            flip(own | KING_ROLE, king);
            flip(own | Role::Rook as u8, rook);
            return;
        }
        flip(at(step.to), step.to);
        flip(own | step.role, step.to);
        if step.kind == Kind::Passing {
            flip((own ^ BLACK) | PAWN_ROLE, step.to ^ 8);
        }
    }

    #[cold]
    fn set_rights(&mut self, board: &Board) {
        self.rights = board.castling;
        self.castling_key = 0;
        let mut rest = board.castling;
        while rest != 0 {
            let rook = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            let color = usize::from(rook >= 32);
            self.castling_key ^=
                self.numbers.castling[color][usize::from(rook < board.king(color))];
        }
    }
}

impl Board {
    /// Returns whether the side to move can capture en passant.
    #[inline(never)]
    fn has_legal_en_passant(&self) -> bool {
        let own = self.own();
        let to = self.passed.trailing_zeros() as u8 & 63;
        // Pawns that can capture on this square stand where a pawn of the other colour on this
        // square would attack.
        let mut pawns = PAWN[own ^ 1][usize::from(to)] & self.pieces[own][usize::from(PAWN_ROLE)];
        while pawns != 0 {
            let from = pawns & pawns.wrapping_neg();
            pawns ^= from;
            let occupied = self.occupied & !from & !bit(to ^ 8) | bit(to);
            if self.attackers(self.king(own), own, occupied) == 0 {
                return true;
            }
        }
        false
    }

    /// Returns whether castling is as in standard chess: of kings on e1 and e8 with rooks in the
    /// corners, as far as there are rights.
    pub(crate) fn has_standard_castling(&self) -> bool {
        const CORNERS: u64 = 1 | 1 << 7 | 1 << 56 | 1 << 63;
        let has_rights = |color: usize| self.castling & BACK_RANKS[color] != 0;
        self.castling & !CORNERS == 0
            && [(0, 4), (1, 60)]
                .into_iter()
                .all(|(color, home)| !has_rights(color) || self.king(color) == home)
    }
}
