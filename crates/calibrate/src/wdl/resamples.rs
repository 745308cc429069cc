//! Counts of resampled games, taken in the same pass as the counts.

use std::{
    cmp::Ordering,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::{
    Grid, Key, Row, Selection,
    grid::{By, column},
};
use crate::parallel::{mix, poisson, seeded};

/// What is counted for errors and for the held-out test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResampleOptions {
    /// The selection of the later fit. Rows by material and move are too many to resample: for them nothing is counted.
    pub selection: Selection,
    /// Number of bootstrap resamples of the games; 100 by default, 0 for no errors.
    pub resamples: usize,
    /// Number of parts of the games for a held-out test: each part is predicted by a model of the others. 5 by default, 0
    /// for no test.
    pub folds: usize,
    /// Seed of the random numbers; 0 by default.
    pub seed: u64,
}

impl Default for ResampleOptions {
    fn default() -> Self {
        Self { selection: Selection::default(), resamples: 100, folds: 5, seed: 0 }
    }
}

/// Counts for each resample and fold, of the positions that a fit selects. Those of parts merge with their
/// [`Counted`](super::Counted).
///
/// Positions of a game are correlated, so the bootstrap resamples games: in each resample a game counts as often as a
/// Poisson number of mean 1, which approximates drawing with replacement for many games. Each game also belongs to one
/// fold. Both are derived from the seed, the index of the game's source and the game's offset in it, so they do not depend
/// on threads or shards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Resamples {
    options: ResampleOptions,
    /// Sorted, without duplicates.
    cells: Vec<Cell>,
    /// For each resample, the count of each cell.
    resamples: Vec<Vec<u32>>,
    /// For each fold, the count of each cell.
    folds: Vec<Vec<u32>>,
}

/// [`Resamples`] in deserialised form, before validation.
#[derive(Deserialize)]
struct Unchecked {
    options: ResampleOptions,
    cells: Vec<Cell>,
    resamples: Vec<Vec<u32>>,
    folds: Vec<Vec<u32>>,
}

impl TryFrom<Unchecked> for Resamples {
    type Error = &'static str;

    fn try_from(Unchecked { options, cells, resamples, folds }: Unchecked) -> Result<Self, Self::Error> {
        let is_sound = cells.is_sorted_by(|a, b| a < b)
            && cells.iter().all(|cell| cell.result < 3)
            && (resamples.len(), folds.len()) == (options.resamples, options.folds)
            && resamples.iter().chain(&folds).all(|counts| counts.len() == cells.len());
        if is_sound { Ok(Self { options, cells, resamples, folds }) } else { Err("these are no counts of resamples") }
    }
}

/// A kind of position: the row's value, internal evaluation, result (0 win, 1 draw, 2 loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Cell {
    value: u32,
    internal: i32,
    result: usize,
}

impl Resamples {
    /// The options of the counting.
    pub fn options(&self) -> &ResampleOptions {
        &self.options
    }

    /// The observations of a resample.
    pub(crate) fn resample(&self, index: usize) -> Grid {
        self.grid(|cell| self.resamples[index][cell])
    }

    /// The observations of a fold's own games, or of all other games.
    pub(crate) fn fold(&self, fold: usize, own: bool) -> Grid {
        if own {
            return self.grid(|cell| self.folds[fold][cell]);
        }
        let others = || self.folds.iter().enumerate().filter(|(index, _)| *index != fold);
        self.grid(|cell| others().map(|(_, counts)| counts[cell]).sum())
    }

    fn grid(&self, count: impl Fn(usize) -> u32) -> Grid {
        let mut rows: Vec<Row> = Vec::new();
        for (index, &Cell { value, internal, result }) in self.cells.iter().enumerate() {
            let count = count(index);
            if count == 0 {
                continue;
            }
            if rows.last().is_none_or(|row| row.value != value) {
                rows.push(Row { value, ..Row::default() });
            }
            let Some(row) = rows.last_mut() else { continue };
            if row.evals.last() != Some(&internal) {
                row.evals.push(internal);
                row.counts.push([0.0; 3]);
            }
            if let Some(counts) = row.counts.last_mut() {
                counts[result] += f64::from(count);
            }
        }
        Grid { rows }
    }
}

impl Resamples {
    /// The sum with another part of the same games; `None` if that was counted with other options.
    pub(super) fn merged(mut self, later: &Self) -> Option<Self> {
        if self.options != later.options {
            return None;
        }
        // The index of each cell of the sum in both parts.
        let mut places: Vec<(Cell, Option<usize>, Option<usize>)> = Vec::new();
        let (mut own, mut other) = (0, 0);
        while own < self.cells.len() || other < later.cells.len() {
            let order = match (self.cells.get(own), later.cells.get(other)) {
                (Some(a), Some(b)) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            };
            let (here, there) = (order.is_le(), order.is_ge());
            let cell = if here { self.cells[own] } else { later.cells[other] };
            places.push((cell, here.then_some(own), there.then_some(other)));
            own += usize::from(here);
            other += usize::from(there);
        }
        let add = |sums: &mut Vec<Vec<u32>>, more: &[Vec<u32>]| {
            for (sum, more) in sums.iter_mut().zip(more) {
                let count = |counts: &[u32], place: &Option<usize>| place.map_or(0, |place| counts[place]);
                *sum = places.iter().map(|(_, own, other)| count(sum, own) + count(more, other)).collect();
            }
        };
        add(&mut self.resamples, &later.resamples);
        add(&mut self.folds, &later.folds);
        self.cells = places.into_iter().map(|(cell, ..)| cell).collect();
        Some(self)
    }
}

/// Number of locks of a [`ResampleCounter`], over which rows are distributed.
const PARTS: usize = 16;

/// Counts resamples from several threads.
#[derive(Debug)]
pub(super) struct ResampleCounter {
    options: ResampleOptions,
    width: usize,
    parts: Vec<Mutex<Part>>,
}

#[derive(Debug, Default)]
struct Part {
    /// One plus the index of a cell in `counts`, by row, evaluation and result; 0 if it has none yet.
    places: Vec<u32>,
    cells: Vec<Cell>,
    /// For each cell, the counts of each resample and each fold.
    counts: Vec<u32>,
}

impl ResampleCounter {
    /// `None` if the options request nothing.
    pub(super) fn new(options: ResampleOptions) -> Option<Self> {
        if options.selection.by == By::Both || options.resamples + options.folds == 0 {
            return None;
        }
        let width = 2 * options.selection.internal_max() as usize + 1;
        let parts = (0..PARTS).map(|_| Mutex::default()).collect();
        Some(Self { options, width, parts })
    }

    /// Counts the positions of a game.
    pub(super) fn add(&self, keys: &[u32], game: u64) {
        let weights = self.weights(game);
        let mut held: Option<(usize, MutexGuard<'_, Part>)> = None;
        for key in keys.iter().map(|&key| Key(key)) {
            let Some(((value, _), internal)) = self.options.selection.place(key) else { continue };
            let index = value as usize % PARTS;
            let part = match &mut held {
                Some((held, part)) if *held == index => part,
                _ => {
                    // Hold one lock at a time.
                    drop(held.take());
                    let part = self.parts[index].lock().unwrap_or_else(PoisonError::into_inner);
                    &mut held.insert((index, part)).1
                }
            };
            let cell = Cell { value, internal, result: column(key.result()) };
            let place = self.place(part, cell);
            let counts = &mut part.counts[place * weights.len()..][..weights.len()];
            counts.iter_mut().zip(&weights).for_each(|(count, weight)| *count += weight);
        }
    }

    fn place(&self, part: &mut Part, cell: Cell) -> usize {
        let row = cell.value as usize / PARTS;
        let column = (cell.internal + self.options.selection.internal_max()) as usize * 3 + cell.result;
        let at = row * self.width * 3 + column;
        if part.places.len() <= at {
            part.places.resize((row + 1) * self.width * 3, 0);
        }
        if part.places[at] == 0 {
            part.cells.push(cell);
            part.places[at] = part.cells.len() as u32;
            part.counts.resize(part.cells.len() * (self.options.resamples + self.options.folds), 0);
        }
        part.places[at] as usize - 1
    }

    /// How often the game counts in each resample, then in each fold.
    fn weights(&self, game: u64) -> Vec<u32> {
        let ResampleOptions { resamples, folds, seed, .. } = self.options;
        let mut state = mix(game ^ 0x5851_f42d_4c95_7f2d ^ seeded(seed));
        let fold = (state >> 32) as usize % folds.max(1);
        let mut weights = Vec::with_capacity(resamples + folds);
        for resample in 0..resamples {
            if resample % 4 == 0 {
                state = mix(state);
            }
            weights.push(poisson((state >> (16 * (resample % 4))) as u16));
        }
        weights.extend((0..folds).map(|index| u32::from(index == fold)));
        weights
    }

    /// The counts, sorted.
    pub(super) fn finish(self) -> Resamples {
        let options = self.options;
        let each = options.resamples + options.folds;
        let parts: Vec<Part> =
            self.parts.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        let mut order: Vec<(Cell, &[u32])> = parts
            .iter()
            .flat_map(|part| part.cells.iter().copied().zip(part.counts.chunks_exact(each.max(1))))
            .collect();
        order.sort_unstable_by_key(|(cell, _)| *cell);
        let mut counts = vec![Vec::with_capacity(order.len()); each];
        for (_, own) in &order {
            counts.iter_mut().zip(*own).for_each(|(counts, count)| counts.push(*count));
        }
        let folds = counts.split_off(options.resamples);
        Resamples { options, cells: order.into_iter().map(|(cell, _)| cell).collect(), resamples: counts, folds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wdl::{Counts, MoverResult};

    #[test]
    fn folds_are_the_whole_and_resamples_are_as_large() {
        let options = ResampleOptions { resamples: 40, ..ResampleOptions::default() };
        let counter = ResampleCounter::new(options).unwrap();
        let mut entries = Vec::new();
        for game in 0..2000u64 {
            let keys: Vec<u32> = (0..10)
                .map(|index| {
                    Key::packed(MoverResult::ALL[(game % 3) as usize], 20 + index, 40 + index, 5 * index as i32).0
                })
                .collect();
            counter.add(&keys, game << 20);
            entries.extend(keys.into_iter().map(|key| (Key(key), 1)));
        }
        let whole = Grid::new(&Counts::new(None, entries), &Selection::default());
        let resamples = counter.finish();
        let sums: f64 = (0..5).map(|fold| resamples.fold(fold, true).total()).sum();
        assert_eq!(sums, whole.total());
        assert_eq!(resamples.fold(2, true).total() + resamples.fold(2, false).total(), whole.total());
        let means: Vec<f64> = (0..40).map(|index| resamples.resample(index).total() / whole.total()).collect();
        assert!((means.iter().sum::<f64>() / 40.0 - 1.0).abs() < 0.02, "{means:?}");
        // Of 2,000 games the sum of Poisson numbers has a standard deviation of √2000.
        let spread = (means.iter().map(|mean| (mean - 1.0).powi(2)).sum::<f64>() / 40.0).sqrt();
        assert!((0.015..0.03).contains(&spread), "{spread}");
    }
}
