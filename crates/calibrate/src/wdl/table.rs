//! Counting keys from several threads in small tables.

use std::sync::{Mutex, PoisonError};

use super::{
    Counts, Key, MoverResult,
    cell_counts::{CellCounts, EvalSlots},
};

/// Number of keys of a move that a thread hands over together.
const CHUNK: usize = 1 << 10;

/// Number of chunks that wait to be counted together. Fewer of them are not worth loading their table into the cache.
const WAITING: usize = 32;

/// Number of full moves that a key distinguishes.
const NUMBERS: usize = 256;

/// Counts of keys: for each full move a table with a row of evaluations for each result and material.
///
/// Each thread has a [`Sorter`] that divides keys by move. The keys of a move wait until there are many; then they are counted in a
/// table that stays in the cache meanwhile.
pub(crate) struct Table {
    slots: EvalSlots,
    numbers: Vec<Mutex<Number>>,
}

/// Positions at a full move.
#[derive(Default)]
struct Number {
    waiting: Vec<Vec<u32>>,
    counts: CellCounts,
}

impl Number {
    fn count(&mut self, slots: &EvalSlots) {
        for chunk in self.waiting.drain(..) {
            for key in chunk.into_iter().map(Key) {
                self.counts.add(slots, row(key.result(), key.material()), slots.place(key.eval()));
            }
        }
    }
}

/// Bits of the material; a row of more, of which there are hardly any, stands behind all others.
const MATERIAL: u32 = 7;
const BEHIND: u32 = 3 << MATERIAL;

#[inline]
fn row(result: MoverResult, material: u32) -> u32 {
    let result = result as u32;
    if material >> MATERIAL == 0 { result << MATERIAL | material } else { BEHIND + (result << 10 | material) }
}

/// Result and material of a row.
fn of_row(row: u32) -> (MoverResult, u32) {
    let (bits, row) = if row < BEHIND { (MATERIAL, row) } else { (10, row - BEHIND) };
    (MoverResult::ALL[(row >> bits) as usize % 3], row & ((1 << bits) - 1))
}

/// Keys of a thread by move, on their way to the [`Table`].
pub(crate) struct Sorter(Vec<Vec<u32>>);

impl Default for Sorter {
    fn default() -> Self {
        Self(vec![Vec::new(); NUMBERS])
    }
}

impl Table {
    /// For evaluations rounded to this width.
    pub(crate) fn new(bin: u32) -> Self {
        Self { slots: EvalSlots::new(bin, 1), numbers: (0..NUMBERS).map(|_| Mutex::default()).collect() }
    }

    /// Counts keys. Some of them stay in `sorter`, which is [handed over](Self::flush) at the end.
    #[inline]
    pub(crate) fn add(&self, keys: &[u32], sorter: &mut Sorter) {
        for &key in keys {
            let number = Key(key).number() as usize;
            let chunk = &mut sorter.0[number];
            if chunk.len() == chunk.capacity() {
                self.hand_over(number, chunk);
            }
            chunk.push(key);
        }
    }

    /// Counts what is left in a sorter.
    pub(crate) fn flush(&self, sorter: Sorter) {
        for (number, mut chunk) in sorter.0.into_iter().enumerate() {
            self.hand_over(number, &mut chunk);
        }
    }

    #[inline(never)]
    fn hand_over(&self, number: usize, chunk: &mut Vec<u32>) {
        if chunk.capacity() == 0 {
            chunk.reserve_exact(CHUNK);
            return;
        }
        let full = std::mem::replace(chunk, Vec::with_capacity(CHUNK));
        let mut number = self.numbers[number].lock().unwrap_or_else(PoisonError::into_inner);
        number.waiting.push(full);
        if number.waiting.len() >= WAITING {
            number.count(&self.slots);
        }
    }

    /// All counts.
    pub(crate) fn into_counts(self, bin: u32) -> Counts {
        let slots = &self.slots;
        let evals = slots.of_places(|eval, _| eval);
        let numbers = self.numbers.into_iter().map(|own| own.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut numbers: Vec<Number> = numbers.collect();
        numbers.iter_mut().for_each(|own| own.count(slots));
        let mut entries = Vec::new();
        // In the order of keys but for the rows behind, which `Counts` sorts.
        let rows = MoverResult::ALL.map(|result| row(result, 0)..row(result, 0) + (1 << MATERIAL));
        for rows in rows.into_iter().chain(std::iter::once(BEHIND..u32::MAX)) {
            for (number, own) in (0..).zip(&mut numbers) {
                own.counts.take(slots, rows.clone(), |row, place, count| {
                    let (result, material) = of_row(row);
                    entries.push((Key::packed(result, number, material, evals[place]), count));
                });
            }
        }
        Counts::new(Some(bin), entries)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_as_a_map(keys in prop::collection::vec((0..3usize, 1..=200u32, prop_oneof![0..150u32, 0..1024u32], -200..=200i32), 0..9000)) {
            let key = |(result, number, material, fives): (usize, u32, u32, i32)| {
                Key::packed(MoverResult::ALL[result], number, material, 5 * fives)
            };
            let keys: Vec<Key> = keys.into_iter().map(key).collect();
            let (table, mut sorters) = (Table::new(5), [Sorter::default(), Sorter::default()]);
            for (index, batch) in keys.chunks(777).enumerate() {
                table.add(&batch.iter().map(|key| key.0).collect::<Vec<_>>(), &mut sorters[index % 2]);
            }
            sorters.into_iter().for_each(|sorter| table.flush(sorter));
            let mut map = BTreeMap::<Key, u64>::new();
            keys.iter().for_each(|&key| *map.entry(key).or_default() += 1);
            let counted: Vec<(Key, u64)> = table.into_counts(5).iter().collect();
            prop_assert_eq!(counted, map.into_iter().collect::<Vec<_>>());
        }
    }
}
