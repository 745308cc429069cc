//! A player's trend as inline SVG: the points lost per game over time.

use std::fmt;

use centipawn_review::{Language, TrendPoint};

use crate::html::Escaped;

/// Width of the drawing in SVG units. The size of its text is set in the style sheet.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 90.0;
/// Room for the scale on the left, and for the labels below and above.
const LEFT: f64 = 30.0;
const BELOW: f64 = 16.0;
const ABOVE: f64 = 12.0;

/// A line from point to point, with a dot for each, over a scale that begins at 0.
pub(crate) struct Trend<'a> {
    pub(crate) points: &'a [TrendPoint],
    /// The name of the quantity that is drawn.
    pub(crate) name: &'a str,
    pub(crate) language: Language,
}

impl fmt::Display for Trend<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return Ok(());
        };
        let greatest = self
            .points
            .iter()
            .map(|point| point.score_loss)
            .fold(0.1, f64::max);
        let number = |value| self.language.number(value, 2);
        let values: Vec<String> = self
            .points
            .iter()
            .map(|point| format!("{} {}", point.label, number(point.score_loss)))
            .collect();
        let label = format!("{}: {}", self.name, values.join("; "));
        let step = (WIDTH - LEFT - 8.0) / (self.points.len() - 1).max(1) as f64;
        let bottom = HEIGHT - BELOW;
        let x = |index: usize| LEFT + step * index as f64;
        let y = |value: f64| bottom - (bottom - ABOVE) * value / greatest;
        writeln!(
            f,
            "<svg class=\"trend\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            Escaped(&label)
        )?;
        for value in [0.0, greatest] {
            let at = y(value);
            writeln!(f, "<path class=\"scale\" d=\"M{LEFT} {at:.1}H{WIDTH}\"/>")?;
            writeln!(
                f,
                "<text class=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
                LEFT - 5.0,
                at + 4.0,
                number(value)
            )?;
        }
        let points: Vec<(f64, f64)> = self
            .points
            .iter()
            .enumerate()
            .map(|(index, point)| (x(index), y(point.score_loss)))
            .collect();
        let path: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1} {y:.1}"))
            .collect();
        writeln!(f, "<path class=\"line\" d=\"M{}\"/>", path.join("L"))?;
        for ((x, y), point) in points.iter().zip(self.points) {
            let title = format!("{}: {}", point.label, number(point.score_loss));
            writeln!(
                f,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>",
                Escaped(&title)
            )?;
        }
        writeln!(
            f,
            "<text x=\"{LEFT}\" y=\"{}\">{}</text>",
            HEIGHT - 2.0,
            Escaped(&first.label)
        )?;
        writeln!(
            f,
            "<text class=\"end\" x=\"{WIDTH}\" y=\"{}\">{}</text>\n</svg>",
            HEIGHT - 2.0,
            Escaped(&last.label)
        )
    }
}
