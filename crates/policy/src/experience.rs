//! Which positions are like those that the networks were trained on.

use centipawn_core::History;
use shakmaty::{Board, CastlingMode, Piece, Position as _, Role};

/// Number of half-moves at the start of a game that the networks' training left out, three of each
/// side. From then on the predicted probabilities agree with what people play: in the first moves a
/// network gives a mate in one 5 to 9 %, later 40 to 90 %.
pub(crate) const UNKNOWN_PLIES: u32 = 6;

/// The note on a position that the networks were not trained on.
pub const UNKNOWN_NOTE: &str = "note: the training of the networks leaves out the first three moves of each side, so they say nothing about people's chances there";

/// Returns whether the networks were trained on positions like this one. If not, do not report how
/// likely people are to find a move.
///
/// The number of moves decides. A FEN may state `0 1` whatever the position is; if that number is
/// too small for the position, the number of pieces that have left their initial squares decides.
/// In Chess960, where the initial squares differ, the empty squares of the first two ranks are
/// counted.
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
    // A move empties one initial square. Castling empties two, and a capture may empty the
    // victim's.
    let least = displaced.div_ceil(2);
    if ply >= least {
        ply >= UNKNOWN_PLIES
    } else {
        displaced >= UNKNOWN_PLIES
    }
}

/// Returns the number of initial squares that their pieces have left. The order of the pieces on a
/// first rank is ignored with `any_order`, and also if every initial square still holds a pawn or
/// piece of its side, because Chess960 begins with any of 960 orders.
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
        // Four moves with captures empty up to eight squares.
        assert!(!is_known(&after("e2e4 d7d5 e4d5 d8d5")));
        // The move number of the FEN decides; without it, the board does.
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
        // An initial position of Chess960, with and without castling rights, and the position one
        // move later.
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
