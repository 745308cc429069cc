//! Places for connections: a new connection may replace the oldest unauthenticated one; admitted clients keep their places.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

/// All connections of a server.
///
/// A new connection is a stranger until its first request is accepted. There are as many places for strangers as for admitted clients; if
/// all are taken, the oldest stranger is disconnected. So a new connection always gets a place, and an admitted client keeps its place,
/// regardless of other connections.
pub(crate) struct Places {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    last: u64,
    /// Oldest first.
    strangers: VecDeque<(u64, Arc<Notify>)>,
    let_in: HashSet<u64>,
}

/// The place of one connection; it is free again when this is dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    number: u64,
    end: Arc<Notify>,
}

impl Places {
    /// As many for strangers, and as many for clients that are let in.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most: most.max(1), taken: Mutex::default() })
    }

    /// A place for a new connection.
    pub(crate) fn take(self: &Arc<Self>) -> Arc<Place> {
        let (end, mut taken) = (Arc::new(Notify::new()), self.taken());
        taken.last += 1;
        let number = taken.last;
        if taken.strangers.len() >= self.most
            && let Some((_, first)) = taken.strangers.pop_front()
        {
            first.notify_one();
        }
        taken.strangers.push_back((number, Arc::clone(&end)));
        Arc::new(Place { places: Arc::clone(self), number, end })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Keeps the place from now on, if there is one for clients that are let in. Otherwise it stays a stranger's.
    pub(crate) fn keep(&self) {
        let mut taken = self.places.taken();
        let own = taken.strangers.iter().position(|(number, _)| *number == self.number);
        if let Some(own) = own.filter(|_| taken.let_in.len() < self.places.most) {
            taken.strangers.remove(own);
            taken.let_in.insert(self.number);
        }
    }

    /// Waits until the place is needed for a newcomer.
    pub(crate) async fn lost(&self) {
        self.end.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if taken.let_in.remove(&self.number) {
            return;
        }
        taken.strangers.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the place was lost.
    async fn is_lost(place: &Place) -> bool {
        tokio::time::timeout(std::time::Duration::from_millis(1), place.lost()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_give_way_and_others_stay() {
        let places = Places::new(2);
        let [first, second] = [places.take(), places.take()];
        first.keep();
        first.keep();
        let third = places.take();
        assert!(!is_lost(&first).await && !is_lost(&second).await && !is_lost(&third).await);
        let fourth = places.take();
        assert!(!is_lost(&first).await && is_lost(&second).await && !is_lost(&third).await);
        // A lost place is not restored by keeping it or by dropping it.
        second.keep();
        drop(second);
        third.keep();
        fourth.keep();
        let others: Vec<_> = (0..10).map(|_| places.take()).collect();
        assert!(!is_lost(&first).await && !is_lost(&third).await && is_lost(&fourth).await, "only two keep theirs");
        assert!(is_lost(&others[7]).await && !is_lost(&others[8]).await && !is_lost(&others[9]).await);
        drop((first, third, fourth, others));
        let taken = places.taken();
        assert!(taken.strangers.is_empty() && taken.let_in.is_empty());
    }
}
