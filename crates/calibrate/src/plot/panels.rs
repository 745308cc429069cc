//! Six panels: rates at one material or move, the parameters, and the wins and draws of data and
//! model.

use super::{
    drawing::{Anchor, Color, Drawing, Mark},
    figure::{BINS, Figure, FigureRow},
};

const WIDTH: u32 = 1560;
const HEIGHT: u32 = 1050;
/// Size of a panel's plot area, in pixels.
pub(super) const PANEL: (f64, f64) = (420.0, 370.0);
/// Cells of a heat map extend below their neighbours by this many pixels.
const OVERLAP: f64 = 0.75;
const LEVELS: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97];
/// The colours between the level lines, from share 0 to share 1.
const BANDS: [Color; 8] = [
    Color(68, 1, 84),
    Color(70, 50, 127),
    Color(54, 92, 141),
    Color(39, 127, 142),
    Color(31, 161, 135),
    Color(74, 194, 109),
    Color(159, 218, 58),
    Color(253, 231, 37),
];
const WIN: Color = Color(31, 119, 180);
const DRAW: Color = Color(44, 140, 60);
const LOSS: Color = Color(200, 60, 50);

/// A plot area, with the axis values of its edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) horizontal: (f64, f64),
    pub(super) vertical: (f64, f64),
}

impl Area {
    /// Returns the place of a panel including its axes and their titles: left, top, width, height.
    pub(super) fn frame(&self) -> [f64; 4] {
        [self.x - 72.0, self.y - 34.0, PANEL.0 + 86.0, PANEL.1 + 90.0]
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |value: f64, (from, to): (f64, f64)| (value - from) / (to - from);
        (
            self.x + PANEL.0 * share(x, self.horizontal),
            self.y + PANEL.1 * (1.0 - share(y, self.vertical)),
        )
    }
}

impl Figure {
    /// Returns the areas of the panels: rates, parameters, wins of data and of model, draws of data
    /// and of model.
    pub(super) fn areas(&self) -> [Area; 6] {
        let pawns = self.eval_max / self.pawn;
        let values = (f64::from(self.range.0), f64::from(self.range.1));
        let area = |column: f64, row: f64, horizontal, vertical| Area {
            x: 80.0 + column * 510.0,
            y: 130.0 + row * 470.0,
            horizontal,
            vertical,
        };
        let contour = |column, row| {
            area(
                column,
                row,
                (-pawns, pawns),
                (values.0 - 0.5, values.1 + 0.5),
            )
        };
        [
            area(0.0, 0.0, (-pawns, pawns), (0.0, 1.0)),
            area(0.0, 1.0, values, (0.0, self.highest_parameter())),
            contour(1.0, 0.0),
            contour(1.0, 1.0),
            contour(2.0, 0.0),
            contour(2.0, 1.0),
        ]
    }

    fn highest_parameter(&self) -> f64 {
        let all = self.rows.iter().flat_map(|row| [row.model.0, row.model.1]);
        let own = self
            .rows
            .iter()
            .filter_map(|row| row.own.map(|own| own.0))
            .filter(|a| *a < 5.0 * self.pawn);
        let old = self.rows.iter().filter_map(|row| row.old.map(|old| old.0));
        let highest = all
            .chain(own)
            .chain(old)
            .filter(|value| value.is_finite())
            .fold(self.pawn / 2.0, f64::max)
            * 1.1;
        let step = tick_step(highest);
        (highest / step).ceil() * step
    }

    /// Returns all panels in one drawing.
    pub(super) fn drawing(&self) -> Drawing {
        let mut drawing = Drawing {
            width: WIDTH,
            height: HEIGHT,
            marks: Vec::new(),
        };
        text(
            &mut drawing.marks,
            f64::from(WIDTH) / 2.0,
            24.0,
            &self.title,
            true,
            Anchor::Middle,
        );
        self.panels()
            .into_iter()
            .for_each(|marks| drawing.marks.extend(marks));
        legend(&mut drawing.marks);
        drawing
    }

    /// Returns the marks of each panel, in the order of the [areas](Self::areas).
    pub(super) fn panels(&self) -> [Vec<Mark>; 6] {
        let mut panels = [const { Vec::new() }; 6];
        let [rates, parameters, shares @ ..] = self.areas();
        self.rates(&mut panels[0], rates);
        self.parameters(&mut panels[1], parameters);
        let names = [
            "Data: share won",
            "Model: share won",
            "Data: share drawn",
            "Model: share drawn",
        ];
        for (index, (area, name)) in shares.into_iter().zip(names).enumerate() {
            let marks = &mut panels[2 + index];
            self.shares(marks, area, index / 2, index % 2 == 1);
            self.axes(marks, area, name, "evaluation (pawns)", &self.value_label());
        }
        panels
    }

    fn value_label(&self) -> String {
        if self.by == "move" {
            "move".to_owned()
        } else {
            "material (1, 3, 3, 5, 9)".to_owned()
        }
    }

    /// Shares of wins, draws and losses at the target.
    fn rates(&self, marks: &mut Vec<Mark>, area: Area) {
        let Some(row) = self.rows.iter().find(|row| row.value == self.target) else {
            return self.axes(
                marks,
                area,
                "No data at the target",
                "evaluation (pawns)",
                "share",
            );
        };
        grid_lines(marks, area);
        for (index, cells) in row.cells.iter().enumerate() {
            let total: f64 = cells.iter().sum();
            if total > 0.0 {
                for (count, color) in cells.iter().zip([WIN, DRAW, LOSS]) {
                    let (x, y) = area.at(self.eval_of(index as f64) / self.pawn, count / total);
                    marks.push(Mark::Dot {
                        x,
                        y,
                        radius: 2.5,
                        color,
                    });
                }
            }
        }
        for (result, color) in [WIN, DRAW, LOSS].into_iter().enumerate() {
            let points = (0..=240).map(|step| {
                let eval = self.eval_max * (f64::from(step) / 120.0 - 1.0);
                area.at(eval / self.pawn, rates(eval, row.model)[result])
            });
            marks.push(Mark::Line {
                points: points.collect(),
                color,
                width: 2.0,
                dashed: false,
            });
        }
        let title = format!(
            "Rates at {} {}: data (dots), model (lines)",
            self.by, self.target
        );
        self.axes(
            marks,
            area,
            &title,
            "evaluation (pawns)",
            "share of positions",
        );
        for (index, (name, color)) in [("won", WIN), ("drawn", DRAW), ("lost", LOSS)]
            .into_iter()
            .enumerate()
        {
            let (x, y) = (area.x + 16.0, area.y + 130.0 + 20.0 * index as f64);
            marks.push(Mark::Dot {
                x,
                y,
                radius: 4.0,
                color,
            });
            text(marks, x + 10.0, y, name, false, Anchor::Start);
        }
    }

    /// `a` and `b` of the model, and of separate fits of rows.
    fn parameters(&self, marks: &mut Vec<Mark>, area: Area) {
        grid_lines(marks, area);
        let inside = |value: f64| (area.vertical.0..=area.vertical.1).contains(&value);
        let clamped = |value: f64| value.clamp(area.vertical.0, area.vertical.1);
        for (index, color) in [WIN, LOSS].into_iter().enumerate() {
            let of = |pair: (f64, f64)| if index == 0 { pair.0 } else { pair.1 };
            let banded: Vec<_> = self
                .rows
                .iter()
                .filter_map(|row| row.band.map(|band| (row.value, band[index])))
                .collect();
            if banded.len() > 1 {
                let upper = banded
                    .iter()
                    .map(|(value, band)| area.at(f64::from(*value), clamped(band.1)));
                let lower = banded
                    .iter()
                    .rev()
                    .map(|(value, band)| area.at(f64::from(*value), clamped(band.0)));
                marks.push(Mark::Area {
                    points: upper.chain(lower).collect(),
                    color,
                    opacity: 0.2,
                });
            }
            for row in &self.rows {
                if let Some(own) = row.own.map(of).filter(|own| inside(*own)) {
                    let (x, y) = area.at(f64::from(row.value), own);
                    marks.push(Mark::Dot {
                        x,
                        y,
                        radius: 2.5,
                        color,
                    });
                }
            }
            let points = self
                .rows
                .iter()
                .map(|row| area.at(f64::from(row.value), clamped(of(row.model))));
            marks.push(Mark::Line {
                points: points.collect(),
                color,
                width: 2.0,
                dashed: false,
            });
            let old = |row: &FigureRow| {
                row.old
                    .and_then(|(a, b)| if index == 0 { Some(a) } else { b })
            };
            let old = self
                .rows
                .iter()
                .filter_map(|row| Some((row.value, old(row)?)));
            let points: Vec<_> = old
                .map(|(value, old)| area.at(f64::from(value), clamped(old)))
                .collect();
            marks.push(Mark::Line {
                points,
                color,
                width: 1.5,
                dashed: true,
            });
            let (x, y) = (
                area.x + PANEL.0 - 250.0,
                area.y + 16.0 + 20.0 * index as f64,
            );
            marks.push(Mark::Dot {
                x,
                y,
                radius: 4.0,
                color,
            });
            let name = ["a: won half the time", "b: width of the change"][index];
            text(marks, x + 10.0, y, name, false, Anchor::Start);
        }
        let old = if self.rows.iter().any(|row| row.old.is_some()) {
            ", old model (dashed)"
        } else {
            ""
        };
        let title = format!("Parameters by {}: rows (dots), model{old}", self.by);
        self.axes(marks, area, &title, &self.value_label(), "internal units");
    }

    /// Draws the share of one result by evaluation and row value, as coloured bands, with the level
    /// lines of the model.
    fn shares(&self, marks: &mut Vec<Mark>, area: Area, result: usize, of_model: bool) {
        marks.push(Mark::Rect {
            x: area.x,
            y: area.y,
            width: PANEL.0,
            height: PANEL.1,
            color: Color::EMPTY,
        });
        let (width, height) = (
            PANEL.0 / BINS as f64,
            PANEL.1 / f64::from(self.range.1 - self.range.0 + 1),
        );
        for row in &self.rows {
            let band = |index: usize| {
                let share = if of_model {
                    rates(self.eval_of(index as f64), row.model)[result]
                } else {
                    let cells = row.cells.get(index)?;
                    let total: f64 = cells.iter().sum();
                    (total > 0.0).then(|| cells[result] / total)?
                };
                Some(LEVELS.iter().filter(|&&level| share >= level).count())
            };
            let (_, y) = area.at(0.0, f64::from(row.value) + 0.5);
            let mut index = 0;
            while index < BINS {
                let begin = index;
                let own = band(begin);
                while index < BINS && band(index) == own {
                    index += 1;
                }
                if let Some(own) = own {
                    let (left, right) =
                        (area.x + begin as f64 * width, area.x + index as f64 * width);
                    // Extend each cell below the ones drawn after it, to the right and above, so
                    // that no seam shows at any size of the page.
                    let (top, right) = (
                        (y - OVERLAP).max(area.y),
                        (right + OVERLAP).min(area.x + PANEL.0),
                    );
                    let (width, height) = (right - left, y + height - top);
                    marks.push(Mark::Rect {
                        x: left,
                        y: top,
                        width,
                        height,
                        color: BANDS[own],
                    });
                }
            }
        }
        self.levels(marks, area, result);
    }

    /// Lines of equal share under the model.
    fn levels(&self, marks: &mut Vec<Mark>, area: Area, result: usize) {
        const STEPS: u32 = 400;
        let (from, to) = area.horizontal;
        let eval =
            |step: u32| (from + (to - from) * f64::from(step) / f64::from(STEPS)) * self.pawn;
        for level in LEVELS {
            let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
            for row in &self.rows {
                let above = |step: u32| rates(eval(step), row.model)[result] - level;
                let mut found = 0;
                for step in 0..STEPS {
                    let (here, next) = (above(step), above(step + 1));
                    if (here < 0.0) == (next < 0.0) {
                        continue;
                    }
                    let part = here / (here - next);
                    let x = (eval(step) + part * (eval(step + 1) - eval(step))) / self.pawn;
                    if lines.len() <= found {
                        lines.push(Vec::new());
                    }
                    lines[found].push(area.at(x, f64::from(row.value)));
                    found += 1;
                }
            }
            for points in lines.into_iter().filter(|points| points.len() > 1) {
                marks.push(Mark::Line {
                    points,
                    color: Color::OVER,
                    width: 1.0,
                    dashed: false,
                });
            }
        }
    }

    /// Returns the evaluation at the centre of a bin, in internal units.
    pub(super) fn eval_of(&self, bin: f64) -> f64 {
        self.eval_max * (2.0 * (bin + 0.5) / BINS as f64 - 1.0)
    }

    fn axes(
        &self,
        marks: &mut Vec<Mark>,
        area: Area,
        title: &str,
        horizontal: &str,
        vertical: &str,
    ) {
        let (x, y) = (area.x, area.y);
        let corners = vec![
            (x, y),
            (x, y + PANEL.1),
            (x + PANEL.0, y + PANEL.1),
            (x + PANEL.0, y),
            (x, y),
        ];
        marks.push(Mark::Line {
            points: corners,
            color: Color::INK,
            width: 1.0,
            dashed: false,
        });
        text(
            marks,
            x + PANEL.0 / 2.0,
            y - 18.0,
            title,
            false,
            Anchor::Middle,
        );
        text(
            marks,
            x + PANEL.0 / 2.0,
            y + PANEL.1 + 42.0,
            horizontal,
            false,
            Anchor::Middle,
        );
        text(
            marks,
            x - 56.0,
            y + PANEL.1 / 2.0,
            vertical,
            false,
            Anchor::Up,
        );
        for tick in ticks(area.horizontal) {
            let (at, _) = area.at(tick, 0.0);
            let points = vec![(at, y + PANEL.1), (at, y + PANEL.1 + 5.0)];
            marks.push(Mark::Line {
                points,
                color: Color::INK,
                width: 1.0,
                dashed: false,
            });
            text(
                marks,
                at,
                y + PANEL.1 + 18.0,
                &label(tick),
                false,
                Anchor::Middle,
            );
        }
        for tick in ticks(area.vertical) {
            let (_, at) = area.at(0.0, tick);
            let points = vec![(x - 5.0, at), (x, at)];
            marks.push(Mark::Line {
                points,
                color: Color::INK,
                width: 1.0,
                dashed: false,
            });
            text(marks, x - 8.0, at, &label(tick), false, Anchor::End);
        }
    }
}

pub(super) fn rates(eval: f64, (a, b): (f64, f64)) -> [f64; 3] {
    let rate = |eval: f64| 1.0 / (1.0 + ((a - eval) / b.max(1e-8)).exp());
    let (win, loss) = (rate(eval), rate(-eval));
    [win, (1.0 - win - loss).max(0.0), loss]
}

fn text(marks: &mut Vec<Mark>, x: f64, y: f64, text: &str, large: bool, anchor: Anchor) {
    marks.push(Mark::Text {
        x,
        y,
        text: text.to_owned(),
        large,
        anchor,
        color: Color::INK,
    });
}

fn grid_lines(marks: &mut Vec<Mark>, area: Area) {
    for tick in ticks(area.horizontal) {
        let (x, _) = area.at(tick, 0.0);
        let points = vec![(x, area.y), (x, area.y + PANEL.1)];
        marks.push(Mark::Line {
            points,
            color: Color::PALE,
            width: 1.0,
            dashed: false,
        });
    }
    for tick in ticks(area.vertical) {
        let (_, y) = area.at(0.0, tick);
        let points = vec![(area.x, y), (area.x + PANEL.0, y)];
        marks.push(Mark::Line {
            points,
            color: Color::PALE,
            width: 1.0,
            dashed: false,
        });
    }
}

/// Returns the legend of the colours as a separate drawing.
pub(super) fn legend_alone() -> (Vec<Mark>, [f64; 4]) {
    let mut marks = Vec::new();
    legend(&mut marks);
    (marks, [f64::from(WIDTH) / 2.0 - 350.0, 44.0, 920.0, 42.0])
}

/// Draws the legend of the colours.
fn legend(marks: &mut Vec<Mark>) {
    let (x, y) = (f64::from(WIDTH) / 2.0 - 280.0, 52.0);
    text(marks, x - 10.0, y + 7.0, "share:", false, Anchor::End);
    for (index, color) in BANDS.into_iter().enumerate() {
        let x = x + 70.0 * index as f64;
        marks.push(Mark::Rect {
            x,
            y,
            width: 70.0,
            height: 14.0,
            color,
        });
        if let Some(level) = LEVELS.get(index) {
            text(
                marks,
                x + 70.0,
                y + 24.0,
                &format!("{:.0}%", 100.0 * level),
                false,
                Anchor::Middle,
            );
        }
    }
    text(
        marks,
        x + 580.0,
        y + 7.0,
        "white lines: the model's levels",
        false,
        Anchor::Start,
    );
}

/// Returns a round step that divides a length into about five to ten parts.
pub(super) fn tick_step(length: f64) -> f64 {
    let unit = 10f64.powf((length / 5.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * unit)
        .find(|step| length / step <= 8.0)
        .unwrap_or(unit)
}

pub(super) fn ticks((from, to): (f64, f64)) -> impl Iterator<Item = f64> {
    let step = tick_step((to - from).max(1e-9));
    let (first, last) = (
        (from / step - 1e-9).ceil() as i64,
        (to / step + 1e-9).floor() as i64,
    );
    (first..=last).map(move |index| index as f64 * step)
}

pub(super) fn label(tick: f64) -> String {
    let text = format!("{tick:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
