//! Plots of matches.

use super::{MatchDocument, MatchPairing};
use crate::plot::{Chart, Marker, Plot, PlotForm, ascii};

/// A plot of ratings with their standard errors. For two players, it also shows pairs by points and
/// expected scores of opening pairs.
#[derive(Clone, Debug)]
pub struct MatchPlot(Plot);

/// Largest number of players in one plot.
const PLAYERS: usize = 40;
const WIDTH: f64 = 620.0;
const LEFT: f64 = 250.0;

impl MatchPlot {
    /// Draws the players with a rating, at most 40. For two players, also draws their games by
    /// result, or their pairs by points.
    pub fn new(document: &MatchDocument) -> Self {
        let mut charts = Vec::new();
        let mut top = 90.0;
        let rated: Vec<(&str, f64, f64)> = document
            .players
            .iter()
            .filter_map(|player| {
                Some((
                    player.name.as_str(),
                    player.rating?,
                    player.error.unwrap_or(0.0),
                ))
            })
            .take(PLAYERS)
            .collect();
        if !rated.is_empty() {
            let height = 30.0 * rated.len() as f64;
            charts.push(ratings(&rated, [LEFT, top, WIDTH, height]));
            top += height + 110.0;
        }
        if let Some(pairing) = document.single() {
            charts.push(results(pairing, [LEFT, top, WIDTH, 220.0]));
            top += 220.0 + 70.0;
        }
        Self(Plot::new("The match", (960, top.max(160.0) as u32), charts))
    }

    /// Returns the bytes of an SVG or PNG file.
    pub fn draw(&self, form: PlotForm) -> Vec<u8> {
        self.0.draw(form)
    }
}

fn ratings(rated: &[(&str, f64, f64)], place: [f64; 4]) -> Chart {
    let least = rated
        .iter()
        .map(|(_, rating, error)| rating - error)
        .fold(f64::INFINITY, f64::min);
    let most = rated
        .iter()
        .map(|(_, rating, error)| rating + error)
        .fold(f64::NEG_INFINITY, f64::max);
    let margin = 0.05 * (most - least).max(10.0);
    let names = rated.iter().map(|(name, ..)| ascii(name, 28)).collect();
    let horizontal = ("Elo, with 95 % intervals", (least - margin, most + margin));
    let mut chart = Chart::new("", horizontal, ("", (0.0, 1.0)), place).with_rows(names);
    for (index, (_, rating, error)) in rated.iter().enumerate() {
        let row = index as f64 + 0.5;
        chart.line([(rating - error, row), (rating + error, row)], Marker::Data);
        chart.dot(*rating, row, 4.0, Marker::Data);
    }
    chart
}

fn results(pairing: &MatchPairing, place: [f64; 4]) -> Chart {
    let (title, names, counts): (_, &[&str], Vec<u64>) = match pairing.pentanomial {
        Some(counts) => (
            "pairs by points of ",
            &["0", "1/2", "1", "1 1/2", "2"],
            counts.to_vec(),
        ),
        None => (
            "games of ",
            &["lost", "drawn", "won"],
            vec![pairing.losses, pairing.draws, pairing.wins],
        ),
    };
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let title = format!("{title}{}", ascii(&pairing.first, 28));
    let mut chart = Chart::new(
        &title,
        ("number", (0.0, 1.12 * most)),
        ("", (0.0, 1.0)),
        place,
    )
    .with_rows(names.iter().map(|name| (*name).to_owned()).collect());
    let middle = counts.len() / 2;
    for (index, &count) in counts.iter().enumerate() {
        let marker = match index.cmp(&middle) {
            std::cmp::Ordering::Less => Marker::Loss,
            std::cmp::Ordering::Equal => Marker::Draw,
            std::cmp::Ordering::Greater => Marker::Win,
        };
        let row = index as f64;
        chart.bar((0.0, row + 0.85), (count as f64, row + 0.15), marker);
        chart.note(count as f64 + 0.01 * most, row + 0.5, &count.to_string());
    }
    chart
}
