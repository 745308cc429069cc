//! A picture as PNG.

use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

use super::{
    Mark, Rgb,
    path::{Step, steps},
};

/// Marks on a square of `units` as a PNG file of `size` pixels; empty if it has no size.
pub(super) fn png(marks: &[Mark], units: f64, size: u32) -> Vec<u8> {
    let Some(mut pixels) = Pixmap::new(size, size) else {
        return Vec::new();
    };
    let scale = (f64::from(size) / units) as f32;
    for mark in marks {
        let Some(path) = path(&mark.path) else {
            continue;
        };
        let place =
            Transform::from_translate(mark.at.0 as f32, mark.at.1 as f32).post_scale(scale, scale);
        if let Some(color) = mark.fill {
            pixels.fill_path(
                &path,
                &paint(color, mark.opacity),
                FillRule::Winding,
                place,
                None,
            );
        }
        if let Some((color, width)) = mark.line {
            let stroke = Stroke {
                width: width as f32,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            pixels.stroke_path(&path, &paint(color, mark.opacity), &stroke, place, None);
        }
    }
    pixels.encode_png().unwrap_or_default()
}

fn path(text: &str) -> Option<Path> {
    let mut path = PathBuilder::new();
    for step in steps(text) {
        let [a, b, c] = match step {
            Step::Move(end) | Step::Line(end) => [end; 3],
            Step::Curve(one, two, end) => [one, two, end],
            Step::Close => [(0.0, 0.0); 3],
        }
        .map(|(x, y)| (x as f32, y as f32));
        match step {
            Step::Move(_) => path.move_to(a.0, a.1),
            Step::Line(_) => path.line_to(a.0, a.1),
            Step::Curve(..) => path.cubic_to(a.0, a.1, b.0, b.1, c.0, c.1),
            Step::Close => path.close(),
        }
    }
    path.finish()
}

fn paint(Rgb(red, green, blue): Rgb, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity) as u8);
    paint.anti_alias = true;
    paint
}
