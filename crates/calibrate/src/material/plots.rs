//! Plots of values and scores.

use centipawn_progress::text::thousands;

use super::{BalancePoint, Feature, Fit, HeldOut, ScoreByBalance};
use crate::{
    TWO_SIDED,
    plot::{Chart, Marker, Plot, PlotForm, ending},
};

/// A plot of piece values or scores.
#[derive(Clone, Debug)]
pub struct MaterialPlot(Plot);

const SIZE: (u32, u32) = (900, 620);
const AREA: [f64; 4] = [90.0, 70.0, 770.0, 470.0];

/// Balances with fewer rows are cut off at both ends of the axis.
const LEAST_ROWS: u64 = 5;

impl MaterialPlot {
    /// Returns the mean score by balance, with 95 % intervals and the logistic curve.
    pub fn score(balance: &ScoreByBalance) -> Self {
        let points = drawn(balance);
        let range = range(points);
        let mut chart = Chart::new(
            "",
            ("White's men less Black's (1-3-3-5-9)", range),
            ("White's score", (0.0, 1.0)),
            AREA,
        );
        let alpha = balance.alpha;
        let steps = (0..=240).map(|step| range.0 + (range.1 - range.0) * f64::from(step) / 240.0);
        chart.line(
            steps.map(|x| (x, 1.0 / (1.0 + (-alpha * x).exp()))),
            Marker::Model,
        );
        for point in points {
            let (x, (low, high)) = (f64::from(point.balance), point.interval());
            chart.line([(x, low), (x, high)], Marker::Data);
            chart.dot(x, point.score, 4.0, Marker::Data);
        }
        chart.legend("mean score, 95 % interval", Marker::Data);
        chart.legend(
            &format!(
                "1/(1 + e^(-a x)), a = {alpha:.3} +- {:.3}",
                balance.alpha_error
            ),
            Marker::Model,
        );
        Self(Plot::new(
            &format!("Score against balance: {} rows", thousands(rows(balance))),
            SIZE,
            vec![chart],
        ))
    }

    /// Shares of wins, draws and losses by balance, stacked.
    pub fn results(balance: &ScoreByBalance) -> Self {
        let points = drawn(balance);
        let mut chart = Chart::new(
            "",
            ("White's men less Black's (1-3-3-5-9)", range(points)),
            ("share of rows", (0.0, 1.0)),
            AREA,
        );
        for point in points {
            let x = f64::from(point.balance);
            let mut from = 0.0;
            for (count, marker) in
                point
                    .counts
                    .iter()
                    .rev()
                    .zip([Marker::Win, Marker::Draw, Marker::Loss])
            {
                let share = *count as f64 / point.rows() as f64;
                if share > 0.0 {
                    chart.bar((x - 0.45, from), (x + 0.45, from + share), marker);
                }
                from += share;
            }
        }
        for (name, marker) in [
            ("White won", Marker::Win),
            ("drawn", Marker::Draw),
            ("Black won", Marker::Loss),
        ] {
            chart.legend(name, marker);
        }
        Self(Plot::new(
            &format!("Results by balance: {} rows", thousands(rows(balance))),
            SIZE,
            vec![chart],
        ))
    }

    /// Values with their 95 % intervals on one axis: one piece below the other, and within a piece
    /// one collection below the other. Collections without values in pawns are left out.
    pub fn values(collections: &[(&str, &Fit)]) -> Self {
        const WIDTH: f64 = 620.0;
        const ROW: f64 = 24.0;
        let valued: Vec<_> = collections
            .iter()
            .filter_map(|(name, fit)| Some((*name, fit.values().ok()?)))
            .collect();
        let mut features: Vec<Feature> = Vec::new();
        for value in valued.iter().flat_map(|(_, values)| values) {
            if value.feature != Feature::Piece(0) && !features.contains(&value.feature) {
                features.push(value.feature);
            }
        }
        let (mut names, mut rows) = (Vec::new(), Vec::new());
        for feature in features {
            // Separate pieces by an empty row if each has several rows.
            if !rows.is_empty() && valued.len() > 1 {
                names.push(String::new());
                rows.push(None);
            }
            for (index, (_, values)) in valued.iter().enumerate() {
                names.push(if index == 0 {
                    match feature {
                        Feature::Own(name) => name.as_str().to_owned(),
                        _ => feature.name().replace('-', " "),
                    }
                } else {
                    String::new()
                });
                rows.push(
                    values
                        .iter()
                        .find(|value| value.feature == feature)
                        .map(|value| (index, *value)),
                );
            }
        }
        let known = || rows.iter().flatten().map(|(_, value)| value);
        let low = known()
            .map(|value| value.interval.0.min(value.value))
            .fold(0.0, f64::min);
        let high = known()
            .map(|value| value.interval.1.max(value.value))
            .fold(100.0, f64::max);
        let range = (1.04 * low, 1.04 * high);
        let left = 60.0 + 8.6 * names.iter().map(String::len).max().unwrap_or(0) as f64;
        let height = ROW * names.len().max(1) as f64;
        let place = [left, 90.0, WIDTH, height];
        let mut chart =
            Chart::new("", ("pawn = 100", range), ("", (0.0, 1.0)), place).with_rows(names);
        chart.line([(100.0, 0.0), (100.0, rows.len() as f64)], Marker::Ideal);
        let edge = range.1 + 0.02 * (range.1 - range.0);
        for (row, (index, value)) in rows
            .iter()
            .enumerate()
            .filter_map(|(row, known)| Some((row, known.as_ref()?)))
        {
            let (y, marker, (from, to)) = (row as f64 + 0.5, Marker::Nth(*index), value.interval);
            chart.line([(from, y), (to, y)], marker);
            chart.dot(value.value, y, 5.0, marker);
            chart.note(
                edge,
                y,
                &format!("{:.0} ({from:.0} to {to:.0})", value.value),
            );
        }
        if valued.len() > 1 {
            valued
                .iter()
                .enumerate()
                .for_each(|(index, (name, _))| chart.legend(&ending(name, 22), Marker::Nth(index)));
        }
        let size = ((left + WIDTH + 240.0) as u32, (height + 160.0) as u32);
        Self(Plot::new("Values with 95 % intervals", size, vec![chart]))
    }

    /// Returns predicted and actual scores of held-out games.
    pub fn calibration(held_out: &HeldOut) -> Self {
        let mut chart = Chart::new(
            "",
            ("expected score", (0.0, 1.0)),
            ("White's score", (0.0, 1.0)),
            AREA,
        );
        chart.line([(0.0, 0.0), (1.0, 1.0)], Marker::Ideal);
        for bin in &held_out.calibration {
            let reach = TWO_SIDED * bin.error;
            let (low, high) = ((bin.score - reach).max(0.0), (bin.score + reach).min(1.0));
            chart.line([(bin.expected, low), (bin.expected, high)], Marker::Data);
            chart.dot(bin.expected, bin.score, 4.0, Marker::Data);
        }
        chart.legend("mean score, 95 % interval", Marker::Data);
        chart.legend("as expected", Marker::Ideal);
        chart.note(0.6, 0.06, &format!("log loss {:.5}", held_out.held_out));
        let title = format!(
            "Games held out ({} folds): expected and actual score",
            held_out.folds
        );
        Self(Plot::new(&title, SIZE, vec![chart]))
    }

    /// Returns the bytes of an SVG or PNG file.
    pub fn draw(&self, form: PlotForm) -> Vec<u8> {
        self.0.draw(form)
    }
}

/// Returns the balances between the first and the last one with enough rows.
fn drawn(balance: &ScoreByBalance) -> &[BalancePoint] {
    let points = &balance.points;
    let enough = |point: &BalancePoint| point.rows() >= LEAST_ROWS;
    let first = points.iter().position(enough).unwrap_or(0);
    let last = points
        .iter()
        .rposition(enough)
        .unwrap_or(points.len().saturating_sub(1));
    points.get(first..=last).unwrap_or(points)
}

fn range(points: &[BalancePoint]) -> (f64, f64) {
    let widest = points
        .iter()
        .map(|point| point.balance.abs())
        .max()
        .unwrap_or(1);
    (-f64::from(widest) - 0.5, f64::from(widest) + 0.5)
}

fn rows(balance: &ScoreByBalance) -> u64 {
    balance.points.iter().map(BalancePoint::rows).sum()
}
