//! Arrows and circles on a board.

use std::{ops::Range, str::FromStr};

use shakmaty::Square;

use super::Rgb;

/// The colour of an arrow or a circle, as in `[%cal]` and `[%csl]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brush {
    /// `G`
    Green,
    /// `R`
    Red,
    /// `Y`
    Yellow,
    /// `B`
    Blue,
}

/// A text that is no arrow (`Ge2e4` or `e2e4`) and no circle (`Rd4` or `d4`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no arrow and no circle; write squares such as e2e4 or d4, after a letter for the colour: G, R, Y or B"
)]
pub struct InvalidShape(String);

impl Brush {
    pub(super) fn color(self) -> Rgb {
        match self {
            Brush::Green => Rgb(0x15, 0x78, 0x1b),
            Brush::Red => Rgb(0xb3, 0x15, 0x1b),
            Brush::Yellow => Rgb(0xc2, 0x75, 0x00),
            Brush::Blue => Rgb(0x1c, 0x5c, 0x8c),
        }
    }

    /// Returns the brush of a letter: `G`.
    fn of_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'G' => Brush::Green,
            'R' => Brush::Red,
            'Y' => Brush::Yellow,
            'B' => Brush::Blue,
            _ => return None,
        })
    }
}

/// An arrow or a circle of a [`BoardPicture`](crate::BoardPicture), as its text in PGN: `Ge2e4`,
/// `Rd4`. Without a letter it is green.
///
/// ```
/// use centipawn_site::Brush;
/// use shakmaty::Square;
///
/// assert_eq!("e2e4".parse(), Ok(centipawn_site::Shape::Arrow(Brush::Green, Square::E2, Square::E4)));
/// assert_eq!("Rd4".parse(), Ok(centipawn_site::Shape::Circle(Brush::Red, Square::D4)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An arrow from one square to another.
    Arrow(Brush, Square, Square),
    /// A circle around a square.
    Circle(Brush, Square),
}

impl FromStr for Shape {
    type Err = InvalidShape;

    fn from_str(text: &str) -> Result<Self, InvalidShape> {
        let invalid = || InvalidShape(text.to_owned());
        let brush = text.chars().next().and_then(Brush::of_letter);
        let squares = if brush.is_some() { &text[1..] } else { text };
        let brush = brush.unwrap_or(Brush::Green);
        let square = |range: Range<usize>| squares.get(range)?.parse::<Square>().ok();
        match squares.len() {
            2 => Ok(Shape::Circle(brush, square(0..2).ok_or_else(invalid)?)),
            4 => Ok(Shape::Arrow(
                brush,
                square(0..2).ok_or_else(invalid)?,
                square(2..4).ok_or_else(invalid)?,
            )),
            _ => Err(invalid()),
        }
    }
}
