//! Events for all pages, as a stream, and as a list for pages that poll.

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

/// Number of the newest events that are kept.
const KEPT: usize = 512;
/// After this time without an event, the stream sends a comment. Writing it shows whether the
/// connection is broken.
const SILENCE: Duration = Duration::from_secs(15);

/// The newest events, and the subscribers that receive the next ones.
pub(crate) struct Events {
    recent: Mutex<Recent>,
    sender: broadcast::Sender<(u64, Arc<str>)>,
    /// Limits the number of streams. A stream keeps its connection as long as the page is open, so
    /// streams must not take all connections.
    places: Arc<Semaphore>,
}

#[derive(Default)]
struct Recent {
    last: u64,
    events: VecDeque<(u64, Arc<str>)>,
}

impl Events {
    /// Allows at most `streams` streams at a time.
    pub(crate) fn new(streams: usize) -> Self {
        let places = Arc::new(Semaphore::new(streams));
        Self {
            recent: Mutex::default(),
            sender: broadcast::channel(KEPT).0,
            places,
        }
    }

    /// Sends an event to all subscribers.
    pub(crate) fn publish(&self, event: &Event) {
        let Ok(text) = serde_json::to_string(event) else {
            return;
        };
        let text: Arc<str> = text.into();
        let mut recent = self.recent();
        recent.last += 1;
        let numbered = (recent.last, text);
        if recent.events.len() == KEPT {
            recent.events.pop_front();
        }
        recent.events.push_back(numbered.clone());
        // An error means that there is no subscriber. The event is still kept for polling.
        let _ = self.sender.send(numbered);
    }

    /// Returns the events after a number. If some of them are no longer kept, a single `reload`
    /// event.
    pub(crate) fn after(&self, number: u64) -> EventsDocument {
        let recent = self.recent();
        let oldest = recent
            .events
            .front()
            .map_or(recent.last + 1, |(number, _)| *number);
        let texts: Vec<String> = if number + 1 < oldest || number > recent.last {
            vec![serde_json::to_string(&Event::Reload).unwrap_or_default()]
        } else {
            recent
                .events
                .iter()
                .filter(|(other, _)| *other > number)
                .map(|(_, text)| text.to_string())
                .collect()
        };
        let events = texts
            .iter()
            .filter_map(|text| serde_json::from_str(text).ok());
        EventsDocument {
            last: recent.last,
            events: events.collect(),
        }
    }

    /// Returns the events from now on, as a body of type `text/event-stream`. A reader that is too
    /// slow receives `reload` instead of the events that it missed.
    ///
    /// # Errors
    ///
    /// [`ApiError`] if there are too many streams.
    pub(crate) fn stream(&self) -> Result<Body, ApiError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            let hint = "Close pages of this server, or ask for /api/events?after=N now and then.";
            ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many pages listen to this server",
                hint,
            )
        })?;
        let receiver = self.sender.subscribe();
        let hello = Bytes::from_static(b"retry: 1000\n\n");
        let lines = stream::unfold(
            (receiver, Some(hello), place),
            |(mut receiver, hello, place)| async move {
                if let Some(hello) = hello {
                    return Some((Ok::<_, Infallible>(hello), (receiver, None, place)));
                }
                let text = match timeout(SILENCE, receiver.recv()).await {
                    Err(_) => ":\n\n".to_owned(),
                    Ok(Ok((number, text))) => format!("id: {number}\ndata: {text}\n\n"),
                    Ok(Err(broadcast::error::RecvError::Lagged(_))) => {
                        "data: {\"event\":\"reload\"}\n\n".to_owned()
                    }
                    Ok(Err(broadcast::error::RecvError::Closed)) => return None,
                };
                Some((Ok(Bytes::from(text)), (receiver, None, place)))
            },
        );
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
    fn the_number_of_streams_is_limited() {
        let events = Events::new(2);
        let [first, _second] = [events.stream().unwrap(), events.stream().unwrap()];
        assert!(events.stream().is_err());
        drop(first);
        assert!(events.stream().is_ok());
    }

    #[test]
    fn readers_that_missed_events_receive_a_reload_event() {
        let events = Events::new(1);
        assert!(events.after(0).events.is_empty());
        for _ in 0..KEPT + 10 {
            events.publish(&Event::Reload);
        }
        let last = events.after(0).last;
        assert_eq!(events.after(last - 3).events.len(), 3);
        assert_eq!(
            events.after(5).events.len(),
            1,
            "one word for all that was missed"
        );
        assert_eq!(
            events.after(last + 7).events[0]["event"],
            "reload",
            "the server was started anew"
        );
    }
}
