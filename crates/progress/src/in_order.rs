//! Parallel work on items, with results in the order of the input.

use std::sync::{Mutex, PoisonError};

use crate::{Cancel, Cancelled, Job, Next, run_jobs};

/// Calls `work` with every item on `threads` threads, and calls `each` with the results in the
/// order of the items, on the current thread.
///
/// Items for which `work` returns `None` are skipped. After `cancel` is set, no further item is
/// started, but finished results still arrive at `each`. Items are read only a little ahead, so the
/// input may be endless. Returns whether the work was cancelled.
pub fn in_order<T: Send, R: Send>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    cancel: &Cancel,
    work: impl Fn(T) -> Option<R> + Send + Sync,
    mut each: impl FnMut(R),
) -> bool {
    let work = &work;
    run_jobs(
        items.map(|item| single_step(item, work)),
        threads,
        cancel,
        |result: Option<R>| {
            if let Some(result) = result {
                each(result);
            }
        },
    )
}

/// Returns a [`Job`] of one step, which calls `work` with `item`. Its output is `None` if `work`
/// returns `None`.
pub fn single_step<T: Send, R: Send>(
    item: T,
    work: impl Fn(T) -> Option<R> + Send + Sync,
) -> impl Job<Output = Option<R>> {
    Single {
        item: Mutex::new(Some(item)),
        result: Mutex::new(None),
        work,
    }
}

struct Single<T, R, F> {
    item: Mutex<Option<T>>,
    result: Mutex<Option<R>>,
    work: F,
}

impl<T: Send, R: Send, F: Fn(T) -> Option<R> + Send + Sync> Job for Single<T, R, F> {
    type Step = T;
    type Output = Option<R>;

    fn next(&self) -> Next<T> {
        self.item
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .map_or(Next::Done, Next::Step)
    }

    fn perform(&self, item: T) -> Result<(), Cancelled> {
        let result = (self.work)(item);
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = result;
        Ok(())
    }

    fn finish(&self) -> Option<R> {
        self.result
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::*;

    #[test]
    fn the_order_is_that_of_the_items() {
        let mut seen = Vec::new();
        let slow_first = |item: u64| {
            thread::sleep(Duration::from_millis(20 - item));
            (!item.is_multiple_of(3)).then_some(item)
        };
        let cancelled = in_order(0..20, 4, &Cancel::new(), slow_first, |item| seen.push(item));
        assert_eq!(
            seen,
            (0..20)
                .filter(|item: &u64| !item.is_multiple_of(3))
                .collect::<Vec<_>>()
        );
        assert!(!cancelled);
    }

    #[test]
    fn no_further_item_starts_after_a_cancel() {
        let cancel = Cancel::new();
        let mut seen = 0;
        let cancelled = in_order(
            0..,
            2,
            &cancel,
            |item: u64| Some(item),
            |_| {
                seen += 1;
                if seen == 10 {
                    cancel.set();
                }
            },
        );
        assert!(seen >= 10 && cancelled);
    }
}
