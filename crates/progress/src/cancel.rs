//! Cancellation of running work.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Cancels work permanently. All clones share one state; a [`child`](Self::child) is cancelled with
/// its parent, but not the other way round.
///
/// A program has one that its interrupt handler sets; a server has one for each job. Work checks
/// [`is_set`](Self::is_set) between its steps. Callbacks of [`on_set`](Self::on_set) wake code that
/// waits for an engine or a socket.
///
/// ```
/// use centipawn_progress::Cancel;
///
/// let server = Cancel::new();
/// let job = server.child();
/// let other_job = server.child();
/// job.set();
/// assert!(job.is_set() && !other_job.is_set() && !server.is_set());
/// server.set();
/// assert!(other_job.is_set());
/// ```
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

/// The work ended early because its [`Cancel`] was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Keeps a callback of [`Cancel::on_set`] registered; dropping it removes the callback.
#[must_use = "dropping it removes the callback"]
pub struct OnSet {
    state: Weak<State>,
    id: u64,
}

#[derive(Default)]
struct State {
    is_set: AtomicBool,
    actions: Mutex<Actions>,
    changed: Condvar,
    /// Only in a child: its callback at the parent. It is dropped with the child, so that the
    /// parent does not collect callbacks of finished jobs.
    _at_parent: Option<OnSet>,
}

type Action = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Actions {
    next: u64,
    list: BTreeMap<u64, Action>,
}

impl Cancel {
    /// Creates a value that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a value that is set together with this one, and can also be set alone.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Arc::new_cyclic(|child: &Weak<State>| {
            let child = Weak::clone(child);
            let at_parent = self.on_set(move || {
                if let Some(child) = child.upgrade() {
                    child.set();
                }
            });
            State {
                _at_parent: Some(at_parent),
                ..State::default()
            }
        });
        // If this value was already set, `on_set` above ran the callback at once, when `child`
        // could not be upgraded yet.
        if self.is_set() {
            child.set();
        }
        Self(child)
    }

    /// Returns whether the work is cancelled.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// Cancels the work, and runs all registered callbacks on this thread. Later calls have no
    /// effect.
    pub fn set(&self) {
        self.0.set();
    }

    /// Returns an error if the work is cancelled, for `?` between two steps.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if it is set.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_set() {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    /// Runs `action` when this value is set, or at once if it is already set. Dropping the returned
    /// guard removes the callback.
    pub fn on_set(&self, action: impl FnOnce() + Send + 'static) -> OnSet {
        let mut actions = self.0.actions();
        let id = actions.next;
        actions.next += 1;
        if self.0.is_set.load(Ordering::SeqCst) {
            drop(actions);
            action();
        } else {
            actions.list.insert(id, Box::new(action));
        }
        OnSet {
            state: Arc::downgrade(&self.0),
            id,
        }
    }

    /// Sleeps for `time`, or until this value is set. Returns whether it is set.
    pub fn wait(&self, time: Duration) -> bool {
        let until = Instant::now().checked_add(time);
        let mut actions = self.0.actions();
        loop {
            let left = until.map_or(Duration::MAX, |until| {
                until.saturating_duration_since(Instant::now())
            });
            if self.is_set() || left.is_zero() {
                return self.is_set();
            }
            actions = self
                .0
                .changed
                .wait_timeout(actions, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl State {
    fn actions(&self) -> MutexGuard<'_, Actions> {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self) {
        if self.is_set.swap(true, Ordering::SeqCst) {
            return;
        }
        let actions = std::mem::take(&mut self.actions().list);
        self.changed.notify_all();
        actions.into_values().for_each(|action| action());
    }
}

impl Drop for OnSet {
    fn drop(&mut self) {
        // Dropping the callback can drop another guard, which locks `actions` again. So remove it
        // under the lock, and drop it after the lock is released.
        let _action = self
            .state
            .upgrade()
            .and_then(|state| state.actions().list.remove(&self.id));
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel")
            .field("is_set", &self.is_set())
            .finish()
    }
}

impl fmt::Debug for OnSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnSet")
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicUsize, thread};

    use super::*;

    #[test]
    fn callbacks_run_once_unless_removed() {
        let cancel = Cancel::new();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = || {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(1, Ordering::Relaxed);
            }
        };
        let _kept = cancel.on_set(counted());
        drop(cancel.on_set(counted()));
        cancel.set();
        cancel.set();
        assert_eq!(count.load(Ordering::Relaxed), 1);
        let _late = cancel.on_set(counted());
        assert_eq!(count.load(Ordering::Relaxed), 2, "it is set already");
        assert_eq!(cancel.check(), Err(Cancelled));
    }

    #[test]
    fn grandchildren_are_cancelled_too() {
        let top = Cancel::new();
        let low = top.child().child();
        assert!(!low.is_set());
        // Keep the child in between: a dropped child does not forward the cancel.
        let middle = top.child();
        let lowest = middle.child();
        top.set();
        assert!(middle.is_set() && lowest.is_set());
        assert!(top.child().is_set(), "a child of one that is set");
        assert!(top.0.actions().list.is_empty());
    }

    #[test]
    fn dropped_children_are_unregistered() {
        let top = Cancel::new();
        for _ in 0..10 {
            drop(top.child());
        }
        assert!(top.0.actions().list.is_empty());
    }

    #[test]
    fn waiting_ends_early() {
        let cancel = Cancel::new();
        assert!(!cancel.wait(Duration::from_millis(1)));
        let began = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| cancel.set());
            assert!(cancel.wait(Duration::from_secs(60)));
        });
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
