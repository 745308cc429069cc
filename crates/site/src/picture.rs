//! A position as a picture: SVG or PNG.

mod form;
mod letters;
mod path;
mod raster;
mod shape;

use std::fmt::Write as _;

use centipawn_core::History;
use shakmaty::{Board, Color, Move, Piece, Position as _, Square};

use crate::{
    html::Escaped,
    pieces::{Part, drawing},
};

pub use form::{PictureForm, UnknownPictureForm};
pub use shape::{Brush, InvalidShape, Shape};

/// Width of a square in units of the drawing, for which the pieces are drawn.
const SQUARE: f64 = 45.0;
/// Width of the board.
const BOARD: f64 = 8.0 * SQUARE;
/// The most pixels of a side.
const LARGEST: u32 = 4096;
/// Strength of arrows and circles.
const OPACITY: f64 = 0.8;

const LIGHT: Rgb = Rgb(0xf0, 0xd9, 0xb5);
const DARK: Rgb = Rgb(0xb5, 0x88, 0x63);
const LIGHT_LAST: Rgb = Rgb(0xcd, 0xd2, 0x6a);
const DARK_LAST: Rgb = Rgb(0xaa, 0xa2, 0x3b);
const WHITE: Rgb = Rgb(0xff, 0xff, 0xff);
const INK: Rgb = Rgb(0x16, 0x14, 0x12);

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rgb(u8, u8, u8);

/// A path with its colours.
#[derive(Clone, Debug, PartialEq)]
struct Mark {
    /// The path in SVG's notation.
    path: String,
    /// The place of the path's origin.
    at: (f64, f64),
    fill: Option<Rgb>,
    /// Colour and width of the outline.
    line: Option<(Rgb, f64)>,
    opacity: f64,
}

/// A position as a picture, with the last move, arrows and circles.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_site::{BoardPicture, Brush};
/// use shakmaty::{Color, Square};
///
/// let start = History::default();
/// let picture = BoardPicture::new(&start).seen_by(Color::Black).arrow(Brush::Green, Square::E2, Square::E4);
/// assert!(picture.size(400).svg().starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 360 360\" width=\"400\""));
/// ```
#[derive(Clone, Debug)]
pub struct BoardPicture {
    board: Board,
    fen: String,
    side: Color,
    last: Option<(Square, Square)>,
    arrows: Vec<(Brush, Square, Square)>,
    circles: Vec<(Brush, Square)>,
    size: u32,
    has_coordinates: bool,
}

impl BoardPicture {
    /// The most pixels of a side.
    pub const LARGEST: u32 = LARGEST;

    /// Creates a position, seen by White, 360 pixels wide, with coordinates; the last move is
    /// marked if it is known.
    pub fn new(history: &History) -> Self {
        let position = history.position();
        Self {
            board: position.board().clone(),
            fen: history.fen(),
            side: Color::White,
            last: history
                .moves()
                .last()
                .and_then(|mv| ends(*mv, !position.turn())),
            arrows: Vec::new(),
            circles: Vec::new(),
            size: 360,
            has_coordinates: true,
        }
    }

    /// Sets the side at the bottom.
    #[must_use]
    pub fn seen_by(mut self, side: Color) -> Self {
        self.side = side;
        self
    }

    /// Sets the width and height in pixels, at most [`LARGEST`](Self::LARGEST).
    #[must_use]
    pub fn size(mut self, pixels: u32) -> Self {
        self.size = pixels.clamp(1, LARGEST);
        self
    }

    /// Omits the names of files and ranks.
    #[must_use]
    pub(crate) fn without_coordinates(mut self) -> Self {
        self.has_coordinates = false;
        self
    }

    /// Marks the squares of the last move.
    #[must_use]
    pub fn last_move(mut self, from: Square, to: Square) -> Self {
        self.last = Some((from, to));
        self
    }

    /// Adds an arrow.
    #[must_use]
    pub fn arrow(mut self, brush: Brush, from: Square, to: Square) -> Self {
        self.arrows.push((brush, from, to));
        self
    }

    /// Adds an arrow for a move of `side`; for castling, the king's move.
    #[must_use]
    pub(crate) fn move_arrow(self, brush: Brush, mv: Move, side: Color) -> Self {
        match ends(mv, side) {
            Some((from, to)) => self.arrow(brush, from, to),
            None => self,
        }
    }

    /// Adds an arrow or a circle.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        match shape {
            Shape::Arrow(brush, from, to) => self.arrows.push((brush, from, to)),
            Shape::Circle(brush, square) => self.circles.push((brush, square)),
        }
        self
    }

    /// Returns the picture as SVG, which needs no other file and no font.
    pub fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {BOARD} {BOARD}\" width=\"{0}\" height=\"{0}\" role=\"img\" \
             aria-label=\"{1}\">",
            self.size,
            Escaped(&self.fen)
        );
        for mark in self.marks() {
            let hex = |Rgb(red, green, blue): Rgb| format!("#{red:02x}{green:02x}{blue:02x}");
            let fill = mark.fill.map_or_else(|| "none".to_owned(), hex);
            let _ = write!(svg, "<path fill=\"{fill}\"");
            if mark.at != (0.0, 0.0) {
                let _ = write!(svg, " transform=\"translate({} {})\"", mark.at.0, mark.at.1);
            }
            if let Some((color, width)) = mark.line {
                let _ = write!(
                    svg,
                    " stroke=\"{}\" stroke-width=\"{width}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"",
                    hex(color)
                );
            }
            if mark.opacity < 1.0 {
                let _ = write!(svg, " opacity=\"{}\"", mark.opacity);
            }
            let _ = write!(svg, " d=\"{}\"/>", mark.path);
        }
        svg + "</svg>\n"
    }

    /// Returns the picture as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        raster::png(&self.marks(), BOARD, self.size)
    }

    /// Returns the bytes of a file.
    pub fn bytes(&self, form: PictureForm) -> Vec<u8> {
        match form {
            PictureForm::Svg => self.svg().into_bytes(),
            PictureForm::Png => self.png(),
        }
    }

    /// Returns all marks, the lowest first.
    fn marks(&self) -> Vec<Mark> {
        let mut marks = vec![filled(format!("M0 0h{BOARD}v{BOARD}h-{BOARD}z"), LIGHT)];
        let squares = |is_wanted: &dyn Fn(Square) -> bool| -> String {
            let wanted = Square::ALL.into_iter().filter(|square| is_wanted(*square));
            let square = |square| {
                let (x, y) = self.corner(square);
                format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z")
            };
            wanted.map(square).collect()
        };
        marks.push(filled(squares(&Square::is_dark), DARK));
        if let Some((from, to)) = self.last {
            for (color, is_dark) in [(LIGHT_LAST, false), (DARK_LAST, true)] {
                let path =
                    squares(&|square| [from, to].contains(&square) && square.is_dark() == is_dark);
                marks.extend((!path.is_empty()).then(|| filled(path, color)));
            }
        }
        if self.has_coordinates {
            self.coordinates(&mut marks);
        }
        for (square, piece) in self.board.clone() {
            self.piece(&mut marks, square, piece);
        }
        for &(brush, square) in &self.circles {
            let (x, y) = self.middle(square);
            let radius = SQUARE / 2.0 - 2.0;
            let line = Some((brush.color(), 3.0));
            marks.push(Mark {
                path: circle(x, y, radius),
                at: (0.0, 0.0),
                fill: None,
                line,
                opacity: OPACITY,
            });
        }
        for &(brush, from, to) in &self.arrows {
            marks.extend(self.arrow_mark(brush, from, to));
        }
        marks
    }

    fn piece(&self, marks: &mut Vec<Mark>, square: Square, piece: Piece) {
        let (fill, detail) = piece.color.fold_wb((WHITE, INK), (INK, WHITE));
        let at = self.corner(square);
        marks.extend(drawing(piece.role).iter().map(|part| match *part {
            Part::Outline(path) => Mark {
                path: path.to_owned(),
                at,
                fill: Some(fill),
                line: Some((INK, 1.5)),
                opacity: 1.0,
            },
            Part::Line(path) => Mark {
                path: path.to_owned(),
                at,
                fill: None,
                line: Some((detail, 1.5)),
                opacity: 1.0,
            },
            Part::Dot(x, y, radius) => Mark {
                path: circle(x, y, radius),
                at,
                fill: Some(detail),
                line: None,
                opacity: 1.0,
            },
        }));
    }

    /// Draws the names of the files along the lower edge and of the ranks along the left edge, in
    /// the colour of the other squares.
    fn coordinates(&self, marks: &mut Vec<Mark>) {
        for index in 0..8_u32 {
            let edge = f64::from(index) * SQUARE;
            let other = self.side.fold_wb(index, 7 - index);
            // The lower left square is dark for both sides.
            let (file_color, rank_color) = match index % 2 {
                0 => (LIGHT, DARK),
                _ => (DARK, LIGHT),
            };
            for (char, at, color) in [
                (
                    char::from(b'a' + other as u8),
                    (edge + SQUARE - 7.0, BOARD - 9.5),
                    file_color,
                ),
                (
                    char::from(b'8' - other as u8),
                    (3.0, edge + 3.0),
                    rank_color,
                ),
            ] {
                let path = letters::path(char).to_owned();
                marks.push(Mark {
                    path,
                    at,
                    fill: None,
                    line: Some((color, 1.2)),
                    opacity: 1.0,
                });
            }
        }
    }

    /// Returns an arrow from the middle of a square to that of another; `None` within one square.
    fn arrow_mark(&self, brush: Brush, from: Square, to: Square) -> Option<Mark> {
        let ((x1, y1), (x2, y2)) = (self.middle(from), self.middle(to));
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = dx.hypot(dy);
        if length == 0.0 {
            return None;
        }
        let (ux, uy) = (dx / length, dy / length);
        // Draw shaft and head as one outline. Otherwise the transparent colour would be darker
        // where they overlap.
        let (head, wide, thin) = (18.0, 10.0, 3.5);
        let point = |along: f64, across: f64| {
            format!(
                "{:.1} {:.1}",
                x1 + ux * along - uy * across,
                y1 + uy * along + ux * across
            )
        };
        let neck = length - head;
        let path = [
            (0.0, thin),
            (neck, thin),
            (neck, wide),
            (length, 0.0),
            (neck, -wide),
            (neck, -thin),
            (0.0, -thin),
        ]
        .map(|(along, across)| point(along, across))
        .join("L");
        Some(Mark {
            path: format!("M{path}z"),
            at: (0.0, 0.0),
            fill: Some(brush.color()),
            line: None,
            opacity: OPACITY,
        })
    }

    /// Returns the upper left corner of a square.
    fn corner(&self, square: Square) -> (f64, f64) {
        let (file, rank) = (
            f64::from(square.file().to_u32()),
            f64::from(square.rank().to_u32()),
        );
        self.side.fold_wb(
            (file * SQUARE, (7.0 - rank) * SQUARE),
            ((7.0 - file) * SQUARE, rank * SQUARE),
        )
    }

    fn middle(&self, square: Square) -> (f64, f64) {
        let (x, y) = self.corner(square);
        (x + SQUARE / 2.0, y + SQUARE / 2.0)
    }
}

/// Returns where a move of `side` begins and ends; for castling, the king's squares.
fn ends(mv: Move, side: Color) -> Option<(Square, Square)> {
    Some((
        mv.from()?,
        mv.castling_side()
            .map_or(mv.to(), |castling| castling.king_to(side)),
    ))
}

/// Returns a circle as a path.
fn circle(x: f64, y: f64, radius: f64) -> String {
    format!(
        "M{} {y}a{radius} {radius} 0 1 1 {1} 0a{radius} {radius} 0 1 1-{1} 0z",
        x - radius,
        2.0 * radius
    )
}

fn filled(path: String, color: Rgb) -> Mark {
    Mark {
        path,
        at: (0.0, 0.0),
        fill: Some(color),
        line: None,
        opacity: 1.0,
    }
}

#[cfg(test)]
mod tests;
