//! A board for reading games quickly: moves found with tables, material counted incrementally.

mod attacks;
mod material;
mod san;
mod zobrist;

use std::{hint::select_unpredictable, num::NonZeroU32};

use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, EnPassantMode, File, Move, Piece, Position, Role, Setup,
    Square,
    attacks::{bishop_attacks, rook_attacks},
    uci::UciMove,
};

pub use material::Material;
pub(crate) use zobrist::Keys;
pub use zobrist::position_key;

use attacks::{BETWEEN, KING, KNIGHT, PAWN, bit};

/// A position, stored for reading and playing moves quickly.
///
/// It checks whether moves are legal, but does not generate moves or detect the end of a game;
/// convert it to a [`Chess`] position with [`position`](Self::position) for that.
///
/// ```
/// use centipawn_pgn::{Board, Reader};
/// use shakmaty::Position;
///
/// let game = Reader::new(&b"1. e4 d5 2. exd5 *"[..]).next().unwrap()?.unwrap();
/// let mut board = Board::default();
/// for ply in &game.plies {
///     board.play(ply.mv);
/// }
/// assert_eq!(board.material().total(), 77);
/// assert_eq!(board.position(), *game.end().position());
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The piece on each square: 0 for none, otherwise the role, plus [`BLACK`] for Black.
    squares: [u8; 64],
    /// The squares of each color and role, as bits. Role 0 stays empty: captures on empty squares
    /// remove it.
    pieces: [[u64; 8]; 2],
    /// The occupied squares, as bits.
    occupied: u64,
    material: Material,
    /// The squares of the rooks that may still castle, as bits.
    castling: u64,
    /// The square a pawn has just passed with a double step, as a bit; 0 if none.
    passed: u64,
    /// Number of plies since move 0: odd if Black is to move.
    plies: u64,
    /// Number of plies since the last capture or pawn move.
    halfmoves: u64,
}

const BLACK: u8 = 8;
const PAWN_ROLE: u8 = Role::Pawn as u8;
const KING_ROLE: u8 = Role::King as u8;
const BACK_RANKS: [u64; 2] = [0xff, 0xff << 56];
/// The rooks that can no longer castle once a piece of this color and role has moved. (A table
/// avoids a branch.)
static FORFEITED: [[u64; 8]; 2] = {
    let mut forfeited = [[0; 8]; 2];
    forfeited[0][KING_ROLE as usize] = BACK_RANKS[0];
    forfeited[1][KING_ROLE as usize] = BACK_RANKS[1];
    forfeited
};
/// Mask by captured and moved role: 0 for captures and pawn moves, otherwise all bits. (A table
/// avoids a branch.)
static QUIET: [[u64; 8]; 8] = {
    let mut quiet = [[0; 8]; 8];
    quiet[0] = [!0; 8];
    quiet[0][PAWN_ROLE as usize] = 0;
    quiet
};

/// A move in four bytes, in the form that [`Board`] plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// Origin square; for castling, the king's.
    pub(crate) from: u8,
    /// Target square; for castling, the rook's.
    pub(crate) to: u8,
    /// The role on the target square after the move.
    pub(crate) role: u8,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Normal,
    Passing,
    Promotion,
    Castle,
}

impl Step {
    /// Returns the move in UCI notation. A king from e1 or e8 castles onto its new square, as in
    /// standard chess; any other king takes its rook, as in Chess960.
    pub(crate) fn uci(self) -> UciMove {
        let square = |index: u8| Square::new(u32::from(index & 63));
        let (from, mut to) = (square(self.from), square(self.to));
        if self.kind == Kind::Castle && from.file() == File::E {
            to = match to.file() {
                File::H => Square::from_coords(File::G, to.rank()),
                File::A => Square::from_coords(File::C, to.rank()),
                _ => to,
            };
        }
        let promotion = if self.kind == Kind::Promotion {
            Role::try_from(self.role).ok()
        } else {
            None
        };
        UciMove::Normal {
            from,
            to,
            promotion,
        }
    }
}

/// A move that is neither castling, nor en passant, nor a promotion, with the facts known once it
/// is found.
pub(crate) struct Normal {
    /// The origin square, as a bit.
    from: u64,
    to: u8,
    role: u8,
    /// The squares between origin and destination; for a pawn's double step, the square that it
    /// passes.
    between: u64,
}

impl Normal {
    #[inline(always)]
    fn new(from: u64, to: u8, role: u8) -> Self {
        let between = BETWEEN[from.trailing_zeros() as usize & 63][usize::from(to & 63)];
        Self {
            from,
            to,
            role,
            between,
        }
    }

    #[inline(always)]
    fn origin(&self) -> u8 {
        self.from.trailing_zeros() as u8 & 63
    }

    #[inline(always)]
    pub(crate) fn step(&self) -> Step {
        Step {
            from: self.origin(),
            to: self.to,
            role: self.role,
            kind: Kind::Normal,
        }
    }
}

impl From<Move> for Step {
    fn from(mv: Move) -> Self {
        let step = |from: Square, to: Square, role: Role, kind| Self {
            from: from.to_u32() as u8,
            to: to.to_u32() as u8,
            role: role as u8,
            kind,
        };
        match mv {
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => {
                let kind = match promotion {
                    Some(_) => Kind::Promotion,
                    None => Kind::Normal,
                };
                step(from, to, promotion.unwrap_or(role), kind)
            }
            Move::EnPassant { from, to } => step(from, to, Role::Pawn, Kind::Passing),
            Move::Castle { king, rook } => step(king, rook, Role::King, Kind::Castle),
            Move::Put { role, to } => step(to, to, role, Kind::Normal),
        }
    }
}

impl Default for Board {
    /// Returns the normal start position.
    fn default() -> Self {
        Self::from(&Chess::default())
    }
}

impl From<&Chess> for Board {
    fn from(position: &Chess) -> Self {
        let setup = position.to_setup(EnPassantMode::Always);
        let mut board = Self {
            squares: [0; 64],
            pieces: [[0; 8]; 2],
            occupied: 0,
            material: Material::default(),
            castling: setup.castling_rights.0,
            passed: setup
                .ep_square
                .map_or(0, |square| bit(square.to_u32() as u8)),
            plies: 2 * u64::from(setup.fullmoves.get()) + u64::from(setup.turn.is_black()),
            halfmoves: setup.halfmoves.into(),
        };
        for (square, piece) in &setup.board {
            board.put(
                square.to_u32() as u8,
                piece.role as u8,
                u8::from(piece.color.is_black()),
            );
        }
        board
    }
}

impl Board {
    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        if self.own() == 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// Returns the number of the next full move, as in a FEN.
    pub fn fullmoves(&self) -> u32 {
        u32::try_from(self.plies / 2).unwrap_or(u32::MAX)
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        u32::try_from(self.halfmoves).unwrap_or(u32::MAX)
    }

    /// Returns the pieces on the board.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Returns the piece on a square; `None` if it is empty.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let code = self.squares[square.to_usize()];
        let color = if code < BLACK {
            Color::White
        } else {
            Color::Black
        };
        let role = Role::try_from(u32::from(code % BLACK)).ok()?;
        Some(Piece { color, role })
    }

    /// Returns whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        let own = self.own();
        self.attackers(self.king(own), own, self.occupied) != 0
    }

    /// Returns the same position as shakmaty's type, equal to the one that shakmaty reaches with
    /// the same moves.
    ///
    /// # Panics
    ///
    /// If a move was [played](Self::play) that is illegal, and has left no legal position.
    pub fn position(&self) -> Chess {
        let mut setup = Setup::empty();
        for square in Square::ALL {
            if let Some(piece) = self.piece_at(square) {
                setup.board.set_piece_at(square, piece);
            }
        }
        setup.turn = self.turn();
        setup.castling_rights = Bitboard(self.castling);
        setup.ep_square = Bitboard(self.passed).first();
        setup.halfmoves = self.halfmoves();
        setup.fullmoves = NonZeroU32::new(self.fullmoves()).unwrap_or(NonZeroU32::MIN);
        setup
            .position(CastlingMode::Chess960)
            .or_else(shakmaty::PositionError::ignore_too_much_material)
            .or_else(shakmaty::PositionError::ignore_impossible_check)
            .or_else(shakmaty::PositionError::ignore_invalid_ep_square)
            .or_else(shakmaty::PositionError::ignore_invalid_castling_rights)
            .expect("legal moves from a legal position lead to a legal position")
    }

    /// Plays a move, which must be legal in this position.
    pub fn play(&mut self, mv: Move) {
        self.make(Step::from(mv));
    }

    fn put(&mut self, square: u8, role: u8, color: u8) {
        self.squares[usize::from(square & 63)] = role + BLACK * color;
        self.pieces[usize::from(color & 1)][usize::from(role & 7)] |= bit(square);
        self.occupied |= bit(square);
        self.material.add(color, role);
    }

    fn take(&mut self, square: u8) {
        let code = self.squares[usize::from(square & 63)];
        let (role, color) = (code % BLACK, code / BLACK);
        self.squares[usize::from(square & 63)] = 0;
        self.pieces[usize::from(color & 1)][usize::from(role & 7)] &= !bit(square);
        self.occupied &= !bit(square);
        self.material.remove(color, role);
    }

    /// Returns the side to move: 0 for White, 1 for Black.
    #[inline(always)]
    fn own(&self) -> usize {
        self.plies as usize & 1
    }

    #[inline]
    fn king(&self, color: usize) -> u8 {
        self.pieces[color & 1][usize::from(KING_ROLE)].trailing_zeros() as u8 & 63
    }

    /// Plays a move, which must be legal in this position.
    pub(crate) fn make(&mut self, step: Step) {
        let own = self.own() as u8;
        match step.kind {
            Kind::Normal => {
                self.make_normal(own.into(), &Normal::new(bit(step.from), step.to, step.role));
            }
            Kind::Castle => self.castle(step.from, step.to),
            Kind::Passing => {
                self.make_normal(own.into(), &Normal::new(bit(step.from), step.to, PAWN_ROLE));
                self.take(step.to ^ 8);
            }
            Kind::Promotion => {
                self.make_normal(own.into(), &Normal::new(bit(step.from), step.to, PAWN_ROLE));
                self.take(step.to);
                self.put(step.to, step.role, own);
            }
        }
    }

    /// Plays a move of `own`, the side to move. Written for speed: every load and every branch
    /// counts.
    #[inline(always)]
    fn make_normal(&mut self, own: usize, mv: &Normal) {
        let Normal {
            from,
            to,
            role,
            between,
        } = *mv;
        let captured = self.squares[usize::from(to & 63)] & 7;
        let both = from | bit(to);
        self.squares[usize::from(mv.origin())] = 0;
        self.squares[usize::from(to & 63)] = role + BLACK * own as u8;
        // No branch: a capture on an empty square removes role 0, which nothing reads.
        self.pieces[own ^ 1][usize::from(captured)] &= !bit(to);
        self.pieces[own][usize::from(role & 7)] ^= both;
        self.occupied = self.occupied & !from | bit(to);
        self.material.remove(own as u8 ^ 1, captured);
        self.castling &= !(both | FORFEITED[own][usize::from(role & 7)]);
        self.plies += 1;
        self.halfmoves = (self.halfmoves + 1) & QUIET[usize::from(captured)][usize::from(role & 7)];
        self.passed = select_unpredictable(role == PAWN_ROLE, between, 0);
    }

    fn castle(&mut self, king_from: u8, rook_from: u8) {
        let own = self.own() as u8;
        let (king, rook) = castled(king_from, rook_from);
        self.take(king_from);
        self.take(rook_from);
        self.put(king, KING_ROLE, own);
        self.put(rook, Role::Rook as u8, own);
        self.castling &= !BACK_RANKS[usize::from(own)];
        self.passed = 0;
        self.plies += 1;
        self.halfmoves += 1;
    }

    /// Pieces of the opponent of `own` that attack a square.
    #[inline(always)]
    fn attackers(&self, square: u8, own: usize, occupied: u64) -> u64 {
        let at = usize::from(square & 63);
        let theirs = &self.pieces[(own ^ 1) & 1];
        let role = |role: Role| theirs[role as usize];
        // Attacks along lines use table lookups, because a branch on their result is predictable,
        // while a loop over the sliding pieces has an unpredictable number of iterations.
        let (square, on) = (Square::new(u32::from(square & 63)), Bitboard(occupied));
        occupied
            & (PAWN[own & 1][at] & role(Role::Pawn)
                | KNIGHT[at] & role(Role::Knight)
                | KING[at] & role(Role::King)
                | rook_attacks(square, on).0 & (role(Role::Rook) | role(Role::Queen))
                | bishop_attacks(square, on).0 & (role(Role::Bishop) | role(Role::Queen)))
    }
}

/// Returns the squares of king and rook after castling.
fn castled(king: u8, rook: u8) -> (u8, u8) {
    let rank = king & 56;
    if rook > king {
        (rank | 6, rank | 5)
    } else {
        (rank | 2, rank | 3)
    }
}

#[cfg(test)]
mod tests;
