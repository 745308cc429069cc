//! Sorting more positions than fit in memory.
//!
//! Threads fill buffers; a full buffer is sorted, summed up and appended to one temporary file as a *run*. Keys are spread evenly over all
//! numbers, so a range of keys takes about the same share of each run: ranges are read from all runs, sorted, and summed up again, one
//! after the other. Time is linear in the number of positions, memory does not depend on it.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    ops::Range,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
};

use centipawn_calibrate::position::{NextMove, RatingBand, Results};

use super::Row;

/// A position of some games with the same move, rating band and result. Its order is that of [`Row::order`] first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    key: u64,
    /// From the top: the code of the move (15 bits), of the rating band (5), of the result (2), and the number of games less one (10).
    rest: u32,
}

const COUNT_BITS: u32 = 10;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;
/// Bytes of an entry in the file.
const BYTES: usize = 12;

/// Leading bits of keys for which the places of entries are noted in each run.
const PREFIX_BITS: u32 = 12;
const PREFIXES: usize = 1 << PREFIX_BITS;
/// Entries that are read and sorted at a time, about.
const RANGE: u64 = 1 << 20;
/// Bytes of all buffers together, about.
const BUFFERS: usize = 256 << 20;

impl Entry {
    /// A position of one game.
    pub(super) fn new(key: u64, mv: NextMove, band: RatingBand, results: Results) -> Self {
        let result = if results.white_wins > 0 { 0 } else { 1 + u32::from(results.black_wins > 0) };
        let rest = u32::from(mv.code()) << 17 | u32::from(band.code()) << 12 | result << COUNT_BITS;
        Self { key, rest }
    }

    fn count(self) -> u32 {
        (self.rest & COUNT_MASK) + 1
    }

    /// Whether it differs from another one in the number of games at most.
    fn is_like(self, other: Self) -> bool {
        self.key == other.key && self.rest >> COUNT_BITS == other.rest >> COUNT_BITS
    }

    fn prefix(self) -> usize {
        (self.key >> (64 - PREFIX_BITS)) as usize
    }
}

/// Sums up neighbours of sorted entries, in place.
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

/// The rows of sorted entries.
fn rows(entries: &[Entry]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(entries.len());
    let mut last = None;
    for entry in entries {
        let group = (entry.key, entry.rest >> 12);
        if last != Some(group) {
            last = Some(group);
            rows.push(Row {
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

/// Entries of the temporary file that are sorted and summed up.
struct SortedRun {
    /// Its place in the file, in bytes.
    offset: u64,
    /// The number of entries before each prefix, and of all.
    starts: Box<[u32; PREFIXES + 1]>,
}

/// Buffers of entries, and the temporary file of what was in them.
pub(super) struct Spill {
    buffers: Vec<Mutex<Vec<Entry>>>,
    capacity: usize,
    file: Mutex<Spilled>,
}

struct Spilled {
    file: File,
    end: u64,
    runs: Vec<SortedRun>,
    /// After an error nothing more is written.
    error: Option<io::Error>,
}

impl Spill {
    /// For this number of threads, with an unnamed file in `folder`.
    pub(super) fn new(folder: &Path, threads: usize) -> io::Result<Self> {
        let capacity = (BUFFERS / size_of::<Entry>() / threads.max(1)).clamp(1 << 14, 1 << 22);
        Self::with_capacity(folder, threads, capacity)
    }

    /// The same with buffers of this many entries.
    pub(super) fn with_capacity(folder: &Path, threads: usize, capacity: usize) -> io::Result<Self> {
        let file = Spilled { file: tempfile::tempfile_in(folder)?, end: 0, runs: Vec::new(), error: None };
        let buffers = (0..threads.max(1)).map(|_| Mutex::default()).collect();
        Ok(Self { buffers, capacity, file: Mutex::new(file) })
    }

    /// A buffer that no other thread uses at the moment.
    fn buffer(&self) -> MutexGuard<'_, Vec<Entry>> {
        let free = self.buffers.iter().find_map(|buffer| match buffer.try_lock() {
            Ok(free) => Some(free),
            Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        free.unwrap_or_else(|| lock(&self.buffers[0]))
    }

    /// Passes a buffer with room for `more` entries to `add`. Returns whether the file can still be written.
    pub(super) fn fill(&self, more: usize, add: impl FnOnce(&mut Vec<Entry>)) -> bool {
        let mut buffer = self.buffer();
        let is_sound = buffer.len() + more <= self.capacity || buffer.is_empty() || self.write(&mut buffer);
        if is_sound {
            add(&mut buffer);
        }
        is_sound
    }

    /// Sorts a buffer and appends it to the file, which empties it.
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
            let write = |file: &mut File| file.seek(SeekFrom::Start(end)).and_then(|_| file.write_all(&bytes));
            match write(&mut spilled.file) {
                Ok(()) => {
                    spilled.end += bytes.len() as u64;
                    spilled.runs.push(SortedRun { offset: end, starts });
                }
                Err(error) => spilled.error = Some(error),
            }
        }
        spilled.error.is_none()
    }

    /// Ends filling.
    pub(super) fn finish(self) -> io::Result<Sorted> {
        for buffer in &self.buffers {
            let mut buffer = lock(buffer);
            if !buffer.is_empty() {
                self.write(&mut buffer);
            }
        }
        drop(self.buffers);
        let Spilled { file, runs, error, .. } = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        match error {
            Some(error) => Err(error),
            None => Ok(Sorted { file: Mutex::new(file), runs }),
        }
    }
}

/// Sorted runs.
pub(super) struct Sorted {
    file: Mutex<File>,
    runs: Vec<SortedRun>,
}

impl Sorted {
    /// Ranges of prefixes with about [`RANGE`] entries each, in their order.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let (mut begin, mut entries) = (0, 0);
        for prefix in 0..PREFIXES {
            entries += self.runs.iter().map(|run| u64::from(run.starts[prefix + 1] - run.starts[prefix])).sum::<u64>();
            if entries >= RANGE || prefix + 1 == PREFIXES {
                ranges.push(begin..prefix + 1);
                (begin, entries) = (prefix + 1, 0);
            }
        }
        ranges
    }

    /// The rows with keys in a range of prefixes.
    pub(super) fn rows(&self, prefixes: &Range<usize>) -> io::Result<Vec<Row>> {
        let mut entries = Vec::new();
        let mut bytes = Vec::new();
        for run in &self.runs {
            let [from, to] = [prefixes.start, prefixes.end].map(|prefix| run.starts[prefix] as usize);
            bytes.resize((to - from) * BYTES, 0);
            let mut file = lock(&self.file);
            file.seek(SeekFrom::Start(run.offset + (from * BYTES) as u64))?;
            file.read_exact(&mut bytes)?;
            drop(file);
            entries.extend(bytes.chunks_exact(BYTES).map(|entry| {
                let (mut key, mut rest) = ([0; 8], [0; 4]);
                key.copy_from_slice(&entry[..8]);
                rest.copy_from_slice(&entry[8..]);
                Entry { key: u64::from_le_bytes(key), rest: u32::from_le_bytes(rest) }
            }));
        }
        // Stable, because it merges sorted runs.
        entries.sort();
        Ok(rows(&entries))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
