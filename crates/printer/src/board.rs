//! Draws the board of a puzzle.

use anstyle::{Ansi256Color, Color, Style};
use centipawn_puzzle::solve::Attempt;
use shakmaty::{File, Piece, Position as _, Rank, Role, Square};

/// How the squares and pieces are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardStyle {
    /// Letters: `N` for a white knight, `n` for a black knight.
    Letters,
    /// Chess symbols: ♘ and ♞.
    Figurines,
    /// Chess symbols on coloured squares, by ANSI escape sequences.
    Colours,
}

/// Draws the board from the solver's side. The opponent's last move is marked. The text has nine
/// lines, and each ends with a newline.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_printer::{BoardStyle, board};
/// use centipawn_puzzle::{Puzzle, solve::Attempt};
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
/// let puzzle = Puzzle::new(&start, ["a2b2", "d1d8"])?;
/// let text = board(&Attempt::new(&puzzle), BoardStyle::Letters);
/// assert_eq!(text.lines().nth(6), Some("  2 [.][r] .  .  .  P  P  P"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn board(attempt: &Attempt<'_>, style: BoardStyle) -> String {
    let marked = attempt.last_squares();
    let board = attempt.position().board();
    let (mut files, mut ranks) = (File::ALL, Rank::ALL);
    match attempt.solver() {
        shakmaty::Color::White => ranks.reverse(),
        shakmaty::Color::Black => files.reverse(),
    }
    let mut text = String::new();
    for rank in ranks {
        let cells = files.map(|file| {
            let square = Square::from_coords(file, rank);
            cell(
                style,
                square,
                board.piece_at(square),
                marked.contains(&square),
            )
        });
        text += &format!("  {rank} {}\n", cells.concat().trim_end());
    }
    text + &format!(
        "    {}\n",
        files.map(|file| format!(" {file} ")).concat().trim_end()
    )
}

/// One square, three columns wide.
fn cell(style: BoardStyle, square: Square, piece: Option<Piece>, is_marked: bool) -> String {
    let sign = match (style, piece) {
        (BoardStyle::Colours, None) => " ".to_owned(),
        (_, None) => ".".to_owned(),
        (BoardStyle::Letters, Some(piece)) => piece.char().to_string(),
        (BoardStyle::Figurines, Some(piece)) if piece.color.is_white() => {
            outlined(piece.role).to_owned()
        }
        (_, Some(piece)) => filled(piece.role).to_owned(),
    };
    match (style, is_marked) {
        (BoardStyle::Colours, _) => {
            let (light, dark) = if is_marked { (185, 143) } else { (180, 137) };
            let ground = Ansi256Color(if square.is_light() { light } else { dark });
            let ink = Ansi256Color(if piece.is_some_and(|piece| piece.color.is_white()) {
                231
            } else {
                16
            });
            let ansi = Style::new()
                .bg_color(Some(Color::Ansi256(ground)))
                .fg_color(Some(Color::Ansi256(ink)));
            format!("{ansi} {sign} {ansi:#}")
        }
        (_, true) => format!("[{sign}]"),
        (_, false) => format!(" {sign} "),
    }
}

fn outlined(role: Role) -> &'static str {
    match role {
        Role::Pawn => "♙",
        Role::Knight => "♘",
        Role::Bishop => "♗",
        Role::Rook => "♖",
        Role::Queen => "♕",
        Role::King => "♔",
    }
}

fn filled(role: Role) -> &'static str {
    match role {
        // Ask for the text variant of this character. Some terminals show a double-width emoji
        // otherwise.
        Role::Pawn => "♟\u{fe0e}",
        Role::Knight => "♞",
        Role::Bishop => "♝",
        Role::Rook => "♜",
        Role::Queen => "♛",
        Role::King => "♚",
    }
}
