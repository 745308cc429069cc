//! Which pieces fall in a line, each known by the square on which it stood before the line.

use centipawn_core::material_value;
use shakmaty::{Chess, Color, Move, Position as _, Role, Square};

/// A piece or pawn that is captured in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fallen {
    pub(super) role: Role,
    pub(super) color: Color,
    /// The square of the piece before the line, which identifies the piece in all lines from the
    /// same position.
    pub(super) origin: Square,
}

/// Returns the captures of a line, one entry for each half-move.
fn captures(start: &Chess, line: &[Move]) -> Vec<Option<Fallen>> {
    let mut origins: [Square; 64] = Square::ALL;
    let mut turn = start.turn();
    let mut captures = Vec::new();
    for &mv in line {
        let square = if let Move::EnPassant { from, to } = mv {
            Square::from_coords(to.file(), from.rank())
        } else {
            mv.to()
        };
        let fallen = |role| Fallen {
            role,
            color: !turn,
            origin: origins[usize::from(square)],
        };
        captures.push(mv.capture().map(fallen));
        match mv {
            Move::Castle { king, rook } => {
                let (side, own) = (shakmaty::CastlingSide::from_king_side(king < rook), origins);
                origins[usize::from(side.king_to(turn))] = own[usize::from(king)];
                origins[usize::from(side.rook_to(turn))] = own[usize::from(rook)];
            }
            _ => {
                if let Some(from) = mv.from() {
                    origins[usize::from(mv.to())] = origins[usize::from(from)];
                }
            }
        }
        turn = !turn;
    }
    captures
}

/// Returns the pieces that fall in a line, in this order.
pub(super) fn all(start: &Chess, line: &[Move]) -> Vec<Fallen> {
    captures(start, line).into_iter().flatten().collect()
}

/// Returns the pieces captured in a line, except pairs of captures on one square that win pieces of
/// equal value.
fn without_recaptures(start: &Chess, line: &[Move]) -> Vec<Fallen> {
    let mut captures = captures(start, line);
    for index in (1..captures.len()).rev() {
        if let (Some(one), Some(other)) = (captures[index - 1], captures[index])
            && line[index - 1].to() == line[index].to()
            && material_value(one.role) == material_value(other.role)
        {
            (captures[index - 1], captures[index]) = (None, None);
        }
    }
    captures.into_iter().flatten().collect()
}

/// Returns the origins of the pieces that `side` loses in a line and does not take back on the same
/// square. What the line wins elsewhere does not count.
pub(super) fn taken(start: &Chess, line: &[Move], side: Color) -> Vec<Square> {
    let all = without_recaptures(start, line);
    all.into_iter()
        .filter(|man| man.color == side)
        .map(|man| man.origin)
        .collect()
}

/// Returns the origins of the pieces that `side` loses in a line for nothing of the same worth:
/// captures and recaptures on one square cancel, and so do pieces of equal value that both sides
/// lose.
pub(super) fn net(start: &Chess, line: &[Move], side: Color) -> Vec<Square> {
    let (mut own, mut other): (Vec<Fallen>, Vec<Fallen>) = without_recaptures(start, line)
        .into_iter()
        .partition(|man| man.color == side);
    other.retain(|paid| {
        // If `side` lost several pieces of this value, cancel the last one, so that the piece
        // captured first is reported as lost.
        match own
            .iter()
            .rposition(|man| material_value(man.role) == material_value(paid.role))
        {
            Some(index) => {
                own.remove(index);
                false
            }
            None => true,
        }
    });
    own.into_iter().map(|man| man.origin).collect()
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;

    use super::*;

    fn line(fen: &str, uci: &str) -> (Chess, Vec<Move>) {
        let start = History::from_fen(fen, None).unwrap();
        let mut at = start.clone();
        let moves = uci.split_whitespace().map(|uci| {
            let mv = at.parse_uci(uci).unwrap();
            at.push(mv);
            mv
        });
        let moves = moves.collect();
        (start.position().clone(), moves)
    }

    #[test]
    fn men_are_identified_by_their_first_square() {
        // The knight moves from d2 to f3 and is captured there; the castled rook recaptures.
        let (start, moves) = line(
            "3rk3/8/8/5b2/6b1/8/3N4/4K2R w K - 0 1",
            "d2f3 g4f3 e1g1 d8d2 f1f3",
        );
        let fallen = all(&start, &moves);
        assert_eq!(
            fallen.iter().map(|man| man.origin).collect::<Vec<_>>(),
            [Square::D2, Square::G4]
        );
        assert_eq!(
            net(&start, &moves, Color::White),
            [],
            "a knight for a bishop"
        );
        let (start, moves) = line("4k3/1b6/8/8/8/8/8/4K2R w K - 0 1", "e1g1 b7a6 g1h1 a6f1");
        assert_eq!(
            all(&start, &moves)[0].origin,
            Square::H1,
            "a rook that castled"
        );
        let (start, moves) = line("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6");
        assert_eq!(all(&start, &moves)[0].origin, Square::D5, "en passant");
        assert_eq!(net(&start, &moves, Color::Black), [Square::D5]);
    }
}
