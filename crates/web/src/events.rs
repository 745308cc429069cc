//! Events for all pages: a stream, and the newest events for pages that poll.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
};
use futures_util::stream;
use tokio::{
    sync::{Semaphore, broadcast},
    time::timeout,
};

use crate::{
    documents::{Event, EventsDocument},
    error::ApiError,
};

/// Events that are kept for readers.
const KEPT: usize = 512;
/// A comment is sent after this silence, so that a broken connection shows.
const SILENCE: Duration = Duration::from_secs(15);

/// All events so far, as far as they are kept.
pub(crate) struct Events {
    recent: Mutex<Recent>,
    sender: broadcast::Sender<(u64, Arc<str>)>,
    /// Places for streams: they end with their connections only, and may not take all of these.
    places: Arc<Semaphore>,
}

#[derive(Default)]
struct Recent {
    last: u64,
    events: VecDeque<(u64, Arc<str>)>,
}

impl Events {
    /// With at most N streams at a time.
    pub(crate) fn new(streams: usize) -> Self {
        let places = Arc::new(Semaphore::new(streams));
        Self { recent: Mutex::default(), sender: broadcast::channel(KEPT).0, places }
    }

    /// Sends an event to all subscribers.
    pub(crate) fn publish(&self, event: &Event) {
        let Ok(text) = serde_json::to_string(event) else { return };
        let text: Arc<str> = text.into();
        let mut recent = self.recent();
        recent.last += 1;
        let numbered = (recent.last, text);
        if recent.events.len() == KEPT {
            recent.events.pop_front();
        }
        recent.events.push_back(numbered.clone());
        // No subscriber: the event is only kept.
        let _ = self.sender.send(numbered);
    }

    /// The events after a number; a single `reload` if some of them are no longer kept.
    pub(crate) fn after(&self, number: u64) -> EventsDocument {
        let recent = self.recent();
        let oldest = recent.events.front().map_or(recent.last + 1, |(number, _)| *number);
        let texts: Vec<String> = if number + 1 < oldest || number > recent.last {
            vec![serde_json::to_string(&Event::Reload).unwrap_or_default()]
        } else {
            recent.events.iter().filter(|(other, _)| *other > number).map(|(_, text)| text.to_string()).collect()
        };
        let events = texts.iter().filter_map(|text| serde_json::from_str(text).ok());
        EventsDocument { last: recent.last, events: events.collect() }
    }

    /// The events from now on, as a body of `text/event-stream`. A slow reader gets `reload`.
    ///
    /// # Errors
    ///
    /// [`ApiError`], if there are too many streams.
    pub(crate) fn stream(&self) -> Result<Body, ApiError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            let hint = "Close pages of this server, or ask for /api/events?after=N now and then.";
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too many pages listen to this server", hint)
        })?;
        let receiver = self.sender.subscribe();
        let hello = Bytes::from_static(b"retry: 1000\n\n");
        let lines = stream::unfold((receiver, Some(hello), place), |(mut receiver, hello, place)| async move {
            if let Some(hello) = hello {
                return Some((Ok::<_, Infallible>(hello), (receiver, None, place)));
            }
            let text = match timeout(SILENCE, receiver.recv()).await {
                Err(_) => ":\n\n".to_owned(),
                Ok(Ok((number, text))) => format!("id: {number}\ndata: {text}\n\n"),
                Ok(Err(broadcast::error::RecvError::Lagged(_))) => "data: {\"event\":\"reload\"}\n\n".to_owned(),
                Ok(Err(broadcast::error::RecvError::Closed)) => return None,
            };
            Some((Ok(Bytes::from(text)), (receiver, None, place)))
        });
        Ok(Body::from_stream(lines))
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_have_places() {
        let events = Events::new(2);
        let [first, _second] = [events.stream().unwrap(), events.stream().unwrap()];
        assert!(events.stream().is_err());
        drop(first);
        assert!(events.stream().is_ok());
    }

    #[test]
    fn who_comes_late_is_told_to_load_again() {
        let events = Events::new(1);
        assert!(events.after(0).events.is_empty());
        for _ in 0..KEPT + 10 {
            events.publish(&Event::Reload);
        }
        let last = events.after(0).last;
        assert_eq!(events.after(last - 3).events.len(), 3);
        assert_eq!(events.after(5).events.len(), 1, "one word for all that was missed");
        assert_eq!(events.after(last + 7).events[0]["event"], "reload", "the server was started anew");
    }
}
