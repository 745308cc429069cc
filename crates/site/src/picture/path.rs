//! Paths of SVG as absolute lines and curves, for pixels.

use std::f64::consts::{FRAC_PI_2, TAU};

/// A point with its x and y coordinates.
type Point = (f64, f64);

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Move(Point),
    Line(Point),
    /// Two control points and the end.
    Curve(Point, Point, Point),
    Close,
}

/// Returns the steps of a path with the commands M, L, H, V, C, A and Z; what follows anything else
/// is ignored.
pub(super) fn steps(path: &str) -> Vec<Step> {
    let mut reader = Reader {
        rest: path,
        steps: Vec::new(),
        at: (0.0, 0.0),
        begin: (0.0, 0.0),
    };
    let mut command = 'M';
    loop {
        reader.rest = reader.rest.trim_start_matches([' ', ',']);
        match reader.rest.chars().next() {
            None => break,
            Some(letter) if letter.is_ascii_alphabetic() => {
                command = letter;
                reader.rest = &reader.rest[1..];
            }
            Some(_) if command.eq_ignore_ascii_case(&'Z') => break,
            Some(_) => {}
        }
        if reader.step(command).is_none() {
            break;
        }
        // Further numbers after a move are lines.
        command = match command {
            'M' => 'L',
            'm' => 'l',
            command => command,
        };
    }
    reader.steps
}

struct Reader<'a> {
    rest: &'a str,
    steps: Vec<Step>,
    at: Point,
    begin: Point,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<f64> {
        let text = self.rest.trim_start_matches([' ', ',']);
        let mut has_point = false;
        let is_part = |(index, char): &(usize, char)| match char {
            '-' => *index == 0,
            '.' => !std::mem::replace(&mut has_point, true),
            char => char.is_ascii_digit(),
        };
        let length = text.char_indices().take_while(is_part).count();
        self.rest = &text[length..];
        text[..length].parse().ok()
    }

    fn point(&mut self, is_relative: bool) -> Option<Point> {
        let (x, y) = (self.number()?, self.number()?);
        Some(if is_relative {
            (self.at.0 + x, self.at.1 + y)
        } else {
            (x, y)
        })
    }

    fn step(&mut self, command: char) -> Option<()> {
        let is_relative = command.is_ascii_lowercase();
        match command.to_ascii_uppercase() {
            'M' => {
                self.at = self.point(is_relative)?;
                self.begin = self.at;
                self.steps.push(Step::Move(self.at));
            }
            'L' => {
                let end = self.point(is_relative)?;
                self.line(end);
            }
            'H' => {
                let x = self.number()? + if is_relative { self.at.0 } else { 0.0 };
                self.line((x, self.at.1));
            }
            'V' => {
                let y = self.number()? + if is_relative { self.at.1 } else { 0.0 };
                self.line((self.at.0, y));
            }
            'C' => {
                let points = [
                    self.point(is_relative)?,
                    self.point(is_relative)?,
                    self.point(is_relative)?,
                ];
                self.at = points[2];
                self.steps
                    .push(Step::Curve(points[0], points[1], points[2]));
            }
            'A' => {
                let radius = self.number()?;
                // Our arcs are of circles: the second radius is the same, and a rotation changes
                // nothing.
                let (_, _, large, sweep) = (
                    self.number()?,
                    self.number()?,
                    self.number()?,
                    self.number()?,
                );
                let end = self.point(is_relative)?;
                self.arc(radius, large > 0.0, sweep > 0.0, end);
            }
            'Z' => {
                self.at = self.begin;
                self.steps.push(Step::Close);
            }
            _ => return None,
        }
        Some(())
    }

    fn line(&mut self, end: Point) {
        self.at = end;
        self.steps.push(Step::Line(end));
    }

    /// Adds an arc of a circle, as curves of at most a quarter circle.
    fn arc(&mut self, radius: f64, is_large: bool, is_clockwise: bool, end: Point) {
        let (begin, (dx, dy)) = (self.at, (end.0 - self.at.0, end.1 - self.at.1));
        let chord = dx.hypot(dy);
        if chord == 0.0 {
            return;
        }
        // A radius that is too small grows until the circle reaches both ends.
        let radius = radius.max(chord / 2.0);
        let height = (radius * radius - chord * chord / 4.0).max(0.0).sqrt();
        let side = if is_large == is_clockwise { -1.0 } else { 1.0 };
        let middle = (
            begin.0 + dx / 2.0 - side * height * dy / chord,
            begin.1 + dy / 2.0 + side * height * dx / chord,
        );
        let angle = |point: Point| (point.1 - middle.1).atan2(point.0 - middle.0);
        let (first, mut turn) = (angle(begin), angle(end) - angle(begin));
        if is_clockwise && turn < 0.0 {
            turn += TAU;
        } else if !is_clockwise && turn > 0.0 {
            turn -= TAU;
        }
        let parts = (turn.abs() / FRAC_PI_2 - 1e-9).ceil().max(1.0);
        let part = turn / parts;
        let reach = radius * 4.0 / 3.0 * (part / 4.0).tan();
        let on_circle = |angle: f64| {
            (
                middle.0 + radius * angle.cos(),
                middle.1 + radius * angle.sin(),
            )
        };
        for index in 0..parts as u32 {
            let [from, to] = [0.0, 1.0].map(|more| first + part * (f64::from(index) + more));
            let (start, stop) = (on_circle(from), on_circle(to));
            let one = (start.0 - reach * from.sin(), start.1 + reach * from.cos());
            let two = (stop.0 + reach * to.sin(), stop.1 - reach * to.cos());
            self.steps.push(Step::Curve(one, two, stop));
        }
        self.at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_relative_in_lower_case() {
        let lines = [
            Step::Move((1.0, 2.0)),
            Step::Line((1.5, 1.5)),
            Step::Line((3.5, 1.5)),
            Step::Line((3.5, 4.0)),
            Step::Close,
        ];
        assert_eq!(steps("M1 2l.5-.5h2V4z"), lines);
        assert_eq!(steps("M1 2 1.5 1.5H3.5v2.5Z"), lines);
        assert_eq!(
            steps("m1 1c1 0 1 1 1 1"),
            [
                Step::Move((1.0, 1.0)),
                Step::Curve((2.0, 1.0), (2.0, 2.0), (2.0, 2.0))
            ]
        );
        assert_eq!(steps("M1 1q1 1"), [Step::Move((1.0, 1.0))]);
    }

    /// Every point of an arc has the same distance to the middle of its circle.
    #[test]
    fn arcs_are_round() {
        for (path, middle) in [
            ("M10 0A10 10 0 0 1 0 10", (0.0, 0.0)),
            ("M10 0a10 10 0 1 0-10 10", (0.0, 0.0)),
            ("M10 0a10 10 0 0 0-10 10", (10.0, 10.0)),
            ("M10 0a10 10 0 1 1-10 10", (10.0, 10.0)),
        ] {
            let steps = steps(path);
            let mut from = (10.0, 0.0);
            for step in &steps[1..] {
                let Step::Curve(one, two, to) = *step else {
                    panic!("{step:?}")
                };
                let half = |a: f64, b: f64, c: f64, d: f64| (a + 3.0 * b + 3.0 * c + d) / 8.0;
                let at = (
                    half(from.0, one.0, two.0, to.0),
                    half(from.1, one.1, two.1, to.1),
                );
                for (x, y) in [at, to] {
                    let distance = f64::hypot(x - middle.0, y - middle.1);
                    assert!((distance - 10.0).abs() < 0.02, "{path}: {distance}");
                }
                from = to;
            }
            assert!(f64::hypot(from.0, from.1 - 10.0) < 1e-9, "{path}");
        }
    }
}
