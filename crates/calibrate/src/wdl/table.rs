//! Counts keys from several threads in small tables.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use super::{
    Counts, Key, LAST_MOVE,
    cell_counts::{CellCounts, EvalSlots},
    count_list::CountList,
    groups::{GROUPS, GroupCounter, GroupCounts, group},
};
use crate::parallel::on_threads;

/// Number of positions of a group that are collected before they are counted together. Fewer would
/// not justify loading their tables into the cache.
const WAITING: usize = 1 << 16;

/// Counts of keys, in total and by group of games.
///
/// Keys are first collected by group of games until there are many, and counted for the group.
/// Sorted by their highest bits, which are result and full move, they are then collected by bucket.
/// Each bucket is counted in a small table with a row of evaluations for each material, which stays
/// in the cache meanwhile. A table that gets its first keys only at the end shares its memory with
/// others.
pub(crate) struct Table {
    slots: EvalSlots,
    /// One bucket for each result and full move.
    buckets: Vec<Mutex<Bucket>>,
    group_counter: GroupCounter,
    groups: Vec<Mutex<Group>>,
}

/// Number of positions of a bucket that are collected before they are counted together.
const WAITING_IN_BUCKET: usize = 1 << 12;

/// The positions with one result and full move.
#[derive(Default)]
struct Bucket {
    waiting: Vec<u32>,
    counts: CellCounts,
}

/// The positions of the games of one group.
#[derive(Default)]
struct Group {
    waiting: Vec<u32>,
    /// The counts of the group, one entry for each table.
    counts: Vec<GroupCounts>,
}

/// Number of pairs of result and full move that a key distinguishes.
const BUCKETS: usize = 3 << 8;

/// Returns the result and full move of a key as one number.
#[inline]
fn bucket(key: u32) -> usize {
    (key >> Key::BUCKET) as usize
}

impl Table {
    /// Creates a table for evaluations rounded to `bin` centipawns.
    pub(crate) fn new(bin: u32, group_counter: GroupCounter) -> Self {
        Self {
            slots: EvalSlots::new(bin, 1),
            buckets: (0..BUCKETS).map(|_| Mutex::default()).collect(),
            group_counter,
            groups: (0..GROUPS).map(|_| Mutex::default()).collect(),
        }
    }

    /// Counts the keys of a game.
    pub(crate) fn add(&self, keys: &[u32]) {
        let mut own = self.groups[group(keys)]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if own.waiting.capacity() == 0 {
            // Reserve room for one more game, because the limit is only checked after a game was
            // added.
            own.waiting.reserve_exact(WAITING + 2 * LAST_MOVE as usize);
        }
        own.waiting.extend_from_slice(keys);
        if own.waiting.len() >= WAITING {
            self.count(&mut own);
        }
    }

    #[inline(never)]
    fn count(&self, group: &mut Group) {
        let mut sorted = Vec::new();
        sort(&group.waiting, &mut sorted);
        group.waiting.clear();
        self.group_counter.count(&sorted, &mut group.counts);
        for keys in sorted.chunk_by(|one, next| bucket(*one) == bucket(*next)) {
            let Some(own) = keys.first().and_then(|key| self.buckets.get(bucket(*key))) else {
                continue;
            };
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            let Bucket { waiting, counts } = &mut *own;
            if waiting.len() + keys.len() < WAITING_IN_BUCKET {
                waiting.extend_from_slice(keys);
            } else {
                waiting
                    .drain(..)
                    .for_each(|key| self.count_one(key, counts));
                keys.iter().for_each(|&key| self.count_one(key, counts));
            }
        }
    }

    #[inline]
    fn count_one(&self, key: u32, counts: &mut CellCounts) {
        counts.add(
            &self.slots,
            Key(key).material(),
            self.slots.place(Key(key).eval()),
        );
    }

    /// Returns all counts, computed on several threads.
    pub(crate) fn into_counts(mut self, bin: u32, threads: usize) -> Counts {
        let groups = std::mem::take(&mut self.groups);
        // Groups with few positions have no tables yet, so they can share the memory of these.
        let room = || (Vec::new(), Vec::new(), CountList::default());
        let finished = on_threads(threads, groups, room, |(sorted, shared, room), own| {
            let mut own = own.into_inner().unwrap_or_else(PoisonError::into_inner);
            sort(&own.waiting, sorted);
            std::mem::swap(&mut own.waiting, sorted);
            let counts = if own.counts.is_empty() {
                shared
            } else {
                &mut own.counts
            };
            self.group_counter.count(&own.waiting, counts);
            (own.waiting, self.group_counter.take(counts, room))
        });
        let (waiting, cells): (Vec<Vec<u32>>, Vec<_>) = finished.into_iter().unzip();
        let step = if threads > 1 { BUCKETS / 32 } else { BUCKETS };
        let ranges = (0..BUCKETS)
            .step_by(step)
            .map(|begin| begin..begin + step)
            .collect();
        let lists = on_threads(threads, ranges, CellCounts::default, |shared, buckets| {
            self.entries(buckets, &waiting, shared)
        });
        drop(waiting);
        let mut lists = lists.into_iter();
        let mut entries = lists.next().unwrap_or_default();
        lists.for_each(|list| entries.append(&list));
        let counts = Counts::of_list(Some(bin), entries);
        if self.group_counter.is_empty() {
            counts
        } else {
            counts.with_groups(self.group_counter.groups(cells))
        }
    }

    /// Returns the keys of some buckets with their counts: those already counted, and those of
    /// sorted lists. `shared` is memory to work in, which must be empty and is empty afterwards.
    fn entries(
        &self,
        buckets: Range<usize>,
        lists: &[Vec<u32>],
        shared: &mut CellCounts,
    ) -> CountList {
        let mut entries = CountList::default();
        let evals = self.slots.of_places(|eval, _| eval);
        let from = |list: &Vec<u32>| list.partition_point(|key| bucket(*key) < buckets.start);
        let mut lists: Vec<&[u32]> = lists.iter().map(|list| &list[from(list)..]).collect();
        for (number, own) in buckets.clone().zip(&self.buckets[buckets]) {
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            let Bucket { waiting, counts } = &mut *own;
            let counts = if counts.is_empty() {
                &mut *shared
            } else {
                counts
            };
            waiting
                .drain(..)
                .for_each(|key| self.count_one(key, counts));
            for list in &mut lists {
                while let Some((&key, rest)) = list.split_first()
                    && bucket(key) == number
                {
                    self.count_one(key, counts);
                    *list = rest;
                }
            }
            counts.take(&self.slots, 0..u32::MAX, |material, place, count| {
                entries.push(Key::of_bucket(number, material, evals[place]).0, count);
            });
        }
        entries
    }
}

/// Sorts keys by bucket and otherwise keeps their order. `sorted` is overwritten.
fn sort(keys: &[u32], sorted: &mut Vec<u32>) {
    let mut ends = [0_usize; BUCKETS];
    keys.iter()
        .for_each(|&key| ends[bucket(key) % BUCKETS] += 1);
    let mut end = 0;
    for own in &mut ends {
        end += std::mem::replace(own, end);
    }
    // The contents are overwritten below.
    sorted.resize(keys.len(), 0);
    for &key in keys {
        let place = &mut ends[bucket(key) % BUCKETS];
        if let Some(sorted) = sorted.get_mut(*place) {
            *sorted = key;
        }
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::wdl::MoverResult;

    /// Returns random positions. Half of them fall into three buckets, so that these buckets are
    /// counted before the end.
    fn observed() -> impl Strategy<Value = (usize, u32, u32, i32)> {
        (
            0..3usize,
            prop_oneof![Just(30), 1..=200u32],
            prop_oneof![0..150u32, 0..1024u32],
            -200..=200i32,
        )
    }

    proptest! {
        #[test]
        fn counts_equal_those_of_a_map(keys in prop::collection::vec(observed(), 0..5000), more in prop_oneof![Just(1), Just(90)]) {
            let key = |(result, number, material, fives): (usize, u32, u32, i32)| {
                Key::packed(MoverResult::ALL[result], number, material, 5 * fives)
            };
            let keys: Vec<Key> = keys.into_iter().map(key).collect();
            let mut map = BTreeMap::<Key, u64>::new();
            for (index, &key) in keys.iter().enumerate() {
                *map.entry(key).or_default() += if index < 777 { more } else { 1 };
            }
            let map: Vec<(Key, u64)> = map.into_iter().collect();
            for threads in [1, 2] {
                let table = Table::new(5, GroupCounter::new(&[], 5));
                // One game occurs often, so that its group is counted before the end too.
                for (index, batch) in keys.chunks(777).enumerate() {
                    let batch: Vec<u32> = batch.iter().map(|key| key.0).collect();
                    (0..if index == 0 { more } else { 1 }).for_each(|_| table.add(&batch));
                }
                let counted: Vec<(Key, u64)> = table.into_counts(5, threads).iter().collect();
                prop_assert_eq!(&counted, &map);
            }
        }
    }
}
