//! Counts positions in rows of evaluations.

use std::{collections::HashMap, mem::take, ops::Range};

use super::{LARGEST_EVAL, MATE};

/// The evaluations that remain after rounding to a bin width, numbered in ascending order. Each one
/// has a fixed number of places in a row: one, or one for each result.
pub(super) struct EvalSlots {
    /// Index of the first place of each evaluation from −2048 to 2047.
    places: Vec<u16>,
    evals: Vec<i32>,
    of_each: usize,
}

const LOWEST: i32 = -2048;

impl EvalSlots {
    /// Creates the places of evaluations that are rounded to `bin` centipawns, `of_each` for each
    /// evaluation.
    pub(super) fn new(bin: u32, of_each: usize) -> Self {
        let bin = bin as i32;
        let most = (LARGEST_EVAL + bin / 2 + bin % 2) / bin;
        let mut evals: Vec<i32> = (-most..=most)
            .map(|index| index * bin)
            .chain([-MATE, MATE])
            .collect();
        evals.sort_unstable();
        evals.dedup();
        let mut places = vec![0; 4096];
        for (slot, &eval) in evals.iter().enumerate() {
            places[(eval - LOWEST) as usize] = (of_each * slot) as u16;
        }
        Self {
            places,
            evals,
            of_each,
        }
    }

    /// Returns the index of the first place of an evaluation.
    #[inline]
    pub(super) fn place(&self, eval: i32) -> usize {
        usize::from(self.places[(eval - LOWEST) as usize & 4095])
    }

    /// Computes a value for each place of a row, from its evaluation and its index among the places
    /// of that evaluation.
    pub(super) fn of_places<T>(&self, value: impl Fn(i32, usize) -> T) -> Vec<T> {
        let value = &value;
        self.evals
            .iter()
            .flat_map(|&eval| (0..self.of_each).map(move |which| value(eval, which)))
            .collect()
    }

    /// Returns the length of a row, rounded up to whole words.
    fn row(&self) -> usize {
        (self.of_each * self.evals.len()).next_multiple_of(WORD)
    }
}

/// Number of cells in a word of the processor.
const WORD: usize = 8;

/// Number of cells that are tested together for being empty.
const BLOCK: usize = 64;

/// Marks rows without positions.
const NONE: u32 = u32::MAX;

/// Number of positions in each place of each row.
///
/// Rows are dense, and a count is one byte: every 256th position is carried to a map. Rows that fit
/// into the cache make counting several times faster than sorting or hashing. Memory is bounded by
/// the number of rows.
#[derive(Debug, Default)]
pub(super) struct CellCounts {
    /// For each row, the index of its first cell, or [`NONE`].
    begins: Vec<u32>,
    /// The cells, row after row, in the order in which rows were first seen.
    cells: Vec<u8>,
    /// Counts beyond the byte, by index of the cell.
    carried: HashMap<u32, u64>,
    /// The carried counts in ascending order of the index, used while counts are taken.
    sorted: Vec<(u32, u64)>,
}

impl CellCounts {
    /// Returns whether nothing was counted since the creation.
    pub(super) fn is_empty(&self) -> bool {
        self.begins.is_empty()
    }

    /// Counts a position at a place of a row.
    #[inline]
    pub(super) fn add(&mut self, slots: &EvalSlots, row: u32, place: usize) {
        let index = self
            .begins
            .get(row as usize)
            .map_or(usize::MAX, |begin| *begin as usize + place);
        match self.cells.get_mut(index) {
            Some(count) => {
                *count = count.wrapping_add(1);
                if *count == 0 {
                    self.carry(index);
                }
            }
            None => self.open(slots, row, place),
        }
    }

    /// Counts positions at several places of a row.
    pub(super) fn add_all(
        &mut self,
        slots: &EvalSlots,
        row: u32,
        places: impl Iterator<Item = usize>,
    ) {
        let mut places = places;
        if self
            .begins
            .get(row as usize)
            .is_none_or(|begin| *begin == NONE)
        {
            let Some(first) = places.next() else { return };
            self.open(slots, row, first);
        }
        let begin = self.begins[row as usize] as usize;
        for place in places {
            let Some(count) = self.cells.get_mut(begin + place) else {
                continue;
            };
            *count = count.wrapping_add(1);
            if *count == 0 {
                self.carry(begin + place);
            }
        }
    }

    /// Makes room for a new row and counts its first position.
    #[cold]
    fn open(&mut self, slots: &EvalSlots, row: u32, place: usize) {
        if self.begins.len() <= row as usize {
            self.begins.resize(row as usize + 1, NONE);
        }
        self.begins[row as usize] = self.cells.len() as u32;
        self.cells.resize(self.cells.len() + slots.row(), 0);
        self.add(slots, row, place);
    }

    #[cold]
    fn carry(&mut self, index: usize) {
        *self.carried.entry(index as u32).or_default() += 256;
    }

    /// Calls `see` with row, place and count of all positions in a range of rows, in this order,
    /// and resets them to 0. The memory is kept.
    pub(super) fn take(
        &mut self,
        slots: &EvalSlots,
        rows: Range<u32>,
        mut see: impl FnMut(u32, usize, u64),
    ) {
        let length = slots.row();
        if !self.carried.is_empty() {
            self.sorted.retain(|(_, count)| *count > 0);
            self.sorted.extend(self.carried.drain());
            self.sorted.sort_unstable();
        }
        let all = self.begins.len();
        let begins = &self.begins[all.min(rows.start as usize)..all.min(rows.end as usize)];
        for (row, &begin) in rows.zip(begins).filter(|(_, begin)| **begin != NONE) {
            let cells = &mut self.cells[begin as usize..begin as usize + length];
            let [first, end] = [begin, begin + length as u32]
                .map(|end| self.sorted.partition_point(|own| own.0 < end));
            if first < end {
                let mut carried = self.sorted[first..end].iter_mut().peekable();
                for (place, count) in cells.iter_mut().enumerate() {
                    let more = carried
                        .next_if(|own| own.0 == begin + place as u32)
                        .map_or(0, |own| take(&mut own.1));
                    let count = u64::from(take(count)) + more;
                    if count > 0 {
                        see(row, place, count);
                    }
                }
                continue;
            }
            for (index, block) in cells.chunks_mut(BLOCK).enumerate() {
                let words = block.as_chunks::<WORD>().0;
                if words
                    .iter()
                    .fold(0, |seen, word| seen | u64::from_ne_bytes(*word))
                    == 0
                {
                    continue;
                }
                let words = words.iter().enumerate();
                let mut seen = words.fold(0, |seen, (index, word)| {
                    seen | not_empty(*word) << (WORD * index)
                });
                while seen != 0 {
                    let place = seen.trailing_zeros() as usize;
                    see(row, BLOCK * index + place, u64::from(block[place]));
                    seen &= seen - 1;
                }
                block.fill(0);
            }
        }
    }
}

/// Returns a mask with one bit for each byte that is not 0.
#[inline]
fn not_empty(word: [u8; WORD]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let word = u64::from_le_bytes(word);
    // Set the highest bit of each such byte, then move these bits next to each other.
    let highest = (((word & LOW) + LOW) | word) & !LOW;
    (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::wdl::score::Bins;

    proptest! {
        #[test]
        fn counts_equal_those_of_a_map(
            bin in 1..=2000u32,
            seen in prop::collection::vec((0..300u32, -1000..=1000i32, any::<bool>(), 0..3usize, 1..600usize), 1..20),
        ) {
            let (slots, bins) = (EvalSlots::new(bin, 3), Bins::new(bin));
            let of_places = slots.of_places(|eval, result| (eval, result));
            let mut counts = CellCounts::default();
            // The second round uses the same memory again.
            for _ in 0..2 {
                let mut map = BTreeMap::new();
                for &(row, eval, is_mate, result, times) in &seen {
                    let eval = if is_mate { MATE * eval.signum() } else { bins.exact(eval) };
                    (0..times).for_each(|_| counts.add(&slots, row, slots.place(eval) + result));
                    *map.entry((row, eval, result)).or_insert(0) += times as u64;
                }
                let mut all = Vec::new();
                counts.take(&slots, 0..u32::MAX, |row, place, count| {
                    let (eval, result) = of_places[place];
                    all.push(((row, eval, result), count));
                });
                prop_assert_eq!(&all, &map.into_iter().collect::<Vec<_>>());
            }
        }
    }

    /// The evaluations that WDL_model's rounding gives must have a place too.
    #[test]
    fn every_rounded_evaluation_has_a_place() {
        for bin in 1..=2000 {
            let (slots, bins) = (EvalSlots::new(bin, 3), Bins::new(bin));
            for cp in -LARGEST_EVAL..=LARGEST_EVAL {
                for eval in [Some(bins.exact(cp)), bins.reference(cp), bins.rounded(cp)]
                    .into_iter()
                    .flatten()
                {
                    assert_eq!(slots.evals[slots.place(eval) / 3], eval, "bin {bin}, {cp}");
                }
            }
        }
    }
}
