//! A drawing as a list of marks, and as SVG.

use std::fmt::Write as _;

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Color(pub(super) u8, pub(super) u8, pub(super) u8);

impl Color {
    pub(super) const INK: Self = Self(40, 44, 52);
    pub(super) const PALE: Self = Self(214, 218, 224);
    pub(super) const PAPER: Self = Self(255, 255, 255);
    /// Where there are no data.
    pub(super) const EMPTY: Self = Self(238, 240, 243);
    /// Lines over colours, white on light and on dark pages.
    pub(super) const OVER: Self = Self(254, 254, 254);

    /// Colours that a page turns round in the dark, with the names of its variables.
    pub(super) const OF_PAGE: [(Self, &str); 4] =
        [(Self::INK, "--ink"), (Self::PALE, "--pale"), (Self::PAPER, "--paper"), (Self::EMPTY, "--empty")];

    pub(super) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// Position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    /// Rotated upwards, centred on the point.
    Up,
}

/// A mark of a drawing. Lengths are in pixels from the upper left corner.
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

/// A drawing of a given size in pixels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawing {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) marks: Vec<Mark>,
}

impl Drawing {
    /// The drawing as an SVG element.
    pub(super) fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let paper = format!("<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n", Color::PAPER.hex());
        svg(&self.marks, [0.0, 0.0, f64::from(width), f64::from(height)], &paper)
    }
}

/// Marks as an SVG element that shows a place of them: left, top, width, height.
pub(super) fn svg(marks: &[Mark], [left, top, width, height]: [f64; 4], paper: &str) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {height}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\">\n{paper}"
    );
    for mark in marks {
        let _ = writeln!(svg, "{}", element(mark));
    }
    svg + "</svg>\n"
}

fn element(mark: &Mark) -> String {
    let path = |points: &[(f64, f64)]| {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        points.join(" ")
    };
    match mark {
        Mark::Line { points, color, width, dashed } => format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{}/>",
            path(points),
            color.hex(),
            if *dashed { " stroke-dasharray=\"6 4\"" } else { "" }
        ),
        Mark::Area { points, color, opacity } => {
            format!("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{opacity}\"/>", path(points), color.hex())
        }
        // Without anti-aliasing, adjacent rectangles show no seams.
        Mark::Rect { x, y, width, height, color } => format!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
            color.hex()
        ),
        Mark::Dot { x, y, radius, color } => {
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>", color.hex())
        }
        Mark::Text { x, y, text, large, anchor, color } => {
            let (place, turn) = match anchor {
                Anchor::Start => ("start", String::new()),
                Anchor::Middle => ("middle", String::new()),
                Anchor::End => ("end", String::new()),
                Anchor::Up => ("middle", format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"")),
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
