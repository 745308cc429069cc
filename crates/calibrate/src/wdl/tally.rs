//! Counts numbers with few distinct values in an open hash table.

use std::collections::HashMap;

/// Marks an empty place. It is never counted as a value.
const EMPTY: u32 = u32::MAX;

/// Number of occurrences of each value.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The values with their counts. The number of places is a power of two, and at most half of
    /// them are used.
    places: Vec<(u32, u32)>,
    len: usize,
    /// Counts beyond 32 bits, by value.
    carried: HashMap<u32, u64>,
}

impl Tally {
    /// Counts a value other than `u32::MAX`.
    #[inline]
    pub(super) fn add(&mut self, value: u32) {
        if 2 * self.len >= self.places.len() {
            self.grow();
        }
        let place = self.place(value);
        let (held, count) = &mut self.places[place];
        if *held == EMPTY {
            *held = value;
            self.len += 1;
        }
        *count = count.wrapping_add(1);
        if *count == 0 {
            self.carry(value);
        }
    }

    #[cold]
    fn carry(&mut self, value: u32) {
        *self.carried.entry(value).or_default() += 1 << 32;
    }

    /// Returns the place of a value, or the place where it belongs.
    #[inline]
    fn place(&self, value: u32) -> usize {
        let mask = self.places.len() - 1;
        // Fibonacci hashing: multiplication by 2^32 divided by the golden ratio spreads
        // neighbouring values, and the high bits of the product are the best ones.
        let mut place = ((u64::from(value.wrapping_mul(0x9e37_79b1)) * self.places.len() as u64)
            >> 32) as usize;
        while self.places[place].0 != value && self.places[place].0 != EMPTY {
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(EMPTY, 0); (2 * self.places.len()).max(64)];
        for (value, count) in std::mem::replace(&mut self.places, larger) {
            if value != EMPTY {
                let place = self.place(value);
                self.places[place] = (value, count);
            }
        }
    }

    /// Values in ascending order, with their counts.
    pub(super) fn into_sorted(self) -> Vec<(u32, u64)> {
        let carried = |value: u32| self.carried.get(&value).copied().unwrap_or_default();
        let seen = self.places.iter().filter(|(value, _)| *value != EMPTY);
        let mut seen: Vec<_> = seen
            .map(|&(value, count)| (value, carried(value) + u64::from(count)))
            .collect();
        seen.sort_unstable();
        seen
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_equal_those_of_a_map(values in prop::collection::vec((0..40u32, 0..50u32), 0..3000)) {
            let (mut tally, mut map) = (Tally::default(), BTreeMap::<u32, u64>::new());
            for value in values.iter().map(|(high, low)| high << 26 | low) {
                tally.add(value);
                *map.entry(value).or_default() += 1;
            }
            prop_assert_eq!(tally.into_sorted(), map.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn counts_beyond_32_bits() {
        let mut tally = Tally::default();
        (1..=3).for_each(|value| tally.add(value));
        let place = tally.place(2);
        tally.places[place].1 = u32::MAX;
        (0..3).for_each(|_| tally.add(2));
        tally.add(4);
        assert_eq!(
            tally.into_sorted(),
            [(1, 1), (2, (1 << 32) + 2), (3, 1), (4, 1)]
        );
    }
}
