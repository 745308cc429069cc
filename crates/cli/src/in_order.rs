//! Work shared among threads whose results come out in the order of the input.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

/// Does `work` on every item, on so many threads, and shows `each` result in the order of the items. An item whose work gives
/// nothing is passed over; once `stop` is set it ends there, so that what was shown has no gap.
pub(crate) fn in_order<T: Send, R: Send>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(T) -> Option<R> + Sync,
    mut each: impl FnMut(R),
) {
    let items = Mutex::new(items.enumerate());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, items, work) = (sender.clone(), &items, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let Some((index, item)) = items.lock().unwrap_or_else(PoisonError::into_inner).next() else {
                        break;
                    };
                    // The receiver is there until the last sender is gone.
                    let _ = sender.send((index, work(item)));
                }
            });
        }
        drop(sender);
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                match result {
                    Some(result) => each(result),
                    // Its work may have been broken off.
                    None if stop.load(Ordering::Relaxed) => break,
                    None => {}
                }
                next += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_items() {
        let mut seen = Vec::new();
        let slow_first = |item: u64| {
            thread::sleep(std::time::Duration::from_millis(20 - item));
            (!item.is_multiple_of(3)).then_some(item)
        };
        in_order(0..20, 4, &AtomicBool::new(false), slow_first, |item| seen.push(item));
        assert_eq!(seen, (0..20).filter(|item: &u64| !item.is_multiple_of(3)).collect::<Vec<_>>());
    }

    #[test]
    fn it_stops() {
        let stop = AtomicBool::new(false);
        let mut seen = 0;
        in_order(
            0..,
            2,
            &stop,
            |item: u64| Some(item),
            |_| {
                seen += 1;
                stop.store(seen >= 10, Ordering::Relaxed);
            },
        );
        assert!(seen >= 10);
    }
}
