//! The status of a fleet, as text, JSON and Prometheus metrics.

use std::{
    fmt::{self, Write as _},
    time::{SystemTime, UNIX_EPOCH},
};

use centipawn_progress::{Cancel, text::plural};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeGaugeValue, text::encode_registry},
    metrics::MetricType,
    registry::Registry,
};
use serde::{Deserialize, Serialize};
use sqlx::{Row as _, postgres::PgRow};

use crate::{
    Fleet, FleetError, RunId,
    database::{Patience, sql},
};

/// A worker that has not been seen for this many seconds is not listed. It is seen at least every
/// 20 s.
const ABSENT: f64 = 75.0;

/// The rate covers the last ten minutes, in seconds, or the time since the first lease if that is
/// shorter.
const RECENT: f64 = 600.0;
const RECENT_MINUTES: i64 = 10;

/// Number of leading tasks that are searched for the time of the first lease. Workers lease tasks
/// in the order of their numbers, but a single early task may have been leased again since.
const FIRST: i64 = 16;

/// The state of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetStatus {
    /// The name of the format, always `fleet-status`.
    pub format: String,
    /// The runs, the newest last.
    pub runs: Vec<RunStatus>,
    /// Workers that were seen within the last 75 seconds and have not ended.
    pub workers: Vec<WorkerStatus>,
}

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStatus {
    /// Number of the run.
    pub run: i64,
    /// The recipe: `review`, `mine` or `ease`.
    pub recipe: String,
    /// `submitting`, `open`, `complete` or `cancelled`.
    pub state: String,
    /// The user who submitted the run: `user@host`.
    pub submitter: String,
    /// Seconds since the run was submitted.
    pub age: f64,
    /// Priority; runs with a higher priority are served first.
    pub priority: i32,
    /// Number of submitted games.
    pub games: i64,
    /// Number of games with an answer, in the database or in the submitter's own store.
    pub answered: i64,
    /// Number of tasks that wait for a worker; 0 for a cancelled run.
    pub waiting: i64,
    /// Number of tasks that workers have leased.
    pub held: i64,
    /// Number of finished tasks.
    pub done: i64,
    /// Parked tasks. At most 1,000 are listed over all runs.
    pub parked: Vec<ParkedTask>,
    /// Number of parked tasks.
    pub given_up: i64,
    /// Number of tasks that must be repeated and wait until the command that submitted them runs
    /// again, because their games are no longer in the database.
    pub without_games: i64,
    /// Number of finished tasks that a second worker repeats for comparison.
    pub doubles: i64,
    /// Number of games whose answers were discarded because their worker was set aside.
    pub redone: i64,
    /// Number of messages in the queue when pgmq last counted them.
    pub queue_length: i64,
    /// Age of the oldest message in seconds; `None` in an empty queue.
    pub queue_age: Option<f64>,
    /// Number of failures so far, including those of tasks that later succeeded.
    pub failures: i64,
    /// Number of searched nodes.
    pub nodes: i64,
    /// Tasks finished per second over the last ten minutes, or since the first lease if that is
    /// more recent.
    pub rate: f64,
    /// Estimated seconds until the end at that rate; `None` if no task was finished recently, if no
    /// task is left, or if the run is not open.
    pub remaining: Option<f64>,
    /// Seconds since the oldest free task became available; `None` if no task is free.
    pub oldest_waiting: Option<f64>,
    /// The reason why the run does not advance; `None` if it does.
    pub waits_for: Option<String>,
}

/// A task that is parked after too many crashes or failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedTask {
    /// Number of the task in its run, from 1.
    pub task: i32,
    /// Number of games in the task.
    pub games: i32,
    /// The reason of the task's last failure.
    pub reason: String,
}

/// The state of a worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Number of the worker.
    pub worker: i64,
    /// Name of the worker.
    pub name: String,
    /// Version of Centipawn that the worker runs.
    pub version: String,
    /// The commit of the worker's build, which distinguishes builds of one version; may be empty.
    pub build: String,
    /// Name of the worker's engine.
    pub engine: String,
    /// Number of tasks that the worker can process at the same time.
    pub slots: i32,
    /// Number of tasks that the worker has leased.
    pub held: i64,
    /// Seconds since the worker's last request.
    pub seen: f64,
    /// The reason why the worker was set aside; `None` if it may work.
    pub set_aside: Option<String>,
}

impl Fleet {
    /// Returns the state of all runs, or of one, and of the workers.
    ///
    /// # Errors
    ///
    /// [`FleetError::NoRun`] for a run that does not exist, and errors of the database.
    pub fn status(&self, run: Option<RunId>) -> Result<FleetStatus, FleetError> {
        self.status_patiently(run, Patience::Brief)
    }

    /// Returns the state of a run. Waits while the database is unreachable, until `cancel` is set.
    ///
    /// # Errors
    ///
    /// [`FleetError::NoRun`] for a run that does not exist, [`FleetError::Cancelled`] after a
    /// cancel, and errors of the database.
    pub fn run_status(&self, run: RunId, cancel: &Cancel) -> Result<RunStatus, FleetError> {
        let status = self.status_patiently(Some(run), Patience::Until(cancel))?;
        status
            .runs
            .into_iter()
            .next()
            .ok_or(FleetError::NoRun { run })
    }

    pub(crate) fn status_patiently(
        &self,
        run: Option<RunId>,
        patience: Patience<'_>,
    ) -> Result<FleetStatus, FleetError> {
        let (mut runs, workers) = self.transact("be read", patience, async |connection| {
            let rows = sql("SELECT r.id, r.recipe->>'recipe' AS recipe, r.state, r.submitter, \
                 extract(epoch FROM now() - r.at)::float8 AS age, \
                 r.priority, r.redone, t.*, held.held, pace.recent, first.busy, \
                 q.length, q.age AS queue_age, \
                 centipawn_fleet.oldest_waiting(r.id) AS oldest FROM centipawn_fleet.run r \
                 CROSS JOIN LATERAL (SELECT coalesce(sum(games), 0)::bigint AS games, \
                   coalesce(sum(answered), 0)::bigint AS answered, \
                   coalesce(sum(tasks), 0)::bigint AS tasks, \
                   coalesce(sum(done), 0)::bigint AS done, \
                   coalesce(sum(parked), 0)::bigint AS parked, \
                   coalesce(sum(hollow), 0)::bigint AS hollow, \
                   coalesce(sum(doubles), 0)::bigint AS doubles, \
                   coalesce(sum(failures), 0)::bigint AS failures, \
                   coalesce(sum(nodes), 0)::bigint AS nodes \
                   FROM centipawn_fleet.tally WHERE run = r.id) t \
                 CROSS JOIN LATERAL (SELECT count(*) AS held FROM centipawn_fleet.task h \
                   JOIN centipawn_fleet.worker w ON w.id = h.worker \
                   WHERE h.run = r.id AND h.worker IS NOT NULL AND h.state = 'waiting' \
                   AND r.state = 'open' AND w.ended IS NULL \
                   AND w.seen > now() - make_interval(secs => $3)) held \
                 CROSS JOIN LATERAL (SELECT coalesce(sum(done), 0)::bigint AS recent \
                   FROM centipawn_fleet.pace \
                   WHERE run = r.id AND minute > extract(epoch FROM now())::bigint / 60 - $2) pace \
                 CROSS JOIN LATERAL (SELECT extract(epoch FROM now() - min(leased))::float8 \
                   AS busy FROM (SELECT leased FROM centipawn_fleet.task WHERE run = r.id \
                   ORDER BY number LIMIT $4) f) first \
                 CROSS JOIN LATERAL centipawn_fleet.measure_queue(r.id) q \
                 WHERE $1::bigint IS NULL OR r.id = $1 ORDER BY r.id")
            .bind(run.map(|run| run.0))
            .bind(RECENT_MINUTES)
            .bind(ABSENT)
            .bind(FIRST)
            .fetch_all(&mut *connection)
            .await?;
            let mut runs = rows.iter().map(run_status).collect::<Result<Vec<_>, _>>()?;
            let parked = sql("SELECT run, number, games, coalesce(reason, '') AS reason \
                 FROM centipawn_fleet.task WHERE state = 'parked' \
                 AND ($1::bigint IS NULL OR run = $1) ORDER BY run, number LIMIT 1000")
            .bind(run.map(|run| run.0))
            .fetch_all(&mut *connection)
            .await?;
            for row in parked {
                let run: i64 = row.try_get("run")?;
                let parked = ParkedTask {
                    task: row.try_get("number")?,
                    games: row.try_get("games")?,
                    reason: row.try_get("reason")?,
                };
                runs.iter_mut()
                    .filter(|status| status.run == run)
                    .for_each(|status| status.parked.push(parked.clone()));
            }
            let workers = sql("SELECT w.id, w.name, w.version, w.build, \
                 coalesce(w.engine->>'name', '') AS engine, w.slots, w.aside, \
                 (SELECT count(*) FROM centipawn_fleet.task p WHERE p.worker = w.id) AS held, \
                 extract(epoch FROM now() - w.seen)::float8 AS seen FROM centipawn_fleet.worker w \
                 WHERE w.ended IS NULL AND w.seen > now() - make_interval(secs => $1) ORDER BY w.id")
            .bind(ABSENT)
            .fetch_all(connection)
            .await?;
            Ok((runs, workers.iter().map(worker_status).collect::<Result<Vec<_>, _>>()?))
        })?;
        if let (Some(run), true) = (run, runs.is_empty()) {
            return Err(FleetError::NoRun { run });
        }
        for status in runs.iter_mut().filter(|status| status.waiting > 0) {
            status.waits_for = self.reason_to_wait(status, &workers, patience)?;
        }
        Ok(FleetStatus {
            format: "fleet-status".to_owned(),
            runs,
            workers,
        })
    }

    /// Returns why no worker serves a run with free tasks; `None` if a worker serves it, or if no
    /// task is left.
    pub(crate) fn why_it_waits(
        &self,
        run: RunId,
        patience: Patience<'_>,
    ) -> Result<Option<String>, FleetError> {
        let status = self.status_patiently(Some(run), patience)?;
        Ok(status
            .runs
            .into_iter()
            .next()
            .and_then(|status| status.waits_for))
    }

    /// Returns why no worker serves a run with free tasks; `None` if a worker serves it or is about
    /// to.
    fn reason_to_wait(
        &self,
        run: &RunStatus,
        workers: &[WorkerStatus],
        patience: Patience<'_>,
    ) -> Result<Option<String>, FleetError> {
        if run.state == "submitting" {
            let reason = "workers begin when all its games are submitted; if the command that \
                 submits it has ended, run it again";
            return Ok(Some(reason.to_owned()));
        }
        if workers.is_empty() {
            return Ok(Some(
                "no worker is there; start one: centipawn worker, with the option `fleet URL`"
                    .to_owned(),
            ));
        }
        let refused = self.transact("be read", patience, async |connection| {
            let rows = sql("SELECT worker, reason FROM centipawn_fleet.refusal WHERE run = $1")
                .bind(run.run);
            let rows = rows.fetch_all(connection).await?;
            rows.iter()
                .map(|row| Ok((row.try_get("worker")?, row.try_get("reason")?)))
                .collect::<Result<Vec<(i64, String)>, _>>()
        })?;
        let (mut serving, mut reasons): (Vec<i64>, Vec<&str>) = Default::default();
        for worker in workers {
            let refusal = refused.iter().find(|(id, _)| *id == worker.worker);
            match worker
                .set_aside
                .as_ref()
                .or(refusal.map(|(_, reason)| reason))
            {
                None => serving.push(worker.worker),
                Some(reason) if !reasons.contains(&reason.as_str()) => reasons.push(reason),
                Some(_) => {}
            }
        }
        if serving.is_empty() {
            return Ok(Some(format!(
                "no worker may serve it: {}",
                reasons.join("; ")
            )));
        }
        if run.held > 0 {
            return Ok(None);
        }
        let first = self.transact("be read", patience, async |connection| {
            let row = sql(
                "SELECT r.id FROM centipawn_fleet.task t JOIN centipawn_fleet.run r \
                 ON r.id = t.run \
                 WHERE t.worker = ANY($1) ORDER BY r.priority DESC, r.id LIMIT 1",
            );
            row.bind(&serving)
                .fetch_optional(connection)
                .await?
                .map(|row| row.try_get::<i64, _>("id"))
                .transpose()
        })?;
        // A worker can also hold a finished task of this run that it repeats for comparison; then
        // the first run is this one.
        let first = first.filter(|first| *first != run.run);
        Ok(first.map(|first| format!("the workers do tasks of run {first} first")))
    }
}

fn run_status(row: &PgRow) -> Result<RunStatus, sqlx::Error> {
    let count = |column: &str| row.try_get::<i64, _>(column);
    let (tasks, parked) = (count("tasks")?, count("parked")?);
    let mut status = RunStatus {
        run: row.try_get("id")?,
        recipe: row
            .try_get::<Option<String>, _>("recipe")?
            .unwrap_or_default(),
        state: row.try_get("state")?,
        submitter: row.try_get("submitter")?,
        age: row.try_get("age")?,
        priority: row.try_get("priority")?,
        games: count("games")?,
        answered: count("answered")?,
        held: count("held")?,
        done: count("done")?,
        given_up: parked,
        without_games: count("hollow")?,
        doubles: count("doubles")?,
        redone: count("redone")?,
        failures: count("failures")?,
        nodes: count("nodes")?,
        queue_length: row.try_get::<Option<i64>, _>("length")?.unwrap_or_default(),
        queue_age: row.try_get::<Option<f32>, _>("queue_age")?.map(f64::from),
        ..RunStatus::default()
    };
    let mut left = tasks - status.done - parked;
    if status.state == "cancelled" {
        // No task of a cancelled run will be done.
        (left, status.without_games) = (0, 0);
    }
    status.waiting = (left - status.without_games - status.held).max(0);
    status.oldest_waiting = row
        .try_get::<Option<f64>, _>("oldest")?
        .filter(|_| status.waiting > 0);
    if status.state == "open" && left == 0 {
        "complete".clone_into(&mut status.state);
    }
    // The run may have waited behind other runs before its first lease. This time must not lower
    // its rate.
    let busy = row.try_get::<Option<f64>, _>("busy")?.unwrap_or(status.age);
    status.rate = count("recent")? as f64 / RECENT.min(busy.max(1.0));
    status.remaining =
        (status.state == "open" && status.rate > 0.0).then(|| left as f64 / status.rate);
    Ok(status)
}

fn worker_status(row: &PgRow) -> Result<WorkerStatus, sqlx::Error> {
    Ok(WorkerStatus {
        worker: row.try_get("id")?,
        name: row.try_get("name")?,
        version: row.try_get("version")?,
        build: row.try_get("build")?,
        engine: row.try_get("engine")?,
        slots: row.try_get("slots")?,
        held: row.try_get("held")?,
        seen: row.try_get("seen")?,
        set_aside: row.try_get("aside")?,
    })
}

/// Returns a rounded duration: `45 s`, `12 min`, `3.5 h`, `2 days`.
fn shown(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

impl RunStatus {
    /// Formats the progress of the run in one line.
    pub fn line(&self) -> String {
        let mut text = format!(
            "run {} ({}, {}): {} of {}",
            self.run,
            self.recipe,
            self.state,
            self.answered,
            plural(self.games.unsigned_abs(), "game")
        );
        for (count, what) in [
            (self.held, "tasks under way"),
            (self.waiting, "waiting"),
            (self.given_up, "parked"),
            (self.without_games, "without games"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        if let Some(remaining) = self.remaining {
            let _ = write!(text, ", about {} left", shown(remaining));
        }
        text
    }
}

impl FleetStatus {
    /// Formats the state for the terminal, in several lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for run in &self.runs {
            let _ = writeln!(text, "{}", run.line());
            let _ = writeln!(
                text,
                "  submitted by {} {} ago",
                run.submitter,
                shown(run.age)
            );
            if let Some(reason) = &run.waits_for {
                let _ = writeln!(text, "  it waits: {reason}");
            }
            if run.without_games > 0 {
                let tasks = plural(run.without_games.unsigned_abs(), "task");
                let _ = writeln!(
                    text,
                    "  {tasks} must be done again: the command that submitted the run brings their \
                     games"
                );
            }
            for parked in &run.parked {
                let games = plural(parked.games.unsigned_abs().into(), "game");
                let _ = writeln!(
                    text,
                    "  task {} ({games}) is parked: {}",
                    parked.task, parked.reason
                );
            }
        }
        if self.runs.is_empty() {
            text.push_str("no runs\n");
        }
        for worker_status in &self.workers {
            let WorkerStatus {
                worker,
                name,
                engine,
                slots,
                held,
                seen,
                ..
            } = worker_status;
            let _ = writeln!(
                text,
                "worker {worker} ({name}): {held} of {slots} busy, {engine}, seen {} ago",
                shown(*seen)
            );
            if let Some(reason) = &worker_status.set_aside {
                let _ = writeln!(text, "  {reason}");
            }
        }
        if self.workers.is_empty() {
            text.push_str("no workers\n");
        }
        text
    }

    /// Formats the state in Prometheus' text format.
    pub fn prometheus(&self) -> String {
        let mut registry = Registry::with_prefix("centipawn_fleet");
        registry.register_collector(Box::new(self.clone()));
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode_registry(&mut text, &registry);
        text
    }
}

/// A value with its labels.
type Labelled<'a, V> = (Vec<(&'a str, String)>, V);

impl Collector for FleetStatus {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let runs = || self.runs.iter().filter(|run| run.state != "cancelled");
        let label = |run: &RunStatus| ("run", run.run.to_string());
        let tasks: Vec<_> = runs()
            .flat_map(|run| {
                let [waiting, hollow] = [run.waiting, run.without_games];
                [
                    ("waiting", waiting),
                    ("held", run.held),
                    ("done", run.done),
                    ("parked", run.given_up),
                    ("hollow", hollow),
                ]
                .map(|(state, count)| (vec![label(run), ("state", state.to_owned())], count))
            })
            .collect();
        let games: Vec<_> = runs().map(|run| (vec![label(run)], run.games)).collect();
        let answered: Vec<_> = runs().map(|run| (vec![label(run)], run.answered)).collect();
        let waiting: Vec<_> = runs()
            .map(|run| (vec![label(run)], run.oldest_waiting.unwrap_or(0.0)))
            .collect();
        let lengths: Vec<_> = runs()
            .map(|run| (vec![label(run)], run.queue_length))
            .collect();
        let ages: Vec<_> = runs()
            .map(|run| (vec![label(run)], run.queue_age.unwrap_or(0.0)))
            .collect();
        let redone: Vec<_> = runs().map(|run| (vec![label(run)], run.redone)).collect();
        let doubles: Vec<_> = runs().map(|run| (vec![label(run)], run.doubles)).collect();
        let aside = self
            .workers
            .iter()
            .filter(|worker| worker.set_aside.is_some())
            .count();
        let wanted: i64 = runs()
            .filter(|run| run.state == "open")
            .map(|run| run.waiting + run.held)
            .sum();
        let slots: i32 = self.workers.iter().map(|worker| worker.slots).sum();
        let encoder = &mut encoder;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |time| time.as_secs_f64().round());
        family(
            encoder,
            "status_timestamp_seconds",
            "When this state was read: a file may be old.",
            &[(Vec::new(), now)],
        )?;
        family(encoder, "tasks", "Tasks of a run by state.", &tasks)?;
        family(encoder, "games", "Games of a run.", &games)?;
        family(
            encoder,
            "answered",
            "Games of a run with an answer.",
            &answered,
        )?;
        family(
            encoder,
            "oldest_waiting_seconds",
            "How long the oldest free task has waited.",
            &waiting,
        )?;
        family(
            encoder,
            "queue_length",
            "Messages in a run's queue, as pgmq counted them last.",
            &lengths,
        )?;
        family(
            encoder,
            "queue_age_seconds",
            "Age of the oldest message in a run's queue.",
            &ages,
        )?;
        family(
            encoder,
            "redone_games",
            "Games whose answers were thrown away and made again.",
            &redone,
        )?;
        family(
            encoder,
            "doubles",
            "Finished tasks that another worker does too.",
            &doubles,
        )?;
        family(
            encoder,
            "wanted_slots",
            "Tasks of all open runs that could be under way.",
            &[(Vec::new(), wanted)],
        )?;
        family(
            encoder,
            "set_aside_workers",
            "Workers that gave other answers than two others.",
            &[(Vec::new(), aside)],
        )?;
        family(
            encoder,
            "workers",
            "Workers seen within the last minute.",
            &[(Vec::new(), self.workers.len())],
        )?;
        family(
            encoder,
            "slots",
            "Tasks that they can do at a time.",
            &[(Vec::new(), slots)],
        )
    }
}

fn family<V: EncodeGaugeValue>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    values: &[Labelled<'_, V>],
) -> fmt::Result {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    values.iter().try_for_each(|(labels, value)| {
        if labels.is_empty() {
            metric.encode_gauge(value)
        } else {
            metric.encode_family(labels)?.encode_gauge(value)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> FleetStatus {
        let run = RunStatus {
            run: 7,
            recipe: "mine".to_owned(),
            state: "open".to_owned(),
            submitter: "ann@desk".to_owned(),
            age: 300.0,
            games: 96,
            answered: 31,
            waiting: 4,
            held: 2,
            done: 3,
            parked: vec![ParkedTask {
                task: 5,
                games: 1,
                reason: "3 workers crashed with it".to_owned(),
            }],
            given_up: 1,
            remaining: Some(720.0),
            oldest_waiting: Some(12.5),
            waits_for: Some("no worker is there".to_owned()),
            ..RunStatus::default()
        };
        let worker = WorkerStatus {
            worker: 3,
            name: "desk".to_owned(),
            version: "0.1.0".to_owned(),
            engine: "Stockfish 16".to_owned(),
            slots: 2,
            held: 2,
            seen: 4.2,
            ..WorkerStatus::default()
        };
        FleetStatus {
            format: "fleet-status".to_owned(),
            runs: vec![run],
            workers: vec![worker],
        }
    }

    #[test]
    fn the_text_lists_runs_and_workers() {
        let expected = "\
run 7 (mine, open): 31 of 96 games, 2 tasks under way, 4 waiting, 1 parked, about 12 min left
  submitted by ann@desk 5 min ago
  it waits: no worker is there
  task 5 (1 game) is parked: 3 workers crashed with it
worker 3 (desk): 2 of 2 busy, Stockfish 16, seen 4 s ago
";
        assert_eq!(status().text(), expected);
        let empty = FleetStatus {
            runs: Vec::new(),
            workers: Vec::new(),
            ..status()
        };
        assert_eq!(empty.text(), "no runs\nno workers\n");
    }

    #[test]
    fn the_metrics_are_gauges() {
        let text = status().prometheus();
        for line in [
            "centipawn_fleet_tasks{run=\"7\",state=\"parked\"} 1",
            "centipawn_fleet_oldest_waiting_seconds{run=\"7\"} 12.5",
            "centipawn_fleet_workers 1",
            "centipawn_fleet_slots 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }

    #[test]
    fn durations_are_short() {
        let all = [5.0, 99.0, 600.0, 7200.0, 400_000.0].map(shown);
        assert_eq!(all, ["5 s", "99 s", "10 min", "2.0 h", "5 days"]);
    }
}
