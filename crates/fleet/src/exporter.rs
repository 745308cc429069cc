//! The fleet's state as a service for Prometheus.

use std::{
    io,
    net::{SocketAddr, ToSocketAddrs},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    Fleet,
    database::Patience,
    http::{OPEN_METRICS, PLAIN, Page, serve},
};

/// How long a state is passed on: several servers may ask at once.
const FRESH: Duration = Duration::from_secs(2);

/// Answers at an address until the process ends: `/metrics` with the state of all runs and workers, `/healthz`, which is well while the
/// database answers, and `/livez`. While the database gives no answer, neither does `/metrics`, so that an old state is not taken for
/// the present one.
///
/// # Errors
///
/// The address cannot be bound.
pub fn export(fleet: Fleet, address: impl ToSocketAddrs) -> io::Result<SocketAddr> {
    let last: Arc<Mutex<Option<(Instant, String)>>> = Arc::default();
    let state = move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = last.as_ref().filter(|(at, _)| at.elapsed() < FRESH) {
            return Ok(text.clone());
        }
        *last = None;
        let status = fleet.status_patiently(None, Patience::Parting).map_err(|error| error.to_string())?;
        // Without this last line, Prometheus refuses the whole text.
        let text = status.prometheus() + "# EOF\n";
        *last = Some((Instant::now(), text.clone()));
        Ok(text)
    };
    serve(address, move |path| match path {
        "/metrics" => Some(state().map_or_else(Page::unavailable, |text| Page::ok(OPEN_METRICS, text))),
        "/healthz" => Some(Page::health(state().map(drop))),
        "/livez" => Some(Page::ok(PLAIN, "ok\n".to_owned())),
        _ => None,
    })
}
