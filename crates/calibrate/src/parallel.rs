//! Jobs on all cores, and numbers that look random but are always the same.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Results of the jobs 0 to `count`, in their order, on all cores.
pub(crate) fn in_parallel<T: Send>(count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, job(index)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(count.max(1));
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        others.into_iter().for_each(|other| done.extend(other.join().unwrap_or_default()));
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// SplitMix64.
pub(crate) fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A Poisson number of mean 1, from 16 bits of chance.
pub(crate) fn poisson(chance: u16) -> u32 {
    // Of 65,536 numbers, so many are at most 0, 1, 2, …
    const UP_TO: [u16; 7] = [24_109, 48_219, 60_274, 64_292, 65_296, 65_497, 65_531];
    UP_TO.iter().map(|&limit| u32::from(chance >= limit)).sum()
}
