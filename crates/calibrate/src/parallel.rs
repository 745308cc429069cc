//! Runs jobs on all cores, and draws the random weights of resamples.

use std::{
    num::NonZero,
    sync::{Mutex, PoisonError},
    thread,
};

use centipawn_core::mix64;
use centipawn_progress::{Cancel, Cancelled, Progress, Reporter, Unit};

/// Runs jobs 0 to `count` on all cores and returns their results in order. No job begins after
/// `cancel` is set.
pub(crate) fn in_parallel<T: Send>(
    count: usize,
    cancel: &Cancel,
    job: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Cancelled> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let job = |(): &mut (), index| (!cancel.is_set()).then(|| job(index));
    let done = on_threads(threads, (0..count).collect(), || (), job);
    cancel.check()?;
    Ok(done.into_iter().flatten().collect())
}

/// Processes items on several threads, each with its own state. Results are in the order of the
/// items. If a thread panics, so does the caller, so no result is missing.
pub(crate) fn on_threads<T: Send, S, R: Send>(
    threads: usize,
    items: Vec<T>,
    state: impl Fn() -> S + Sync,
    job: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let threads = threads.clamp(1, items.len().max(1));
    let items = Mutex::new(items.into_iter().enumerate());
    let work = || {
        let (mut state, mut done) = (state(), Vec::new());
        loop {
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, item)) = next else {
                return done;
            };
            done.push((index, job(&mut state, item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(
                other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Reports finished resamples from any thread.
pub(crate) struct Resampled<'a> {
    reporter: &'a dyn Reporter,
    progress: Mutex<Progress>,
}

impl<'a> Resampled<'a> {
    pub(crate) fn new(reporter: &'a dyn Reporter, total: usize, label: &str) -> Self {
        let progress = Progress {
            total: Some(total as u64),
            unit: Unit::Resamples,
            label: label.to_owned(),
            ..Progress::default()
        };
        Self {
            reporter,
            progress: Mutex::new(progress),
        }
    }

    /// Counts `more` resamples as finished.
    pub(crate) fn done(&self, more: usize) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.done += more as u64;
        self.reporter.progress(&progress);
    }
}

/// Returns whether `fitted` of the resamples are enough for errors and intervals. A resample
/// without a model is an extreme one, so an interval that lacks many of them is too narrow.
pub(crate) fn are_enough(fitted: usize, resamples: usize) -> bool {
    fitted >= 2 && 10 * fitted >= 9 * resamples
}

/// Returns what a seed contributes to the state of the random numbers; 0 for seed 0.
pub(crate) fn seeded(seed: u64) -> u64 {
    if seed == 0 { 0 } else { mix64(seed) }
}

/// Draws a Poisson number of mean 1 from 16 random bits.
pub(crate) fn poisson(chance: u16) -> u32 {
    // The cumulative distribution: of 65,536 values, how many give at most 0, 1, 2, …
    const UP_TO: [u16; 7] = [24_109, 48_219, 60_274, 64_292, 65_296, 65_497, 65_531];
    UP_TO.iter().map(|&limit| u32::from(chance >= limit)).sum()
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        time::Duration,
    };

    use super::*;

    #[test]
    fn nine_tenths_of_the_resamples_are_enough() {
        assert!(are_enough(90, 100) && are_enough(2, 2) && !are_enough(89, 100));
        assert!(!are_enough(0, 0) && !are_enough(1, 1) && !are_enough(2, 1000));
    }

    #[test]
    fn a_panic_of_a_thread_reaches_the_caller() {
        let caller = thread::current().id();
        let job = |(): &mut (), _: usize| {
            // Sleep, so that the other threads also take jobs.
            thread::sleep(Duration::from_millis(1));
            assert!(thread::current().id() == caller, "as it should");
        };
        let in_two = || on_threads(2, (0..200).collect(), || (), job);
        assert!(catch_unwind(AssertUnwindSafe(in_two)).is_err());
        let in_all = || in_parallel(200, &Cancel::new(), |index| job(&mut (), index));
        if thread::available_parallelism().is_ok_and(|threads| threads.get() > 1) {
            assert!(catch_unwind(AssertUnwindSafe(in_all)).is_err());
        }
        assert_eq!(
            in_parallel(3, &Cancel::new(), |index| index * index),
            Ok(vec![0, 1, 4])
        );
    }
}
