//! The queue: tasks under leases. A lease runs by the server's clock; the row is claimed, finished and counted in single transactions,
//! so that each task counts once even if a process crashes in between.

use std::time::Duration;

use centipawn_engine::Identity;
use sqlx::{PgConnection, Row as _, postgres::PgRow};

use crate::{
    Fleet, FleetError, RunId,
    database::{Patience, sql},
    run::{TaskGame, unpack_games},
};

/// How long a task belongs to a worker that does not renew its lease, in seconds.
pub(crate) const LEASE: i32 = 60;

/// A task that was leased this many seconds ago, and that no slot knows of, is returned.
const UNKNOWN: f64 = 15.0;

/// Failures after which a task is parked.
pub(crate) const MAX_FAILURES: i32 = 3;

/// Crashes of workers after which a task runs alone in its process, and after which it is parked.
pub(crate) const ALONE_AFTER: i32 = 2;
pub(crate) const MAX_CRASHES: i32 = 3;

/// A task that this worker holds.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) run: RunId,
    pub(crate) number: i32,
    /// How often it was taken, this time included; with the worker, it names this lease.
    pub(crate) taken: i32,
    pub(crate) failed: i32,
    /// Workers that crashed while they held it.
    pub(crate) crashes: i32,
    /// Its games; `None` if the input is damaged.
    pub(crate) games: Option<Vec<TaskGame>>,
}

/// An open run with waiting tasks, as a worker sees it.
#[derive(Clone, Debug)]
pub(crate) struct OpenRun {
    pub(crate) version: String,
    pub(crate) recipe: String,
    pub(crate) need: String,
    pub(crate) proof: String,
}

/// What came of a task's games.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Key and compressed document of each game that was finished.
    pub(crate) documents: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) nodes: u64,
    pub(crate) time: Duration,
}

impl Fleet {
    /// Registers a worker for this start of its process.
    pub(crate) fn enlist(
        &self,
        name: &str,
        engine: &Identity,
        slots: usize,
        patience: Patience<'_>,
    ) -> Result<i64, FleetError> {
        let engine = serde_json::to_string(engine).unwrap_or_default();
        self.transact("register a worker", patience, async |connection| {
            sql("INSERT INTO centipawn_fleet.worker (name, version, engine, slots) VALUES ($1, $2, CAST($3 AS TEXT)::JSONB, $4) RETURNING id")
                .bind(name)
                .bind(env!("CARGO_PKG_VERSION"))
                .bind(&engine)
                .bind(slots as i32)
                .fetch_one(connection)
                .await?
                .try_get(0)
        })
    }

    /// Notes that a worker ended in an orderly way.
    pub(crate) fn discharge(&self, worker: i64, patience: Patience<'_>) -> Result<(), FleetError> {
        self.transact("end a worker", patience, async |connection| {
            sql("UPDATE centipawn_fleet.worker SET ended = now(), seen = now() WHERE id = $1")
                .bind(worker)
                .execute(connection)
                .await
                .map(drop)
        })
    }

    /// Open runs with tasks that are not done, the most urgent first.
    pub(crate) fn open_runs(&self, patience: Patience<'_>) -> Result<Vec<RunId>, FleetError> {
        self.transact("list runs", patience, async |connection| {
            let rows = sql(
                "SELECT id FROM centipawn_fleet.run r WHERE state = 'open' AND EXISTS (SELECT FROM centipawn_fleet.task p \
                 WHERE p.run = r.id AND p.state = 'waiting') ORDER BY priority DESC, id",
            )
            .fetch_all(connection)
            .await?;
            rows.iter().map(|row| Ok(RunId(row.try_get(0)?))).collect()
        })
    }

    /// The requirements of a run; `None` if it was deleted.
    pub(crate) fn open_run(&self, id: RunId, patience: Patience<'_>) -> Result<Option<OpenRun>, FleetError> {
        self.transact("read a run", patience, async |connection| {
            let row =
                sql("SELECT version, recipe::text, need::text, proof::text FROM centipawn_fleet.run WHERE id = $1")
                    .bind(id.0)
                    .fetch_optional(connection)
                    .await?;
            let run = |row: PgRow| {
                let text = |column: usize| row.try_get::<String, _>(column);
                Ok(OpenRun { version: text(0)?, recipe: text(1)?, need: text(2)?, proof: text(3)? })
            };
            row.map(run).transpose()
        })
    }

    /// Notes why a worker may not serve a run.
    pub(crate) fn refuse(
        &self,
        run: RunId,
        worker: i64,
        reason: &str,
        patience: Patience<'_>,
    ) -> Result<(), FleetError> {
        self.transact("note a refusal", patience, async |connection| {
            sql("INSERT INTO centipawn_fleet.refusal (run, worker, reason) SELECT id, $2, $3 FROM centipawn_fleet.run WHERE id = $1 \
                 ON CONFLICT (run, worker) DO UPDATE SET reason = excluded.reason")
                .bind(run.0)
                .bind(worker)
                .bind(reason)
                .execute(connection)
                .await
                .map(drop)
        })
    }

    /// Takes the first free task of a run.
    pub(crate) fn take(&self, run: RunId, worker: i64, patience: Patience<'_>) -> Result<Option<Held>, FleetError> {
        self.transact("take a task", patience, async |connection| {
            let row = sql(
                "UPDATE centipawn_fleet.task SET lease = now() + make_interval(secs => $3), worker = $2, taken = taken + 1 \
                 WHERE run = $1 AND number = (SELECT number FROM centipawn_fleet.task WHERE run = $1 AND state = 'waiting' \
                 AND lease <= now() ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED) \
                 RETURNING number, taken, failed, returned, input",
            )
            .bind(run.0)
            .bind(worker)
            .bind(f64::from(LEASE))
            .fetch_optional(connection)
            .await?;
            row.map(|row| held(run, &row)).transpose()
        })
    }

    /// Renews the leases of tasks, and returns those that are still this worker's.
    pub(crate) fn renew(
        &self,
        worker: i64,
        held: &[(RunId, i32)],
        patience: Patience<'_>,
    ) -> Result<Vec<(RunId, i32)>, FleetError> {
        let runs: Vec<i64> = held.iter().map(|(run, _)| run.0).collect();
        let numbers: Vec<i32> = held.iter().map(|(_, number)| *number).collect();
        self.transact("renew leases", patience, async |connection| {
            sql("UPDATE centipawn_fleet.worker SET seen = now() WHERE id = $1")
                .bind(worker)
                .execute(&mut *connection)
                .await?;
            // If the reply to a lease was lost, this worker owns a task that none of its slots knows.
            sql("UPDATE centipawn_fleet.task SET returned = returned + 1, lease = '-infinity' WHERE worker = $1 \
                 AND state = 'waiting' AND lease BETWEEN now() AND now() + make_interval(secs => $4) \
                 AND NOT EXISTS (SELECT FROM unnest($2::bigint[], $3::int[]) AS held(run, number) \
                 WHERE held.run = task.run AND held.number = task.number)")
            .bind(worker)
            .bind(&runs)
            .bind(&numbers)
            .bind(f64::from(LEASE) - UNKNOWN)
            .execute(&mut *connection)
            .await?;
            let rows = sql("UPDATE centipawn_fleet.task p SET lease = now() + make_interval(secs => $4) \
                 FROM unnest($1::bigint[], $2::int[]) AS held(run, number), centipawn_fleet.run r \
                 WHERE p.run = held.run AND p.number = held.number AND p.worker = $3 AND p.state = 'waiting' \
                 AND r.id = p.run AND r.state = 'open' RETURNING p.run, p.number")
            .bind(&runs)
            .bind(&numbers)
            .bind(worker)
            .bind(f64::from(LEASE))
            .fetch_all(connection)
            .await?;
            rows.iter().map(|row| Ok((RunId(row.try_get(0)?), row.try_get(1)?))).collect()
        })
    }

    /// Which of these keys have an answer.
    pub(crate) fn known(&self, keys: &[Vec<u8>], patience: Patience<'_>) -> Result<Vec<Vec<u8>>, FleetError> {
        self.transact("look for answers", patience, async |connection| known(connection, keys).await)
    }

    /// Finishes a task with its answers. Returns whether it counts: false if another worker was sooner, or if the run was
    /// cancelled or dropped.
    pub(crate) fn finish(
        &self,
        held: &Held,
        worker: i64,
        answers: &Answers,
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        self.transact("keep answers", patience, async |connection| {
            let done = sql(
                "UPDATE centipawn_fleet.task SET state = 'done', worker = $3, nodes = $4, seconds = $5, reason = NULL, \
                 ended = now() WHERE run = $1 AND number = $2 AND state <> 'done'",
            )
            .bind(held.run.0)
            .bind(held.number)
            .bind(worker)
            .bind(answers.nodes as i64)
            .bind(answers.time.as_secs_f32())
            .execute(&mut *connection)
            .await?;
            if done.rows_affected() == 0 {
                // If the reply to the commit was lost, it is done by this worker.
                let own = sql("SELECT FROM centipawn_fleet.task WHERE run = $1 AND number = $2 AND worker = $3");
                let own = own.bind(held.run.0).bind(held.number).bind(worker).fetch_optional(connection).await?;
                return Ok(own.is_some());
            }
            insert(connection, worker, &answers.documents).await?;
            Ok(true)
        })
    }

    /// Returns a task, with the answers of the finished games. Other workers may take it at once.
    pub(crate) fn give_back(
        &self,
        held: &Held,
        worker: i64,
        answers: &Answers,
        patience: Patience<'_>,
    ) -> Result<(), FleetError> {
        self.transact("give a task back", patience, async |connection| {
            let given = sql(
                "UPDATE centipawn_fleet.task SET returned = returned + 1, lease = '-infinity' \
                 WHERE run = $1 AND number = $2 AND worker = $3 AND taken = $4 AND state = 'waiting' AND lease > '-infinity'",
            )
            .bind(held.run.0)
            .bind(held.number)
            .bind(worker)
            .bind(held.taken)
            .execute(&mut *connection)
            .await?;
            if given.rows_affected() > 0 {
                insert(connection, worker, &answers.documents).await?;
            }
            Ok(())
        })
    }

    /// Records a failure of a task, with the answers of the finished games: it is tried again after 10 s, then after 40 s, and is parked
    /// at the third. Returns whether it is parked.
    pub(crate) fn fail(
        &self,
        held: &Held,
        worker: i64,
        answers: &Answers,
        reason: &str,
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        let is_last = held.failed + 1 >= MAX_FAILURES;
        let pause = 10.0 * 4_f64.powi(held.failed);
        self.put_aside(held, worker, answers, reason, (is_last, 1, pause), patience)?;
        Ok(is_last)
    }

    /// Parks a task whose workers crashed.
    pub(crate) fn park(
        &self,
        held: &Held,
        worker: i64,
        reason: &str,
        patience: Patience<'_>,
    ) -> Result<(), FleetError> {
        // This lease does not count as a crash.
        self.put_aside(held, worker, &Answers::default(), reason, (true, 1, 0.0), patience)
    }

    fn put_aside(
        &self,
        held: &Held,
        worker: i64,
        answers: &Answers,
        reason: &str,
        (is_parked, failures, pause): (bool, i32, f64),
        patience: Patience<'_>,
    ) -> Result<(), FleetError> {
        let state = if is_parked { "parked" } else { "waiting" };
        self.transact("note a failure", patience, async |connection| {
            let noted = sql(
                "UPDATE centipawn_fleet.task SET failed = failed + $5, lease = now() + make_interval(secs => $6), state = $7, \
                 reason = $8 WHERE run = $1 AND number = $2 AND worker = $3 AND taken = $4 AND failed = $9 AND state = 'waiting'",
            )
            .bind(held.run.0)
            .bind(held.number)
            .bind(worker)
            .bind(held.taken)
            .bind(failures)
            .bind(pause)
            .bind(state)
            .bind(reason)
            .bind(held.failed)
            .execute(&mut *connection)
            .await?;
            if noted.rows_affected() == 0 {
                return Ok(());
            }
            insert(connection, worker, &answers.documents).await?;
            sql("INSERT INTO centipawn_fleet.failure (run, task, worker, reason) VALUES ($1, $2, $3, $4)")
                .bind(held.run.0)
                .bind(held.number)
                .bind(worker)
                .bind(reason)
                .execute(connection)
                .await
                .map(drop)
        })
    }
}

/// Which of these keys have an answer.
pub(crate) async fn known(connection: &mut PgConnection, keys: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, sqlx::Error> {
    let rows =
        sql("SELECT key FROM centipawn_fleet.answer WHERE key = ANY($1)").bind(keys).fetch_all(connection).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

async fn insert(
    connection: &mut PgConnection,
    worker: i64,
    documents: &[(Vec<u8>, Vec<u8>)],
) -> Result<(), sqlx::Error> {
    if documents.is_empty() {
        return Ok(());
    }
    let mut documents = documents.to_vec();
    // Two workers that write the same rows do so in the same order.
    documents.sort();
    let (keys, documents): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
    sql("INSERT INTO centipawn_fleet.answer (key, document, worker) SELECT key, document, $3 \
         FROM unnest($1::bytea[], $2::bytea[]) AS new(key, document) ON CONFLICT (key) DO NOTHING")
    .bind(keys)
    .bind(documents)
    .bind(worker)
    .execute(connection)
    .await
    .map(drop)
}

fn held(run: RunId, row: &PgRow) -> Result<Held, sqlx::Error> {
    let count = |column: usize| row.try_get::<i32, _>(column);
    let (number, taken, failed, returned) = (count(0)?, count(1)?, count(2)?, count(3)?);
    let input: Vec<u8> = row.try_get(4)?;
    Ok(Held { run, number, taken, failed, crashes: taken - 1 - failed - returned, games: unpack_games(&input) })
}
