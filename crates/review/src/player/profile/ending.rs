//! Classes of endings.

use centipawn_judge::Judgement;
use shakmaty::{Board, Position as _, Role};

/// Maximum number of pieces beside kings and pawns in an ending that has a class.
const PIECES: usize = 2;

/// The class of an ending with at most two pieces beside kings and pawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// Only kings and pawns.
    Pawns,
    /// Only rooks.
    Rooks,
    /// Only queens.
    Queens,
    /// Only bishops and knights.
    MinorPieces,
    /// Pieces of several kinds.
    Mixed,
}

impl Ending {
    pub(crate) const ALL: [Self; 5] = [
        Self::Pawns,
        Self::Rooks,
        Self::Queens,
        Self::MinorPieces,
        Self::Mixed,
    ];

    /// Returns its name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pawns => "pawns",
            Self::Rooks => "rooks",
            Self::Queens => "queens",
            Self::MinorPieces => "minor pieces",
            Self::Mixed => "mixed",
        }
    }

    /// Returns the class of the first position of a game that has one, and the number of half-moves
    /// before this position.
    pub(super) fn of(judged: &Judgement) -> Option<(Self, usize)> {
        let plies = judged.plies.iter().enumerate();
        plies
            .filter_map(|(index, ply)| {
                Some((Self::of_board(ply.before.position().board())?, index))
            })
            .next()
    }

    fn of_board(board: &Board) -> Option<Self> {
        let pieces = board.occupied() & !(board.kings() | board.pawns());
        if pieces.count() > PIECES {
            return None;
        }
        let is_only = |roles: &[Role]| {
            let others = roles
                .iter()
                .fold(pieces, |left, role| left & !board.by_role(*role));
            others.is_empty()
        };
        Some(match () {
            () if pieces.is_empty() => Self::Pawns,
            () if is_only(&[Role::Rook]) => Self::Rooks,
            () if is_only(&[Role::Queen]) => Self::Queens,
            () if is_only(&[Role::Bishop, Role::Knight]) => Self::MinorPieces,
            () => Self::Mixed,
        })
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;

    use super::*;

    #[test]
    fn endings_have_classes_from_two_pieces_on() {
        let of = |fen: &str| {
            let fen: Fen = fen.parse().unwrap();
            Ending::of_board(&fen.as_setup().board).map(Ending::name)
        };
        for (fen, class) in [
            ("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1", Some("pawns")),
            ("4k3/pp5r/8/8/8/8/PP5R/4K3 w - - 0 1", Some("rooks")),
            ("4k3/pp6/8/8/8/8/PP5Q/4K3 w - - 0 1", Some("queens")),
            ("4k3/pp5n/8/8/8/8/PP5B/4K3 w - - 0 1", Some("minor pieces")),
            ("4k3/pp5r/8/8/8/8/PP5B/4K3 w - - 0 1", Some("mixed")),
            ("4k3/pp4rr/8/8/8/8/PP5R/4K3 w - - 0 1", None),
        ] {
            assert_eq!(of(fen), class, "{fen}");
        }
    }
}
