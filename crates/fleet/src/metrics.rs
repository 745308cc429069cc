//! The counters of a worker, as Prometheus metrics.

use std::{
    io,
    net::{SocketAddr, ToSocketAddrs},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::Registry,
};

use crate::{
    http::{OPEN_METRICS, PLAIN, Page, serve},
    pulse::Pulse,
    queue::{Answers, Comparison},
};

/// Bucket limits of the duration histogram, in seconds, around the minute that a task is planned to
/// take.
const SECONDS: [f64; 11] = [
    1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0, 300.0, 900.0, 3600.0,
];

/// Labels of a family of metrics.
type Label = [(&'static str, &'static str); 1];

/// The metrics of one worker process.
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
    durations: Histogram,
    busy: Gauge,
    free: Gauge,
    database_errors: Counter,
    engine_restarts: Counter,
    /// The state of the database connection; empty until the worker has joined a fleet.
    pulse: OnceLock<Arc<Pulse>>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new("")
    }
}

impl Metrics {
    /// Creates counters that are all 0. `build` distinguishes builds of one version: a commit, or
    /// empty.
    pub fn new(build: &str) -> Self {
        let (tasks, slots) = (
            Family::<Label, Counter>::default(),
            Family::<Label, Gauge>::default(),
        );
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
            durations: Histogram::new(SECONDS),
            busy: slot("true"),
            free: slot("false"),
            database_errors: Counter::default(),
            engine_restarts: Counter::default(),
            pulse: OnceLock::new(),
        };
        // The registry adds `_total` to the names of counters, `_info` to that of the information,
        // and a full stop to each help text.
        let registry = &mut metrics.registry;
        let version = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("commit", build.to_owned()),
        ];
        registry.register(
            "build",
            "The version of Centipawn, and the commit it was built from",
            Info::new(version),
        );
        registry.register("tasks", "Tasks by how they ended", tasks);
        registry.register("games", "Games of finished tasks", metrics.games.clone());
        registry.register(
            "task_seconds",
            "Time spent on finished tasks",
            metrics.seconds.clone(),
        );
        registry.register(
            "task_duration_seconds",
            "How long finished tasks took",
            metrics.durations.clone(),
        );
        registry.register(
            "nodes",
            "Nodes that engines searched",
            metrics.nodes.clone(),
        );
        registry.register(
            "engine_restarts",
            "Engines started again",
            metrics.engine_restarts.clone(),
        );
        registry.register(
            "database_errors",
            "Times the database gave no answer",
            metrics.database_errors.clone(),
        );
        registry.register(
            "refusals",
            "Runs that this worker may not serve",
            metrics.refused.clone(),
        );
        registry.register("slots", "Tasks that this worker can do at a time", slots);
        metrics
    }

    pub(crate) fn finished(&self, answers: &Answers, games: usize, counts: bool) {
        if counts {
            self.done.inc();
            self.games.inc_by(games as u64);
        } else {
            self.late.inc();
        }
        self.nodes.inc_by(answers.nodes);
        self.seconds.inc_by(answers.time.as_secs_f64());
        self.durations.observe(answers.time.as_secs_f64());
    }

    /// Counts a comparison of a task with the answers of another worker.
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

    /// Sets the database whose state `/healthz` shows, after the worker has joined a fleet.
    pub(crate) fn joined(&self, pulse: &Arc<Pulse>) {
        // A process joins only one fleet, so the cell is still empty.
        let _ = self.pulse.set(Arc::clone(pulse));
    }

    /// Counts one failed request to the database.
    pub fn add_database_error(&self) {
        self.database_errors.inc();
    }

    /// Sets the number of engine restarts.
    pub(crate) fn set_engine_restarts(&self, restarts: u64) {
        self.engine_restarts
            .inner()
            .store(restarts, Ordering::Relaxed);
    }

    /// Formats the counters in the OpenMetrics text format, which Prometheus reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// Returns why this worker cannot work now, as the error.
    fn health(&self) -> Result<(), String> {
        self.pulse
            .get()
            .ok_or("the worker has not joined a fleet yet")?
            .check()
    }

    /// Serves the metrics at an address until the process ends: `/metrics`; `/healthz`, which is
    /// 200 while the database answers; and `/livez`, which is 200 while the process runs. Returns
    /// the address on which it listens.
    ///
    /// # Errors
    ///
    /// The I/O error if the address cannot be bound.
    pub fn serve(self: &Arc<Self>, address: impl ToSocketAddrs) -> io::Result<SocketAddr> {
        let metrics = Arc::clone(self);
        serve(address, move |path| match path {
            "/metrics" => Some(Page::ok(OPEN_METRICS, metrics.text())),
            "/healthz" => Some(Page::health(metrics.health())),
            "/livez" => Some(Page::ok(PLAIN, "ok\n".to_owned())),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::tests::get;

    #[test]
    fn the_counts_are_in_prometheus_format() {
        let metrics = Arc::new(Metrics::new("abc123"));
        let answers = Answers {
            nodes: 1000,
            time: Duration::from_millis(2500),
            ..Answers::default()
        };
        metrics.finished(&answers, 3, true);
        metrics.finished(&answers, 3, false);
        metrics.set_slots(2);
        metrics.set_engine_restarts(4);
        let address = metrics.serve("127.0.0.1:0").unwrap();
        let answer = metrics.while_busy(|| get(address, "GET /metrics HTTP/1.1\r\n\r\n"));
        let build = concat!(
            "centipawn_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\",commit=\"abc123\"} 1"
        );
        for line in [
            "HTTP/1.1 200 OK",
            "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8",
            "# HELP centipawn_tasks Tasks by how they ended.",
            "# TYPE centipawn_tasks counter",
            "centipawn_tasks_total{state=\"done\"} 1",
            "centipawn_tasks_total{state=\"late\"} 1",
            "centipawn_games_total 3",
            "centipawn_task_seconds_total 5.0",
            "centipawn_task_duration_seconds_bucket{le=\"2.0\"} 0",
            "centipawn_task_duration_seconds_bucket{le=\"5.0\"} 2",
            "centipawn_nodes_total 2000",
            "centipawn_engine_restarts_total 4",
            "centipawn_refusals_total 0",
            "centipawn_slots{busy=\"true\"} 1",
            "centipawn_slots{busy=\"false\"} 1",
            build,
            "# EOF",
        ] {
            assert!(
                answer.lines().any(|found| found == line),
                "{line} in {answer}"
            );
        }
        assert!(get(address, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    }

    #[test]
    fn health_is_that_of_the_database_connection() {
        let metrics = Arc::new(Metrics::default());
        let address = metrics.serve("127.0.0.1:0").unwrap();
        let health = || get(address, "GET /healthz HTTP/1.1\r\n\r\n");
        assert!(
            health().starts_with("HTTP/1.1 503") && health().contains("not joined"),
            "{}",
            health()
        );
        assert!(get(address, "GET /livez HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        let pulse = Arc::default();
        metrics.joined(&pulse);
        assert!(health().ends_with("ok\n"), "{}", health());
        pulse.fails();
        assert!(
            health().starts_with("HTTP/1.1 503") && health().contains("have failed"),
            "{}",
            health()
        );
        pulse.answers();
        assert!(health().ends_with("ok\n"), "{}", health());
    }
}
