//! The fleet's state as a Prometheus exporter.

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

/// For how long a state, or the error instead of one, is reused, because several clients may ask at
/// the same time.
const FRESH: Duration = Duration::from_secs(2);

/// An HTTP server that runs until the process ends: `/metrics` with the state of all runs and
/// workers, `/healthz`, which is 200 while the database answers, and `/livez`. While the database
/// does not answer, `/metrics` fails too, so that an old state is never shown as the current one.
#[derive(Debug)]
pub struct Exporter {
    address: SocketAddr,
    /// Empty until the database has answered once.
    fleet: Arc<OnceLock<Fleet>>,
}

impl Exporter {
    /// Starts the server. The fleet can follow [later](Self::show), because this service may start
    /// before its database.
    ///
    /// # Errors
    ///
    /// The I/O error if the address cannot be bound.
    pub fn listen(address: impl ToSocketAddrs) -> io::Result<Self> {
        let fleet = Arc::<OnceLock<Fleet>>::default();
        let state = state_of(Arc::clone(&fleet));
        let address = serve(address, move |path| match path {
            "/metrics" => {
                Some(state().map_or_else(Page::unavailable, |text| Page::ok(OPEN_METRICS, text)))
            }
            "/healthz" => Some(Page::health(state().map(drop))),
            "/livez" => Some(Page::ok(PLAIN, "ok\n".to_owned())),
            _ => None,
        })?;
        Ok(Self { address, fleet })
    }

    /// Returns the address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the fleet whose state is shown.
    pub fn show(self, fleet: Fleet) {
        // `show` consumes the only exporter, so the cell is still empty.
        let _ = self.fleet.set(fleet);
    }
}

/// Returns a function that asks for the state of a fleet, at most once every [`FRESH`], and fails
/// with a reason.
fn state_of(fleet: Arc<OnceLock<Fleet>>) -> impl Fn() -> Result<String, String> + Send + Sync {
    fresh(move || {
        let fleet = fleet.get().ok_or("the database has not answered yet")?;
        let status = fleet
            .status_patiently(None, Patience::Parting)
            .map_err(|error| error.to_string())?;
        // OpenMetrics requires this last line; Prometheus refuses the text without it.
        Ok(status.prometheus() + "# EOF\n")
    })
}

/// Returns a function that calls `ask` at most once every [`FRESH`] and repeats its last result in
/// between. Concurrent callers wait for the running call.
fn fresh(
    ask: impl Fn() -> Result<String, String> + Send + Sync,
) -> impl Fn() -> Result<String, String> + Send + Sync {
    let last: Mutex<Option<(Instant, Result<String, String>)>> = Mutex::default();
    move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((at, state)) if at.elapsed() < FRESH => state.clone(),
            _ => {
                let state = ask();
                // The result counts from the end of the call. Otherwise each waiting client would
                // repeat a call that fails after three seconds.
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
    fn concurrent_clients_share_a_failure() {
        let asked = AtomicU32::new(0);
        let state = fresh(|| {
            asked.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(200));
            Err("no answer".to_owned())
        });
        thread::scope(|scope| {
            let clients: Vec<_> = (0..4).map(|_| scope.spawn(&state)).collect();
            assert!(
                clients
                    .into_iter()
                    .all(|client| client.join().unwrap().is_err())
            );
        });
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_exporter_is_alive_while_its_database_is_not() {
        let address = Exporter::listen("127.0.0.1:0").unwrap().address();
        assert!(get(address, "GET /livez HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        for path in ["metrics", "healthz"] {
            let answer = get(address, &format!("GET /{path} HTTP/1.1\r\n\r\n"));
            assert!(
                answer.starts_with("HTTP/1.1 503") && answer.contains("not answered yet"),
                "{answer}"
            );
        }
    }
}
