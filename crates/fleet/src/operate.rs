//! Operations on runs: retry, cancel, drop, prune. Rows are deleted in batches, because a single
//! long transaction would block workers.

use centipawn_store::Transcript;
use sqlx::Row as _;

use crate::{
    Fleet, FleetError, RunId,
    database::{Patience, sql},
    run::{LONGEST_COMPRESSED, decompress},
};

/// Maximum number of rows that one transaction deletes.
const PIECE: i64 = 10_000;

/// Maximum number of answers that one transaction checks.
const CHECKED: i64 = 200;

/// The result of [`Fleet::retry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retried {
    /// Number of tasks that workers will repeat.
    pub tasks: u64,
    /// Number of tasks that wait for the command that submitted them to send their games again,
    /// because these are no longer in the database.
    pub without_games: u64,
    /// Number of answers that were deleted because they could not be read.
    pub damaged: u64,
}

impl Fleet {
    /// Repairs a run: retries parked tasks, creates missing or damaged answers again, and returns
    /// tasks to the queue that are missing there.
    ///
    /// # Errors
    ///
    /// [`FleetError::NoRun`] for a run that does not exist, and errors of the database.
    pub fn retry(&self, run: RunId) -> Result<Retried, FleetError> {
        self.require(run)?;
        let damaged = self.delete_damaged(run)?;
        self.transact("retry tasks", Patience::Long, async |connection| {
            let row = sql("SELECT again, emptied FROM centipawn_fleet.repair($1)")
                .bind(run.0)
                .fetch_one(connection)
                .await?;
            let count = |column: &str| {
                Ok::<u64, sqlx::Error>(row.try_get::<i64, _>(column)?.max(0).cast_unsigned())
            };
            Ok(Retried {
                tasks: count("again")?,
                without_games: count("emptied")?,
                damaged,
            })
        })
    }

    /// Deletes the unreadable answers of a run, and returns their number.
    fn delete_damaged(&self, run: RunId) -> Result<u64, FleetError> {
        let (mut after, mut deleted) = (0_i64, 0);
        loop {
            let (last, count) =
                self.transact("check answers", Patience::Brief, async |connection| {
                    let rows = sql("SELECT i.number, i.key, \
                     CASE WHEN octet_length(a.document) <= $4 THEN a.document END AS document, \
                     a.key IS NOT NULL AS is_there \
                     FROM (SELECT number, key FROM centipawn_fleet.item WHERE run = $1 \
                     AND number > $2 ORDER BY number LIMIT $3) i \
                     LEFT JOIN centipawn_fleet.answer a ON a.key = i.key ORDER BY i.number")
                    .bind(run.0)
                    .bind(after)
                    .bind(CHECKED)
                    .bind(LONGEST_COMPRESSED as i64)
                    .fetch_all(&mut *connection)
                    .await?;
                    let mut damaged: Vec<Vec<u8>> = Vec::new();
                    for row in &rows {
                        let document: Option<Vec<u8>> = row.try_get("document")?;
                        let is_good = document.and_then(|document| decompress(&document));
                        let is_good = is_good.is_some_and(|bytes| {
                            Transcript::from_bytes(&bytes).is_ok_and(|found| found.is_sound())
                        });
                        if row.try_get("is_there")? && !is_good {
                            damaged.push(row.try_get("key")?);
                        }
                    }
                    let mut count = 0;
                    if !damaged.is_empty() {
                        let delete = sql("DELETE FROM centipawn_fleet.answer WHERE key = ANY($1)")
                            .bind(&damaged);
                        count = delete.execute(connection).await?.rows_affected();
                    }
                    Ok((
                        rows.last()
                            .map(|row| row.try_get::<i64, _>("number"))
                            .transpose()?,
                        count,
                    ))
                })?;
            deleted += count;
            match last {
                Some(last) => after = last,
                None => return Ok(deleted),
            }
        }
    }

    /// Cancels a run. Workers stop within half a minute, and answers stay in the database. Returns
    /// whether the run was still open; false if it was already cancelled.
    ///
    /// # Errors
    ///
    /// [`FleetError::RunComplete`] if no task is left, [`FleetError::NoRun`] for a run that does
    /// not exist, and errors of the database.
    pub fn cancel(&self, run: RunId) -> Result<bool, FleetError> {
        let is_complete = self.transact("be read", Patience::Brief, async |connection| {
            let row = sql("SELECT r.state = 'open' AND t.left = 0 AS is_complete \
                 FROM centipawn_fleet.run r CROSS JOIN LATERAL \
                 (SELECT coalesce(sum(tasks - done - parked), 0) AS left \
                 FROM centipawn_fleet.tally WHERE run = r.id) t WHERE r.id = $1");
            let row = row.bind(run.0).fetch_optional(connection).await?;
            row.map(|row| row.try_get("is_complete")).transpose()
        })?;
        match is_complete {
            None => Err(FleetError::NoRun { run }),
            Some(true) => Err(FleetError::RunComplete { run }),
            Some(false) => self.set_cancelled(run),
        }
    }

    /// Cancels a run in any state.
    fn set_cancelled(&self, run: RunId) -> Result<bool, FleetError> {
        let was_open = self.transact("cancel a run", Patience::Brief, async |connection| {
            let cancelled = sql(
                "UPDATE centipawn_fleet.run SET state = 'cancelled' WHERE id = $1 \
                     AND state <> 'cancelled'",
            );
            Ok(cancelled
                .bind(run.0)
                .execute(connection)
                .await?
                .rows_affected()
                > 0)
        })?;
        // Only an open run is offered to workers, so no worker uses the queue from now on.
        self.drop_queue(run)?;
        Ok(was_open)
    }

    fn drop_queue(&self, run: RunId) -> Result<(), FleetError> {
        self.transact("drop a queue", Patience::Brief, async |connection| {
            sql("SELECT centipawn_fleet.drop_queue($1)")
                .bind(run.0)
                .execute(connection)
                .await
                .map(drop)
        })
    }

    /// Deletes a run with its tasks. Answers stay in the database for other runs, until they are
    /// [pruned](Self::prune).
    ///
    /// # Errors
    ///
    /// [`FleetError::NoRun`] for a run that does not exist, and errors of the database.
    pub fn drop_run(&self, run: RunId) -> Result<(), FleetError> {
        self.require(run)?;
        self.set_cancelled(run)?;
        for table in [
            "DELETE FROM centipawn_fleet.item WHERE ctid = ANY(ARRAY(SELECT ctid \
             FROM centipawn_fleet.item WHERE run = $1 LIMIT $2))",
            "DELETE FROM centipawn_fleet.input WHERE ctid = ANY(ARRAY(SELECT ctid \
             FROM centipawn_fleet.input WHERE run = $1 LIMIT $2))",
            "DELETE FROM centipawn_fleet.task WHERE ctid = ANY(ARRAY(SELECT ctid \
             FROM centipawn_fleet.task WHERE run = $1 LIMIT $2))",
            "DELETE FROM centipawn_fleet.failure WHERE ctid = ANY(ARRAY(SELECT ctid \
             FROM centipawn_fleet.failure WHERE run = $1 LIMIT $2))",
        ] {
            self.in_pieces(&async |connection| {
                Ok(sql(table)
                    .bind(run.0)
                    .bind(PIECE)
                    .execute(connection)
                    .await?
                    .rows_affected())
            })?;
        }
        // Deleting the run deletes the few rows of other tables that are left (`ON DELETE
        // CASCADE`).
        self.transact("drop a run", Patience::Brief, async |connection| {
            sql("DELETE FROM centipawn_fleet.run WHERE id = $1")
                .bind(run.0)
                .execute(connection)
                .await
                .map(drop)
        })
    }

    /// Repeats a deletion, one transaction at a time, until it deletes less than a full batch.
    /// Returns the number of deleted rows.
    fn in_pieces(
        &self,
        delete: &impl AsyncFn(&mut sqlx::PgConnection) -> Result<u64, sqlx::Error>,
    ) -> Result<u64, FleetError> {
        let mut all = 0;
        loop {
            let count = self.transact("delete rows", Patience::Brief, delete)?;
            all += count;
            if count < PIECE.cast_unsigned() {
                return Ok(all);
            }
        }
    }

    /// Deletes runs that ended or were cancelled more than `seconds` ago, answers of the same age
    /// that belong to no run, and workers that ended that long ago. Workers that did not end in an
    /// orderly way are deleted if they were last seen that long ago, and at least an hour ago.
    /// Returns the numbers of deleted runs and answers.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn prune(&self, seconds: f64) -> Result<(u64, u64), FleetError> {
        let runs = self.transact("prune", Patience::Brief, async |connection| {
            let rows = sql("SELECT r.id FROM centipawn_fleet.run r CROSS JOIN LATERAL \
                 (SELECT coalesce(sum(tasks - done - parked), 0) AS left, \
                 coalesce(max(at), r.at) AS at FROM centipawn_fleet.tally WHERE run = r.id) t \
                 WHERE r.at < now() - make_interval(secs => $1) \
                 AND t.at < now() - make_interval(secs => $1) \
                 AND (r.state = 'cancelled' OR r.state = 'open' AND t.left = 0) ORDER BY r.id");
            let rows = rows.bind(seconds).fetch_all(connection).await?;
            rows.iter()
                .map(|row| Ok(RunId(row.try_get("id")?)))
                .collect::<Result<Vec<_>, _>>()
        })?;
        for run in &runs {
            match self.drop_run(*run) {
                // Another process may have pruned the same run at the same time.
                Err(FleetError::NoRun { .. }) => {}
                dropped => dropped?,
            }
        }
        let answers = self.in_pieces(&async |connection| {
            let answers = sql("DELETE FROM centipawn_fleet.answer WHERE key = ANY(ARRAY(SELECT a.key \
                 FROM centipawn_fleet.answer a \
                 WHERE a.at < now() - make_interval(secs => $1) \
                 AND NOT EXISTS (SELECT FROM centipawn_fleet.item i WHERE i.key = a.key) LIMIT $2))");
            Ok(answers.bind(seconds).bind(PIECE).execute(connection).await?.rows_affected())
        })?;
        // A worker that has not ended may still be alive, and a worker that was set aside must not
        // join again within an hour. So these rows stay for at least an hour.
        self.in_pieces(&async |connection| {
            let workers = sql(
                "DELETE FROM centipawn_fleet.worker WHERE id = ANY(ARRAY(SELECT w.id \
                 FROM centipawn_fleet.worker w \
                 WHERE w.seen < now() - make_interval(secs => $1) \
                 AND (w.ended IS NOT NULL AND w.aside IS NULL \
                 OR w.seen < now() - interval '1 hour') \
                 AND NOT EXISTS (SELECT FROM centipawn_fleet.task t WHERE t.worker = w.id) \
                 LIMIT $2))",
            );
            Ok(workers
                .bind(seconds)
                .bind(PIECE)
                .execute(connection)
                .await?
                .rows_affected())
        })?;
        Ok((runs.len() as u64, answers))
    }

    fn require(&self, run: RunId) -> Result<(), FleetError> {
        let exists = self.transact("be read", Patience::Brief, async |connection| {
            let row = sql("SELECT FROM centipawn_fleet.run WHERE id = $1")
                .bind(run.0)
                .fetch_optional(connection)
                .await?;
            Ok(row.is_some())
        })?;
        if exists {
            Ok(())
        } else {
            Err(FleetError::NoRun { run })
        }
    }
}
