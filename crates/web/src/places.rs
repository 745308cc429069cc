//! Limits connections. A new connection can replace the oldest one that is not admitted yet;
//! admitted clients keep their connections.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

/// All connections of a server.
///
/// A new connection is a stranger until its first request is accepted. Strangers and admitted
/// clients have the same number of places. If all places of strangers are taken, the oldest
/// stranger is disconnected. So a new connection always gets a place, and no number of strangers
/// can push out an admitted client.
pub(crate) struct Places {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    last: u64,
    /// The waiting clients in the order of their arrival.
    strangers: VecDeque<(u64, Arc<Notify>)>,
    let_in: HashSet<u64>,
}

/// The place of one connection. Dropping it frees the place.
pub(crate) struct Place {
    places: Arc<Places>,
    number: u64,
    end: Arc<Notify>,
}

impl Places {
    /// Creates `most` places for strangers and as many for admitted clients.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most: most.max(1),
            taken: Mutex::default(),
        })
    }

    /// Gives a place to a new connection, which is a stranger.
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
        Arc::new(Place {
            places: Arc::clone(self),
            number,
            end,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Makes this connection an admitted client, if one of their places is free. Otherwise it stays
    /// a stranger.
    pub(crate) fn keep(&self) {
        let mut taken = self.places.taken();
        let own = taken
            .strangers
            .iter()
            .position(|(number, _)| *number == self.number);
        if let Some(own) = own.filter(|_| taken.let_in.len() < self.places.most) {
            taken.strangers.remove(own);
            taken.let_in.insert(self.number);
        }
    }

    /// Waits until this connection must end because a new one needs its place.
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

    /// Returns whether the connection must end.
    async fn is_lost(place: &Place) -> bool {
        tokio::time::timeout(std::time::Duration::from_millis(1), place.lost())
            .await
            .is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn new_connections_replace_strangers_but_not_admitted_clients() {
        let places = Places::new(2);
        let [first, second] = [places.take(), places.take()];
        first.keep();
        first.keep();
        let third = places.take();
        assert!(!is_lost(&first).await && !is_lost(&second).await && !is_lost(&third).await);
        let fourth = places.take();
        assert!(!is_lost(&first).await && is_lost(&second).await && !is_lost(&third).await);
        // A connection that lost its place gets none by `keep`, and dropping it frees no other
        // place.
        second.keep();
        drop(second);
        third.keep();
        fourth.keep();
        let others: Vec<_> = (0..10).map(|_| places.take()).collect();
        assert!(
            !is_lost(&first).await && !is_lost(&third).await && is_lost(&fourth).await,
            "only two keep theirs"
        );
        assert!(
            is_lost(&others[7]).await && !is_lost(&others[8]).await && !is_lost(&others[9]).await
        );
        drop((first, third, fourth, others));
        let taken = places.taken();
        assert!(taken.strangers.is_empty() && taken.let_in.is_empty());
    }
}
