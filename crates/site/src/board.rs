//! Diagrams of positions as inline SVG.

use std::fmt;

use centipawn_core::History;
use centipawn_review::{Language, Mistake, PlyDocument};
use shakmaty::{Color, Move, Piece, Position as _, Role, Square};

use crate::html::{Disc, Escaped};

/// Width of a square in SVG units; the pieces are drawn for it.
const SQUARE: f64 = 45.0;

/// The position before a move, seen by its mover, with coordinates, arrows for the played move and the best one, and whose move it
/// is. Green is the best move; red a move that is blamed or that lured; blue any other.
pub(crate) struct Diagram<'a> {
    /// The position before the move.
    before: &'a History,
    /// The number of the move, and the move unless it is to be found.
    label: String,
    /// Arrows with their classes.
    arrows: Vec<(Move, &'static str)>,
    language: Language,
}

impl<'a> Diagram<'a> {
    /// A move of a review.
    pub(crate) fn of(ply: &PlyDocument, before: &'a History, language: Language) -> Self {
        let uci = ply.better.as_ref().map(|better| &better.uci).or(ply.lines.first().map(|line| &line.uci));
        let best = uci.and_then(|uci| uci.first()).filter(|best| **best != ply.uci);
        let lured = ply.ease.iter().any(|ease| ease.trap.as_ref() == Some(&ply.uci));
        let played = match ply.eval_before == ply.eval_played {
            true => "best",
            false if ply.better.is_some() || ply.score_loss > 0.0 && ply.symbol.is_some() || lured => "played",
            false => "other",
        };
        let arrows = [best.map(|best| (best, "best")), Some((&ply.uci, played))].into_iter().flatten();
        let arrows = arrows.filter_map(|(uci, class)| Some((before.parse_uci(uci).ok()?, class))).collect();
        Self { before, label: ply.numbered(language), arrows, language }
    }

    /// A player's mistake.
    pub(crate) fn of_mistake(mistake: &'a Mistake, language: Language) -> Self {
        let best = mistake.better.map(|better| (better, "best"));
        let arrows = best.into_iter().chain([(mistake.mv, "played")]).collect();
        Self { before: &mistake.before, label: mistake.text.clone(), arrows, language }
    }

    /// The position before a mistake, in which the better move is to be found.
    pub(crate) fn of_puzzle(mistake: &'a Mistake, language: Language) -> Self {
        let number = mistake.text.split_whitespace().next().unwrap_or_default().to_owned();
        Self { before: &mistake.before, label: number, arrows: Vec::new(), language }
    }
}

/// The squares, which look the same from both sides.
struct Squares;

impl fmt::Display for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = 8.0 * SQUARE;
        writeln!(f, "<rect class=\"light\" width=\"{size}\" height=\"{size}\"/>")?;
        writeln!(f, "<path class=\"dark\" d=\"{}\"/>", dark_squares())
    }
}

/// The dark squares as a path.
fn dark_squares() -> String {
    let squares = Square::ALL.into_iter().filter(|square| square.is_dark());
    let square = |square| {
        let (x, y) = corner(square, Color::White);
        format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z")
    };
    squares.map(square).collect()
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.language.labels();
        let (position, side) = (self.before.position(), self.before.turn());
        let label = format!("{} {}: {}", labels.position_before, self.label, self.before.fen());
        let size = 8.0 * SQUARE;
        writeln!(
            f,
            "<svg class=\"diagram\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{}\">",
            Escaped(&label)
        )?;
        write!(f, "{Squares}")?;
        for (square, piece) in position.board().clone() {
            let (x, y) = corner(square, side);
            writeln!(f, "<use href=\"#{}\" x=\"{x}\" y=\"{y}\"/>", name(piece))?;
        }
        coordinates(f, side)?;
        for (mv, class) in &self.arrows {
            arrow(f, *mv, side, class)?;
        }
        let to_move = side.fold_wb(labels.white_to_move, labels.black_to_move);
        write!(f, "</svg>\n<p class=\"to-move\">{} {to_move}</p>", Disc(side, None))
    }
}

/// A position seen by the side to move, as an SVG picture that needs nothing else on the page.
pub(crate) fn standalone(before: &History, language: Language) -> String {
    let (position, side) = (before.position(), before.turn());
    let size = 8.0 * SQUARE;
    let label = format!("{} {}", language.labels().position_before, before.fen());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" width=\"360\" role=\"img\" aria-label=\"{}\">\
         <rect width=\"{size}\" height=\"{size}\" fill=\"#f0d9b5\"/><path fill=\"#b58863\" d=\"{}\"/>",
        Escaped(&label),
        dark_squares()
    );
    for (square, piece) in position.board().clone() {
        let (x, y) = corner(square, side);
        let (fill, line) = piece.color.fold_wb(("#fff", "#161412"), ("#161412", "#fff"));
        // The drawings' details are lines (`l`) and dots (`d`) in the other colour.
        let drawing = drawing(piece.role)
            .replace("class=\"l\"", &format!("fill=\"none\" stroke=\"{line}\""))
            .replace("class=\"d\"", &format!("fill=\"{line}\" stroke=\"none\""));
        svg += &format!(
            "<g transform=\"translate({x} {y})\" fill=\"{fill}\" stroke=\"#161412\" stroke-width=\"1.5\">{drawing}</g>"
        );
    }
    svg + "</svg>"
}

/// The names of files and ranks along the lower and the left edge.
fn coordinates(f: &mut fmt::Formatter<'_>, side: Color) -> fmt::Result {
    write!(f, "<g class=\"names\">")?;
    for index in 0..8 {
        let (edge, other) = (f64::from(index) * SQUARE, side.fold_wb(index, 7 - index));
        let (file, rank) = (char::from(b'a' + other as u8), 8 - other);
        write!(f, "<text x=\"{}\" y=\"{}\">{file}</text>", edge + SQUARE - 10.0, 8.0 * SQUARE - 4.0)?;
        write!(f, "<text x=\"2\" y=\"{}\">{rank}</text>", edge + 15.0)?;
    }
    writeln!(f, "</g>")
}

/// The upper left corner of a square, seen by `side`.
fn corner(square: Square, side: Color) -> (f64, f64) {
    let (file, rank) = (f64::from(square.file().to_u32()), f64::from(square.rank().to_u32()));
    side.fold_wb((file * SQUARE, (7.0 - rank) * SQUARE), ((7.0 - file) * SQUARE, rank * SQUARE))
}

/// An arrow for a move of `side`; for castling, the king's move.
fn arrow(f: &mut fmt::Formatter<'_>, mv: Move, side: Color, class: &str) -> fmt::Result {
    let (Some(from), to) = (mv.from(), mv.castling_side().map_or(mv.to(), |castling| castling.king_to(side))) else {
        return Ok(());
    };
    let middle = |square| {
        let (x, y) = corner(square, side);
        (x + SQUARE / 2.0, y + SQUARE / 2.0)
    };
    let ((x1, y1), (x2, y2)) = (middle(from), middle(to));
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    // The shaft ends where the head begins.
    let (head, half) = (16.0, 9.0);
    let (bx, by) = (x2 - ux * head, y2 - uy * head);
    writeln!(
        f,
        "<g class=\"arrow {class}\"><path d=\"M{x1:.1} {y1:.1}L{bx:.1} {by:.1}\"/>\
         <path class=\"head\" d=\"M{x2:.1} {y2:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/></g>",
        bx - uy * half,
        by + ux * half,
        bx + uy * half,
        by - ux * half
    )
}

fn name(piece: Piece) -> String {
    format!("{}{}", piece.color.fold_wb('w', 'b'), piece.role.upper_char())
}

/// The pieces, defined once per page and drawn with `<use>`.
pub(crate) fn pieces() -> String {
    let mut svg = String::from("<svg class=\"hidden\" aria-hidden=\"true\"><defs>\n");
    for color in Color::ALL {
        for role in Role::ALL {
            let class = color.fold_wb("w", "b");
            let id = name(Piece { color, role });
            svg += &format!(
                "<symbol id=\"{id}\" viewBox=\"0 0 45 45\" width=\"45\" height=\"45\" class=\"p{class}\">{}</symbol>\n",
                drawing(role)
            );
        }
    }
    svg + "</defs></svg>\n"
}

/// Our own drawings on 45 × 45 units: an outline in the piece's colour, details in the other.
fn drawing(role: Role) -> &'static str {
    match role {
        Role::Pawn => {
            r#"<path d="M22.5 9a5.2 5.2 0 0 0-3.6 9c-2.5 1.6-3.3 4.6-1.4 7-3.6 2.3-5.8 6-6.2 11h22.4c-.4-5-2.6-8.7-6.2-11 1.9-2.4 1.1-5.4-1.4-7a5.2 5.2 0 0 0-3.6-9z"/>"#
        }
        Role::Knight => {
            r#"<path d="M13.5 37.5c0-8 5.5-10.5 7-15.5-2.5 1.5-4 4-7.2 4.8-2.3.6-4.3-1.6-3.6-3.9 1.5-4.3 3.6-7.9 6.6-10.7l.4-5 4 3.1c9 .4 14.3 9.7 13.8 27.2z"/><circle class="d" cx="18.3" cy="15.3" r="1.2"/><path class="l" d="M24.5 12.5c4.5 3 6.5 9.5 6.3 21.5"/>"#
        }
        Role::Bishop => {
            r#"<path d="M22.5 5.5a2.6 2.6 0 0 0-1.7 4.6c-5.3 4-7.3 9.6-4.3 15.4h12c3-5.8 1-11.4-4.3-15.4a2.6 2.6 0 0 0-1.7-4.6zM16.5 28.5c0 3-4.5 4.5-5.5 9h23c-1-4.5-5.5-6-5.5-9z"/><path class="l" d="M22.5 14.5v7M19 18h7M15.8 27h13.4"/>"#
        }
        Role::Rook => {
            r#"<path d="M11 8.5h5v3h4v-3h5v3h4v-3h5v7l-3.5 3v11.5l3 3v4.5h-22v-4.5l3-3v-11.5l-3.5-3z"/><path class="l" d="M14.5 18.5h16M14.5 30h16"/>"#
        }
        Role::Queen => {
            r#"<path d="M9 14a2.3 2.3 0 1 1 2.6-1.1l5 8.6 1-11.5a2.3 2.3 0 1 1 2.2 0l2.7 10.7 2.7-10.7a2.3 2.3 0 1 1 2.2 0l1 11.5 5-8.6A2.3 2.3 0 1 1 36 14l-3.7 15.5 1.7 8h-23l1.7-8z"/><path class="l" d="M12.8 29.5c6-1.8 13.4-1.8 19.4 0M12 34c6.5-1.6 14.5-1.6 21 0"/>"#
        }
        Role::King => {
            r#"<path d="M20.8 5h3.4v2.8h3v3.2h-3v3.3c1.5.7 2.5 2 3 3.6 3.5-2.3 9-1.5 10.2 3 1 4-2 7.1-5.4 9.6l1.5 7h-22l1.5-7c-3.4-2.5-6.4-5.6-5.4-9.6 1.2-4.5 6.7-5.3 10.2-3 .5-1.6 1.5-2.9 3-3.6v-3.3h-3v-3.2h3z"/><path class="l" d="M13 30.5c6-2 13-2 19 0M12.3 34.5c6.5-1.7 13.9-1.7 20.4 0M22.5 18.5v8.5"/>"#
        }
    }
}
