//! A drawing as a list of marks, and its SVG form.

use std::fmt::Write as _;

/// A colour: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Color(pub(super) u8, pub(super) u8, pub(super) u8);

impl Color {
    pub(super) const INK: Self = Self(40, 44, 52);
    pub(super) const PALE: Self = Self(214, 218, 224);
    pub(super) const PAPER: Self = Self(255, 255, 255);
    /// The colour of cells without data.
    pub(super) const EMPTY: Self = Self(238, 240, 243);
    /// Lines on top of colours, white on light and on dark pages.
    pub(super) const OVER: Self = Self(254, 254, 254);

    /// Colours that change on dark screens: the light one, the dark one, and the name of the CSS
    /// variable. All other colours are the same on both.
    pub(super) const THEMED: [(Self, Self, &str); 4] = [
        (Self::INK, Self(216, 220, 227), "--ink"),
        (Self::PALE, Self(58, 64, 73), "--pale"),
        (Self::PAPER, Self(22, 25, 30), "--paper"),
        (Self::EMPTY, Self(38, 43, 50), "--empty"),
    ];

    pub(super) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    /// Rotated to read upwards, centred on the point.
    Up,
}

/// A mark of a drawing. Positions and lengths are in pixels from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Line {
        points: Vec<(f64, f64)>,
        color: Color,
        width: f64,
        dashed: bool,
    },
    /// A filled polygon.
    Area {
        points: Vec<(f64, f64)>,
        color: Color,
        opacity: f64,
    },
    Rect {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        color: Color,
    },
    Dot {
        x: f64,
        y: f64,
        radius: f64,
        color: Color,
    },
    /// A text in plain ASCII, 16 or 20 pixels high.
    Text {
        x: f64,
        y: f64,
        text: String,
        large: bool,
        anchor: Anchor,
        color: Color,
    },
}

/// A drawing with its size in pixels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawing {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) marks: Vec<Mark>,
}

impl Drawing {
    /// Returns the drawing as an SVG file, which is dark on screens in dark mode.
    pub(super) fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let paper = format!(
            "{}<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
            dark_style(),
            Color::PAPER.hex()
        );
        svg(
            &self.marks,
            [0.0, 0.0, f64::from(width), f64::from(height)],
            &paper,
        )
    }
}

/// Returns CSS rules for dark screens. The colours also remain attributes, for programs that ignore
/// style sheets.
fn dark_style() -> String {
    let rules = Color::THEMED.map(|(light, dark, _)| {
        let (light, dark) = (light.hex(), dark.hex());
        format!(
            "  .centipawn-plot [fill=\"{light}\"] {{ fill: {dark}; }}\n  .centipawn-plot [stroke=\"{light}\"] {{ stroke: {dark}; }}\n"
        )
    });
    format!(
        "<style>\n@media (prefers-color-scheme: dark) {{\n{}}}\n</style>\n",
        rules.concat()
    )
}

/// Returns the marks as an SVG element that shows one part of the drawing: left, top, width,
/// height.
pub(super) fn svg(marks: &[Mark], [left, top, width, height]: [f64; 4], paper: &str) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"centipawn-plot\" viewBox=\"{left} {top} {width} {height}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\">\n{paper}"
    );
    for mark in marks {
        let _ = writeln!(svg, "{}", element(mark));
    }
    svg + "</svg>\n"
}

fn element(mark: &Mark) -> String {
    let path = |points: &[(f64, f64)]| {
        let points: Vec<_> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        points.join(" ")
    };
    match mark {
        Mark::Line {
            points,
            color,
            width,
            dashed,
        } => format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{}/>",
            path(points),
            color.hex(),
            if *dashed {
                " stroke-dasharray=\"6 4\""
            } else {
                ""
            }
        ),
        Mark::Area {
            points,
            color,
            opacity,
        } => {
            format!(
                "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{opacity}\"/>",
                path(points),
                color.hex()
            )
        }
        // Draw without anti-aliasing, because otherwise seams appear between adjacent rectangles.
        Mark::Rect {
            x,
            y,
            width,
            height,
            color,
        } => format!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
            color.hex()
        ),
        Mark::Dot {
            x,
            y,
            radius,
            color,
        } => {
            format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>",
                color.hex()
            )
        }
        Mark::Text {
            x,
            y,
            text,
            large,
            anchor,
            color,
        } => {
            let (place, turn) = match anchor {
                Anchor::Start => ("start", String::new()),
                Anchor::Middle => ("middle", String::new()),
                Anchor::End => ("end", String::new()),
                Anchor::Up => (
                    "middle",
                    format!(" transform=\"rotate(-90 {x:.1} {y:.1})\""),
                ),
            };
            let size = if *large { 18 } else { 14 };
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            format!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{place}\" \
                 dominant-baseline=\"middle\" fill=\"{}\"{turn}>{text}</text>",
                color.hex()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Marker;

    /// Returns the relative luminance as defined by WCAG 2.
    fn luminance(Color(red, green, blue): Color) -> f64 {
        let [red, green, blue] = [red, green, blue].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(one: Color, other: Color) -> f64 {
        let [one, other] = [one, other].map(|color| luminance(color) + 0.05);
        one.max(other) / one.min(other)
    }

    /// Contrast ratios must be those that WCAG requires: 4.5 for small texts, 3 for data and models
    /// in graphs.
    #[test]
    fn contrast_is_sufficient_on_light_and_dark_screens() {
        let in_the_dark = |color| {
            let themed = Color::THEMED
                .into_iter()
                .find(|(light, ..)| *light == color);
            themed.map_or(color, |(_, dark, _)| dark)
        };
        let dark_paper = in_the_dark(Color::PAPER);
        for (ink, paper) in [
            (Color::INK, Color::PAPER),
            (in_the_dark(Color::INK), dark_paper),
        ] {
            assert!(contrast(ink, paper) > 4.5);
        }
        let markers =
            (0..6)
                .map(Marker::Nth)
                .chain([Marker::Data, Marker::Model, Marker::Win, Marker::Loss]);
        for marker in markers {
            for paper in [Color::PAPER, dark_paper] {
                assert!(
                    contrast(marker.color(), paper) > 3.0,
                    "{marker:?} on {}",
                    paper.hex()
                );
            }
        }
    }
}
