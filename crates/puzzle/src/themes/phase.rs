//! Opening, middlegame or endgame, by the rule with which Lichess divided games (scalachess,
//! `Divider`) when it labelled its puzzles. Later versions of the rule treat both colors alike.

use shakmaty::{Bitboard, Board, Color, Rank};

use crate::Theme;

/// Mixedness above which the opening is over.
const ENTANGLED: u32 = 150;

pub(super) fn phase(board: &Board) -> Theme {
    let pieces = (board.occupied() & !(board.kings() | board.pawns())).count();
    let left_home = |color: Color| {
        (board.by_color(color) & Bitboard::from(color.fold_wb(Rank::First, Rank::Eighth))).count()
            < 4
    };
    match pieces {
        0..=6 => Theme::Endgame,
        7..=10 => Theme::Middlegame,
        _ if Color::ALL.into_iter().any(left_home) || mixedness(board) > ENTANGLED => {
            Theme::Middlegame
        }
        _ => Theme::Opening,
    }
}

/// Returns how much the pieces of the two sides are mixed: a sum over all blocks of 2×2 squares.
fn mixedness(board: &Board) -> u32 {
    let (white, black) = (u64::from(board.white()), u64::from(board.black()));
    let mut sum = 0;
    for rank in 0..7_u32 {
        for file in 0..7 {
            let block = 0x303_u64 << (8 * rank + file);
            sum += block_score(
                rank + 1,
                (white & block).count_ones(),
                (black & block).count_ones(),
            );
        }
    }
    sum
}

/// Returns the value of a block whose lower rank is `y` (1..=7), by the number of pieces of each
/// side in it.
fn block_score(y: u32, white: u32, black: u32) -> u32 {
    match (white, black) {
        (1, 0) => 1 + (8 - y),
        (2, 0) if y > 2 => y,
        (3 | 4, 0) if y > 1 => 3 + (y - 1),
        (0, 1) => 1 + y,
        (0, 2) if y < 6 => 2 + (6 - y),
        (0, 3 | 4) if y < 7 => 3 + (7 - y),
        (1, 1) => 5 + y.abs_diff(3),
        (2, 1) => 4 + y,
        (3, 1) => 5 + y,
        (1, 2) => 10 - y,
        (1, 3) => 11 - y,
        (2, 2) => 7,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_an_opening() {
        assert_eq!(phase(&Board::default()), Theme::Opening);
        assert_eq!(phase(&Board::empty()), Theme::Endgame);
        // Blocks of two black pieces on the sixth rank (y = 6) or of two white pieces on the third
        // (y = 2) count 0, and so do full blocks on the home ranks.
        assert_eq!(mixedness(&Board::default()), 0);
        // A knight move changes four blocks around f3, and two blocks on the home ranks lose a
        // piece.
        let knight_out = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R".parse::<shakmaty::Board>();
        assert!(knight_out.is_ok_and(|board| mixedness(&board) > 0));
    }
}
