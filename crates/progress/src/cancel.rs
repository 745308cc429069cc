//! Cancellation.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Cancels work permanently. Clones are the same value; [`child`](Self::child)ren follow their parent.
///
/// A program has one that its interrupt handler sets, a server one for each job. Work checks [`is_set`](Self::is_set) between its steps;
/// callbacks of [`on_set`](Self::on_set) wake waiting code (an engine, a socket).
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

/// Work ended early because its [`Cancel`] was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Keeps an action of [`Cancel::on_set`] registered; dropping it takes the action back.
#[must_use = "dropping it takes the action back"]
pub struct OnSet {
    state: Weak<State>,
    id: u64,
}

#[derive(Default)]
struct State {
    is_set: AtomicBool,
    actions: Mutex<Actions>,
    changed: Condvar,
    /// In a child: its action at the parent, which ends with the child.
    _at_parent: Option<OnSet>,
}

type Action = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Actions {
    next: u64,
    list: BTreeMap<u64, Action>,
}

impl Cancel {
    /// A value that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that is set when this one is, and can be set without this one.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Arc::new_cyclic(|child: &Weak<State>| {
            let child = Weak::clone(child);
            let at_parent = self.on_set(move || {
                if let Some(child) = child.upgrade() {
                    child.set();
                }
            });
            State { _at_parent: Some(at_parent), ..State::default() }
        });
        // A parent that was set before did not know this child yet.
        if self.is_set() {
            child.set();
        }
        Self(child)
    }

    /// Whether the work is cancelled.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// Cancels the work: runs every action that waits for it, on this thread. Only the first call does anything.
    pub fn set(&self) {
        self.0.set();
    }

    /// `Err` if the work is cancelled, for `?` between steps.
    ///
    /// # Errors
    ///
    /// [`Cancelled`].
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_set() { Err(Cancelled) } else { Ok(()) }
    }

    /// Runs `action` when this is set, at once if it is already; dropping the guard takes the action back.
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
        OnSet { state: Arc::downgrade(&self.0), id }
    }

    /// Sleeps for a time, or until this is set; returns whether it is.
    pub fn wait(&self, time: Duration) -> bool {
        let until = Instant::now().checked_add(time);
        let mut actions = self.0.actions();
        loop {
            let left = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
            if self.is_set() || left.is_zero() {
                return self.is_set();
            }
            actions = self.0.changed.wait_timeout(actions, left).unwrap_or_else(PoisonError::into_inner).0;
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
        // The action is dropped outside the lock: it may own another guard.
        let _action = self.state.upgrade().and_then(|state| state.actions().list.remove(&self.id));
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("is_set", &self.is_set()).finish()
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
    fn actions_run_once_unless_taken_back() {
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
    fn grandchildren_follow_and_are_forgotten() {
        let top = Cancel::new();
        let low = top.child().child();
        assert!(!low.is_set());
        // The child in between lives on in the grandchild's registration only as long as the grandchild is held.
        let middle = top.child();
        let lowest = middle.child();
        top.set();
        assert!(middle.is_set() && lowest.is_set());
        assert!(top.child().is_set(), "a child of one that is set");
        assert!(top.0.actions().list.is_empty());
    }

    #[test]
    fn dropped_children_leave_nothing_behind() {
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
