//! A plot of a curve with the evaluations of one move.

use centipawn_core::{Context, Curve};

use crate::plot::{Chart, Marker, Plot, PlotForm, ascii};

/// What a [`CurvePlot`] shows. Evaluations are in pawns, White's view; an infinite one stands for a
/// mate. Names are printed in ASCII.
#[derive(Clone, Debug)]
pub struct CurvePlotData {
    /// Title of the plot.
    pub title: String,
    /// The curve.
    pub curve: Curve,
    /// The context at which the curve is drawn.
    pub context: Context,
    /// Evaluations with their names, such as the move that was played and the best one.
    pub evals: Vec<(String, f64)>,
    /// The two evaluations whose difference is shaded; `None` for no shading.
    pub difference: Option<[f64; 2]>,
    /// Evaluations at which symbols of moves begin, with the symbols.
    pub moves: Vec<(String, f64)>,
    /// Evaluations at which symbols of positions begin, with the symbols.
    pub positions: Vec<(String, f64)>,
    /// A text below the plot, in pages only.
    pub report: String,
}

/// A plot of a curve: its expected scores with the places where symbols of moves begin, and the
/// relevance with the area between two evaluations, which is their relevant difference.
///
/// ```
/// use centipawn_calibrate::{CurvePlot, CurvePlotData, PlotForm};
/// use centipawn_core::{Context, Curve};
///
/// let plot = CurvePlot::new(CurvePlotData {
///     title: "The curve".into(),
///     curve: Curve::Relevance { balance: 0.62 },
///     context: Context::default(),
///     evals: vec![("played".into(), -1.0), ("best".into(), 2.0)],
///     difference: Some([-1.0, 2.0]),
///     moves: vec![("?".into(), 0.2)],
///     positions: vec![("+/-".into(), 0.62)],
///     report: String::new(),
/// });
/// let svg = String::from_utf8(plot.draw(PlotForm::Svg)).unwrap();
/// assert!(svg.contains("relevant difference 1.40"));
/// ```
#[derive(Clone, Debug)]
pub struct CurvePlot {
    data: CurvePlotData,
    /// The largest evaluation drawn, in pawns.
    reach: f64,
}

/// Number of steps from the smallest to the largest evaluation.
const STEPS: usize = 480;
const SIZE: [f64; 2] = [470.0, 330.0];
const LEFT: [f64; 2] = [90.0, 670.0];
const TOP: f64 = 100.0;
const CANVAS: (u32, u32) = (1190, 500);

impl CurvePlot {
    /// Prepares the plot. It reaches to the largest evaluation, and at least to three balances.
    pub fn new(data: CurvePlotData) -> Self {
        let evals = data.evals.iter().map(|(_, pawns)| pawns.abs());
        let largest = evals.filter(|pawns| pawns.is_finite()).fold(0.0, f64::max);
        let balance = data.curve.balance(data.context);
        let reach = (1.15 * largest).max(3.0 * balance).clamp(0.05, 1e4);
        Self { data, reach }
    }

    /// Returns the bytes of an SVG, PNG or HTML file. The page shows the numbers under the mouse
    /// pointer, and the report.
    pub fn draw(&self, form: PlotForm) -> Vec<u8> {
        let charts = vec![self.scores(), self.relevances()];
        let title = ascii(&self.data.title, 110);
        let plot = Plot::new(&title, CANVAS, charts);
        match form {
            PlotForm::Html => {
                let places = LEFT.map(|left| [left, TOP, SIZE[0], SIZE[1]]);
                let points: Vec<[f64; 3]> = self
                    .points()
                    .map(|pawns| [pawns, self.score(pawns), self.relevance(pawns)])
                    .collect();
                plot.page(&self.data.title, &places, &points, &self.data.report)
            }
            form => plot.draw(form),
        }
    }

    /// Returns evaluations at equal distances over the whole range.
    fn points(&self) -> impl Iterator<Item = f64> {
        let reach = self.reach;
        (0..=STEPS).map(move |step| reach * (2.0 * step as f64 / STEPS as f64 - 1.0))
    }

    fn score(&self, pawns: f64) -> f64 {
        self.data.curve.at(pawns, self.data.context)
    }

    fn relevance(&self, pawns: f64) -> f64 {
        self.data.curve.relevance(pawns, self.data.context)
    }

    /// Returns an evaluation within the range. A mate is drawn at its edge.
    fn shown(&self, pawns: f64) -> f64 {
        pawns.clamp(-self.reach, self.reach)
    }

    /// The expected score by evaluation, with the given evaluations, and vertical lines where
    /// symbols of moves begin.
    fn scores(&self) -> Chart {
        let mut chart = Chart::new(
            "",
            ("evaluation (pawns)", (-self.reach, self.reach)),
            ("expected score of White", (0.0, 1.0)),
            [LEFT[0], TOP, SIZE[0], SIZE[1]],
        );
        self.limits(&mut chart, &self.data.moves, 1.0);
        if let Some([from, to]) = self.data.difference {
            // A band from one expected score to the other is what the move changed.
            let [low, high] = [from, to].map(|pawns| self.score(pawns));
            let band = |score| [(-self.reach, score), (self.reach, score)];
            chart.shade(&band(low), &band(high), Marker::Loss);
        }
        chart.line(
            self.points().map(|pawns| (pawns, self.score(pawns))),
            Marker::Data,
        );
        for (name, pawns) in &self.data.evals {
            let (at, score) = (self.shown(*pawns), self.score(*pawns));
            chart.dot(at, score, 5.0, Marker::Model);
            // Write beside the dot, on the side with more room.
            let shift = if at > 0.4 * self.reach { -0.42 } else { 0.04 };
            chart.note(
                at + shift * self.reach,
                (score + 0.045).min(0.97),
                &format!("{} {score:.3}", ascii(name, 12)),
            );
        }
        chart.legend("expected score", Marker::Data);
        chart.legend("begin of a move's symbol", Marker::Ideal);
        chart
    }

    /// The relevance by evaluation, with the area between the two evaluations, and vertical lines
    /// where symbols of positions begin.
    fn relevances(&self) -> Chart {
        let (curve, context) = (&self.data.curve, self.data.context);
        // A stretched curve can be very steep at one place, which must not flatten the rest.
        let highest = self.points().map(|pawns| self.relevance(pawns));
        let highest = highest.fold(0.0, f64::max).clamp(1.0, 3.0) * 1.1;
        let mut chart = Chart::new(
            "",
            ("evaluation (pawns)", (-self.reach, self.reach)),
            ("relevance", (0.0, highest)),
            [LEFT[1], TOP, SIZE[0], SIZE[1]],
        );
        self.limits(&mut chart, &self.data.positions, highest);
        let point = |pawns: f64| (pawns, self.relevance(pawns).min(highest));
        if let Some([from, to]) = self.data.difference {
            let (low, high) = (self.shown(from.min(to)), self.shown(from.max(to)));
            let between = self.points().filter(|pawns| (low..=high).contains(pawns));
            let inside: Vec<f64> = [low].into_iter().chain(between).chain([high]).collect();
            let upper: Vec<_> = inside.iter().copied().map(point).collect();
            let lower: Vec<_> = inside.iter().map(|&pawns| (pawns, 0.0)).collect();
            chart.shade(&lower, &upper, Marker::Loss);
            let scores = [from, to].map(|pawns| self.score(pawns));
            let area = curve.total(context) * (scores[1] - scores[0]).abs();
            chart.legend(&format!("relevant difference {area:.2}"), Marker::Loss);
        }
        chart.line(self.points().map(point), Marker::Data);
        for (_, pawns) in &self.data.evals {
            let (at, relevance) = point(self.shown(*pawns));
            chart.dot(at, relevance, 5.0, Marker::Model);
        }
        chart.legend("begin of a position's symbol", Marker::Ideal);
        chart
    }

    /// Draws where symbols begin. Names of limits that are close together are written below each
    /// other.
    fn limits(&self, chart: &mut Chart, limits: &[(String, f64)], top: f64) {
        let mut limits: Vec<_> = limits
            .iter()
            .filter(|(_, pawns)| pawns.abs() <= self.reach)
            .collect();
        limits.sort_by(|one, other| one.1.total_cmp(&other.1));
        let (mut row, mut last) = (0, f64::NEG_INFINITY);
        for (name, pawns) in limits {
            chart.line([(*pawns, 0.0), (*pawns, top)], Marker::Ideal);
            row = if pawns - last < 0.12 * self.reach {
                (row + 1) % 5
            } else {
                0
            };
            last = *pawns;
            let height = top * (0.97 - 0.055 * f64::from(row));
            chart.note(*pawns + 0.01 * self.reach, height, &ascii(name, 6));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(curve: Curve, played: f64, best: f64) -> CurvePlot {
        CurvePlot::new(CurvePlotData {
            title: "A <curve>".into(),
            curve,
            context: Context::default(),
            evals: vec![("played".into(), played), ("best".into(), best)],
            difference: Some([played, best]),
            moves: vec![("?!".into(), best - 0.1), ("?".into(), best - 0.2)],
            positions: vec![("+/-".into(), 0.62)],
            report: "report & numbers\n".into(),
        })
    }

    #[test]
    fn every_form_is_drawn_for_every_curve() {
        for name in [
            "relevance",
            "relevance-stretched:0.6,0.3",
            "stockfish",
            "human",
            "lichess",
        ] {
            let curve = Curve::by_name(name, 0.62).unwrap();
            for (played, best) in [
                (-1.0, 2.0),
                (0.0, 0.0),
                (f64::NEG_INFINITY, 0.3),
                (900.0, -3.0),
            ] {
                let plot = plot(curve, played, best);
                let svg = String::from_utf8(plot.draw(PlotForm::Svg)).unwrap();
                assert!(
                    !svg.contains("NaN") && !svg.contains("inf"),
                    "{name} {played}"
                );
                assert!(svg.contains("<polygon") && svg.contains("A &lt;curve>"));
                assert!(plot.draw(PlotForm::Png).starts_with(b"\x89PNG"));
                let page = String::from_utf8(plot.draw(PlotForm::Html)).unwrap();
                assert!(page.contains("report &amp; numbers") && page.contains("<svg"));
                assert!(
                    !page.contains("NaN") && !page.contains("null"),
                    "{name} {played}"
                );
            }
        }
    }

    /// The shaded polygon under the relevance has the area that the form calls the relevant
    /// difference.
    #[test]
    fn the_shaded_area_is_the_relevant_difference() {
        let plot = plot(Curve::Relevance { balance: 0.62 }, -1.0, 2.0);
        let svg = String::from_utf8(plot.draw(PlotForm::Svg)).unwrap();
        let polygon = svg.split("<polygon points=\"").nth(2).unwrap();
        let corners: Vec<(f64, f64)> = polygon
            .split('"')
            .next()
            .unwrap()
            .split(' ')
            .map(|corner| corner.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        let next = corners.iter().cycle().skip(1);
        let twice: f64 = corners
            .iter()
            .zip(next)
            .map(|(a, b)| a.0 * b.1 - b.0 * a.1)
            .sum();
        let per_pawn = SIZE[0] / (2.0 * plot.reach);
        let area = twice.abs() / 2.0 / per_pawn / (SIZE[1] / 1.1);
        assert!((area - 1.40089).abs() < 0.01, "{area}");
    }
}
