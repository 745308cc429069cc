//! Static exchange evaluation: the material gained by a capture and the recaptures that follow.

use shakmaty::{Bitboard, Board, Chess, Move, Position as _, Role, Square, attacks};

/// Returns a piece's value in pawns, as [`static_exchange_eval`] counts it: pawn 1, knight 3,
/// bishop 3, rook 5, queen 10, king 100.
pub fn piece_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 10,
        Role::King => 100,
    }
}

/// Returns the static exchange evaluation in pawns: what the mover gains (negative: loses) if both
/// sides capture on the move's target square with their least valuable pieces and stop when that is
/// better.
///
/// Pieces that attack the square through other attackers take part. Pins, promotions and other
/// squares are ignored; en passant captures and castling count 0.
///
/// ```
/// use centipawn_core::{History, static_exchange_eval};
///
/// // The rook captures a pawn that another pawn defends.
/// let start = History::from_fen("4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1", None).unwrap();
/// let takes = start.parse_uci("d1d6").unwrap();
/// assert_eq!(static_exchange_eval(start.position(), takes), 1 - 5);
/// ```
pub fn static_exchange_eval(position: &Chess, mv: Move) -> i32 {
    let (Some(from), false) = (mv.from(), mv.is_en_passant() || mv.is_castle()) else {
        return 0;
    };
    let (board, square) = (position.board(), mv.to());
    // gains[n]: the balance for the side of the nth capture if the other side does not recapture.
    let mut gains = vec![mv.capture().map_or(0, piece_value)];
    let (mut occupied, mut side, mut standing) =
        (board.occupied().without(from), !position.turn(), mv.role());
    while let Some((next, role)) =
        cheapest(board, square, occupied & board.by_color(side), occupied)
    {
        gains.push(piece_value(standing) - gains[gains.len() - 1]);
        occupied = occupied.without(next);
        (side, standing) = (!side, role);
    }
    // From the last capture backwards: each side captures only if that beats stopping.
    while let [.., before, last] = gains[..] {
        gains.pop();
        let index = gains.len() - 1;
        gains[index] = before.min(-last);
    }
    gains[0]
}

/// Returns the least valuable of `pieces` that attacks `square`, given the occupied squares.
fn cheapest(
    board: &Board,
    square: Square,
    pieces: Bitboard,
    occupied: Bitboard,
) -> Option<(Square, Role)> {
    let lines = |role: Role| match role {
        Role::Bishop => attacks::bishop_attacks(square, occupied),
        Role::Rook => attacks::rook_attacks(square, occupied),
        Role::Queen => attacks::queen_attacks(square, occupied),
        Role::Knight => attacks::knight_attacks(square),
        Role::King => attacks::king_attacks(square),
        // A pawn attacks the square if an opposing pawn on the square would attack it.
        Role::Pawn => {
            let of = |color: shakmaty::Color| {
                attacks::pawn_attacks(!color, square) & board.by_color(color)
            };
            of(shakmaty::Color::White) | of(shakmaty::Color::Black)
        }
    };
    Role::ALL.into_iter().find_map(|role| {
        (pieces & board.by_role(role) & lines(role))
            .first()
            .map(|from| (from, role))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::History;

    fn see(fen: &str, uci: &str) -> i32 {
        let start = History::from_fen(fen, None).unwrap();
        static_exchange_eval(start.position(), start.parse_uci(uci).unwrap())
    }

    #[test]
    fn exchanges_gain_what_both_sides_capture() {
        assert_eq!(
            see("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"),
            1
        );
        assert_eq!(
            see(
                "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
                "d3e5"
            ),
            -2
        );
        assert_eq!(see("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5"), 1);
        assert_eq!(
            see("4k3/8/2p5/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5"),
            1 - 5 + 1
        );
    }

    #[test]
    fn quiet_moves_can_lose_and_never_win() {
        assert_eq!(see("4k3/2p5/8/8/8/8/8/3RK3 w - - 0 1", "d1d6"), -5);
        assert_eq!(see("4k3/2p5/8/8/8/8/8/3RK3 w - - 0 1", "d1d5"), 0);
        assert_eq!(see("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 0);
        assert_eq!(see("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), 0);
    }
}
