//! Material as chess players count it.

use shakmaty::{Board, Color, Role};

/// Returns a piece's material value in pawns: 1, 3, 3, 5, 9, and 0 for a king. Exchanges are
/// counted with [`piece_value`](crate::piece_value) instead.
pub const fn material_value(role: Role) -> u32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    }
}

/// Returns the material of `side` minus material of the other side, in pawns.
///
/// ```
/// use centipawn_core::material_balance;
/// use shakmaty::{Board, Color};
///
/// let board = Board::from_ascii_board_fen(b"4k3/8/8/8/8/8/8/R3K2n").unwrap();
/// assert_eq!((material_balance(&board, Color::White), material_balance(&board, Color::Black)), (2, -2));
/// ```
pub fn material_balance(board: &Board, side: Color) -> i32 {
    let of = |color: Color| -> i32 {
        let own = board.by_color(color);
        Role::ALL
            .iter()
            .map(|&role| {
                (material_value(role) * (board.by_role(role) & own).count() as u32).cast_signed()
            })
            .sum()
    };
    of(side) - of(!side)
}

/// Returns a piece's name: `knight`.
pub fn piece_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}
