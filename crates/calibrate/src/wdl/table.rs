//! Counting keys from several threads in one small table.

use std::{
    mem,
    sync::{Mutex, PoisonError},
};

use super::{Counts, Key};

/// Number of keys that a thread collects before it hands them over.
pub(crate) const BATCH: usize = 1 << 14;

/// Number of keys sorted together.
const SORTED: usize = 1 << 20;

/// Counts of keys.
///
/// Keys are sorted in batches of a million and merged into the sorted counts, so all memory access is sequential, which is
/// several times faster than a hash table. Memory use is twice the counts, plus two megabytes for each thread.
pub(crate) struct Table {
    open: Mutex<Vec<u32>>,
    sums: Mutex<Sums>,
}

/// Sorted keys with their counts, and a buffer for the next merge.
#[derive(Default)]
struct Sums {
    entries: Vec<(Key, u64)>,
    spare: Vec<(Key, u64)>,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { open: Mutex::new(Vec::with_capacity(SORTED)), sums: Mutex::default() }
    }

    /// Counts the keys of a batch and empties it.
    pub(crate) fn add(&self, batch: &mut Vec<u32>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.extend_from_slice(batch);
        batch.clear();
        if open.len() + BATCH > SORTED {
            let full = mem::replace(&mut *open, Vec::with_capacity(SORTED));
            drop(open);
            self.sum(full);
        }
    }

    fn sum(&self, mut keys: Vec<u32>) {
        sort(&mut keys);
        self.sums.lock().unwrap_or_else(PoisonError::into_inner).merge(&keys);
    }

    /// All counts.
    pub(crate) fn into_counts(self, bin: u32) -> Counts {
        let rest = mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        self.sum(rest);
        let sums = self.sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        Counts::new(Some(bin), sums.entries)
    }
}

impl Sums {
    /// Merges sorted keys into the counts.
    fn merge(&mut self, keys: &[u32]) {
        self.spare.clear();
        let mut old = self.entries.iter().copied().peekable();
        for run in keys.chunk_by(|a, b| a == b) {
            let key = Key(run[0]);
            while let Some(entry) = old.next_if(|entry| entry.0 < key) {
                self.spare.push(entry);
            }
            let before = old.next_if(|entry| entry.0 == key).map_or(0, |entry| entry.1);
            self.spare.push((key, before + run.len() as u64));
        }
        self.spare.extend(old);
        mem::swap(&mut self.entries, &mut self.spare);
    }
}

/// Radix sort, eleven bits at a time.
fn sort(keys: &mut Vec<u32>) {
    const BITS: u32 = 11;
    let mut other = vec![0; keys.len()];
    for shift in (0..u32::BITS).step_by(BITS as usize) {
        let digit = |key: u32| (key >> shift) as usize & ((1 << BITS) - 1);
        let mut places = [0u32; 1 << BITS];
        keys.iter().for_each(|&key| places[digit(key)] += 1);
        let mut sum = 0;
        for place in &mut places {
            sum += mem::replace(place, sum);
        }
        for &key in keys.iter() {
            let place = &mut places[digit(key)];
            other[*place as usize] = key;
            *place += 1;
        }
        mem::swap(keys, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_as_a_map(keys in prop::collection::vec((0..3u32, 0..40u32, 0..30u32), 0..3000)) {
            let keys: Vec<u32> = keys.iter().map(|(a, b, c)| a << 30 | b << 22 | c).collect();
            let table = Table::new();
            for batch in keys.chunks(777) {
                table.add(&mut batch.to_vec());
                // Merges the open buffer as if it were full.
                table.sum(mem::take(&mut *table.open.lock().unwrap()));
            }
            let mut map = BTreeMap::<u32, u64>::new();
            keys.iter().for_each(|&key| *map.entry(key).or_default() += 1);
            let counted: Vec<(u32, u64)> = table.into_counts(5).iter().map(|(key, count)| (key.0, count)).collect();
            prop_assert_eq!(counted, map.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn sorts(mut keys in prop::collection::vec(any::<u32>(), 0..3000)) {
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            sort(&mut keys);
            prop_assert_eq!(keys, sorted);
        }
    }
}
