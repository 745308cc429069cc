//! Counting keys from many threads in one small table.

use std::sync::{Mutex, PoisonError};

use super::{Counts, Key};

/// Parts of the table, each with its lock. A part of a large table fits a core's own cache.
const PARTS: usize = 64;

/// Keys that a thread gathers before it puts them in.
pub(crate) const BATCH: usize = 1 << 14;

/// How often each key was seen. Threads put keys in by the batch.
pub(crate) struct Table {
    parts: Vec<Mutex<Part>>,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { parts: (0..PARTS).map(|_| Mutex::new(Part::new(1 << 8))).collect() }
    }

    /// Counts these keys and empties the batch.
    pub(crate) fn add(&self, batch: &mut Vec<u32>) {
        // Sorted by part, so that each lock is taken once.
        let mut ends = [0usize; PARTS];
        for &key in batch.iter() {
            ends[part_of(key)] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum - *end;
        }
        let mut sorted = vec![0; batch.len()];
        for &key in batch.iter() {
            let place = &mut ends[part_of(key)];
            sorted[*place] = key;
            *place += 1;
        }
        let mut begin = 0;
        for (part, end) in self.parts.iter().zip(ends) {
            if begin < end {
                let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
                sorted[begin..end].iter().for_each(|&key| part.add(key));
            }
            begin = end;
        }
        batch.clear();
    }

    /// All that was counted.
    pub(crate) fn into_counts(self, bin: u32) -> Counts {
        let mut entries = Vec::new();
        for part in self.parts {
            let part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
            entries.extend(part.entries());
        }
        Counts::new(Some(bin), entries)
    }
}

/// Spreads keys that differ in a few bits only (Fibonacci hashing).
#[inline]
fn spread(key: u32) -> u32 {
    key.wrapping_mul(0x9e37_79b1)
}

#[inline]
fn part_of(key: u32) -> usize {
    (spread(key) >> 26) as usize
}

/// Keys and counts with open addressing; a count of 0 is a free place.
struct Part {
    keys: Vec<u32>,
    counts: Vec<u32>,
    used: usize,
    /// A key for each time that its count began again at 0.
    carried: Vec<u32>,
}

impl Part {
    fn new(capacity: usize) -> Self {
        Self { keys: vec![0; capacity], counts: vec![0; capacity], used: 0, carried: Vec::new() }
    }

    /// The place of a key, or the free one where it goes.
    #[inline]
    fn place(&self, key: u32) -> usize {
        let mask = self.keys.len() - 1;
        let hash = spread(key);
        // The six highest bits are the part's; those below are mixed by all the key's bits.
        let mut place = (hash >> 6 ^ hash) as usize & mask;
        while self.counts[place] != 0 && self.keys[place] != key {
            place = (place + 1) & mask;
        }
        place
    }

    #[inline]
    fn add(&mut self, key: u32) {
        let place = self.place(key);
        match self.counts[place] {
            0 => {
                self.keys[place] = key;
                self.counts[place] = 1;
                self.used += 1;
                if self.used * 4 > self.keys.len() * 3 {
                    self.grow();
                }
            }
            u32::MAX => {
                self.carried.push(key);
                self.counts[place] = 1;
            }
            _ => self.counts[place] += 1,
        }
    }

    fn grow(&mut self) {
        let mut larger = Self::new(2 * self.keys.len());
        for (&key, &count) in self.keys.iter().zip(&self.counts).filter(|(_, count)| **count > 0) {
            let place = larger.place(key);
            (larger.keys[place], larger.counts[place]) = (key, count);
        }
        (self.keys, self.counts) = (larger.keys, larger.counts);
    }

    fn entries(self) -> impl Iterator<Item = (Key, u64)> {
        let own = self.keys.into_iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let own = own.map(|(key, count)| (Key(key), u64::from(count)));
        own.chain(self.carried.into_iter().map(|key| (Key(key), u64::from(u32::MAX))))
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
            keys.chunks(777).for_each(|batch| table.add(&mut batch.to_vec()));
            let mut map = BTreeMap::<u32, u64>::new();
            keys.iter().for_each(|&key| *map.entry(key).or_default() += 1);
            let counted: Vec<(u32, u64)> = table.into_counts(5).iter().map(|(key, count)| (key.0, count)).collect();
            prop_assert_eq!(counted, map.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn large_counts_are_carried() {
        let mut part = Part::new(8);
        part.add(5);
        let place = part.place(5);
        part.counts[place] = u32::MAX;
        part.add(5);
        let counts = Counts::new(None, part.entries().collect());
        assert_eq!(counts.positions(), u64::from(u32::MAX) + 1);
    }
}
