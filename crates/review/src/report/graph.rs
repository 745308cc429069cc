//! The course of a game: White's expected score after every move.

use std::fmt;

use super::{Escaped, class};
use crate::Review;

/// An inline SVG; every move is a link to its row in the move list, with a tooltip.
pub(super) struct Graph<'a> {
    pub(super) review: &'a Review,
    /// The section the links lead into.
    pub(super) section: usize,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 28.0;
const MARGIN: f64 = 10.0;

impl Graph<'_> {
    /// The middle of a move's column; the start of the game stands at the left edge.
    fn x(&self, moves_played: f64) -> f64 {
        LEFT + (WIDTH - LEFT - MARGIN) * moves_played / self.review.plies.len() as f64
    }
}

fn y(expected_score: f64) -> f64 {
    MARGIN + (HEIGHT - 2.0 * MARGIN) * (1.0 - expected_score)
}

impl fmt::Display for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = &self.review.plies;
        writeln!(
            f,
            "<figure>\n<svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"group\" aria-label=\"White's expected score after every move\">"
        )?;
        let (left, right) = (self.x(0.0), self.x(plies.len() as f64));
        writeln!(
            f,
            "<rect class=\"black\" x=\"{left}\" y=\"{}\" width=\"{:.1}\" height=\"{}\"/>",
            y(1.0),
            right - left,
            y(0.0) - y(1.0)
        )?;

        let begin = plies.first().map_or(0.5, |ply| ply.expected_score_best);
        let scores = std::iter::once(begin).chain(plies.iter().map(|ply| ply.expected_score_played));
        let mut curve = String::new();
        for (index, score) in scores.enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            curve += &format!("{letter}{:.1} {:.1}", self.x(index as f64), y(score));
        }
        writeln!(f, "<path class=\"white\" d=\"{curve}L{right:.1} {y0}L{left} {y0}Z\"/>", y0 = y(0.0))?;
        for (score, label) in [(1.0, "1"), (0.75, ""), (0.5, "½"), (0.25, ""), (0.0, "0")] {
            let y = y(score);
            writeln!(f, "<path class=\"grid\" d=\"M{left} {y}H{right:.1}\"/>")?;
            if !label.is_empty() {
                writeln!(f, "<text x=\"{}\" y=\"{}\">{label}</text>", LEFT - 6.0, y + 4.0)?;
            }
        }
        writeln!(f, "<path class=\"line\" d=\"{curve}\"/>")?;

        let column = self.x(1.0) - self.x(0.0);
        for (index, ply) in plies.iter().enumerate() {
            let x = self.x(index as f64 + 1.0);
            let symbol = ply.symbol.map_or("", |symbol| symbol.glyph());
            write!(
                f,
                "<a href=\"#g{}p{}\"><title>{}{symbol} {}: {:.2}</title><rect class=\"hit\" x=\"{:.1}\" y=\"{}\" width=\"{column:.1}\" height=\"{}\"/>",
                self.section,
                index + 1,
                Escaped(&ply.numbered()),
                ply.after.map_or_else(String::new, |eval| eval.to_string()),
                ply.expected_score_played,
                x - column / 2.0,
                y(1.0),
                y(0.0) - y(1.0)
            )?;
            if let Some(symbol) = ply.symbol {
                let y = y(ply.expected_score_played);
                write!(f, "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>", class(symbol))?;
            }
            writeln!(f, "</a>")?;
        }
        write!(f, "</svg>\n<figcaption>White's expected score, move by move</figcaption>\n</figure>")
    }
}
