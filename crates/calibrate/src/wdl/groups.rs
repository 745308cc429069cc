//! Counts by group of games, from which errors by game follow.

use std::sync::{Mutex, PoisonError};

use centipawn_core::Argument;
use serde::{Deserialize, Serialize};

use super::{
    By, Key, LARGEST_EVAL, LAST_MOVE, Selection, Units,
    cell_counts::{CellCounts, EvalSlots},
    grid::column,
    tally::Tally,
};
use crate::parallel::{mix, on_threads};

/// Number of groups that games are divided into.
///
/// A standard error from 128 groups is itself uncertain by 6 %, whatever the number of games.
pub const GROUPS: usize = 128;

/// Counts of positions by group of games.
///
/// Positions of a game are correlated, so errors must be those of games. Each game belongs to one of [`GROUPS`] groups, by a
/// hash of its counted positions; a bootstrap of groups gives errors by game, and groups of games make the parts of a held-out
/// test. Groups do not depend on files, threads or shards, so that those of parts add up to those of the whole, and they are
/// small: at most a count for each group, row, evaluation and result, however many games there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<GroupTable>", into = "Vec<GroupTable>")]
pub struct Groups {
    pub(super) tables: Vec<GroupTable>,
}

/// One table of [`Groups`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GroupTable {
    pub(super) rows: GroupRows,
    /// For each group the cells seen, in ascending order, with their counts.
    pub(super) groups: Vec<Vec<(Cell, u32)>>,
}

/// What the rows of a table are, and which positions it has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRows {
    /// The rows' argument, material or move; all its values are counted.
    pub by: By,
    /// First and last value of the other argument, move or material, that is counted.
    pub within: (u32, u32),
    /// The unit of the evaluations; `None` for printed centipawns, which any unit can be made of that depends on the row alone.
    pub units: Option<Units>,
}

impl Eq for GroupRows {}

/// A kind of position, in 32 bits: the row's value (10), the evaluation (20), the result (2: win, draw, loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Cell(pub(super) u32);

const EVAL_OFFSET: i32 = 1 << 19;

impl Cell {
    /// `None` for an evaluation that no fit uses, beyond half a million units.
    fn new(value: u32, eval: i32, result: usize) -> Option<Self> {
        let eval = u32::try_from(eval + EVAL_OFFSET).ok().filter(|eval| *eval < 1 << 20)?;
        Some(Self(value << 22 | eval << 2 | result as u32))
    }

    /// The row's value.
    pub(super) fn value(self) -> u32 {
        self.0 >> 22
    }

    /// The evaluation, in the table's unit.
    pub(super) fn eval(self) -> i32 {
        (self.0 >> 2 & 0xf_ffff) as i32 - EVAL_OFFSET
    }

    /// 0 for a win, 1 for a draw, 2 for a loss.
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
        let is_sorted = |cells: &Vec<(Cell, u32)>| {
            cells.is_sorted_by(|one, next| one.0 < next.0) && cells.iter().all(|(cell, _)| cell.is_sound())
        };
        let is_sound = |table: &GroupTable| {
            table.groups.len() == GROUPS && table.rows.by != By::Both && table.groups.iter().all(is_sorted)
        };
        if tables.iter().all(is_sound) { Ok(Self { tables }) } else { Err("these are no counts by group of games") }
    }
}

impl From<Groups> for Vec<GroupTable> {
    fn from(groups: Groups) -> Self {
        groups.tables
    }
}

impl GroupRows {
    /// The tables that every fit with the usual limits of moves and material can use.
    pub fn usual() -> Vec<Self> {
        let usual = Selection::default();
        [(By::Material, usual.moves), (By::Move, usual.material)]
            .map(|(by, within)| Self { by, within, units: None })
            .to_vec()
    }

    /// The [usual](Self::usual) tables, and if none of them serves this selection the one that does.
    pub fn of_selection(selection: &Selection) -> Vec<Self> {
        let mut all = Self::usual();
        if selection.by != By::Both && !all.iter().any(|rows| rows.serves(selection)) {
            let within = other_limits(selection);
            let printed = Self { by: selection.by, within, units: None };
            let exact = Self { units: Some(selection.units), ..printed };
            all.push(if printed.serves(selection) { printed } else { exact });
        }
        all
    }

    /// Whether the observations of a selection can be taken from the table.
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

    /// The row's value of a position; `None` if it is not counted.
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

    /// A cell's evaluation in the unit of a selection that the table [serves](Self::serves).
    pub(super) fn internal(&self, cell: Cell, selection: &Selection) -> i32 {
        let (eval, value) = (cell.eval(), cell.value());
        if self.units.is_some() { eval } else { selection.units.internal(eval, value, value) }
    }
}

/// The limits of the argument that the rows are not by.
fn other_limits(selection: &Selection) -> (u32, u32) {
    if selection.by == By::Move { selection.material } else { selection.moves }
}

impl Groups {
    /// The table for a selection; `None` if games must be counted again for it.
    pub(super) fn table(&self, selection: &Selection) -> Option<&GroupTable> {
        self.tables.iter().find(|table| table.rows.serves(selection))
    }

    /// The sum with the groups of other games. Tables that only one of them has are dropped.
    pub(super) fn merged(self, later: Self) -> Self {
        let mut others = later.tables;
        let merged = self.tables.into_iter().filter_map(|table| {
            let other = others.iter().position(|other| other.rows == table.rows)?;
            let other = others.swap_remove(other);
            let groups = table.groups.into_iter().zip(other.groups).map(|(own, other)| sum(own, other)).collect();
            Some(GroupTable { rows: table.rows, groups })
        });
        Self { tables: merged.collect() }
    }
}

/// Merges sorted lists, adding up counts of equal cells.
fn sum(own: Vec<(Cell, u32)>, other: Vec<(Cell, u32)>) -> Vec<(Cell, u32)> {
    let mut all = own;
    all.extend(other);
    all.sort_unstable_by_key(|(cell, _)| *cell);
    all.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            kept.1 = kept.1.saturating_add(later.1);
        }
        is_same
    });
    all
}

/// The group of a game with these positions.
fn group(keys: &[u32]) -> usize {
    let hash = keys.iter().fold(keys.len() as u64, |hash, &key| {
        (hash.rotate_left(23) ^ u64::from(key)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mix(hash) >> 32) as usize % GROUPS
}

/// Number of positions of a group that wait to be counted together. Fewer of them are not worth loading the group's tables into the
/// cache.
const WAITING: usize = 1 << 15;

/// Counts groups from several threads.
pub(super) struct GroupCounter {
    slots: EvalSlots,
    tables: Vec<GroupRows>,
    groups: Vec<Mutex<Group>>,
}

/// The positions of a group's games. They wait until there are many; then they are counted in tables that stay in the cache
/// meanwhile.
struct Group {
    waiting: Vec<u32>,
    /// For each table.
    counts: Vec<GroupCounts>,
}

/// Counts of a group.
enum GroupCounts {
    /// Of printed evaluations, of which there are few.
    Printed(CellCounts),
    /// Of evaluations in other units.
    Internal(Tally),
}

impl GroupCounts {
    fn new(rows: &GroupRows) -> Self {
        match rows.units {
            None => Self::Printed(CellCounts::default()),
            Some(_) => Self::Internal(Tally::default()),
        }
    }

    fn add(&mut self, keys: &[u32], rows: &GroupRows, slots: &EvalSlots) {
        let keys = keys.iter().map(|&key| Key(key));
        match self {
            Self::Printed(counts) => {
                for (key, value) in keys.filter_map(|key| Some((key, rows.value(key)?))) {
                    counts.add(slots, value, slots.place(key.eval()) + column(key.result()));
                }
            }
            Self::Internal(tally) => keys.filter_map(|key| rows.cell(key)).for_each(|cell| tally.add(cell.0)),
        }
    }

    /// The cells in ascending order; nothing is left. `of_places` has for each place the cell in row 0, `room` is memory to use.
    fn take(&mut self, slots: &EvalSlots, of_places: &[Cell], room: &mut Vec<(Cell, u32)>) -> Vec<(Cell, u32)> {
        match self {
            Self::Printed(counts) => {
                room.clear();
                counts.take(slots, 0..u32::MAX, |value, place, count| {
                    let cell = Cell(value << 22 | of_places[place].0);
                    room.push((cell, u32::try_from(count).unwrap_or(u32::MAX)));
                });
                room.clone()
            }
            Self::Internal(tally) => {
                std::mem::take(tally).into_sorted().into_iter().map(|(cell, count)| (Cell(cell), count)).collect()
            }
        }
    }
}

impl GroupCounter {
    /// For evaluations rounded to this width.
    pub(super) fn new(tables: &[GroupRows], bin: u32) -> Self {
        let tables = tables.iter().copied().filter(|rows| rows.by != By::Both).collect();
        let group = || Mutex::new(Group { waiting: Vec::new(), counts: Vec::new() });
        Self { slots: EvalSlots::new(bin, 3), tables, groups: (0..GROUPS).map(|_| group()).collect() }
    }

    /// Counts the positions of a game.
    pub(super) fn add(&self, keys: &[u32]) {
        if self.tables.is_empty() {
            return;
        }
        let mut own = self.groups[group(keys)].lock().unwrap_or_else(PoisonError::into_inner);
        if own.waiting.capacity() == 0 {
            // With room for the game that is one too many.
            own.waiting.reserve_exact(WAITING + 2 * LAST_MOVE as usize);
        }
        own.waiting.extend_from_slice(keys);
        if own.waiting.len() >= WAITING {
            self.count(&mut own);
        }
    }

    fn count(&self, group: &mut Group) {
        if group.counts.is_empty() {
            group.counts = self.tables.iter().map(GroupCounts::new).collect();
        }
        for (rows, counts) in self.tables.iter().zip(&mut group.counts) {
            counts.add(&group.waiting, rows, &self.slots);
        }
        group.waiting.clear();
    }

    /// The counts, sorted.
    pub(super) fn finish(mut self, threads: usize) -> Groups {
        let groups = std::mem::take(&mut self.groups);
        let of_places = self.slots.of_places(|eval, result| Cell::new(0, eval, result).unwrap_or(Cell(0)));
        // Where no group has had many positions, they share the memory of a table.
        let room = || (Group { waiting: Vec::new(), counts: Vec::new() }, Vec::new());
        let mut tables: Vec<Vec<Vec<(Cell, u32)>>> = self.tables.iter().map(|_| Vec::with_capacity(GROUPS)).collect();
        let sorted = on_threads(threads, groups, room, |(shared, room), own| {
            let mut own = own.into_inner().unwrap_or_else(PoisonError::into_inner);
            let group = if own.counts.is_empty() {
                shared.waiting = own.waiting;
                shared
            } else {
                &mut own
            };
            self.count(group);
            group.counts.iter_mut().map(|counts| counts.take(&self.slots, &of_places, room)).collect::<Vec<_>>()
        });
        for group in sorted {
            tables.iter_mut().zip(group).for_each(|(table, cells)| table.push(cells));
        }
        let tables = self.tables.iter().zip(tables).map(|(rows, groups)| GroupTable { rows: *rows, groups });
        Groups { tables: tables.collect() }
    }
}

const _: () = assert!(LARGEST_EVAL < EVAL_OFFSET);
