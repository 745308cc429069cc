//! Charts of data with a curve. A plot holds one or more.

use super::{
    PlotForm,
    drawing::{Anchor, Color, Drawing, Mark},
    html,
    panels::{label, ticks},
    raster,
};

/// A plot area with axes and marks. Positions are in units of the axes.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    title: String,
    horizontal: (String, (f64, f64)),
    vertical: (String, (f64, f64)),
    /// Position of the area in the drawing, in pixels: left, top, width, height.
    place: [f64; 4],
    /// Names on the vertical axis, from top to bottom, instead of numbers.
    rows: Option<Vec<String>>,
    marks: Vec<Mark>,
    legend: Vec<(String, Color)>,
}

/// The meaning of a mark, which decides its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// Observed data.
    Data,
    /// A model's prediction.
    Model,
    /// The ideal, such as perfect calibration.
    Ideal,
    Win,
    Draw,
    Loss,
    /// One of several collections, by index.
    Nth(usize),
}

impl Marker {
    pub(super) fn color(self) -> Color {
        const COLLECTIONS: [Color; 6] = [
            Color(31, 119, 180),
            Color(200, 60, 50),
            Color(44, 140, 60),
            Color(148, 103, 189),
            Color(200, 120, 20),
            Color(23, 150, 165),
        ];
        match self {
            Self::Data | Self::Win => COLLECTIONS[0],
            Self::Model | Self::Loss => COLLECTIONS[1],
            Self::Ideal => Color(150, 155, 165),
            Self::Draw => Color(170, 176, 186),
            Self::Nth(index) => COLLECTIONS[index % COLLECTIONS.len()],
        }
    }
}

impl Chart {
    pub(crate) fn new(
        title: &str,
        (horizontal, x): (&str, (f64, f64)),
        (vertical, y): (&str, (f64, f64)),
        place: [f64; 4],
    ) -> Self {
        Self {
            title: title.to_owned(),
            horizontal: (horizontal.to_owned(), x),
            vertical: (vertical.to_owned(), y),
            place,
            rows: None,
            marks: Vec::new(),
            legend: Vec::new(),
        }
    }

    /// Shows row names, from top to bottom, instead of a vertical axis. The centre of the first row
    /// is at ½, that of the second at 1½.
    pub(crate) fn with_rows(mut self, rows: Vec<String>) -> Self {
        self.vertical.1 = (rows.len() as f64, 0.0);
        self.rows = Some(rows);
        self
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |value: f64, (from, to): (f64, f64)| (value - from) / (to - from);
        let [left, top, width, height] = self.place;
        (
            left + width * share(x, self.horizontal.1),
            top + height * (1.0 - share(y, self.vertical.1)),
        )
    }

    pub(crate) fn dot(&mut self, x: f64, y: f64, radius: f64, marker: Marker) {
        let (x, y) = self.at(x, y);
        self.marks.push(Mark::Dot {
            x,
            y,
            radius,
            color: marker.color(),
        });
    }

    pub(crate) fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, marker: Marker) {
        let points: Vec<_> = points.into_iter().map(|(x, y)| self.at(x, y)).collect();
        let (width, dashed) = match marker {
            Marker::Ideal => (1.0, true),
            _ => (2.0, false),
        };
        self.marks.push(Mark::Line {
            points,
            color: marker.color(),
            width,
            dashed,
        });
    }

    /// Draws a filled rectangle between two corners.
    pub(crate) fn bar(&mut self, (x, y): (f64, f64), (to_x, to_y): (f64, f64), marker: Marker) {
        let ((left, bottom), (right, top)) = (self.at(x, y), self.at(to_x, to_y));
        let (width, height) = (right - left, bottom - top);
        self.marks.push(Mark::Rect {
            x: left,
            y: top,
            width,
            height,
            color: marker.color(),
        });
    }

    /// Fills the area between two lines with the same number of points.
    pub(crate) fn area(&mut self, lower: &[(f64, f64)], upper: &[(f64, f64)], marker: Marker) {
        let points = lower
            .iter()
            .chain(upper.iter().rev())
            .map(|&(x, y)| self.at(x, y))
            .collect();
        self.marks.push(Mark::Area {
            points,
            color: marker.color(),
            opacity: 1.0,
        });
    }

    /// Like [`area`](Self::area), but lets what is behind it show through.
    pub(crate) fn shade(&mut self, lower: &[(f64, f64)], upper: &[(f64, f64)], marker: Marker) {
        self.area(lower, upper, marker);
        if let Some(Mark::Area { opacity, .. }) = self.marks.last_mut() {
            *opacity = 0.22;
        }
    }

    pub(crate) fn note(&mut self, x: f64, y: f64, text: &str) {
        let (x, y) = self.at(x, y);
        self.marks.push(text_mark(x, y, text, false, Anchor::Start));
    }

    pub(crate) fn legend(&mut self, name: &str, marker: Marker) {
        self.legend.push((name.to_owned(), marker.color()));
    }

    fn draw(self, marks: &mut Vec<Mark>) {
        let [left, top, width, height] = self.place;
        let (right, bottom) = (left + width, top + height);
        let line = |points, color| Mark::Line {
            points,
            color,
            width: 1.0,
            dashed: false,
        };
        let horizontal: Vec<f64> = ticks(self.horizontal.1).collect();
        let vertical: Vec<f64> = if self.rows.is_some() {
            Vec::new()
        } else {
            ticks(self.vertical.1).collect()
        };
        for &tick in &horizontal {
            let (x, _) = self.at(tick, 0.0);
            marks.push(line(vec![(x, top), (x, bottom)], Color::PALE));
            marks.push(text_mark(
                x,
                bottom + 16.0,
                &label(tick),
                false,
                Anchor::Middle,
            ));
        }
        for &tick in &vertical {
            let (_, y) = self.at(0.0, tick);
            marks.push(line(vec![(left, y), (right, y)], Color::PALE));
            marks.push(text_mark(left - 8.0, y, &label(tick), false, Anchor::End));
        }
        for (index, row) in self.rows.iter().flatten().enumerate() {
            let (_, y) = self.at(0.0, index as f64 + 0.5);
            marks.push(text_mark(left - 8.0, y, row, false, Anchor::End));
        }
        marks.push(text_mark(
            left + width / 2.0,
            top - 20.0,
            &self.title,
            false,
            Anchor::Middle,
        ));
        marks.push(text_mark(
            left + width / 2.0,
            bottom + 40.0,
            &self.horizontal.0,
            false,
            Anchor::Middle,
        ));
        if self.rows.is_none() {
            marks.push(text_mark(
                left - 58.0,
                top + height / 2.0,
                &self.vertical.0,
                false,
                Anchor::Up,
            ));
        }
        marks.extend(self.marks);
        marks.push(line(
            vec![
                (left, top),
                (left, bottom),
                (right, bottom),
                (right, top),
                (left, top),
            ],
            Color::INK,
        ));
        // Draw the legend between the title and the area, with its entries side by side.
        let mut x = left + 4.0;
        for (name, color) in self.legend {
            marks.push(Mark::Dot {
                x,
                y: top - 14.0,
                radius: 4.0,
                color,
            });
            marks.push(text_mark(x + 10.0, top - 14.0, &name, false, Anchor::Start));
            x += 8.6 * name.len() as f64 + 40.0;
        }
    }
}

fn text_mark(x: f64, y: f64, text: &str, large: bool, anchor: Anchor) -> Mark {
    Mark::Text {
        x,
        y,
        text: text.to_owned(),
        large,
        anchor,
        color: Color::INK,
    }
}

/// A drawing of charts with a title.
#[derive(Clone, Debug)]
pub(crate) struct Plot(Drawing);

impl Plot {
    pub(crate) fn new(title: &str, (width, height): (u32, u32), charts: Vec<Chart>) -> Self {
        let mut marks = vec![text_mark(
            f64::from(width) / 2.0,
            24.0,
            title,
            true,
            Anchor::Middle,
        )];
        charts.into_iter().for_each(|chart| chart.draw(&mut marks));
        Self(Drawing {
            width,
            height,
            marks,
        })
    }

    /// Returns the bytes of an HTML page with the drawing, and a text below it. `points` are the
    /// numbers that the page shows under the mouse pointer: an evaluation in pawns, the expected
    /// score and the relevance, for each of the areas in `places`.
    pub(crate) fn page(
        &self,
        title: &str,
        places: &[[f64; 4]],
        points: &[[f64; 3]],
        report: &str,
    ) -> Vec<u8> {
        html::curve_page(&self.0, title, places, points, report).into_bytes()
    }

    /// Returns the bytes of the file. Charts have no separate HTML form, so SVG is used for it.
    pub(crate) fn draw(&self, form: PlotForm) -> Vec<u8> {
        match form {
            PlotForm::Png => raster::png(&self.0),
            PlotForm::Svg | PlotForm::Html => self.0.svg().into_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_dark_on_dark_screens() {
        let mut chart = Chart::new(
            "",
            ("evaluation", (0.0, 2.0)),
            ("score", (0.5, 1.0)),
            [90.0, 70.0, 200.0, 100.0],
        );
        chart.line([(0.0, 0.5), (2.0, 1.0)], Marker::Model);
        chart.dot(1.0, 0.8, 3.0, Marker::Data);
        chart.legend("curve", Marker::Model);
        let svg = Plot::new("Balance", (320, 240), vec![chart]).draw(PlotForm::Svg);
        insta::assert_snapshot!(String::from_utf8(svg).unwrap());
    }
}
