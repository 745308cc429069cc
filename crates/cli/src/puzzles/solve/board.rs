//! The board on a terminal.

use std::io::{self, IsTerminal as _, Write};

use anstyle::{Ansi256Color, Color, Style as Ansi};
use shakmaty::{File, Piece, Position as _, Rank, Role, Square};

use centipawn_puzzle::solve::Attempt;

/// How the board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `N` and `n`.
    Letters,
    /// ♘ and ♞.
    Figurines,
    /// Squares and pieces in colours.
    Colours,
}

impl Style {
    /// The best style that standard output supports.
    pub(super) fn of_terminal(ascii: bool) -> Self {
        let colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        match (ascii || !has_unicode(), colours, io::stdout().is_terminal()) {
            (false, true, _) => Style::Colours,
            (false, false, true) => Style::Figurines,
            (_, _, _) => Style::Letters,
        }
    }
}

/// Whether the locale supports chess pieces.
fn has_unicode() -> bool {
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find(|name| set(name)).and_then(std::env::var_os);
    cfg!(windows)
        || locale.is_some_and(|locale| {
            let locale = locale.to_string_lossy().to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}

/// Draws the board from the solver's side, the opponent's last move marked.
pub(super) fn draw(out: &mut impl Write, style: Style, attempt: &Attempt<'_>) -> io::Result<()> {
    let marked = attempt.last_squares();
    let board = attempt.position().board();
    let (mut files, mut ranks) = (File::ALL, Rank::ALL);
    match attempt.solver() {
        shakmaty::Color::White => ranks.reverse(),
        shakmaty::Color::Black => files.reverse(),
    }
    for rank in ranks {
        let cells = files.map(|file| {
            let square = Square::from_coords(file, rank);
            cell(style, square, board.piece_at(square), marked.contains(&square))
        });
        writeln!(out, "  {rank} {}", cells.concat().trim_end())?;
    }
    writeln!(out, "    {}", files.map(|file| format!(" {file} ")).concat().trim_end())
}

/// A square, three columns wide.
fn cell(style: Style, square: Square, piece: Option<Piece>, is_marked: bool) -> String {
    let sign = match (style, piece) {
        (Style::Colours, None) => " ".to_owned(),
        (_, None) => ".".to_owned(),
        (Style::Letters, Some(piece)) => piece.char().to_string(),
        (Style::Figurines, Some(piece)) if piece.color.is_white() => outlined(piece.role).to_owned(),
        (_, Some(piece)) => filled(piece.role).to_owned(),
    };
    match (style, is_marked) {
        (Style::Colours, _) => {
            let (light, dark) = if is_marked { (185, 143) } else { (180, 137) };
            let ground = Ansi256Color(if square.is_light() { light } else { dark });
            let ink = Ansi256Color(if piece.is_some_and(|piece| piece.color.is_white()) { 231 } else { 16 });
            let ansi = Ansi::new().bg_color(Some(Color::Ansi256(ground))).fg_color(Some(Color::Ansi256(ink)));
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
        // The text variant: some terminals show a wide emoji otherwise.
        Role::Pawn => "♟\u{fe0e}",
        Role::Knight => "♞",
        Role::Bishop => "♝",
        Role::Rook => "♜",
        Role::Queen => "♛",
        Role::King => "♚",
    }
}
