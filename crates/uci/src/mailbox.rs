//! The newest message for a thread. Older messages that the thread has not read are dropped.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A mailbox for one message.
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    inside: Mutex<(Option<T>, bool)>,
    changed: Condvar,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self {
            inside: Mutex::default(),
            changed: Condvar::new(),
        }
    }
}

impl<T> Mailbox<T> {
    fn inside(&self) -> MutexGuard<'_, (Option<T>, bool)> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the waiting message.
    pub(crate) fn put(&self, message: T) {
        self.inside().0 = Some(message);
        self.changed.notify_all();
    }

    /// Ends the mailbox. No further message follows.
    pub(crate) fn close(&self) {
        self.inside().1 = true;
        self.changed.notify_all();
    }

    /// Waits for the next message; `None` after the end.
    pub(crate) fn take(&self) -> Option<T> {
        let mut inside = self.inside();
        loop {
            if inside.1 {
                return None;
            }
            if let Some(message) = inside.0.take() {
                return Some(message);
            }
            inside = self
                .changed
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns whether a newer message waits, or the mailbox has ended.
    pub(crate) fn is_stale(&self) -> bool {
        let inside = self.inside();
        inside.0.is_some() || inside.1
    }
}
