//! Finds where two models differ most, by material or move and by evaluation.

use centipawn_core::WdlModel;
use serde::{Deserialize, Serialize};

use super::{By, CommonGames, parameters, range};
use crate::wdl::{Grid, Selection, rates::rates};

/// Positions with similar material (or move) and evaluation. Positions in which the side to move is
/// worse are counted from the other side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// First and last material, or move. It is material if a model by material is compared with one
    /// by move.
    pub values: (u32, u32),
    /// First and last move, if a model by material is compared with one by move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<(u32, u32)>,
    /// Lowest and highest evaluation from the better side, in pawns of the games.
    pub evals: (f64, f64),
    /// Mean expected score under the first model, 0..=1.
    pub first: f64,
    /// Mean expected score under the other model, 0..=1.
    pub other: f64,
    /// Mean score in the games, 0..=1; `None` without games.
    pub games: Option<f64>,
    /// Number of positions in the games; `None` without games.
    pub positions: Option<f64>,
}

impl Place {
    /// Returns the absolute difference between the two expected scores.
    pub fn gap(&self) -> f64 {
        self.other - self.first
    }
}

/// Number of places in a comparison.
const LISTED: usize = 5;

/// Number of bands into which material or moves are divided.
const BANDS: u32 = 6;

/// Width of a band of evaluations, in pawns.
const STEP: f64 = 0.5;

/// Places with a smaller share of the positions are ignored as too rare.
const LEAST_SHARE: f64 = 1e-3;

#[derive(Clone, Copy, Default)]
struct Sums {
    positions: f64,
    score: f64,
    expected: [f64; 2],
}

/// Bands of equal width of one argument.
#[derive(Clone, Copy)]
struct Bands {
    low: u32,
    high: u32,
    width: u32,
}

impl Bands {
    fn new((low, high): (u32, u32)) -> Self {
        let high = high.max(low);
        Self {
            low,
            high,
            width: (high - low + 1).div_ceil(BANDS).max(1),
        }
    }

    fn of(self, value: u32) -> usize {
        ((value.saturating_sub(self.low) / self.width) as usize).min(BANDS as usize - 1)
    }

    fn values(self, band: usize) -> (u32, u32) {
        let first = self.low + band as u32 * self.width;
        (first, (first + self.width - 1).min(self.high))
    }
}

/// Returns the places with the largest differences, the largest first.
///
/// Models with different arguments are compared by material and move. That needs games, because
/// only games show which material goes with which move.
pub(super) fn widest(
    models: [&WdlModel; 2],
    by: By,
    games: Option<&CommonGames<'_>>,
) -> Vec<Place> {
    if by == By::Both && games.is_none() {
        return Vec::new();
    }
    // Without games, each evaluation counts once at each value that both models cover.
    let selection = games.map_or_else(Selection::default, |games| games.selection);
    let selection = Selection { by, ..selection };
    let pawn = match games {
        Some(_) => f64::from(selection.units.pawn()),
        None => models[0].a.iter().sum(),
    };
    let (low, high) = match games {
        Some(_) => selection.range(),
        None => {
            let [one, other] = models.map(range);
            let both = (one.0.max(other.0), one.1.min(other.1));
            if both.0 <= both.1 { both } else { one }
        }
    };
    let (bands, moves) = (Bands::new((low, high)), Bands::new(selection.moves));
    let steps = (f64::from(selection.eval_max) / 100.0 / STEP)
        .ceil()
        .max(1.0) as usize;
    let cross = if by == By::Both { BANDS as usize } else { 1 };
    let mut sums = vec![Sums::default(); BANDS as usize * cross * steps];
    let mut add = |value: u32, number: u32, eval: f64, counts: [f64; 3]| {
        let step = ((eval.abs() / pawn / STEP) as usize).min(steps - 1);
        let band = bands.of(value) * cross + if cross > 1 { moves.of(number) } else { 0 };
        let sums = &mut sums[band * steps + step];
        let counts = if eval < 0.0 {
            [counts[2], counts[1], counts[0]]
        } else {
            counts
        };
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
    let places = sums
        .iter()
        .enumerate()
        .filter(|(_, sums)| sums.positions > LEAST_SHARE * all);
    let mut places: Vec<Place> = places
        .map(|(index, sums)| {
            let (band, step) = (index / steps, index % steps);
            Place {
                values: bands.values(band / cross),
                moves: (cross > 1).then(|| moves.values(band % cross)),
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
