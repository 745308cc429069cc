//! Counting keys from several threads in one small table.

use std::sync::{Mutex, PoisonError};

use super::{
    Counts, Key, MoverResult,
    cell_counts::{CellCounts, EvalSlots},
};

/// Number of keys that a thread collects before it hands them over: so many that each part of a table is used often while it is in
/// the cache. They take two megabytes, and as many again while they are counted.
pub(crate) const BATCH: usize = 1 << 19;

/// Number of full moves that a key distinguishes.
const NUMBERS: usize = 256;

/// Counts of keys: for each full move a table with a row for each material.
///
/// Batches are divided by move first, so that each lock is taken once in many keys and a table stays in the cache while it is
/// used.
pub(crate) struct Table {
    slots: EvalSlots,
    numbers: Vec<Mutex<CellCounts>>,
}

impl Table {
    /// For evaluations rounded to this width.
    pub(crate) fn new(bin: u32) -> Self {
        Self { slots: EvalSlots::new(bin), numbers: (0..NUMBERS).map(|_| Mutex::default()).collect() }
    }

    /// Counts the keys of a batch and empties it.
    pub(crate) fn add(&self, batch: &mut Vec<u32>) {
        let mut ends = [0; NUMBERS];
        batch.iter().for_each(|&key| ends[Key(key).number() as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut sorted = vec![0; batch.len()];
        for key in batch.drain(..) {
            let end = &mut ends[Key(key).number() as usize];
            sorted[*end] = key;
            *end += 1;
        }
        let mut begin = 0;
        for (counts, &end) in self.numbers.iter().zip(&ends) {
            if begin < end {
                let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                for key in sorted[begin..end].iter().map(|&key| Key(key)) {
                    counts.add(&self.slots, key.material(), key.eval(), key.result() as usize);
                }
            }
            begin = end;
        }
    }

    /// All counts.
    pub(crate) fn into_counts(self, bin: u32) -> Counts {
        // Keys are ordered by result first.
        let mut results = [const { Vec::new() }; 3];
        for (number, counts) in (0..).zip(self.numbers) {
            let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
            counts.for_each(&self.slots, |material, eval, result, count| {
                results[result].push((Key::packed(MoverResult::ALL[result], number, material, eval), count));
            });
        }
        Counts::new(Some(bin), results.concat())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_as_a_map(keys in prop::collection::vec((0..3usize, 1..=200u32, 0..150u32, -200..=200i32), 0..3000)) {
            let key = |(result, number, material, fives): (usize, u32, u32, i32)| {
                Key::packed(MoverResult::ALL[result], number, material, 5 * fives)
            };
            let keys: Vec<Key> = keys.into_iter().map(key).collect();
            let table = Table::new(5);
            for batch in keys.chunks(777) {
                table.add(&mut batch.iter().map(|key| key.0).collect());
            }
            let mut map = BTreeMap::<Key, u64>::new();
            keys.iter().for_each(|&key| *map.entry(key).or_default() += 1);
            let counted: Vec<(Key, u64)> = table.into_counts(5).iter().collect();
            prop_assert_eq!(counted, map.into_iter().collect::<Vec<_>>());
        }
    }
}
