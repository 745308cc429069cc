//! The status of a fleet, as text, JSON and Prometheus metrics.

use std::fmt::{self, Write as _};

use centipawn_progress::text::plural;
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

/// A worker that was not seen for this long, in seconds, counts as gone.
const ABSENT: f64 = 75.0;

/// The rate is that of the last ten minutes.
const RECENT: f64 = 600.0;

/// The state of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetStatus {
    /// Always `fleet-status`.
    pub format: String,
    /// The runs, the latest last.
    pub runs: Vec<RunStatus>,
    /// Workers that were seen within the last minute and have not ended.
    pub workers: Vec<WorkerStatus>,
}

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStatus {
    /// Its number.
    pub run: i64,
    /// `review`, `mine` or `ease`.
    pub recipe: String,
    /// `submitting`, `open`, `complete` or `cancelled`.
    pub state: String,
    /// Who submitted it: `user@host`.
    pub submitter: String,
    /// How long ago, in seconds.
    pub age: f64,
    /// Its priority; higher ones are served first.
    pub priority: i32,
    /// Games submitted.
    pub games: i64,
    /// Games with an answer.
    pub answered: i64,
    /// Tasks that wait for a worker.
    pub waiting: i64,
    /// Tasks that a worker holds.
    pub held: i64,
    /// Tasks that are done.
    pub done: i64,
    /// Tasks that were given up.
    pub parked: Vec<ParkedTask>,
    /// Failures so far, retried ones included.
    pub failures: i64,
    /// Nodes searched.
    pub nodes: i64,
    /// Tasks finished per second over the last ten minutes.
    pub rate: f64,
    /// Seconds until the end at that rate; `None` if nothing was finished lately, or if nothing is left.
    pub remaining: Option<f64>,
    /// Seconds since the oldest free task could have been taken; `None` if none is free.
    pub oldest_waiting: Option<f64>,
    /// Why it does not continue; `None` if it does.
    pub waits_for: Option<String>,
}

/// A task that was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedTask {
    /// Its number.
    pub task: i32,
    /// How many games it has.
    pub games: i32,
    /// Why.
    pub reason: String,
}

/// The state of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Its number.
    pub worker: i64,
    /// Its name.
    pub name: String,
    /// Its version of Centipawn.
    pub version: String,
    /// Its engine's name.
    pub engine: String,
    /// Tasks it can do at a time.
    pub slots: i32,
    /// Tasks it holds.
    pub held: i64,
    /// Seconds since it was seen.
    pub seen: f64,
}

impl Fleet {
    /// The state of all runs, or of one, and of the workers.
    ///
    /// # Errors
    ///
    /// [`FleetError`]; [`FleetError::NoRun`] for a run that does not exist.
    pub fn status(&self, run: Option<RunId>) -> Result<FleetStatus, FleetError> {
        self.status_patiently(run, Patience::Brief)
    }

    fn status_patiently(&self, run: Option<RunId>, patience: Patience<'_>) -> Result<FleetStatus, FleetError> {
        let (mut runs, workers) = self.transact("be read", patience, async |connection| {
            let rows = sql(
                "SELECT r.id, r.recipe->>'recipe', r.state, r.submitter, extract(epoch FROM now() - r.at)::float8, r.priority, \
                 (SELECT count(*) FROM centipawn_fleet.item i WHERE i.run = r.id), \
                 (SELECT count(*) FROM centipawn_fleet.item i JOIN centipawn_fleet.answer a ON a.key = i.key WHERE i.run = r.id), \
                 p.waiting, p.held, p.done, p.nodes, p.recent, p.oldest, \
                 (SELECT count(*) FROM centipawn_fleet.failure f WHERE f.run = r.id) \
                 FROM centipawn_fleet.run r CROSS JOIN LATERAL (SELECT \
                   count(*) FILTER (WHERE state = 'waiting' AND lease <= now()) AS waiting, \
                   count(*) FILTER (WHERE state = 'waiting' AND lease > now()) AS held, \
                   count(*) FILTER (WHERE state = 'done') AS done, \
                   coalesce(sum(nodes), 0)::bigint AS nodes, \
                   count(*) FILTER (WHERE ended > now() - make_interval(secs => $2)) AS recent, \
                   extract(epoch FROM now() - min(greatest(lease, r.at)) FILTER (WHERE state = 'waiting' AND lease <= now()))::float8 AS oldest \
                   FROM centipawn_fleet.task WHERE run = r.id) p \
                 WHERE $1::bigint IS NULL OR r.id = $1 ORDER BY r.id",
            )
            .bind(run.map(|run| run.0))
            .bind(RECENT)
            .fetch_all(&mut *connection)
            .await?;
            let mut runs = rows.iter().map(run_status).collect::<Result<Vec<_>, _>>()?;
            let parked = sql(
                "SELECT run, number, games, coalesce(reason, '') FROM centipawn_fleet.task WHERE state = 'parked' \
                 AND ($1::bigint IS NULL OR run = $1) ORDER BY run, number LIMIT 1000",
            )
            .bind(run.map(|run| run.0))
            .fetch_all(&mut *connection)
            .await?;
            for row in parked {
                let run: i64 = row.try_get(0)?;
                let parked = ParkedTask { task: row.try_get(1)?, games: row.try_get(2)?, reason: row.try_get(3)? };
                runs.iter_mut().filter(|status| status.run == run).for_each(|status| status.parked.push(parked.clone()));
            }
            let workers = sql(
                "SELECT w.id, w.name, w.version, coalesce(w.engine->>'name', ''), w.slots, \
                 (SELECT count(*) FROM centipawn_fleet.task p WHERE p.worker = w.id AND p.state = 'waiting' AND p.lease > now()), \
                 extract(epoch FROM now() - w.seen)::float8 FROM centipawn_fleet.worker w \
                 WHERE w.ended IS NULL AND w.seen > now() - make_interval(secs => $1) ORDER BY w.id",
            )
            .bind(ABSENT)
            .fetch_all(connection)
            .await?;
            Ok((runs, workers.iter().map(worker_status).collect::<Result<Vec<_>, _>>()?))
        })?;
        if let (Some(run), true) = (run, runs.is_empty()) {
            return Err(FleetError::NoRun { run });
        }
        for status in runs.iter_mut().filter(|status| status.state == "open" && status.waiting > 0) {
            status.waits_for = self.refusals(RunId(status.run), &workers, patience)?;
        }
        Ok(FleetStatus { format: "fleet-status".to_owned(), runs, workers })
    }

    /// Why no worker serves a run that has free tasks; `None` if one does, or if no work is left.
    pub(crate) fn why_it_waits(&self, run: RunId, patience: Patience<'_>) -> Result<Option<String>, FleetError> {
        let status = self.status_patiently(Some(run), patience)?;
        Ok(status.runs.into_iter().next().and_then(|status| status.waits_for))
    }

    fn refusals(
        &self,
        run: RunId,
        workers: &[WorkerStatus],
        patience: Patience<'_>,
    ) -> Result<Option<String>, FleetError> {
        if workers.is_empty() {
            return Ok(Some("no worker is there; start one: centipawn worker, with the option `fleet URL`".to_owned()));
        }
        let refused = self.transact("be read", patience, async |connection| {
            let rows = sql("SELECT worker, reason FROM centipawn_fleet.refusal WHERE run = $1").bind(run.0);
            let rows = rows.fetch_all(connection).await?;
            rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect::<Result<Vec<(i64, String)>, _>>()
        })?;
        let mut reasons: Vec<&str> = Vec::new();
        for worker in workers {
            match refused.iter().find(|(id, _)| *id == worker.worker) {
                None => return Ok(None),
                Some((_, reason)) if !reasons.contains(&reason.as_str()) => reasons.push(reason),
                Some(_) => {}
            }
        }
        Ok(Some(format!("no worker may serve it: {}", reasons.join("; "))))
    }

    /// Lets parked tasks of a run be tried again. Returns how many there were.
    ///
    /// # Errors
    ///
    /// [`FleetError`].
    pub fn retry(&self, run: RunId) -> Result<u64, FleetError> {
        self.require(run)?;
        self.transact("retry tasks", Patience::Brief, async |connection| {
            let retried = sql(
                "UPDATE centipawn_fleet.task SET state = 'waiting', taken = 0, failed = 0, returned = 0, lease = '-infinity' \
                 WHERE run = $1 AND state = 'parked'",
            );
            Ok(retried.bind(run.0).execute(connection).await?.rows_affected())
        })
    }

    /// Cancels a run: workers stop within half a minute, and answers stay. Returns whether it was still open.
    ///
    /// # Errors
    ///
    /// [`FleetError`].
    pub fn cancel(&self, run: RunId) -> Result<bool, FleetError> {
        self.require(run)?;
        self.transact("cancel a run", Patience::Brief, async |connection| {
            let cancelled =
                sql("UPDATE centipawn_fleet.run SET state = 'cancelled' WHERE id = $1 AND state <> 'cancelled'");
            Ok(cancelled.bind(run.0).execute(connection).await?.rows_affected() > 0)
        })
    }

    /// Deletes a run with its tasks; answers stay for other runs, until they are [pruned](Self::prune).
    ///
    /// # Errors
    ///
    /// [`FleetError`].
    pub fn drop_run(&self, run: RunId) -> Result<(), FleetError> {
        self.require(run)?;
        self.transact("drop a run", Patience::Brief, async |connection| {
            sql("DELETE FROM centipawn_fleet.run WHERE id = $1").bind(run.0).execute(connection).await.map(drop)
        })
    }

    /// Deletes runs that ended, or were cancelled, more than `seconds` ago, answers of that age that no run asks for, and
    /// workers that have not been seen for so long. Returns how many runs and answers went.
    ///
    /// # Errors
    ///
    /// [`FleetError`].
    pub fn prune(&self, seconds: f64) -> Result<(u64, u64), FleetError> {
        self.transact("prune", Patience::Brief, async |connection| {
            let runs = sql(
                "DELETE FROM centipawn_fleet.run r WHERE at < now() - make_interval(secs => $1) AND state <> 'submitting' \
                 AND NOT EXISTS (SELECT FROM centipawn_fleet.task p WHERE p.run = r.id AND (p.state = 'waiting' AND \
                 r.state = 'open' OR p.ended > now() - make_interval(secs => $1)))",
            );
            let runs = runs.bind(seconds).execute(&mut *connection).await?.rows_affected();
            let answers = sql(
                "DELETE FROM centipawn_fleet.answer a WHERE at < now() - make_interval(secs => $1) \
                 AND NOT EXISTS (SELECT FROM centipawn_fleet.item i WHERE i.key = a.key)",
            );
            let answers = answers.bind(seconds).execute(&mut *connection).await?.rows_affected();
            sql("DELETE FROM centipawn_fleet.worker WHERE seen < now() - make_interval(secs => $1)")
                .bind(seconds)
                .execute(connection)
                .await?;
            Ok((runs, answers))
        })
    }

    fn require(&self, run: RunId) -> Result<(), FleetError> {
        let exists = self.transact("be read", Patience::Brief, async |connection| {
            let row =
                sql("SELECT FROM centipawn_fleet.run WHERE id = $1").bind(run.0).fetch_optional(connection).await?;
            Ok(row.is_some())
        })?;
        if exists { Ok(()) } else { Err(FleetError::NoRun { run }) }
    }
}

fn run_status(row: &PgRow) -> Result<RunStatus, sqlx::Error> {
    let mut status = RunStatus {
        run: row.try_get(0)?,
        recipe: row.try_get::<Option<String>, _>(1)?.unwrap_or_default(),
        state: row.try_get(2)?,
        submitter: row.try_get(3)?,
        age: row.try_get(4)?,
        priority: row.try_get(5)?,
        games: row.try_get(6)?,
        answered: row.try_get(7)?,
        waiting: row.try_get(8)?,
        held: row.try_get(9)?,
        done: row.try_get(10)?,
        nodes: row.try_get(11)?,
        oldest_waiting: row.try_get(13)?,
        failures: row.try_get(14)?,
        ..RunStatus::default()
    };
    let left = status.waiting + status.held;
    if status.state == "open" && left == 0 {
        "complete".clone_into(&mut status.state);
    }
    let recent = row.try_get::<i64, _>(12)? as f64;
    status.rate = recent / RECENT.min(status.age.max(1.0));
    status.remaining = (status.rate > 0.0 && left > 0).then(|| left as f64 / status.rate);
    Ok(status)
}

fn worker_status(row: &PgRow) -> Result<WorkerStatus, sqlx::Error> {
    Ok(WorkerStatus {
        worker: row.try_get(0)?,
        name: row.try_get(1)?,
        version: row.try_get(2)?,
        engine: row.try_get(3)?,
        slots: row.try_get(4)?,
        held: row.try_get(5)?,
        seen: row.try_get(6)?,
    })
}

/// A duration in seconds, for people: `45 s`, `12 min`, `3.5 h`, `2 days`.
fn shown(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

impl RunStatus {
    /// How far the run is, in one line.
    pub fn line(&self) -> String {
        let mut text = format!(
            "run {} ({}, {}): {} of {}",
            self.run,
            self.recipe,
            self.state,
            self.answered,
            plural(self.games.unsigned_abs(), "game")
        );
        for (count, what) in
            [(self.held, "tasks under way"), (self.waiting, "waiting"), (self.parked.len() as i64, "parked")]
        {
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
    /// The state for people, in lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for run in &self.runs {
            let _ = writeln!(text, "{}", run.line());
            let _ = writeln!(text, "  submitted by {} {} ago", run.submitter, shown(run.age));
            if let Some(reason) = &run.waits_for {
                let _ = writeln!(text, "  it waits: {reason}");
            }
            for parked in &run.parked {
                let games = plural(parked.games.unsigned_abs().into(), "game");
                let _ = writeln!(text, "  task {} ({games}) is parked: {}", parked.task, parked.reason);
            }
        }
        if self.runs.is_empty() {
            text.push_str("no runs\n");
        }
        for worker in &self.workers {
            let WorkerStatus { worker, name, engine, slots, held, seen, .. } = worker;
            let _ =
                writeln!(text, "worker {worker} ({name}): {held} of {slots} busy, {engine}, seen {} ago", shown(*seen));
        }
        if self.workers.is_empty() {
            text.push_str("no workers\n");
        }
        text
    }

    /// The state in Prometheus' text format.
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
                let parked = run.parked.len() as i64;
                [("waiting", run.waiting), ("held", run.held), ("done", run.done), ("parked", parked)]
                    .map(|(state, count)| (vec![label(run), ("state", state.to_owned())], count))
            })
            .collect();
        let games: Vec<_> = runs().map(|run| (vec![label(run)], run.games)).collect();
        let answered: Vec<_> = runs().map(|run| (vec![label(run)], run.answered)).collect();
        let waiting: Vec<_> = runs().map(|run| (vec![label(run)], run.oldest_waiting.unwrap_or(0.0))).collect();
        let slots: i32 = self.workers.iter().map(|worker| worker.slots).sum();
        let encoder = &mut encoder;
        family(encoder, "tasks", "Tasks of a run by state.", &tasks)?;
        family(encoder, "games", "Games of a run.", &games)?;
        family(encoder, "answered", "Games of a run with an answer.", &answered)?;
        family(encoder, "oldest_waiting_seconds", "How long the oldest free task has waited.", &waiting)?;
        family(encoder, "workers", "Workers seen within the last minute.", &[(Vec::new(), self.workers.len())])?;
        family(encoder, "slots", "Tasks that they can do at a time.", &[(Vec::new(), slots)])
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
        if labels.is_empty() { metric.encode_gauge(value) } else { metric.encode_family(labels)?.encode_gauge(value) }
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
            parked: vec![ParkedTask { task: 5, games: 1, reason: "3 workers crashed with it".to_owned() }],
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
        };
        FleetStatus { format: "fleet-status".to_owned(), runs: vec![run], workers: vec![worker] }
    }

    #[test]
    fn people_read_lines() {
        let expected = "\
run 7 (mine, open): 31 of 96 games, 2 tasks under way, 4 waiting, 1 parked, about 12 min left
  submitted by ann@desk 5 min ago
  it waits: no worker is there
  task 5 (1 game) is parked: 3 workers crashed with it
worker 3 (desk): 2 of 2 busy, Stockfish 16, seen 4 s ago
";
        assert_eq!(status().text(), expected);
        let empty = FleetStatus { runs: Vec::new(), workers: Vec::new(), ..status() };
        assert_eq!(empty.text(), "no runs\nno workers\n");
    }

    #[test]
    fn prometheus_reads_gauges() {
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
