//! Plots of people's curves.

use centipawn_core::{HumanCurve, HumanModel, Pool, Wdl};

use super::{ClassFit, HumanReport, TimeClass, clock_worth::minute};
use crate::{
    TWO_SIDED,
    plot::{Chart, Marker, Plot, PlotForm},
};

/// A plot of a model of people's games: the steepness by rating for each time class, the expected
/// score by evaluation for four ratings, and the shares of wins, draws and losses.
#[derive(Clone, Debug)]
pub struct HumanPlot(Plot);

const SIZE: (u32, u32) = (1180, 1010);
/// Size of a plot that also has the charts of the clocks.
const TALL: (u32, u32) = (1180, 1470);
const CLOCKS: f64 = 1020.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 680.0;
const TOP: f64 = 100.0;
const BOTTOM: f64 = 560.0;
const AREA: (f64, f64) = (460.0, 340.0);
/// Largest evaluation drawn, in pawns.
const FAR: f64 = 6.0;
const RATINGS: [f64; 4] = [1200.0, 1600.0, 2000.0, 2400.0];
/// Time controls drawn: seconds for each player (base + 40·increment), and the label.
const TIMES: [(f64, &str); 2] = [(260.0, "3 min + 2 s"), (6600.0, "90 min + 30 s")];

impl HumanPlot {
    /// Draws a report.
    pub fn new(report: &HumanReport) -> Self {
        let model = &report.model;
        let mut charts = vec![
            steepness(report, [LEFT, TOP, AREA.0, AREA.1]),
            scores(model, TIMES[0], [RIGHT, TOP, AREA.0, AREA.1]),
            results(model, (1500.0, TIMES[0]), [LEFT, BOTTOM, AREA.0, AREA.1]),
            results(model, (2400.0, TIMES[1]), [RIGHT, BOTTOM, AREA.0, AREA.1]),
        ];
        if model.clocks.is_some() {
            charts.push(minutes(model, 180.0, [LEFT, CLOCKS, AREA.0, AREA.1]));
            charts.push(minutes(model, 600.0, [RIGHT, CLOCKS, AREA.0, AREA.1]));
        }
        let size = if model.clocks.is_some() { TALL } else { SIZE };
        Self(Plot::new(
            "What an evaluation is worth between people",
            size,
            charts,
        ))
    }

    /// The bytes of an SVG or PNG file.
    pub fn draw(&self, form: PlotForm) -> Vec<u8> {
        self.0.draw(form)
    }
}

/// `k` by rating. Dots with 95 % intervals are separate fits of single classes; lines are the
/// model.
fn steepness(report: &HumanReport, place: [f64; 4]) -> Chart {
    let drawn: Vec<&ClassFit> = report
        .classes
        .iter()
        .filter(|own| own.fit.error.is_some())
        .collect();
    let known = drawn
        .iter()
        .map(|own| own.fit.steepness.unwrap_or(0.0).max(own.model_steepness));
    let highest = known.fold(0.4, f64::max) * 1.25;
    let ends =
        |fold: fn(f64, f64) -> f64, from| drawn.iter().map(|own| own.rating).fold(from, fold);
    let (low, high) = (
        ends(f64::min, 1800.0) - 100.0,
        ends(f64::max, 1800.0) + 100.0,
    );
    let mut chart = Chart::new(
        "",
        ("mean rating", (low, high)),
        ("k per pawn", (0.0, highest)),
        place,
    );
    for (index, time) in TimeClass::ALL.into_iter().enumerate() {
        let own: Vec<&&ClassFit> = drawn.iter().filter(|own| own.class.time == time).collect();
        let (Some(first), Some(last)) = (own.first(), own.last()) else {
            continue;
        };
        let seconds =
            (own.iter().map(|own| own.seconds.ln()).sum::<f64>() / own.len() as f64).exp();
        let marker = Marker::Nth(index);
        let (from, to) = (first.rating - 60.0, last.rating + 60.0);
        let line = (0..=40).map(|step| from + (to - from) * f64::from(step) / 40.0);
        chart.line(
            line.map(|rating| (rating, report.model.steepness(rating, seconds).min(highest))),
            marker,
        );
        for own in own {
            let (value, error) = (
                own.fit.steepness.unwrap_or(0.0),
                own.fit.error.unwrap_or(0.0),
            );
            let end = |value: f64| (own.rating, value.clamp(0.0, highest));
            chart.line(
                [
                    end(value - TWO_SIDED * error),
                    end(value + TWO_SIDED * error),
                ],
                marker,
            );
            chart.dot(own.rating, value.clamp(0.0, highest), 4.0, marker);
        }
        chart.legend(time.name(), marker);
    }
    chart
}

/// The expected score by evaluation for four ratings.
fn scores(model: &HumanModel, (seconds, time): (f64, &str), place: [f64; 4]) -> Chart {
    let horizontal = (&*format!("evaluation (pawns), {time}"), (-FAR, FAR));
    let mut chart = Chart::new("", horizontal, ("expected score", (0.0, 1.0)), place);
    for (index, rating) in RATINGS.into_iter().enumerate() {
        let marker = Marker::Nth(index);
        chart.line(
            evals().map(|pawns| (pawns, model.expected_score(pawns, rating, seconds, 0.0))),
            marker,
        );
        chart.legend(&format!("rated {rating:.0}"), marker);
    }
    chart
}

/// Shares of wins, draws and losses by evaluation; only the expected score if the model has no
/// draws.
fn results(
    model: &HumanModel,
    (rating, (seconds, time)): (f64, (f64, &str)),
    place: [f64; 4],
) -> Chart {
    let horizontal = (
        &*format!("evaluation (pawns), rating {rating:.0}, {time}"),
        (-FAR, FAR),
    );
    let mut chart = Chart::new("", horizontal, ("share of games", (0.0, 1.0)), place);
    let curve = HumanCurve {
        rating,
        seconds,
        pool: Pool::Unknown,
        units: 1.0,
        model: *model,
    };
    let bands: Option<Vec<_>> = evals()
        .map(|pawns| Some((pawns, curve.wdl(curve.at(pawns))?)))
        .collect();
    let Some(bands) = bands else {
        chart.line(
            evals().map(|pawns| (pawns, model.expected_score(pawns, rating, seconds, 0.0))),
            Marker::Model,
        );
        chart.legend("expected score", Marker::Model);
        return chart;
    };
    // Stacked from the bottom: won, drawn, lost.
    let heights: [&dyn Fn(&Wdl) -> f64; 4] =
        [&|_| 0.0, &|wdl| wdl.win, &|wdl| wdl.win + wdl.draw, &|_| {
            1.0
        }];
    let lines = heights.map(|height| {
        bands
            .iter()
            .map(|(pawns, wdl)| (*pawns, height(wdl)))
            .collect::<Vec<_>>()
    });
    for (lines, marker) in lines
        .windows(2)
        .zip([Marker::Win, Marker::Draw, Marker::Loss])
    {
        chart.area(&lines[0], &lines[1], marker);
    }
    for (name, marker) in [
        ("won", Marker::Win),
        ("drawn", Marker::Draw),
        ("lost", Marker::Loss),
    ] {
        chart.legend(name, marker);
    }
    chart
}

/// The value of a minute more than the opponent, by the opponent's clock, for four ratings.
fn minutes(model: &HumanModel, seconds: f64, place: [f64; 4]) -> Chart {
    let longest = seconds - 60.0;
    let clocks = || (1..=60).map(move |step| longest * f64::from(step) / 60.0);
    // The value is below 0 if players with more time score worse.
    let end = minute(model, RATINGS[0], seconds, longest / 12.0);
    let (lowest, highest) = (end.min(0.0), end.max(0.0));
    let horizontal = (
        &*format!(
            "the opponent's clock (s), games of {:.0} min",
            seconds / 60.0
        ),
        (0.0, longest),
    );
    let mut chart = Chart::new(
        "",
        horizontal,
        ("a minute more, in pawns", (lowest, highest)),
        place,
    );
    for (index, rating) in RATINGS.into_iter().enumerate() {
        let marker = Marker::Nth(index);
        chart.line(
            clocks().map(|clock| {
                (
                    clock,
                    minute(model, rating, seconds, clock).clamp(lowest, highest),
                )
            }),
            marker,
        );
        chart.legend(&format!("rated {rating:.0}"), marker);
    }
    chart
}

const STEPS: f64 = 120.0;

fn evals() -> impl Iterator<Item = f64> {
    (0..=STEPS as u32).map(|step| FAR * (2.0 * f64::from(step) / STEPS - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a negative effect of the clocks, the axis must still be in ascending order.
    #[test]
    fn a_negative_value_of_a_minute_is_drawn() {
        let drawn = |c: f64| {
            let model = HumanModel {
                clocks: Some([c, 0.5]),
                ..HumanModel::default()
            };
            let chart = minutes(&model, 180.0, [0.0, 0.0, 460.0, 340.0]);
            String::from_utf8(Plot::new("", SIZE, vec![chart]).draw(PlotForm::Svg)).unwrap()
        };
        let labels =
            |drawn: &str| drawn.matches(">2</text>").count() + drawn.matches(">-2</text>").count();
        assert!(labels(&drawn(1.0)) > 0, "{}", drawn(1.0));
        assert_eq!(labels(&drawn(1.0)), labels(&drawn(-1.0)), "{}", drawn(-1.0));
    }
}
