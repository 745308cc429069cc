//! The counters of a worker, in Prometheus' format.

use std::{
    collections::VecDeque,
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use crate::queue::{Answers, Comparison};

/// The media type of [`Metrics::text`].
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The time for a request and its answer; a client that is slower is left.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of clients at a time. A new client replaces the oldest, so that slow clients do not block others.
const CLIENTS: usize = 16;

/// Labels of a family of metrics.
type Label = [(&'static str, &'static str); 1];

/// Counts of one worker process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    pub(crate) done: Counter,
    pub(crate) late: Counter,
    pub(crate) failed: Counter,
    pub(crate) returned: Counter,
    pub(crate) parked: Counter,
    agreed: Counter,
    differed: Counter,
    pub(crate) refused: Counter,
    pub(crate) games: Counter,
    nodes: Counter,
    seconds: Counter<f64, AtomicU64>,
    busy: Gauge,
    free: Gauge,
    database_errors: Counter,
    engine_restarts: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let (tasks, slots) = (Family::<Label, Counter>::default(), Family::<Label, Gauge>::default());
        let task = |state| tasks.get_or_create_owned(&[("state", state)]);
        let slot = |busy| slots.get_or_create_owned(&[("busy", busy)]);
        let mut metrics = Self {
            registry: Registry::with_prefix("centipawn"),
            done: task("done"),
            late: task("late"),
            failed: task("failed"),
            returned: task("returned"),
            parked: task("parked"),
            agreed: task("agreed"),
            differed: task("differed"),
            refused: Counter::default(),
            games: Counter::default(),
            nodes: Counter::default(),
            seconds: Counter::default(),
            busy: slot("true"),
            free: slot("false"),
            database_errors: Counter::default(),
            engine_restarts: Counter::default(),
        };
        // Names of counters end with `_total`, and each help with a full stop: the registry adds both.
        let registry = &mut metrics.registry;
        registry.register("tasks", "Tasks by how they ended", tasks);
        registry.register("games", "Games of finished tasks", metrics.games.clone());
        registry.register("task_seconds", "Time spent on finished tasks", metrics.seconds.clone());
        registry.register("nodes", "Nodes that engines searched", metrics.nodes.clone());
        registry.register("engine_restarts", "Engines started again", metrics.engine_restarts.clone());
        registry.register("database_errors", "Times the database gave no answer", metrics.database_errors.clone());
        registry.register("refusals", "Runs that this worker may not serve", metrics.refused.clone());
        registry.register("slots", "Tasks that this worker can do at a time", slots);
        metrics
    }
}

impl Metrics {
    pub(crate) fn finished(&self, answers: &Answers, games: usize, counts: bool) {
        if counts {
            self.done.inc();
            self.games.inc_by(games as u64);
        } else {
            self.late.inc();
        }
        self.nodes.inc_by(answers.nodes);
        self.seconds.inc_by(answers.time.as_secs_f64());
    }

    /// Counts a task that another worker did too.
    pub(crate) fn compared(&self, found: Comparison) {
        match found {
            Comparison::Agrees => self.agreed.inc(),
            Comparison::Differs => self.differed.inc(),
            Comparison::Late => self.late.inc(),
        };
    }

    /// Sets the number of slots, all of them free.
    pub(crate) fn set_slots(&self, slots: usize) {
        self.busy.set(0);
        self.free.set(slots as i64);
    }

    /// Counts a slot as busy while `work` runs.
    pub(crate) fn while_busy<T>(&self, work: impl FnOnce() -> T) -> T {
        self.busy.inc();
        self.free.dec();
        let done = work();
        self.busy.dec();
        self.free.inc();
        done
    }

    /// Counts an error of the database.
    pub fn add_database_error(&self) {
        self.database_errors.inc();
    }

    /// Sets how often engines were started again.
    pub fn set_engine_restarts(&self, restarts: u64) {
        self.engine_restarts.inner().store(restarts, Ordering::Relaxed);
    }

    /// The counts in the text format of OpenMetrics, which Prometheus reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// Answers `GET /metrics` at an address until the process ends.
    ///
    /// # Errors
    ///
    /// The address cannot be bound.
    pub fn serve(self: &Arc<Self>, address: impl ToSocketAddrs) -> io::Result<std::net::SocketAddr> {
        let listener = TcpListener::bind(address)?;
        let place = listener.local_addr()?;
        let metrics = Arc::clone(self);
        thread::Builder::new().name("metrics".to_owned()).spawn(move || {
            let mut clients: VecDeque<Arc<TcpStream>> = VecDeque::new();
            for stream in listener.incoming().flatten() {
                // A client that is answered is held by its thread no longer.
                clients.retain(|client| Arc::strong_count(client) > 1);
                if clients.len() == CLIENTS
                    && let Some(first) = clients.pop_front()
                {
                    let _ = first.shutdown(Shutdown::Both);
                }
                let (client, metrics) = (Arc::new(stream), Arc::clone(&metrics));
                clients.push_back(Arc::clone(&client));
                let answer = move || {
                    // A client that breaks off harms none.
                    let _ = metrics.answer(&client);
                    let _ = client.shutdown(Shutdown::Both);
                };
                let _ = thread::Builder::new().name("metrics client".to_owned()).spawn(answer);
            }
        })?;
        Ok(place)
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = first_line(stream)?;
        let plain = "text/plain; charset=utf-8";
        let (status, form, body) = match request.split_whitespace().collect::<Vec<_>>()[..] {
            ["GET", "/metrics", ..] => ("200 OK", OPEN_METRICS, self.text()),
            ["GET", "/healthz", ..] => ("200 OK", plain, "ok\n".to_owned()),
            _ => ("404 Not Found", plain, "only /metrics and /healthz are here\n".to_owned()),
        };
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {form}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }
}

/// The first line of a request, which has [`PATIENCE`] as a whole and not for each byte.
fn first_line(mut stream: &TcpStream) -> io::Result<String> {
    const LONGEST: usize = 4096;
    let (until, mut line) = (Instant::now() + PATIENCE, Vec::new());
    while !line.contains(&b'\n') && line.len() < LONGEST {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let mut bytes = [0; 512];
        match stream.read(&mut bytes)? {
            0 => break,
            read => line.extend_from_slice(&bytes[..read]),
        }
    }
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(address: std::net::SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn prometheus_reads_the_counts() {
        let metrics = Arc::new(Metrics::default());
        let answers = Answers { nodes: 1000, time: Duration::from_millis(2500), ..Answers::default() };
        metrics.finished(&answers, 3, true);
        metrics.finished(&answers, 3, false);
        metrics.set_slots(2);
        let address = metrics.serve("127.0.0.1:0").unwrap();
        metrics.set_engine_restarts(4);
        let answer = metrics.while_busy(|| get(address, "GET /metrics HTTP/1.1\r\n\r\n"));
        for line in [
            "HTTP/1.1 200 OK",
            "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8",
            "# HELP centipawn_tasks Tasks by how they ended.",
            "# TYPE centipawn_tasks counter",
            "centipawn_tasks_total{state=\"done\"} 1",
            "centipawn_tasks_total{state=\"late\"} 1",
            "centipawn_games_total 3",
            "centipawn_task_seconds_total 5.0",
            "centipawn_nodes_total 2000",
            "centipawn_engine_restarts_total 4",
            "centipawn_slots{busy=\"true\"} 1",
            "centipawn_slots{busy=\"false\"} 1",
            "# EOF",
        ] {
            assert!(answer.lines().any(|found| found == line), "{line} in {answer}");
        }
        assert!(get(address, "GET /healthz HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        assert!(get(address, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    }
    #[test]
    fn slow_clients_keep_none_out() {
        let metrics = Arc::new(Metrics::default());
        let address = metrics.serve("127.0.0.1:0").unwrap();
        let begin = Instant::now();
        let slow: Vec<TcpStream> = (0..3 * CLIENTS)
            .map(|_| {
                let mut stream = TcpStream::connect(address).unwrap();
                let _ = stream.write_all(b"G");
                stream
            })
            .collect();
        assert!(get(address, "GET /healthz HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
        // A byte now and then does not prolong it.
        let mut last = slow.into_iter().last().unwrap();
        let mut end = [0];
        last.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        while !matches!(last.read(&mut end), Ok(0)) && last.write_all(b"E").is_ok() {
            assert!(begin.elapsed() < 3 * PATIENCE, "still open");
        }
    }
}
