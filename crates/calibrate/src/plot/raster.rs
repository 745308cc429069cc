//! Draws a drawing as PNG.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster};
use tiny_skia::{
    FillRule, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke, StrokeDash,
    Transform,
};

use super::drawing::{Anchor, Color, Drawing, Mark};

/// Returns the drawing as a PNG file; empty if the drawing has no size.
pub(super) fn png(drawing: &Drawing) -> Vec<u8> {
    let Some(mut pixels) = Pixmap::new(drawing.width, drawing.height) else {
        return Vec::new();
    };
    pixels.fill(tiny_skia::Color::WHITE);
    drawing
        .marks
        .iter()
        .for_each(|mark| draw(&mut pixels, mark));
    pixels.encode_png().unwrap_or_default()
}

fn draw(pixels: &mut Pixmap, mark: &Mark) {
    let same = Transform::identity();
    match mark {
        Mark::Line {
            points,
            color,
            width,
            dashed,
        } => {
            let Some(path) = path(points, false) else {
                return;
            };
            let dash = if *dashed {
                StrokeDash::new(vec![6.0, 4.0], 0.0)
            } else {
                None
            };
            let stroke = Stroke {
                width: *width as f32,
                dash,
                ..Stroke::default()
            };
            pixels.stroke_path(&path, &paint(*color, 1.0), &stroke, same, None);
        }
        Mark::Area {
            points,
            color,
            opacity,
        } => {
            let Some(path) = path(points, true) else {
                return;
            };
            pixels.fill_path(
                &path,
                &paint(*color, *opacity),
                FillRule::EvenOdd,
                same,
                None,
            );
        }
        Mark::Rect {
            x,
            y,
            width,
            height,
            color,
        } => {
            let rect = Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32);
            if let Some(rect) = rect {
                let mut paint = paint(*color, 1.0);
                // Draw without anti-aliasing, because otherwise seams appear between adjacent
                // rectangles.
                paint.anti_alias = false;
                pixels.fill_rect(rect, &paint, same, None);
            }
        }
        Mark::Dot {
            x,
            y,
            radius,
            color,
        } => {
            if let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                pixels.fill_path(&path, &paint(*color, 1.0), FillRule::Winding, same, None);
            }
        }
        Mark::Text {
            x,
            y,
            text,
            large,
            anchor,
            color,
        } => write(pixels, (*x, *y), text, *large, *anchor, *color),
    }
}

fn path(points: &[(f64, f64)], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        if index == 0 {
            path.move_to(x as f32, y as f32);
        } else {
            path.line_to(x as f32, y as f32);
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn paint(Color(red, green, blue): Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity) as u8);
    paint.anti_alias = true;
    paint
}

fn write(
    pixels: &mut Pixmap,
    (x, y): (f64, f64),
    text: &str,
    large: bool,
    anchor: Anchor,
    color: Color,
) {
    let height = if large {
        RasterHeight::Size20
    } else {
        RasterHeight::Size16
    };
    let glyphs: Vec<_> = text
        .chars()
        .filter_map(|char| {
            get_raster(char, FontWeight::Regular, height)
                .or_else(|| get_raster('?', FontWeight::Regular, height))
        })
        .collect();
    let length: usize = glyphs.iter().map(RasterizedChar::width).sum();
    let shift = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle | Anchor::Up => length as f64 / 2.0,
        Anchor::End => length as f64,
    };
    let mut along = 0;
    for glyph in glyphs {
        for (row, line) in glyph.rows().enumerate() {
            for (column, &ink) in line.iter().enumerate().filter(|(_, ink)| **ink > 0) {
                // The pixel relative to the text's point: along the line of text, and across it
                // from its middle.
                let forward = (along + column) as f64 - shift;
                let down = row as f64 - height.val() as f64 / 2.0;
                let (x, y) = if anchor == Anchor::Up {
                    (x + down, y - forward)
                } else {
                    (x + forward, y + down)
                };
                dab(pixels, x.round(), y.round(), ink, color);
            }
        }
        along += glyph.width();
    }
}

/// Blends a colour into a pixel. `ink` is its opacity.
fn dab(pixels: &mut Pixmap, x: f64, y: f64, ink: u8, Color(red, green, blue): Color) {
    if x < 0.0 || y < 0.0 || x >= f64::from(pixels.width()) || y >= f64::from(pixels.height()) {
        return;
    }
    let index = y as usize * pixels.width() as usize + x as usize;
    let Some(pixel) = pixels.pixels_mut().get_mut(index) else {
        return;
    };
    let mix = |below: u8, above: u8| {
        let (below, above, ink) = (u32::from(below), u32::from(above), u32::from(ink));
        ((below * (255 - ink) + above * ink) / 255) as u8
    };
    let mixed = PremultipliedColorU8::from_rgba(
        mix(pixel.red(), red),
        mix(pixel.green(), green),
        mix(pixel.blue(), blue),
        255,
    );
    if let Some(mixed) = mixed {
        *pixel = mixed;
    }
}
