//! Where two models differ most, by material or move and by evaluation.

use centipawn_core::WdlModel;
use serde::{Deserialize, Serialize};

use super::{By, CommonGames, parameters};
use crate::wdl::{Grid, Selection, rates::rates};

/// Positions of similar material (or move) and evaluation. Those in which the side to move is worse count mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// First and last material, or move.
    pub values: (u32, u32),
    /// Lowest and highest evaluation, in pawns of the games, from the better side.
    pub evals: (f64, f64),
    /// Expected score under the first model, 0..=1.
    pub first: f64,
    /// Expected score under the other model.
    pub other: f64,
    /// Score in the games; `None` without games.
    pub games: Option<f64>,
    /// Number of positions; `None` without games.
    pub positions: Option<f64>,
}

impl Place {
    /// How far the expected scores are apart.
    pub fn gap(&self) -> f64 {
        self.other - self.first
    }
}

/// How many are listed.
const LISTED: usize = 5;

/// Number of bands of material or moves.
const BANDS: u32 = 6;

/// Width of a band of evaluations, in pawns.
const STEP: f64 = 0.5;

/// Places with fewer positions than this share say nothing about the games.
const LEAST_SHARE: f64 = 1e-3;

#[derive(Clone, Copy, Default)]
struct Sums {
    positions: f64,
    score: f64,
    expected: [f64; 2],
}

/// The places with the largest gap, widest first.
pub(super) fn widest(models: [&WdlModel; 2], by: By, games: Option<&CommonGames<'_>>) -> Vec<Place> {
    // Without games, each evaluation at each value counts once.
    let selection = games.map_or_else(Selection::default, |games| games.selection);
    let selection = Selection { by, ..selection };
    let pawn = match games {
        Some(_) => f64::from(selection.units.pawn()),
        None => models[0].a.iter().sum(),
    };
    let (low, high) = match games {
        Some(_) => selection.range(),
        None => (models[0].range[0] as u32, models[0].range[1] as u32),
    };
    let steps = (f64::from(selection.eval_max) / 100.0 / STEP).ceil().max(1.0) as usize;
    let mut sums = vec![Sums::default(); BANDS as usize * steps];
    let width = (high - low + 1).div_ceil(BANDS).max(1);
    let mut add = |value: u32, number: u32, eval: f64, counts: [f64; 3]| {
        let (band, step) = ((value.saturating_sub(low) / width) as usize, (eval.abs() / pawn / STEP) as usize);
        let sums = &mut sums[band.min(BANDS as usize - 1) * steps + step.min(steps - 1)];
        let counts = if eval < 0.0 { [counts[2], counts[1], counts[0]] } else { counts };
        let positions: f64 = counts.iter().sum();
        sums.positions += positions;
        sums.score += counts[0] + 0.5 * counts[1];
        for (expected, model) in sums.expected.iter_mut().zip(models) {
            let (a, b) = parameters(model, by, f64::from(value), f64::from(number));
            let [win, draw, _] = rates(eval.abs(), a, b);
            *expected += positions * (win + 0.5 * draw);
        }
    };
    match games {
        Some(games) => {
            for row in Grid::new(games.counts, &selection).rows {
                for (&eval, &counts) in row.evals.iter().zip(&row.counts) {
                    add(row.value, row.number, f64::from(eval), counts);
                }
            }
        }
        None => {
            for value in low..=high {
                let evals = (0..steps * 10).map(|tenth| (tenth as f64 + 0.5) * STEP / 10.0 * pawn);
                evals.for_each(|eval| add(value, 32, eval, [1.0, 0.0, 0.0]));
            }
        }
    }
    let all: f64 = sums.iter().map(|sums| sums.positions).sum();
    let places = sums.iter().enumerate().filter(|(_, sums)| sums.positions > LEAST_SHARE * all);
    let mut places: Vec<Place> = places
        .map(|(index, sums)| {
            let (band, step) = (index / steps, index % steps);
            let first = low + band as u32 * width;
            Place {
                values: (first, (first + width - 1).min(high)),
                evals: (STEP * step as f64, STEP * (step + 1) as f64),
                first: sums.expected[0] / sums.positions,
                other: sums.expected[1] / sums.positions,
                games: games.map(|_| sums.score / sums.positions),
                positions: games.map(|_| sums.positions),
            }
        })
        .collect();
    places.sort_by(|one, other| other.gap().abs().total_cmp(&one.gap().abs()));
    places.truncate(LISTED);
    places
}
