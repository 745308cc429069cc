//! Counts in rows of evaluations and results.

use std::collections::HashMap;

use super::{LARGEST_EVAL, MATE};

/// The evaluations that rounding to a bin width leaves, numbered in ascending order.
pub(super) struct EvalSlots {
    /// The number of each evaluation from −2048 to 2047.
    slots: Vec<u16>,
    evals: Vec<i32>,
}

const LOWEST: i32 = -2048;

impl EvalSlots {
    pub(super) fn new(bin: u32) -> Self {
        let bin = bin as i32;
        let most = (LARGEST_EVAL + bin / 2 + bin % 2) / bin;
        let mut evals: Vec<i32> = (-most..=most).map(|index| index * bin).chain([-MATE, MATE]).collect();
        evals.sort_unstable();
        evals.dedup();
        let mut slots = vec![0; 4096];
        for (slot, &eval) in (0..).zip(&evals) {
            slots[(eval - LOWEST) as usize] = slot;
        }
        Self { slots, evals }
    }

    #[inline]
    fn slot(&self, eval: i32) -> usize {
        usize::from(self.slots[(eval - LOWEST) as usize & 4095])
    }
}

/// How often each evaluation and result was seen in each row.
///
/// Rows are dense, and a count is a byte: every 256th is carried to a map. A row that fits in the cache makes counting several
/// times faster than sorting or hashing, and memory is bounded by the number of rows.
#[derive(Debug, Default)]
pub(super) struct CellCounts {
    /// By evaluation, then by result; `None` for rows without positions.
    rows: Vec<Option<Box<[u8]>>>,
    /// Counts beyond the byte, by row and place.
    carried: HashMap<(u32, u32), u64>,
}

impl CellCounts {
    /// Counts a position with one of three results.
    #[inline]
    pub(super) fn add(&mut self, slots: &EvalSlots, row: u32, eval: i32, result: usize) {
        let place = 3 * slots.slot(eval) + result;
        match self.rows.get_mut(row as usize) {
            Some(Some(cells)) => {
                let count = &mut cells[place];
                *count = count.wrapping_add(1);
                if *count == 0 {
                    self.carry(row, place);
                }
            }
            _ => self.open(row, 3 * slots.evals.len())[place] = 1,
        }
    }

    #[cold]
    fn open(&mut self, row: u32, length: usize) -> &mut [u8] {
        if self.rows.len() <= row as usize {
            self.rows.resize(row as usize + 1, None);
        }
        self.rows[row as usize].insert(vec![0; length].into_boxed_slice())
    }

    #[cold]
    fn carry(&mut self, row: u32, place: usize) {
        *self.carried.entry((row, place as u32)).or_default() += 256;
    }

    /// At most how many cells were seen.
    pub(super) fn len(&self) -> usize {
        let rows = self.rows.iter().flatten();
        rows.map(|cells| cells.iter().filter(|count| **count > 0).count()).sum::<usize>() + self.carried.len()
    }

    /// Calls `see` with row, evaluation, result and count of all that was seen, in this order.
    pub(super) fn for_each(&self, slots: &EvalSlots, mut see: impl FnMut(u32, i32, usize, u64)) {
        for (row, cells) in (0..).zip(&self.rows) {
            let Some(cells) = cells else { continue };
            let mut seen = |place: usize, count: u64| see(row, slots.evals[place / 3], place % 3, count);
            if self.carried.keys().any(|(other, _)| *other == row) {
                for (place, &count) in cells.iter().enumerate() {
                    let more = self.carried.get(&(row, place as u32)).copied().unwrap_or_default();
                    let count = u64::from(count) + more;
                    if count > 0 {
                        seen(place, count);
                    }
                }
                continue;
            }
            // Most places are empty: eight of them are looked at together.
            let (words, rest) = cells.as_chunks::<8>();
            for (index, word) in words.iter().enumerate() {
                let mut left = u64::from_le_bytes(*word);
                while left != 0 {
                    let byte = left.trailing_zeros() as usize / 8;
                    seen(8 * index + byte, left >> (8 * byte) & 0xff);
                    left &= !(0xff << (8 * byte));
                }
            }
            let rest = (cells.len() - rest.len()..).zip(rest).filter(|(_, count)| **count > 0);
            rest.for_each(|(place, &count)| seen(place, u64::from(count)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::wdl::score::Bins;

    proptest! {
        #[test]
        fn counts_as_a_map(
            bin in 1..=2000u32,
            seen in prop::collection::vec((0..300u32, -1000..=1000i32, any::<bool>(), 0..3usize, 1..600usize), 1..20),
        ) {
            let (slots, bins) = (EvalSlots::new(bin), Bins::new(bin));
            let (mut counts, mut map) = (CellCounts::default(), BTreeMap::new());
            for (row, eval, is_mate, result, times) in seen {
                let eval = if is_mate { MATE * eval.signum() } else { bins.exact(eval) };
                (0..times).for_each(|_| counts.add(&slots, row, eval, result));
                *map.entry((row, eval, result)).or_insert(0) += times as u64;
            }
            let mut all = Vec::new();
            counts.for_each(&slots, |row, eval, result, count| all.push(((row, eval, result), count)));
            prop_assert_eq!(all, map.into_iter().collect::<Vec<_>>());
        }
    }

    /// WDL_model's rounding stays within the numbered evaluations too.
    #[test]
    fn every_evaluation_has_a_number() {
        for bin in 1..=2000 {
            let (slots, bins) = (EvalSlots::new(bin), Bins::new(bin));
            for cp in -LARGEST_EVAL..=LARGEST_EVAL {
                for eval in [Some(bins.exact(cp)), bins.reference(cp), bins.told(cp)].into_iter().flatten() {
                    assert_eq!(slots.evals[slots.slot(eval)], eval, "bin {bin}, {cp}");
                }
            }
        }
    }
}
