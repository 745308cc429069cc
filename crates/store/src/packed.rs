//! The key of a question: its position and its moves, packed into bytes.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | bit 0: Black to move; bit 1: castling is written as in Chess960 |
//! | 8 | the occupied squares, a1 the lowest bit, big-endian |
//! | half a byte a piece | from a1 to h8, low half first: bit 3 Black; bits 0..3 the kind below |
//! | varint | half-moves since a capture or pawn move |
//! | varint | move number |
//! | varint | number of earlier moves that can still be repeated |
//! | 2 a move | those moves |
//! | 2 a move | `searchmoves` in ascending order; none if all moves are considered |
//!
//! The kinds are pawn, knight, bishop, rook, queen, king, a rook that may castle, and a pawn that
//! may be captured en passant, from 0 to 7.
//!
//! Earlier moves are a part of the key because an engine uses them to detect repetitions. A
//! position after a capture, a pawn move or the loss of a castling right has none, so
//! transpositions have the same key.

use centipawn_core::History;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Move, Piece, Position as _, Role,
    Setup, Square, uci::UciMove,
};

use crate::varint::{Reader, put};

const BLACK_TO_MOVE: u8 = 1;
const CHESS960: u8 = 2;
const BLACK: u8 = 8;
const CASTLING_ROOK: u8 = 6;
const EN_PASSANT_PAWN: u8 = 7;
const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];
const PROMOTIONS: [Option<Role>; 5] = [
    None,
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
];

/// Packs a question about the last position of a history, restricted to `moves` if there are any.
pub(crate) fn pack(history: &History, moves: &[Move]) -> Vec<u8> {
    let setup = history.position().to_setup(EnPassantMode::Legal);
    let past = repeatable(history)
        .iter()
        .map(|&mv| pack_move(mv))
        .collect();
    let mut moves: Vec<u16> = moves.iter().map(|&mv| pack_move(mv)).collect();
    moves.sort_unstable();
    moves.dedup();
    Unpacked {
        setup,
        mode: history.mode(),
        past,
        moves,
    }
    .pack()
}

/// Returns a hash of a key: FNV-1a with a final mix of its bits. It is stored, so it must be the
/// same on every machine and in every version.
pub(crate) fn slot(key: &[u8]) -> i64 {
    let mut hash = key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (hash ^ hash >> 33) as i64
}

/// The position and the moves of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unpacked {
    pub(crate) setup: Setup,
    pub(crate) mode: CastlingMode,
    /// The earlier moves after which a position can still be repeated.
    pub(crate) past: Vec<u16>,
    /// The `searchmoves` in ascending order; empty if all moves are considered.
    pub(crate) moves: Vec<u16>,
}

impl Unpacked {
    pub(crate) fn pack(&self) -> Vec<u8> {
        let Self {
            setup,
            mode,
            past,
            moves,
        } = self;
        let mut bytes = Vec::with_capacity(36 + 2 * (past.len() + moves.len()));
        let black = if setup.turn.is_black() {
            BLACK_TO_MOVE
        } else {
            0
        };
        bytes.push(
            black
                | if *mode == CastlingMode::Chess960 {
                    CHESS960
                } else {
                    0
                },
        );
        let occupied = setup.board.occupied();
        bytes.extend(u64::from(occupied).to_be_bytes());
        let taken_en_passant = setup
            .ep_square
            .and_then(|square| square.offset(setup.turn.fold_wb(-8, 8)));
        let codes: Vec<u8> = occupied
            .into_iter()
            .filter_map(|square| {
                let Piece { color, role } = setup.board.piece_at(square)?;
                let code = if setup.castling_rights.contains(square) {
                    CASTLING_ROOK
                } else if taken_en_passant == Some(square) {
                    EN_PASSANT_PAWN
                } else {
                    role as u8 - 1
                };
                Some(code | if color.is_black() { BLACK } else { 0 })
            })
            .collect();
        bytes.extend(
            codes
                .chunks(2)
                .map(|pair| pair[0] | pair.get(1).map_or(0, |code| code << 4)),
        );
        put(&mut bytes, setup.halfmoves.into());
        put(&mut bytes, setup.fullmoves.get().into());
        put(&mut bytes, past.len() as u64);
        bytes.extend(past.iter().chain(moves).flat_map(|code| code.to_be_bytes()));
        bytes
    }
}

/// Unpacks a key. Returns `None` if the bytes are invalid.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Unpacked> {
    let mut reader = Reader::new(bytes);
    let head = reader.byte()?;
    let occupied = Bitboard(u64::from_be_bytes(reader.take(8)?.try_into().ok()?));
    let mut setup = Setup::empty();
    setup.turn = Color::from_white(head & BLACK_TO_MOVE == 0);
    let mut board = Board::empty();
    let pieces = reader.take(occupied.count().div_ceil(2))?;
    for (index, square) in occupied.into_iter().enumerate() {
        let code = pieces[index / 2] >> (4 * (index % 2)) & 0xf;
        let role = match code & !BLACK {
            CASTLING_ROOK => {
                setup.castling_rights.add(square);
                Role::Rook
            }
            EN_PASSANT_PAWN => {
                setup.ep_square = square.offset(setup.turn.fold_wb(8, -8));
                Role::Pawn
            }
            role => ROLES[usize::from(role)],
        };
        board.set_piece_at(
            square,
            Piece {
                color: Color::from_white(code & BLACK == 0),
                role,
            },
        );
    }
    setup.board = board;
    setup.halfmoves = u32::try_from(reader.varint()?).ok()?;
    setup.fullmoves = u32::try_from(reader.varint()?).ok()?.try_into().ok()?;
    let count = usize::try_from(reader.varint()?).ok()?.checked_mul(2)?;
    let codes = |bytes: &[u8]| {
        bytes
            .chunks_exact(2)
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect()
    };
    let past = codes(reader.take(count)?);
    let moves = reader.rest();
    let mode = CastlingMode::from_chess960(head & CHESS960 != 0);
    moves.len().is_multiple_of(2).then(|| Unpacked {
        setup,
        mode,
        past,
        moves: codes(moves),
    })
}

/// Creates a position. Like [`History::from_fen`], accepts impossible material.
pub(crate) fn position(setup: Setup, mode: CastlingMode) -> Option<Chess> {
    setup
        .position::<Chess>(mode)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .ok()
}

/// Returns the last moves of a history, back to the first position that may still be repeated.
fn repeatable(history: &History) -> &[Move] {
    let moves = history.moves();
    if history.position().halfmoves() == 0 || moves.last().is_none_or(|mv| mv.is_zeroing()) {
        return &[];
    }
    let mut position = history.start().clone();
    let mut first = 0;
    for (index, mv) in moves.iter().enumerate() {
        let rights = position.castles().castling_rights();
        position.play_unchecked(*mv);
        if mv.is_zeroing() || position.castles().castling_rights() != rights {
            first = index + 1;
        }
    }
    &moves[first..]
}

/// Packs a move: 6 bits for the square it leaves, 6 for its target (when castling, the rook's
/// square), and 3 for the promotion.
pub(crate) fn pack_move(mv: Move) -> u16 {
    let from = mv.from().map_or(0, u16::from);
    let promotion = PROMOTIONS
        .iter()
        .position(|role| *role == mv.promotion())
        .unwrap_or(0);
    from | u16::from(mv.to()) << 6 | (promotion as u16) << 12
}

/// Formats a move as UCI does in Chess960. Returns `None` if the bits are not a move.
pub(crate) fn move_text(code: u16) -> Option<UciMove> {
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    let promotion = *PROMOTIONS.get(usize::from(code >> 12))?;
    Some(UciMove::Normal {
        from: square(code),
        to: square(code >> 6),
        promotion,
    })
}

/// Returns a legal move in this position; `None` if the bits are not one. Rows of a shared store
/// and answers of workers come from other processes, whose checksums prove nothing about legality.
pub(crate) fn legal_move(code: u16, position: &Chess) -> Option<Move> {
    let UciMove::Normal {
        from,
        to,
        promotion,
    } = move_text(code)?
    else {
        return None;
    };
    let board = position.board();
    let role = board.role_at(from)?;
    let mv = match board.piece_at(to) {
        Some(Piece { color, .. }) if color == position.turn() => Move::Castle {
            king: from,
            rook: to,
        },
        None if role == Role::Pawn && from.file() != to.file() => Move::EnPassant { from, to },
        taken => Move::Normal {
            role,
            from,
            capture: taken.map(|piece| piece.role),
            to,
            promotion,
        },
    };
    position.is_legal(mv).then_some(mv)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn played(fen: &str, moves: &str) -> History {
        let mut history = History::from_fen(fen, None).unwrap();
        for uci in moves.split_whitespace() {
            let mv = history.parse_uci(uci).unwrap();
            history.push(mv);
        }
        history
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_start_takes_28_bytes() {
        let bytes = pack(&played(START, ""), &[]);
        assert_eq!(bytes.len(), 28);
        assert_eq!(
            bytes[..11],
            [0, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0x16, 0x42]
        );
    }

    #[test]
    fn transpositions_have_the_same_key_unless_a_position_can_be_repeated() {
        let one = played(START, "g1f3 g8f6 d2d4");
        let other = played(START, "d2d4 g8f6 g1f3");
        assert_ne!(pack(&one, &[]), pack(&other, &[]), "the clock differs");
        assert_eq!(pack(&one, &[]), pack(&played(START, "g1f3 g8f6 d2d4"), &[]));
        let one = played(START, "g1f3 g8f6 b1c3 b8c6 e2e4");
        let other = played(START, "b1c3 b8c6 g1f3 g8f6 e2e4");
        assert_eq!(pack(&one, &[]), pack(&other, &[]));
        // Without the irreversible move, the positions on the way can be repeated.
        let one = played(START, "g1f3 g8f6 b1c3 b8c6");
        let other = played(START, "b1c3 b8c6 g1f3 g8f6");
        assert_ne!(pack(&one, &[]), pack(&other, &[]));
        assert_eq!(unpack(&pack(&one, &[])).unwrap().past.len(), 4);
        // A move that loses a castling right is irreversible.
        assert_eq!(
            unpack(&pack(&played(START, "g1f3 g8f6 h1g1 f6g8"), &[]))
                .unwrap()
                .past
                .len(),
            1
        );
    }

    #[test]
    fn every_field_of_a_fen_is_in_the_key() {
        let base = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 10";
        let key = |fen: &str| pack(&played(fen, ""), &[]);
        for other in [
            "r3k2r/8/8/3pP3/8/8/8/R3K2R b KQkq - 0 10",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk d6 0 10",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 10",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 1 10",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 11",
        ] {
            assert_ne!(key(base), key(other), "{other}");
        }
        let standard = History::from_fen(base, Some(CastlingMode::Standard)).unwrap();
        let chess960 = History::from_fen(base, Some(CastlingMode::Chess960)).unwrap();
        assert_ne!(pack(&standard, &[]), pack(&chess960, &[]));
    }

    #[test]
    fn searchmoves_are_in_the_key() {
        let start = played(START, "g1f3");
        let [one, other] = ["e7e5", "d7d5"].map(|uci| start.parse_uci(uci).unwrap());
        let both = pack(&start, &[one, other, one]);
        assert_eq!(both, pack(&start, &[other, one]));
        assert_ne!(both, pack(&start, &[one]));
        assert_eq!(unpack(&both).unwrap().moves.len(), 2);
        // This value must never change, because existing stores contain it.
        assert_eq!(slot(&both), 1_123_495_797_018_742_649);
    }

    #[test]
    fn invalid_bytes_are_refused() {
        let good = pack(&played(START, "g1f3"), &[]);
        for end in 0..good.len() {
            assert_eq!(unpack(&good[..end]), None, "{end}");
        }
    }

    /// Returns a game with one random move for each choice.
    fn random_game(choices: &[usize]) -> History {
        let mut history = History::default();
        for choice in choices {
            let legal = history.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            history.push(legal[choice % legal.len()]);
        }
        history
    }

    proptest! {
        #[test]
        fn positions_are_unpacked_as_they_were_packed(choices in proptest::collection::vec(0usize..1000, 0..120)) {
            let history = random_game(&choices);
            let back = unpack(&pack(&history, &[])).unwrap();
            prop_assert_eq!(&back.setup, &history.position().to_setup(EnPassantMode::Legal));
            let position: Chess = back.setup.position(back.mode).unwrap();
            prop_assert_eq!(&position, history.position());
            for mv in position.legal_moves() {
                prop_assert_eq!(move_text(pack_move(mv)).unwrap().to_move(&position).ok(), Some(mv));
                prop_assert_eq!(legal_move(pack_move(mv), &position), Some(mv));
            }
            let legal = position.legal_moves();
            for code in 0..1 << 15 {
                prop_assert!(legal_move(code, &position).is_none_or(|mv| legal.contains(&mv)));
            }
            let last = history.moves().len() - back.past.len();
            let past: Vec<u16> = history.moves()[last..].iter().map(|&mv| pack_move(mv)).collect();
            prop_assert_eq!(back.past, past);
        }

        #[test]
        fn unpacking_random_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60), code in any::<u16>()) {
            if let Some(read) = unpack(&bytes) {
                let _ = read.setup.position::<Chess>(read.mode).map(|position| legal_move(code, &position));
            }
        }
    }
}
