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

/// How long a state is passed on: several servers may ask at once.
const FRESH: Duration = Duration::from_secs(2);

/// Answers at an address until the process ends: `/metrics` with the state of all runs and workers, `/healthz`, which is well while the
/// database answers, and `/livez`. While the database gives no answer, neither does `/metrics`, so that an old state is not taken for
/// the present one.
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
    let last: Mutex<Option<(Instant, String)>> = Mutex::default();
    move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = last.as_ref().filter(|(at, _)| at.elapsed() < FRESH) {
            return Ok(text.clone());
        }
        *last = None;
        let fleet = fleet.get().ok_or("the database has not answered yet")?;
        let status = fleet.status_patiently(None, Patience::Parting).map_err(|error| error.to_string())?;
        // Without this last line, Prometheus refuses the whole text.
        let text = status.prometheus() + "# EOF\n";
        *last = Some((Instant::now(), text.clone()));
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::tests::get;

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
