//! The fleet's state as a service for Prometheus.

use std::{
    io,
    net::{SocketAddr, ToSocketAddrs},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    Fleet,
    database::Patience,
    http::{OPEN_METRICS, PLAIN, Page, serve},
};

/// How long a state, or the reason why there is none, is passed on: several clients may ask at once.
const FRESH: Duration = Duration::from_secs(2);

/// Answers at an address until the process ends: `/metrics` with the state of all runs and workers, `/healthz`, which is well while the
/// database answers, and `/livez`. While the database gives no answer, neither does `/metrics`, so that no state older than two seconds is
/// taken for the present one.
#[derive(Debug)]
pub struct Exporter {
    address: SocketAddr,
    /// Empty until the fleet has answered once.
    fleet: Arc<OnceLock<Fleet>>,
}

impl Exporter {
    /// Answers from now on, though the fleet may not be there yet: a service that starts before its database is alive.
    ///
    /// # Errors
    ///
    /// The address cannot be bound.
    pub fn listen(address: impl ToSocketAddrs) -> io::Result<Self> {
        let fleet = Arc::<OnceLock<Fleet>>::default();
        let state = state_of(Arc::clone(&fleet));
        let address = serve(address, move |path| match path {
            "/metrics" => Some(state().map_or_else(Page::unavailable, |text| Page::ok(OPEN_METRICS, text))),
            "/healthz" => Some(Page::health(state().map(drop))),
            "/livez" => Some(Page::ok(PLAIN, "ok\n".to_owned())),
            _ => None,
        })?;
        Ok(Self { address, fleet })
    }

    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Shows the state of this fleet, once and for all.
    pub fn show(self, fleet: Fleet) {
        // It is empty: this is the only exporter with it.
        let _ = self.fleet.set(fleet);
    }
}

/// Asks for the state of a fleet at most every [`FRESH`]; it fails with the reason.
fn state_of(fleet: Arc<OnceLock<Fleet>>) -> impl Fn() -> Result<String, String> + Send + Sync {
    fresh(move || {
        let fleet = fleet.get().ok_or("the database has not answered yet")?;
        let status = fleet.status_patiently(None, Patience::Parting).map_err(|error| error.to_string())?;
        // Without this last line, Prometheus refuses the whole text.
        Ok(status.prometheus() + "# EOF\n")
    })
}

/// Calls `ask` at most every [`FRESH`], and passes on its last result. While it is called, the other callers wait for that.
fn fresh(ask: impl Fn() -> Result<String, String> + Send + Sync) -> impl Fn() -> Result<String, String> + Send + Sync {
    let last: Mutex<Option<(Instant, Result<String, String>)>> = Mutex::default();
    move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((at, state)) if at.elapsed() < FRESH => state.clone(),
            _ => {
                let state = ask();
                // From the end on: each client that waits would otherwise ask a database that gives no answer for three seconds.
                *last = Some((Instant::now(), state.clone()));
                state
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicU32, Ordering},
        thread,
    };

    use super::*;
    use crate::http::tests::get;

    #[test]
    fn clients_that_come_together_share_a_failure() {
        let asked = AtomicU32::new(0);
        let state = fresh(|| {
            asked.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(200));
            Err("no answer".to_owned())
        });
        thread::scope(|scope| {
            let clients: Vec<_> = (0..4).map(|_| scope.spawn(&state)).collect();
            assert!(clients.into_iter().all(|client| client.join().unwrap().is_err()));
        });
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn an_exporter_is_alive_before_its_database() {
        let address = Exporter::listen("127.0.0.1:0").unwrap().address();
        assert!(get(address, "GET /livez HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        for path in ["metrics", "healthz"] {
            let answer = get(address, &format!("GET /{path} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("not answered yet"), "{answer}");
        }
    }
}
