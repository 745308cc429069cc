//! Plots of balances.

use super::{BalanceEstimate, Highest};
use crate::plot::{Chart, Marker, Plot, PlotForm, ascii};

/// A plot of balance estimates. For each one it shows the ranked games behind the counting
/// estimate, and scores by evaluation with the fitted curve.
#[derive(Clone, Debug)]
pub struct BalancePlot(Plot);

/// Largest number of estimates in one plot.
const ROWS: usize = 12;
const WIDTH: f64 = 430.0;
const HEIGHT: f64 = 300.0;
const LEFT: [f64; 2] = [90.0, 620.0];

impl BalancePlot {
    /// Draws the first dozen groups that have an estimate, counted or fitted. Ranked games appear
    /// only if the estimates have their [`list`](BalanceEstimate::list).
    pub fn new(rows: &[BalanceEstimate]) -> Self {
        let drawn: Vec<&BalanceEstimate> = rows
            .iter()
            .filter(|row| row.balance.is_some() || row.fitted.is_some())
            .take(ROWS)
            .collect();
        let mut charts = Vec::new();
        for (index, row) in drawn.iter().enumerate() {
            let top = 100.0 + index as f64 * (HEIGHT + 130.0);
            charts.push(ranked(row, [LEFT[0], top, WIDTH, HEIGHT]));
            charts.extend(calibration(row, [LEFT[1], top, WIDTH, HEIGHT]));
        }
        let height = 50.0 + drawn.len().max(1) as f64 * (HEIGHT + 130.0);
        Self(Plot::new(
            "The win-draw balance",
            (1100, height as u32),
            charts,
        ))
    }

    /// Returns the bytes of an SVG or PNG file.
    pub fn draw(&self, form: PlotForm) -> Vec<u8> {
        self.0.draw(form)
    }
}

/// Returns the games not won, ranked by highest evaluation. The nth is marked, where n is the
/// number of wins.
fn ranked(row: &BalanceEstimate, place: [f64; 4]) -> Chart {
    let pawns: Vec<f64> = row.list.iter().map(|game| finite(game.highest)).collect();
    let name = [&row.key.event, &row.key.engine]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    let most = pawns.first().copied().unwrap_or(1.0).max(0.5);
    let least = pawns.last().copied().unwrap_or(0.0).min(0.0);
    let horizontal = (
        "games not won, by highest own evaluation",
        (0.0, pawns.len().max(1) as f64 + 1.0),
    );
    let mut chart = Chart::new(
        &ascii(&name, 52),
        horizontal,
        ("pawns", (least - 0.1, most * 1.08)),
        place,
    );
    if let Some(balance) = row.balance.map(finite) {
        let wins = row.wins as f64;
        chart.line(
            [(wins, least - 0.1), (wins, balance), (0.0, balance)],
            Marker::Ideal,
        );
        chart.note(
            wins + 2.0,
            balance + 0.06 * most,
            &format!("{} wins: balance {balance:.2}", row.wins),
        );
    }
    for (rank, &pawns) in pawns.iter().enumerate() {
        chart.dot(rank as f64 + 1.0, pawns, 2.5, Marker::Data);
    }
    chart
}

/// Returns the mean score by evaluation, with the fitted curve.
fn calibration(row: &BalanceEstimate, place: [f64; 4]) -> Option<Chart> {
    let fitted = row.fitted.as_ref()?;
    let horizontal = ("evaluation of the better side, in balances", (0.0, 4.0));
    let mut chart = Chart::new("", horizontal, ("score", (0.5, 1.0)), place);
    let curve = (0..=160)
        .map(|step| f64::from(step) / 40.0)
        .map(|z| (z, 1.0 - 0.5 * (-z).exp2()));
    chart.line(curve, Marker::Model);
    // The curve is fitted to all positions, so the area of a dot shows the number of positions that
    // it stands for.
    let most = fitted
        .calibration
        .iter()
        .map(|bin| bin.positions)
        .max()
        .unwrap_or(1) as f64;
    for bin in fitted.calibration.iter().filter(|bin| bin.mean <= 4.0) {
        let radius = (9.0 * (bin.positions as f64 / most).sqrt()).max(1.5);
        // The axis begins at a score of a half, so a lower score is drawn at its edge.
        chart.dot(bin.mean, bin.score.max(0.5), radius, Marker::Data);
    }
    chart.legend("mean score (area: positions)", Marker::Data);
    chart.legend(&format!("curve, a = {:.2}", fitted.balance), Marker::Model);
    Some(chart)
}

/// Returns the evaluation in pawns for drawing. A mate is placed above everything else.
fn finite(highest: Highest) -> f64 {
    highest.pawns().clamp(-10.0, 20.0)
}

#[cfg(test)]
mod tests {
    use centipawn_core::Eval;
    use centipawn_pgn::Reader;
    use centipawn_progress::{Cancel, Silent};

    use super::*;
    use crate::balance::{BalanceOptions, Bootstrap, Matches};

    /// Two wins and one other game have no counting estimate, but a fitted one.
    #[test]
    fn a_fitted_estimate_is_drawn_without_a_counted_one() {
        let mut matches = Matches::default();
        let game = |result: &str| {
            format!(
                "[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n1. e4 e5 2. d4 {result}\n\n"
            )
        };
        let games = [game("1-0"), game("1-0"), game("1/2-1/2")].concat();
        for game in Reader::new(games.as_bytes()).map(|game| game.unwrap().unwrap()) {
            matches.add_evaluated(
                &game,
                &[(0, Eval::cp(60)), (2, Eval::cp(90))],
                0,
                &BalanceOptions::default(),
            );
        }
        matches.finish(&BalanceOptions::default());
        let rows = matches
            .rows(
                Bootstrap {
                    resamples: 0,
                    seed: 0,
                },
                &Cancel::new(),
                &Silent,
            )
            .unwrap();
        assert!(
            rows.iter().all(|row| row.balance.is_none())
                && rows.iter().any(|row| row.fitted.is_some()),
            "{rows:?}"
        );
        let drawn = String::from_utf8(BalancePlot::new(&rows).draw(PlotForm::Svg)).unwrap();
        assert!(drawn.contains("curve, a ="), "{drawn}");
    }
}
