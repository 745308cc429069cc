//! Counts of games drawn again, in the same pass as the counts themselves.

use std::sync::{Mutex, PoisonError};

use super::{
    Grid, Key, Row, Selection,
    grid::{By, column},
};
use crate::parallel::{mix, poisson};

/// Locks; rows are spread over them.
const PARTS: usize = 16;

/// Counts for the bootstrap by game, and for models tested on games that they were not fitted to.
///
/// Positions of a game resemble each other, so games are what is drawn: in each replica a game counts as often as a Poisson
/// number of mean 1 says, which is the bootstrap for many games. Each game also belongs to one fold. Both are told from where
/// the game stands, so they do not depend on threads or parts of a scan.
#[derive(Debug)]
pub struct Replicas {
    selection: Selection,
    draws: usize,
    folds: usize,
    width: usize,
    parts: Vec<Mutex<Part>>,
}

#[derive(Debug, Default)]
struct Part {
    /// Where a cell's counts are, by row, evaluation and result; 0: nowhere yet, otherwise one more.
    places: Vec<u32>,
    cells: Vec<Cell>,
    /// For each cell a count for each draw and each fold.
    counts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    value: u32,
    internal: i32,
    result: usize,
}

impl Replicas {
    /// For a fit of what `selection` takes; `None` if its rows are of material and move, which are too many.
    pub fn new(selection: Selection, draws: usize, folds: usize) -> Option<Self> {
        if selection.by == By::Both {
            return None;
        }
        let width = 2 * selection.internal_max() as usize + 1;
        let parts = (0..PARTS).map(|_| Mutex::default()).collect();
        Some(Self { selection, draws, folds, width, parts })
    }

    /// How many times games are drawn.
    pub fn draws(&self) -> usize {
        self.draws
    }

    /// How many folds there are.
    pub fn folds(&self) -> usize {
        self.folds
    }

    /// Counts the positions of a game.
    pub(crate) fn add(&self, keys: &[u32], game: u64) {
        let weights = self.weights(game);
        let mut held: Option<(usize, std::sync::MutexGuard<'_, Part>)> = None;
        for key in keys.iter().map(|&key| Key(key)) {
            let Some(((value, _), internal)) = self.selection.place(key) else { continue };
            let index = value as usize % PARTS;
            let part = match &mut held {
                Some((held, part)) if *held == index => part,
                _ => {
                    // One lock at a time.
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
        let column = (cell.internal + self.selection.internal_max()) as usize * 3 + cell.result;
        let at = row * self.width * 3 + column;
        if part.places.len() <= at {
            part.places.resize((row + 1) * self.width * 3, 0);
        }
        if part.places[at] == 0 {
            part.cells.push(cell);
            part.places[at] = part.cells.len() as u32;
            part.counts.resize(part.cells.len() * (self.draws + self.folds), 0);
        }
        part.places[at] as usize - 1
    }

    /// How often the game counts in each draw, then in each fold.
    fn weights(&self, game: u64) -> Vec<u32> {
        let mut state = mix(game ^ 0x5851_f42d_4c95_7f2d);
        let fold = (state >> 32) as usize % self.folds.max(1);
        let mut weights = Vec::with_capacity(self.draws + self.folds);
        for draw in 0..self.draws {
            if draw % 4 == 0 {
                state = mix(state);
            }
            weights.push(poisson((state >> (16 * (draw % 4))) as u16));
        }
        weights.extend((0..self.folds).map(|index| u32::from(index == fold)));
        weights
    }

    /// What was counted, in order.
    pub(crate) fn sorted(&self) -> Sorted {
        let each = self.draws + self.folds;
        let parts: Vec<_> = self.parts.iter().map(|part| part.lock().unwrap_or_else(PoisonError::into_inner)).collect();
        let mut order: Vec<(Cell, &[u32])> = parts
            .iter()
            .flat_map(|part| part.cells.iter().copied().zip(part.counts.chunks_exact(each.max(1))))
            .collect();
        order.sort_unstable_by_key(|(cell, _)| (cell.value, cell.internal, cell.result));
        let mut counts = vec![Vec::with_capacity(order.len()); each];
        for (_, own) in &order {
            counts.iter_mut().zip(*own).for_each(|(counts, count)| counts.push(*count));
        }
        let folds = counts.split_off(self.draws);
        Sorted { cells: order.into_iter().map(|(cell, _)| cell).collect(), draws: counts, folds }
    }
}

/// What [`Replicas`] counted, by value, evaluation and result.
pub(crate) struct Sorted {
    cells: Vec<Cell>,
    /// For each draw a count for each cell.
    draws: Vec<Vec<u32>>,
    /// For each fold.
    folds: Vec<Vec<u32>>,
}

impl Sorted {
    /// The observations of draw `draw`.
    pub(crate) fn draw(&self, draw: usize) -> Grid {
        self.grid(|cell| self.draws[draw][cell])
    }

    /// The observations of a fold's own games, or of those of all others.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wdl::{Counts, MoverResult};

    #[test]
    fn folds_are_the_whole_and_draws_are_as_large() {
        let replicas = Replicas::new(Selection::default(), 40, 5).unwrap();
        let mut entries = Vec::new();
        for game in 0..2000u64 {
            let keys: Vec<u32> = (0..10)
                .map(|index| {
                    Key::packed(MoverResult::ALL[(game % 3) as usize], 20 + index, 40 + index, 5 * index as i32).0
                })
                .collect();
            replicas.add(&keys, game << 20);
            entries.extend(keys.into_iter().map(|key| (Key(key), 1)));
        }
        let whole = Grid::new(&Counts::new(None, entries), &Selection::default());
        let replicas = replicas.sorted();
        let sums: f64 = (0..5).map(|fold| replicas.fold(fold, true).total()).sum();
        assert_eq!(sums, whole.total());
        assert_eq!(replicas.fold(2, true).total() + replicas.fold(2, false).total(), whole.total());
        let means: Vec<f64> = (0..40).map(|draw| replicas.draw(draw).total() / whole.total()).collect();
        assert!((means.iter().sum::<f64>() / 40.0 - 1.0).abs() < 0.02, "{means:?}");
        // Of 2,000 games the sum of Poisson numbers has a standard deviation of √2000.
        let spread = (means.iter().map(|mean| (mean - 1.0).powi(2)).sum::<f64>() / 40.0).sqrt();
        assert!((0.015..0.03).contains(&spread), "{spread}");
    }
}
