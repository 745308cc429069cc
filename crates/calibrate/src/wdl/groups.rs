//! Counts by group of games, from which standard errors by game follow.

use centipawn_core::{Argument, mix64};
use serde::{Deserialize, Serialize};

use super::{
    By, Key, LARGEST_EVAL, Selection, Units,
    cell_counts::{CellCounts, EvalSlots},
    count_list::CountList,
    grid::column,
    tally::Tally,
};

/// Number of groups that games are divided into.
///
/// A standard error from 128 groups is itself uncertain by 6 %, whatever the number of games.
pub(crate) const GROUPS: usize = 128;

/// Counts of positions by group of games.
///
/// Positions of a game are correlated, so standard errors must treat a game as one observation.
/// Each game belongs to one of 128 groups, by a hash of its counted positions. A bootstrap of the
/// groups gives standard errors clustered by game, and the folds of a held-out test consist of
/// groups. Groups do not depend on files, threads or shards, so the groups of parts add up to those
/// of the whole. Their size is bounded for any number of games: at most one count for each group,
/// row, evaluation and result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<GroupTable>", into = "Vec<GroupTable>")]
pub struct Groups {
    pub(super) tables: Vec<GroupTable>,
}

/// One table of [`Groups`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GroupTable {
    pub(super) rows: GroupRows,
    /// For each group, the [cells](Cell) that occur, with their counts.
    pub(super) groups: Vec<CountList>,
}

/// Describes a table: the argument of its rows, and which positions it counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRows {
    /// The argument of the rows, material or move. All values are counted.
    pub by: By,
    /// First and last value of the other argument, move or material, that are counted.
    pub within: (u32, u32),
    /// The unit of the evaluations; `None` for printed centipawns, which can be converted to any
    /// unit that depends only on the row.
    pub units: Option<Units>,
}

impl Eq for GroupRows {}

/// A kind of position, packed into 32 bits: the value of the row (10), the evaluation (20), and the
/// result (2: win, draw, loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell(pub(super) u32);

const EVAL_OFFSET: i32 = 1 << 19;

impl Cell {
    /// Returns `None` for an evaluation that no fit uses, beyond half a million units.
    fn new(value: u32, eval: i32, result: usize) -> Option<Self> {
        let eval = u32::try_from(eval + EVAL_OFFSET)
            .ok()
            .filter(|eval| *eval < 1 << 20)?;
        Some(Self(value << 22 | eval << 2 | result as u32))
    }

    /// Returns the value of the row.
    pub(super) fn value(self) -> u32 {
        self.0 >> 22
    }

    /// Returns the evaluation, in the table's unit.
    pub(super) fn eval(self) -> i32 {
        (self.0 >> 2 & 0xf_ffff) as i32 - EVAL_OFFSET
    }

    /// Returns 0 for a win, 1 for a draw, 2 for a loss.
    pub(super) fn result(self) -> usize {
        (self.0 & 3) as usize
    }

    fn is_sound(self) -> bool {
        self.result() < 3
    }
}

impl TryFrom<Vec<GroupTable>> for Groups {
    type Error = &'static str;

    fn try_from(tables: Vec<GroupTable>) -> Result<Self, Self::Error> {
        // Resamples are counted in 32 bits, so larger counts are refused.
        let is_cell =
            |(cell, count): (u32, u64)| Cell(cell).is_sound() && u32::try_from(count).is_ok();
        let are_cells = |cells: &CountList| cells.iter().all(is_cell);
        let is_sound = |table: &GroupTable| {
            table.groups.len() == GROUPS
                && table.rows.by != By::Both
                && table.groups.iter().all(are_cells)
        };
        if tables.iter().all(is_sound) {
            Ok(Self { tables })
        } else {
            Err("these are no counts by group of games")
        }
    }
}

impl From<Groups> for Vec<GroupTable> {
    fn from(groups: Groups) -> Self {
        groups.tables
    }
}

impl GroupRows {
    /// Returns the tables that suit every fit with the usual limits of moves and material.
    pub fn usual() -> Vec<Self> {
        let usual = Selection::default();
        [(By::Material, usual.moves), (By::Move, usual.material)]
            .map(|(by, within)| Self {
                by,
                within,
                units: None,
            })
            .to_vec()
    }

    /// Returns the [usual](Self::usual) tables; if none of them suits this selection, also one that
    /// does.
    pub fn of_selection(selection: &Selection) -> Vec<Self> {
        let mut all = Self::usual();
        if selection.by != By::Both && !all.iter().any(|rows| rows.serves(selection)) {
            let within = other_limits(selection);
            let printed = Self {
                by: selection.by,
                within,
                units: None,
            };
            let exact = Self {
                units: Some(selection.units),
                ..printed
            };
            all.push(if printed.serves(selection) {
                printed
            } else {
                exact
            });
        }
        all
    }

    /// Returns whether the table has the observations of a selection.
    pub(super) fn serves(&self, selection: &Selection) -> bool {
        let is_of_row = match (&self.units, &selection.units) {
            (Some(own), wanted) => own == wanted,
            (None, Units::Fixed(_)) => true,
            (None, Units::Model(model)) => match model.argument {
                Argument::Material => self.by == By::Material,
                Argument::Move | Argument::Ply => self.by == By::Move,
            },
        };
        self.by == selection.by && self.within == other_limits(selection) && is_of_row
    }

    /// Returns the row of a position; `None` if the table does not count it.
    #[inline]
    fn value(&self, key: Key) -> Option<u32> {
        let (value, other) = match self.by {
            By::Material => (key.material(), key.number()),
            By::Move | By::Both => (key.number(), key.material()),
        };
        (self.within.0 <= other && other <= self.within.1).then_some(value)
    }

    fn cell(&self, key: Key) -> Option<Cell> {
        let value = self.value(key)?;
        let eval = match &self.units {
            None => key.eval(),
            Some(units) => units.internal(key.eval(), key.material(), key.number()),
        };
        Cell::new(value, eval, column(key.result()))
    }

    /// Returns the evaluation of a cell in the unit of a selection that the table
    /// [serves](Self::serves).
    pub(super) fn internal(&self, cell: Cell, selection: &Selection) -> i32 {
        let (eval, value) = (cell.eval(), cell.value());
        if self.units.is_some() {
            eval
        } else {
            selection.units.internal(eval, value, value)
        }
    }
}

/// Returns the limits of the argument that is not that of the rows.
fn other_limits(selection: &Selection) -> (u32, u32) {
    if selection.by == By::Move {
        selection.material
    } else {
        selection.moves
    }
}

impl Groups {
    /// Returns the table that serves a selection; `None` if the games must be counted again for it.
    pub(super) fn table(&self, selection: &Selection) -> Option<&GroupTable> {
        self.tables
            .iter()
            .find(|table| table.rows.serves(selection))
    }

    /// Returns whether the sums over all groups equal the counts of these keys.
    pub(super) fn add_up_to(&self, entries: &CountList) -> bool {
        self.tables.iter().all(|table| {
            let cells = entries
                .iter()
                .filter_map(|(key, count)| Some((table.rows.cell(Key(key))?.0, count)));
            let mut cells: Vec<(u32, u64)> = cells.filter(|(_, count)| *count > 0).collect();
            cells.sort_unstable_by_key(|(cell, _)| *cell);
            cells.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 = kept.1.saturating_add(later.1);
                }
                same
            });
            sum_of(&table.groups)
                .iter()
                .filter(|(_, count)| *count > 0)
                .eq(cells)
        })
    }

    /// Merges the groups of other games. Tables that only one side has are dropped.
    pub(super) fn merged(self, later: Self) -> Self {
        let mut others = later.tables;
        let merged = self.tables.into_iter().filter_map(|table| {
            let other = others.iter().position(|other| other.rows == table.rows)?;
            let other = others.swap_remove(other);
            let groups = table
                .groups
                .iter()
                .zip(&other.groups)
                .map(|(own, other)| own.sum(other))
                .collect();
            Some(GroupTable {
                rows: table.rows,
                groups,
            })
        });
        Self {
            tables: merged.collect(),
        }
    }
}

/// Sums lists by halves, so that each entry is copied only a few times.
fn sum_of(lists: &[CountList]) -> CountList {
    match lists {
        [] => CountList::default(),
        [only] => only.clone(),
        _ => {
            let (one, other) = lists.split_at(lists.len() / 2);
            sum_of(one).sum(&sum_of(other))
        }
    }
}

/// Returns the group of a game with these positions.
pub(super) fn group(keys: &[u32]) -> usize {
    let hash = keys.iter().fold(keys.len() as u64, |hash, &key| {
        (hash.rotate_left(23) ^ u64::from(key)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mix64(hash) >> 32) as usize % GROUPS
}

/// Counts the positions of groups of games.
pub(super) struct GroupCounter {
    slots: EvalSlots,
    tables: Vec<GroupRows>,
    /// For each place of a row, the cell that it stands for in row 0.
    of_places: Vec<Cell>,
}

/// The counts of one group in one table.
pub(super) enum GroupCounts {
    /// Counts of printed evaluations, of which there are few different ones.
    Printed(CellCounts),
    /// Counts of evaluations in other units, of which there are many different ones.
    Internal(Tally),
}

/// The cells of a group with their counts, one list for each table.
pub(super) type GroupCells = Vec<CountList>;

impl GroupCounts {
    fn new(rows: &GroupRows) -> Self {
        match rows.units {
            None => Self::Printed(CellCounts::default()),
            Some(_) => Self::Internal(Tally::default()),
        }
    }

    /// Counts positions, which must be ordered by result and full move.
    fn add(&mut self, keys: &[u32], rows: &GroupRows, slots: &EvalSlots) {
        let within = rows.within.0..=rows.within.1;
        // All positions of a run have the same result and full move.
        let runs = keys.chunk_by(|one, next| one >> Key::BUCKET == next >> Key::BUCKET);
        let runs =
            runs.filter_map(|run| Some((Key(*run.first()?), run.iter().map(|&key| Key(key)))));
        match self {
            Self::Printed(counts) if rows.by == By::Material => {
                for (first, keys) in runs.filter(|(first, _)| within.contains(&first.number())) {
                    let column = column(first.result());
                    keys.for_each(|key| {
                        counts.add(slots, key.material(), slots.place(key.eval()) + column);
                    });
                }
            }
            Self::Printed(counts) => {
                for (first, keys) in runs {
                    let column = column(first.result());
                    let keys = keys.filter(|key| within.contains(&key.material()));
                    counts.add_all(
                        slots,
                        first.number(),
                        keys.map(|key| slots.place(key.eval()) + column),
                    );
                }
            }
            Self::Internal(tally) => {
                keys.iter()
                    .filter_map(|&key| rows.cell(Key(key)))
                    .for_each(|cell| tally.add(cell.0));
            }
        }
    }

    /// Returns the cells and resets the counts. `room` is memory to work in.
    fn take(&mut self, counter: &GroupCounter, room: &mut CountList) -> CountList {
        match self {
            Self::Printed(counts) => {
                room.clear();
                counts.take(&counter.slots, 0..u32::MAX, |value, place, count| {
                    room.push(value << 22 | counter.of_places[place].0, count);
                });
                room.clone()
            }
            Self::Internal(tally) => std::mem::take(tally).into_sorted().into_iter().collect(),
        }
    }
}

impl GroupCounter {
    /// Creates a counter for evaluations rounded to `bin` centipawns.
    pub(super) fn new(tables: &[GroupRows], bin: u32) -> Self {
        let slots = EvalSlots::new(bin, 3);
        let of_places =
            slots.of_places(|eval, result| Cell::new(0, eval, result).unwrap_or(Cell(0)));
        Self {
            slots,
            tables: tables
                .iter()
                .copied()
                .filter(|rows| rows.by != By::Both)
                .collect(),
            of_places,
        }
    }

    /// Returns whether there are no tables.
    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Counts positions of a group, which must be ordered by result and full move. `counts` are
    /// empty or hold the earlier counts of the group.
    pub(super) fn count(&self, keys: &[u32], counts: &mut Vec<GroupCounts>) {
        if counts.is_empty() {
            counts.extend(self.tables.iter().map(GroupCounts::new));
        }
        for (rows, counts) in self.tables.iter().zip(counts) {
            counts.add(keys, rows, &self.slots);
        }
    }

    /// Returns the cells of a group and resets `counts`, whose memory is kept.
    pub(super) fn take(&self, counts: &mut [GroupCounts], room: &mut CountList) -> GroupCells {
        counts
            .iter_mut()
            .map(|counts| counts.take(self, room))
            .collect()
    }

    /// Combines the cells of all groups.
    pub(super) fn groups(&self, all: Vec<GroupCells>) -> Groups {
        let mut tables: Vec<GroupTable> = self
            .tables
            .iter()
            .map(|rows| GroupTable {
                rows: *rows,
                groups: Vec::with_capacity(GROUPS),
            })
            .collect();
        for group in all {
            tables
                .iter_mut()
                .zip(group)
                .for_each(|(table, cells)| table.groups.push(cells));
        }
        Groups { tables }
    }
}

const _: () = assert!(LARGEST_EVAL < EVAL_OFFSET);
