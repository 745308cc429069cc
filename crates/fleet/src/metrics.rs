//! What a worker counts, and how Prometheus reads it.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::queue::Answers;

/// The time for a request and its answer; a client that is slower is left.
const PATIENCE: Duration = Duration::from_secs(5);
/// Clients at a time. The one that came first gives way to a newcomer, so that slow ones keep none out.
const CLIENTS: usize = 16;

/// A number that threads share.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, count: u64) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }

    pub(crate) fn store(&self, count: u64) {
        self.0.store(count, Ordering::Relaxed);
    }

    pub(crate) fn load(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts of one worker process.
#[derive(Debug, Default)]
pub struct Metrics {
    pub(crate) done: Count,
    pub(crate) late: Count,
    pub(crate) failed: Count,
    pub(crate) returned: Count,
    pub(crate) parked: Count,
    pub(crate) games: Count,
    pub(crate) nodes: Count,
    pub(crate) milliseconds: Count,
    pub(crate) slots: Count,
    pub(crate) busy: Count,
    pub(crate) database_errors: Count,
    pub(crate) engine_restarts: Count,
}

impl Metrics {
    pub(crate) fn finished(&self, answers: &Answers, games: usize, counts: bool) {
        if counts {
            self.done.add(1);
            self.games.add(games as u64);
        } else {
            self.late.add(1);
        }
        self.nodes.add(answers.nodes);
        self.milliseconds.add(answers.time.as_millis() as u64);
    }

    /// Counts an error of the database, for a caller that hears of them.
    pub fn add_database_error(&self) {
        self.database_errors.add(1);
    }

    /// Sets how often engines were started again.
    pub fn set_engine_restarts(&self, restarts: u64) {
        self.engine_restarts.store(restarts);
    }

    /// The counts in Prometheus' text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, values: &[(&str, f64)]| {
            let _ = writeln!(text, "# HELP centipawn_{name} {help}\n# TYPE centipawn_{name} {kind}");
            for (labels, value) in values {
                let _ = writeln!(text, "centipawn_{name}{labels} {value}");
            }
        };
        let value = |count: &Count| count.load() as f64;
        let portions = [
            ("{state=\"done\"}", value(&self.done)),
            ("{state=\"late\"}", value(&self.late)),
            ("{state=\"failed\"}", value(&self.failed)),
            ("{state=\"returned\"}", value(&self.returned)),
            ("{state=\"parked\"}", value(&self.parked)),
        ];
        family("portions_total", "counter", "Portions by how they ended.", &portions);
        family("games_total", "counter", "Games of finished portions.", &[("", value(&self.games))]);
        let seconds = value(&self.milliseconds) / 1000.0;
        family("portion_seconds_total", "counter", "Time spent on finished portions.", &[("", seconds)]);
        family("nodes_total", "counter", "Nodes that engines searched.", &[("", value(&self.nodes))]);
        family("engine_restarts_total", "counter", "Engines started again.", &[("", value(&self.engine_restarts))]);
        family(
            "database_errors_total",
            "counter",
            "Times the database gave no answer.",
            &[("", value(&self.database_errors))],
        );
        let (slots, busy) = (value(&self.slots), value(&self.busy));
        let slots = [("{busy=\"true\"}", busy), ("{busy=\"false\"}", slots - busy)];
        family("slots", "gauge", "Portions that this worker can do at a time.", &slots);
        text
    }

    /// Answers `GET /metrics` at an address until the process ends. `refresh` is called before each answer.
    ///
    /// # Errors
    ///
    /// The address cannot be bound.
    pub fn serve(
        self: &Arc<Self>,
        address: impl ToSocketAddrs,
        refresh: impl Fn(&Metrics) + Send + 'static,
    ) -> io::Result<std::net::SocketAddr> {
        let listener = TcpListener::bind(address)?;
        let place = listener.local_addr()?;
        let metrics = Arc::clone(self);
        thread::Builder::new().name("metrics".to_owned()).spawn(move || {
            let mut clients: VecDeque<Arc<TcpStream>> = VecDeque::new();
            for stream in listener.incoming().flatten() {
                refresh(&metrics);
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
        let (status, body) = match request.split_whitespace().collect::<Vec<_>>()[..] {
            ["GET", "/metrics", ..] => ("200 OK", self.text()),
            ["GET", "/healthz", ..] => ("200 OK", "ok\n".to_owned()),
            _ => ("404 Not Found", "only /metrics and /healthz are here\n".to_owned()),
        };
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
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
        metrics.slots.store(2);
        metrics.busy.add(1);
        let address = metrics.serve("127.0.0.1:0", |metrics| metrics.set_engine_restarts(4)).unwrap();
        let answer = get(address, "GET /metrics HTTP/1.1\r\n\r\n");
        for line in [
            "HTTP/1.1 200 OK",
            "centipawn_portions_total{state=\"done\"} 1",
            "centipawn_portions_total{state=\"late\"} 1",
            "centipawn_games_total 3",
            "centipawn_portion_seconds_total 5",
            "centipawn_nodes_total 2000",
            "centipawn_engine_restarts_total 4",
            "centipawn_slots{busy=\"false\"} 1",
        ] {
            assert!(answer.lines().any(|found| found == line), "{line} in {answer}");
        }
        assert!(get(address, "GET /healthz HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        assert!(get(address, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    }
    #[test]
    fn slow_clients_keep_none_out() {
        let metrics = Arc::new(Metrics::default());
        let address = metrics.serve("127.0.0.1:0", |_| ()).unwrap();
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
