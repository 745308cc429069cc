//! What a worker counts, and how Prometheus reads it.

use std::{
    fmt::Write as _,
    io::{self, BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use crate::queue::Answers;

/// A client that is slower is left.
const PATIENCE: Duration = Duration::from_secs(5);

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
            for stream in listener.incoming().flatten() {
                refresh(&metrics);
                // One at a time; a client that breaks off harms nobody.
                let _ = metrics.answer(&stream);
            }
        })?;
        Ok(place)
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut request = String::new();
        BufReader::new(io::Read::take(stream, 4096)).read_line(&mut request)?;
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

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
}
