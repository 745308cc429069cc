//! Plots of several models.

use super::{By, Candidate, CommonGames, parameters, range, target};
use crate::{
    PlotForm,
    plot::{Chart, Marker, Plot, ending},
    wdl::{Grid, Selection, rates::rates},
};

/// A plot of the parameters and the rates of several models.
#[derive(Clone, Debug)]
pub struct ComparisonPlot(Plot);

const SIZE: (u32, u32) = (1360, 640);
const WIDTH: f64 = 540.0;
const HEIGHT: f64 = 440.0;

impl ComparisonPlot {
    /// Draws the models: `a` and `b` by material or move, for the models with the first one's
    /// argument, and the shares of wins and draws at its target. With games, also their observed
    /// shares.
    pub fn new(candidates: &[Candidate], games: Option<&CommonGames<'_>>) -> Self {
        let Some(first) = candidates.first() else {
            return Self(Plot::new("", SIZE, Vec::new()));
        };
        let by = first.by();
        let alike: Vec<&Candidate> = candidates
            .iter()
            .filter(|candidate| candidate.by() == by)
            .collect();
        let argument = if by == By::Move { "move" } else { "material" };
        let target = target(&first.model).round();
        let (low, high) = range(&first.model);
        let range = (f64::from(low).max(1.0), f64::from(high).min(200.0));
        let steps = |from: f64, to: f64| {
            (0..=200).map(move |step| from + (to - from) * f64::from(step) / 200.0)
        };
        let at = |candidate: &Candidate, value: f64| parameters(&candidate.model, by, value, 32.0);
        let all = alike.iter().flat_map(|own| {
            steps(range.0, range.1).map(|value| at(own, value).0.max(at(own, value).1))
        });
        let highest = 1.1 * all.filter(|value| value.is_finite()).fold(1.0, f64::max);
        let units = if first.is_in_centipawns() {
            "centipawns"
        } else {
            "internal units"
        };
        let mut left = Chart::new(
            "",
            (argument, range),
            (
                &format!("a (won half the time) and b (width), {units}"),
                (0.0, highest),
            ),
            [90.0, 110.0, WIDTH, HEIGHT],
        );
        let pawn = games.map_or(first.numbers()[0], |games| {
            f64::from(games.selection.units.pawn())
        });
        let widest = 3.0;
        let title = format!("share won, drawn and lost at {argument} {target}");
        let place = [130.0 + WIDTH + 60.0, 110.0, WIDTH, HEIGHT];
        let mut right = Chart::new(
            "",
            ("evaluation (pawns)", (-widest, widest)),
            (&title, (0.0, 1.0)),
            place,
        );
        if let Some(games) = games {
            let grid = Grid::new(
                games.counts,
                &Selection {
                    by,
                    ..games.selection
                },
            );
            for row in grid
                .rows
                .iter()
                .filter(|row| f64::from(row.value) == target)
            {
                for (eval, shares) in binned(&row.evals, &row.counts, pawn, widest) {
                    shares
                        .into_iter()
                        .for_each(|share| right.dot(eval, share, 2.5, Marker::Ideal));
                }
            }
            right.legend("games", Marker::Ideal);
        }
        for (index, candidate) in alike.iter().enumerate() {
            let marker = Marker::Nth(index);
            for part in [0, 1] {
                let of = |value: f64| {
                    if part == 0 {
                        at(candidate, value).0
                    } else {
                        at(candidate, value).1
                    }
                };
                let values = (range.0 as u32..=range.1 as u32).map(f64::from);
                left.line(
                    values.map(|value| (value, of(value).clamp(0.0, highest))),
                    marker,
                );
            }
            let (a, b) = at(candidate, target);
            for result in 0..3 {
                right.line(
                    steps(-widest, widest).map(|eval| (eval, rates(eval * pawn, a, b)[result])),
                    marker,
                );
            }
            left.legend(&ending(&candidate.name, 20), marker);
        }
        Self(Plot::new("Comparison of models", SIZE, vec![left, right]))
    }

    /// Returns the bytes of an SVG or PNG file.
    pub fn draw(&self, form: PlotForm) -> Vec<u8> {
        self.0.draw(form)
    }
}

/// Shares of wins, draws and losses in bins of a tenth of a pawn.
fn binned(evals: &[i32], counts: &[[f64; 3]], pawn: f64, widest: f64) -> Vec<(f64, [f64; 3])> {
    const STEPS: f64 = 10.0;
    let mut bins = vec![[0.0; 3]; (2.0 * widest * STEPS) as usize + 1];
    for (&eval, counts) in evals.iter().zip(counts) {
        let bin = ((f64::from(eval) / pawn + widest) * STEPS).round();
        if bin >= 0.0 && (bin as usize) < bins.len() {
            bins[bin as usize]
                .iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
        }
    }
    let bins = bins
        .into_iter()
        .enumerate()
        .filter(|(_, counts)| counts.iter().sum::<f64>() > 0.0);
    bins.map(|(bin, counts)| {
        let total: f64 = counts.iter().sum();
        (
            bin as f64 / STEPS - widest,
            counts.map(|count| count / total),
        )
    })
    .collect()
}
