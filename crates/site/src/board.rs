//! Diagrams of positions as inline SVG.

use std::fmt;

use centipawn_core::History;
use centipawn_review::{Language, Mistake, PlyDocument};
use shakmaty::{Color, Move, Piece, Position as _, Role, Square};

use crate::{
    html::{Disc, Escaped},
    pieces::markup,
};

/// Width of a square in SVG units; the pieces are drawn for it.
const SQUARE: f64 = 45.0;

/// The position before a move, seen by its mover, with coordinates, arrows for the played move and
/// the best one, and the side to move. The best move is green, a blamed or tempting move red, any
/// other move blue.
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
    /// Returns a move of a review.
    pub(crate) fn of(ply: &PlyDocument, before: &'a History, language: Language) -> Self {
        let arrows = arrows_of(ply, before);
        Self {
            before,
            label: ply.numbered(language),
            arrows,
            language,
        }
    }

    /// Returns a position in which a move is to be found; `label` names it for readers that cannot
    /// see it.
    pub(crate) fn to_solve(before: &'a History, label: String, language: Language) -> Self {
        Self {
            before,
            label,
            arrows: Vec::new(),
            language,
        }
    }

    /// Returns a player's mistake.
    pub(crate) fn of_mistake(mistake: &'a Mistake, language: Language) -> Self {
        let best = mistake.better.map(|better| (better, "best"));
        let arrows = best.into_iter().chain([(mistake.mv, "played")]).collect();
        Self {
            before: &mistake.before,
            label: mistake.text.clone(),
            arrows,
            language,
        }
    }

    /// Returns the position before a mistake, in which the better move is to be found.
    pub(crate) fn of_puzzle(mistake: &'a Mistake, language: Language) -> Self {
        let number = mistake
            .text
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned();
        Self {
            before: &mistake.before,
            label: number,
            arrows: Vec::new(),
            language,
        }
    }
}

/// Arrows for the best move and the played one, with their classes.
pub(crate) fn arrows_of(ply: &PlyDocument, before: &History) -> Vec<(Move, &'static str)> {
    let uci = ply
        .better
        .as_ref()
        .map(|better| &better.uci)
        .or(ply.lines.first().map(|line| &line.uci));
    let best = uci
        .and_then(|uci| uci.first())
        .filter(|best| **best != ply.uci);
    let lured = ply
        .ease
        .iter()
        .any(|ease| ease.trap.as_ref() == Some(&ply.uci));
    let played = match ply.eval_before == ply.eval_played {
        true => "best",
        false if ply.better.is_some() || ply.score_loss > 0.0 && ply.symbol.is_some() || lured => {
            "played"
        }
        false => "other",
    };
    let arrows = [best.map(|best| (best, "best")), Some((&ply.uci, played))]
        .into_iter()
        .flatten();
    arrows
        .filter_map(|(uci, class)| Some((before.parse_uci(uci).ok()?, class)))
        .collect()
}

/// The squares, which look the same from both sides.
struct Squares;

impl fmt::Display for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = 8.0 * SQUARE;
        writeln!(
            f,
            "<rect class=\"light\" width=\"{size}\" height=\"{size}\"/>"
        )?;
        writeln!(f, "<path class=\"dark\" d=\"{}\"/>", dark_squares())
    }
}

/// Returns the dark squares as a path.
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
        let label = format!(
            "{} {}: {}",
            labels.position_before,
            self.label,
            self.before.fen()
        );
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
        write!(
            f,
            "</svg>\n<p class=\"to-move\">{} {to_move}</p>",
            Disc(side, None)
        )
    }
}

/// Returns the names of files and ranks along the lower and the left edge.
fn coordinates(f: &mut fmt::Formatter<'_>, side: Color) -> fmt::Result {
    write!(f, "<g class=\"names\">")?;
    for index in 0..8 {
        let (edge, other) = (f64::from(index) * SQUARE, side.fold_wb(index, 7 - index));
        let (file, rank) = (char::from(b'a' + other as u8), 8 - other);
        write!(
            f,
            "<text x=\"{}\" y=\"{}\">{file}</text>",
            edge + SQUARE - 10.0,
            8.0 * SQUARE - 4.0
        )?;
        write!(f, "<text x=\"2\" y=\"{}\">{rank}</text>", edge + 15.0)?;
    }
    writeln!(f, "</g>")
}

/// Returns the upper left corner of a square, seen by `side`.
fn corner(square: Square, side: Color) -> (f64, f64) {
    let (file, rank) = (
        f64::from(square.file().to_u32()),
        f64::from(square.rank().to_u32()),
    );
    side.fold_wb(
        (file * SQUARE, (7.0 - rank) * SQUARE),
        ((7.0 - file) * SQUARE, rank * SQUARE),
    )
}

/// Returns an arrow for a move of `side`; for castling, the king's move.
fn arrow(f: &mut fmt::Formatter<'_>, mv: Move, side: Color, class: &str) -> fmt::Result {
    let (Some(from), to) = (
        mv.from(),
        mv.castling_side()
            .map_or(mv.to(), |castling| castling.king_to(side)),
    ) else {
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
    format!(
        "{}{}",
        piece.color.fold_wb('w', 'b'),
        piece.role.upper_char()
    )
}

/// Returns the pieces, defined once per page and drawn with `<use>`.
pub(crate) fn pieces() -> String {
    let mut svg = String::from("<svg class=\"hidden\" aria-hidden=\"true\"><defs>\n");
    for color in Color::ALL {
        for role in Role::ALL {
            let class = color.fold_wb("w", "b");
            let id = name(Piece { color, role });
            svg += &format!(
                "<symbol id=\"{id}\" viewBox=\"0 0 45 45\" width=\"45\" height=\"45\" class=\"p{class}\">{}</symbol>\n",
                markup(role)
            );
        }
    }
    svg + "</defs></svg>\n"
}
