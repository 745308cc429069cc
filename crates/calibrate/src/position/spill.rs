//! Sorts more positions than fit in memory.
//!
//! Threads fill buffers. A full buffer is sorted, equal entries are summed, and the result is
//! appended to one temporary file as a *run*. Keys are spread evenly, so a range of keys takes
//! about the same share of each run. At the end, one range after the other is read from all runs,
//! sorted and summed again. Time is linear in the number of positions, and memory does not depend
//! on it.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
};

use centipawn_pgn::{GameView, Merge, ScanOptions, ScanReport, Sources, Unreadable, scan};
use centipawn_progress::Cancel;

use super::{GamePositions, NextMove, PositionGames, PositionRow, RatingBand, Results};

/// The number of games with one position, move, rating band and result. Entries are ordered by
/// [`PositionRow::order`] first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    /// From the highest bit: the code of the move (15 bits), of the rating band (5), of the result
    /// (2), and the number of games minus one (10).
    rest: u32,
}

const COUNT_BITS: u32 = 10;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;
/// Size of an entry in the file, in bytes.
const BYTES: usize = 12;

/// Number of leading bits of keys (the prefix) for which each run records where its entries begin.
const PREFIX_BITS: u32 = 12;
const PREFIXES: usize = 1 << PREFIX_BITS;
/// Approximate number of entries that are read and sorted at a time.
const RANGE: u64 = 1 << 20;
/// Approximate size of all buffers together, in bytes.
const BUFFERS: usize = 256 << 20;

impl Entry {
    /// Creates the entry of a position in one game.
    fn new(key: u64, mv: NextMove, band: RatingBand, results: Results) -> Self {
        let result = if results.white_wins > 0 {
            0
        } else {
            1 + u32::from(results.black_wins > 0)
        };
        let rest = u32::from(mv.code()) << 17 | u32::from(band.code()) << 12 | result << COUNT_BITS;
        Self { key, rest }
    }

    fn count(self) -> u32 {
        (self.rest & COUNT_MASK) + 1
    }

    /// Returns whether both entries differ at most in the number of games.
    fn is_like(self, other: Self) -> bool {
        self.key == other.key && self.rest >> COUNT_BITS == other.rest >> COUNT_BITS
    }

    fn prefix(self) -> usize {
        (self.key >> (64 - PREFIX_BITS)) as usize
    }
}

/// Sums equal neighbours of sorted entries, in place.
fn sum_up(entries: &mut Vec<Entry>) {
    let mut last = 0;
    for index in 1..entries.len() {
        let (own, entry) = (entries[last], entries[index]);
        if own.is_like(entry) && own.count() + entry.count() <= COUNT_MASK + 1 {
            entries[last].rest += entry.count();
        } else {
            last += 1;
            entries[last] = entry;
        }
    }
    entries.truncate(last + 1);
}

/// Returns the rows of sorted entries: results are summed by position, move and band.
fn rows(entries: &[Entry]) -> Vec<PositionRow> {
    let mut rows: Vec<PositionRow> = Vec::with_capacity(entries.len());
    let mut last = None;
    for entry in entries {
        let group = (entry.key, entry.rest >> 12);
        if last != Some(group) {
            last = Some(group);
            rows.push(PositionRow {
                key: entry.key,
                mv: NextMove::of_code((entry.rest >> 17) as u16).unwrap_or_default(),
                band: RatingBand::of_code((entry.rest >> 12 & 31) as u8).unwrap_or_default(),
                results: Results::default(),
            });
        }
        if let Some(row) = rows.last_mut() {
            let results = &mut row.results;
            *match entry.rest >> COUNT_BITS & 3 {
                0 => &mut results.white_wins,
                1 => &mut results.draws,
                _ => &mut results.black_wins,
            } += u64::from(entry.count());
        }
    }
    rows
}

/// A part of the temporary file whose entries are sorted and summed.
struct SortedRun {
    /// Offset of the run in the file, in bytes.
    offset: u64,
    /// For each prefix, the number of entries before it; finally the number of all entries.
    starts: Box<[u32; PREFIXES + 1]>,
}

/// The state of a scan on one thread. Most of it is memory that is reused for the next game.
#[derive(Default)]
struct Counting {
    games: PositionGames,
    positions: GamePositions,
    entries: Vec<Entry>,
}

impl Merge for Counting {
    fn merge(&mut self, later: Self) {
        self.games.merge(later.games);
    }
}

/// Counts the positions of any number of games in bounded memory, with buffers of entries and a
/// temporary file of full ones.
pub struct PositionSpill {
    buffers: Vec<Mutex<Vec<Entry>>>,
    capacity: usize,
    file: Mutex<Spilled>,
}

struct Spilled {
    file: File,
    end: u64,
    runs: Vec<SortedRun>,
    /// The first error. After it nothing is written any more.
    error: Option<io::Error>,
}

impl PositionSpill {
    /// Creates a spill for this number of threads. `file` must be empty.
    pub fn new(file: File, threads: usize) -> Self {
        let capacity = (BUFFERS / size_of::<Entry>() / threads.max(1)).clamp(1 << 14, 1 << 22);
        Self::with_capacity(file, threads, capacity)
    }

    /// Like [`new`](Self::new), with buffers of this many entries.
    fn with_capacity(file: File, threads: usize, capacity: usize) -> Self {
        let file = Spilled {
            file,
            end: 0,
            runs: Vec::new(),
            error: None,
        };
        let buffers = (0..threads.max(1)).map(|_| Mutex::default()).collect();
        Self {
            buffers,
            capacity,
            file: Mutex::new(file),
        }
    }

    /// Counts the positions of games on all cores. If the file cannot be written, the scan ends
    /// early, and [`finish`](Self::finish) returns the error.
    ///
    /// # Errors
    ///
    /// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
    pub fn count(
        &self,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(PositionGames, ScanReport), Unreadable> {
        let stop = options.cancel.map_or_else(Cancel::new, Cancel::child);
        let options = ScanOptions {
            cancel: Some(&stop),
            ..*options
        };
        let visit = |state: &mut Counting, game: &GameView<'_>| {
            let Counting {
                games,
                positions,
                entries,
            } = state;
            let Some((band, results)) = games.add(game) else {
                return;
            };
            entries.clear();
            positions.walk(game, |key, mv, _| {
                entries.push(Entry::new(key, mv, band, results));
            });
            if !self.fill(entries.len(), |buffer| buffer.extend_from_slice(entries)) {
                stop.set();
            }
        };
        let (counting, report) = scan(sources, &options, Counting::default, visit)?;
        Ok((counting.games, report))
    }

    /// Returns a buffer that no other thread is using.
    fn buffer(&self) -> MutexGuard<'_, Vec<Entry>> {
        let free = self
            .buffers
            .iter()
            .find_map(|buffer| match buffer.try_lock() {
                Ok(free) => Some(free),
                Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            });
        free.unwrap_or_else(|| lock(&self.buffers[0]))
    }

    /// Passes a buffer with room for `more` entries to `add`. Returns whether the file is still
    /// writable.
    fn fill(&self, more: usize, add: impl FnOnce(&mut Vec<Entry>)) -> bool {
        let mut buffer = self.buffer();
        let is_sound =
            buffer.len() + more <= self.capacity || buffer.is_empty() || self.write(&mut buffer);
        if is_sound {
            add(&mut buffer);
        }
        is_sound
    }

    /// Sorts a buffer, appends it to the file and empties it.
    fn write(&self, buffer: &mut Vec<Entry>) -> bool {
        buffer.sort_unstable();
        sum_up(buffer);
        let mut starts = Box::new([0_u32; PREFIXES + 1]);
        let mut bytes = Vec::with_capacity(buffer.len() * BYTES);
        for entry in buffer.iter() {
            starts[entry.prefix() + 1] += 1;
            bytes.extend_from_slice(&entry.key.to_le_bytes());
            bytes.extend_from_slice(&entry.rest.to_le_bytes());
        }
        for prefix in 0..PREFIXES {
            starts[prefix + 1] += starts[prefix];
        }
        buffer.clear();
        let mut spilled = lock(&self.file);
        let end = spilled.end;
        if spilled.error.is_none() {
            let write = |file: &mut File| {
                file.seek(SeekFrom::Start(end))
                    .and_then(|_| file.write_all(&bytes))
            };
            match write(&mut spilled.file) {
                Ok(()) => {
                    spilled.end += bytes.len() as u64;
                    spilled.runs.push(SortedRun {
                        offset: end,
                        starts,
                    });
                }
                Err(error) => spilled.error = Some(error),
            }
        }
        spilled.error.is_none()
    }

    /// Writes the rest of the buffers, and returns the sorted positions.
    ///
    /// # Errors
    ///
    /// The first error of writing the file.
    pub fn finish(self) -> io::Result<SortedPositions> {
        for buffer in &self.buffers {
            let mut buffer = lock(buffer);
            if !buffer.is_empty() {
                self.write(&mut buffer);
            }
        }
        drop(self.buffers);
        let Spilled {
            file, runs, error, ..
        } = self
            .file
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match error {
            Some(error) => Err(error),
            None => Ok(SortedPositions {
                file: Mutex::new(file),
                runs,
            }),
        }
    }
}

/// The positions of all games, which are sorted one range after the other.
pub struct SortedPositions {
    file: Mutex<File>,
    runs: Vec<SortedRun>,
}

impl SortedPositions {
    /// Ranges of prefixes, in order, with about `RANGE` entries each.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let (mut begin, mut entries) = (0, 0);
        for prefix in 0..PREFIXES {
            entries += self
                .runs
                .iter()
                .map(|run| u64::from(run.starts[prefix + 1] - run.starts[prefix]))
                .sum::<u64>();
            if entries >= RANGE || prefix + 1 == PREFIXES {
                ranges.push(begin..prefix + 1);
                (begin, entries) = (prefix + 1, 0);
            }
        }
        ranges
    }

    /// Returns the rows whose keys have a prefix in this range, sorted.
    ///
    /// # Errors
    ///
    /// Errors of reading the file.
    pub fn rows(&self, prefixes: &Range<usize>) -> io::Result<Vec<PositionRow>> {
        let mut entries = Vec::new();
        let mut bytes = Vec::new();
        for run in &self.runs {
            let [from, to] =
                [prefixes.start, prefixes.end].map(|prefix| run.starts[prefix] as usize);
            bytes.resize((to - from) * BYTES, 0);
            let mut file = lock(&self.file);
            file.seek(SeekFrom::Start(run.offset + (from * BYTES) as u64))?;
            file.read_exact(&mut bytes)?;
            drop(file);
            entries.extend(bytes.chunks_exact(BYTES).map(|entry| {
                let (mut key, mut rest) = ([0; 8], [0; 4]);
                key.copy_from_slice(&entry[..8]);
                rest.copy_from_slice(&entry[8..]);
                Entry {
                    key: u64::from_le_bytes(key),
                    rest: u32::from_le_bytes(rest),
                }
            }));
        }
        // The stable sort is fast here, because it merges runs that are already sorted.
        entries.sort();
        Ok(rows(&entries))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Entries of random games. There are few keys, so that many entries are equal.
    fn entries() -> impl Strategy<Value = Vec<(u64, u8, u8, u8)>> {
        prop::collection::vec(
            (
                prop::sample::select(vec![0, 1, 7, u64::MAX, 1 << 63, 1 << 52]),
                0..4_u8,
                0..4_u8,
                0..3_u8,
            ),
            0..400,
        )
    }

    fn row((key, mv, band, result): (u64, u8, u8, u8)) -> PositionRow {
        let mv = ["", "a2a4", "e2e4", "e7e8q"][usize::from(mv)]
            .parse()
            .unwrap();
        let mut results = Results::default();
        *[
            &mut results.white_wins,
            &mut results.draws,
            &mut results.black_wins,
        ][usize::from(result)] = 1;
        PositionRow {
            key,
            mv,
            band: RatingBand::of_code(band).unwrap(),
            results,
        }
    }

    fn summed(rows: impl IntoIterator<Item = PositionRow>) -> Vec<PositionRow> {
        let mut sums: BTreeMap<_, PositionRow> = BTreeMap::new();
        for row in rows {
            sums.entry(row.order())
                .and_modify(|own| own.results.merge(row.results))
                .or_insert(row);
        }
        sums.into_values().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn spilled_runs_sum_to_the_counts_in_memory(entries in entries(), capacity in 1..64_usize, at_a_time in 1..20_usize) {
            let spill = PositionSpill::with_capacity(tempfile::tempfile().unwrap(), 2, capacity);
            let rows: Vec<PositionRow> = entries.into_iter().map(row).collect();
            for some in rows.chunks(at_a_time) {
                let own = some.iter().map(|row| Entry::new(row.key, row.mv, row.band, row.results));
                prop_assert!(spill.fill(some.len(), |buffer| buffer.extend(own)));
            }
            let sorted = spill.finish().unwrap();
            let all: Vec<PositionRow> = sorted.ranges().iter().flat_map(|range| sorted.rows(range).unwrap()).collect();
            prop_assert_eq!(all, summed(rows));
        }
    }

    /// More games with one position than the number in an entry can hold.
    #[test]
    fn more_games_than_one_entry_holds_are_counted() {
        let spill = PositionSpill::with_capacity(tempfile::tempfile().unwrap(), 1, 1 << 14);
        let own = row((9, 2, 3, 0));
        for _ in 0..5_000 {
            spill.fill(1, |buffer| {
                buffer.push(Entry::new(own.key, own.mv, own.band, own.results));
            });
        }
        let sorted = spill.finish().unwrap();
        let all: Vec<PositionRow> = sorted
            .ranges()
            .iter()
            .flat_map(|range| sorted.rows(range).unwrap())
            .collect();
        assert_eq!(
            all,
            [PositionRow {
                results: Results {
                    white_wins: 5_000,
                    ..Results::default()
                },
                ..own
            }]
        );
    }
}
