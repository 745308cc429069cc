//! Which positions networks have learned from.

use centipawn_core::History;
use shakmaty::{Board, CastlingMode, Piece, Position as _, Role};

/// Half-moves of a game that the training of the networks leaves out, three of each side. From then
/// on the published probabilities agree with what people play: in the first moves a network gives a
/// mate in one 5 to 9 %, later 40 to 90 %.
pub(crate) const UNKNOWN_PLIES: u32 = 6;

/// The note on a position that networks do not know.
pub const UNKNOWN_NOTE: &str = "note: the training of the networks leaves out the first three moves of each side, so they say nothing about people's chances there";

/// Whether networks know positions like this one from their training. If not, nothing should be
/// said about the chances that people find a move.
///
/// The number of moves decides. Where it is impossible, because a FEN has `0 1` whatever the
/// position is, the pieces that have left their first squares decide; in Chess960, where the pieces
/// may begin on any square of the first rank, the first squares that are left.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_policy::is_known;
///
/// assert!(!is_known(&History::default()));
/// assert!(is_known(&History::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", None)?));
/// # Ok::<_, centipawn_core::FenError>(())
/// ```
pub fn is_known(history: &History) -> bool {
    let displaced = displaced(
        history.position().board(),
        history.mode() == CastlingMode::Chess960,
    );
    let ply = history.ply();
    // A move leaves one square; castling leaves two, and a capture empties another one.
    let least = displaced.div_ceil(2);
    if ply >= least {
        ply >= UNKNOWN_PLIES
    } else {
        displaced >= UNKNOWN_PLIES
    }
}

/// The squares of the start position whose pieces are no longer there. With `any_order`, and where
/// each square of the first ranks still has a piece and each of the second ranks its pawn, the
/// order of the pieces does not matter: Chess960 has 960 of them.
fn displaced(board: &Board, any_order: bool) -> u32 {
    let start = Board::new();
    let count = |is_same: &dyn Fn(Piece, Piece) -> bool| {
        let same = start.iter().filter(|(square, piece)| {
            board
                .piece_at(*square)
                .is_some_and(|own| is_same(own, *piece))
        });
        (start.occupied().count() - same.count()) as u32
    };
    let left = count(&|own, first| {
        own.color == first.color && (own.role == Role::Pawn) == (first.role == Role::Pawn)
    });
    if any_order || left == 0 {
        left
    } else {
        count(&|own, first| own == first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_moves_are_unknown() {
        let after = |moves: &str| {
            let mut history = History::default();
            for uci in moves.split_whitespace() {
                let mv = history.parse_uci(uci).unwrap();
                history.push(mv);
            }
            history
        };
        let five = after("e2e4 e7e5 d1h5 b8c6 f1c4");
        assert!(!is_known(&five) && !is_known(&after("f2f3 e7e5 g2g4")));
        let six = after("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6");
        assert!(is_known(&six));
        // Captures: four moves empty eight squares at most.
        assert!(!is_known(&after("e2e4 d7d5 e4d5 d8d5")));
        // By the number of a FEN, and where that is missing by the board.
        for (history, is) in [(five, false), (six, true)] {
            assert_eq!(
                is_known(&History::from_fen(&history.fen(), None).unwrap()),
                is
            );
        }
        let numbered = |fen: &str| is_known(&History::from_fen(fen, None).unwrap());
        assert!(!numbered(
            "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 1"
        ));
        assert!(numbered("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"));
        assert!(
            numbered("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 12 7"),
            "knights went there and back"
        );
        // A start of Chess960, also without castling rights, and a move later.
        for rest in ["w GEge - 0 1", "w - - 0 1"] {
            assert!(
                !numbered(&format!(
                    "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN {rest}"
                )),
                "{rest}"
            );
        }
        assert!(!numbered(
            "bqnbrkrn/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/BQNBRKRN w GEge - 0 1"
        ));
        assert!(numbered(
            "bqnbrkrn/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/BQNBRKRN w GEge - 0 4"
        ));
        assert!(numbered("1q2rk2/8/8/8/8/8/8/1Q2RK2 w Ee - 0 1"));
    }
}
