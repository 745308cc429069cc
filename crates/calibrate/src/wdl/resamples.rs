//! Resampled games: the observations of bootstrap resamples and of held-out folds.

use centipawn_core::mix64;
use serde::{Deserialize, Serialize};

use super::{By, Counts, GROUPS, Grid, Row, Selection, groups::Cell};
use crate::{
    OutOfRange,
    out_of_range::{check_folds, check_resamples},
    parallel::{poisson, seeded},
};

/// Options of the standard errors, and of the test on held-out games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResampleOptions {
    /// Number of bootstrap resamples; 100 by default, 0 for no standard errors.
    pub resamples: usize,
    /// Number of folds of the held-out test, in which each fold is predicted by a model fitted to
    /// the others; 5 by default, 0 for no test.
    pub folds: usize,
    /// Seed of the random numbers; 0 by default.
    pub seed: u64,
}

impl ResampleOptions {
    /// Checks the numbers of resamples (at most 1,000) and folds (at most 50, but not 1).
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for the first number out of its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        check_resamples(self.resamples, 1000)?;
        check_folds(self.folds)
    }
}

impl Default for ResampleOptions {
    fn default() -> Self {
        Self {
            resamples: 100,
            folds: 5,
            seed: 0,
        }
    }
}

/// The observations that a fit selects, by [group](super::Groups) of games.
///
/// A resample counts each group as often as a Poisson number of mean 1, which approximates drawing
/// groups with replacement.
#[derive(Clone, Debug)]
pub struct Resamples {
    options: ResampleOptions,
    /// The kinds of positions, in ascending order.
    cells: Vec<Observed>,
    /// The groups in which each kind occurs, kind after kind. `counts` has the number of positions
    /// of each entry.
    groups: Vec<u8>,
    counts: Vec<u32>,
}

/// A kind of position, with the index at which its groups end.
#[derive(Clone, Copy, Debug)]
struct Observed {
    value: u32,
    internal: i32,
    result: usize,
    end: usize,
}

const _: () = assert!(GROUPS <= u8::MAX as usize + 1);

impl Resamples {
    /// Creates the observations of a selection; `None` if the counts have no groups for it.
    pub fn new(counts: &Counts, selection: &Selection, options: ResampleOptions) -> Option<Self> {
        let table = counts
            .groups()?
            .table(selection)
            .filter(|_| selection.by != By::Both)?;
        let ((low, high), largest) = (selection.range(), selection.internal_max());
        let width = 2 * largest as usize + 1;
        let place = |cell| {
            let internal = table.rows.internal(cell, selection);
            let is_selected = (low..=high).contains(&cell.value()) && internal.abs() <= largest;
            let row = cell.value().wrapping_sub(low) as usize;
            is_selected.then(|| 3 * (row * width + (internal + largest) as usize) + cell.result())
        };
        let all = || {
            table.groups.iter().zip(0u8..).flat_map(|(cells, group)| {
                cells
                    .iter()
                    .map(move |(cell, count)| ((Cell(cell), count), group))
            })
        };
        let highest = all()
            .map(|((cell, _), _)| cell.value().min(high))
            .max()
            .unwrap_or(low);
        let rows = (highest.max(low) - low + 1) as usize;
        // First the number of entries of each place, then the index of its next entry.
        let mut ends = vec![0usize; 3 * rows * width];
        all()
            .filter_map(|((cell, _), _)| place(cell))
            .for_each(|place| ends[place] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let (mut groups, mut sums) = (vec![0; total], vec![0; total]);
        for ((cell, count), group) in all() {
            if let Some(place) = place(cell) {
                (groups[ends[place]], sums[ends[place]]) =
                    (group, u32::try_from(count).unwrap_or(u32::MAX));
                ends[place] += 1;
            }
        }
        let mut cells = Vec::new();
        for (place, &end) in ends.iter().enumerate() {
            if cells.last().map_or(0, |before: &Observed| before.end) < end {
                let (row, internal) = (place / 3 / width, (place / 3 % width) as i32 - largest);
                cells.push(Observed {
                    value: low + row as u32,
                    internal,
                    result: place % 3,
                    end,
                });
            }
        }
        Some(Self {
            options,
            cells,
            groups,
            counts: sums,
        })
    }

    /// Returns the options.
    pub fn options(&self) -> &ResampleOptions {
        &self.options
    }

    /// Returns the observations of one resample.
    pub(crate) fn resample(&self, index: usize) -> Grid {
        let mut state = mix64(index as u64 ^ 0x5851_f42d_4c95_7f2d ^ seeded(self.options.seed));
        let mut weights = [0; GROUPS];
        for (group, weight) in weights.iter_mut().enumerate() {
            if group % 4 == 0 {
                state = mix64(state);
            }
            *weight = poisson((state >> (16 * (group % 4))) as u16);
        }
        self.weighted(&weights)
    }

    /// Returns the observations of a fold, or if not `own` those of all other folds.
    pub(crate) fn fold(&self, fold: usize, own: bool) -> Grid {
        let mut weights = [0; GROUPS];
        for (group, weight) in weights.iter_mut().enumerate() {
            *weight = u32::from((self.fold_of(group) == fold) == own);
        }
        self.weighted(&weights)
    }

    /// Returns the fold of a group. All folds have about the same number of groups, in an order
    /// that depends on the seed.
    pub(crate) fn fold_of(&self, group: usize) -> usize {
        let place = |group: usize| mix64(group as u64 ^ seeded(self.options.seed));
        let rank = (0..GROUPS)
            .filter(|&other| place(other) < place(group))
            .count();
        rank % self.options.folds.max(1)
    }

    /// Returns the observations of one group of games.
    pub(crate) fn group(&self, group: usize) -> Grid {
        let mut weights = [0; GROUPS];
        weights[group] = 1;
        self.weighted(&weights)
    }

    fn weighted(&self, weights: &[u32; GROUPS]) -> Grid {
        let mut rows: Vec<Row> = Vec::new();
        let mut begin = 0;
        for &Observed {
            value,
            internal,
            result,
            end,
        } in &self.cells
        {
            let groups = self.groups[begin..end].iter().zip(&self.counts[begin..end]);
            let count: u64 = groups
                .map(|(&group, &count)| u64::from(weights[usize::from(group)]) * u64::from(count))
                .sum();
            begin = end;
            if count == 0 {
                continue;
            }
            if rows.last().is_none_or(|row| row.value != value) {
                rows.push(Row {
                    value,
                    ..Row::default()
                });
            }
            let Some(row) = rows.last_mut() else { continue };
            if row.evals.last() != Some(&internal) {
                row.evals.push(internal);
                row.counts.push([0.0; 3]);
            }
            if let Some(counts) = row.counts.last_mut() {
                counts[result] += count as f64;
            }
        }
        Grid { rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wdl::{GroupRows, Key, MoverResult, Units, groups::GroupCounter, table::Table};

    /// Returns the counts of two thousand games with ten positions each.
    fn counts(rows: &[GroupRows]) -> Counts {
        let table = Table::new(1, GroupCounter::new(rows, 1));
        for game in 0..2000i32 {
            let keys: Vec<u32> = (0..10)
                .map(|index| {
                    let result = MoverResult::ALL[game as usize % 3];
                    Key::packed(
                        result,
                        20 + index,
                        40 + index,
                        5 * index as i32 + game / 3 % 90 - 45,
                    )
                    .0
                })
                .collect();
            table.add(&keys);
        }
        table.into_counts(1, 1)
    }

    #[test]
    fn folds_add_up_to_the_whole_and_resamples_have_its_size() {
        let model = Units::of_stockfish("18").unwrap();
        for (by, units) in [
            (By::Material, Units::default()),
            (By::Material, model),
            (By::Move, Units::default()),
            (By::Move, model),
        ] {
            let selection = Selection {
                by,
                units,
                moves: (1, 26),
                ..Selection::default()
            };
            let counts = counts(&GroupRows::of_selection(&selection));
            let whole = Grid::new(&counts, &selection);
            let options = ResampleOptions {
                resamples: 40,
                ..ResampleOptions::default()
            };
            let resamples = Resamples::new(&counts, &selection, options).unwrap();
            assert_eq!(resamples.weighted(&[1; GROUPS]), whole);
            let sums: f64 = (0..5).map(|fold| resamples.fold(fold, true).total()).sum();
            assert_eq!(sums, whole.total());
            assert_eq!(
                resamples.fold(2, true).total() + resamples.fold(2, false).total(),
                whole.total()
            );
            assert_eq!(
                (0..GROUPS)
                    .map(|group| resamples.group(group).total())
                    .sum::<f64>(),
                whole.total()
            );
            let means: Vec<f64> = (0..40)
                .map(|index| resamples.resample(index).total() / whole.total())
                .collect();
            assert!(
                (means.iter().sum::<f64>() / 40.0 - 1.0).abs() < 0.05,
                "{means:?}"
            );
            // The sum of 128 Poisson numbers has a standard deviation of √128.
            let spread = (means.iter().map(|mean| (mean - 1.0).powi(2)).sum::<f64>() / 40.0).sqrt();
            assert!((0.05..0.15).contains(&spread), "{spread}");
        }
    }

    #[test]
    fn other_selections_have_no_groups() {
        let counts = counts(&GroupRows::usual());
        let resamples = |selection| Resamples::new(&counts, &selection, ResampleOptions::default());
        let usual = Selection::default();
        assert!(resamples(usual).is_some());
        assert!(
            resamples(Selection {
                material: (30, 60),
                eval_max: 200,
                ..usual
            })
            .is_some()
        );
        assert!(
            resamples(Selection {
                by: By::Move,
                moves: (8, 100),
                ..usual
            })
            .is_some()
        );
        assert!(
            resamples(Selection {
                moves: (8, 120),
                ..usual
            })
            .is_none()
        );
        assert!(
            resamples(Selection {
                by: By::Both,
                ..usual
            })
            .is_none()
        );
    }
}
