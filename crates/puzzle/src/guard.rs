//! Attack and defence: hanging, badly placed, pinned and trapped pieces.

use centipawn_core::material_value;
use shakmaty::{Bitboard, Board, Chess, Color, Piece, Position as _, Role, Square, attacks};

/// Returns piece values as in material counts, and 99 for the king, which is worth more than every
/// other piece.
pub(crate) fn value(role: Role) -> i32 {
    if role == Role::King {
        99
    } else {
        material_value(role).cast_signed()
    }
}

/// Returns whether the piece is a bishop, rook or queen.
pub(crate) fn is_slider(role: Role) -> bool {
    matches!(role, Role::Bishop | Role::Rook | Role::Queen)
}

/// Returns the pieces of `side` that attack a square, including pinned ones.
pub(crate) fn attackers(board: &Board, side: Color, square: Square) -> Bitboard {
    board.attacks_to(square, side, board.occupied())
}

/// Returns whether a piece of `color` on this square would be undefended: no friendly piece attacks
/// the square, and none would if an enemy sliding piece that attacks it were removed.
pub(crate) fn is_hanging(board: &Board, color: Color, square: Square) -> bool {
    if attackers(board, color, square).any() {
        return false;
    }
    let lines = attackers(board, !color, square) & board.sliders();
    !lines.into_iter().any(|attacker| {
        board
            .attacks_to(square, color, board.occupied().without(attacker))
            .any()
    })
}

/// Returns whether the piece is attacked, and is undefended or can be captured by a less valuable
/// piece other than the king.
pub(crate) fn is_in_bad_spot(board: &Board, square: Square) -> bool {
    let Some(piece) = board.piece_at(square) else {
        return false;
    };
    let enemies = attackers(board, !piece.color, square);
    if enemies.is_empty() {
        return false;
    }
    let cheaper = |attacker: Square| {
        board
            .role_at(attacker)
            .is_some_and(|role| value(role) < value(piece.role))
    };
    (enemies & !board.kings()).into_iter().any(cheaper) || is_hanging(board, piece.color, square)
}

/// Returns the line through the king of `color`, the piece on `square` and the piece that pins it;
/// `None` if it is not pinned.
pub(crate) fn pin(board: &Board, color: Color, square: Square) -> Option<Bitboard> {
    let king = board.king_of(color)?;
    let line = attacks::ray(king, square);
    if king == square || line.is_empty() {
        return None;
    }
    let straight = king.file() == square.file() || king.rank() == square.rank();
    let sliders = if straight {
        board.rooks_and_queens()
    } else {
        board.bishops_and_queens()
    };
    let is_pinner = |enemy: Square| {
        attacks::between(king, enemy) & (board.occupied().with(square))
            == Bitboard::from_square(square)
    };
    (line & sliders & board.by_color(!color))
        .into_iter()
        .any(is_pinner)
        .then_some(line)
}

/// Returns all pieces of `color` that are pinned to their king, each with its pin line.
pub(crate) fn pinned(board: &Board, color: Color) -> impl Iterator<Item = (Square, Bitboard)> {
    let near = board.king_of(color).map_or(Bitboard::EMPTY, |king| {
        // Only the first piece on each line from the king can be pinned.
        attacks::queen_attacks(king, board.occupied()) & board.by_color(color)
    });
    near.into_iter()
        .filter_map(move |square| pin(board, color, square).map(|line| (square, line)))
}

/// Returns whether a piece of the side to move is lost on every square that it can reach. It must
/// be neither pawn nor king, not pinned, its king not in check, and it must be [in a bad
/// spot](is_in_bad_spot) now and after each of its moves. Capturing a piece of at least equal value
/// counts as an escape.
pub(crate) fn is_trapped(chess: &Chess, square: Square) -> bool {
    let board = chess.board();
    let Some(Piece { color, role }) = board.piece_at(square) else {
        return false;
    };
    if color != chess.turn()
        || matches!(role, Role::Pawn | Role::King)
        || !is_in_bad_spot(board, square)
    {
        return false;
    }
    if chess.is_check() || pin(board, color, square).is_some() {
        return false;
    }
    chess
        .legal_moves()
        .into_iter()
        .filter(|mv| mv.from() == Some(square) && !mv.is_castle())
        .all(|mv| {
            if mv
                .capture()
                .is_some_and(|taken| value(taken) >= value(role))
            {
                return false;
            }
            let mut after = chess.clone();
            after.play_unchecked(mv);
            is_in_bad_spot(after.board(), mv.to())
        })
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;

    use super::*;

    fn chess(fen: &str) -> Chess {
        History::from_fen(fen, None).unwrap().position().clone()
    }

    #[test]
    fn a_queen_is_trapped_if_every_move_loses_it() {
        let trapped = |fen| is_trapped(&chess(fen), Square::H5);
        assert!(trapped("q3k3/7p/8/4N2q/3PP3/4B3/7R/4K2R b - - 0 1"));
        assert!(!trapped("q3k3/7p/8/4N2q/3PP3/4B3/8/4K2R b - - 0 1"));
        assert!(!trapped("4k3/7p/8/4N2q/3PP2p/4B3/8/4K3 b - - 0 1"));
    }

    #[test]
    fn a_friend_behind_an_attacker_defends() {
        // The rook on d1 stands behind the enemy rook on d3.
        let position = chess("4k3/8/8/3N4/8/3r4/8/3RK3 w - - 0 1");
        assert!(!is_hanging(position.board(), Color::White, Square::D5));
        let position = chess("4k3/8/8/3N4/8/3r4/8/4K3 w - - 0 1");
        assert!(is_hanging(position.board(), Color::White, Square::D5));
    }

    #[test]
    fn only_a_piece_between_its_king_and_a_line_piece_is_pinned() {
        let position = chess("4k3/4n3/8/1B6/8/4R3/3p4/6K1 b - - 0 1");
        let lines: Vec<Square> = pinned(position.board(), Color::Black)
            .map(|(square, _)| square)
            .collect();
        assert_eq!(lines, [Square::E7]);
        assert_eq!(pin(position.board(), Color::Black, Square::D2), None);
    }
}
